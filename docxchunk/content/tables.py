"""Find tables in content, with their rows and cells. Offsets are code points of the content.

`tables` returns the outermost tables; a table nested in an HTML cell is part of the cell. A
`TableContent` finds its rows, cells and merged cells when they are asked for: the only place that
parses the rows of tables, which are written as JSON or HTML. The rows of equal tables are found
once.
"""

from __future__ import annotations

import html
import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from docxchunk.content.tags import TAG_NAME
from docxchunk.language.column_names import is_value
from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import Range
from docxchunk.language.sentences import ENDS
from docxchunk.model.blocks import TableFormat

_TABLE = pattern(r"</?table\b[^<>]*>")
_OPENING = pattern(r"<table\b")
_BEGINNING = pattern(r"<table\b[^<>]*>\s*+(\[?)")
_ROW = pattern(r"<(/?)(table|tr)\b[^<>]*>", re.IGNORECASE)
_ROW_OPENING = pattern(r"<tr\b", re.IGNORECASE)
_CELL = pattern(r"<(/?)(table|td|th)\b[^<>]*>", re.IGNORECASE)
_CELL_OPENING = pattern(r"<t[dh]\b", re.IGNORECASE)
_LONGEST_GROUP = 100  # characters
_LAST_IS_EMPTY = pattern(r"""""\s*\]$|></t[dh]>\s*</tr>$""", re.IGNORECASE)
_LONGEST_ENDING = 20  # characters
_LONGEST_MARK = 3  # characters, such as "yes"
_ROWSPAN = pattern(r"""[\s"']rowspan\s*=""", re.IGNORECASE)
_ATTRIBUTE = pattern(r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")
_MARKUP = pattern(
    r"</?(?:table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th)\b[^<>]*>",
    re.IGNORECASE,
)
CELL_MARKUP = pattern(
    r"</?(?:table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th|p|div|br|ul|ol|li)\b[^<>]*>",
    re.IGNORECASE,
)
_ENTITY = pattern(
    # what `escape_text` escaped stays, as in JSON rows
    rf"&(?!(?:amp;)*lt;{TAG_NAME})(?:#[0-9]{{1,7}}|#x[0-9a-f]{{1,6}}|[a-z][a-z0-9]{{1,31}});",
    re.IGNORECASE,
)
_JSON_ROWS = pattern(r"\s*\[")
_NEXT_ITEM = pattern(r"[\s,]*(?=[^\s,\]])")
_JSON_STRING = pattern(r'(?<!\\)"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_JSON_ESCAPE = pattern(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\u[0-9a-fA-F]{4}|\\.",
    re.DOTALL,
)
_decode_json = json.JSONDecoder().raw_decode


@lru_cache(maxsize=1024)
def attribute(opening: str, name: str) -> str:
    """Return the value of an attribute of a tag; "" if it is missing."""
    return next(
        (
            mark[2] or mark[3] or ""
            for mark in _ATTRIBUTE.finditer(opening)
            if mark[1].lower() == name
        ),
        "",
    )


# -- rows and cells


class GridCell(NamedTuple):
    """A cell of a table: its row and column, from 0, and the numbers of rows and columns that it
    spans.

    Its text is `content[start:end]`, without the quotes of a JSON string or the <td> tags. `tag` is
    the range including them.
    """

    start: int
    end: int
    tag: Range
    row: int
    column: int
    rows: int = 1
    columns: int = 1

    @property
    def covered(self) -> range:
        """The columns that it covers."""
        return range(self.column, self.column + self.columns)


@dataclass(eq=False)
class TableContent:
    """A table `content[start:end]`. Its rows are in `content[body:body_end]`, between the tag
    `opening` and the closing tag.
    """

    content: str
    start: int
    end: int
    body: int
    body_end: int
    opening: str

    @classmethod
    def of_body(cls, body: str, table_format: str = "") -> TableContent:
        """Return a table, given the text between its tags. Without `table_format`, the format is
        inferred from the rows.
        """
        return cls(body, 0, len(body), 0, len(body), f'<table format="{table_format}">')

    @property
    def id(self) -> str:
        return attribute(self.opening, "id")

    @property
    def text(self) -> str:
        """The text between the tags."""
        return self.content[self.body : self.body_end]

    @cached_property
    def _ranges(self) -> tuple[TableFormat | None, tuple[Range, ...]]:
        text = self.text
        written = table_format(self.opening, text)
        return written, _row_ranges(written, text) if written else ()

    @cached_property
    def format(self) -> TableFormat | None:
        """How the rows are written; None if they cannot be recognized."""
        written, ranges = self._ranges
        return written if ranges else None

    @cached_property
    def rows(self) -> list[Range]:
        """The ranges of the rows. If they cannot be recognized, the whole table is one row."""
        rows = [(start + self.body, end + self.body) for start, end in self._ranges[1]]
        return rows or [(self.start, self.end)]

    def cells(self, row: int) -> list[GridCell]:
        """Return the cells of a row, in order; [] if a JSON row is not a flat list of strings."""
        match self.format:
            case TableFormat.HTML:
                return self._html_cells(row, self.merged_above[row])
            case TableFormat.JSON:
                return self._json_cells(row)
            case None:
                return []

    def texts(self, row: int) -> list[str]:
        """Return the text of each cell of a row: the value of a JSON string, or the HTML inside of
        the tags. Other parsers may write numbers, or a single value in place of a list.
        """
        if self.format is not TableFormat.JSON:
            return [self.content[cell.start : cell.end] for cell in self.cells(row)]
        values = self._json_value(row)
        return [
            "" if value is None else str(value)
            for value in (values if isinstance(values, list) else [values])
        ]

    def line(self, cell: GridCell) -> str:
        """Return the text of a cell on one line."""
        decoded = json_text if self.format is TableFormat.JSON else html_text
        return " ".join(decoded(self.content[cell.start : cell.end]).split())

    @cached_property
    def merged_above(self) -> list[tuple[GridCell, ...]]:
        """For each row, the merged cells that begin in a row above and continue in this row. Cells
        that begin first come first.
        """
        if self.format is not TableFormat.HTML or not _ROWSPAN.search(
            self.content, self.body, self.body_end
        ):
            return [()] * len(self.rows)
        continued: list[tuple[GridCell, ...]] = []
        cells: tuple[GridCell, ...] = ()
        for row in range(len(self.rows)):
            if any(cell.row + cell.rows <= row for cell in cells):
                cells = tuple(cell for cell in cells if cell.row + cell.rows > row)
            continued.append(cells)
            if _ROWSPAN.search(self.content, *self.rows[row]):
                cells += tuple(self._html_cells(row, cells))
        return continued

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """The rows that name the rows below them: their only text is short, and no sentence. It is
        in one cell over all columns, or in the first cell, as `_groups_beside_blanks` returns.
        """
        if self.format is None or len(self.rows) < 3:
            return ()
        over_all = self._groups_over_all() if self.format is TableFormat.HTML else []
        return tuple(sorted((*over_all, *self._groups_beside_blanks())))

    def _groups_over_all(self) -> list[int]:
        width = max((cell.column + cell.columns for cell in self.cells(0)), default=0)
        return [
            row
            for row in range(len(self.rows) - 1)
            if width > 1
            and len(_CELL_OPENING.findall(self.content, *self.rows[row])) == 1
            and len(cells := self.cells(row)) == 1
            and cells[0].columns >= width
            and self._names_group(cells[0])
        ]

    def _groups_beside_blanks(self) -> list[int]:
        """Return the rows with a name in the first cell and nothing in two or more cells beside it.

        They name groups if at least two have a row with values right below, if most of the values
        below the first of them are figures or marks, and if no row between the first row of the
        table and them has a name. In other tables, such rows lack their values.
        """
        names = {row: None for row in range(len(self.rows) - 1) if self._has_name_alone(row)}
        if len(names) < 2:
            return []
        first = min(names)
        if any(_begins_with_text(self.cells(row)) for row in range(1, first)):
            return []
        values = {
            row: [self.line(cell) for cell in self.cells(row)[1:] if cell.start < cell.end]
            for row in range(first, len(self.rows))
        }
        texts = [text for row in values.values() for text in row]
        figures = [text for text in texts if len(text) <= _LONGEST_MARK or is_value(text)]
        if len(figures) * 2 < len(texts) or sum(bool(values[row + 1]) for row in names) < 2:
            return []
        return [row for row in names if values[row + 1] or row + 1 in names]

    def _has_name_alone(self, row: int) -> bool:
        start, end = self.rows[row]
        if not _LAST_IS_EMPTY.search(self.content[max(start, end - _LONGEST_ENDING) : end]):
            return False
        cells = self.cells(row)
        return (
            len(cells) > 2
            and all(cell.start == cell.end for cell in cells[1:])
            and _begins_with_text(cells)
            and self._names_group(cells[0])
            and any(map(str.isalpha, self.line(cells[0])))
        )

    def _names_group(self, cell: GridCell) -> bool:
        text = self.line(cell)
        return cell.rows == 1 and 0 < len(text) <= _LONGEST_GROUP and not text.endswith(ENDS)

    def groups_above(self, row: int, heads: int) -> list[int]:
        """Return the rows above a row that name its group, from the first `heads` rows on: the
        nearest one, and those right above it. A row that names a group has none.
        """
        groups = self.groups
        after = bisect_left(groups, row)
        if not after or row in groups[after : after + 1]:
            return []
        first = after - 1
        while first and groups[first - 1] == groups[first] - 1:
            first -= 1
        return [group for group in groups[first:after] if group >= heads]

    def _html_cells(self, row: int, above: tuple[GridCell, ...]) -> list[GridCell]:
        covered = {column for cell in above for column in cell.covered}
        cells: list[GridCell] = []
        column, base = 0, self.rows[row][0]
        text = self.content[slice(*self.rows[row])]
        for start, end, opening in _elements(_CELL, text):
            while column in covered:
                column += 1
            spans = () if len(opening) == len("<td>") else _spans(opening)
            inside, inside_end = start + len(opening), text.rfind("<", start, end)
            tag = base + start, base + end
            cells.append(GridCell(base + inside, base + inside_end, tag, row, column, *spans))
            column += cells[-1].columns
        return cells

    def _json_value(self, row: int) -> object:
        """Return the value of a row; None if it is nested too deep to be read here."""
        try:
            value: object = json.loads(self.content[slice(*self.rows[row])])
        except RecursionError:
            return None
        return value

    def _json_cells(self, row: int) -> list[GridCell]:
        start, end = self.rows[row]
        text = self.content[start:end]
        values = self._json_value(row)
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            return []
        return [
            GridCell(
                start + mark.start(1),
                start + mark.end(1),
                (start + mark.start(), start + mark.end()),
                row,
                column,
            )
            for column, mark in enumerate(_JSON_STRING.finditer(text))
        ]


def _begins_with_text(cells: Sequence[GridCell]) -> bool:
    """Return whether a row has text in a cell of the first column alone."""
    return (
        bool(cells)
        and (cells[0].column, cells[0].columns) == (0, 1)
        and cells[0].start < cells[0].end
    )


def tables(content: str) -> list[TableContent]:
    """Return the outermost tables that have a closing tag, in order."""
    # for text that is not Latin, the pattern is several times faster than `in`
    if "<" not in content or _OPENING.search(content) is None:
        return []
    outermost: list[TableContent] = []
    opened: list[re.Match[str]] = []
    for mark in _TABLE.finditer(content):
        if mark[0][1] != "/":
            opened.append(mark)
        elif opened:
            first = opened.pop()
            if not opened:
                inside = first.end(), mark.start()
                outermost.append(
                    TableContent(content, first.start(), mark.end(), *inside, first[0])
                )
    return outermost


def table_format(opening: str, body: str) -> TableFormat | None:
    """Return the declared format. If none is declared, return the one that the body looks like;
    None if it looks like neither (docs/design/staged-chunking.md).
    """
    declared = attribute(opening, "format").lower()
    if declared:
        return TableFormat(declared) if declared in (TableFormat.JSON, TableFormat.HTML) else None
    if _JSON_ROWS.match(body):
        return TableFormat.JSON
    return TableFormat.HTML if "<tr" in body.lower() else None


@lru_cache(maxsize=1024)  # chunking, search, places and formats read a document in turn
def _row_ranges(table_format: TableFormat, body: str) -> tuple[Range, ...]:
    """Return the ranges of the rows in the text of a table; () if they cannot be recognized."""
    return tuple(_ROW_PARSERS[table_format](body))


def _json_rows(body: str) -> list[Range]:
    """Return the ranges of the items of a JSON list; [] for anything else."""
    opening = _JSON_ROWS.match(body)
    if opening is None:
        return []
    at, ranges = opening.end(), []
    try:
        while (gap := _NEXT_ITEM.match(body, at)) is not None:
            start = gap.end()
            at = _decode_json(body, start)[1]
            ranges.append((start, at))
    except (ValueError, RecursionError):
        return []
    return ranges if body[at:].strip() == "]" else []


def _html_rows(body: str) -> list[Range]:
    """Return the ranges of <tr> elements. Text outside of rows, such as a caption, belongs to the
    next row, or to the last one.
    """
    ranges = [(start, end) for start, end, _ in _elements(_ROW, body)]
    at = 0
    for i, (start, end) in enumerate(ranges):
        if _MARKUP.sub("", body[at:start]).strip():
            ranges[i] = (at, end)
        at = end
    if ranges and _MARKUP.sub("", body[at:]).strip():
        ranges[-1] = (ranges[-1][0], len(body))
    return ranges


_ROW_PARSERS = {TableFormat.JSON: _json_rows, TableFormat.HTML: _html_rows}


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


def _spans(opening: str) -> tuple[int, ...]:
    """Return the rowspan and the colspan in the opening tag of a cell, from 1 to 10,000."""
    values = attribute(opening, "rowspan"), attribute(opening, "colspan")
    return tuple(min(max(int(value), 1), 10_000) if value.isdecimal() else 1 for value in values)


def row_opening(text: str, row: Range) -> int:
    """Return the offset of the <tr> tag of an HTML row. Other text of the row, such as a caption,
    may stand before the tag.
    """
    return next(_ROW_OPENING.finditer(text, *row)).start()


# -- texts of cells


def html_text(inside: str) -> str:
    """Return the text of an HTML cell, with its entities replaced by characters and its paragraphs
    separated by blanks. Tags inside of paragraphs stay.
    """
    return unescaped(CELL_MARKUP.sub(" ", inside))


def decoded_cell(content: str, start: int, end: int) -> str:
    """Return the text of a cell, decoded from JSON or HTML."""
    text, openings = content[start:end], _openings(content)
    at = bisect_left(openings, (start, False)) - 1
    return json_text(text) if at >= 0 and openings[at][1] else unescaped(text)


@lru_cache(maxsize=8)  # a text with many cells is not read again for each of them
def _openings(content: str) -> list[tuple[int, bool]]:
    """Return the offset of each opening tag of a table, and whether JSON follows."""
    return [(mark.start(), bool(mark[1])) for mark in _BEGINNING.finditer(content)]


def json_text(inside: str) -> str:
    """Decode a JSON string that is given without its quotes. Return it unchanged if it is not valid
    JSON.
    """
    try:
        return str(json.loads(f'"{inside}"'))
    except ValueError:
        return inside


def unescaped(text: str) -> str:
    """Return HTML text with its entities replaced by characters."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def html_steps(text: str) -> list[int]:
    """Return the offsets at which HTML text can be cut: before each character, counting an entity
    as one.
    """
    return _steps(text, (mark for mark in _ENTITY.finditer(text) if _character(mark) != mark[0]))


def json_steps(text: str) -> list[int]:
    """Return the offsets at which a JSON string, given without its quotes, can be cut: before each
    character, counting an escape as one.
    """
    return _steps(text, _JSON_ESCAPE.finditer(text))


def _steps(text: str, characters: Iterator[re.Match[str]]) -> list[int]:
    """Return the offsets from 0 to the length of the text, except those inside of `characters`."""
    steps: list[int] = []
    at = 0
    for character in characters:
        steps += range(at, character.start() + 1)
        at = character.end()
    return [*steps, *range(at, len(text) + 1)]


def _character(entity: re.Match[str]) -> str:
    """Return the character of an entity, or the entity itself if it is not exactly one
    character.
    """
    text = html.unescape(entity[0])
    return text if len(text) == 1 else entity[0]
