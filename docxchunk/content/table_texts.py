"""Get the texts of tables: header rows and column names, rows of texts, CSV, HTML, plain text."""

from __future__ import annotations

import csv
import html
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence, Sized
from io import StringIO
from itertools import chain, pairwise, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from docxchunk.content.tables import TableContent, html_text, tables
from docxchunk.content.tags import (
    INLINE_TAG,
    cell_tag,
    escape_text,
    plain,
    unescape_text,
    untagged,
)
from docxchunk.language.patterns import pattern
from docxchunk.language.scripts import UNSPACED
from docxchunk.model.blocks import TableFormat

if TYPE_CHECKING:
    from docxchunk.model.objects import Table

LEAST_CONFIDENCE: Final = 0.6
"""Minimum confidence at which an inferred header is used."""
LONGEST_LABEL: Final = 60  # characters
_SHORTEST_CUT: Final = 10
_LAST_WORD: Final = pattern(rf"[^\W{UNSPACED}]+$")
# for an inferred header without one, from another program or an older version
_UNKNOWN_CONFIDENCE: Final = 0.5
# maximum cells of a grid; if merged cells exceed it, each fills only its first position
_MOST_POSITIONS: Final = 2_000_000
_BREAK: Final = pattern(r"<br\s*/?>|\n", re.IGNORECASE)
_OTHER_TAG: Final = pattern(r"<[a-zA-Z/][^<>]*>")
_FORMAT_TAG: Final = pattern(f"({INLINE_TAG})")


# -- headers


def header_rows(table: Table | None, least_confidence: float = LEAST_CONFIDENCE) -> list[list[str]]:
    """Return the texts of the header rows by column. If the author marked no header, use an
    inferred one with at least this confidence; [] if there is none.

    A merged cell repeats its text.
    """
    header = _header_of(table, least_confidence)
    return first_rows(*header) if header else []


def header_above(header: list[list[str]], rows: Sized) -> list[list[str]]:
    """Return the header rows of a table of some rows; [] if it has no other rows."""
    return header if len(header) < len(rows) else []


def header_row_count(table: Table | None, least_confidence: float = LEAST_CONFIDENCE) -> int:
    """Return the number of `header_rows`, without reading their cells."""
    header = _header_of(table, least_confidence)
    return header[1] if header else 0


def _header_of(table: Table | None, least_confidence: float) -> tuple[TableContent, int] | None:
    """Return a grid that begins with the header rows, marked or, if none are, inferred, and their
    number. It is the grid of the table, if the header is written as its first rows are.
    """
    text = _header_text(table, least_confidence)
    if table is None or not text:
        return None
    rows = text.removeprefix("<thead>").removesuffix("</thead>").removesuffix("]")
    if table.content.startswith(rows):
        grid = TableContent.of_body(table.content, table.format)
        if grid.format:
            return grid, bisect_right(grid.rows, len(rows), key=itemgetter(1))
    header = TableContent.of_body(text)
    return header, len(_row_numbers(header))


def _header_text(table: Table | None, least_confidence: float) -> str | None:
    if table is None:
        return None
    if table.header:
        return table.header
    confidence = table.header_confidence
    confidence = _UNKNOWN_CONFIDENCE if confidence is None else confidence
    return table.header_guess if confidence >= least_confidence else None


def first_rows(grid: TableContent, count: int | None = None) -> list[list[str]]:
    """Return the texts of the rows of a table, or of its first `count` rows, one per column. A
    merged cell repeats its text.
    """
    return _texts_by_column(grid, html_text if grid.format is TableFormat.HTML else str, count)


def labels_of(header: list[list[str]], longest: int = LONGEST_LABEL) -> list[str]:
    """Return the names of the columns from the header rows, without a colon at the end, each as
    `key_of` returns it.

    A header row that is a single title for all columns is ignored, and so is one that numbers
    them, if another row has names.
    """
    width = max(map(len, header), default=0)
    rows = [row for row in header if len(row) < 2 or len(set(row)) > 1]
    rows = [row for row in rows if not all(map(str.isdecimal, row))] or rows
    rows = [*(_spread(*pair) for pair in pairwise(rows)), *rows[-1:]]
    names = (
        " ".join(
            dict.fromkeys(
                " ".join(row[i].split()) for row in rows if i < len(row) and row[i].strip()
            )
        )
        for i in range(width)
    )
    return [key_of(name.rstrip(" :："), longest) for name in names]


def _spread(row: list[str], below: list[str]) -> list[str]:
    """Return a header row with each name repeated in the empty cells to its right. Return the row
    as it is if some names are above more names of the next row than others. The first column is
    left out.
    """
    columns = [i for i in range(1, min(len(row), len(below))) if below[i].strip()]
    starts = [i for i in columns if row[i].strip()]
    size = len(columns) // max(len(starts), 1)
    if not starts or columns[::size] != starts or len(columns) % size:
        return row
    spread = {column: row[columns[k - k % size]] for k, column in enumerate(columns)}
    return [spread.get(i, name) for i, name in enumerate(row)]


def cell_label(labels: Sequence[str], column: int, columns: int = 1) -> str:
    """Return the names of the columns that a cell covers, from `labels_of`. "" if it covers several
    names and begins the row: such a cell names the row, as "Total" does.
    """
    names = dict.fromkeys(filter(None, labels[column : column + columns]))
    return "" if column == 0 and len(names) > 1 else " / ".join(names)


def key_of(text: str, longest: int = LONGEST_LABEL) -> str:
    """Return the text of a cell as the name of its row or column. If it is longer than `longest` or
    LONGEST_LABEL characters, it has no tags. If it is still longer, it is cut after a word, and
    ends with an ellipsis; "" if there is no room for one.
    """
    longest = min(longest, LONGEST_LABEL)
    if len(text) <= longest:
        return text
    bare = " ".join(untagged(text).split())
    if len(bare) <= longest:
        return bare
    words = _LAST_WORD.sub("", bare[:longest])
    cut = words[: max(longest - 1, 0)].rstrip(" ,;:")
    return f"{cut}…" if len(cut) >= _SHORTEST_CUT else ""


# -- tables in other formats


def rows_of(table: Table) -> list[list[str]]:
    """Return the texts of the cells as `Table.rows` does."""
    grid = TableContent.of_body(table.content, table.format)
    rows = _texts_by_column(grid, _PLAIN[grid.format])
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def to_csv(table: Table) -> str:
    """Return the rows as CSV (RFC 4180)."""
    out = StringIO(newline="")
    csv.writer(out).writerows(rows_of(table))
    return out.getvalue()


def to_html(table: Table) -> str:
    """Return a table as `Table.to_html` does."""
    grid = TableContent.of_body(table.content, table.format)
    heads = len(header_rows(table)) if table.header else 0
    rows = [_html_row(grid, row, "th" if row < heads else "td") for row in _row_numbers(grid)]
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    if heads and heads < len(rows) and grid.merged_above[heads]:
        return f"<table>{caption}{''.join(rows)}</table>"  # no cell may span two sections
    head = f"<thead>{''.join(rows[:heads])}</thead>" if heads else ""
    return f"<table>{caption}{head}<tbody>{''.join(rows[heads:])}</tbody></table>"


def with_rows_as_lines(content: str) -> str:
    """Return the content of a block, chunk or note with each row of its tables as a line, with bars
    between the cells. Rows that cannot be parsed stay as they are.
    """
    lines, at = [], 0
    for table in tables(content):
        rows = [
            " | ".join(" ".join(text.split()) for text in cell_texts(table, row))
            for row in _row_numbers(table)
        ]
        rows = rows or [table.text]
        lines += [content[at : table.start], *map(escape_text, rows)]
        at = table.end
    return "\n".join((*lines, content[at:]))


def cell_texts(grid: TableContent, row: int) -> list[str]:
    """Return the plain text, with line breaks, of each cell of a row."""
    return [_PLAIN[grid.format](text) for text in grid.texts(row)]


def _row_numbers(grid: TableContent) -> range:
    """Return the indices of the rows; none if they cannot be recognized."""
    return range(len(grid.rows) if grid.format else 0)


def _texts_by_column(
    grid: TableContent, read: Callable[[str], str], count: int | None = None
) -> list[list[str]]:
    """Return the texts of each row, or of the first `count` rows, one per column. `read` returns
    the text of a cell. A merged cell has its text in every position it covers.
    """
    numbers = _row_numbers(grid)[:count]
    if grid.format is not TableFormat.HTML:
        return [list(map(read, grid.texts(row))) for row in numbers]
    cells = [grid.cells(row) for row in numbers]
    if sum(cell.rows * cell.columns for row in cells for cell in row) > _MOST_POSITIONS:
        cells = [
            [cell._replace(column=n, rows=1, columns=1) for n, cell in enumerate(row)]
            for row in cells
        ]
    texts: list[dict[int, str]] = [{} for _ in cells]
    for cell in chain.from_iterable(cells):
        text = read(grid.content[cell.start : cell.end])
        for row in texts[cell.row : cell.row + cell.rows]:
            row.update(dict.fromkeys(cell.covered, text))
    return [[row.get(column, "") for column in range(max(row, default=-1) + 1)] for row in texts]


def _html_row(grid: TableContent, row: int, name: str) -> str:
    is_html = grid.format is TableFormat.HTML
    spans = ((cell.rows, cell.columns) for cell in grid.cells(row)) if is_html else repeat((1, 1))
    cells = (
        cell_tag(name, _formatted(text, grid.format), *span)
        for text, span in zip(grid.texts(row), spans, strict=False)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _formatted(text: str, table_format: TableFormat | None) -> str:
    """Return the text of a cell as HTML, with its <sup>, <sub> and <del> tags and <br> between
    paragraphs.
    """
    read = _text_of_html if table_format is TableFormat.HTML else _text_of_tags
    lines = (
        "".join(
            part if number % 2 else html.escape(read(part), quote=False)
            for number, part in enumerate(_FORMAT_TAG.split(line))
        )
        for line in _BREAK.split(text)
    )
    return "<br>".join(" ".join(line.split()) for line in lines)


def _plain_of_json(text: str) -> str:
    """Return the text of a cell without tags, one paragraph per line."""
    return "\n".join(map(plain, _BREAK.split(text)))


def _plain_of_html(text: str) -> str:
    return "\n".join(" ".join(_text_of_html(line).split()) for line in _BREAK.split(text))


_PLAIN: Final[Mapping[TableFormat | None, Callable[[str], str]]] = {
    TableFormat.HTML: _plain_of_html,
    TableFormat.JSON: _plain_of_json,
    None: str,
}


def _text_of_html(text: str) -> str:
    """Return HTML as text without tags, also those of other parsers."""
    return html.unescape(_OTHER_TAG.sub("", untagged(text)))


def _text_of_tags(text: str) -> str:
    return unescape_text(untagged(text))
