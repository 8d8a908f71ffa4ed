"""Convert tables to rows of texts, CSV and HTML."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Final, NamedTuple

from docxchunk.markup.tables import Range, TableTag, cells, header_texts, rows
from docxchunk.markup.tags import plain, untagged
from docxchunk.model.objects import Table, TableFormat

_BREAK: Final = re.compile(r"<br\s*/?>|\n", re.IGNORECASE)
_OTHER_TAG: Final = re.compile(r"<[a-zA-Z/][^<>]*>")
_MOST_PLACES: Final = 2_000_000  # maximum cells of a grid; if merged cells exceed it, each fills only its first position


class _SpannedCell(NamedTuple):
    """The text of a cell, one paragraph per line, and the numbers of rows and columns that it spans."""

    text: str
    rows: int
    columns: int


def rows_of(table: Table) -> list[list[str]]:
    """Return the texts of the cells as rows of equal length. A merged cell repeats its text in every position it covers."""
    found = list(_cells(table))
    covered = sum(cell.rows * cell.columns for row in found for cell in row)
    grid: list[dict[int, str]] = [{} for _ in found]
    for number, row in enumerate(found):
        column = 0
        for cell in row:
            while column in grid[number]:
                column += 1
            height, width = (cell.rows, cell.columns) if covered <= _MOST_PLACES else (1, 1)
            for line in grid[number : number + height]:
                line.update(dict.fromkeys(range(column, column + width), cell.text))
    size = max((max(line, default=-1) + 1 for line in grid), default=0)
    return [[line.get(column, "") for column in range(size)] for line in grid]


def to_csv(table: Table) -> str:
    """Return the rows as CSV (RFC 4180)."""
    out = StringIO(newline="")
    csv.writer(out).writerows(rows_of(table))
    return out.getvalue()


def to_html(table: Table) -> str:
    """Return a <table> element with caption, merged cells, and the marked header rows as <thead>."""
    heads = len(header_texts(table.header or ""))
    written = [_html_row(row, "th" if number < heads else "td") for number, row in enumerate(_cells(table))]
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    head = f"<thead>{''.join(written[:heads])}</thead>" if heads else ""
    return f"<table>{caption}{head}<tbody>{''.join(written[heads:])}</tbody></table>"


def _html_row(row: list[_SpannedCell], name: str) -> str:
    return f"<tr>{''.join(_html_cell(cell, name) for cell in row)}</tr>"


def _html_cell(cell: _SpannedCell, name: str) -> str:
    spans = (f' rowspan="{cell.rows}"' if cell.rows > 1 else "") + (f' colspan="{cell.columns}"' if cell.columns > 1 else "")
    return f"<{name}{spans}>{html.escape(cell.text, quote=False).replace(chr(10), '<br>')}</{name}>"


def _cells(table: Table) -> Iterator[list[_SpannedCell]]:
    """Yield the cells of each row; nothing if the rows cannot be parsed."""
    text = table.content
    found = rows(text, TableTag(0, len(text), 0, len(text), f'<table format="{table.format}">'))
    if found is None:
        return
    fmt, ranges = found
    for start, end in ranges:
        yield list(_json_row(text[start:end]) if fmt is TableFormat.JSON else _html_cells(text, (start, end)))


def _json_row(text: str) -> Iterator[_SpannedCell]:
    """Yield the cells of a JSON row. Other parsers may write numbers, or a single value in place of a list."""
    row = json.loads(text)
    for value in row if isinstance(row, list) else [row]:
        yield _SpannedCell("" if value is None else _lines(str(value), plain), 1, 1)


def _html_cells(text: str, row: Range) -> Iterator[_SpannedCell]:
    for cell in cells(text, row, TableFormat.HTML):
        yield _SpannedCell(_html_text(text[cell.start : cell.end]), cell.rows, cell.columns)


def _html_text(raw: str) -> str:
    """Return the text of an HTML cell without tags, including unknown ones written by other parsers."""
    return _lines(raw, lambda line: " ".join(html.unescape(_OTHER_TAG.sub("", untagged(line))).split()))


def _lines(text: str, written: Callable[[str], str]) -> str:
    return "\n".join(map(written, _BREAK.split(text)))
