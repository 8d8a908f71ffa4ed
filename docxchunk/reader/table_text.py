"""Write tables as text: JSON rows, or HTML if there are merged cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

import orjson

from docxchunk.content.tags import cell_tag
from docxchunk.model.blocks import TableFormat
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Cell, GridTable, Item, Row
from docxchunk.reader.text import Show, finish_cell, finish_html, is_fleeting, lasting

WriteParagraph = Callable[[Paragraph], str]
_MOST_BLANKS = 4  # a table with short rows is padded up to this many times its cells


class TableText(NamedTuple):
    format: TableFormat
    content: str
    header: str | None
    stable: str  # the content without automatic labels and note marks, for ids


def write_table(table: GridTable, header_rows: int, show: Show) -> TableText:
    """Return the content of a table tag, and its first `header_rows` rows in the same form; None
    for no rows. The cells of these rows end with the header.
    """
    write = note_text(show)
    is_merged = table.merged() != ()
    texts = [] if is_merged else [_texts(row, write) for row in table.rows]
    if is_merged:
        content = "".join(_html_rows(table.rows, show))
        head = _html_rows(_ended(table.rows[:header_rows]), show)
        header = f"<thead>{''.join(head)}</thead>"
    else:
        rows = _json_rows(table, texts)
        content, header = f"[{','.join(rows)}]", f"[{','.join(rows[:header_rows])}]"
    return TableText(
        TableFormat.HTML if is_merged else TableFormat.JSON,
        content,
        header if header_rows else None,
        stable=_stable(table, texts, show) if _is_fleeting(table.paragraphs()) else content,
    )


def nested_text(table: GridTable, write: WriteParagraph) -> str:
    """Return the text of a table inside a cell: cells joined by ` | `, rows by `; `."""
    return "; ".join(
        " | ".join(" ".join(_paragraphs(cell, write)) for cell in row.cells) for row in table.rows
    )


def note_text(show: Show) -> WriteParagraph:
    """Return a function that writes a paragraph on one line, after its number. An empty paragraph
    becomes its number alone, as in a column of row numbers.
    """
    return partial(_numbered, finish_cell, show)


def _numbered(finish: Callable[[str, Show], str], show: Show, item: Paragraph) -> str:
    text = finish(item.tagged(), show)
    if not item.label:
        return text
    label = finish(item.label, show)
    return f"{label} {text}" if text else label if any(map(str.isalnum, label)) else ""


def _json_rows(table: GridTable, texts: Sequence[list[str]]) -> list[str]:
    """Return the texts of the rows as JSON, padded to the width of the table unless that would add
    too many blank cells.
    """
    cells = sum(map(len, texts))
    width = table.columns if table.columns * len(texts) <= _MOST_BLANKS * cells + 1000 else 0
    return [orjson.dumps(row + [""] * (width - len(row))).decode() for row in texts]


def _texts(row: Row, write: WriteParagraph) -> list[str]:
    return [" ".join(_paragraphs(cell, write)) for cell in row.cells]


def _ended(rows: Sequence[Row]) -> list[Row]:
    """Return the rows with cells that end with the last one."""
    return [
        row._replace(
            cells=[cell._replace(rows=min(cell.rows, len(rows) - number)) for cell in row.cells]
        )
        for number, row in enumerate(rows)
    ]


def _html_rows(table_rows: Iterable[Row], show: Show) -> list[str]:
    """Return the rows as HTML."""
    write = partial(_numbered, finish_html, show)
    rows: list[str] = []
    for row in table_rows:
        name = "th" if row.is_header else "td"
        cells = (
            cell_tag(name, "<br>".join(_paragraphs(cell, write)), cell.rows, cell.columns)
            for cell in row.cells
        )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return rows


def _paragraphs(cell: Cell, write: WriteParagraph) -> list[str]:
    """Return the texts of the non-empty paragraphs and nested tables of a cell."""
    texts: list[str] = []
    for item in cell.items:
        if isinstance(item, Paragraph):
            if text := write(item):
                texts.append(text)
        elif (text := nested_text(item, write)).strip(" |;"):
            texts.append(text)
    return texts


def _is_fleeting(items: Iterable[Item]) -> bool:
    """Return whether the items have automatic labels or note marks, which an edit elsewhere may
    change.
    """
    return any(
        bool(item.label) or is_fleeting(item.raw)
        if isinstance(item, Paragraph)
        else _is_fleeting(item.paragraphs())
        for item in items
    )


def _stable(table: GridTable, texts: Sequence[list[str]], show: Show) -> str:
    """Return the rows as JSON, without what an edit elsewhere may change. `texts` are the texts of
    the rows; () in a table that is written as HTML.
    """

    def write(item: Paragraph) -> str:
        return finish_cell(lasting(item.tagged()), show)

    rows = zip_longest(table.rows, texts)
    return orjson.dumps(
        [
            _texts(row, write) if text is None or _is_fleeting(row.paragraphs()) else text
            for row, text in rows
        ]
    ).decode()
