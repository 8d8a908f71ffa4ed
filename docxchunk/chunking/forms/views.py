"""Tables as slices see them: where the rows stand in the text that chunks show, and what has to stand around some of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property
from operator import itemgetter
from typing import Final, NamedTuple

from docxchunk.chunking.forms.stored import StoredTable
from docxchunk.chunking.forms.tables import blank_head
from docxchunk.markup.tables import Range, VerticalMerge, sections, vertical_merges
from docxchunk.model.chunks import TableForm
from docxchunk.model.objects import TableFormat

_ROWSPAN = re.compile(r"""\s+rowspan\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)


class Frame(NamedTuple):
    """What stands before the rows of a slice: the syntax of the table, and repeated rows."""

    wrapper: str
    header: str = ""


class TableView:
    """A table in a shown text: row i is `text[rows[i]]`. `stored` is the table as it stands in the block.

    This one is of a table whose rows cannot be told apart.
    """

    def __init__(self, text: str, rows: list[Range], opening: str, stored: StoredTable) -> None:
        self.text, self.rows, self.stored = text, rows, stored
        self._opening = opening

    def frame(self, row: int, heads: int = 0) -> Frame:  # noqa: ARG002 - the same for all rows here
        """What stands before a slice that begins with this row; `heads`: so many rows of the header are repeated in it."""
        return Frame(self._opening)

    def closing(self, row: int) -> str:  # noqa: ARG002
        """What stands after a slice that ends with this row."""
        return "</table>"

    @cached_property
    def reaches(self) -> list[Range]:
        """The rows that each merged cell reaches over, half-open."""
        return [(merge.row, merge.row + merge.cell.rows) for merge in self.stored.merges]

    def parts_cells(self, row: int) -> bool:
        """Would a cut before this row part a merged cell?"""
        return any(first < row < last for first, last in self.reaches)

    def carried(self, first: int, last: int) -> Iterator[str]:  # noqa: ARG002
        """Merged cells that reach into rows [first, last) from above, for a row of their own; then the same with less text."""
        yield from ()


class JsonView(TableView):
    """JSON rows between the tags of a table."""

    def frame(self, row: int, heads: int = 0) -> Frame:  # noqa: ARG002
        return Frame(f"{self._opening}[", "".join(f"{self.text[start:end]}," for start, end in self.rows[:heads]))

    def closing(self, row: int) -> str:  # noqa: ARG002
        return "]</table>"


class HtmlView(TableView):
    """HTML rows between the tags of a table, perhaps in sections."""

    def frame(self, row: int, heads: int = 0) -> Frame:
        """The header comes without what may stand before a row: a caption, the tag of its section."""
        section = self._sections[row][0]
        header = "".join(self.text[max(self.text.find("<tr", start, end), start) : end] for start, end in self.rows[:heads])
        return Frame(f"{self._opening}<{section}>" if section else self._opening, header)

    def closing(self, row: int) -> str:
        section = self._sections[row][1]
        return f"</{section}></table>" if section else "</table>"

    @cached_property
    def _sections(self) -> list[tuple[str, str]]:
        return sections(self.text, self.rows)

    @cached_property
    def reaches(self) -> list[Range]:
        """Found without reading the cells."""
        found: list[Range] = []
        for mark in _ROWSPAN.finditer(self.text, self.rows[0][0], self.rows[-1][1]):
            row = bisect_right(self.rows, mark.start(), key=itemgetter(0)) - 1
            reach = int(digits) if (digits := "".join(filter(str.isdigit, mark[0]))[:4]) else 1
            found.append((row, row + reach))
        return found

    @cached_property
    def _merges(self) -> list[VerticalMerge]:
        return self.stored.merges if self.text is self.stored.content else vertical_merges(self.text, self.rows)

    def carried(self, first: int, last: int) -> Iterator[str]:
        """The merged cells of rows before a slice, repeated in a row of their own, from which they reach down as far as they did.

        Then the same with the longest of them empty, and the next, so that where all is too much the columns stay right and the short ones are read.
        """
        crossing = [merge for merge in self._merges if merge.row < first < merge.row + merge.cell.rows] if self.parts_cells(first) else []
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
            opening = _ROWSPAN.sub(f' rowspan="{left + 1}"', self.text[start : merge.cell.start], count=1)
            inside = merge.cell.end if merge in empty else merge.cell.start
            yield "<td></td>" * (merge.column - column) + opening + self.text[inside:end]
            column = merge.column + merge.cell.columns


class TextView(TableView):
    """A line for each row, each with the names of its columns."""

    def frame(self, row: int, heads: int = 0) -> Frame:  # noqa: ARG002
        return Frame("")

    def closing(self, row: int) -> str:  # noqa: ARG002
        return ""


class MarkdownView(TextView):
    """A pipe table: the first row includes the rule under the head, and an empty head where the columns have no names."""

    def frame(self, row: int, heads: int = 0) -> Frame:
        if heads:
            return Frame("", f"{self.text[self.rows[0][0] : self.rows[heads - 1][1]]}\n")
        return Frame("" if row == 0 else self._blank_head)

    @cached_property
    def _blank_head(self) -> str:
        return blank_head(self.stored)


def stored_view(stored: StoredTable) -> TableView:
    """A table that is shown as it is stored."""
    view = {TableFormat.JSON: JsonView, TableFormat.HTML: HtmlView, None: TableView}[stored.format]
    return view(stored.content, stored.rows, stored.tag.opening, stored)


READ: Final[Mapping[TableForm, type[TableView]]] = {TableForm.MARKDOWN: MarkdownView, TableForm.HTML: HtmlView, TableForm.TEXT: TextView}
