"""Chunk inputs: write the chunks into parsed folders, or return them as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from docxchunk.batch.chunk_spec import (
    ChunkSpec,
    chunking_of,
    hush,
    load_vocabulary,
    made_with,
    models_of,
    tokenizer_named,
)
from docxchunk.batch.inputs import Input
from docxchunk.batch.jobs import (
    REMADE,
    Opened,
    Reading,
    Results,
    claimed_by,
    damage_of,
    keep,
    left_out,
    opened,
    with_results,
)
from docxchunk.batch.pool import Jobs
from docxchunk.errors import SidecarError
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.document import Document, Issue
from docxchunk.records import Record, line
from docxchunk.records.chunks import CHUNK, UNIT, ChunksLine, Provenance
from docxchunk.sidecar.atomic import sweep
from docxchunk.sidecar.chunks import (
    are_current_units,
    existing_chunks,
    is_altered_file,
    read_chunks,
)
from docxchunk.sidecar.names import is_folder, paths_in, units_beside
from docxchunk.sidecar.reader import content_hash, read, stored_issues
from docxchunk.sidecar.writer import write_chunks, write_units

if TYPE_CHECKING:
    from docxchunk.chunking import Chunking
    from docxchunk.chunking.pieces import Piece


@dataclass(frozen=True, slots=True)
class Chunked:
    """Result of chunking an input.

    - `path`: the chunk file; "" if none was written.
    - `chunks`, `tokens`: how many there are.
    - `reused`: whether the existing file was up to date and was kept.
    - `notes`: sentences for the user.
    - `damage`: the most serious damage of the Word file, also if its chunks were reused.
    - `lines`, `trace`: the chunks and the trace as JSON lines, if they were requested.
    """

    path: str
    chunks: int
    tokens: int
    reused: bool = False
    notes: tuple[str, ...] = ()
    damage: Issue | None = None
    lines: bytes = b""
    trace: bytes = b""


_ALTERED: Final = "Its chunk file was changed after it was written, and is made again."


def chunk_all(
    items: Sequence[Input],
    reading: Reading,
    spec: ChunkSpec,
    jobs: Jobs,
) -> Results[Chunked]:
    """Chunk the inputs and yield the results in order."""
    models = models_of(spec)
    if not models:
        spec = replace(spec, watch=None)  # it cannot be sent to other processes
    prepare = partial(_load, items, reading, spec)
    return with_results(partial(chunk_one, reading, spec), items, jobs, models, prepare)


def _load(items: Sequence[Input], reading: Reading, spec: ChunkSpec) -> None:
    """Load the strategy. Also load the vocabulary, unless each input may already have its
    chunks.
    """
    made_with(spec)
    if not spec.keep or reading.force or not all(_path(item, spec).exists() for item in items):
        load_vocabulary(spec.tokenizer)


def _path(item: Input, spec: ChunkSpec) -> Path:
    return paths_in(item.target, item.name).chunks(spec.strategy)


def chunk_one(reading: Reading, spec: ChunkSpec, item: Input) -> Chunked:
    """Chunk an input. If a parsed folder is damaged and the input is the Word file, parse it
    again.
    """
    hush()
    with claimed_by(item, reading) if spec.keep else nullcontext():
        try:
            return _chunk_one(reading, spec, item)
        except SidecarError as error:
            if is_folder(item.source):
                raise SidecarError(f"{error} Parse the Word file again.") from error
            if item.is_parsed or reading.force:
                raise
            result = _chunk_one(reading._replace(force=True), spec, item)
            return replace(result, notes=(REMADE, *result.notes))


def _chunk_one(reading: Reading, spec: ChunkSpec, item: Input) -> Chunked:
    source = opened(item, reading, keep=spec.keep)
    if not spec.keep:
        result = chunked(source.read(), spec)
        return replace(result, notes=(*source.notes, *result.notes))
    path = _path(item, spec)
    existing = None if spec.trace or reading.force else _existing(path, source, spec)
    if existing is None:
        return _written(item, reading, source, spec)
    if spec.units and not are_current_units(path):
        document, chunks = read(item.target), read_chunks(path).chunks
        write_units(path, document.doc_id, _units(document, chunks, spec))
    return existing


def _existing(path: Path, source: Opened, spec: ChunkSpec) -> Chunked | None:
    """Return the result for the existing chunk file; None if it is missing or out of date."""
    if source.current is None:
        return None
    meta = existing_chunks(path, _provenance(spec, source.current))
    if meta is None:
        return None
    sweep(path)
    return Chunked(
        str(path),
        meta.integer("chunks"),
        meta.integer("total_tokens"),
        reused=True,
        notes=source.notes,
        damage=damage_of(stored_issues(path.parent)),
    )


def _written(item: Input, reading: Reading, source: Opened, spec: ChunkSpec) -> Chunked:
    """Chunk a document, write the chunks and, if requested, their units, and return the result.
    Units of earlier chunks are removed.
    """
    path, document = _path(item, spec), source.read()
    chunking = chunking_of(document, spec)
    altered = (_ALTERED,) if is_altered_file(path) else ()  # before it is replaced
    lost = keep(item, reading, source, document, path)
    # the copy, if there is one; else a file of blocks itself: its folder may have several
    parsed = item.target if reading.out else source.current or item.target
    contents = ChunksLine(
        _provenance(spec, parsed),
        chunking.settings,
        document,
        chunking.chunks,
        chunking.models,
        chunking.notes,
    )
    write_chunks(path, contents)
    if spec.units:
        write_units(path, document.doc_id, _units(document, chunking.chunks, spec))
    elif (units := units_beside(path)).exists() and not are_current_units(path):
        units.unlink(missing_ok=True)
    result = _result(document, chunking, spec, str(path))
    notes = (*source.notes, *altered, *result.notes, *lost)
    return replace(result, notes=notes)


def chunked(document: Document, spec: ChunkSpec) -> Chunked:
    """Chunk a document and return the chunks, or their units, as JSON lines."""
    chunking = chunking_of(document, spec)
    if spec.units:
        units = _units(document, chunking.chunks, spec)
        lines = b"".join(line(UNIT.record(unit)) for unit in units)
    else:
        lines = b"".join(line(CHUNK.record(chunk)) for chunk in chunking.chunks)
    return replace(_result(document, chunking, spec, ""), lines=lines)


def _result(document: Document, chunking: Chunking, spec: ChunkSpec, path: str) -> Chunked:
    return Chunked(
        path=path,
        chunks=len(chunking.chunks),
        tokens=sum(chunk.tokens for chunk in chunking.chunks),
        notes=tuple(_notes(document, chunking, spec)),
        damage=damage_of(document.issues),
        trace=b"".join(map(line, _trace_records(document, chunking))),
    )


def _units(document: Document, chunks: Sequence[Chunk], spec: ChunkSpec) -> list[Unit]:
    from docxchunk.chunking.search_units import units_of

    return units_of(document, chunks, tokenizer_named(spec.tokenizer))


def _provenance(spec: ChunkSpec, parsed: Path) -> Provenance:
    return made_with(spec)._replace(blocks_sha256=content_hash(parsed))


def _notes(document: Document, chunking: Chunking, spec: ChunkSpec) -> Iterator[str]:
    yield from left_out(document.issues)
    yield from chunking.notes
    if spec.strategy not in ("P", "P-staged"):
        return
    if not chunking.structured:
        yield "Plain text has no structure for P to follow: chunked by R."
    elif len(chunking.chunks) > 1 and not any(block.level for block in document.blocks):
        yield (
            "It has no headings to follow, neither marked nor recognized: `docxchunk outline FILE "
            "--rules` lists the lines that could be headings."
        )


def _trace_records(document: Document, chunking: Chunking) -> Iterator[Record]:
    """Yield a record per stage: its changes, as half-open ranges of piece numbers before and after
    it, and the resulting pieces. A piece that may be cut has its units, with the price of a cut
    before each. Then yield a record per cut between two of the last pieces.
    """
    for step in chunking.trace or ():
        yield {
            "doc_id": document.doc_id,
            "stage": step.stage,
            "changes": [
                {
                    "change": difference.change,
                    "before": [difference.before.start, difference.before.stop],
                    "after": [difference.after.start, difference.after.stop],
                }
                for difference in step.differences
            ],
            "pieces": list(map(_piece_record, step.pieces)),
        }
    for cut in chunking.cuts or ():
        plans = {"here": cut.here, "other": cut.other}
        yield {
            "doc_id": document.doc_id,
            "cut": {
                **cut._asdict(),
                **{name: plan and plan._asdict() for name, plan in plans.items()},
            },
        }


def _piece_record(piece: Piece) -> Record:
    record: Record = {
        "heading": piece.heading,
        "level": piece.level,
        "tokens": piece.tokens,
        "role": piece.role,
        "text": piece.text,
    }
    if (units := piece.units) is not None:
        record["units"] = [
            {"price": float(price), "text": units.raw(number)}
            for number, price in enumerate(units.prices)
        ]
    return record
