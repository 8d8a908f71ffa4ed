"""Reports of inputs, as pages of HTML."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docxchunk import api
from docxchunk.batch.chunking import Making, made
from docxchunk.batch.inputs import Input, InputKind, refuse_links
from docxchunk.batch.pool import Failed, run
from docxchunk.batch.work import ParseJob, Reading, document_of
from docxchunk.errors import OutputError, SidecarError
from docxchunk.formats.report import ChunkSet, can_draw, html_report
from docxchunk.markup.records.blocks import document_hash
from docxchunk.model.document import Document
from docxchunk.registry import missing_extra
from docxchunk.sidecar.atomic import new_file
from docxchunk.sidecar.chunks import chunk_files, read_chunks


@dataclass(frozen=True, slots=True)
class ReportJob:
    """An input to be reported on.

    With `found`, the chunks in its parsed folder are shown, where there are some; else they are made. Without `target` the page comes back.
    """

    item: Input
    reading: Reading
    makings: tuple[Making, ...]
    found: bool = False
    target: Path | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """The path of a report, or its bytes, and what a person should know of it."""

    path: str
    page: bytes = b""
    notes: tuple[str, ...] = ()


def report_all(jobs: Sequence[ReportJob], processes: int) -> Iterator[tuple[Input, Reported | Failed]]:
    """Reports, in order."""
    return zip([job.item for job in jobs], run(report_one, jobs, processes), strict=True)


def report_one(job: ReportJob) -> Reported:
    logging.getLogger("docxchunk").addHandler(logging.NullHandler())
    document = document_of(ParseJob(job.item, job.reading), keep=False)
    page = html_report(document, chunk_sets(document, job)).encode()
    notes = tuple(_notes(document))
    if job.target is None:
        return Reported("", page, notes)
    if job.reading.out is not None:
        refuse_links(job.reading.out, job.target)
    _write(job.target, page)
    return Reported(str(job.target), notes=notes)


def _notes(document: Document) -> Iterator[str]:
    if not can_draw() and any("<equation" in block.content for block in document.blocks):
        yield missing_extra("Drawing equations, here shown as LaTeX,", "math-core", "report")


def chunk_sets(document: Document, job: ReportJob) -> list[ChunkSet]:
    """The chunks of each strategy, made as was asked, or found."""
    if job.found and job.item.kind is InputKind.PARSED and (found := _found(document, job.item.source)):
        return found
    return [_made(document, making) for making in job.makings]


def _made(document: Document, making: Making) -> ChunkSet:
    tokenizer = api.tokenizer(making.tokenizer)
    return ChunkSet(making.strategy, making.max_tokens, tokenizer.name, made(document, making, tokenizer).chunks)


def _found(document: Document, source: Path) -> list[ChunkSet]:
    """P's first, then the others by name. Raises SidecarError for chunks of another text than the blocks have."""
    files = [read_chunks(path) for path in chunk_files(source if source.is_dir() else source.parent)]
    blocks = document_hash(document.blocks)
    for file in files:
        if file.document_hash != blocks:
            raise SidecarError(f"{file.path} holds chunks of another version of the document: `docxchunk chunk` makes them anew.")
    sets = [ChunkSet(file.strategy, file.cap, file.tokenizer, file.chunks) for file in files]
    return sorted(sets, key=lambda chunk_set: (chunk_set.name != "P", chunk_set.name))


def _write(target: Path, page: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{target.parent} cannot be made: {error.strerror or error}.") from error
    with new_file(target) as file:
        file.write(page)
