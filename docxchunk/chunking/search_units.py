"""Divide chunks into units: whole sentences, and rows of tables, each small enough to search and
read by itself.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, zip_longest
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from docxchunk.content.citations import location
from docxchunk.content.lines import BlockLines, is_heading_line, placement
from docxchunk.content.pipe_tables import readable
from docxchunk.content.table_texts import header_above, header_rows, labels_of, rows_of
from docxchunk.content.tables import GridCell, TableContent, decoded_cell, tables
from docxchunk.content.tags import inline_tags, plain
from docxchunk.language.ranges import Range, is_inside
from docxchunk.language.sentences import sentences, trimmed
from docxchunk.model.blocks import Block
from docxchunk.model.caching import cached_method
from docxchunk.model.chunks import (
    LONGEST_UNIT,
    Added,
    AddedRole,
    Chunk,
    Part,
    Slice,
    SliceRole,
    Unit,
    UnitKind,
)
from docxchunk.model.document import Document
from docxchunk.model.objects import Table
from docxchunk.model.ports import Tokenizer

_SMALL_TABLE: Final = 4  # times the maximum: a table that is also a unit as a whole
_LONG_ROW: Final = 4  # times the maximum: a row that is divided
_REPEATED: Final = frozenset({SliceRole.OVERLAP, SliceRole.BRIDGE})


def units_of(
    document: Document, chunks: Iterable[Chunk], tokenizer: Tokenizer, longest: int = LONGEST_UNIT
) -> list[Unit]:
    """Return the units of chunks, in the order of the chunks.

    A unit ends where a sentence or paragraph ends, has at most about `longest` characters, and
    stays within its chunk. A longer sentence is cut between words. Each row of a table is a unit,
    or several if it is very long. Each small table that is whole in its chunk is a unit, too.
    Repeated text belongs only to the chunk that it is repeated from. A chunk with children has no
    units: its children have them.
    """
    captions = {table.caption for table in document.tables}
    captions |= {drawing.caption for drawing in document.drawings}
    blocks = {
        block.id: _BlockUnits(document, block, longest, captions) for block in document.blocks
    }
    assembler = _UnitMaker(document, tokenizer)
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
    """Yield each block of a chunk, with the sorted ranges of its content that the chunk shows and
    does not repeat.
    """
    ranges: dict[str, list[Range]] = {}
    for part in chunk.parts:
        if isinstance(part, Slice) and part.role not in _REPEATED:
            ranges.setdefault(part.block, []).append((part.start, part.end))
    for block, block_ranges in ranges.items():
        yield block, sorted(block_ranges)


class _TableTexts:
    """A table of a block, parsed once for all chunks that show a part of it."""

    def __init__(self, grid: TableContent, table: Table, longest: int) -> None:
        self.grid, self.table = grid, table
        header = header_above(header_rows(table), grid.rows)
        self._first_row, self._names = len(header), labels_of(header)
        text = "".join(f"{_bars(row)}\n" for row in header)
        self._header = text if text.strip() and len(text) <= longest else ""
        self._cells_of: tuple[int, list[GridCell]] = (-1, [])  # a row and its cells

    @cached_property
    def _values(self) -> list[list[str]]:
        return rows_of(self.table)

    @cached_property
    def text(self) -> str:
        """The text of the table, one line for each row."""
        return "\n".join(map(_bars, self._values))

    def rows(self, start: int, end: int) -> range:
        """Return the indices of the rows, except header rows, that have characters of [start,
        end).
        """
        ranges = self.grid.rows
        first = bisect_right(ranges, start, key=itemgetter(1))
        last = bisect_left(ranges, end, key=itemgetter(0))
        return range(max(first, self._first_row), last)

    def values(self, row: int) -> list[str]:
        """Return the texts of the cells of a row; [] if the table has fewer rows."""
        return self._values[row] if row < len(self._values) else []

    def header(self, row: int) -> str:
        """Return the header rows and the rows that name the group of a row, a line each."""
        return self._header + "".join(f"{group}\n" for group in self._groups(row))

    def _groups(self, row: int) -> list[str]:
        groups = self.grid.groups_above(row, self._first_row)
        return [_bars(self.values(group)[:1]) for group in groups]

    def cells(self, row: int) -> list[GridCell]:
        """Return the cells of a row. They are kept for the next part of the same row."""
        if self._cells_of[0] != row:
            self._cells_of = row, self.grid.cells(row)
        return self._cells_of[1]

    def indexed(self, row: int) -> str:
        """Return the names of the group of a row, and "header: value", or the value alone without a
        header, for each cell with text. A merged cell is written once, and a cell of the header
        that spans the row is left out.
        """
        if row in self.grid.groups:
            return _bars(self.values(row)[:1])
        of_header = {
            column
            for cell in self.grid.merged_above[row]
            if cell.row < self._first_row
            for column in cell.covered
        }
        texts = (
            "" if column in of_header else " ".join(value.split())
            for column, value in enumerate(self.values(row))
        )
        cells = [(name, text) for name, text in zip_longest(self._names, texts, fillvalue="")]
        named = (f"{name}: {text}" if name else text for (name, text), _ in groupby(cells) if text)
        return "; ".join((*self._groups(row), *named))


class _BlockUnits:
    """The units of a block, for any part of it that a chunk shows."""

    def __init__(
        self, document: Document, block: Block, longest: int, captions: Container[str]
    ) -> None:
        self.document = document
        self.block = block
        self._longest = longest
        self._captions = captions

    @cached_property
    def path(self) -> str:
        """The heading path."""
        return " > ".join(filter(None, (*self.block.parent_headings, self.block.heading)))

    @cached_property
    def lines(self) -> BlockLines:
        return BlockLines(self.block)

    @cached_property
    def tables(self) -> list[TableContent]:
        return tables(self.block.content)

    @cached_method
    def _texts_of(self, grid: TableContent) -> _TableTexts | None:
        """Return the texts of a table; None if it cannot be parsed."""
        table = self.document.tables.get(grid.id) if grid.format else None
        return _TableTexts(grid, table, self._longest) if table else None

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
        if not drafts and ranges[0][0] < heading_end:
            start, end = trimmed(content, ranges[0][0], min(ranges[-1][1], heading_end))
            drafts = [_Draft(UnitKind.HEADING, start, end, readable(content[start:end]), "")]
        yield from drafts

    def _between(self, start: int, end: int) -> Iterator[_Draft]:
        at = start
        first = bisect_right(self.tables, start, key=attrgetter("end"))
        last = bisect_left(self.tables, end, key=attrgetter("start"))
        for table in self.tables[first:last]:
            yield from self._texts(at, table.start)
            yield from self._table(table, max(table.start, start), min(table.end, end))
            at = table.end
        yield from self._texts(at, end)

    # -- text

    def _texts(self, start: int, end: int) -> Iterator[_Draft]:
        """Yield units of whole sentences, as many in a unit as fit."""
        content = self.block.content
        first = last = -1
        for sentence_start, sentence_end in self._sentences(start, end):
            is_caption = plain(content[sentence_start:sentence_end]) in self._captions
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
        text = readable(self.block.content[start:end])
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

    def _table(self, grid: TableContent, start: int, end: int) -> Iterator[_Draft]:
        """Yield the rows of a table that are within [start, end), and the table if it is small."""
        texts = self._texts_of(grid)
        if texts is None:
            yield from self._texts(max(start, grid.body), min(end, grid.body_end))
            return
        drafts = [
            draft for row in texts.rows(start, end) for draft in self._row(texts, row, start, end)
        ]
        is_whole = start <= grid.start and end >= grid.end
        if is_whole and len(drafts) > 1 and len(texts.text) <= _SMALL_TABLE * self._longest:
            ends, rows = (grid.start, grid.end), (0, len(grid.rows) - 1)
            yield _Draft(UnitKind.TABLE, *ends, texts.text, texts.text, "", texts.table, rows)
        yield from drafts

    def _row(self, texts: _TableTexts, row: int, start: int, end: int) -> Iterator[_Draft]:
        """Yield a row of a table as one unit. If the row is very long, or the chunk shows only a
        part of it, yield the sentences of its cells within [start, end).
        """
        values = texts.values(row)
        first, last = texts.grid.rows[row]
        is_whole = start <= first and last <= end
        if is_whole and 0 < len(line := _bars(values)) <= _LONG_ROW * self._longest:
            indexed = texts.indexed(row)
            yield _Draft(
                UnitKind.ROW, first, last, line, indexed, texts.header(row), texts.table, (row, row)
            )
            return
        row_name = values[0] if values and len(values[0]) <= self._longest // 4 else ""
        content, cells = self.block.content, texts.cells(row)
        first_cell = bisect_right(cells, start, key=attrgetter("end"))
        end_cell = bisect_left(cells, end, key=attrgetter("start"))
        for cell in cells[first_cell:end_cell]:
            for sentence in sentences(content, max(cell.start, start), min(cell.end, end)):
                for piece in _pieces(content, *sentence, self._longest):
                    text = plain(decoded_cell(content, *piece)).strip()
                    if text:
                        indexed = text if row_name in text else f"{row_name}; {text}"
                        rows = row, row
                        yield _Draft(UnitKind.ROW, *piece, text, indexed, "", texts.table, rows)


def _bars(values: Sequence[str]) -> str:
    """Return the cells of a row with bars between them. A merged cell is written once."""
    texts = [" ".join(value.split()) for value in values]
    return " | ".join(
        text for number, text in enumerate(texts) if not number or text != texts[number - 1]
    )


def _pieces(
    content: str, start: int, end: int, longest: int, whole: Sequence[Range] = ()
) -> Iterator[Range]:
    """Yield the sentence `content[start:end]` or, if it is much longer than a unit, pieces of it
    that are cut between words.
    """
    while end - start > 2 * longest:
        cut = content.rfind(" ", start, start + longest)
        if cut < 0:
            cut = start + longest
        if is_inside(cut, whole):
            cut = whole[bisect_left(whole, (cut, cut)) - 1][1]
        yield trimmed(content, start, cut)
        start, _ = trimmed(content, cut, end)
    if start < end:
        yield start, end


# -- values


class _UnitMaker:
    """Makes units of drafts."""

    def __init__(self, document: Document, tokenizer: Tokenizer) -> None:
        self._document = document
        self._tokenizer = tokenizer
        self._seen: Counter[str] = Counter()

    def unit(self, chunk: Chunk, source: _BlockUnits, draft: _Draft) -> Unit:
        """Return the unit of a chunk with this text."""
        block = source.block
        content = draft.header + draft.shown
        is_stored = block.content[draft.start : draft.end] == draft.shown
        parts: tuple[Part, ...] = (
            Slice(block.id, draft.start, draft.end, shown=None if is_stored else draft.shown),
        )
        if draft.header:
            parts = (Added(draft.header, AddedRole.HEADER), *parts)
        caption = draft.table.caption if draft.table else ""
        lines = source.lines.shown(draft.start, draft.end, draft.table, draft.rows)
        placed = placement([(block, lines)])
        return Unit(
            unit_id=f"unit-{self._hash(source.path, draft.kind, content)}",
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
            citation=location(source.path, placed, self._document.name),
        )

    def _hash(self, path: str, kind: UnitKind, content: str) -> str:
        """Return the id of a unit: a hash of its heading path, kind and text, and of a count for
        equal units. The id of the section is not part of it, because each edit of the section
        changes that.
        """
        digest = _md5(self._document.doc_id, path, kind, content)
        self._seen[digest] += 1
        return digest if self._seen[digest] == 1 else _md5(digest, str(self._seen[digest]))


def _md5(*texts: str) -> str:
    return hashlib.md5("\x1f".join(texts).encode(), usedforsecurity=False).hexdigest()
