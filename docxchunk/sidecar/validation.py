"""Validate the files of a parsed folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import orjson

from docxchunk.markup.laws import chunk_faults, document_faults
from docxchunk.markup.records.blocks import ENGINE, document_hash
from docxchunk.markup.records.fields import Fields
from docxchunk.model.document import Document
from docxchunk.model.ports import Count
from docxchunk.sidecar.chunks import chunk_files, read_chunks
from docxchunk.sidecar.paths import BLOCKS, FolderPaths
from docxchunk.sidecar.reader import find_blocks, read, read_lines
from docxchunk.sidecar.schemas import Schema, faults, schema


class Fault(NamedTuple):
    """A violation in a file. `place` is "line 3", or "" if it concerns the whole file."""

    file: Path
    place: str
    sentence: str


def validate(path: Path, counter_of: Callable[[str], Count | None]) -> Iterator[Fault]:
    """Yield the faults of a parsed folder. `counter_of` returns the function that counts tokens for a tokenizer name, or None if unknown.

    Invariants are checked only if all files match their schemas.
    """
    blocks = find_blocks(path)
    paths = FolderPaths(blocks.parent, blocks.name.removesuffix(BLOCKS))
    found = list(_schema_faults(paths))
    yield from found
    if not found:
        document = read(paths.blocks)
        yield from (Fault(paths.blocks, "", sentence) for sentence in _document_faults(document, paths))
        for file in chunk_files(paths.folder):
            yield from (Fault(file, "", sentence) for sentence in _chunk_file_faults(document, file, counter_of))


def _schema_faults(paths: FolderPaths) -> Iterator[Fault]:
    closed = next(read_lines(paths.blocks), Fields({}, "")).equals("parse_engine", ENGINE)  # other parsers may add keys
    yield from _line_faults(paths.blocks, schema("document"), schema("block"), closed=closed)
    for kind in ("tables", "equations", "drawings", "notes", "report"):
        file = paths.report if kind == "report" else paths.items(kind)
        if file.exists():
            yield from _value_faults(file, "", file.read_bytes(), schema(kind), closed=closed)
    for file in chunk_files(paths.folder):
        yield from _line_faults(file, schema("chunks"), schema("chunk"), closed=True)


def _line_faults(file: Path, first: Schema, others: Schema, *, closed: bool) -> Iterator[Fault]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            yield from _value_faults(file, f"line {number}", line, first if number == 1 else others, closed=closed)


def _value_faults(file: Path, place: str, data: bytes, rule: Schema, *, closed: bool) -> Iterator[Fault]:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        yield Fault(file, place, f"is not JSON ({error})")
        return
    yield from (Fault(file, place, sentence) for sentence in faults(value, rule, closed=closed))


def _document_faults(document: Document, paths: FolderPaths) -> Iterator[str]:
    meta = next(read_lines(paths.blocks), None)
    if meta is None:
        yield "the file has no lines"
        return
    if meta.integer("blocks") != len(document.blocks):
        yield f"the first line declares {meta.integer('blocks')} blocks, but there are {len(document.blocks)}"
    if meta.text("document_hash") != document_hash(document.blocks):
        yield "document_hash does not match the contents"
    if document.engine == ENGINE:
        yield from _missing_parts(document, paths)
    written = Counter(line.text("blockid") for line in read_lines(paths.blocks) if line.text("type") == "content")
    yield from (f"blockid {blockid!r} occurs {times} times" for blockid, times in written.items() if times > 1)
    yield from document_faults(document)


def _missing_parts(document: Document, paths: FolderPaths) -> Iterator[str]:
    """Yield objects that the report counts but a file lacks, and pictures without bytes."""
    if not paths.report.is_file():
        yield f"{paths.report.name} is missing"
    said = document.report.objects
    there = {"tables": len(document.tables), "equations": len(document.equations), "drawings": len(document.drawings), "notes": len(document.notes)}
    for kind, number in there.items():
        declared = said.get(kind, 0) + (said.get("headers_footers", 0) if kind == "notes" else 0)
        if declared > number:
            yield f"the report counts {declared} {kind}, and {paths.items(kind).name} has only {number}"
    if paths.assets.is_dir():
        yield from (f"the picture {file.name} is empty" for file in sorted(paths.assets.iterdir()) if file.is_file() and not file.stat().st_size)


def _chunk_file_faults(document: Document, path: Path, counter_of: Callable[[str], Count | None]) -> Iterator[str]:
    file = read_chunks(path)
    if file.declared != len(file.chunks):
        yield f"the first line declares {file.declared} chunks, but there are {len(file.chunks)}"
    if file.document_hash != document_hash(document.blocks):
        yield "the chunks belong to another version of the document; chunk it again"
        return
    yield from chunk_faults(document, file.chunks, file.cap, counter_of(file.tokenizer))
