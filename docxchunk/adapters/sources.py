"""What all adapters share: files and folders to chunks, with the settings of `docxchunk.chunk`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import ParseJob, Reading, document_of
from docxchunk.errors import InputError, MissingFileError, UsageError, about
from docxchunk.markup.records.fields import Record
from docxchunk.markup.records.flat import flat_metadata
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.fields import either, expect
from docxchunk.model.options import ParseOptions

log = logging.getLogger("docxchunk.adapters")


class Source(NamedTuple):
    """A document and the file that it was read from."""

    path: Path
    document: Document


class OnError(StrEnum):
    """What becomes of a file that cannot be read."""

    RAISE = "raise"  # its error, which names it
    SKIP = "skip"  # a warning that names it is logged, and the next file is read


class ReadingPolicy(NamedTuple):
    """How files are parsed, and what becomes of those that cannot be read."""

    options: ParseOptions = ParseOptions()
    on_error: OnError = OnError.RAISE


def policy(options: ParseOptions | None, on_error: str) -> ReadingPolicy:
    """Raises UsageError for options of another class, or another word."""
    words = [word.value for word in OnError]
    if on_error not in words:
        raise UsageError(f"on_error is {on_error!r}; it must be {either(words)}.")
    return ReadingPolicy(ParseOptions() if options is None else expect("options", options, ParseOptions), OnError(on_error))


def read_all(path: str | PathLike[str], how: ReadingPolicy = ReadingPolicy()) -> Iterator[Source]:  # noqa: B008 - a value
    """The documents that a path means: a Word file, a parsed folder, plain text, or a folder of these, with those below it. Nothing is written.

    Raises MissingFileError where there is none; InputError, with `path`, at the first file that cannot be read, unless such files are skipped.
    """
    for item in find_inputs([fspath(path)], None, Scan(recursive=True, parsed=True, convert=how.options.convert)):
        if isinstance(item, MissingFileError):
            raise item
        if isinstance(item, Input) and (document := _read(item, how)) is not None:
            yield Source(item.source, document)


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


def metadata(chunk: Chunk, document: Document, file: str) -> Record:
    """Flat metadata; `source` is `file`, while the citation has the document's name."""
    return flat_metadata(chunk, document.name, document.properties) | {"source": file}
