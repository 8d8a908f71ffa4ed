"""Locate the rows of a table in the shown text, and build the text around slices of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from docxchunk.chunking.forms.stored import StoredTable, merged_above
from docxchunk.chunking.forms.tables import blank_head
from docxchunk.markup.tables import Range, VerticalMerge, sections, vertical_merges
from docxchunk.model.chunks import TableForm
from docxchunk.model.objects import TableFormat

_ROWSPAN = re.compile(r"""\s+rowspan\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)


class Frame(NamedTuple):
    """The text before the rows of a slice: the opening syntax of the table, and the repeated header
    rows.
    """

    wrapper: str
    header: str = ""


class TableView:
    """A table in the shown text: row i is `text[rows[i]]`. `stored` is the table in the block.

    The base class is for a table whose rows cannot be recognized.
    """

    def __init__(self, text: str, rows: list[Range], opening: str, stored: StoredTable) -> None:
        self.text, self.rows, self.stored = text, rows, stored
        self._opening = opening
        # by the section of the row and the number of header rows
        self._frames: dict[tuple[str, int], Frame] = {}

    def frame(self, row: int, heads: int = 0) -> Frame:  # noqa: ARG002 - subclasses use them
        """Return the text before a slice that starts with this row; `heads` is the number of header
        rows to repeat.
        """
        return Frame(self._opening)

    def closing(self, row: int) -> str:  # noqa: ARG002
        """Return the text after a slice that ends with this row."""
        return "</table>"

    @cached_property
    def reaches(self) -> list[Range]:
        """The half-open row range of each cell that spans several rows."""
        return [(merge.row, merge.row + merge.cell.rows) for merge in self.stored.merges]

    def parts_cells(self, row: int) -> bool:
        """Return whether a cut before this row splits a merged cell."""
        return self._crossings[row] > 0

    @cached_property
    def _crossings(self) -> list[int]:
        """The number of merged cells that a cut before each row splits."""
        changes = [0] * (len(self.rows) + 1)
        for first, last in self.reaches:
            if first + 1 < min(last, len(self.rows)):
                changes[first + 1] += 1
                changes[min(last, len(self.rows))] -= 1
        return list(accumulate(changes))

    def carried(self, first: int, last: int) -> list[Callable[[], str]]:  # noqa: ARG002
        """Return functions that write a row of the merged cells that span into rows [first, last)
        from above, with less and less text.
        """
        return []


class JsonView(TableView):
    """A table with JSON rows."""

    def frame(self, row: int, heads: int = 0) -> Frame:  # noqa: ARG002
        key = "", heads
        if key not in self._frames:
            self._frames[key] = Frame(
                f"{self._opening}[",
                "".join(f"{self.text[start:end]}," for start, end in self.rows[:heads]),
            )
        return self._frames[key]

    def closing(self, row: int) -> str:  # noqa: ARG002
        return "]</table>"


class HtmlView(TableView):
    """A table with HTML rows, optionally in sections such as <tbody>."""

    def frame(self, row: int, heads: int = 0) -> Frame:
        """Return the text before a slice. The header leaves out anything before its <tr> tags, such
        as a caption or a section tag.
        """
        section = self._sections[row][0]
        key = section, heads
        if key not in self._frames:
            header = "".join(
                self.text[max(self.text.find("<tr", start, end), start) : end]
                for start, end in self.rows[:heads]
            )
            self._frames[key] = Frame(
                f"{self._opening}<{section}>" if section else self._opening, header
            )
        return self._frames[key]

    def closing(self, row: int) -> str:
        section = self._sections[row][1]
        return f"</{section}></table>" if section else "</table>"

    @cached_property
    def _sections(self) -> list[tuple[str, str]]:
        return sections(self.text, self.rows)

    @cached_property
    def reaches(self) -> list[Range]:
        """The half-open row ranges, read from the rowspan attributes alone."""
        found: list[Range] = []
        for mark in _ROWSPAN.finditer(self.text, self.rows[0][0], self.rows[-1][1]):
            row = bisect_right(self.rows, mark.start(), key=itemgetter(0)) - 1
            reach = int(digits) if (digits := "".join(filter(str.isdigit, mark[0]))[:4]) else 1
            found.append((row, row + reach))
        return found

    @cached_property
    def _merged_above(self) -> list[tuple[VerticalMerge, ...]]:
        """For each row, the merged cells of rows above that continue in it."""
        return (
            self.stored.merged_above
            if self.text is self.stored.content
            else merged_above(vertical_merges(self.text, self.rows), len(self.rows))
        )

    def carried(self, first: int, last: int) -> list[Callable[[], str]]:
        """Return functions that write a row that repeats the merged cells of the rows before a
        slice, with the rest of their rowspan.

        The second writes it with the longest cell empty, the third with the two longest, and so on.
        Where the full row does not fit, the columns stay aligned.
        """
        above = self._merged_above[first] if self.parts_cells(first) else ()
        crossing = sorted(above, key=attrgetter("column"))
        longest = sorted(above, key=lambda merge: merge.cell.end - merge.cell.start, reverse=True)

        def written(empty: int) -> str:
            cells = self._carried_cells(crossing, {*longest[:empty]}, first, last)
            return f"<tr>{''.join(cells)}</tr>"

        return [partial(written, empty) for empty in range(len(crossing) + 1)] if crossing else []

    def _carried_cells(
        self, crossing: list[VerticalMerge], empty: set[VerticalMerge], first: int, last: int
    ) -> Iterator[str]:
        column = 0
        for merge in crossing:
            start, end = merge.cell.tag
            left = min(merge.row + merge.cell.rows, last) - first
            opening = _ROWSPAN.sub(
                f' rowspan="{left + 1}"', self.text[start : merge.cell.start], count=1
            )
            inside = merge.cell.end if merge in empty else merge.cell.start
            yield "<td></td>" * (merge.column - column) + opening + self.text[inside:end]
            column = merge.column + merge.cell.columns


class TextView(TableView):
    """A table with one line of text per row, which contains the column names."""

    def frame(self, row: int, heads: int = 0) -> Frame:  # noqa: ARG002
        return Frame("")

    def closing(self, row: int) -> str:  # noqa: ARG002
        return ""


class MarkdownView(TextView):
    """A pipe table. Its first row includes the delimiter row and, if the columns have no names, an
    empty header.
    """

    def frame(self, row: int, heads: int = 0) -> Frame:
        if heads:
            return Frame("", f"{self.text[self.rows[0][0] : self.rows[heads - 1][1]]}\n")
        return Frame("" if row == 0 else self._blank_head)

    @cached_property
    def _blank_head(self) -> str:
        return blank_head(self.stored)


def stored_view(stored: StoredTable) -> TableView:
    """Return the view of a table that is shown unchanged."""
    view = {TableFormat.JSON: JsonView, TableFormat.HTML: HtmlView, None: TableView}[stored.format]
    return view(stored.content, stored.rows, stored.tag.opening, stored)


READ: Final[Mapping[TableForm, type[TableView]]] = {
    TableForm.MARKDOWN: MarkdownView,
    TableForm.HTML: HtmlView,
    TableForm.TEXT: TextView,
}
