"""Find the header rows and header columns of tables: as the author marked them, else inferred.

A row is judged by an additive model: the values of `SIGNALS`, times their weights, add up to the
log-odds that it is a header.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.reader.header_signals import (
    SIGNALS,
    CellEntry,
    CellKind,
    CellRow,
    Setting,
    entries,
    is_dated,
    rows_of,
)
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import GridTable, Item, Row

_BIAS: Final = -0.8
_LEAST: Final = 0.6  # least confidence of an inferred header
_MOST_ROWS: Final = 3  # of an inferred header
_MOST_BELOW: Final = 6  # rows that a row is compared with
_MOST_COLUMNS_OF_LETTERHEAD: Final = 3
_MOST_ROWS_OF_LETTERHEAD: Final = 4
_MOST_PROSE: Final = 0.4  # greatest share of sentences in a header column
_MOST_CONFIDENCE: Final = 0.99  # greatest confidence of an inferred header
_MOST_REPORTED: Final = 3  # most signals that are reported


class Header(NamedTuple):
    """The number of header rows and header columns of a table.

    `confidence` is the estimated probability that an inferred header row is one; 1 if the author
    marked it, 0 if there is none.
    """

    rows: int = 0
    columns: int = 0
    is_marked: bool = False
    confidence: float = 0.0
    signals: tuple[str, ...] = ()  # the strongest for an inferred header


NO_HEADER: Final = Header()


class _Guess(NamedTuple):
    rows: int
    confidence: float
    signals: tuple[str, ...]


def find_headers(items: Sequence[Item]) -> dict[int, Header]:
    """Return the header of each table, nested tables included, by its ordinal."""
    tables = [table for table in _tables(items) if table.columns > 1 or table.rows[0].is_header]
    lines = {
        table.ordinal: [entries(row) for row in table.rows[: _MOST_ROWS + _MOST_BELOW]]
        for table in tables
    }
    seen = Counter(_texts(found[0]) for found in lines.values())
    repeated = {
        ordinal
        for ordinal, found in lines.items()
        if _has_text(found[0]) > 1 and seen[_texts(found[0])] > 1
    }
    written = (
        item
        for item in items
        if isinstance(item, GridTable) or (item.raw and not item.raw.isspace())
    )
    top = next(written, None)
    if (
        not isinstance(top, GridTable)
        or not _is_letterhead_size(top)
        or not any(isinstance(item, Paragraph) for item in written)
    ):
        top = None
    return {
        table.ordinal: _header(
            table,
            lines[table.ordinal],
            Setting(table.first_row_styled, table.ordinal in repeated, table is top),
        )
        for table in tables
    }


def _is_letterhead_size(table: GridTable) -> bool:
    return (
        table.columns <= _MOST_COLUMNS_OF_LETTERHEAD and len(table.rows) <= _MOST_ROWS_OF_LETTERHEAD
    )


def _tables(items: Iterable[Item]) -> Iterator[GridTable]:
    for item in items:
        if isinstance(item, GridTable):
            yield item
            yield from _tables(item.paragraphs())


def _texts(line: CellRow) -> tuple[str, ...]:
    return tuple(entry.text for entry in line)


def _has_text(line: CellRow) -> int:
    return sum(entry.has_text for entry in line)


def _header(table: GridTable, lines: Sequence[CellRow], setting: Setting) -> Header:
    marked = _marked_rows(table.rows)
    if marked:
        return Header(marked, _header_columns(table, lines, marked), is_marked=True, confidence=1.0)
    guess = _guess(table, lines, setting) if len(table.rows) > 1 and table.columns > 1 else None
    if guess is None:
        return Header(columns=_header_columns(table, lines, 0))
    return Header(
        guess.rows,
        _header_columns(table, lines, guess.rows),
        confidence=guess.confidence,
        signals=guess.signals,
    )


def _marked_rows(rows: Sequence[Row]) -> int:
    """Return the number of leading rows that Word repeats (17.4.49); 0 if all rows are marked, as
    then none is repeated.
    """
    return next((number for number, row in enumerate(rows) if not row.is_header), 0)


def _guess(table: GridTable, lines: Sequence[CellRow], setting: Setting) -> _Guess | None:
    """Return the inferred header: title rows, then the rows that name the columns. None if no row
    is likely enough.
    """
    titles = next(
        (number for number, row in enumerate(table.rows[:_MOST_ROWS]) if not _is_title(row, table)),
        0,
    )
    lines = lines[titles:]
    if len(lines) < 2 or not lines[0]:
        return None
    judged = [_judge(lines, table.columns, setting)]
    depth = _depth(table.rows[titles], lines)
    if depth > 1:
        judged.append(_judge(lines[depth - 1 :], table.columns, Setting(table.first_row_styled)))
        depth = depth if judged[-1][0] >= _LEAST else 1
    confidence, signals = max(judged)
    return (
        _Guess(min(titles + depth, _MOST_ROWS), confidence, signals)
        if confidence >= _LEAST
        else None
    )


def _is_title(row: Row, table: GridTable) -> bool:
    """Return whether one cell spans all columns."""
    return len(row.cells) == 1 and row.cells[0].columns == table.columns


def _judge(
    lines: Sequence[CellRow], columns: int, setting: Setting
) -> tuple[float, tuple[str, ...]]:
    """Return the probability that the first line is the header of the others, and the signals for
    it, strongest first.
    """
    rows = rows_of(lines[0], lines[1 : 1 + _MOST_BELOW], columns, setting)
    parts = {signal.name: signal.weight * signal.value(rows) for signal in SIGNALS}
    likely = 1 / (1 + math.exp(-_BIAS - sum(parts.values())))
    strongest = sorted(
        (name for name, part in parts.items() if part > 0.25), key=lambda name: -parts[name]
    )
    return round(min(likely, _MOST_CONFIDENCE), 2), tuple(strongest[:_MOST_REPORTED])


def _depth(row: Row, lines: Sequence[CellRow]) -> int:
    """Return the depth of the header: more than one row if a cell spans columns, and others span
    rows or the next row divides it.
    """
    if not any(cell.columns > 1 for cell in row.cells) or len(lines) < 3:
        return 1
    depth = max(cell.rows for cell in row.cells)
    if 1 < depth < min(len(lines), _MOST_ROWS + 1):
        return depth
    is_divided = len(lines[1]) > len(lines[0]) and len(set(_texts(lines[1]))) == len(lines[1])
    return 2 if is_divided else 1


# -- header columns


def _header_columns(table: GridTable, lines: Sequence[CellRow], header: int) -> int:
    """Return the number of header columns: 0, 1, or 2 if the first column names groups of rows and
    the second names the rows.
    """
    below = lines[header : header + _MOST_BELOW]
    if table.columns < 2 or not below:
        return 0
    if (
        table.columns > 2
        and _are_groups(table.rows[header : header + _MOST_BELOW])
        and _are_names(below, 1)
    ):
        return 2
    return int(_are_names(below, 0))


def _are_groups(rows: Sequence[Row]) -> bool:
    """Return whether a cell of the first column spans several rows."""
    return any(cell.rows > 1 and cell.column == 0 for row in rows for cell in row.cells)


def _are_names(lines: Sequence[CellRow], column: int) -> bool:
    """Return whether a column names the rows.

    Its texts differ and are short, or shorter than those of the other columns. They may be row
    numbers, but not dates, nor numbers if the other columns are numbers too. Rows with a single
    cell or a wider first cell are ignored; a few cells may be empty.
    """
    own = [
        entry
        for line in lines
        for entry in line
        if entry.column == column and entry.columns == 1 and len(line) > 1
    ]
    said = [entry for entry in own if entry.has_text]
    others = [entry for line in lines for entry in line if entry.column > column and entry.has_text]
    if (
        not said
        or len(said) * 4 < len(own)
        or len(own) * 3 < len(lines)
        or not _differ(said)
        or sum(map(is_dated, said)) * 2 > len(said)
    ):
        return False
    if _share(said, CellKind.PROSE, CellKind.OBJECT) > _MOST_PROSE and (
        any(entry.kind is CellKind.OBJECT for entry in said) or _length(said) * 2 > _length(others)
    ):
        return False
    return _share(said, CellKind.VALUE) < 0.5 or _share(others, CellKind.VALUE) < 0.5


def _length(entries: Sequence[CellEntry]) -> float:
    return sum(len(entry.text) for entry in entries) / max(len(entries), 1)


def _differ(said: Sequence[CellEntry]) -> bool:
    return len({entry.text for entry in said}) * 10 >= len(said) * 6


def _share(entries: Sequence[CellEntry], *kinds: CellKind) -> float:
    return sum(entry.kind in kinds for entry in entries) / max(len(entries), 1)
