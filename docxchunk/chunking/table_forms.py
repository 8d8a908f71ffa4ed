"""Render tables as GitHub Flavored Markdown, HTML or plain text, and build the text around slices.

`render` writes a grid row by row. Markdown and plain text have no merged cells: a cell that spans
several columns is shown in the first one; a cell that spans several rows is repeated in each row if
it is short enough to be a label, and is otherwise shown in the first row.

A `ShownTable` is a table as chunks show it, rendered or as stored. It knows the text before and
after a slice of its rows: the syntax of a table, the repeated header rows, and the merged cells of
rows above.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.markup.table_texts import key_of, labels_of
from docxchunk.markup.tables import Grid, GridCell, Range, TableTag, row_opening
from docxchunk.markup.tags import Describe, cell_tag, html_cell, markdown_cell, plain_cell
from docxchunk.model.blocks import TableFormat
from docxchunk.model.chunks import TableForm

_EMPTY_ROW: Final = "-"
_ROWSPAN: Final = re.compile(
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
    grid: Grid, form: TableForm, header: list[list[str]], describe: Describe
) -> RenderedTable:
    """Return a table in a form other than JSON, with one text for each row of the grid. `header`
    are the texts of its header rows; `describe` replaces pictures by text.
    """
    read, write = _FORMS[form]
    return write(_cells_by_column(grid, describe, read), header, describe)


def _markdown(rows: list[_FormRow], header: list[list[str]], _: Describe) -> RenderedTable:
    width = max((column + row[column].columns for row in rows for column in row), default=1)
    texts = [
        _pipes([row[column].text if column in row else "" for column in range(width)])
        for row in rows
    ]
    rule = "|" + "---|" * width
    # the header is mandatory (GitHub Flavored Markdown, 4.10)
    blank_head = f"{_pipes([''] * width)}\n{rule}\n"
    texts[0] = f"{texts[0]}\n{rule}" if _heads(rows, header) else blank_head + texts[0]
    return RenderedTable("", texts, "\n", "", blank_head)


def text_lines(rows: list[list[str]], header: list[list[str]]) -> list[str]:
    """Return a line for each row of texts, as in the form TEXT. `header` are the header rows."""
    cells = [{column: _FormCell(text, 1, 1) for column, text in enumerate(row)} for row in rows]
    return _text(cells, header, str).rows


def _pipes(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _text(rows: list[_FormRow], header: list[list[str]], describe: Describe) -> RenderedTable:
    heads = _heads(rows, header)
    labels = [plain_cell(label, describe) for label in labels_of(header[:heads])]
    texts = [_line(row, labels if number >= heads else []) for number, row in enumerate(rows)]
    return RenderedTable("", texts, "\n", "")


def _line(row: _FormRow, labels: Sequence[str]) -> str:
    """Return the non-empty cells of a row, each with the name of its columns."""
    texts: list[str] = []
    for column, cell in sorted(row.items()):
        label = " / ".join(dict.fromkeys(filter(None, labels[column : column + cell.columns])))
        if cell.text:
            texts.append(f"{label}: {cell.text}" if label else cell.text)
    return "; ".join(texts) or _EMPTY_ROW


def _html(rows: list[_FormRow], header: list[list[str]], _: Describe) -> RenderedTable:
    heads = _heads(rows, header)
    texts = [_html_row(row, "th" if number < heads else "td") for number, row in enumerate(rows)]
    return RenderedTable("<table>", texts, "", "</table>")


def _html_row(row: _FormRow, name: str) -> str:
    cells = (
        cell_tag(name, cell.text, cell.rows, cell.columns) for cell in row.values() if cell.rows
    )
    return f"<tr>{''.join(cells)}</tr>"


def _heads(rows: Sequence[object], header: Sequence[object]) -> int:
    """Return the number of header rows, 0 if the table has no other rows."""
    return len(header) if len(header) < len(rows) else 0


def _cells_by_column(
    grid: Grid, describe: Describe, read: Callable[[str, Describe], str]
) -> list[_FormRow]:
    """Return the cells of each row by column, including short cells that span it from a row
    above.
    """
    rows: list[_FormRow] = [{} for _ in grid.rows]
    for number in range(len(rows)):
        for cell, stored in _whole_cells(grid, number):
            text = read(stored, describe)
            rows[number][cell.column] = _FormCell(text, cell.columns, cell.rows)
            if cell.rows > 1 and key_of(text):
                for row in rows[number + 1 : number + cell.rows]:
                    row[cell.column] = _FormCell(text, cell.columns, 0)
    return rows


def _whole_cells(grid: Grid, row: int) -> Iterator[tuple[GridCell, str]]:
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
        whole = cell._replace(start=at, end=end if number == len(cells) else cell.end)
        yield whole, grid.line(whole)
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
    """The text before the rows of a slice: the opening syntax of the table, and the repeated header
    rows.
    """

    wrapper: str
    header: str = ""


class ShownTable:
    """A table in the text that chunks show: row i is `text[rows[i]]`. `grid` is the table as it is
    stored in the block.

    A section of a table is an element around rows, such as <tbody>. This base class is for tables
    without sections.
    """

    def __init__(
        self, text: str, rows: list[Range], grid: Grid, opening: str = "", closing: str = ""
    ) -> None:
        self.text, self.rows, self.grid = text, rows, grid
        self._opening, self._closing = opening, closing

    @property
    def sections(self) -> list[tuple[str, str]]:
        """For each row, the names of the sections that are open at its start and at its end; "" for
        none.
        """
        return [("", "")] * len(self.rows)

    def frame(self, section: str, heads: int = 0) -> Frame:  # noqa: ARG002 - subclasses use them
        """Return the text before a slice that begins in this section; `heads` is the number of
        header rows to repeat.
        """
        return Frame(self._opening)

    def closing(self, section: str) -> str:  # noqa: ARG002
        """Return the text after a slice that ends in this section."""
        return self._closing

    def carried(self, first: int, last: int) -> list[Callable[[], str]]:  # noqa: ARG002
        """Return functions that write a row with the merged cells that begin above `first` and
        continue in rows [first, last). The first function writes the text of all of them; each
        later one leaves out the text of one more cell.
        """
        return []


class _JsonTable(ShownTable):
    """A table with JSON rows."""

    def frame(self, section: str, heads: int = 0) -> Frame:  # noqa: ARG002
        header = "".join(f"{self.text[start:end]}," for start, end in self.rows[:heads])
        return Frame(self._opening, header)


class _PipeTable(ShownTable):
    """A pipe table. Its first row includes the delimiter row and, if the columns have no names, an
    empty header. The other rows are its body.
    """

    @property
    def sections(self) -> list[tuple[str, str]]:
        return [("", ""), *[("body", "body")] * (len(self.rows) - 1)]

    def frame(self, section: str, heads: int = 0) -> Frame:
        if heads:
            return Frame("", f"{self.text[self.rows[0][0] : self.rows[heads - 1][1]]}\n")
        return Frame(self._opening if section else "")


class _HtmlTable(ShownTable):
    """A table with HTML rows, optionally in sections such as <tbody>."""

    @property
    def sections(self) -> list[tuple[str, str]]:
        return self._shown_grid.sections

    def frame(self, section: str, heads: int = 0) -> Frame:
        """Return the text before a slice. The header leaves out anything before its <tr> tags, such
        as a caption or a section tag.
        """
        header = "".join(
            self.text[row_opening(self.text, row) : row[1]] for row in self.rows[:heads]
        )
        return Frame(f"{self._opening}<{section}>" if section else self._opening, header)

    def closing(self, section: str) -> str:
        return f"</{section}>{self._closing}" if section else self._closing

    @cached_property
    def _shown_grid(self) -> Grid:
        """The grid of the shown text."""
        if self.text is self.grid.content:
            return self.grid
        start, end = self.rows[0][0], self.rows[-1][1]
        return Grid(self.text, TableTag(start, end, start, end, '<table format="html">'))

    def carried(self, first: int, last: int) -> list[Callable[[], str]]:
        """Return functions that write a row that repeats the merged cells of the rows before a
        slice, with the rest of their rowspan.

        The second writes it with the longest cell empty, the third with the two longest, and so on.
        Where the full row does not fit, the columns stay aligned.
        """
        above = self._shown_grid.merged_above[first]
        if not above:
            return []
        crossing = sorted(above, key=attrgetter("column"))
        longest = sorted(above, key=lambda cell: cell.end - cell.start, reverse=True)

        def written(empty: int) -> str:
            cells = self._carried_cells(crossing, {*longest[:empty]}, first, last)
            return f"<tr>{''.join(cells)}</tr>"

        return [partial(written, empty) for empty in range(len(crossing) + 1)]

    def _carried_cells(
        self, crossing: list[GridCell], empty: set[GridCell], first: int, last: int
    ) -> Iterator[str]:
        column = 0
        for cell in crossing:
            start, end = cell.tag
            rows_left = min(cell.row + cell.rows, last) - first
            opening = _ROWSPAN.sub(
                f' rowspan="{rows_left + 1}"', self.text[start : cell.start], count=1
            )
            inside = cell.end if cell in empty else cell.start
            yield "<td></td>" * (cell.column - column) + opening + self.text[inside:end]
            column = cell.column + cell.columns


def stored_table(grid: Grid) -> ShownTable:
    """Return a table that is shown as it is stored."""
    content, rows, opening = grid.content, grid.rows, grid.tag.opening
    match grid.format:
        case TableFormat.JSON:
            return _JsonTable(content, rows, grid, f"{opening}[", "]</table>")
        case TableFormat.HTML:
            return _HtmlTable(content, rows, grid, opening, "</table>")
        case None:
            return ShownTable(content, rows, grid, opening, "</table>")


def rendered_table(
    text: str, rows: list[Range], grid: Grid, form: TableForm, blank_head: str
) -> ShownTable:
    """Return a table that `render` wrote to these ranges of a text."""
    match form:
        case TableForm.MARKDOWN:
            return _PipeTable(text, rows, grid, blank_head)
        case TableForm.HTML:
            return _HtmlTable(text, rows, grid, "<table>", "</table>")
        case _:
            return ShownTable(text, rows, grid)
