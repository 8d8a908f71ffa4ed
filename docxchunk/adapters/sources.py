"""Read files and folders for the adapters."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple, Unpack

from docxchunk import api
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import ParseJob, Reading, document_of
from docxchunk.errors import InputError, MissingFileError, UsageError, about
from docxchunk.markup.records.chunks import FlatRecord, flat_metadata
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.fields import either, expect
from docxchunk.model.options import ParseOptions

log = logging.getLogger("docxchunk.adapters")


class ParsedFile(NamedTuple):
    """A document and the path it was read from."""

    path: Path
    document: Document


class OnError(StrEnum):
    """How to handle a file that cannot be read."""

    RAISE = "raise"  # raise an error that names the file
    SKIP = "skip"  # log a warning that names the file, and continue


class ReadingPolicy(NamedTuple):
    """Parser options, and how to handle files that cannot be read."""

    options: ParseOptions = ParseOptions()
    on_error: OnError = OnError.RAISE


def policy(options: ParseOptions | None, on_error: str) -> ReadingPolicy:
    """Return the policy. Raise UsageError for options of another class, or an unknown
    `on_error`.
    """
    words = [word.value for word in OnError]
    if on_error not in words:
        raise UsageError(f"on_error is {on_error!r}; it must be {either(words)}.")
    return ReadingPolicy(
        ParseOptions() if options is None else expect("options", options, ParseOptions),
        OnError(on_error),
    )


def check_settings(**settings: Unpack[api.ChunkSettings]) -> None:
    """Raise UsageError, MissingModelError or MissingExtraError for settings that would fail on
    every document.
    """
    api.chunk(Document("", "", "", "", ()), **settings)


def read_all(
    path: str | PathLike[str],
    how: ReadingPolicy = ReadingPolicy(),  # noqa: B008 - a value
) -> Iterator[ParsedFile]:
    """Yield the documents at a path: a Word file, a parsed folder, plain text, or a folder that is
    searched recursively for these.

    Raise MissingFileError if there is none; InputError at the first file that cannot be read,
    unless such files are skipped.
    """
    for item in find_inputs(
        [fspath(path)], None, Scan(recursive=True, parsed=True, convert=how.options.convert)
    ):
        if isinstance(item, MissingFileError):
            if how.on_error is OnError.RAISE or item.path == fspath(path):
                raise item
            log.warning("%s It is skipped.", item)
        if isinstance(item, Input) and (document := _read(item, how)) is not None:
            yield ParsedFile(item.source, document)


def _read(item: Input, how: ReadingPolicy) -> Document | None:
    try:
        with about(item.source):
            return document_of(ParseJob(item, Reading(how.options)))
    except InputError as error:
        sentence = f"{item.source}: {error}"
        if how.on_error is OnError.RAISE:
            error.args = (sentence,)
            raise
    log.warning("%s It is skipped.", sentence)
    return None


def chunks_at(
    path: str | PathLike[str], how: ReadingPolicy, settings: api.ChunkSettings
) -> Iterator[tuple[Chunk, FlatRecord]]:
    """Yield the chunks of the documents at a path, each with its flat metadata."""
    for file, document in read_all(path, how):
        for chunk in api.chunk(document, **settings):
            yield chunk, metadata(chunk, document, str(file))


def metadata(chunk: Chunk, document: Document, file: str) -> FlatRecord:
    """Return the flat metadata of a chunk, with `file` as `source`."""
    return flat_metadata(chunk, document.name, document.properties) | {"source": file}
