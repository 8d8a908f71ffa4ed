"""Cut one table into slices, between its rows.

The header rows, which later slices repeat, are those that the author marked or, if there are none,
those that `reader.table_headers` inferred (`content.table_texts.header_rows`). `ShownTable.frame`
writes them. A row over the limit becomes plain text (`long_rows`).
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.long_rows import RowText, row_pieces
from docxchunk.chunking.pieces import Span
from docxchunk.content.forms import Frame, TableInText, shown_table
from docxchunk.content.table_texts import (
    LEAST_CONFIDENCE,
    header_row_count,
    header_rows,
    key_of,
    labels_of,
)
from docxchunk.language.ranges import Range
from docxchunk.model.chunks import Added, AddedRole, Slice, TableRole, TableRows

log = logging.getLogger("docxchunk.chunking")

_GROUP = -1  # column of the names of the group of a row


class TableSizes(NamedTuple):
    """The sizes of slices in tokens.

    - `max_tokens`: the limit.
    - `ideal`: the target.
    - `least_last`: the minimum for a last slice; a smaller one is merged into the one before.
    - `repeat_headers`: repeat the header rows in each slice.
    - `guessed_headers`: the minimum confidence of an inferred header.
    - `longest_row`: a single row over this size (0: over the limit) is written as plain text, cell
      by cell.
    """

    max_tokens: int
    ideal: int
    least_last: int
    repeat_headers: bool = True
    guessed_headers: float = LEAST_CONFIDENCE
    longest_row: int = 0

    @classmethod
    def filling(cls, size: int, longest_row: int = 0) -> TableSizes:
        """Return the sizes for slices that are as full as possible: `size` is their limit in
        tokens.
        """
        return cls(max_tokens=size, ideal=size, least_last=1, longest_row=longest_row)


def with_slices(
    assembler: Assembler, span: Span, slices_of: Callable[[TableInText], list[list[Span]] | None]
) -> list[Span | list[list[Span]]]:
    """Divide a span at the tables that are cut. Return its parts in order: text is a span, and a
    table is a list of slices, each a list of spans. `slices_of` returns the slices of a table, or
    None if the table is not cut: then it is a part of the text.
    """
    items: list[Span | list[list[Span]]] = []
    if not span.is_text:
        return [span]
    at = span.start
    for table in assembler.tables_between(span.block, span.start, span.end):
        if (slices := slices_of(table)) is not None:
            items += assembler.text_between(span.block, at, table.start)
            items.append(slices)
            at = table.end
    return [*items, *assembler.text_between(span.block, at, span.end)] if items else [span]


class TableSlicer:
    """Cuts one table of a block. Rows are numbered from 0, including header rows; ranges of rows
    are half-open.
    """

    def __init__(
        self, assembler: Assembler, block: int, table: TableInText, sizes: TableSizes
    ) -> None:
        lines = assembler.lines(block)
        self._assembler, self._block, self._table, self._sizes = assembler, block, table, sizes
        self._content, self._ruler = lines.ruler.text, lines.ruler
        self._shown_table = shown_table(table)
        self.ranges = self._shown_table.rows
        # the cells that a cut before a row divides
        self.merged_above = self._shown_table.grid.merged_above
        # approximate numbers of tokens of the block before each row, and up to its end
        self.before = [self._ruler.about(start) for start, _ in self.ranges]
        self.upto = [self._ruler.about(end) for _, end in self.ranges]
        self._item = assembler.document.tables.get(table.id)
        # marked or inferred with enough confidence
        heads = header_row_count(self._item, sizes.guessed_headers)
        self.header_rows = heads if heads < len(self.ranges) else 0
        self._frames: dict[tuple[int, int], Frame] = {}  # of slices without merged cells from above
        # of each opening: the number of tokens up to its last word, and the rest
        self._openings: dict[str, tuple[int, str]] = {}
        self.long_rows = self._rows_over_the_limit()

    def slices(self) -> list[list[Span]]:
        """Return the slices in order, each with its rows and its role. A row over the limit becomes
        several slices of plain text.
        """
        slices: list[list[Span]] = []
        for first, last in self._groups():
            if first in self.long_rows:
                log.debug(
                    "fallback to recursive_character: row %d of table %s is over the limit",
                    first,
                    self._table.id,
                )
                head = slices.pop() if slices and self._is_header_alone(slices[-1]) else []
                slices += self._row_slices(first, head)
            else:
                slices.append([self.slice(first, last, self._sizes.max_tokens)])
        return _with_roles(slices)

    # -- for callers that choose the rows

    @cached_property
    def tags(self) -> tuple[list[int], list[int]]:
        """Two lists with a number of tokens for each row: what a slice that begins with this row
        has before it (opening tag, repeated header, merged cells from rows above), and what a slice
        that ends with this row has after it.

        They are 0 at both ends of the table: its first and its last row count the tags.
        """
        count, end = self._assembler.meter.repeated, len(self.ranges)
        openings = [count(self._frame(self._heads(row), row, end).text) + 1 for row in range(end)]
        closings = [count(self._shown_table.closing)] * end
        openings[0] = closings[-1] = 0
        return openings, closings

    def slice(self, first: int, last: int, max_tokens: int) -> Span:
        """Return rows [first, last) as a table with its role. If it exceeds `max_tokens` tokens,
        the texts of merged cells from rows above are left out, and then the repeated header.
        """
        heads, labels, frame, tokens = self._opening(first, last, max_tokens)
        start, end = self.ranges[first][0], self.ranges[last - 1][1]
        closing = self._shown_table.closing
        parts = (
            Added(frame.wrapper, AddedRole.WRAPPER),
            Added(frame.header, AddedRole.HEADER),
            *self._assembler.text(self._block).parts(start, end),
            Added(closing, AddedRole.WRAPPER),
        )
        is_last = last == len(self.ranges)
        role = TableRole.FIRST if not first else TableRole.LAST if is_last else TableRole.MIDDLE
        named = self._assembler.heads(self._table)
        has_heads = last >= named if first == 0 else heads > 0
        return Span(
            "".join((*frame, self._content[start:end], closing)),
            tokens,
            self._block,
            start,
            end,
            None,
            tuple(part for part in parts if isinstance(part, Slice) or part.text),
            TableRows(self._table.id, (first, last - 1), role),
            named if has_heads else 0,
            self._left_out(first, columns=not has_heads, labels=not labels),
        )

    def _opening(self, first: int, last: int, max_tokens: int) -> tuple[int, bool, Frame, int]:
        """Return the number of repeated header rows, whether names of groups and merged cells are
        repeated, the text before rows [first, last), and the number of tokens of the slice.
        """
        whole = self._heads(first)
        for heads, labels in ((whole, True), (whole, False), (0, True), (0, False)):
            frame = self._frame(heads, first, last, labels=labels)
            tokens = self._measure(frame.text, first, last)
            if tokens <= max_tokens:
                break
        return heads, labels, frame, tokens

    def _left_out(self, row: int, *, columns: bool, labels: bool) -> str:
        """Return the names that a slice has no room for if it begins with this row: a line with
        those of the `columns`, and one with those of its group and of merged cells from rows above,
        the `labels`. "" if it begins with a header row.
        """
        if row < self.header_rows or self._item is None:
            return ""
        is_named = self.header_rows > 0 and self._assembler.heads(self._table) > 0
        lines = [self._assembler.column_names(self._item)] if columns and is_named else []
        if labels:
            grid = self._shown_table.grid
            cells = [grid.cells(group)[0] for group in grid.groups_above(row, self.header_rows)]
            cells += [cell for cell in grid.merged_above[row] if cell.row >= self.header_rows]
            lines.append("; ".join(filter(None, (key_of(grid.line(cell)) for cell in cells))))
        return "\n".join(filter(None, lines))

    # -- which rows go together

    def _groups(self) -> list[Range]:
        """Return ranges of rows that fit, and each row over the limit alone.

        A last range that is too small is merged into the one before it
        (docs/design/staged-chunking.md, stage B, rule 4).
        """
        groups: list[Range] = []
        at = 0
        for row in self.long_rows:
            groups += (*self._cut(at, row), (row, row + 1))
            at = row + 1
        groups += self._cut(at, len(self.ranges))
        if len(groups) > 1:
            (first, middle), (_, last) = groups[-2:]
            if (
                first not in self.long_rows
                and middle not in self.long_rows
                and self._size(middle, last) < self._sizes.least_last
                and self._size(first, last) <= self._sizes.max_tokens
            ):
                groups[-2:] = [(first, last)]
        return groups

    def _rows_over_the_limit(self) -> Mapping[int, None]:
        """Return the rows, in ascending order, that exceed the limit even as a table of one row
        without a repeated header and without the texts of merged cells from rows above. If rows
        cannot be recognized, return all.
        """
        if self._shown_table.grid.format is None:
            return dict.fromkeys(range(len(self.ranges)))
        longest = self._sizes.longest_row or self._sizes.max_tokens
        count = self._assembler.meter.repeated
        openings = [
            self._frame(0, row, row + 1, labels=False).text for row in range(len(self.ranges))
        ]
        closing = count(self._shown_table.closing)
        return dict.fromkeys(
            row
            for row, opening in enumerate(openings)
            # smaller rows fit: their approximate numbers are off by less than half
            if self.upto[row] - self.before[row] >= (longest - count(opening) - closing) // 2
            and self._measure(opening, row, row + 1) > longest
        )

    def _cut(self, first: int, last: int) -> Iterator[Range]:
        """Yield ranges of rows of balanced sizes; a range that is still too large is cut again."""
        waiting = [(first, last)] if first < last else []
        while waiting:
            first, last = waiting.pop()
            if last - first == 1 or self._size(first, last) <= self._sizes.max_tokens:
                yield first, last
            else:
                waiting += reversed([*pairwise(self._cuts(first, last))])

    def _cuts(self, first: int, last: int) -> list[int]:
        """Return rows at which a range that is too large can be cut, its ends included."""
        frame = self._around[first >= self.header_rows]
        ideal = max(self._sizes.ideal - frame, (self._sizes.max_tokens - frame) // 2, 1)
        start = self.before[first]
        end = self.before[last] if last < len(self.ranges) else self.upto[-1]
        count = max(2, -(-(end - start) // ideal))
        goals = (start + (end - start) * n // count for n in range(1, count))
        return sorted({first, last, *(self._row_near(first, last, goal) for goal in goals)})

    def _row_near(self, first: int, last: int, goal: int) -> int:
        """Return the row nearest to a goal in tokens at which a slice can start. If a cut before
        this row divides a merged cell, or a group from its name, and a cut before a neighbour does
        not, return the neighbour.
        """
        low = first + 1
        if last > self.header_rows:  # the header, with a row below it, is not cut unless it has to
            low = max(low, min(self.header_rows + 1, last - 1))
        nearest = bisect_left(self.before, goal)
        row = min(max(nearest, low), last - 1)
        if row > low and goal - self.before[row - 1] < self.before[row] - goal:
            row -= 1
        near = (other for other in (row, row - 1, row + 1) if low <= other < last)
        return next((other for other in near if not self._divides(other)), row)

    def _divides(self, row: int) -> bool:
        """Return whether a cut before a row divides a merged cell, or a group from its name."""
        return bool(self.merged_above[row]) or self.follows_group(row)

    def follows_group(self, row: int) -> bool:
        """Return whether the row above a row names its group."""
        return row - 1 in self._shown_table.grid.groups

    # -- sizes of slices

    @cached_property
    def _around(self) -> tuple[int, int]:
        """The number of tokens around the rows of a slice, without and with a repeated header."""
        count, end = self._assembler.meter.repeated, len(self.ranges)
        frames = [self._frame(heads, end - 1, end) for heads in (0, self._heads(end - 1))]
        closing = count(self._shown_table.closing)
        around = [count(frame.wrapper) + count(frame.header) + closing for frame in frames]
        return around[0], around[1]

    @cached_property
    def _repeated(self) -> int:
        """The number of header rows that later slices repeat."""
        if not self._sizes.repeat_headers:
            return 0
        header = self._shown_table.frame(
            self.header_rows, self.header_rows, len(self.ranges)
        ).header
        tokens = self._assembler.meter.repeated(header)
        return self.header_rows if tokens <= self._sizes.max_tokens // 2 else 0

    def _heads(self, row: int) -> int:
        """Return the number of header rows that a slice repeats if it begins with this row."""
        return self._repeated if row >= self.header_rows else 0

    def _frame(self, heads: int, first: int, last: int, *, labels: bool = True) -> Frame:
        """Return the text before rows [first, last)."""
        if self.merged_above[first] or self._shown_table.grid.groups:
            return self._shown_table.frame(heads, first, last, labels=labels)
        key = heads, min(first, 1)
        if key not in self._frames:
            self._frames[key] = self._shown_table.frame(heads, first, last)
        return self._frames[key]

    def _size(self, first: int, last: int) -> int:
        """Return the number of tokens of rows [first, last)."""
        return self._measure(self._frame(self._heads(first), first, last).text, first, last)

    def _measure(self, opening: str, first: int, last: int) -> int:
        """Return the number of tokens of rows [first, last) with an opening and the closing
        tags.
        """
        if opening not in self._openings:
            word = self._assembler.meter.last_word(opening)
            tokens = self._assembler.meter.repeated(opening[:word]) if word else 0
            self._openings[opening] = tokens, opening[word:]
        tokens, rest = self._openings[opening]
        start, end = self.ranges[first][0], self.ranges[last - 1][1]
        return tokens + self._ruler.measure(start, end, rest, self._shown_table.closing)

    # -- rows that are too long for a table

    def _is_header_alone(self, spans: list[Span]) -> bool:
        rows = spans[0].rows
        return (
            rows is not None
            and rows.rows[1] < self.header_rows
            and rows.rows[0] not in self.long_rows
        )

    def _row_slices(self, row: int, head: list[Span]) -> list[list[Span]]:
        """Return a row as plain text, in slices that fit. `head` is the header, if it would be a
        slice of its own: it is joined to the first slice, if a quarter of the limit is left there.
        """
        max_tokens, row_text = self._sizes.max_tokens, self._row_text(row)
        slices, first_cap = [[*head]], max_tokens - (head[0].tokens + 1 if head else 0)
        if first_cap < max_tokens // 4:
            slices, first_cap = [head, []], max_tokens
        meter = self._assembler.meter
        ruler = meter.ruler(row_text.text)
        for start, end, before, tokens in row_pieces(row_text, ruler, meter, first_cap, max_tokens):
            parts = row_text.parts(start, end)
            if not any(isinstance(part, Slice) for part in parts):
                continue  # a label for which there is no room beside its cell
            label = (Added(before, AddedRole.LABEL),) if before else ()
            span = Span(
                before + row_text.text[start:end],
                tokens,
                self._block,
                *self.ranges[row],
                None,
                (*label, *parts),
                TableRows(self._table.id, (row, row), TableRole.NONE),
            )
            if start:
                slices.append([span])
            else:
                slices[-1].append(span)
        return [spans for spans in slices if spans]

    @cached_property
    def _header(self) -> list[list[str]]:
        return header_rows(self._item, self._sizes.guessed_headers)[: self.header_rows]

    def _row_text(self, row: int) -> RowText:
        grid, text = self._shown_table.grid, self._assembler.text(self._block)
        if row < self.header_rows:
            return RowText(text, grid, row)
        longest = self._sizes.max_tokens // 4
        labels = labels_of(self._header, longest)
        key_columns = self._item.header_columns if self._item else 0
        keys = {
            cell.column: key_of(grid.line(cell), longest)
            for cell in (*grid.merged_above[row], *grid.cells(row))
            if (cell.column < key_columns or cell.row < row) and cell.row >= self.header_rows
        }
        groups = (
            grid.line(grid.cells(group)[0]) for group in grid.groups_above(row, self.header_rows)
        )
        keys[_GROUP] = key_of(" / ".join(groups), longest)
        shown_keys = {column: key for column, key in sorted(keys.items()) if key}
        return RowText(text, grid, row, labels, shown_keys)


def _with_roles(slices: list[list[Span]]) -> list[list[Span]]:
    """Return the slices with their roles, by position in the table (docs/design/staged-chunking.md,
    stage B, rule 6).
    """
    roles = [TableRole.FIRST, *[TableRole.MIDDLE] * (len(slices) - 2), TableRole.LAST]
    if len(slices) < 2:
        roles = [TableRole.NONE] * len(slices)
    return [
        [span._replace(rows=span.rows and span.rows._replace(role=role)) for span in spans]
        for spans, role in zip(slices, roles, strict=True)
    ]
