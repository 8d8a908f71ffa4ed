"""Find tables in content, and their rows and cells. Offsets are code points of the text passed to
the function.

Only outermost tables are found; a table nested in an HTML cell is part of the cell.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Container, Iterator
from functools import lru_cache
from typing import NamedTuple

from docxchunk.markup.tags import TAG_NAME
from docxchunk.model.objects import TableFormat

Range = tuple[int, int]

_TABLE = re.compile(r"</?table\b[^>]*>")
_OPENING = re.compile(r"<table\b")
_ROW = re.compile(r"<(/?)(table|tr)\b[^>]*>", re.IGNORECASE)
_CELL = re.compile(r"<(/?)(table|td|th)\b[^>]*>", re.IGNORECASE)
_FLAT_CELL = re.compile(r"(<(?:td|th)\b[^>]*>)(.*?)</(?:td|th)\s*>", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(r"""\b([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_MARKUP = re.compile(
    r"</?(?:table|caption|colgroup|col|thead"
    r"|tbody|tfoot|tr|td|th)\b[^<>]*>",
    re.IGNORECASE,
)
_SECTION = re.compile(r"<(/?)(thead|tbody|tfoot)\b[^<>]*>", re.IGNORECASE)
_ENTITY = re.compile(
    # what `escape_text` escaped stays, as in JSON rows
    rf"&(?!(?:amp;)*lt;{TAG_NAME})(?:#[0-9]{{1,7}}|#x[0-9a-f]{{1,6}}|[a-z][a-z0-9]{{1,31}});",
    re.IGNORECASE,
)
_JSON_ROWS = re.compile(r"\s*\[")
_NEXT_ITEM = re.compile(r"[\s,]*(?=[^\s,\]])")
_JSON_STRING = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)
_JSON_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[0-9a-fA-F]{4}|\\.",
    re.DOTALL,
)
_MOST_COLUMNS = 1000  # maximum colspan (HTML Standard)
_decode_json = json.JSONDecoder().raw_decode


class TableTag(NamedTuple):
    """A table is `content[start:end]`, its body `content[body:body_end]`. `opening` is the opening
    tag.
    """

    start: int
    end: int
    body: int
    body_end: int
    opening: str

    @property
    def id(self) -> str:
        return attribute(self.opening, "id")


class CellRange(NamedTuple):
    """The text of a cell is `content[start:end]`, without the quotes of a JSON string or the <td>
    tags. `tag` is the range including them.
    """

    start: int
    end: int
    tag: Range
    rows: int = 1
    columns: int = 1


class VerticalMerge(NamedTuple):
    """A cell that spans rows [row, row + cell.rows) in the grid column `column`."""

    row: int
    column: int
    cell: CellRange


def tables(content: str) -> list[TableTag]:
    """Return the outermost tables that have a closing tag, in order."""
    if not has_table(content):
        return []
    found: list[TableTag] = []
    opened: list[re.Match[str]] = []
    for mark in _TABLE.finditer(content):
        if mark[0][1] != "/":
            opened.append(mark)
        elif opened:
            first = opened.pop()
            if not opened:
                found.append(
                    TableTag(first.start(), mark.end(), first.end(), mark.start(), first[0])
                )
    return found


def has_table(text: str) -> bool:
    """Return whether the text has an opening table tag. In non-Latin text, the pattern is several
    times faster than `in`.
    """
    return "<" in text and _OPENING.search(text) is not None


@lru_cache(maxsize=1024)
def attribute(opening: str, name: str) -> str:
    """Return the value of an attribute of a tag; "" if it is missing."""
    return next(
        (
            found[2] or found[3] or ""
            for found in _ATTRIBUTE.finditer(opening)
            if found[1].lower() == name
        ),
        "",
    )


def table_format(opening: str, body: str) -> TableFormat | None:
    """Return the declared format or, if none is declared, the one that the body looks like; None if
    neither (docs/design/staged-chunking.md).
    """
    declared = attribute(opening, "format").lower()
    if declared:
        return TableFormat(declared) if declared in (TableFormat.JSON, TableFormat.HTML) else None
    if body.lstrip().startswith("["):
        return TableFormat.JSON
    return TableFormat.HTML if "<tr" in body.lower() else None


def rows(content: str, table: TableTag) -> tuple[TableFormat, list[Range]] | None:
    """Return the format and row ranges of a table; None if its rows cannot be parsed."""
    body = content[table.body : table.body_end]
    match table_format(table.opening, body):
        case TableFormat.JSON:
            ranges = _json_rows(body)
        case TableFormat.HTML:
            ranges = _html_rows(body)
        case None:
            return None
    if not ranges:
        return None
    fmt = TableFormat.JSON if body.lstrip().startswith("[") else TableFormat.HTML
    return fmt, [(start + table.body, end + table.body) for start, end in ranges]


def cells(content: str, row: Range, fmt: TableFormat) -> list[CellRange]:
    """Return the cells of a row, in order; [] if a JSON row is not a flat list of strings."""
    return _json_cells(content, row) if fmt is TableFormat.JSON else _html_cells(content, row)


def header_texts(header: str) -> list[list[str]]:
    """Return the header rows of a table item as texts, one per column. A merged cell repeats its
    text.

    `header` is JSON rows or HTML rows; the result is [] if it is neither.
    """
    if header.lstrip().startswith("["):
        try:
            found = json.loads(header)
        except (ValueError, RecursionError):
            return []
        return [[str(cell) for cell in row] for row in found if isinstance(row, list)]
    ranges = _html_rows(header)
    texts: list[dict[int, str]] = [{} for _ in ranges]
    for number, column, cell in placed(header, ranges):
        text = html.unescape(_MARKUP.sub("", header[cell.start : cell.end]))
        for row in texts[number : number + cell.rows]:
            row.update(
                dict.fromkeys(range(column, column + min(cell.columns, _MOST_COLUMNS)), text)
            )
    return [[row.get(column, "") for column in range(max(row, default=-1) + 1)] for row in texts]


def vertical_merges(content: str, ranges: list[Range]) -> list[VerticalMerge]:
    """Return the cells of HTML rows that span more than one row."""
    return [
        VerticalMerge(number, column, cell)
        for number, column, cell in placed(content, ranges)
        if cell.rows > 1
    ]


def placed(content: str, ranges: list[Range]) -> Iterator[tuple[int, int, CellRange]]:
    """Yield the row number, the first grid column and the range of each cell of HTML rows."""
    busy: dict[int, int] = {}  # column -> first row that is free again
    for number, row in enumerate(ranges):
        column = 0
        for cell in _html_cells(content, row):
            while busy.get(column, 0) > number:
                column += 1
            if cell.rows > 1:
                busy.update(dict.fromkeys(range(column, column + cell.columns), number + cell.rows))
            yield number, column, cell
            column += cell.columns


def row_on_grid(
    content: str, row: Range, fmt: TableFormat, taken: Container[int] = ()
) -> list[tuple[int, CellRange]]:
    """Return the cells of a row, each with its first grid column. `taken` are the columns covered
    by cells of the rows above.
    """
    found: list[tuple[int, CellRange]] = []
    column = 0
    for cell in cells(content, row, fmt):
        while column in taken:
            column += 1
        found.append((column, cell))
        column += cell.columns
    return found


def sections(content: str, ranges: list[Range]) -> list[tuple[str, str]]:
    """Return, for each HTML row, the sections open at its start and end: thead, tbody, tfoot, or ""
    for none.
    """
    found: list[tuple[str, str]] = []
    at, section = content.rfind("<table", 0, ranges[0][0]) + 1, ""
    for start, end in ranges:
        before = section = _section_at(content, at, start, section)
        section = _section_at(content, start, content.find("<tr", start, end), section)
        at = content.rfind("</tr", start, end)
        section = _section_at(content, at, end, section)
        at = end
        found.append((before, section))
    return found


def _section_at(content: str, start: int, end: int, section: str) -> str:
    """Return the section open at `end`, given the one at `start`."""
    for mark in _SECTION.finditer(content, start, max(end, start)):
        section = "" if mark[1] else mark[2].lower()
    return section


def decoded_cell(content: str, start: int, end: int) -> str:
    """Return the decoded text of a cell: of a JSON string or HTML; unchanged if it is neither."""
    text, table = content[start:end], content.rfind("<table", 0, start)
    if table >= 0 and not _JSON_ROWS.match(content, content.find(">", table) + 1):
        return unescaped(text)
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def unescaped(text: str) -> str:
    """Return HTML text with its entities replaced by characters."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def html_steps(text: str) -> list[int]:
    """Return the offsets at which HTML text can be cut: before each character, counting an entity
    as one.
    """
    places = list(range(len(text) + 1))
    for entity in reversed(
        [found for found in _ENTITY.finditer(text) if _character(found) != found[0]]
    ):
        del places[entity.start() + 1 : entity.end()]
    return places


def _character(entity: re.Match[str]) -> str:
    """Return the character of an entity, or the entity itself if it does not stand for exactly
    one.
    """
    text = html.unescape(entity[0])
    return text if len(text) == 1 else entity[0]


def json_steps(text: str) -> list[int]:
    """Return the offsets at which the inside of a JSON string can be cut: before each character,
    counting an escape as one.
    """
    places = list(range(len(text) + 1))
    for escape in reversed(list(_JSON_ESCAPE.finditer(text))):
        del places[escape.start() + 1 : escape.end()]
    return places


def _json_rows(body: str) -> list[Range]:
    at = body.find("[") + 1
    found: list[Range] = []
    try:
        while (gap := _NEXT_ITEM.match(body, at)) is not None:
            start = gap.end()
            at = _decode_json(body, start)[1]
            found.append((start, at))
    except (ValueError, RecursionError):
        return []
    return found if body[at:].strip() == "]" else []


def _html_rows(body: str) -> list[Range]:
    """Return the ranges of <tr> elements. Text outside of rows, such as a caption, belongs to the
    next row, or to the last one.
    """
    found = [(start, end) for start, end, _ in _elements(_ROW, body)]
    at = 0
    for i, (start, end) in enumerate(found):
        if _MARKUP.sub("", body[at:start]).strip():
            found[i] = (at, end)
        at = end
    if found and _MARKUP.sub("", body[at:]).strip():
        found[-1] = (found[-1][0], len(body))
    return found


def _html_cells(content: str, row: Range) -> list[CellRange]:
    if content.find("<table", *row) < 0:
        return [_cell(m.span(), m[1], m.span(2)) for m in _FLAT_CELL.finditer(content, *row)]
    text, base = content[row[0] : row[1]], row[0]
    return [
        _cell(
            (base + start, base + end),
            opening,
            (base + start + len(opening), base + text.rfind("<", start, end)),
        )
        for start, end, opening in _elements(_CELL, text)
    ]


def _cell(tag: Range, opening: str, inside: Range) -> CellRange:
    if len(opening) == 4:
        return CellRange(*inside, tag)
    return CellRange(*inside, tag, _span(opening, "rowspan"), _span(opening, "colspan"))


def _elements(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and opening tag of each element outside of nested tables. An unclosed
    element extends to the next closing tag.
    """
    depth = 0
    opened: re.Match[str] | None = None
    for mark in pattern.finditer(text):
        if mark[2].lower() == "table":
            depth += -1 if mark[1] else 1
        elif depth == 0 and not mark[1]:
            opened = opened or mark
        elif depth == 0 and opened is not None:
            yield opened.start(), mark.end(), opened[0]
            opened = None


def _span(opening: str, name: str) -> int:
    value = attribute(opening, name) if name in opening.lower() else ""
    return min(max(int(value), 1), 10_000) if value.isdecimal() else 1


def _json_cells(content: str, row: Range) -> list[CellRange]:
    text = content[row[0] : row[1]]
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return []
    return [
        CellRange(row[0] + m.start(1), row[0] + m.end(1), (row[0] + m.start(), row[0] + m.end()))
        for m in _JSON_STRING.finditer(text)
    ]
