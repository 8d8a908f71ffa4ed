"""Find the header rows and header columns of tables: as the author marked them, else inferred.

A row is judged by an additive model: the values of `SIGNALS`, times their weights, add up to the
log-odds that it is a header.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.language.patterns import pattern
from docxchunk.reader.header_signals import (
    SIGNALS,
    CellEntry,
    CellKind,
    CellRow,
    RowSetting,
    entries,
    is_dated,
    is_name_above,
    mean,
    mostly,
    rows_of,
)
from docxchunk.reader.tables import Cell, GridTable, Item, Row

_BIAS: Final = -0.3
_LEAST: Final = 0.6  # least confidence of an inferred header
_MOST_ROWS: Final = 3  # of an inferred header
_MOST_BELOW: Final = 6  # a row is compared with at most this many rows below it
_MOST_PROSE: Final = 0.4  # greatest share of sentences in a header column
_MOST_CONFIDENCE: Final = 0.99  # greatest confidence of an inferred header
_MOST_REPORTED: Final = 3  # most signals that are reported
_RECORDS: Final = 3  # tables with the same names at the side that make them records
_NUMBERED: Final = 0.9  # confidence of a header whose last row numbers the columns


class Header(NamedTuple):
    """The number of header rows and header columns of a table.

    `confidence` is the estimated probability that an inferred header row is one; None if the author
    marked it, or if there is none.
    """

    rows: int = 0
    columns: int = 0
    is_marked: bool = False
    confidence: float | None = None
    signals: tuple[str, ...] = ()  # the strongest for an inferred header


NO_HEADER: Final = Header()

# the rows that tables have below a top row, or the values of the top row over names at the side
_Others = defaultdict[tuple[str, ...], set[tuple[str, ...]]]


class _FirstRows(NamedTuple):
    """The first rows of a table."""

    lines: Sequence[CellRow]
    titles: int  # rows of one cell over all columns

    @property
    def body(self) -> Sequence[CellRow]:
        """The rows below the titles."""
        return self.lines[self.titles :]

    @property
    def top(self) -> tuple[str, ...]:
        return _texts(self.body[0])

    @property
    def side(self) -> tuple[str, ...]:
        """The first texts of the first two rows, or of the second row alone in a table of two
        columns; () if one of them is no name.
        """
        lines = self.body[1 if len(self.top) == 2 else 0 : 2]
        are_names = all(line and line[0].kind is CellKind.NAME for line in lines)
        return tuple(line[0].text for line in lines) if are_names else ()


def find_headers(items: Sequence[Item]) -> dict[int, Header]:
    """Return the header of each table, nested tables included, by its ordinal."""
    tables = [table for table in _tables(items) if table.columns > 1 or table.rows[0].is_header]
    starts = [_start(table) for table in tables]
    below, beside = _Others(set), _Others(set)
    for start in starts:
        if len(start.body) > 1 and sum(map(bool, start.top)) > 1:
            below[start.top].add(_texts(start.body[1]))
            beside[start.side].add(start.top[1:])
    headers: dict[int, Header] = {}
    for table, start in zip(tables, starts, strict=True):
        is_record = bool(start.side) and len(beside[start.side]) >= _RECORDS
        is_repeated = len(below[start.top]) > 1 and not is_record
        setting = RowSetting(table.first_row_styled and not start.titles, is_repeated, is_record)
        headers[table.ordinal] = _header(table, start, setting)
    return headers


def _start(table: GridTable) -> _FirstRows:
    rows = table.rows[: _MOST_ROWS + _MOST_BELOW]
    titles = (number for number, row in enumerate(rows[:_MOST_ROWS]) if not _is_title(row, table))
    return _FirstRows([entries(row) for row in rows], next(titles, 0))


def _tables(items: Iterable[Item]) -> Iterator[GridTable]:
    for item in items:
        if isinstance(item, GridTable):
            yield item
            yield from _tables(item.paragraphs())


def _texts(line: CellRow) -> tuple[str, ...]:
    return tuple(entry.text for entry in line)


def _header(table: GridTable, start: _FirstRows, setting: RowSetting) -> Header:
    marked = _marked_rows(table.rows)
    header = Header(marked, is_marked=True) if marked else _inferred(table, start, setting)
    return header._replace(columns=_header_columns(table, start.lines, header.rows))


def _marked_rows(rows: Sequence[Row]) -> int:
    """Return the number of leading rows that Word repeats (17.4.49); 0 if all rows are marked, as
    then none is repeated.
    """
    return next((number for number, row in enumerate(rows) if not row.is_header), 0)


def _inferred(table: GridTable, start: _FirstRows, setting: RowSetting) -> Header:
    """Return the inferred header: the title rows and the rows that name the columns. It has no rows
    if they are not likely enough.
    """
    titles, lines = start.titles, start.body
    if table.columns < 2 or len(lines) < 2 or not lines[0]:
        return NO_HEADER
    judged = [_judge(lines, setting)]
    depth, is_numbered = _depth(table.rows[titles:], lines)
    if is_numbered:
        judged.append((_NUMBERED, ("numbered columns",)))
    elif depth > 1:
        judged.append(
            _judge(lines[depth - 1 :], RowSetting())
        )  # the facts are those of the first row
        is_sure = table.rows[titles].cells[0].rows == depth  # names at the side of both rows
        depth = depth if is_sure or judged[-1][0] >= _LEAST else 1
    while not is_numbered and depth < _MOST_ROWS and _goes_on(lines[depth - 1 :]):
        depth += 1
        judged += (
            _judge([lines[0], *lines[depth:]], setting),
            _judge(lines[depth - 1 :], RowSetting()),
        )
    confidence, signals = max(judged)
    if confidence < _LEAST:
        return NO_HEADER
    return Header(min(titles + depth, _MOST_ROWS), confidence=confidence, signals=signals)


def _is_title(row: Row, table: GridTable) -> bool:
    """Return whether one cell spans all columns."""
    return len(row.cells) == 1 and row.cells[0].columns == table.columns


def _judge(lines: Sequence[CellRow], setting: RowSetting) -> tuple[float, tuple[str, ...]]:
    """Return the probability that the first row is the header of the others, and the names of the
    signals for it, strongest first.
    """
    rows = rows_of(lines[0], lines[1 : 1 + _MOST_BELOW], setting)
    parts = {signal.name: signal.weight * signal.value(rows) for signal in SIGNALS}
    likely = 1 / (1 + math.exp(-_BIAS - sum(parts.values())))
    strongest = sorted(
        (name for name, part in parts.items() if part > 0.25), key=lambda name: -parts[name]
    )
    return round(min(likely, _MOST_CONFIDENCE), 2), tuple(strongest[:_MOST_REPORTED])


def _depth(rows: Sequence[Row], lines: Sequence[CellRow]) -> tuple[int, bool]:
    """Return the number of rows of the header that begins with the first row, and whether the last
    of them numbers the columns.

    The header has one row, unless the next row divides a cell that spans columns. Then it has as
    many rows as its highest cell. If no cell is higher than one row, it has two rows, of which the
    second stands out if the first does, or if both begin with a name of their own, as in a form.
    """
    cells = rows[0].cells
    highest = max(cell.rows for cell in cells)
    if highest + 1 < len(lines) and _numbers_columns(*lines[highest : highest + 2]):
        return highest + 1, True
    if not any(cell.columns > 1 for cell in cells) or len(lines) < 3:
        return 1, False
    if 1 < highest < min(len(lines), _MOST_ROWS + 1):
        is_divided = len(lines[1]) > sum(cell.rows < highest for cell in cells)
        return (highest if is_divided else 1), False
    is_divided = (
        len(lines[1]) > len(lines[0])
        and all(cell.rows == 1 for cell in rows[1].cells)
        and all(_are_different(lines[1], cell) for cell in cells)
        and (_stand_out(lines[1]) or not (_stand_out(lines[0]) or _have_names(*lines[:2])))
    )
    return (2 if is_divided else 1), False


def _goes_on(lines: Sequence[CellRow]) -> bool:
    """Return whether the second row goes on with the names of the first: it has names, years or
    units above columns of figures, and its first cell names nothing, or there are cells without a
    name above it. A single name is a unit, because others name a group of rows.
    """
    if len(lines) < 3 or len(lines[1]) < 3:
        return False
    above, line, *below = lines
    rows = rows_of(line, below[:_MOST_BELOW], RowSetting())
    names = [entry for entry in line[1:] if entry.has_text]
    has_room = _UNNAMED.fullmatch(line[0].text) or not all(entry.has_text for entry in above[1:])
    return (
        bool(has_room)
        and all(
            _is_unit(entry) or (len(names) > 1 and is_name_above(entry, rows)) for entry in names
        )
        and mean([mostly(rows.under(entry), CellKind.VALUE) for entry in names]) >= 0.5
    )


def _is_unit(entry: CellEntry) -> bool:
    return _UNIT.fullmatch(entry.text) is not None


# "(n = 12)", "£000"
_UNIT = pattern(r"[(\[（].{0,30}[^\W\d_].{0,30}[)\]）]|\D{1,20}000")
_UNNAMED = pattern(rf"\W*|{_UNIT.pattern}")


def _have_names(line: CellRow, below: CellRow) -> bool:
    """Return whether two rows begin with texts in cells of the same width."""
    name, other = line[0], below[0]
    return name.has_text and other.has_text and name.columns == other.columns


def _stand_out(line: CellRow) -> bool:
    """Return whether all texts of a row are bold or in shaded cells."""
    looks = [entry.look for entry in line if entry.has_text]
    return all(look is not None and bool(look.bold or look.fill) for look in looks)


def _numbers_columns(line: CellRow, below: CellRow) -> bool:
    """Return whether a row has ascending numbers from 1, and is not the first row of a table of
    numbers.
    """
    texts = _texts(line)
    if len(texts) < 2 or not all(text.isdecimal() and len(text) < 3 for text in texts):
        return False
    numbers = list(map(int, texts))
    return (
        numbers[0] == 1
        and all(a < b for a, b in pairwise(numbers))
        and not all(entry.kind is CellKind.VALUE for entry in below)
    )


def _are_different(line: CellRow, above: Cell) -> bool:
    """Return whether the texts below a cell differ."""
    end = above.column + above.columns
    texts = [entry.text for entry in line if above.column <= entry.column < end]
    return len(set(texts)) == len(texts)


# -- header columns


def _header_columns(table: GridTable, lines: Sequence[CellRow], header: int) -> int:
    """Return the number of header columns: 0, 1, or 2 if the first column names groups of rows and
    the second names the rows.
    """
    below = lines[header : header + _MOST_BELOW]
    rows = table.rows[header : header + _MOST_BELOW]
    has_groups = any(cell.rows > 1 and cell.column == 0 for row in rows for cell in row.cells)
    if table.columns > 2 and has_groups and _are_names(below, 1):
        return 2
    return int(_are_names(below, 0))


def _are_names(lines: Sequence[CellRow], column: int) -> bool:
    """Return whether a column names the rows.

    Its texts differ, and are short, or shorter than those of the other columns. They are no dates,
    and no numbers unless the other columns have none. Some cells may be empty. Rows with a single
    cell and cells that span columns are ignored.
    """
    entries_in_column = [
        entry
        for line in lines
        for entry in line
        if entry.column == column and entry.columns == 1 and len(line) > 1
    ]
    names = [entry for entry in entries_in_column if entry.has_text]
    others = [entry for line in lines for entry in line if entry.column > column and entry.has_text]
    are_few = len(names) * 4 < len(entries_in_column) or len(entries_in_column) * 3 < len(lines)
    if not names or are_few:
        return False
    are_repeated = len({entry.text for entry in names}) * 10 < len(names) * 6
    are_dates = sum(map(is_dated, names)) * 2 > len(names)
    if are_repeated or are_dates:
        return False
    prose = mean([entry.kind in (CellKind.PROSE, CellKind.OBJECT) for entry in names])
    if prose > _MOST_PROSE:
        has_objects = any(entry.kind is CellKind.OBJECT for entry in names)
        if has_objects or _length(names) * 2 > _length(others):
            return False
    return any(
        mean([entry.kind is CellKind.VALUE for entry in entries]) < 0.5
        for entries in (names, others)
    )


def _length(entries: Sequence[CellEntry]) -> float:
    return mean([len(entry.text) for entry in entries])
