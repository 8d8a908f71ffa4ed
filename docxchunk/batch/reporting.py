"""Write HTML reports of inputs."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from docxchunk.batch.chunking import ChunkSpec, chunking_of, hush, models_of, tokenizer_of
from docxchunk.batch.failures import Failed
from docxchunk.batch.inputs import Input, refuse_links
from docxchunk.batch.jobs import ParseJob, Reading, document_of, each, notes_on
from docxchunk.batch.pool import Jobs
from docxchunk.errors import SidecarError
from docxchunk.formats.report import ChunkSet, can_draw, html_report
from docxchunk.model.document import Document
from docxchunk.registry import missing_extra
from docxchunk.sidecar.atomic import new_file
from docxchunk.sidecar.chunks import chunk_files, read_chunks
from docxchunk.sidecar.reader import content_hash
from docxchunk.sources import InputKind

PRINTED = Path("-")


@dataclass(frozen=True, slots=True)
class Reporting:
    """Options of reports.

    With `existing`, show the chunks in a parsed folder, if there are any; else make them. `page` is
    the path of the report of a single input, or PRINTED to return its bytes; by default, each
    report goes where the parsed folder would.
    """

    reading: Reading
    specs: tuple[ChunkSpec, ...]
    existing: bool = False
    page: Path | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """The path of a report, or its bytes, with notes for the user."""

    path: str
    page: bytes = b""
    notes: tuple[str, ...] = ()


def report_all(
    items: Sequence[Input], how: Reporting, jobs: Jobs
) -> Generator[tuple[Input, Reported | Failed], None, None]:
    """Report on the inputs and yield the results in order."""
    return each(
        partial(report_one, how),
        items,
        jobs,
        [port for spec in how.specs for port in models_of(spec)],
    )


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
    yield from notes_on(document)
    if not can_draw() and any("<equation" in block.content for block in document.blocks):
        yield missing_extra(
            "Drawing the equations, which are shown as LaTeX,", "math-core", "report"
        )


def chunk_sets(document: Document, item: Input, how: Reporting) -> list[ChunkSet]:
    """Return existing or new chunks for each strategy and size. If several sizes are compared, the
    names of the sets include the size.
    """
    if how.existing and item.kind is InputKind.PARSED and (sets := _existing(item.source)):
        return sets
    several = len({spec.limits.max_tokens for spec in how.specs}) > 1
    return [
        _made(
            document,
            spec,
            f"{spec.strategy} {spec.limits.max_tokens}" if several else spec.strategy,
        )
        for spec in how.specs
    ]


def _made(document: Document, spec: ChunkSpec, name: str) -> ChunkSet:
    return ChunkSet(
        name, spec.limits.max_tokens, tokenizer_of(spec).name, chunking_of(document, spec).chunks
    )


def _existing(source: Path) -> list[ChunkSet]:
    """Return the existing chunk sets: P first, then by name. Raise SidecarError if the blocks have
    changed since.
    """
    files = list(map(read_chunks, chunk_files(source if source.is_dir() else source.parent)))
    blocks = content_hash(source)
    for file in files:
        if file.blocks_sha256 != blocks:
            raise SidecarError(
                f"{file.path} holds chunks of another version of the document: "
                "run `docxchunk chunk` again."
            )
    sets = [ChunkSet(file.strategy, file.cap, file.tokenizer, file.chunks) for file in files]
    return sorted(sets, key=lambda chunk_set: (chunk_set.name != "P", chunk_set.name))


def write_file(target: Path, data: bytes) -> None:
    """Write a file and create its folder if needed. Raise OutputError."""
    with new_file(target) as file:
        file.write(data)
