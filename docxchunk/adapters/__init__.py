"""Adapters for retrieval frameworks. Each module needs the extra of its name."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from enum import StrEnum
from itertools import accumulate, chain, takewhile
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk import api
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Reading, document_of
from docxchunk.batch.many import check_settings
from docxchunk.content.citations import THROUGH, location, read_citation
from docxchunk.errors import InputError, MissingFileError, about
from docxchunk.model.chunks import Added, Chunk, Unit, UnitKind
from docxchunk.model.document import Document, Property
from docxchunk.model.fields import check_word, member
from docxchunk.model.options import ParseOptions, given_options
from docxchunk.records.chunks import UNIT, FlatRecord, flat_record, scalars

if TYPE_CHECKING:
    from docxchunk.retrieval.folders.collection import Collection
    from docxchunk.retrieval.folders.hits import Hit


log = logging.getLogger("docxchunk.adapters")

_ARROW: Final = " > "  # between the headings of a path


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


def read_all(
    path: str | PathLike[str],
    how: ReadingPolicy = ReadingPolicy(),  # noqa: B008 - a value
) -> Iterator[ParsedFile]:
    """Yield the documents at a path: a Word file, a parsed folder, plain text, or a folder that is
    searched recursively for these.

    Raise MissingFileError if there is no document, and InputError at the first file that cannot be
    read, unless such files are skipped.
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
            error.args = (f"{item.source}: {error.args[0]}",)  # a hint follows when it is shown
            raise
    log.warning("%s It is skipped.", sentence)
    return None


class ChunkLoader:
    """How the adapters load chunks: the `policy` of reading, the text of a chunk that is embedded,
    and the settings of `docxchunk.chunk`. Raise UsageError, MissingModelError or MissingExtraError
    for arguments that fail on every document.
    """

    def __init__(
        self,
        options: ParseOptions | None,
        on_error: str,
        text: str,
        settings: api.ChunkSettings,
    ) -> None:
        check_word("text", text, TEXTS)
        check_settings(**settings)
        self.policy = ReadingPolicy(given_options(options), member("on_error", on_error, OnError))
        self._text, self._settings = text, settings

    def chunks_at(self, path: str | PathLike[str]) -> Iterator[tuple[Chunk, str, FlatRecord]]:
        """Yield the chunks of the documents at a path, each with its text and its flat metadata,
        which have the content to show if that is not the text.
        """
        for file, document in read_all(path, self.policy):
            for chunk in api.chunk(document, **self._settings):
                flat = metadata(chunk, document, str(file))
                if self._text == "content":
                    del flat[CONTENT]
                yield chunk, getattr(chunk, self._text), flat


TEXTS: Final = ("embed_text", "content")
CONTENT = "chunk_content"


def metadata(chunk: Chunk, document: Document, file: str) -> FlatRecord:
    """Return the flat metadata of a chunk. `source` is `file`, and `chunk_content` is the content
    to show: stores keep `embed_text` as the text.
    """
    flat = flat_record(chunk, document.name, {**document.properties, **document.metadata})
    del flat["embed_text"]
    flat[CONTENT] = flat.pop("content")
    return flat | {"source": file}


class Parent(StrEnum):
    """What a retriever returns for a unit."""

    NONE = "none"  # the unit
    CHUNK = "chunk"  # its chunk, or what fits of it
    SECTION = "section"  # its section, or what fits of it


class Result(NamedTuple):
    """The text that a retriever returns for a question: consecutive units, one of which is the
    hit.
    """

    text: str
    hit: Hit
    units: Sequence[Unit]

    @property
    def metadata(self) -> FlatRecord:
        """The metadata of the hit's unit as a flat record, with `source` and `score`. The citation,
        positions, pages and tokens are those of the text.
        """
        unit = self.hit.unit
        flat = scalars(UNIT.record(unit if self.text == unit.content else self._text_unit), {})
        del flat["content"]
        return flat | {"source": self.hit.document, "score": self.hit.score}

    @property
    def _text_unit(self) -> Unit:
        """The unit of the hit, with the place and size of the text around it."""
        first, _ = _ends(self.units[0], self.hit.document)
        _, last = _ends(self.units[-1], self.hit.document)
        later = " > ".join(_headings_below(last, first))
        placed = replace(
            self.hit.unit,
            positions=tuple(chain.from_iterable(unit.positions for unit in self.units)),
            pages=tuple(sorted({page for unit in self.units for page in unit.pages})),
            page_is_estimate=any(unit.page_is_estimate for unit in self.units),
            tokens=api.tokenizer().count(self.text),
        )
        path = f"{first or 'the beginning'}{THROUGH}{later}" if later else first
        return replace(placed, citation=location(path, placed, self.hit.document))


def _ends(unit: Unit, document: str) -> tuple[str, str]:
    """Return the paths of the first and last clause in the citation of a unit, or twice its
    headings if the unit has no place. "2 Rent > 2.1 through 2.3" are "2 Rent > 2.1" and "2 Rent >
    2.3", because a unit is in one section. But a heading may have the word, too.
    """
    citation = read_citation(unit.citation, document)
    path = citation.path if citation else unit.context
    before, through, last = path.rpartition(THROUGH)
    above, arrow, first = before.rpartition(_ARROW)
    is_of_heading = _ARROW in last or f"{first}{through}{last}".rstrip(" …") in unit.context
    if not through or is_of_heading:
        return path, path
    return before, f"{above}{arrow}{last}"


def _headings_below(path: str, other: str) -> list[str]:
    """Return the headings of `path` that are not in `other`."""
    headings = path.split(_ARROW) if path else []
    pairs = zip(headings, other.split(_ARROW), strict=False)
    return headings[sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) :]


def results(  # noqa: PLR0913 - one for each choice of the user
    collection: Collection,
    question: str,
    limit: int,
    parent: Parent,
    max_tokens: int,
    *,
    where: Mapping[str, Property] = {},
) -> list[Result]:
    """Return the best texts for a question, best first: units, or the text around them. Only
    documents with the values `where` are searched.

    The text around a unit consists of units of its chunk or section, below their headings. All
    texts together have at most `max_tokens` tokens, shared about equally. No unit is returned
    twice.
    """
    hits = collection.search(question, limit, per_document=limit, where=where)
    if parent is Parent.NONE:
        return [Result(hit.unit.content, hit, [hit.unit]) for hit in hits]
    count = api.tokenizer().count
    returned_ids: set[str] = set()
    best_texts: list[Result] = []
    for number, hit in enumerate(hits):
        if hit.unit.unit_id in returned_ids:
            continue
        around = collection.around(hit, "chunk" if parent is Parent.CHUNK else "section")
        units = _window(around, hit.unit, returned_ids, max_tokens // (len(hits) - number), count)
        returned_ids.update(unit.unit_id for unit in units)
        if units:
            best_texts.append(Result(_text_of(units), hit, units))
            max_tokens -= count(best_texts[-1].text)
    return best_texts


def _window(
    units: Sequence[Unit],
    core: Unit,
    returned_ids: AbstractSet[str],
    max_tokens: int,
    count: Callable[[str], int],
) -> Sequence[Unit]:
    """Return consecutive units around `core` that have, with their headings, at most `max_tokens`
    tokens. Units after and before `core` are added in turn, up to one in `returned_ids`.
    """

    def tokens_of(headings: Iterable[str]) -> int:
        return sum(count(heading) + 1 for heading in headings)  # and the line break

    paths = [unit.context for unit in units]
    # of the headings that a unit does not share with the unit before it
    heading_tokens = [tokens_of(headings) for headings in map(_headings_below, paths, ["", *paths])]
    sizes = (unit.tokens + 1 + extra for unit, extra in zip(units, heading_tokens, strict=True))
    before = list(accumulate(sizes, initial=0))  # the tokens before each unit

    def fits(first: int, last: int) -> bool:
        all_headings = tokens_of(_headings_below(paths[first], ""))
        tokens = before[last] - before[first] - heading_tokens[first] + all_headings
        return tokens <= max_tokens

    def is_new(number: int) -> bool:
        return 0 <= number < len(units) and units[number].unit_id not in returned_ids

    first = next(i for i, unit in enumerate(units) if unit.unit_id == core.unit_id)
    last = first + 1
    if not fits(first, last):
        return ()
    while True:
        size = last - first
        if is_new(last) and fits(first, last + 1):
            last += 1
        if is_new(first - 1) and fits(first - 1, last):
            first -= 1
        if last - first == size:
            return units[first:last]


def _text_of(units: Sequence[Unit]) -> str:
    """Return the text of consecutive units, below their headings. A heading is shown where its
    section begins, and the header rows of a table once.
    """
    lines: list[str] = []
    path = header = ""
    for unit in units:
        lines += _headings_below(unit.context, path)
        path = unit.context
        head = unit.parts[0]
        unit_header = head.text if isinstance(head, Added) else ""
        if unit.kind is not UnitKind.HEADING:
            lines.append(
                unit.content.removeprefix(unit_header) if unit_header == header else unit.content
            )
        header = unit_header
    return "\n".join(lines)
