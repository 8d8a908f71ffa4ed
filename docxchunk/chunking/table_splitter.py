"""Cut one table into slices, between its rows."""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from docxchunk.chunking.forms.tables import Frame
from docxchunk.chunking.long_rows import LabelledRow, RowPiece, RowText, row_pieces
from docxchunk.chunking.pieces import Span
from docxchunk.chunking.services import Services
from docxchunk.markup.table_texts import LEAST_CONFIDENCE, header_rows, key_of, labels_of
from docxchunk.markup.tables import Range, TableTag
from docxchunk.model.chunks import Added, AddedRole, TableRole, TableRows

log = logging.getLogger("docxchunk.chunking")


@dataclass(frozen=True, slots=True)
class TableSizes:
    """The sizes of slices in tokens.

    - `most`: the limit.
    - `ideal`: the target.
    - `least_last`: the minimum for a last slice; a smaller one is merged into the one before.
    - `longest_row`: a single row over this size is written as plain text, cell by cell.
    - `unsliced`: text with a table that consists of one such row is not sliced up to this size.
    - `repeat_headers`: repeat the header rows in each slice.
    - `guessed_headers`: the minimum confidence of an inferred header.
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
        """Return sizes that fill each slice as far as possible."""
        return cls(
            most=size, ideal=size, least_last=1, longest_row=longest_row or size, unsliced=size
        )


class TableSlicer:
    """Cuts one table of a block. Rows are numbered from 0, including header rows; ranges of rows
    are half-open.
    """

    def __init__(self, services: Services, block: int, table: TableTag, sizes: TableSizes) -> None:
        lines = services.lines(block)
        self._services, self._block, self._table, self._sizes = services, block, table, sizes
        self._content, self._ruler = lines.ruler.text, lines.ruler
        self._shown = lines.view(table)
        self._rows = self._shown.rows
        item = services.document.tables.get(table.id)
        self._header = header_rows(item, sizes.guessed_headers)
        self._header_columns = item.header_columns if item else 0
        self._measured: dict[tuple[str, int, int], int] = {}  # by opening and rows

    def slices(self) -> list[list[Span]]:
        """Return the slices in order, each with its rows and its role. A row over the limit becomes
        several slices of plain text.
        """
        found: list[list[Span]] = []
        for first, last in self._swallowed([*self._runs()]):
            if first in self._giants:
                log.debug(
                    "fallback to recursive_character: row %d of table %s is over the limit",
                    first,
                    self._table.id,
                )
                head = found.pop() if found and self._is_header_alone(found[-1]) else []
                found += self._row_pieces(first, head)
            else:
                found.append([self._span(first, last, self._sizes.most)])
        return _with_roles(found)

    # -- for callers that choose the rows

    @property
    def ranges(self) -> list[Range]:
        """The ranges of the rows."""
        return self._rows

    @cached_property
    def has_long_row(self) -> bool:
        """Whether a row is over the limit, or the rows cannot be recognized."""
        return bool(self._giants)

    @property
    def header_rows(self) -> int:
        return self._header_rows

    def parts_cells(self, row: int) -> bool:
        """Return whether a cut before this row divides a merged cell."""
        return self._shown.parts_cells(row)

    def opening_tokens(self, row: int) -> int:
        """Return the number of tokens before the rows of a slice that begins with this one: tag,
        repeated header, and merged cells from rows above.
        """
        carried = "".join(write() for write in self._shown.carried(row, len(self._rows))[:1])
        return self._services.meter.repeated("".join(self._headed(row)) + carried) + 1

    def closing_tokens(self, row: int) -> int:
        """Return the number of tokens after the rows of a slice that ends with this one."""
        return self._services.meter.repeated(self._shown.closing(row))

    def slice(self, first: int, last: int, most: int) -> Span:
        """Return rows [first, last) as a table with its role; the repeated header and cells are
        left out if they exceed `most` tokens.
        """
        span = self._span(first, last, most)
        role = (
            TableRole.FIRST
            if first == 0
            else TableRole.LAST
            if last == len(self._rows)
            else TableRole.MIDDLE
        )
        return span._replace(rows=span.rows and span.rows._replace(role=role))

    # -- which rows go together

    def _runs(self) -> Iterator[Range]:
        """Yield ranges of rows that fit, and each row over the limit alone."""
        at = 0
        for row in [*self._giants, len(self._rows)]:
            if at < row:
                yield from self._cut(at, row)
            if row < len(self._rows):
                yield row, row + 1
            at = row + 1

    @cached_property
    def _giants(self) -> Mapping[int, None]:
        """The rows that exceed the limit even as a table of their own without a repeated header,
        ascending.
        """
        if self._shown.grid.format is None:
            return dict.fromkeys(range(len(self._rows)))
        about, longest = self._ruler.about, self._sizes.longest_row
        near = longest // 2 - self._around[0]
        large = (
            row for row, (start, end) in enumerate(self._rows) if about(end) - about(start) >= near
        )
        return dict.fromkeys(
            row
            for row in large
            if self._measure(self._shown.frame(row).wrapper, row, row + 1) > longest
        )

    def _cut(self, first: int, last: int) -> Iterator[Range]:
        """Yield ranges of rows of balanced sizes; a range that is still too large is cut again."""
        if last - first == 1 or self._fits(first, last):
            yield first, last
            return
        frame = self._around[first >= self._header_rows]
        ideal = max(self._sizes.ideal - frame, (self._sizes.most - frame) // 2, 1)
        total = self._before(last) - self._before(first)
        count = max(2, -(-total // ideal))
        places = {
            self._place(first, last, self._before(first) + total * n // count)
            for n in range(1, count)
        }
        for a, b in pairwise(sorted({first, last, *places})):
            yield from self._cut(a, b)

    def _place(self, first: int, last: int, goal: int) -> int:
        """Return the row nearest to a goal in tokens that can start a slice, or a neighbour of it
        if that does not divide a merged cell.
        """
        low = max(
            first + 1, min(self._header_rows + 1, last - 1) if first < self._header_rows else 0
        )
        at = min(max(bisect_left(range(len(self._rows)), goal, key=self._before), low), last - 1)
        if at > low and goal - self._before(at - 1) < self._before(at) - goal:
            at -= 1
        near = [place for place in (at, at - 1, at + 1) if low <= place < last]
        return next((place for place in near if not self._shown.parts_cells(place)), at)

    def _swallowed(self, runs: list[Range]) -> list[Range]:
        """Merge a last slice that is too small into the one before it
        (docs/design/staged-chunking.md, stage B, rule 4).
        """
        if len(runs) > 1:
            (first, middle), (_, last) = runs[-2:]
            alone = first in self._giants or middle in self._giants
            if (
                not alone
                and self._size(middle, last) < self._sizes.least_last
                and self._fits(first, last)
            ):
                return [*runs[:-2], (first, last)]
        return runs

    def _before(self, row: int) -> int:
        """Return the approximate number of tokens before a row."""
        return self._ruler.about(self._rows[row][0] if row < len(self._rows) else self._rows[-1][1])

    # -- sizes of slices

    @cached_property
    def _around(self) -> tuple[int, int]:
        """The number of tokens around the rows of a slice, without and with a repeated header."""
        count, last = self._services.meter.repeated, len(self._rows) - 1
        closing = count(self._shown.closing(last))
        wrapper, header = self._headed(last)
        return count(self._shown.frame(last).wrapper) + closing, count(wrapper) + count(
            header
        ) + closing

    @cached_property
    def _header_rows(self) -> int:
        """The number of header rows, marked or inferred with enough confidence."""
        count = len(self._header)
        return count if count < len(self._rows) else 0

    @cached_property
    def _repeated(self) -> int:
        """The number of header rows that later slices repeat."""
        if not self._sizes.repeat_headers or not self._header_rows:
            return 0
        header = self._shown.frame(self._header_rows, self._header_rows).header
        return (
            self._header_rows
            if self._services.meter.repeated(header) <= self._sizes.most // 2
            else 0
        )

    def _headed(self, row: int) -> Frame:
        """Return the opening of a slice that begins with this row, including a repeated header."""
        return self._shown.frame(row, self._repeated if row >= self._header_rows else 0)

    def _opening(self, first: int, last: int, most: int) -> Frame:
        """Return the opening of a slice, without the header if it does not fit."""
        headed = self._headed(first)
        if not headed.header or self._measure("".join(headed), first, last) <= most:
            return headed
        return self._shown.frame(first)

    def _size(self, first: int, last: int) -> int:
        return self._measure("".join(self._headed(first)), first, last)

    def _fits(self, first: int, last: int) -> bool:
        return self._size(first, last) <= self._sizes.most

    def _measure(self, opening: str, first: int, last: int) -> int:
        """Return the count of rows [first, last) with an opening and the closing tags."""
        key = (opening, first, last)
        if key not in self._measured:
            start, end = self._rows[first][0], self._rows[last - 1][1]
            self._measured[key] = self._counted(
                opening,
                self._content[start:end],
                self._ruler.measure(start, end),
                self._shown.closing(last - 1),
            )
        return self._measured[key]

    def _counted(self, opening: str, text: str, tokens: int, closing: str) -> int:
        """Return the count of `opening + text + closing`; `tokens` is the count of `text`."""
        meter = self._services.meter
        if not meter.additive:
            return meter.count(opening + text + closing)
        if opening:
            tokens = meter.joined(opening, meter.repeated(opening), "", text, tokens)
        return (
            meter.joined(opening + text, tokens, "", closing, meter.repeated(closing))
            if closing
            else tokens
        )

    # -- assembling slices

    def _span(self, first: int, last: int, most: int) -> Span:
        start, end = self._rows[first][0], self._rows[last - 1][1]
        wrapper, header = self._opening(first, last, most)
        rows = self._shown.carried(first, last)
        fitting = (
            bisect_left(
                rows,
                True,
                key=lambda row: self._measure(wrapper + header + row(), first, last) <= most,
            )
            if rows
            else 0
        )
        repeated = header + (rows[fitting]() if fitting < len(rows) else "")
        closing = self._shown.closing(last - 1)
        around = (
            (Added(wrapper, AddedRole.WRAPPER), Added(repeated, AddedRole.HEADER)),
            (Added(closing, AddedRole.WRAPPER),),
        )
        before, after = ([part for part in parts if part.text] for parts in around)
        inside = self._services.text(self._block).parts(start, end)
        text = wrapper + repeated + self._content[start:end] + closing
        tokens = self._measure(wrapper + repeated, first, last)
        return Span(
            text,
            tokens,
            self._block,
            start,
            end,
            None,
            (*before, *inside, *after),
            self._rows_of(first, last),
        )

    def _rows_of(self, first: int, last: int) -> TableRows:
        return TableRows(self._table.id, (first, last - 1), TableRole.NONE)

    # -- rows that are too long for a table

    def _is_header_alone(self, spans: list[Span]) -> bool:
        rows = spans[0].rows
        return (
            rows is not None
            and rows.rows[1] < self._header_rows
            and rows.rows[0] not in self._giants
        )

    def _row_pieces(self, row: int, head: list[Span]) -> list[list[Span]]:
        """Return a row as plain text in pieces that fit. `head` is a header that would otherwise be
        alone; it is joined to the first piece.
        """
        written = RowText(self._long_row(row))
        cap = max(self._sizes.most - (head[0].tokens + 1 if head else 0), self._sizes.most // 4)
        spans = [
            self._row_span(row, written, piece)
            for piece in row_pieces(written, self._services.meter, cap)
        ]
        return [group for group in ([*head, *spans[:1]], *([span] for span in spans[1:])) if group]

    def _row_span(self, row: int, written: RowText, piece: RowPiece) -> Span:
        a, b, before, tokens = piece
        text, (start, end) = before + written.text[a:b], self._rows[row]
        parts = (*((Added(before, AddedRole.LABEL),) if before else ()), *written.parts(a, b))
        return Span(text, tokens, self._block, start, end, None, parts, self._rows_of(row, row + 1))

    def _long_row(self, row: int) -> LabelledRow:
        """Return a row with its column and row labels."""
        grid, text = self._shown.grid, self._services.text(self._block)
        if grid.format is None or row < self._header_rows:
            return LabelledRow(text.block.id, grid, row, (), {}, text.readings)
        longest = self._sizes.most // 4
        keys = {
            cell.column: key_of(text.read_cell(grid.line(cell)), longest)
            for cell in (*grid.merged_above[row], *grid.cells(row))
            if cell.column < self._header_columns
        }
        return LabelledRow(
            text.block.id,
            grid,
            row,
            [text.read_cell(label) for label in labels_of(self._header, longest)],
            {column: key for column, key in sorted(keys.items()) if key},
            text.readings,
        )


def _with_roles(slices: list[list[Span]]) -> list[list[Span]]:
    """Return the slices with their roles, by position in the table (docs/design/staged-chunking.md,
    stage B, rule 6).
    """
    if len(slices) < 2:
        return slices
    roles = [TableRole.FIRST, *[TableRole.MIDDLE] * (len(slices) - 2), TableRole.LAST]
    return [
        [span._replace(rows=span.rows and span.rows._replace(role=role)) for span in spans]
        for spans, role in zip(slices, roles, strict=True)
    ]
