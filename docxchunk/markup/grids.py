"""Convert tables to rows of texts, CSV and HTML."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Iterator
from io import StringIO
from typing import Final, NamedTuple

from docxchunk.markup.tables import Range, TableTag, cells, decoded_cell, header_texts, rows, tables
from docxchunk.markup.tags import plain, unescape_text, untagged
from docxchunk.model.objects import Table, TableFormat

_BREAK: Final = re.compile(r"<br\s*/?>|\n", re.IGNORECASE)
_OTHER_TAG: Final = re.compile(r"<[a-zA-Z/][^<>]*>")
_FORMAT_TAG: Final = re.compile(r"(</?(?:su[bp]|del)>)")
# maximum cells of a grid; if merged cells exceed it, each fills only its first position
_MOST_PLACES: Final = 2_000_000


class _SpannedCell(NamedTuple):
    """A cell as stored, and the numbers of rows and columns that it spans."""

    stored: str
    format: TableFormat
    rows: int
    columns: int


def rows_of(table: Table) -> list[list[str]]:
    """Return the texts of the cells as rows of equal length. A merged cell repeats its text in
    every position it covers.
    """
    found = list(_cells(table))
    covered = sum(cell.rows * cell.columns for row in found for cell in row)
    grid: list[dict[int, str]] = [{} for _ in found]
    for number, row in enumerate(found):
        column = 0
        for cell in row:
            while column in grid[number]:
                column += 1
            height, width = (cell.rows, cell.columns) if covered <= _MOST_PLACES else (1, 1)
            text = _plain_text(cell)
            for line in grid[number : number + height]:
                line.update(dict.fromkeys(range(column, column + width), text))
    size = max((max(line, default=-1) + 1 for line in grid), default=0)
    return [[line.get(column, "") for column in range(size)] for line in grid]


def to_csv(table: Table) -> str:
    """Return the rows as CSV (RFC 4180)."""
    out = StringIO(newline="")
    csv.writer(out).writerows(rows_of(table))
    return out.getvalue()


def to_html(table: Table) -> str:
    """Return a <table> element with caption, merged cells, and the marked header rows as <thead>.
    <sup>, <sub> and <del> tags are kept.
    """
    heads = len(header_texts(table.header or ""))
    written = [
        _html_row(row, "th" if number < heads else "td") for number, row in enumerate(_cells(table))
    ]
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    head = f"<thead>{''.join(written[:heads])}</thead>" if heads else ""
    return f"<table>{caption}{head}<tbody>{''.join(written[heads:])}</tbody></table>"


def _html_row(row: list[_SpannedCell], name: str) -> str:
    return f"<tr>{''.join(_html_cell(cell, name) for cell in row)}</tr>"


def _html_cell(cell: _SpannedCell, name: str) -> str:
    spans = (f' rowspan="{cell.rows}"' if cell.rows > 1 else "") + (
        f' colspan="{cell.columns}"' if cell.columns > 1 else ""
    )
    return f"<{name}{spans}>{_formatted_text(cell)}</{name}>"


def row_lines(content: str, table: TableTag) -> list[str]:
    """Return each row of a table in a block or chunk as one line, with bars between the cells; []
    if the rows cannot be parsed.
    """
    return [
        " | ".join(" ".join(_plain_text(cell).split()) for cell in row)
        for row in _cells_in(content, table)
    ]


def readable(content: str, start: int, end: int) -> str:
    """Return `content[start:end]` without markup: with bars between the cells of a table, and
    without tags and entities.
    """
    pieces: list[str] = []
    at = start
    for table in tables(content):
        if start < table.end and table.start < end:
            pieces += (
                _json_text(content[at : table.start]),
                " | ".join(_cells_between(content, table, start, end)),
            )
            at = min(table.end, end)
    pieces.append(_json_text(content[at:end]))
    return "".join(pieces).strip()


def _cells_between(content: str, table: TableTag, start: int, end: int) -> Iterator[str]:
    """Yield the text of each cell that overlaps `content[start:end]`, as far as it does; blank ones
    are left out.
    """
    fmt, ranges = rows(content, table) or (TableFormat.JSON, [])
    for row in ranges:
        for cell in cells(content, row, fmt):
            overlap = slice(max(cell.start, start), min(cell.end, end))
            stored = (
                content[overlap]
                if fmt is TableFormat.HTML
                else decoded_cell(content, overlap.start, overlap.stop)
            )
            if text := " ".join(
                _plain_text(_SpannedCell(stored, fmt, cell.rows, cell.columns)).split()
            ):
                yield text


def _cells(table: Table) -> Iterator[list[_SpannedCell]]:
    text = table.content
    return _cells_in(text, TableTag(0, len(text), 0, len(text), f'<table format="{table.format}">'))


def _cells_in(text: str, table: TableTag) -> Iterator[list[_SpannedCell]]:
    """Yield the cells of each row; nothing if the rows cannot be parsed."""
    found = rows(text, table)
    if found is None:
        return
    fmt, ranges = found
    for start, end in ranges:
        yield list(
            _json_row(text[start:end])
            if fmt is TableFormat.JSON
            else _html_cells(text, (start, end))
        )


def _json_row(text: str) -> Iterator[_SpannedCell]:
    """Yield the cells of a JSON row. Other parsers may write numbers, or a single value in place of
    a list.
    """
    row = json.loads(text)
    for value in row if isinstance(row, list) else [row]:
        yield _SpannedCell("" if value is None else str(value), TableFormat.JSON, 1, 1)


def _html_cells(text: str, row: Range) -> Iterator[_SpannedCell]:
    for cell in cells(text, row, TableFormat.HTML):
        yield _SpannedCell(text[cell.start : cell.end], TableFormat.HTML, cell.rows, cell.columns)


def _plain_text(cell: _SpannedCell) -> str:
    """Return the text of a cell without tags, one paragraph per line."""
    written = plain if cell.format is TableFormat.JSON else _one_line_of_html
    return "\n".join(map(written, _BREAK.split(cell.stored)))


def _formatted_text(cell: _SpannedCell) -> str:
    """Return the text of a cell as HTML, with its <sup>, <sub> and <del> tags and <br> between
    paragraphs.
    """
    written = _UNTAGGED[cell.format]
    pieces = (_FORMAT_TAG.split(line) for line in _BREAK.split(cell.stored))
    lines = (
        "".join(
            piece if at % 2 else html.escape(written(piece), quote=False)
            for at, piece in enumerate(line)
        )
        for line in pieces
    )
    return "<br>".join(" ".join(line.split()) for line in lines)


def _one_line_of_html(text: str) -> str:
    return " ".join(_html_text(text).split())


def _html_text(text: str) -> str:
    """Return HTML as text without tags, including unknown ones written by other parsers."""
    return html.unescape(_OTHER_TAG.sub("", untagged(text)))


def _json_text(text: str) -> str:
    return unescape_text(untagged(text))


_UNTAGGED: Final = {TableFormat.JSON: _json_text, TableFormat.HTML: _html_text}
