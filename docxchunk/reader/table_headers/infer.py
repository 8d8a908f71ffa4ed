"""Which rows of a table name its columns, and which columns name its rows: as the author marked it, else inferred.

A row is judged by an additive model: the shares of `header_signals`, times the weights below, add up to the log-odds that it is a header. The weights are
those of a ridge-regularised logistic regression on tables that were read and labelled by hand, cross-validated by the source of the documents.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from docxchunk.reader.story import Item
from docxchunk.reader.table_headers.signals import SIGNALS, Entry, Kind, Line, entries, is_dated, rows_of
from docxchunk.reader.tables import Row, Table

_BIAS: Final = -0.8
_WEIGHTS: Final[Mapping[str, float]] = {
    "bold": 2.3, "shaded": 2.1, "centred": 1.1, "paragraph style": 1.2, "table style": 2.7, "above numbers": 1.6, "above prose": 0.6, "shorter": 1.1,
    "empty corner": 0.9, "known names": 2.1, "columns": 1.3, "repeated": 1.0,
    "numbers": -1.8, "prose": -2.3, "again": -1.1, "alike": -2.0, "empty cells": -0.3, "bold keys": -2.4, "keys with colons": -0.7, "irregular": -1.0,
    "one cell": -2.6,
}  # fmt: skip
_LEAST: Final = 0.6  # confidence from which on a header is written down
_MOST_ROWS: Final = 3  # of a header that is inferred
_MOST_BELOW: Final = 6  # rows that a row is compared with
_MOST_PROSE: Final = 0.4  # share of sentences in a column that names the rows
_SURE: Final = 0.99  # no guess is surer
_TOLD: Final = 3  # signals that a table tells of


class Header(NamedTuple):
    """The leading rows that name the columns, and the leading columns that name the rows.

    `confidence` is the estimated probability that a guessed header is one; 1 where the author marked it, 0 where there is none.
    """

    rows: int = 0
    columns: int = 0
    is_marked: bool = False
    confidence: float = 0.0
    signals: tuple[str, ...] = ()  # of a guess: the strongest that spoke for it


NO_HEADER: Final = Header()


class _Guess(NamedTuple):
    rows: int
    confidence: float
    signals: tuple[str, ...]


def find_headers(items: Iterable[Item]) -> dict[int, Header]:
    """The header of each table, inner ones too, by its ordinal."""
    tables = [table for table in _tables(items) if table.columns > 1 or table.rows[0].is_header]
    lines = {table.ordinal: [entries(row) for row in table.rows[: _MOST_ROWS + _MOST_BELOW]] for table in tables}
    seen = Counter(_texts(found[0]) for found in lines.values())
    repeated = {ordinal for ordinal, found in lines.items() if _says(found[0]) > 1 and seen[_texts(found[0])] > 1}
    return {table.ordinal: _header(table, lines[table.ordinal], is_repeated=table.ordinal in repeated) for table in tables}


def _tables(items: Iterable[Item]) -> Iterator[Table]:
    for item in items:
        if isinstance(item, Table):
            yield item
            yield from _tables(item.paragraphs())


def _texts(line: Line) -> tuple[str, ...]:
    return tuple(entry.text for entry in line)


def _says(line: Line) -> int:
    return sum(entry.says for entry in line)


def _header(table: Table, lines: Sequence[Line], *, is_repeated: bool) -> Header:
    marked = _marked_rows(table.rows)
    if marked:
        return Header(marked, _header_columns(table, lines, marked), is_marked=True, confidence=1.0)
    guess = _guess(table, lines, is_repeated=is_repeated) if len(table.rows) > 1 and table.columns > 1 else None
    if guess is None:
        return Header(columns=_header_columns(table, lines, 0))
    return Header(guess.rows, _header_columns(table, lines, guess.rows), confidence=guess.confidence, signals=guess.signals)


def _marked_rows(rows: Sequence[Row]) -> int:
    """Leading rows that Word repeats (17.4.49); none where nothing is left below them, as then nothing is repeated."""
    return next((number for number, row in enumerate(rows) if not row.is_header), 0)


def _guess(table: Table, lines: Sequence[Line], *, is_repeated: bool) -> _Guess | None:
    """The row of names below titles, if any, and the rows that belong to it; None where no row is likely enough."""
    titles = next((number for number, row in enumerate(table.rows[:_MOST_ROWS]) if not _is_title(row, table)), 0)
    lines = lines[titles:]
    if len(lines) < 2 or not lines[0]:
        return None
    judged = [_judge(lines, table, is_repeated=is_repeated)]
    depth = _depth(table.rows[titles], lines)
    if depth > 1:
        judged.append(_judge(lines[depth - 1 :], table))
        depth = depth if judged[-1][0] >= _LEAST else 1
    confidence, signals = max(judged)
    return _Guess(min(titles + depth, _MOST_ROWS), confidence, signals) if confidence >= _LEAST else None


def _is_title(row: Row, table: Table) -> bool:
    """One cell over all columns."""
    return len(row.cells) == 1 and row.cells[0].columns == table.columns


def _judge(lines: Sequence[Line], table: Table, *, is_repeated: bool = False) -> tuple[float, tuple[str, ...]]:
    """How likely the first line names the columns of those below, and the signals that spoke for it, the strongest first."""
    rows = rows_of(lines[0], lines[1 : 1 + _MOST_BELOW], table.columns, is_styled=table.first_row_styled, is_repeated=is_repeated)
    spoken = {name: weight * SIGNALS[name](rows) for name, weight in _WEIGHTS.items()}
    likely = 1 / (1 + math.exp(-_BIAS - sum(spoken.values())))
    loud = sorted((name for name, part in spoken.items() if part > 0.25), key=lambda name: -spoken[name])
    return round(min(likely, _SURE), 2), tuple(loud[:_TOLD])


def _depth(row: Row, lines: Sequence[Line]) -> int:
    """How many rows the names may take: more than one where a cell of the first is over several columns, and others go on below it or are divided."""
    if not any(cell.columns > 1 for cell in row.cells) or len(lines) < 3:
        return 1
    depth = max(cell.rows for cell in row.cells)
    if 1 < depth < min(len(lines), _MOST_ROWS + 1):
        return depth
    is_divided = len(lines[1]) > len(lines[0]) and len(set(_texts(lines[1]))) == len(lines[1])
    return 2 if is_divided else 1


# -- columns that name the rows


def _header_columns(table: Table, lines: Sequence[Line], header: int) -> int:
    """0 where the first column names no rows; 2 where it names groups of them, and the second one names the rows."""
    below = lines[header : header + _MOST_BELOW]
    if table.columns < 2 or not below:
        return 0
    if table.columns > 2 and _are_groups(table.rows[header : header + _MOST_BELOW]) and _are_names(below, 1):
        return 2
    return int(_are_names(below, 0))


def _are_groups(rows: Sequence[Row]) -> bool:
    """Does the first column hold cells over several rows?"""
    return any(cell.rows > 1 and cell.column == 0 for row in rows for cell in row.cells)


def _are_names(lines: Sequence[Line], column: int) -> bool:
    """Texts that differ and are short, or shorter than the others; numbers that count the rows, too, but no dates and no column among others of numbers.

    Rows that one cell fills, or that begin with a wider one, are left out; a few empty cells are none of a name above them.
    """
    own = [entry for line in lines for entry in line if entry.column == column and entry.columns == 1 and len(line) > 1]
    said = [entry for entry in own if entry.says]
    others = [entry for line in lines for entry in line if entry.column > column and entry.says]
    if not said or len(said) * 4 < len(own) or len(own) * 3 < len(lines) or not _differ(said) or sum(map(is_dated, said)) * 2 > len(said):
        return False
    if _share(said, Kind.PROSE, Kind.OBJECT) > _MOST_PROSE and (any(entry.kind is Kind.OBJECT for entry in said) or _length(said) * 2 > _length(others)):
        return False
    return _share(said, Kind.VALUE) < 0.5 or _share(others, Kind.VALUE) < 0.5


def _length(entries: Sequence[Entry]) -> float:
    return sum(len(entry.text) for entry in entries) / max(len(entries), 1)


def _differ(said: Sequence[Entry]) -> bool:
    return len({entry.text for entry in said}) * 10 >= len(said) * 6


def _share(entries: Sequence[Entry], *kinds: Kind) -> float:
    return sum(entry.kind in kinds for entry in entries) / max(len(entries), 1)
