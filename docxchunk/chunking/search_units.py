"""Divide chunks into units: whole sentences, and rows of tables, each small enough to search and
read by itself.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from docxchunk.chunking.finishing import positions_of
from docxchunk.chunking.line_kinds import is_heading_line, line_starts
from docxchunk.chunking.text.sentences import sentences, trimmed
from docxchunk.markup.citations import citation
from docxchunk.markup.reading import objects, picture
from docxchunk.markup.spans import inline_tags, is_inside
from docxchunk.markup.table_texts import header_rows, rows_of
from docxchunk.markup.tables import Grid, Range, TableTag, attribute, decoded_cell, tables
from docxchunk.markup.tags import plain
from docxchunk.model.blocks import Block, Line
from docxchunk.model.chunks import Added, AddedRole, Chunk, Part, Slice, SliceRole
from docxchunk.model.document import Document
from docxchunk.model.objects import Table
from docxchunk.model.ports import Tokenizer
from docxchunk.model.units import Unit, UnitKind

LONGEST: Final = 450
"""The default maximum of a unit in characters."""

_SMALL_TABLE: Final = 4  # times the maximum: a table that is also a unit as a whole
_LONG_ROW: Final = 4  # times the maximum: a row that is divided
_REPEATED: Final = frozenset({SliceRole.OVERLAP, SliceRole.BRIDGE})


def units_of(
    document: Document, chunks: Iterable[Chunk], tokenizer: Tokenizer, longest: int = LONGEST
) -> list[Unit]:
    """Return the units of chunks, in the order of the chunks.

    A unit ends where a sentence or paragraph ends, has at most about `longest` characters, and
    stays within its chunk. A longer sentence is cut between words. Each row of a table is a unit
    (a very long one several), and so is each small table that is whole in its chunk. Text that a
    chunk repeats from another one is left to that one, and a chunk with children to its children.
    """
    captions = {table.caption for table in document.tables}
    captions |= {drawing.caption for drawing in document.drawings}
    blocks = {
        block.id: _BlockUnits(document, block, longest, captions) for block in document.blocks
    }
    assembler = _Assembler(document, tokenizer)
    return [
        assembler.unit(chunk, blocks[block_id], draft)
        for chunk in chunks
        if not chunk.children
        for block_id, ranges in _shown_ranges(chunk)
        for draft in blocks[block_id].within(ranges)
    ]


class _Draft(NamedTuple):
    """The text of a unit: characters [start, end) of its block, or `rows` of a table in it."""

    kind: UnitKind
    start: int
    end: int
    shown: str  # the text as it is read
    indexed: str  # the text as it is searched
    header: str = ""  # header rows, shown above
    table: Table | None = None
    rows: Range = (0, 0)


def _shown_ranges(chunk: Chunk) -> Iterator[tuple[str, list[Range]]]:
    """Yield each block of a chunk with the ranges of its content that the chunk shows as its own,
    joined where only blanks are between them.
    """
    ranges: dict[str, list[Range]] = {}
    for part in chunk.parts:
        if isinstance(part, Slice) and part.role not in _REPEATED:
            ranges.setdefault(part.block, []).append((part.start, part.end))
    for block, shown in ranges.items():
        yield block, sorted(shown)


class _BlockUnits:
    """The units of a block, for any part of it that a chunk shows."""

    def __init__(
        self, document: Document, block: Block, longest: int, captions: Container[str]
    ) -> None:
        self.document = document
        self.block = block
        self._longest = longest
        self._captions = captions
        self._grids: dict[str, list[list[str]]] = {}

    @cached_property
    def path(self) -> str:
        """The heading path."""
        return " > ".join(filter(None, (*self.block.parent_headings, self.block.heading)))

    @cached_property
    def line_starts(self) -> list[int]:
        return line_starts(self.block.content)

    def lines(self, draft: _Draft) -> list[Line]:
        """Return the records of the lines that a unit was made from; of a row, with its page."""
        lines = self.block.lines
        if len(lines) != len(self.line_starts):
            return []
        first = bisect_right(self.line_starts, draft.start) - 1
        last = bisect_left(self.line_starts, draft.end)
        table = draft.table
        if table is None or not table.pages:
            return list(lines[first:last])
        return [
            lines[first]._replace(
                page=page,
                page_is_estimate=table.page_is_estimate,
                para_id=table.para_ids[row] or lines[first].para_id,
            )
            for row, page in enumerate(table.pages)
            if draft.rows[0] <= row <= draft.rows[1]
        ]

    @cached_property
    def tables(self) -> list[TableTag]:
        return tables(self.block.content)

    def _grid(self, table: Table) -> list[list[str]]:
        if table.id not in self._grids:
            self._grids[table.id] = rows_of(table)
        return self._grids[table.id]

    def within(self, ranges: Sequence[Range]) -> Iterator[_Draft]:
        """Yield the units of the given ranges of the content. The heading is a unit if the ranges
        have nothing else.
        """
        content = self.block.content
        heading_end = 0
        if is_heading_line(self.block):
            heading_end = content.find("\n") + 1 or len(content)
        drafts = [
            draft for start, end in ranges for draft in self._between(max(start, heading_end), end)
        ]
        if not drafts and ranges and ranges[0][0] < heading_end:
            start, end = trimmed(content, ranges[0][0], min(ranges[-1][1], heading_end))
            drafts = [_Draft(UnitKind.HEADING, start, end, _readable(content[start:end]), "")]
        yield from drafts

    def _between(self, start: int, end: int) -> Iterator[_Draft]:
        at = start
        for tag in self.tables:
            if tag.start < end and tag.end > start:
                yield from self._texts(at, tag.start)
                yield from self._table(tag, max(tag.start, start), min(tag.end, end))
                at = tag.end
        yield from self._texts(at, end)

    # -- text

    def _texts(self, start: int, end: int) -> Iterator[_Draft]:
        """Yield units of whole sentences, each as many as fit."""
        content = self.block.content
        first = last = -1
        for sentence_start, sentence_end in self._sentences(start, end):
            is_caption = _readable(content[sentence_start:sentence_end]) in self._captions
            if first >= 0 and not is_caption and sentence_end - first <= self._longest:
                last = sentence_end
                continue
            if first >= 0:
                yield self._text(UnitKind.TEXT, first, last)
            first, last = sentence_start, sentence_end
            if is_caption:
                yield self._text(UnitKind.CAPTION, first, last)
                first = last = -1
        if first >= 0:
            yield self._text(UnitKind.TEXT, first, last)

    def _text(self, kind: UnitKind, start: int, end: int) -> _Draft:
        text = _readable(self.block.content[start:end])
        return _Draft(kind, start, end, text, text)

    def _sentences(self, start: int, end: int) -> Iterator[Range]:
        """Yield lines, divided into sentences if they are longer than a unit."""
        content = self.block.content
        while start < end:
            stop = content.find("\n", start, end)
            stop = end if stop < 0 else stop
            line = trimmed(content, start, stop)
            if line[1] - line[0] <= self._longest:
                yield from (line,) if line[0] < line[1] else ()
            else:
                whole = [(line[0] + a, line[0] + b) for a, b in inline_tags(content[slice(*line)])]
                for sentence in sentences(content, *line, whole):
                    yield from _pieces(content, *sentence, self._longest, whole)
            start = stop + 1

    # -- tables

    def _table(self, tag: TableTag, start: int, end: int) -> Iterator[_Draft]:
        """Yield the rows of a table that are within [start, end), and the table if it is small."""
        content = self.block.content
        layout, table = Grid(content, tag), self.document.tables.get(tag.id)
        if layout.format is None or table is None:
            yield from self._texts(tag.body, tag.body_end) if start <= tag.start else ()
            return
        ranges = layout.rows
        headers = header_rows(table)
        grid = self._grid(table)
        shown_header = "\n".join(map(_bars, headers))
        header = shown_header + "\n" if 0 < len(shown_header) <= self._longest else ""
        drafts: list[_Draft] = []
        for number, (row_start, row_end) in enumerate(ranges):
            if row_end <= start or row_start >= end or number < len(headers) < len(ranges):
                continue
            values = grid[number] if number < len(grid) else []
            indexed = "; ".join(_named_cells(headers, values))
            row = max(row_start, start), min(row_end, end)
            text = _bars(values)
            if row == (row_start, row_end) and len(text) <= _LONG_ROW * self._longest:
                drafts.append(
                    _Draft(UnitKind.ROW, *row, text, indexed, header, table, (number, number))
                )
                continue
            name = values[0] if values and len(values[0]) <= self._longest // 4 else ""
            for cell in layout.cells(number):
                if cell.start < start or cell.end > end:
                    continue
                for part in chain.from_iterable(
                    _pieces(content, *sentence, self._longest)
                    for sentence in sentences(content, cell.start, cell.end)
                ):
                    text = plain(decoded_cell(content, *part)).strip()
                    if text:
                        drafts.append(
                            _Draft(
                                UnitKind.ROW,
                                *part,
                                text,
                                f"{name}; {text}" if name and name not in text else text,
                                "",
                                table,
                                (number, number),
                            )
                        )
        whole = "\n".join(map(_bars, grid))
        if (
            start <= tag.start
            and end >= tag.end
            and len(drafts) > 1
            and len(whole) <= _SMALL_TABLE * self._longest
        ):
            last = len(ranges) - 1
            yield _Draft(UnitKind.TABLE, tag.start, tag.end, whole, whole, "", table, (0, last))
        yield from drafts


def _bars(values: Sequence[str]) -> str:
    """Return the cells of a row with bars between them. A merged cell is written once."""
    texts = [" ".join(value.split()) for value in values]
    return " | ".join(
        text for number, text in enumerate(texts) if not number or text != texts[number - 1]
    )


def _named_cells(headers: Sequence[Sequence[str]], values: Sequence[str]) -> Iterator[str]:
    """Yield "header: value" for each cell with text; the value alone without a header."""
    before = ("", "")
    for column, value in enumerate(values):
        names = dict.fromkeys(row[column] for row in headers if column < len(row) and row[column])
        name, text = " ".join(names), " ".join(value.split())
        if text and (name, text) != before:
            yield f"{name}: {text}" if name else text
        before = (name, text)


def _readable(text: str) -> str:
    """Return text without tags: equations as LaTeX, pictures as a few words."""
    shown, at = "", 0
    for start, end, words in objects(
        text, lambda tag: picture("Picture", attribute(tag, "caption"))
    ):
        shown += plain(text[at:start]) + words
        at = end
    return (shown + plain(text[at:])).strip()


def _pieces(
    content: str, start: int, end: int, longest: int, whole: Sequence[Range] = ()
) -> Iterator[Range]:
    """Yield a sentence; of one that is much longer than a unit, pieces cut between words."""
    while end - start > 2 * longest:
        cut = content.rfind(" ", start, start + longest)
        cut = cut if cut > start else start + longest
        if is_inside(cut, whole):
            cut = next(b for a, b in whole if a < cut < b)
        yield start, cut
        start = cut
    yield trimmed(content, start, end)


# -- values


class _Assembler:
    """Makes units of drafts."""

    def __init__(self, document: Document, tokenizer: Tokenizer) -> None:
        self._document = document
        self._tokenizer = tokenizer
        self._seen: Counter[str] = Counter()

    def unit(self, chunk: Chunk, source: _BlockUnits, draft: _Draft) -> Unit:
        block = source.block
        content = draft.header + draft.shown
        is_stored = block.content[draft.start : draft.end] == draft.shown
        parts: tuple[Part, ...] = (
            Slice(block.id, draft.start, draft.end, shown=None if is_stored else draft.shown),
        )
        if draft.header:
            parts = (Added(draft.header, AddedRole.HEADER), *parts)
        caption = draft.table.caption if draft.table else ""
        lines = source.lines(draft)
        known_pages = {line.page for line in lines if line.page is not None}
        placed = replace(
            chunk,
            context=source.path,
            headings=(),
            positions=positions_of(block, lines) if lines else (),
            pages=tuple(sorted(known_pages)),
            page_is_estimate=any(line.page_is_estimate for line in lines),
        )
        return Unit(
            unit_id=f"unit-{self._hash(block, draft.kind, content)}",
            chunk_id=chunk.chunk_id,
            doc_id=self._document.doc_id,
            section_id=block.id,
            kind=draft.kind,
            content=content,
            parts=parts,
            index_text="\n".join(filter(None, (source.path, caption, draft.indexed))),
            tokens=self._tokenizer.count(content),
            context=source.path,
            positions=placed.positions,
            pages=placed.pages,
            page_is_estimate=placed.page_is_estimate,
            citation=citation(placed, self._document.name),
        )

    def _hash(self, block: Block, kind: UnitKind, content: str) -> str:
        """Return a hash of the text and its section; equal units of a section differ by a count."""
        digest = _md5(self._document.doc_id, block.id, kind, content)
        self._seen[digest] += 1
        return digest if self._seen[digest] == 1 else _md5(digest, str(self._seen[digest]))


def _md5(*texts: str) -> str:
    return hashlib.md5("\x1f".join(texts).encode(), usedforsecurity=False).hexdigest()
