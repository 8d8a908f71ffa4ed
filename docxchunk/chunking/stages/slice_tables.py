"""Slice tables over the limit between rows (docs/design/staged-chunking.md, stage B)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.lines import BOUND, ROW, Lines, Price
from docxchunk.chunking.pieces import Cut, Piece, Span
from docxchunk.chunking.table_splitter import TableSizes, TableSlicer
from docxchunk.markup.tables import TableTag
from docxchunk.model.chunks import SliceRole, TableRole

log = logging.getLogger("docxchunk.chunking")


_LINE_BREAK: Final = 1  # most tokens of a line break


@dataclass(frozen=True, slots=True)
class UnitRule:
    """How P divides sections over the limit before it chooses all cuts together: the sizes of
    tables, and the maximum length of a headline, in characters.
    """

    tables: TableSizes
    headline: int


def slice_tables(assembler: Assembler, sizes: TableSizes, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with large tables sliced. The first slice ends a piece, the last one starts
    a piece, each slice between is a piece.

    Text between two sliced tables becomes a separate piece, which the stage `bridge` shares between
    them.
    """
    result: list[Piece] = []
    for piece in pieces:
        if piece.tokens > sizes.max_tokens and any(
            assembler.tables(span.block) for span in piece.spans
        ):
            result += _sliced(assembler, sizes, piece)
        else:
            result.append(piece)
    return result


def _sliced(assembler: Assembler, sizes: TableSizes, piece: Piece) -> list[Piece]:
    groups: list[tuple[TableRole, list[Span]]] = [(TableRole.NONE, [])]
    for span in piece.spans:
        for item in _items(assembler, sizes, span):
            if isinstance(item, Span):
                groups[-1][1].append(item)
            else:
                _put_slices(groups, item)
    full = [(role, spans) for role, spans in groups if spans]
    if len(full) == 1 and piece.tokens <= sizes.unsliced:
        return [piece]
    log.debug("table_chunk_role: %s of %r", [role.value for role, _ in full], piece.heading)
    later = assembler.later_part(piece)._replace(cut=Cut(ROW))
    return [
        assembler.piece(spans, later if i else piece)._replace(role=role)
        for i, (role, spans) in enumerate(full)
    ]


def _items(assembler: Assembler, sizes: TableSizes, span: Span) -> list[Span | list[list[Span]]]:
    """Return a span as text spans and sliced tables, in order; only the span itself if none of its
    tables is over the limit.
    """
    over = _tables_over(assembler, sizes, span)
    if not over:
        return [span]
    items: list[Span | list[list[Span]]] = []
    at = span.start
    for table in over:
        items += assembler.text_between(span.block, at, table.start)
        items.append(TableSlicer(assembler, span.block, table, sizes).slices())
        at = table.end
    return [*items, *assembler.text_between(span.block, at, span.end)]


def _tables_over(assembler: Assembler, sizes: TableSizes, span: Span) -> list[TableTag]:
    if span.role is not SliceRole.TEXT or span.tokens <= sizes.max_tokens:
        return []
    return [
        table
        for table in assembler.tables_between(span.block, span.start, span.end)
        if assembler.lines(span.block).ruler.exceeds(table.start, table.end, sizes.max_tokens)
    ]


def _put_slices(groups: list[tuple[TableRole, list[Span]]], slices: list[list[Span]]) -> None:
    """Append the first slice to the current group and start a new group with the last one (stage B,
    rule 6).
    """
    role, spans = groups[-1]
    if len(slices) < 2:
        spans += (span for group in slices for span in group)
        return
    # between two sliced tables: separate the last slice, the text and the first slice
    if role is TableRole.LAST:
        count = 1 + sum(span.rows is not None for span in spans[1:])
        groups[-1:] = [
            (role, spans[:count]),
            (TableRole.NONE, spans[count:]),
            (TableRole.FIRST, [*slices[0]]),
        ]
    else:
        groups[-1] = (TableRole.FIRST, [*spans, *slices[0]])
    groups += [(TableRole.MIDDLE, [*middle]) for middle in slices[1:-1]]
    groups.append((TableRole.LAST, [*slices[-1]]))


# -- tables that are sliced in place


def slice_in_place(assembler: Assembler, rule: UnitRule, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with tables over the limit replaced by their slices. A table whose rows can
    be units stays: the cuts between its rows are chosen together with all others.
    """
    result: list[Piece] = []
    for piece in pieces:
        if piece.tokens <= assembler.cap(piece.parents, piece.heading):
            result.append(piece)
            continue
        section = Section(assembler, rule, piece)
        spans = list(_with_slices(section))
        if not spans:
            continue  # a table of blanks
        sliced = piece
        if any(a is not b for a, b in zip(spans, piece.spans, strict=False)):
            sliced = assembler.piece(spans, piece)
        result.append(sliced._replace(tables=section.tables) if section.tables else sliced)
    return result


def _with_slices(section: Section) -> Iterator[Span]:
    assembler = section.assembler
    for number, span in enumerate(section.spans):
        at = span.start
        for table in assembler.tables_between(span.block, span.start, span.end):
            line = assembler.lines(span.block).between(table.start, table.end).start
            if section.fits(number, table) or (cut := section.cut_table(number, line)).has_rows:
                continue
            yield from assembler.text_between(span.block, at, table.start)
            yield from chain.from_iterable(cut.slicer.slices())
            at = table.end
        if at == span.start:
            yield span
        else:
            yield from assembler.text_between(span.block, at, span.end)


class CutTable(NamedTuple):
    """A table of a piece over the limit, with its slicer. `fits`: the whole table fits into a
    chunk. `has_rows`: its rows can be units.
    """

    slicer: TableSlicer
    fits: bool
    has_rows: bool


class Section:
    """A piece over the limit. In the methods, `number` is the index of a span of the piece, and
    `line` the index of a line of the block that the span is from. `cap` is the smallest limit of
    these blocks.
    """

    def __init__(self, assembler: Assembler, rule: UnitRule, piece: Piece) -> None:
        self.assembler, self.rule, self.spans = assembler, rule, piece.spans
        self.tables = dict(piece.tables)  # those that are cut, by their block and start
        blocks = (assembler.document.blocks[span.block] for span in piece.spans)
        self.cap = min(assembler.cap(block.parent_headings, block.heading) for block in blocks)

    def lines(self, number: int) -> Lines:
        """Return the lines of the block that a span is from."""
        return self.assembler.lines(self.spans[number].block)

    def prices(self, number: int) -> list[Price]:
        """Return the price of a cut before each line of the block that a span is from."""
        return self.lines(number).priced(self.rule.headline)[1]

    def fits(self, number: int, table: TableTag) -> bool:
        """Return whether a table of a span is small enough to stay whole."""
        max_tokens = min(self.rule.tables.max_tokens, self.cap)
        return not self.lines(number).ruler.exceeds(table.start, table.end, max_tokens)

    def cut_table(self, number: int, line: int) -> CutTable:
        """Return the table that is a line of the section."""
        lines, block = self.lines(number), self.spans[number].block
        key = block, lines.starts[line]
        if key not in self.tables:
            table, sizes = lines.tables[lines.starts[line]], self.rule.tables
            is_free = min(sizes.ideal, sizes.max_tokens) >= self.cap
            max_tokens = min(sizes.max_tokens, self.room(number, line))
            table_sizes = sizes._replace(
                max_tokens=max_tokens,
                ideal=min(sizes.ideal, max_tokens),
                longest_row=max_tokens,
                unsliced=max_tokens,
            )
            slicer = TableSlicer(self.assembler, block, table, table_sizes)
            has_rows = is_free and not slicer.long_rows
            self.tables[key] = CutTable(slicer, self.fits(number, table), has_rows)
        return self.tables[key]

    def room(self, number: int, line: int) -> int:
        """Return the number of tokens that are left for a line beside the lines that belong to it,
        such as headings. If those take more than half of the cap, return the cap.
        """
        tokens, lines = 0, self.lines(number)
        while not lines.starts[line] or self.prices(number)[line] >= BOUND:
            if line == 0:
                if number == 0 or self.spans[number - 1].role is not SliceRole.TEXT:
                    break
                number -= 1
                lines = self.lines(number)
                line = lines.between(self.spans[number].start, self.spans[number].end).stop
            line -= 1
            tokens += lines.upto[line] - lines.before[line] + _LINE_BREAK
        return self.cap - tokens if tokens * 2 <= self.cap else self.cap
