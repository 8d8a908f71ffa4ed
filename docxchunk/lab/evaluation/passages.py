"""Map documents and chunks to a corpus. Each document is one text of the corpus. Each passage and
each sentence has spans in the corpus.

A span is a half-open range of characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from docxchunk.chunking.assembler import context_path
from docxchunk.content.tables import tables
from docxchunk.language.scripts import HAN, KANA
from docxchunk.language.sentences import SENTENCE_END
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Added, AddedRole, Chunk, Part, Slice, Unit
from docxchunk.model.document import Document
from docxchunk.model.objects import TableFormat
from docxchunk.records.laws import shown

CorpusSpan = tuple[int, int]


def union(spans: Iterable[CorpusSpan]) -> list[CorpusSpan]:
    """Return the union as sorted spans that neither overlap nor touch, without empty ones."""
    merged: list[CorpusSpan] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def size(spans: Iterable[CorpusSpan]) -> int:
    """Return the sum of the lengths. Overlaps count twice."""
    return sum(end - start for start, end in spans)


def common(left: Sequence[CorpusSpan], right: Sequence[CorpusSpan]) -> Iterator[CorpusSpan]:
    """Yield the intersection of two unions, in order."""
    i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if start < end:
            yield start, end
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1


def overlap(left: Sequence[CorpusSpan], right: Sequence[CorpusSpan]) -> int:
    """Return the number of characters in the intersection of two unions."""
    return size(common(left, right))


def holds(outer: Sequence[CorpusSpan], inner: CorpusSpan) -> bool:
    """Return whether one span of a union contains `inner`."""
    return any(start <= inner[0] and inner[1] <= end for start, end in outer)


# -- the corpus

BETWEEN: Final = "\n\n"  # separator of blocks, and of a heading path and the text

_TAG = re.compile(r"<[^<>]*>")
UNSPACED: Final = KANA + HAN
"""Kana and ideographs, for a character class of a regular expression: each counts as a word."""

_NAME: Final = "table|thead|tbody|tr|td|th|br|equation|drawing|sup|sub|del|strong|em|u|mark|a"
MARKUP: Final = rf"</?(?:{_NAME})\b[^<>]*>|\[\^[^\[\]\s]+\]|\\[nrt]|&(?:amp|lt);"
"""A pattern of what docxchunk adds to the text: tags, marks of notes, escapes."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A document as one text: the contents of its blocks, separated by blank lines. `offset` is the
    start of the text in the corpus. `file` is the path of the document, or None if unknown.
    """

    document: Document
    text: str
    starts: tuple[int, ...]  # of each block, in `text`
    offset: int
    file: Path | None

    @property
    def name(self) -> str:
        return self.document.name

    @property
    def tables(self) -> Iterator[CorpusSpan]:
        """The spans of the tables in the corpus."""
        for start, block in zip(self.starts, self.document.blocks, strict=True):
            for table in tables(block.content):
                yield self.offset + start + table.start, self.offset + start + table.end

    def block_at(self, offset: int) -> Block:
        """Return the block at an offset of the text, or the last one before it."""
        return self.document.blocks[bisect_right(self.starts, offset) - 1]

    @property
    def starts_by_id(self) -> dict[str, int]:
        """The start of each block in the text, by its id."""
        blocks = self.document.blocks
        return {block.id: start for start, block in zip(self.starts, blocks, strict=True)}


def sources(
    documents: Iterable[Document], files: Mapping[str, Path] | None = None
) -> tuple[SourceText, ...]:
    """Return the texts of a corpus of documents. A gap of one position between two texts prevents
    spans that cross documents. `files` has the path of each document, by name.
    """
    texts: list[SourceText] = []
    offset = 0
    for document in documents:
        contents = [block.content for block in document.blocks]
        starts = [*accumulate((len(text) + len(BETWEEN) for text in contents), initial=0)][:-1]
        text = BETWEEN.join(contents)
        file = files.get(document.name) if files else None
        texts.append(SourceText(document, text, tuple(starts), offset, file))
        offset += len(text) + 1
    return tuple(texts)


def source_at(sources: Sequence[SourceText], span: CorpusSpan) -> SourceText:
    """Return the document that has a span of the corpus."""
    return sources[bisect_right(sources, span[0], key=lambda source: source.offset) - 1]


def text_at(sources: Sequence[SourceText], span: CorpusSpan) -> str:
    """Return the text of a span of the corpus."""
    source = source_at(sources, span)
    return source.text[span[0] - source.offset : span[1] - source.offset]


class ShownSpan(NamedTuple):
    """`length` characters of a passage and the span [start, end) of the corpus that they show;
    start == end for text not from the document.
    """

    length: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A text that a retriever ranks, and the places of the corpus that it shows.

    - `text`: the text to read. It is also searched, unless `indexed` is given.
    - `shown`: the spans of the corpus that the text shows, in the order of the text.
    - `smaller`: more texts to search (children of MG, propositions). The best score counts.
    - `header`: text that may be embedded before the texts, but is not shown.
    - `indexed`: the text to search instead of `text`; "" if it is the same.
    - `chunk`, `unit`: the chunk or unit that the passage was made from, or None.
    - `spans`: the shown spans, sorted and disjoint.
    """

    source: int
    text: str
    shown: tuple[ShownSpan, ...]
    path: str = ""  # heading path, "Chapter > Section"
    tokens: int = 0
    smaller: tuple[str, ...] = ()
    header: str = ""
    indexed: str = ""
    chunk: Chunk | None = field(default=None, repr=False, compare=False)
    unit: Unit | None = field(default=None, repr=False, compare=False)
    spans: tuple[CorpusSpan, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "spans", tuple(union((piece.start, piece.end) for piece in self.shown))
        )


def first_characters(passage: ShownPassage, count: int) -> list[CorpusSpan]:
    """Return the spans of the corpus that the first `count` characters of a passage show."""
    spans: list[CorpusSpan] = []
    for length, start, end in passage.shown:
        if count <= 0:
            break
        spans.append((start, end if length <= count else start + (end - start) * count // length))
        count -= length
    return union(spans)


def with_path(passage: ShownPassage, path: str) -> ShownPassage:
    """Return the passage with a heading path before its texts. The path is indexed, and its
    characters count against budgets.
    """
    if not path:
        return passage
    head = path + BETWEEN
    position = passage.shown[0].start
    spans = (ShownSpan(len(head), position, position), *passage.shown)
    return replace(
        passage,
        text=head + passage.text,
        shown=spans,
        smaller=tuple(head + text for text in passage.smaller),
    )


def with_header(passage: ShownPassage) -> ShownPassage:
    """Return the passage with another text to index: the `embed_text` of its chunk or, without a
    chunk, the header and the text. This text is not shown, and does not count against budgets.
    """
    head = passage.header + BETWEEN if passage.header else ""
    text = passage.chunk.embed_text if passage.chunk else head + passage.text
    return replace(
        passage,
        indexed=passage.indexed or text,
        smaller=tuple(head + text for text in passage.smaller),
    )


def passage_of_span(number: int, source: SourceText, span: CorpusSpan, tokens: int) -> ShownPassage:
    """Return the passage for a span of a document's text."""
    start, end = span
    block = source.block_at(start)
    path = context_path(block.parent_headings, block.heading)
    shows = (ShownSpan(end - start, source.offset + start, source.offset + end),)
    return ShownPassage(
        number, source.text[start:end], shows, path, tokens, header=path_of(source, path)
    )


def path_of(source: SourceText, path: str) -> str:
    """Return a heading path with the title of the document before it."""
    title = source.document.title
    return " > ".join(name for name in (title if not path.startswith(title) else "", path) if name)


def passages_of_chunks(
    number: int, source: SourceText, chunks: Sequence[Chunk]
) -> list[ShownPassage]:
    """Return a passage for each chunk without a parent. The passage is indexed with the texts of
    all chunks below this chunk.
    """
    spans_of = _Shows(source)
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    return [
        ShownPassage(
            number,
            chunk.content,
            spans_of(chunk.parts),
            chunk.context,
            chunk.tokens,
            (*(child.content for child in _descendants(chunk, by_id)), *chunk.propositions),
            chunk.embed_header,
            chunk=chunk,
        )
        for chunk in chunks
        if chunk.parent not in by_id
    ]


def passages_of_units(number: int, source: SourceText, units: Iterable[Unit]) -> list[ShownPassage]:
    """Return units as passages. Their `index_text` is searched."""
    spans_of = _Shows(source)
    return [
        ShownPassage(
            number,
            unit.content,
            spans_of(unit.parts),
            unit.context,
            unit.tokens,
            indexed=unit.index_text,
            unit=unit,
        )
        for unit in units
    ]


def _descendants(chunk: Chunk, by_id: Mapping[str, Chunk]) -> Iterator[Chunk]:
    yielded = {chunk.chunk_id}  # a bad file may contain cycles
    waiting = list(reversed(chunk.children))
    while waiting:
        child = by_id.get(waiting.pop())
        if child is not None and child.chunk_id not in yielded:
            yielded.add(child.chunk_id)
            yield child
            waiting += reversed(child.children)


class _Shows:
    """Returns which spans of a document the parts of a chunk show."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._contents = {block.id: block.content for block in source.document.blocks}
        self._starts = source.starts_by_id

    def __call__(self, parts: Sequence[Part]) -> tuple[ShownSpan, ...]:
        """Return the span of each part. If only white space and markup are between two slices, the
        text added between them shows that gap. A repeated header shows its rows.
        """
        source = self._source
        spans = [
            (self._starts[part.block] + part.start, self._starts[part.block] + part.end)
            if isinstance(part, Slice)
            else None
            for part in parts
        ]
        shows = []
        for i, part in enumerate(parts):
            start, end = spans[i] or _shown_by(part, spans[:i], spans[i + 1 :], source.text)
            length = len(shown(part, self._contents))
            shows.append(ShownSpan(length, source.offset + start, source.offset + end))
        return tuple(shows)


def _shown_by(
    part: Part, before: Sequence[CorpusSpan | None], after: Sequence[CorpusSpan | None], text: str
) -> CorpusSpan:
    following = next((span for span in after if span), None)
    last = before[-1] if before else None
    if following and isinstance(part, Added) and part.role is AddedRole.HEADER:
        return _repeated(part.text, following[0], text)
    if (
        last
        and following
        and last[1] <= following[0]
        and not any(map(str.isalnum, _TAG.sub("", text[last[1] : following[0]])))
    ):
        return last[1], following[0]
    position = following[0] if following else last[1] if last else 0
    return position, position


def _repeated(header: str, offset: int, text: str) -> CorpusSpan:
    """Return the span of the rows that a repeated header shows: rows of the table that begins
    before `offset`. If the header is shown in another form, return the first rows of the table.

    The last row of a header with merged cells may be made up. If the table does not have it, it is
    ignored.
    """
    html_rows = header.count("<tr")
    shown_rows = html_rows or sum(any(map(str.isalnum, row)) for row in header.splitlines())
    header = header.rstrip(",")
    while header:
        start = text.rfind(header, 0, offset)
        if start >= 0:
            return start, start + len(header)
        header = header[: max(header.rfind("<tr", 1), 0)]
    number = bisect_left(_tables(text), offset, key=attrgetter("start")) - 1
    grid = _tables(text)[number] if number >= 0 and shown_rows else None
    if not grid or not grid.format or (html_rows and grid.format is TableFormat.HTML):
        return offset, offset
    return grid.rows[0][0], grid.rows[min(shown_rows, len(grid.rows)) - 1][1]


_tables = lru_cache(maxsize=256)(tables)  # of the texts of documents


class PassageIndex:
    """An index of passages by position."""

    def __init__(self, passages: Sequence[ShownPassage]) -> None:
        pieces = [
            (start, end, number)
            for number, passage in enumerate(passages)
            for start, end in passage.spans
        ]
        self._starts, self._ends, self._owners = np.array(pieces, dtype=np.int64).reshape(-1, 3).T

    def touching(self, gold: Iterable[CorpusSpan]) -> list[int]:
        """Return the indices of the passages that overlap the gold, in order."""
        hit = np.zeros(len(self._starts), dtype=bool)
        for start, end in gold:
            hit |= (self._starts < end) & (self._ends > start)
        return [int(number) for number in np.unique(self._owners[hit])]


# -- sentences


def sentences(text: str) -> Iterator[CorpusSpan]:
    """Yield the spans of the sentences in order, without surrounding white space."""
    start = 0
    for end in [*(match.end() for match in SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end].strip()
        if sentence:
            begin = text.index(sentence, start)
            yield begin, begin + len(sentence)
        start = end


def sentences_of(sources: Sequence[SourceText]) -> list[CorpusSpan]:
    """Return the spans of the sentences of a corpus, in order."""
    return [
        (source.offset + start, source.offset + end)
        for source in sources
        for start, end in sentences(source.text)
    ]
