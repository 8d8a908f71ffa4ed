"""Format tables row by row, as GitHub Flavored Markdown, HTML or plain text.

Markdown and plain text have no merged cells. A cell that spans several columns is shown in the
first one. A cell that spans several rows is repeated in each row if it is short enough to be a
label, and is otherwise shown in the first row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from docxchunk.chunking.forms.stored import StoredTable
from docxchunk.chunking.headers import key_of, labels_of
from docxchunk.markup.reading import Describe, html_cell, markdown_cell, plain_cell
from docxchunk.markup.tables import header_texts
from docxchunk.model.chunks import TableForm

_EMPTY_ROW: Final = "-"


class FormattedTable(NamedTuple):
    """A formatted table: the opening text, the rows, the separator of rows, and the closing
    text.
    """

    opening: str
    rows: list[str]
    between: str
    closing: str


class _GridCell(NamedTuple):
    text: str
    columns: int
    rows: int  # rowspan; 0: the cell is repeated from a row above


_GridRow = Mapping[int, _GridCell]
"""The cells of a row by their first column."""


def format_table(
    table: StoredTable, form: TableForm, header: str | None, describe: Describe
) -> FormattedTable:
    """Return a table in the given form. `header` are its header rows as stored in the tables file;
    `describe` replaces pictures by text.
    """
    return _FORMATTERS[form](table, header, describe)


def blank_head(table: StoredTable) -> str:
    """Return an empty header for a pipe table without column names, because the header is mandatory
    (GitHub Flavored Markdown, 4.10).
    """
    width = table.width
    return f"{_pipes([''] * width)}\n{_rule(width)}\n"


def _markdown(table: StoredTable, header: str | None, describe: Describe) -> FormattedTable:
    width = table.width
    rows = [
        _pipes([row[column].text if column in row else "" for column in range(width)])
        for row in _grid(table, describe, markdown_cell)
    ]
    rows[0] = (
        f"{rows[0]}\n{_rule(width)}" if _header_rows(table, header) else blank_head(table) + rows[0]
    )
    return FormattedTable("", rows, "\n", "")


def _pipes(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _rule(width: int) -> str:
    return "|" + "---|" * width


def _text(table: StoredTable, header: str | None, describe: Describe) -> FormattedTable:
    labels = [plain_cell(label, describe) for label in labels_of(header)]
    heads = _header_rows(table, header)
    grid = _grid(table, describe, plain_cell)
    return FormattedTable(
        "",
        [_line(row, labels if number >= heads else []) for number, row in enumerate(grid)],
        "\n",
        "",
    )


def _line(row: _GridRow, labels: Sequence[str]) -> str:
    """Return the non-empty cells of a row, each with the name of its columns."""
    found: list[str] = []
    for column, cell in sorted(row.items()):
        label = " / ".join(dict.fromkeys(filter(None, labels[column : column + cell.columns])))
        if cell.text:
            found.append(f"{label}: {cell.text}" if label else cell.text)
    return "; ".join(found) or _EMPTY_ROW


def _html(table: StoredTable, header: str | None, describe: Describe) -> FormattedTable:
    heads = _header_rows(table, header)
    grid = _grid(table, describe, html_cell)
    return FormattedTable(
        "<table>",
        [_html_row(row, "th" if number < heads else "td") for number, row in enumerate(grid)],
        "",
        "</table>",
    )


def _html_row(row: _GridRow, name: str) -> str:
    cells = (_html_cell(cell, name) for _, cell in sorted(row.items()) if cell.rows)
    return f"<tr>{''.join(cells)}</tr>"


def _html_cell(cell: _GridCell, name: str) -> str:
    return (
        f"<{name}{_span('rowspan', cell.rows)}{_span('colspan', cell.columns)}>{cell.text}</{name}>"
    )


def _span(name: str, count: int) -> str:
    return f' {name}="{count}"' if count > 1 else ""


def _header_rows(table: StoredTable, header: str | None) -> int:
    count = len(header_texts(header)) if header else 0
    return count if count < len(table.rows) else 0


def _grid(
    table: StoredTable, describe: Describe, read: Callable[[str, Describe], str]
) -> list[dict[int, _GridCell]]:
    """Return the cells of each row by column, including short cells that span it from a row
    above.
    """
    found: list[dict[int, _GridCell]] = [{} for _ in table.rows]
    for number, column, cell in table.cells():
        text = read(table.text(cell), describe)
        found[number][column] = _GridCell(text, cell.columns, cell.rows)
        if cell.rows > 1 and key_of(text):
            for row in found[number + 1 : number + cell.rows]:
                row[column] = _GridCell(text, cell.columns, 0)
    return found


_FORMATTERS: Final[
    Mapping[TableForm, Callable[[StoredTable, str | None, Describe], FormattedTable]]
] = {
    TableForm.MARKDOWN: _markdown,
    TableForm.HTML: _html,
    TableForm.TEXT: _text,
}
