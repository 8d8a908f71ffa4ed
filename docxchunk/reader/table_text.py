"""A table as it is written: rows of strings, or html where merged cells need it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import orjson

from docxchunk.model.objects import TableFormat
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Cell, Row, Table
from docxchunk.reader.text import Show, finish_cell, finish_html, is_fleeting, lasting

Write = Callable[[Paragraph], str]
_MOST_BLANKS = 4  # a table is filled up to a rectangle unless that makes it so many times larger


class TableText(NamedTuple):
    format: TableFormat
    content: str
    header: str | None
    stable: str  # the content without automatic labels and marks of notes, for ids


def write_table(table: Table, header_rows: int, show: Show) -> TableText:
    """Its content as in the tag, and its header rows in the same format."""
    fmt = TableFormat.HTML if table.merged else TableFormat.JSON
    rows = _html(table, show) if table.merged else _json(table, show)
    content = _joined(rows, fmt)
    return TableText(
        fmt,
        content,
        header=_header(rows[:header_rows], fmt),
        stable=_stable(table, show) if _is_fleeting(table) else content,
    )


def nested_text(table: Table, write: Write) -> str:
    """A table inside a cell: cells joined by ` | `, rows by `; `."""
    return "; ".join(" | ".join(" ".join(_paragraphs(cell, write)) for cell in row.cells) for row in table.rows)


def note_text(show: Show) -> Write:
    """A paragraph on one line, its number before it; of an empty one its number alone, as in a column that counts the rows."""

    def write(item: Paragraph) -> str:
        text = finish_cell(item.raw, show)
        return _labelled(finish_cell(item.label, show), text) if item.label else text

    return write


def _labelled(label: str, text: str) -> str:
    return f"{label} {text}" if text else label if any(map(str.isalnum, label)) else ""


def _joined(rows: list[str], fmt: TableFormat) -> str:
    return f"[{','.join(rows)}]" if fmt is TableFormat.JSON else "".join(rows)


def _header(rows: list[str], fmt: TableFormat) -> str | None:
    if not rows:
        return None
    return _joined(rows, fmt) if fmt is TableFormat.JSON else f"<thead>{''.join(rows)}</thead>"


def _json(table: Table, show: Show) -> list[str]:
    """The rows as JSON, each as wide as the table."""
    write = note_text(show)
    cells = sum(len(row.cells) for row in table.rows)
    width = table.columns if table.columns * len(table.rows) <= _MOST_BLANKS * cells + 1000 else 0
    return [orjson.dumps(_texts(row, write, width)).decode() for row in table.rows]


def _texts(row: Row, write: Write, width: int = 0) -> list[str]:
    texts = [" ".join(_paragraphs(cell, write)) for cell in row.cells]
    return texts + [""] * (width - len(texts))


def _html(table: Table, show: Show) -> list[str]:
    def write(item: Paragraph) -> str:
        text = finish_html(item.raw, show)
        return _labelled(finish_html(item.label, show), text) if item.label else text

    return [f"<tr>{''.join(_html_cell(cell, 'th' if row.is_header else 'td', write) for cell in row.cells)}</tr>" for row in table.rows]


def _html_cell(cell: Cell, name: str, write: Write) -> str:
    spans = (f' rowspan="{cell.rows}"' if cell.rows > 1 else "") + (f' colspan="{cell.columns}"' if cell.columns > 1 else "")
    return f"<{name}{spans}>{'<br>'.join(_paragraphs(cell, write))}</{name}>"


def _paragraphs(cell: Cell, write: Write) -> Iterator[str]:
    """The paragraphs of a cell that say something."""
    for item in cell.items:
        if isinstance(item, Paragraph):
            if text := write(item):
                yield text
        elif (text := nested_text(item, write)).strip(" |;"):
            yield text


def _is_fleeting(table: Table) -> bool:
    """Does it hold automatic labels or marks of notes? An edit elsewhere may change those."""
    return any(bool(item.label) or is_fleeting(item.raw) if isinstance(item, Paragraph) else _is_fleeting(item) for item in table.paragraphs())


def _stable(table: Table, show: Show) -> str:
    def write(item: Paragraph) -> str:
        return finish_cell(lasting(item.raw), show)

    return orjson.dumps([_texts(row, write) for row in table.rows]).decode()
