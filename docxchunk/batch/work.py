"""What is done with one input: parse it into its folder, or chunk it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from docxchunk import api
from docxchunk.batch.inputs import Input, InputKind, refuse_links
from docxchunk.batch.pool import Failed, run
from docxchunk.errors import LimitError, MissingFileError
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.reader.identity import doc_id_of
from docxchunk.sidecar.atomic import sweep
from docxchunk.sidecar.reader import is_current, read
from docxchunk.sidecar.writer import write


class Reading(NamedTuple):
    """How inputs are parsed. `out` is the folder under which everything goes; without it, results stand beside their inputs."""

    options: ParseOptions = ParseOptions()
    out: Path | None = None
    doc_id: str = ""
    force: bool = False


class ParseJob(NamedTuple):
    """An input to be parsed into its folder."""

    item: Input
    reading: Reading


class Parsed(NamedTuple):
    """Where an input was parsed to; `reused`: it stood there already, made of the same bytes with the same options by the same version."""

    folder: Path
    reused: bool


def parse_all(items: Sequence[Input], reading: Reading, jobs: int) -> Iterator[tuple[Input, Parsed | Failed]]:
    """Parses inputs, in order."""
    outcomes = run(parse_one, [ParseJob(item, reading) for item in items], jobs)
    for item, outcome in zip(items, outcomes, strict=True):
        if isinstance(outcome, Failed):
            sweep(item.target)
        yield item, outcome


def parse_one(job: ParseJob) -> Parsed:
    source = _bytes_of(job.item, job.reading)
    if _is_current(job, source):
        return Parsed(job.item.target, reused=True)
    return Parsed(_keep(job, _document(job, source)), reused=False)


def document_of(job: ParseJob, *, keep: bool) -> Document:
    """The document of an input: read where it has been parsed, else parsed, and kept in its folder if so wished."""
    if job.item.kind is InputKind.PARSED:
        document = read(job.item.source)
        keep = keep and job.reading.out is not None
    else:
        source = _bytes_of(job.item, job.reading)
        if keep and _is_current(job, source):
            return read(job.item.target)
        document = _document(job, source)
    if keep:
        _keep(job, document)
    return document


def _document(job: ParseJob, source: bytes) -> Document:
    item, reading = job.item, job.reading
    identifier = reading.doc_id or doc_id_of(item.label)
    if item.kind is InputKind.TEXT:
        from docxchunk.reader.plain_text import read_plain_text

        return read_plain_text(source, item.name, identifier)
    return api.parse(source, options=reading.options, doc_id=identifier, name=item.name)


def _keep(job: ParseJob, document: Document) -> Path:
    if job.reading.out is not None:
        refuse_links(job.reading.out, job.item.target)
    return write(document, job.item.target.parent)


def _is_current(job: ParseJob, source: bytes) -> bool:
    item, reading = job.item, job.reading
    return not reading.force and is_current(
        item.target,
        item.name,
        source_sha256=hashlib.sha256(source).hexdigest(),
        doc_id=reading.doc_id or doc_id_of(item.label),
        options=None if item.kind is InputKind.TEXT else reading.options,
    )


def _bytes_of(item: Input, reading: Reading) -> bytes:
    """The bytes of a file, or of whatever can be read like one, up to the limit."""
    most = reading.options.limits.file
    try:
        with item.source.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise MissingFileError(f"The file cannot be read ({error.strerror or error}).") from error
    if len(data) > most:
        raise LimitError(f"The file is larger than {most:,} bytes, the limit.", "file")
    return data
