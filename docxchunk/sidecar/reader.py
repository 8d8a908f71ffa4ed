"""Read a parsed folder or .blocks.jsonl into a Document, written by docxchunk or by a LightRAG
parser.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import orjson

from docxchunk.errors import MissingFileError, SidecarError
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document, Issue, IssueCode, Items, Property
from docxchunk.model.options import ParseOptions
from docxchunk.model.wording import counted
from docxchunk.records import CONTENTS, Fields, Layout, is_altered
from docxchunk.records.blocks import (
    DOCUMENT,
    ENGINE,
    OPTIONS,
    metadata_in,
    read_block,
    read_properties,
)
from docxchunk.records.objects import (
    NOTE,
    OBJECTS,
    Reported,
    read_report,
)
from docxchunk.sidecar.names import BLOCKS, FolderPaths, open_file, path_like, paths_in

_T = TypeVar("_T")
_NUL: Final = re.compile(rb"(?<!\\)((?:\\\\)*+)\\u0000")


def read(path: Path) -> Document:
    """Return the Document at a path. Raise MissingFileError, or SidecarError if a file has invalid
    contents.

    A line of the blocks that is not a JSON object is left out. A value of a wrong type is replaced
    by its default. Each is an issue. If no line is a JSON object, SidecarError is raised. Other
    programs may write blocks without ids or with duplicate ids. These blocks get new ids.
    """
    paths = FolderPaths(find_blocks(path))
    lines, faults = _valid_lines(paths.blocks)
    meta = next(
        (line for line in lines if line.text("type") == "meta"), Fields({}, str(paths.blocks))
    )
    refuse_newer(meta, paths.blocks)
    has_roles = meta.equals("line_roles", value=True)
    blocks = tuple(
        _with_unique_ids(read_block(line, has_roles=has_roles) for line in lines if _is_block(line))
    )
    faults += _missing(meta, paths, len(blocks))
    reported = _read_report(paths)
    values = DOCUMENT.fields_in(meta)
    issues = (
        *reported.issues,
        *(Issue(IssueCode.LINE_IGNORED, paths.blocks.name, fault) for fault in faults),
        *_of_earlier_version(meta, paths),
    )
    values["name"] = values["name"] or paths.stem
    values |= {kind: _read_items(paths, kind, layout) for kind, layout in OBJECTS.items()}
    return Document(
        **values,
        blocks=blocks,
        notes=tuple(_read_items(paths, "notes", NOTE)),
        **reported._replace(issues=issues)._asdict(),
        assets=AssetFiles(paths.assets),
    )


def _of_earlier_version(meta: Fields, paths: FolderPaths) -> Iterator[Issue]:
    """Yield what a folder of an earlier docxchunk lacks."""
    if meta.equals("parse_engine", ENGINE) and CONTENTS not in meta:
        yield Issue(
            IssueCode.REVISIONS_UNKNOWN,
            paths.report.name,
            "Its tracked changes and comments are not listed: docxchunk "
            f"{meta.text('engine_version')} parsed it. Parse the Word file again.",
        )


def _is_block(line: Fields) -> bool:
    """Return whether a line is a block. What a line without text or type has lost is a fault."""
    kind = line.text("type")
    if "type" not in line:
        line.missing("type")
    elif kind == "content" and "content" not in line:
        line.missing("content")
    return kind == "content"


def _valid_lines(path: Path) -> tuple[list[Fields], list[str]]:
    """Return the records of a .blocks.jsonl, and the list of their faults. Faults of values are
    added when the values are read. Raise SidecarError if no line is valid.
    """
    lines: list[Fields] = []
    faults: list[str] = []
    for number, data in _raw_lines(path):
        try:
            lines.append(_parsed(data, f"line {number}").lenient(faults))
        except SidecarError as error:
            faults.append(str(error))
    if not lines:
        raise SidecarError(f"{path}: {(faults or ['The file is empty.'])[0]}")
    return lines, faults


def _missing(meta: Fields, paths: FolderPaths, blocks: int) -> Iterator[str]:
    """Yield a sentence for each thing that the first line declares and the folder lacks."""
    if paths.report.exists() and "type" not in meta:
        yield "The first line of the blocks, with the id and the name of the document, is missing."
    declared = meta.integer("blocks", blocks)
    if declared != blocks:
        yield f"The first line declares {counted(declared, 'block')}, but there are {blocks}."
    for kind in ("table", "equation", "drawing"):
        file = paths.items(f"{kind}s")
        if meta.equals(f"{kind}_file", value=True) and not file.exists():
            yield f"{file.name} is missing."


def refuse_newer(meta: Fields, path: Path) -> None:
    """Raise SidecarError if the first line of a file declares a major format version above 1."""
    version = str(meta.scalars().get("version") or "")
    major = version.partition(".")[0]
    if major.isdecimal() and int(major) > 1:
        raise SidecarError(
            f"{path} has format version {version}, but only versions 1.x can be "
            "read; try a newer docxchunk."
        )


def _with_unique_ids(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks with unique ids: a second block with an id gets `id-2`; one without an id
    gets its position, `block-3`.
    """
    read_blocks = list(blocks)
    used = {block.id for block in read_blocks}
    seen = {""}
    for position, block in enumerate(read_blocks, 1):
        if block.id in seen:
            names = (
                (f"{block.id}-{number}" for number in count(2))
                if block.id
                else (f"block-{number}" for number in count(position))
            )
            name = next(name for name in names if name not in used)
            used.add(name)
            yield replace(block, id=name)
        else:
            seen.add(block.id)
            yield block


def is_current(folder: Path, expected: Document) -> bool:
    """Return whether parsing the source again would give the contents of the parsed folder: name,
    source, id, options and version are those of `expected`. The describer must be equal, too,
    unless `expected` has none: existing descriptions are kept.
    """
    paths = paths_in(folder, expected.name)
    record = orjson.loads(orjson.dumps(DOCUMENT.record(expected)))
    meta = first_record(paths.blocks)
    keys = (
        "document_name",
        "doc_id",
        "parse_engine",
        "engine_version",
        "source_sha256",
        "options",
        *(("describer",) if expected.describer else ()),
    )
    if (
        meta is None
        or not paths.report.is_file()
        or not all(meta.equals(key, record.get(key)) for key in keys)
    ):
        return False
    return not any(_missing(meta, paths, _read_bytes(paths.blocks).count(b"\n") - 1))


def is_altered_folder(folder: Path) -> bool:
    """Return whether files of a parsed folder, except chunk files, were changed after they were
    written. That is unknown, and False, for other programs.

    Raise MissingFileError, or SidecarError if there are no blocks.
    """
    paths = FolderPaths(find_blocks(folder))
    try:
        first, lines = first_line(paths.blocks)
    except SidecarError:
        return True
    pictures = (paths.assets / name for name in AssetFiles(paths.assets))
    return is_altered(
        first,
        chain(
            (lines,),
            (file.read_bytes() for file in (*paths.records(), *pictures) if file.is_file()),
        ),
    )


def stored_issues(folder: Path) -> tuple[Issue, ...]:
    """Return the issues in the report of a parsed folder. Raise MissingFileError or
    SidecarError.
    """
    return _read_report(FolderPaths(find_blocks(folder))).issues


def first_line(path: Path) -> tuple[Fields, bytes]:
    """Return the record in the first line of a file, and the bytes of the other lines. Raise
    MissingFileError or SidecarError.
    """
    first, _, lines = _read_bytes(path).partition(b"\n")
    return _parsed(first or b"{}", str(path)), lines


def content_hash(path: Path) -> str:
    """Return the SHA-256 of what chunks depend on in a parsed folder: blocks, tables, and the id,
    title and structure of the document.

    Raise MissingFileError or SidecarError.
    """
    paths = FolderPaths(find_blocks(path))
    meta, lines = first_line(paths.blocks)
    about = (
        [meta.text("doc_id"), meta.text("doc_title"), meta.flag("structured", default=True)]
        if meta.text("type") == "meta"
        else meta.as_record()
    )
    digest = hashlib.sha256(orjson.dumps(about))
    digest.update(lines)
    tables = paths.items("tables")
    if tables.exists():
        digest.update(_read_bytes(tables))
    return digest.hexdigest()


def first_record(path: Path) -> Fields | None:
    """Return the first line of a JSON Lines file, or of the blocks in a parsed folder; None if it
    cannot be read.
    """
    try:
        return next(read_lines(find_blocks(path)), None)
    except (MissingFileError, SidecarError):
        return None


class Identity(NamedTuple):
    """Name, id, properties and metadata of a document, and the hash of its file. If they are
    unknown, the name is taken from its files, and the others are empty.
    """

    name: str
    doc_id: str = ""
    properties: Mapping[str, Property] = {}
    source_sha256: str = ""
    metadata: Mapping[str, Property] = {}


def document_identity(path: Path) -> Identity:
    """Return the identity of the document in a parsed folder."""
    try:
        paths = FolderPaths(find_blocks(path))
        meta = next(read_lines(paths.blocks))
        return Identity(
            meta.text("document_name") or paths.stem,
            meta.text("doc_id"),
            read_properties(meta),
            meta.text("source_sha256"),
            metadata_in(meta),
        )
    except (MissingFileError, SidecarError, StopIteration):
        return Identity(path.name.removesuffix(".parsed"))


def options_in(path: Path) -> ParseOptions | None:
    """Return the parser options of a parsed folder; None if they are unknown."""
    meta = first_record(path)
    return OPTIONS.value(meta.record("options")) if meta is not None and "options" in meta else None


def find_blocks(path: Path) -> Path:
    """Return the .blocks.jsonl at a path: the file itself, or the one in that folder. Raise
    MissingFileError or SidecarError.
    """
    if (why := unreadable(path)) is not None:
        raise why
    if not path.is_dir():
        return path
    files = sorted(path.glob(f"*{BLOCKS}"))
    if len(files) != 1:
        raise SidecarError(
            f"{path} is not a parsed folder: it has {len(files) or 'no'} {BLOCKS} files."
        )
    return files[0]


def unreadable(path: Path) -> MissingFileError | None:
    """Return an error that says why a path has no file or cannot be reached; None if it can be."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return MissingFileError(f"{path} does not exist", str(path), partial(_hint_for, path))
    except (OSError, ValueError) as error:  # ValueError: a NUL character or a lone surrogate
        return MissingFileError(
            f"{path} cannot be read ({getattr(error, 'strerror', None) or error}).", str(path)
        )
    return None


def _hint_for(missing: Path) -> str:
    like = path_like(missing)
    return f"; did you mean {like}?" if like else "."


def read_lines(path: Path) -> Iterator[Fields]:
    """Yield the records of a JSON Lines file; blank lines are skipped. Raise MissingFileError or
    SidecarError.
    """
    return (_parsed(data, f"{path}, line {number}") for number, data in _raw_lines(path))


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with open_file(path) as file:
            yield from ((number, line) for number, line in enumerate(file, 1) if not line.isspace())
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read ({error.strerror or error}).") from error


class AssetFiles(Mapping[str, bytes]):
    """The files of an assets folder by name, read on access. Symbolic links are ignored."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _files(self) -> list[str]:
        entries = (
            self._folder.iterdir()
            if self._folder.is_dir() and not self._folder.is_symlink()
            else ()
        )
        return sorted(entry.name for entry in entries if entry.is_file() and not entry.is_symlink())

    def __iter__(self) -> Iterator[str]:
        return iter(self._files())

    def __len__(self) -> int:
        return len(self._files())

    def __getitem__(self, name: str) -> bytes:
        if name not in self._files():
            raise KeyError(name)
        return (self._folder / name).read_bytes()


def _read_items(paths: FolderPaths, kind: str, layout: Layout[_T]) -> Items[_T]:
    records = _read_object(paths.items(kind)).record(kind)
    return Items({key: layout.value(records.within(item)) for key, item in records.items()})


def _read_report(paths: FolderPaths) -> Reported:
    return read_report(_read_object(paths.report))


def _read_object(path: Path) -> Fields:
    """Return the JSON object in a file; an empty one if the file does not exist."""
    return _parsed(_read_bytes(path), str(path)) if path.exists() else Fields({}, str(path))


def _read_bytes(path: Path) -> bytes:
    try:
        with open_file(path) as file:
            return file.read()
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read ({error.strerror or error}).") from error


def _parsed(data: bytes, origin: str) -> Fields:
    """Return the JSON object. A NUL character, which databases refuse, becomes U+FFFD, as in
    CommonMark 0.31.2, 2.3.
    """
    try:
        return Fields(
            orjson.loads(_NUL.sub(rb"\1\\ufffd", data) if rb"\u0000" in data else data), origin
        )
    except orjson.JSONDecodeError as error:
        raise SidecarError(f"{origin} is not JSON ({error}).") from error
