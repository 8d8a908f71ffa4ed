"""Render tables as GitHub Flavored Markdown, HTML or plain text, and build the text around slices.

`render` writes a grid row by row. Markdown and plain text have no merged cells: a cell that spans
several columns is shown in the first one; a cell that spans several rows is repeated in each of
them, as `key_of` returns it.

A `ShownTable` is a table as chunks show it, rendered or as stored. It knows the text before and
after a slice of its rows: the syntax of a table, the repeated header rows, and the merged cells of
rows above.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.content.table_texts import (
    LONGEST_LABEL,
    cell_label,
    header_above,
    key_of,
    labels_of,
)
from docxchunk.content.tables import GridCell, TableContent, row_opening
from docxchunk.content.tags import Describe, cell_tag, html_cell, markdown_cell, plain, plain_cell
from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import Range
from docxchunk.model.blocks import TableFormat
from docxchunk.model.chunks import TableForm

_EMPTY_ROW: Final = "-"
_ROWSPAN: Final = pattern(
    r"""(?<!\s)\s++rowspan\s*+=\s*+(?:"[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE
)


# -- rendering


class RenderedTable(NamedTuple):
    """A table in one form: the opening text, the rows, the separator of rows, and the closing text.

    A slice without header rows begins with `blank_head`.
    """

    opening: str
    rows: list[str]
    between: str
    closing: str
    blank_head: str = ""


class _FormCell(NamedTuple):
    text: str
    columns: int
    rows: int  # rowspan; 0: the cell is repeated from a row above


_FormRow = dict[int, _FormCell]
"""The cells of a row by their first column."""


def render(
    grid: TableContent, form: TableForm, header: list[list[str]], describe: Describe
) -> RenderedTable:
    """Return a table in a form other than JSON, with one text for each row of the grid. `header`
    are the texts of its header rows; `describe` replaces pictures by text.
    """
    read, write = _FORMS[form]
    header = header_above(header, grid.rows)
    return write(_cells_by_column(grid, describe, read, len(header)), header, describe)


def _markdown(rows: list[_FormRow], header: list[list[str]], _: Describe) -> RenderedTable:
    width = max((column + row[column].columns for row in rows for column in row), default=1)
    texts = [
        _pipes([row[column].text if column in row else "" for column in range(width)])
        for row in rows
    ]
    rule = "|" + "---|" * width
    # the header is mandatory (GitHub Flavored Markdown, 4.10)
    blank_head = f"{_pipes([''] * width)}\n{rule}\n"
    texts[0] = f"{texts[0]}\n{rule}" if header else blank_head + texts[0]
    return RenderedTable("", texts, "\n", "", blank_head)


def text_lines(rows: list[list[str]], header: list[list[str]]) -> list[str]:
    """Return a line for each row of texts, as in the form TEXT. `header` are the header rows."""
    cells = [{column: _FormCell(text, 1, 1) for column, text in enumerate(row)} for row in rows]
    return _text(cells, header_above(header, rows), str).rows


def _pipes(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _text(rows: list[_FormRow], header: list[list[str]], describe: Describe) -> RenderedTable:
    labels = [plain_cell(label, describe) for label in labels_of(header)]
    width = max((column + cell.columns for row in rows for column, cell in row.items()), default=0)
    names = [
        [plain_cell(text, describe) for text in [*row, *[""] * (width - len(row))]]
        for row in header
    ]
    filled = sorted({column for row in rows for column, cell in row.items() if cell.text})
    texts: list[str] = []
    for number, row in enumerate(rows):
        if number < len(header) or _has_no_names(row, width, names):
            texts.append(_values(row))
        else:
            texts.append(_line(row, labels) if any(labels) else _values(row, filled))
    return RenderedTable("", texts, "\n", "")


def _has_no_names(row: _FormRow, width: int, names: Sequence[Sequence[str]]) -> bool:
    """Return whether the columns do not name the cells of a row: one cell is over all columns, or
    the row repeats a header row.
    """
    if len(row) < 2:
        return all(cell.columns == width for cell in row.values())
    return any(all(texts[column] == cell.text for column, cell in row.items()) for texts in names)


def _line(row: _FormRow, labels: Sequence[str]) -> str:
    """Return the non-empty cells of a row, each with the name of its columns."""
    texts: list[str] = []
    for column, cell in sorted(row.items()):
        label = cell_label(labels, column, cell.columns)
        if cell.text:
            texts.append(f"{label}: {cell.text}" if label else cell.text)
    return "; ".join(texts) or _EMPTY_ROW


def _values(row: _FormRow, columns: Sequence[int] = ()) -> str:
    """Return the texts of the cells of a row; `_EMPTY_ROW` for each empty cell before the last text
    in one of `columns`.
    """
    last = max((column for column, cell in row.items() if cell.text), default=-1)
    texts = [
        cell.text or _EMPTY_ROW
        for column, cell in sorted(row.items())
        if cell.text or (column < last and column in columns)
    ]
    return "; ".join(texts) or _EMPTY_ROW


def _html(rows: list[_FormRow], header: list[list[str]], _: Describe) -> RenderedTable:
    heads = len(header)
    texts = [_html_row(row, "th" if number < heads else "td") for number, row in enumerate(rows)]
    return RenderedTable("<table>", texts, "", "</table>")


def _html_row(row: _FormRow, name: str) -> str:
    cells = (
        cell_tag(name, cell.text, cell.rows, cell.columns) for cell in row.values() if cell.rows
    )
    return f"<tr>{''.join(cells)}</tr>"


def _cells_by_column(
    grid: TableContent, describe: Describe, read: Callable[[str, Describe], str], heads: int
) -> list[_FormRow]:
    """Return the cells of each row by column, including the names of cells that span it from a row
    above. A cell of the first `heads` rows is a name of its column: it is no value in the rows
    below them.
    """
    rows: list[_FormRow] = [{} for _ in grid.rows]
    for number in range(len(rows)):
        for cell, stored in _whole_cells(grid, number):
            text = read(stored, describe)
            rows[number][cell.column] = _FormCell(text, cell.columns, cell.rows)
            if cell.rows > 1:
                end = number + cell.rows if number >= heads else min(number + cell.rows, heads)
                again = _FormCell(key_of(text), cell.columns, 0)
                for row in rows[number + 1 : end]:
                    row[cell.column] = again
    return rows


def _whole_cells(grid: TableContent, row: int) -> Iterator[tuple[GridCell, str]]:
    """Yield each cell of a row with its text on one line.

    Text of the row outside its cells, such as a caption, belongs to the next cell, or to the last
    cell if none follows. A JSON row that is not a list of strings is one cell.
    """
    at, end = grid.rows[row]
    cells = grid.cells(row)
    if grid.format is TableFormat.JSON:
        if not cells:
            yield GridCell(at, end, (at, end), row, 0), " ".join(grid.content[at:end].split())
        for cell in cells:
            yield cell, grid.line(cell)
        return
    for number, cell in enumerate(cells, 1):
        widened = cell._replace(start=at, end=end if number == len(cells) else cell.end)
        yield widened, grid.line(widened)
        at = cell.tag[1]


_FORMS: Final[
    Mapping[
        TableForm,
        tuple[
            Callable[[str, Describe], str],
            Callable[[list[_FormRow], list[list[str]], Describe], RenderedTable],
        ],
    ]
] = {
    TableForm.MARKDOWN: (markdown_cell, _markdown),
    TableForm.HTML: (html_cell, _html),
    TableForm.TEXT: (plain_cell, _text),
}


# -- slices


class Frame(NamedTuple):
    """The text before the rows of a slice: the opening syntax of the table, and the repeated rows:
    header rows, and a row of merged cells that continue from rows above.
    """

    wrapper: str
    header: str = ""

    @property
    def text(self) -> str:
        return self.wrapper + self.header


@dataclass(eq=False)
class ShownTable:
    """A table `text[start:end]` in the text that chunks show: row i is `text[rows[i]]`. `grid` is
    the table as it is stored in the block. `opening` and `closing` are around each slice.
    """

    text: str
    start: int
    end: int
    rows: list[Range]
    grid: TableContent
    opening: str = ""
    closing: str = ""

    @property
    def id(self) -> str:
        return self.grid.id

    def frame(self, heads: int, first: int, last: int, *, labels: bool = True) -> Frame:  # noqa: ARG002 - subclasses use them
        """Return the text before rows [first, last). It repeats the first `heads` rows of the
        table, and the merged cells that continue in the slice from rows above. With `labels`, these
        have their texts, cut to the length of a name, and the rows that name the group of the first
        row are repeated.
        """
        return Frame(self.opening, self._groups(heads, first, "\n") if labels else "")

    def _groups(self, heads: int, first: int, after: str) -> str:
        """Return the rows that name the group of row `first`, with `after` behind each."""
        rows = [self.rows[group] for group in self.grid.groups_above(first, heads)]
        return "".join(f"{self.text[start:end]}{after}" for start, end in rows)


class _JsonTable(ShownTable):
    """A table with JSON rows."""

    def frame(self, heads: int, first: int, last: int, *, labels: bool = True) -> Frame:  # noqa: ARG002
        header = "".join(f"{self.text[start:end]}," for start, end in self.rows[:heads])
        return Frame(self.opening, header + (self._groups(heads, first, ",") if labels else ""))


class _MarkdownTable(ShownTable):
    """A pipe table. Its first row includes the delimiter row and, if the columns have no names, an
    empty header.
    """

    def frame(self, heads: int, first: int, last: int, *, labels: bool = True) -> Frame:  # noqa: ARG002
        if heads:
            groups = self._groups(heads, first, "\n") if labels else ""
            return Frame("", f"{self.text[self.rows[0][0] : self.rows[heads - 1][1]]}\n{groups}")
        return Frame(self.opening if first else "")


class _HtmlTable(ShownTable):
    """A table with HTML rows."""

    def frame(self, heads: int, first: int, last: int, *, labels: bool = True) -> Frame:
        """Return the text before a slice. The header leaves out anything before its <tr> tags, such
        as a caption.

        Cells of the repeated header that continue in the slice do so there, too. A row repeats the
        other merged cells of the rows before the slice, with the rest of their rowspan, so that the
        columns stay aligned.
        """
        above = self._shown_grid.merged_above[first]
        crossing = sorted((cell for cell in above if cell.row >= heads), key=attrgetter("column"))
        of_header = {column for cell in above if cell.row < heads for column in cell.covered}

        def rows_left(cell: GridCell) -> int:
            left = min(cell.row + cell.rows, last) - first
            return left + bool(crossing) if left > 0 else 0

        header = self._header(heads, rows_left) + (self._groups(heads, first, "") if labels else "")
        if crossing:
            cells = _carried(self._shown_grid, crossing, of_header, rows_left, labels=labels)
            header += f"<tr>{''.join(cells)}</tr>"
        return Frame(self.opening, header)

    def _header(self, heads: int, rows_left: Callable[[GridCell], int]) -> str:
        """Return the first `heads` rows. A cell that also spans rows below them spans `rows_left`
        rows below the header of the slice.
        """
        spanning = self._shown_grid.merged_above[heads] if 0 < heads < len(self.rows) else ()
        spans = {cell.tag[0]: (cell, heads - cell.row + rows_left(cell)) for cell in spanning}
        texts: list[str] = []
        for row in self.rows[:heads]:
            at = row_opening(self.text, row)
            for start in sorted(start for start in spans if row[0] <= start < row[1]):
                cell, rows = spans[start]
                texts += self.text[at:start], _opening_tag(self.text, cell, rows)
                at = cell.start
            texts.append(self.text[at : row[1]])
        return "".join(texts)

    @cached_property
    def _shown_grid(self) -> TableContent:
        """The grid of the shown text."""
        if self.text is self.grid.content:
            return self.grid
        start, end = self.rows[0][0], self.rows[-1][1]
        return TableContent(self.text, start, end, start, end, '<table format="html">')


def _carried(
    grid: TableContent,
    crossing: list[GridCell],
    of_header: set[int],
    rows_left: Callable[[GridCell], int],
    *,
    labels: bool,
) -> Iterator[str]:
    """Yield the cells of a row that repeats merged cells; with `labels`, they have their texts.
    `of_header` are the columns in which cells of the header span this row, too.
    """
    column, text = 0, grid.content
    for cell in crossing:
        blank = sum(skipped not in of_header for skipped in range(column, cell.column))
        inside = _name(grid, cell) if labels else ""
        opening = _opening_tag(text, cell, rows_left(cell))
        yield "<td></td>" * blank + opening + inside + text[cell.end : cell.tag[1]]
        column = cell.column + cell.columns


def _name(grid: TableContent, cell: GridCell) -> str:
    """Return the text of a merged cell in the rows below its first, as HTML."""
    if cell.end - cell.start <= LONGEST_LABEL:
        return grid.content[cell.start : cell.end]
    return html.escape(key_of(plain(grid.line(cell))), quote=False)


def _opening_tag(text: str, cell: GridCell, rows: int) -> str:
    """Return the opening tag of a merged cell, with this rowspan."""
    rowspan = f' rowspan="{rows}"' if rows > 1 else ""
    return _ROWSPAN.sub(rowspan, text[cell.tag[0] : cell.start], count=1)


TableInText = TableContent | ShownTable
"""A table in the text that chunks show, as stored or in another form."""


def shown_table(table: TableInText) -> ShownTable:
    """Return a table with its rows and the text around slices of it."""
    if isinstance(table, ShownTable):
        return table
    opening, closing = table.opening, "</table>"
    shown = _HtmlTable if table.format is TableFormat.HTML else ShownTable
    if table.format is TableFormat.JSON:
        shown, opening, closing = _JsonTable, f"{opening}[", f"]{closing}"
    return shown(table.content, table.start, table.end, table.rows, table, opening, closing)


class PlacedTable(NamedTuple):
    """A stored table, and the places of its rendered form and of each row of this."""

    stored: TableContent
    start: int
    end: int
    rows: list[Range]
    blank_head: str


def rendered_table(text: str, form: TableForm, table: PlacedTable) -> ShownTable:
    """Return a table that `render` wrote to this place in a text; one without rows is as stored."""
    stored, start, end, rows, blank_head = table
    shown, opening, closing = ShownTable, "", ""
    if stored.format is None:
        opening, closing = stored.opening, "</table>"
    elif form is TableForm.MARKDOWN:
        shown, opening = _MarkdownTable, blank_head
    elif form is TableForm.HTML:
        shown, opening, closing = _HtmlTable, "<table>", "</table>"
    return shown(text, start, end, rows, stored, opening, closing)
