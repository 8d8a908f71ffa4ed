"""Validate the files of a parsed folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

import orjson

from docxchunk.markup.laws import chunk_faults, document_faults
from docxchunk.markup.records.blocks import ENGINE, document_hash
from docxchunk.markup.records.fields import Fields
from docxchunk.model.blocks import SessionType
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.issues import IssueCode
from docxchunk.model.ports import Count
from docxchunk.sidecar.chunks import ChunkFile, chunk_files, read_chunk_file
from docxchunk.sidecar.paths import BLOCKS, FolderPaths
from docxchunk.sidecar.reader import content_hash, find_blocks, is_altered_folder, read, read_lines
from docxchunk.sidecar.schemas import Schema, faults, schema
from docxchunk.version import __version__


class Fault(NamedTuple):
    """A violation in a file. `place` is "line 3", or "" if it concerns the whole file."""

    file: Path
    place: str
    sentence: str


class Remaking(NamedTuple):
    """How chunks are checked.

    - `counter_of`: returns the function that counts tokens for a tokenizer name, or None if it is
      unknown.
    - `chunks_again`: returns the chunks that a document gives with the settings of a chunk file;
      None if they need a model.
    """

    counter_of: Callable[[str], Count | None]
    chunks_again: Callable[[Document, ChunkFile], Sequence[Chunk] | None]


def validate(path: Path, remaking: Remaking) -> Iterator[Fault]:
    """Yield the faults of a parsed folder.

    Invariants are checked, and chunks compared with those that the blocks give, only if all files
    match their schemas.
    """
    blocks = find_blocks(path)
    paths = FolderPaths(blocks.parent, blocks.name.removesuffix(BLOCKS))
    schema_faults = list(_schema_faults(paths))
    yield from schema_faults
    if not schema_faults:
        document = read(paths.blocks)
        yield from (
            Fault(paths.blocks, "", sentence) for sentence in _document_faults(document, paths)
        )
        digest = content_hash(paths.blocks)
        for file in chunk_files(paths.folder):
            yield from (
                Fault(file, "", sentence)
                for sentence in _chunk_file_faults(
                    document, digest, read_chunk_file(file), remaking
                )
            )


def _schema_faults(paths: FolderPaths) -> Iterator[Fault]:
    # other parsers may add keys
    closed = next(read_lines(paths.blocks), Fields({}, "")).equals("parse_engine", ENGINE)
    yield from _line_faults(paths.blocks, schema("document"), schema("block"), closed=closed)
    for file in paths.records():
        if file.exists():
            yield from _value_faults(
                file, "", file.read_bytes(), schema(file.name.split(".")[-2]), closed=closed
            )
    for file in chunk_files(paths.folder):
        yield from _line_faults(file, schema("chunks"), schema("chunk"), closed=True)


def _line_faults(file: Path, first: Schema, others: Schema, *, closed: bool) -> Iterator[Fault]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            yield from _value_faults(
                file, f"line {number}", line, first if number == 1 else others, closed=closed
            )


def _value_faults(
    file: Path, place: str, data: bytes, rule: Schema, *, closed: bool
) -> Iterator[Fault]:
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
    yield from (issue.message for issue in document.issues if issue.code is IssueCode.LINE_IGNORED)
    if is_altered_folder(paths.blocks):
        yield "files of the folder were changed after they were written"
    if meta.text("document_hash") != document_hash(document.blocks):
        yield "document_hash does not match the contents"
    if document.engine == ENGINE:
        yield from _missing_parts(document, paths)
    written = Counter(
        line.text("blockid") for line in read_lines(paths.blocks) if line.text("type") == "content"
    )
    yield from (
        f"blockid {blockid!r} occurs {times} times"
        for blockid, times in written.items()
        if times > 1
    )
    yield from document_faults(document)


def _missing_parts(document: Document, paths: FolderPaths) -> Iterator[str]:
    """Yield objects that the report counts but a file lacks, and pictures without bytes."""
    if not paths.report.is_file():
        yield f"{paths.report.name} is missing"
    objects = document.report.objects
    there = {
        "tables": len(document.tables),
        "equations": len(document.equations),
        "drawings": len(document.drawings),
        "notes": len(document.notes),
    }
    for kind, number in there.items():
        declared = objects.get(kind, 0) + (
            objects.get("headers_footers", 0) if kind == "notes" else 0
        )
        if declared > number:
            yield (
                f"the report counts {declared} {kind}, and {paths.items(kind).name} has only "
                f"{number}"
            )
    if paths.assets.is_dir():
        yield from (
            f"the picture {file.name} is empty"
            for file in sorted(paths.assets.iterdir())
            if file.is_file() and not file.stat().st_size
        )


def _chunk_file_faults(
    document: Document, digest: str, file: ChunkFile, remaking: Remaking
) -> Iterator[str]:
    if file.fault:
        yield file.fault
    if file.blocks_sha256 != digest:
        yield "The chunks belong to another version of the document: chunk it again."
        return
    if (file.doc_id, file.document_hash) != (document.doc_id, document_hash(document.blocks)):
        yield "doc_id or document_hash of the first line differs from that of the document"
    if file.total_tokens != sum(chunk.tokens for chunk in file.chunks):
        yield "total_tokens is not the sum of the tokens of the chunks"
    kept = (
        block
        for block in document.blocks
        if not (file.settings.get("drop_toc") and block.session_type is SessionType.TOC)
    )
    yield from chunk_faults(
        replace(document, blocks=tuple(kept)),
        file.chunks,
        file.cap,
        remaking.counter_of(file.tokenizer),
    )
    again = remaking.chunks_again(document, file) if file.engine_version == __version__ else None
    if again is not None:
        yield from _differences(file.chunks, again)


def _differences(chunks: Sequence[Chunk], again: Sequence[Chunk]) -> Iterator[str]:
    """Yield each field of a chunk that differs from what the blocks give. Situations were written
    by a model and are not compared.
    """
    if len(chunks) != len(again):
        yield f"there are {len(chunks)} chunks, but the blocks give {len(again)}"
        return
    for number, (chunk, other) in enumerate(zip(chunks, again, strict=True)):
        names = (
            field.name
            for field in fields(Chunk)
            if field.name != "situation"
            and getattr(chunk, field.name) != getattr(other, field.name)
        )
        yield from (
            f"chunk {number}: its {name} is {getattr(chunk, name)!r:.80}, but the "
            f"blocks give {getattr(other, name)!r:.80}"
            for name in names
        )
