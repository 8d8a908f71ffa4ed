"""Reports of inputs, as pages of HTML."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from docxchunk.api import InputKind
from docxchunk.batch.chunking import Making, hush, made, models_of, tokenizer_of
from docxchunk.batch.inputs import Input, refuse_links
from docxchunk.batch.job_count import Jobs
from docxchunk.batch.jobs import ParseJob, Reading, document_of, each
from docxchunk.batch.pool import Failed
from docxchunk.errors import SidecarError
from docxchunk.formats.report import ChunkSet, can_draw, html_report
from docxchunk.markup.records.blocks import document_hash
from docxchunk.model.document import Document
from docxchunk.registry import missing_extra
from docxchunk.sidecar.atomic import new_file, parents
from docxchunk.sidecar.chunks import chunk_files, read_chunks

PRINTED = Path("-")


@dataclass(frozen=True, slots=True)
class Reporting:
    """How inputs are reported on.

    With `found`, the chunks in a parsed folder are shown, where there are some; else they are made. `page` is where the report of one input goes,
    PRINTED if its bytes are to come back; else each stands where its parsed folder would.
    """

    reading: Reading
    makings: tuple[Making, ...]
    found: bool = False
    page: Path | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """The path of a report, or its bytes, and what a person should know of it."""

    path: str
    page: bytes = b""
    notes: tuple[str, ...] = ()


def report_all(items: Sequence[Input], how: Reporting, jobs: Jobs) -> Generator[tuple[Input, Reported | Failed], None, None]:
    """Reports, in order."""
    return each(partial(report_one, how), items, jobs, [port for making in how.makings for port in models_of(making)])


def report_one(how: Reporting, item: Input) -> Reported:
    hush()
    document = document_of(ParseJob(item, how.reading))
    page = html_report(document, chunk_sets(document, item, how)).encode()
    notes = tuple(_notes(document))
    if how.page == PRINTED:
        return Reported("", page, notes)
    target = how.page or item.target.with_suffix(".html")
    if how.reading.out is not None:
        refuse_links(how.reading.out, target)
    write_file(target, page)
    return Reported(str(target), notes=notes)


def _notes(document: Document) -> Iterator[str]:
    if not can_draw() and any("<equation" in block.content for block in document.blocks):
        yield missing_extra("Drawing the equations, which stand there as LaTeX,", "math-core", "report")


def chunk_sets(document: Document, item: Input, how: Reporting) -> list[ChunkSet]:
    """The chunks of each strategy and size, made as was asked, or found. Where several sizes are compared, the names of the sets hold them."""
    if how.found and item.kind is InputKind.PARSED and (found := _found(document, item.source)):
        return found
    several = len({making.max_tokens for making in how.makings}) > 1
    return [_made(document, making, f"{making.strategy} {making.max_tokens}" if several else making.strategy) for making in how.makings]


def _made(document: Document, making: Making, name: str) -> ChunkSet:
    return ChunkSet(name, making.max_tokens, tokenizer_of(making).name, made(document, making).chunks)


def _found(document: Document, source: Path) -> list[ChunkSet]:
    """P's first, then the others by name. Raises SidecarError for chunks of another text than the blocks have."""
    files = [read_chunks(path) for path in chunk_files(source if source.is_dir() else source.parent)]
    blocks = document_hash(document.blocks)
    for file in files:
        if file.document_hash != blocks:
            raise SidecarError(f"{file.path} holds chunks of another version of the document: `docxchunk chunk` makes them anew.")
    sets = [ChunkSet(file.strategy, file.cap, file.tokenizer, file.chunks) for file in files]
    return sorted(sets, key=lambda chunk_set: (chunk_set.name != "P", chunk_set.name))


def write_file(target: Path, data: bytes) -> None:
    """A file in a folder that is made where there is none. Raises OutputError."""
    with parents(target), new_file(target) as file:
        file.write(data)
