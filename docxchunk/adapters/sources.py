"""What all adapters share: files and folders to chunks, with the settings of `docxchunk.chunk`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple, TypedDict

from docxchunk import api
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.work import ParseJob, Reading, document_of
from docxchunk.markup.records.fields import Record
from docxchunk.markup.records.flat import flat_metadata
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document


class Settings(TypedDict, total=False):
    """Those of `docxchunk.chunk`, by the same names and with the same defaults."""

    strategy: str
    max_tokens: int
    overlap: int
    tokenizer: api.TokenizerChoice
    contextualize: bool
    drop_toc: bool
    settings: Mapping[str, api.Setting]


class Source(NamedTuple):
    """A document and the file that it was read from."""

    path: Path
    document: Document


def read_all(path: str | PathLike[str]) -> Iterator[Source]:
    """The documents that a path means: a Word file, a parsed folder, plain text, or a folder of these, with those below it. Nothing is written.

    Raises MissingFileError where there is none, and what `docxchunk.parse` raises at the first that cannot be read.
    """
    for item in find_inputs([fspath(path)], None, Scan(recursive=True, parsed=True)):
        if not isinstance(item, Input):
            raise item
        yield Source(item.source, document_of(ParseJob(item, Reading())))


def metadata(chunk: Chunk, document: Document, file: str) -> Record:
    """Flat metadata; `source` is `file`, while the citation has the document's name."""
    return flat_metadata(chunk, document.name) | {"source": file}
