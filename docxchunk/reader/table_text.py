"""A table as it is written: rows of strings, or html where merged cells need it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import orjson

from docxchunk.model.objects import TableFormat
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Cell, Row, Table
from docxchunk.reader.text import Show, finish_cell, finish_html

Finish = Callable[[str, Show], str]


class TableText(NamedTuple):
    format: TableFormat
    content: str
    header: str | None
    header_guess: str | None


def write_table(table: Table, show: Show) -> TableText:
    """Its content as in the tag, and its repeating header rows (17.4.49) as JSON text."""
    fmt = TableFormat.HTML if table.merged else TableFormat.JSON
    content = _html(table, show) if table.merged else _json([_texts(row, show) for row in table.rows])
    marked = next((i for i, row in enumerate(table.rows) if not row.is_header), 0)
    header = _json([_texts(row, show) for row in table.rows[:marked]]) if marked else None
    guess = _json([_texts(table.rows[0], show)]) if not marked and table.first_row_differs and len(table.rows) > 1 else None
    return TableText(fmt, content, header, guess)


def _texts(row: Row, show: Show) -> list[str]:
    return [" ".join(_paragraphs(cell, show, finish_cell)) for cell in row.cells]


def _json(rows: list[list[str]]) -> str:
    return orjson.dumps(rows).decode()


def _html(table: Table, show: Show) -> str:
    return "".join(f"<tr>{''.join(_html_cell(cell, 'th' if row.is_header else 'td', show) for cell in row.cells)}</tr>" for row in table.rows)


def _html_cell(cell: Cell, name: str, show: Show) -> str:
    spans = (f' rowspan="{cell.rows}"' if cell.rows > 1 else "") + (f' colspan="{cell.columns}"' if cell.columns > 1 else "")
    return f"<{name}{spans}>{'<br>'.join(_paragraphs(cell, show, finish_html))}</{name}>"


def _paragraphs(cell: Cell, show: Show, finish: Finish) -> Iterator[str]:
    """The paragraphs of a cell, numbers included; a table inside as text (cells joined by ` | `, rows by `; `)."""
    for item in cell.items:
        if isinstance(item, Paragraph):
            text = finish(item.raw, show)
            if text:
                yield f"{finish(item.label, show)} {text}" if item.label else text
        elif (text := nested_text(item, show, finish)).strip(" |;"):
            yield text


def nested_text(table: Table, show: Show, finish: Finish) -> str:
    return "; ".join(" | ".join(" ".join(_paragraphs(cell, show, finish)) for cell in row.cells) for row in table.rows)
