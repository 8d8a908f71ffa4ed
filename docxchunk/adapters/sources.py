"""Read files and folders for the adapters."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Unpack

from docxchunk import api
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Reading, document_of
from docxchunk.errors import InputError, MissingFileError, about
from docxchunk.markup.records.chunks import UNIT
from docxchunk.markup.records.flat import FlatRecord, flat_metadata, scalars
from docxchunk.model.chunks import Added, Chunk, Unit
from docxchunk.model.document import Document
from docxchunk.model.fields import expect, member
from docxchunk.model.options import ParseOptions

if TYPE_CHECKING:
    from docxchunk.retrieval.collection import Collection, Hit

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
    return ReadingPolicy(
        ParseOptions() if options is None else expect("options", options, ParseOptions),
        member("on_error", on_error, OnError),
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
            return document_of(item, Reading(how.options))
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


CONTENT = "chunk_content"


def metadata(chunk: Chunk, document: Document, file: str) -> FlatRecord:
    """Return the flat metadata of a chunk, with `file` as `source` and its content, to be shown, as
    `chunk_content`: stores keep `embed_text` as the text.
    """
    own: FlatRecord = {CONTENT: chunk.content, "source": file}
    return flat_metadata(chunk, document.name, document.properties) | own


class Parent(StrEnum):
    """What a retriever returns for a unit."""

    NONE = "none"  # the unit
    CHUNK = "chunk"  # its chunk, or what fits of it
    SECTION = "section"  # its section, or what fits of it


class Result(NamedTuple):
    """A text for a question, and the hit that it was found by."""

    text: str
    hit: Hit

    @property
    def metadata(self) -> FlatRecord:
        """The unit as flat metadata, with `source` and `score`."""
        flat = scalars(UNIT.record(self.hit.unit), {})
        del flat["content"]
        return flat | {"source": self.hit.document, "score": self.hit.score}


def results(
    collection: Collection, question: str, limit: int, parent: Parent, max_tokens: int
) -> list[Result]:
    """Return the best texts for a question, best first: units, or what stands around them.

    Around a unit, as many units of its chunk or section are taken as fit into its share of
    `max_tokens`; nothing is given twice.
    """
    hits = collection.search(question, limit)
    if parent is Parent.NONE:
        return [Result(hit.unit.content, hit) for hit in hits]
    given: set[str] = set()
    found: list[Result] = []
    for number, hit in enumerate(hits):
        if hit.unit.unit_id in given:
            continue
        around = collection.around(hit, "chunk" if parent is Parent.CHUNK else "section")
        units = _window(around, hit.unit, given, max_tokens // (len(hits) - number))
        max_tokens -= sum(map(_cost, units))
        given.update(unit.unit_id for unit in units)
        if units:
            found.append(Result(_joined(units), hit))
    return found


def _window(
    units: Sequence[Unit], core: Unit, given: AbstractSet[str], max_tokens: int
) -> Sequence[Unit]:
    """Return consecutive units with `core` that fit, taken in turn from after and before it, up to
    those that were given.
    """
    first = next(i for i, unit in enumerate(units) if unit.unit_id == core.unit_id)
    last, left = first + 1, max_tokens - _cost(core)
    if left < 0:
        return ()

    def fits(number: int) -> bool:
        return (
            0 <= number < len(units)
            and units[number].unit_id not in given
            and _cost(units[number]) <= left
        )

    while (after := fits(last)) or fits(first - 1):
        if after:
            left, last = left - _cost(units[last]), last + 1
        if fits(first - 1):
            left, first = left - _cost(units[first - 1]), first - 1
    return units[first:last]


def _cost(unit: Unit) -> int:
    return unit.tokens + 1  # the line break after it


def _joined(units: Sequence[Unit]) -> str:
    """Return the text of consecutive units. The header rows of a table are shown once."""
    lines: list[str] = []
    header = ""
    for unit in units:
        head = unit.parts[0]
        own = head.text if isinstance(head, Added) else ""
        lines.append(unit.content.removeprefix(own) if own == header else unit.content)
        header = own
    return "\n".join(lines)
