"""Cuts one table into slices, between its rows."""

from __future__ import annotations

import logging
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Final

from docxchunk.chunking.pieces import Span
from docxchunk.chunking.row_text import Row, RowText, cell_text, key_of, labels_of, row_pieces
from docxchunk.chunking.services import Services
from docxchunk.markup.tables import Range, TableTag, VerticalMerge, header_texts, row_on_grid, sections, vertical_merges
from docxchunk.model.chunks import Added, AddedRole, Part, Slice, TableRole, TableRows
from docxchunk.model.objects import Table, TableFormat

log = logging.getLogger("docxchunk.chunking")

LEAST_CONFIDENCE: Final = 0.6
_UNKNOWN_CONFIDENCE: Final = 0.5  # of a guess without one, from an older or another program
_ROWSPAN = re.compile(r"""\s+rowspan\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)
_AROUND: Final = {TableFormat.JSON: ("[", "]", ","), TableFormat.HTML: ("", "", "")}  # before the rows, after them, between them


@dataclass(frozen=True, slots=True)
class TableSizes:
    """In tokens: what a slice may come to, should come to, and from where on a last slice stands by itself.

    A single row over `longest_row` is written out cell by cell, a table no more; text with a table of one such row stays as it is up to `unsliced`.
    A guessed header of at least the confidence `guessed_headers` counts as a header.
    """

    most: int
    ideal: int
    least_last: int
    longest_row: int
    unsliced: int
    repeat_headers: bool = True
    guessed_headers: float = LEAST_CONFIDENCE

    @classmethod
    def filling(cls, size: int, longest_row: int = 0) -> TableSizes:
        """Slices as full as they can be."""
        return cls(most=size, ideal=size, least_last=1, longest_row=longest_row or size, unsliced=size)


class TableSlicer:
    """Cuts one table of a block. Rows are numbered from 0, header rows included; runs of rows are half-open."""

    def __init__(self, services: Services, block: int, table: TableTag, sizes: TableSizes) -> None:
        lines = services.lines(block)
        self._services, self._block, self._table, self._sizes = services, block, table, sizes
        self._content, self._ruler = lines.ruler.text, lines.ruler
        found = lines.rows_of(table)
        self._format: TableFormat | None = found[0] if found else None
        self._rows = found[1] if found else [(table.start, table.end)]
        item = services.document.tables.get(table.id)
        self._header = header_of(item, sizes.guessed_headers) if item else None
        self._header_columns = item.header_columns if item else 0
        opening, closing, self._comma = _AROUND[self._format] if self._format else ("", "", "")
        self._open = table.opening + opening
        self._close = closing + "</table>"
        self._sections = sections(self._content, self._rows) if self._format is TableFormat.HTML else []
        self._measured: dict[tuple[str, int, int], int] = {}

    def slices(self) -> list[list[Span]]:
        """The slices in order, each with its rows and its role. A row that is too long for a table by itself comes as several, written out."""
        found: list[list[Span]] = []
        for first, last in self._swallowed([*self._runs()]):
            if self._is_giant(first):
                log.debug("fallback to recursive_character: row %d of table %s is over the limit", first, self._table.id)
                head = found.pop() if found and self._is_header_alone(found[-1]) else []
                found += self._row_pieces(first, head)
            else:
                found.append([self._span(first, last, self._sizes.most)])
        return _with_roles(found)

    # -- for those who choose the rows themselves

    @property
    def ranges(self) -> list[Range]:
        """Where the rows begin and end."""
        return self._rows

    @cached_property
    def has_long_row(self) -> bool:
        """Is there a row that has to be written out, or no row that can be told apart?"""
        return any(map(self._is_giant, range(len(self._rows))))

    @property
    def header_rows(self) -> int:
        return self._header_rows

    def parts_cells(self, row: int) -> bool:
        """Would a cut before this row part a merged cell?"""
        return self._parts_cells(row)

    def opening_tokens(self, row: int) -> int:
        """What stands before the rows of a slice that begins with this one: the tag, the header and merged cells that reach down."""
        carried = next(self._carried(row, len(self._rows)), "")
        header = self._header_text if row >= self._header_rows else ""
        return self._services.meter.count(self._open_at(row) + header + carried) + 1

    def closing_tokens(self, row: int) -> int:
        """What stands after the rows of a slice that ends with this one."""
        return self._services.meter.count(self._close_at(self._rows[row][1]))

    def slice(self, first: int, last: int, most: int) -> Span:
        """Rows [first, last) as a table of at most so many tokens where what is repeated can be left out; its role is that of its place."""
        span = self._span(first, last, most)
        role = TableRole.FIRST if first == 0 else TableRole.LAST if last == len(self._rows) else TableRole.MIDDLE
        return span._replace(rows=span.rows and span.rows._replace(role=role))

    # -- which rows go together

    def _runs(self) -> Iterator[Range]:
        """Runs of rows that fit, and giant rows, each alone."""
        at = 0
        for row in [*(i for i in range(len(self._rows)) if self._is_giant(i)), len(self._rows)]:
            if at < row:
                yield from self._cut(at, row)
            if row < len(self._rows):
                yield row, row + 1
            at = row + 1

    def _is_giant(self, row: int) -> bool:
        """Is a row over the limit as a table of its own, without a repeated header?"""
        if self._format is None:
            return True
        start, end = self._rows[row]
        if self._ruler.about(end) - self._ruler.about(start) + self._frame < self._sizes.longest_row // 2:
            return False
        return self._measure(self._open_at(row), start, end) > self._sizes.longest_row

    def _cut(self, first: int, last: int) -> Iterator[Range]:
        """Rows cut where that balances the tokens of the slices; a slice that is still too large is cut again among its own rows."""
        if last - first == 1 or self._fits(first, last):
            yield first, last
            return
        frame = self._frame + (self._header_tokens if first >= self._header_rows else 0)
        ideal = max(self._sizes.ideal - frame, (self._sizes.most - frame) // 2, 1)
        total = self._before(last) - self._before(first)
        count = max(2, -(-total // ideal))
        places = {self._place(first, last, self._before(first) + total * n // count) for n in range(1, count)}
        for a, b in pairwise(sorted({first, last, *places})):
            yield from self._cut(a, b)

    def _place(self, first: int, last: int, goal: int) -> int:
        """The row nearest to a goal in tokens that can start a slice; one off where that keeps a vertical merge whole."""
        low = max(first + 1, min(self._header_rows + 1, last - 1) if first < self._header_rows else 0)
        at = min(max(bisect_left(range(len(self._rows)), goal, key=self._before), low), last - 1)
        if at > low and goal - self._before(at - 1) < self._before(at) - goal:
            at -= 1
        near = [place for place in (at, at - 1, at + 1) if low <= place < last]
        return next((place for place in near if not self._parts_cells(place)), at)

    def _swallowed(self, runs: list[Range]) -> list[Range]:
        """A last slice that is too small goes back into the one before it (docs/design/staged-chunking.md, stage B, rule 4)."""
        if len(runs) > 1:
            (first, middle), (_, last) = runs[-2:]
            alone = self._is_giant(first) or self._is_giant(middle)
            if not alone and self._size(middle, last) < self._sizes.least_last and self._fits(first, last):
                return [*runs[:-2], (first, last)]
        return runs

    def _before(self, row: int) -> int:
        """Tokens before a row, about."""
        return self._ruler.about(self._rows[row][0] if row < len(self._rows) else self._rows[-1][1])

    # -- what a slice weighs

    @cached_property
    def _frame(self) -> int:
        return self._services.meter.count(self._open) + self._services.meter.count(self._close)

    @cached_property
    def _header_rows(self) -> int:
        """How many of the leading rows are a header, marked or guessed with enough confidence."""
        count = len(header_texts(self._header)) if self._header and self._format else 0
        return count if count < len(self._rows) else 0

    @cached_property
    def _header_text(self) -> str:
        """What is repeated before the rows of a later slice; "" where nothing is."""
        if not self._sizes.repeat_headers or not self._header_rows:
            return ""
        text = self._comma.join([*map(self._row_text, range(self._header_rows)), ""])
        return text if self._services.meter.count(text) <= self._sizes.most // 2 else ""

    def _row_text(self, row: int) -> str:
        """A row without what may stand before it: a caption, the tag of its section."""
        start, end = self._rows[row]
        return self._content[max(self._content.find("<tr", start, end), start) if self._sections else start : end]

    @cached_property
    def _header_tokens(self) -> int:
        return self._services.meter.count(self._header_text)

    def _opening(self, first: int, last: int, most: int) -> str:
        """What goes before the rows of a slice: the tag, and the header where it fits."""
        opening = self._open_at(first)
        if first < self._header_rows or not self._header_text:
            return opening
        with_header = opening + self._header_text
        return with_header if self._measure(with_header, self._rows[first][0], self._rows[last - 1][1]) <= most else opening

    def _open_at(self, row: int) -> str:
        """The tag before a slice that begins with this row, and that of its section: thead, tbody or tfoot."""
        section = self._sections[row][0] if self._sections else ""
        return f"{self._open}<{section}>" if section else self._open

    def _close_at(self, end: int) -> str:
        """The same after a slice whose last row ends here."""
        section = self._sections[bisect_right(self._rows, end - 1, key=itemgetter(0)) - 1][1] if self._sections else ""
        return f"</{section}>{self._close}" if section else self._close

    def _size(self, first: int, last: int) -> int:
        start, end = self._rows[first][0], self._rows[last - 1][1]
        opening = self._open_at(first)
        return self._measure(opening if first < self._header_rows else opening + self._header_text, start, end)

    def _fits(self, first: int, last: int) -> bool:
        return self._size(first, last) <= self._sizes.most

    def _measure(self, opening: str, start: int, end: int) -> int:
        """The count of rows [start, end) between an opening and the closing tag."""
        key = (opening, start, end)
        if key not in self._measured:
            meter, text = self._services.meter, self._content[start:end]
            tokens = meter.joined(opening, meter.count(opening), "", text, self._ruler.measure(start, end)) if meter.additive else 0
            closing = self._close_at(end)
            self._measured[key] = meter.joined(opening + text, tokens, "", closing, meter.count(closing))
        return self._measured[key]

    # -- what a slice is made of

    def _span(self, first: int, last: int, most: int) -> Span:
        start, end = self._rows[first][0], self._rows[last - 1][1]
        opening, wrapper, closing = self._opening(first, last, most), self._open_at(first), self._close_at(end)
        rows = self._carried(first, last)
        carried = next((row for row in rows if self._measure(opening + row, start, end) <= most), "")
        repeated = opening[len(wrapper) :] + carried
        parts: list[Part] = [Added(wrapper, AddedRole.WRAPPER)]
        if repeated:
            parts.append(Added(repeated, AddedRole.HEADER))
        parts += Slice(self._services.document.blocks[self._block].id, start, end), Added(closing, AddedRole.WRAPPER)
        text = wrapper + repeated + self._content[start:end] + closing
        return Span(text, self._measure(wrapper + repeated, start, end), self._block, start, end, tuple(parts), self._rows_of(first, last))

    def _rows_of(self, first: int, last: int) -> TableRows:
        return TableRows(self._table.id, (first, last - 1), TableRole.NONE)

    # -- cells over several rows

    @cached_property
    def _merges(self) -> list[VerticalMerge]:
        return vertical_merges(self._content, self._rows) if self._format is TableFormat.HTML else []

    @cached_property
    def _reaches(self) -> list[Range]:
        """The rows that a merged cell reaches over, half-open, for each: found without reading the cells."""
        if self._format is not TableFormat.HTML:
            return []
        found: list[Range] = []
        for mark in _ROWSPAN.finditer(self._content, self._table.body, self._table.body_end):
            row = bisect_right(self._rows, mark.start(), key=itemgetter(0)) - 1
            reach = int(digits) if (digits := "".join(filter(str.isdigit, mark[0]))[:4]) else 1
            found.append((row, row + reach))
        return found

    def _parts_cells(self, row: int) -> bool:
        """Would a cut before this row part a merged cell?"""
        return any(first < row < last for first, last in self._reaches)

    def _carried(self, first: int, last: int) -> Iterator[str]:
        """The merged cells of rows before a slice, repeated in a row of their own, from which they reach down as far as they did.

        Then the same with the longest of them empty, and the next, so that where all is too much the columns stay right and the short ones are read.
        """
        crossing = [merge for merge in self._merges if merge.row < first < merge.row + merge.cell.rows] if self._parts_cells(first) else []
        empty: set[VerticalMerge] = set()
        for longest in (None, *sorted(crossing, key=lambda merge: merge.cell.end - merge.cell.start, reverse=True)) if crossing else ():
            if longest is not None:
                empty.add(longest)
            yield f"<tr>{''.join(self._carried_cells(sorted(crossing, key=lambda merge: merge.column), empty, first, last))}</tr>"

    def _carried_cells(self, crossing: list[VerticalMerge], empty: set[VerticalMerge], first: int, last: int) -> Iterator[str]:
        column = 0
        for merge in crossing:
            start, end = merge.cell.tag
            left = min(merge.row + merge.cell.rows, last) - first
            opening = _ROWSPAN.sub(f' rowspan="{left + 1}"', self._content[start : merge.cell.start], count=1)
            inside = merge.cell.end if merge in empty else merge.cell.start
            yield "<td></td>" * (merge.column - column) + opening + self._content[inside:end]
            column = merge.column + merge.cell.columns

    # -- rows that are too long for a table

    def _is_header_alone(self, spans: list[Span]) -> bool:
        span = spans[0]
        return span.parts[0] == Added(self._open_at(0), AddedRole.WRAPPER) and span.rows is not None and span.rows.rows[1] < self._header_rows

    def _row_pieces(self, row: int, head: list[Span]) -> list[list[Span]]:
        """A row as text, in pieces that fit; the first one goes with a header that would otherwise stand alone."""
        written = RowText(self._content, self._long_row(row))
        cap = max(self._sizes.most - (head[0].tokens + 1 if head else 0), self._sizes.most // 4)
        spans = [self._row_span(row, written, a, b, before) for a, b, before in row_pieces(written, self._services.meter, cap)]
        return [group for group in ([*head, *spans[:1]], *([span] for span in spans[1:])) if group]

    def _row_span(self, row: int, written: RowText, a: int, b: int, before: str) -> Span:
        text, (start, end) = before + written.text[a:b], self._rows[row]
        parts = (*((Added(before, AddedRole.LABEL),) if before else ()), *written.parts(a, b))
        return Span(text, self._services.meter.count(text), self._block, start, end, parts, self._rows_of(row, row + 1))

    def _long_row(self, row: int) -> Row:
        """A row with its cells on the grid, the names of its columns, and what names the row itself."""
        block, longest = self._services.document.blocks[self._block].id, self._sizes.most // 4
        if self._format is None:
            return Row(block, self._rows[row], None, (), (), {})
        is_below = row >= self._header_rows
        above = {merge.column: merge.cell for merge in self._merges if merge.row < row < merge.row + merge.cell.rows}
        taken = {column for first, cell in above.items() for column in range(first, first + cell.columns)}
        cells = row_on_grid(self._content, self._rows[row], self._format, taken)
        named = {**above, **dict(cells)} if is_below else {}
        keys = {column: key_of(cell_text(self._content, named[column], self._format), longest) for column in range(self._header_columns) if column in named}
        labels = labels_of(self._header, longest) if is_below else []
        return Row(block, self._rows[row], self._format, cells, labels, {column: key for column, key in keys.items() if key})


def header_of(table: Table, least: float) -> str | None:
    """The header that the author marked, else one that was guessed with enough confidence."""
    confidence = _UNKNOWN_CONFIDENCE if table.header_confidence is None else table.header_confidence
    return table.header or (table.header_guess if confidence >= least else None)


def _with_roles(slices: list[list[Span]]) -> list[list[Span]]:
    """Each slice with its role, by its place in the table (stage B, rule 6)."""
    if len(slices) < 2:
        return slices
    roles = [TableRole.FIRST, *[TableRole.MIDDLE] * (len(slices) - 2), TableRole.LAST]
    return [[span._replace(rows=span.rows and span.rows._replace(role=role)) for span in spans] for spans, role in zip(slices, roles, strict=True)]
