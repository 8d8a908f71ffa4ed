"""A parsed folder, or the .blocks.jsonl of one, to a Document: ours, and what LightRAG's parsers write."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeVar

import orjson

from docxchunk.errors import MissingFileError, SidecarError
from docxchunk.markup.records.blocks import document_record, read_block, read_options, read_properties
from docxchunk.markup.records.fields import Fields
from docxchunk.markup.records.objects import read_drawing, read_equation, read_note, read_table
from docxchunk.markup.records.report import read_issues, read_report
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document, Property
from docxchunk.model.issues import Issue, IssueCode
from docxchunk.model.items import Items
from docxchunk.sidecar.paths import BLOCKS, Places, places_in

_T = TypeVar("_T")


def read(path: Path) -> Document:
    """The Document that was written there. Raises MissingFileError, or SidecarError where a file does not hold what it must.

    A line of the blocks that is no JSON object is left out, and a value of a wrong type replaced by its default, each with an issue; SidecarError where
    no line is one.
    Blocks of other writers may have no id, or one that others have: LightRAG puts up with that. Here ids are keys, so such a block gets one of its own.
    """
    blocks_file = find_blocks(path)
    places = Places(blocks_file.parent, blocks_file.name.removesuffix(BLOCKS))
    lines, faults = _valid_lines(blocks_file)
    meta = next((line for line in lines if line.text("type") == "meta"), Fields({}, str(blocks_file)))
    refuse_newer(meta, blocks_file)
    blocks = tuple(_with_ids_of_their_own(read_block(line) for line in lines if line.text("type") == "content"))
    report = _read_object(places.report)
    return Document(
        name=meta.text("document_name") or places.stem,
        format=meta.text("document_format"),
        doc_id=meta.text("doc_id"),
        title=meta.text("doc_title"),
        blocks=blocks,
        tables=_read_items(places, "tables", read_table),
        equations=_read_items(places, "equations", read_equation),
        drawings=_read_items(places, "drawings", read_drawing),
        notes=tuple(_read_items(places, "notes", read_note)),
        issues=(*read_issues(report), *(Issue(IssueCode.LINE_IGNORED, blocks_file.name, fault) for fault in faults)),
        report=read_report(report),
        options=read_options(meta.record("options")) if "options" in meta else None,
        source_sha256=meta.text("source_sha256"),
        assets=AssetFiles(places.assets),
        engine=meta.text("parse_engine"),
        describer=meta.text("describer"),
        structured=meta.flag("structured", default=True),
        properties=read_properties(meta),
    )


def _valid_lines(path: Path) -> tuple[list[Fields], list[str]]:
    """The records of a file of blocks, and a list to which what is wrong with them is added when they are read. Raises SidecarError where there is none."""
    lines: list[Fields] = []
    faults: list[str] = []
    for number, data in _raw_lines(path):
        try:
            lines.append(_parsed(data, f"line {number}").lenient(faults))
        except SidecarError as error:
            faults.append(str(error))
    if faults and not lines:
        raise SidecarError(f"{path}: {faults[0]}")
    return lines, faults


def refuse_newer(meta: Fields, path: Path) -> None:
    """Raises SidecarError where the first line of a file says that its format is of a later major version than 1."""
    version = str(meta.scalars().get("version") or "")
    major = version.partition(".")[0]
    if major.isdecimal() and int(major) > 1:
        raise SidecarError(f"{path} is of version {version} of its format, and only versions 1.x can be read: a newer docxchunk may do so.")


def _with_ids_of_their_own(blocks: Iterable[Block]) -> Iterator[Block]:
    """The first block with an id keeps it; the second one becomes `id-2`. One without an id is called by its place: `block-3`."""
    read_blocks = list(blocks)
    taken = {block.id for block in read_blocks}
    seen = {""}
    for place, block in enumerate(read_blocks, 1):
        if block.id in seen:
            names = (f"{block.id}-{number}" for number in count(2)) if block.id else (f"block-{number}" for number in count(place))
            name = next(name for name in names if name not in taken)
            taken.add(name)
            yield replace(block, id=name)
        else:
            seen.add(block.id)
            yield block


def is_current(folder: Path, wanted: Document) -> bool:
    """Does the parsed folder hold what parsing the same source again would give? Name, source, id, options and version must be equal to those wanted.

    So must what describes pictures, unless nothing is to describe them: descriptions that are there stay.
    """
    places = places_in(folder, wanted.name)
    record = orjson.loads(orjson.dumps(document_record(wanted)))
    try:
        found = next(read_lines(places.blocks), None)
    except (MissingFileError, SidecarError):
        return False
    keys = ("document_name", "doc_id", "parse_engine", "engine_version", "source_sha256", "options", *(("describer",) if wanted.describer else ()))
    if found is None or not places.report.is_file() or not all(found.equals(key, record.get(key)) for key in keys):
        return False
    return count_lines(places.blocks) == found.integer("blocks") + 1


def standing_issues(folder: Path) -> tuple[Issue, ...]:
    """The issues in the report of a parsed folder. Raises MissingFileError or SidecarError."""
    blocks = find_blocks(folder)
    return tuple(read_issues(_read_object(Places(folder, blocks.name.removesuffix(BLOCKS)).report)))


def count_lines(path: Path) -> int:
    """How many lines a file has that end as they should."""
    return _read_bytes(path).count(b"\n")


def content_hash(path: Path) -> str:
    """SHA-256 of what chunks are made from, as it stands there: blocks and tables, and what the first line says of the document itself, not of its making.

    Raises MissingFileError or SidecarError.
    """
    blocks = find_blocks(path)
    first, _, others = _read_bytes(blocks).partition(b"\n")
    meta = _parsed(first or b"{}", str(blocks))
    about = [meta.text("doc_id"), meta.text("doc_title"), meta.flag("structured", default=True)] if meta.text("type") == "meta" else first.decode()
    digest = hashlib.sha256(orjson.dumps(about))
    digest.update(others)
    tables = Places(blocks.parent, blocks.name.removesuffix(BLOCKS)).items("tables")
    if tables.exists():
        digest.update(_read_bytes(tables))
    return digest.hexdigest()


class Identity(NamedTuple):
    """What a document is called, its id and its properties; the name of its files and no id where they do not say, or cannot be read."""

    name: str
    doc_id: str = ""
    properties: Mapping[str, Property] = {}


def document_identity(path: Path) -> Identity:
    try:
        blocks_file = find_blocks(path)
        meta = next(read_lines(blocks_file))
        return Identity(meta.text("document_name") or blocks_file.name.removesuffix(BLOCKS), meta.text("doc_id"), read_properties(meta))
    except (MissingFileError, SidecarError, StopIteration):
        return Identity(path.name.removesuffix(".parsed"))


def find_blocks(path: Path) -> Path:
    """The .blocks.jsonl that a path means: itself, or the one in that folder."""
    if not path.exists():
        raise MissingFileError(f"{path} does not exist.")
    if not path.is_dir():
        return path
    found = sorted(path.glob(f"*{BLOCKS}"))
    if len(found) != 1:
        raise SidecarError(f"{path} is no parsed folder: it holds {len(found) or 'no'} {BLOCKS} file{'s' * (len(found) != 1)}.")
    return found[0]


def read_lines(path: Path) -> Iterator[Fields]:
    """The records of a file of one a line; blank lines are passed over."""
    return (_parsed(data, f"{path}, line {number}") for number, data in _raw_lines(path))


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            yield from ((number, line) for number, line in enumerate(file, 1) if not line.isspace())
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read ({error.strerror or error}).") from error


class AssetFiles(Mapping[str, bytes]):
    """The files of an assets folder by name, each read when it is asked for; links are not followed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _files(self) -> list[str]:
        entries = self._folder.iterdir() if self._folder.is_dir() and not self._folder.is_symlink() else ()
        return sorted(entry.name for entry in entries if entry.is_file() and not entry.is_symlink())

    def __iter__(self) -> Iterator[str]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())

    def __getitem__(self, name: str) -> bytes:
        if name not in self._files():
            raise KeyError(name)
        return (self._folder / name).read_bytes()


def _read_items(places: Places, kind: str, read_item: Callable[[Fields], _T]) -> Items[_T]:
    return Items({key: read_item(item) for key, item in _read_object(places.items(kind)).record(kind).named()})


def _read_object(path: Path) -> Fields:
    """The object in a file; an empty one where there is no such file."""
    return _parsed(_read_bytes(path), str(path)) if path.exists() else Fields({}, str(path))


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read ({error.strerror or error}).") from error


def _parsed(data: bytes, place: str) -> Fields:
    try:
        return Fields(orjson.loads(data), place)
    except orjson.JSONDecodeError as error:
        raise SidecarError(f"{place} is not JSON ({error}).") from error
