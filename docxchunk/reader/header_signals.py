"""The signals for or against a row being a header, each a value from -1 to 1, with its weight.

The weights come from a ridge-regularised logistic regression on tables that were labelled by hand,
cross-validated by the source of the documents. Forms and records are rare in these documents: the
weights of "keys with values", "left blank" and "record" are set by hand.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from docxchunk.language.column_names import BLANK, is_value, naming_share
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import ENDS
from docxchunk.reader.looks import CellLook
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Cell, Row
from docxchunk.reader.text import finish_cell

_LONGEST_NAME = 60  # characters: a longer text is prose
_LONGEST_VALUE = 200
_LONGEST_COLUMN_NAME = 30
_KEY_WITH_VALUE = pattern(r"[^:：]{1,30}[:：]\s*\S")


class CellKind(Enum):
    """The kind of text in a cell."""

    EMPTY = "empty"
    VALUE = "value"  # a number, a date, a code
    NAME = "name"
    PROSE = "prose"
    OBJECT = "object"  # a picture, an equation, a table


class CellEntry(NamedTuple):
    """The properties of a cell that signals need."""

    text: str
    kind: CellKind
    column: int
    columns: int
    look: CellLook | None
    has_text: bool  # or an object


CellRow = Sequence[CellEntry]


def entries(row: Row) -> list[CellEntry]:
    """Return the cells of a row."""
    return [_entry(cell) for cell in row.cells]


_YEAR = pattern(r"(?:FY ?)?(?<!\d)(?:19|20)\d\d(?!\d)年?", re.IGNORECASE)
_CODE = pattern(r"[^\W\d_]{1,4}[-.]?\d{1,4}")  # Q1, A-100
_DATE = pattern(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}$|\d{4}年")


def is_dated(entry: CellEntry) -> bool:
    """Return whether the text is a date in digits."""
    return _DATE.match(entry.text) is not None


def _entry(cell: Cell) -> CellEntry:
    paragraphs = [item for item in cell.items if isinstance(item, Paragraph)]
    text = " ".join(filter(None, map(_text, paragraphs)))
    has_object = len(paragraphs) < len(cell.items) or (
        not text and any(item.raw.strip() for item in paragraphs)
    )
    kind = CellKind.OBJECT if has_object else _kind(text)
    return CellEntry(text, kind, cell.column, cell.columns, cell.look, kind is not CellKind.EMPTY)


def _text(item: Paragraph) -> str:
    text = finish_cell(item.raw, _nothing)
    return f"{item.label}{text}" if item.label else text


def _nothing(_index: int) -> str:
    return ""


def _kind(text: str) -> CellKind:
    if not text:
        return CellKind.EMPTY
    if len(text) > _LONGEST_VALUE:
        return CellKind.PROSE
    if is_value(text):
        return CellKind.VALUE
    is_prose = len(text) > _LONGEST_NAME or (text.endswith(ENDS) and len(text.split()) > 3)
    return CellKind.PROSE if is_prose else CellKind.NAME


class RowSetting(NamedTuple):
    """Facts about a row that are not facts about its cells."""

    is_styled: bool = False  # the table style gives the row a look of its own
    is_repeated: bool = False  # another table begins with the same row, above other rows
    is_record: bool = False  # other tables have the same names at the side, beside other values


class Rows(NamedTuple):
    """A row and the rows below it."""

    first: CellRow
    below: Sequence[CellRow]
    setting: RowSetting
    by_column: Mapping[int, Sequence[CellEntry]]  # the cells below that are not empty
    looks: Sequence[CellLook]  # of these cells, without the first column
    in_series: AbstractSet[int]  # the columns that a year, date or code names

    def under(self, entry: CellEntry) -> Sequence[CellEntry]:
        """Return the non-empty cells below a cell."""
        return self.by_column.get(entry.column, ())


def rows_of(first: CellRow, below: Sequence[CellRow], setting: RowSetting) -> Rows:
    """Return a row with the rows below it, whose cells are indexed by column."""
    by_column: dict[int, list[CellEntry]] = {}
    looks: list[CellLook] = []
    for line in below:
        for entry in line:
            if entry.has_text:
                by_column.setdefault(entry.column, []).append(entry)
                if entry.column and entry.look is not None:
                    looks.append(entry.look)
    return Rows(first, below, setting, by_column, looks, _in_series(first, by_column))


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 without values."""
    return sum(values) / len(values) if values else 0.0


def _share(entries: Iterable[CellEntry], test: Callable[[CellEntry], float]) -> float:
    return mean([test(entry) for entry in entries if entry.has_text])


def _contrast(rows: Rows, test: Callable[[CellLook], bool]) -> float:
    """Return the share of the row's cells whose look passes a test, minus the share in the rows
    below. The first column is left out, because it may be a header column.
    """
    cells = [entry for entry in rows.first if entry.column] or rows.first
    return _share(cells, lambda entry: _looks(entry, test)) - mean(
        [test(look) for look in rows.looks]
    )


def _looks(entry: CellEntry, test: Callable[[CellLook], bool]) -> bool:
    return entry.look is not None and test(entry.look)


def _bold(rows: Rows) -> float:
    return _contrast(rows, _is_bold)


def _is_bold(look: CellLook) -> bool:
    return look.bold is True


def _is_filled(look: CellLook) -> bool:
    return bool(look.fill)


def _partly_bold(rows: Rows) -> float:
    """Return 1 if only the first cell is bold, or only cells after it: the look of a record."""
    first, *others = [_looks(entry, _is_bold) for entry in rows.first if entry.has_text] or [False]
    return float(bool(others) and first != any(others))


def _shaded(rows: Rows) -> float:
    fills = {entry.look.fill for entry in rows.first if entry.look is not None and entry.column} - {
        ""
    }
    return (
        _contrast(rows, lambda look: look.fill in fills)
        if fills
        else -mean([bool(look.fill) for look in rows.looks])
    )


def _bold_keys(rows: Rows) -> float:
    """Return the share of bold or shaded cells in the first column minus that share in the others:
    1 for a header column.
    """
    first = [line[0].look for line in (rows.first, *rows.below) if line and line[0].look]
    others = [
        entry.look
        for line in (rows.first, *rows.below)
        for entry in line[1:]
        if entry.look and entry.has_text
    ]
    return (
        max(
            mean([test(look) for look in first]) - mean([test(look) for look in others])
            for test in (_is_bold, _is_filled)
        )
        if first
        else 0.0
    )


def _irregular(rows: Rows) -> float:
    """Return the share of rows below with a cell that is not as wide as one of the row."""
    division = {(entry.column, entry.columns) for entry in rows.first}
    return mean(
        [
            any((entry.column, entry.columns) not in division for entry in line)
            for line in rows.below
        ]
    )


def _lone(rows: Rows) -> float:
    """Return 1 if at most one cell has text."""
    return float(sum(entry.has_text for entry in rows.first) < 2)


def _above_values(rows: Rows) -> float:
    """Return the share of columns of numbers, dates or codes with a name above them; less if such
    columns are less than half of the row.
    """
    named = [
        is_name_above(entry, rows)
        for entry in rows.first
        if entry.has_text and _has_values(rows, entry)
    ]
    return mean(named) * min(1.0, 2 * len(named) / len(rows.first)) if named else 0.0


_NUMBER = pattern(r"[+−–-]?\d+(?:[.,\s]\d+)*")


def _has_values(rows: Rows, entry: CellEntry) -> bool:
    """Return whether most cells below a cell are values. In a table of two columns, the values have
    one form, because a record has values of several forms.
    """
    under = rows.under(entry)
    if len(rows.by_column) > 2:
        return mostly(under, CellKind.VALUE)
    forms = Counter(_form(below) for below in under if below.kind is CellKind.VALUE)
    return max(forms.values(), default=0) * 4 > len(under) * 3


def _form(value: CellEntry) -> str:
    """Return the unit and other signs of a value; "" for a date."""
    return "" if is_dated(value) else _NUMBER.sub("0", value.text)


def is_name_above(entry: CellEntry, rows: Rows) -> bool:
    """Return whether the cell is a name, or a year, date or code above other values."""
    return entry.kind is CellKind.NAME or entry.column in rows.in_series


def _in_series(first: CellRow, by_column: Mapping[int, Sequence[CellEntry]]) -> AbstractSet[int]:
    """Return the columns whose name is a year, a date or a code. A cell is such a name if it is a
    year, or if it and a neighbour contain a year or are codes. No cell below the name may contain
    a year, or be a code.
    """
    has_sign = _is_code if _are_codes(first) else _has_year
    signs = [has_sign(entry.text) for entry in first]
    return {
        entry.column
        for place, entry in enumerate(first)
        if (signs[place] if sum(signs[max(place - 1, 0) : place + 2]) > 1 else _is_year(entry.text))
        and not any(has_sign(below.text) for below in by_column.get(entry.column, ()))
    }


def _are_codes(line: CellRow) -> bool:
    """Return whether the cells of a row are codes such as "Q1", without the first cell."""
    texts = [entry.text for entry in line if entry.column and entry.has_text]
    return len(texts) > 1 and all(map(_is_code, texts)) and not _is_code(line[0].text)


def _is_code(text: str) -> bool:
    return _CODE.fullmatch(text) is not None


def _is_year(text: str) -> bool:
    return _YEAR.fullmatch(text) is not None


def _has_year(text: str) -> bool:
    return _YEAR.search(text) is not None


def mostly(entries: Sequence[CellEntry], kind: CellKind) -> bool:
    return bool(entries) and sum(entry.kind is kind for entry in entries) * 3 >= len(entries) * 2


def _values(rows: Rows) -> float:
    return _share(
        rows.first,
        lambda entry: entry.kind is CellKind.VALUE and entry.column not in rows.in_series,
    )


def _prose(rows: Rows) -> float:
    return _share(rows.first, lambda entry: entry.kind in (CellKind.PROSE, CellKind.OBJECT))


def _shorter(rows: Rows) -> float:
    """Return how much shorter the cells are than the median of the cells below: 1 for a quarter of
    its length, 0 for its length and for longer ones.
    """
    logs = [
        math.log2(median(len(below.text) for below in under) / len(entry.text)) / 2
        for entry in rows.first
        if entry.text and (under := [below for below in rows.under(entry) if below.text])
    ]
    return max(0.0, min(1.0, mean(logs)))


def _alike(rows: Rows) -> float:
    """Return the share of cells that are like the cells below. Such a cell begins with the same
    word as at least half of the cells below it, or has the same pattern of words and digits.
    """
    return _share(
        rows.first,
        lambda entry: entry.column not in rows.in_series and _is_alike(entry, rows.under(entry)),
    )


def _is_alike(entry: CellEntry, under: Sequence[CellEntry]) -> bool:
    if len(under) < 2 or not entry.text:
        return False
    texts = [below.text for below in under if below.text]
    first_word = entry.text.split(None, 1)[:1]
    if 2 * sum([text.split(None, 1)[:1] == first_word for text in texts]) >= len(under):
        return True
    shape = _shape(entry.text)
    if shape.isalpha():
        return False
    # the shape of the first character rules out most long texts
    same = [_shape(text[0]) == shape[0] and _shape(text) == shape for text in texts]
    return 2 * sum(same) >= len(under)


_RUNS = (
    (pattern(r"\d+"), "0"),
    (pattern(r"[^\W\d_]+"), "a"),
    (pattern(r"\s+"), " "),
    (pattern(r"a(?: a)+"), "a"),
)


def _shape(text: str) -> str:
    """Return the text with each number as "0" and each run of words as "a"."""
    for run, sign in _RUNS:
        text = run.sub(sign, text)
    return text


def _known_names(rows: Rows) -> float:
    """Return the share of words that name columns, averaged over the cells; 0 if none is behind the
    first cell, because that of a record has one, too.
    """
    others = _share([entry for entry in rows.first if entry.column], _naming)
    return _share(rows.first, _naming) if others else 0.0


def _naming(entry: CellEntry) -> float:
    is_short = entry.kind is CellKind.NAME and len(entry.text) <= _LONGEST_COLUMN_NAME
    return naming_share(entry.text) if is_short else 0.0


def _known_keys(rows: Rows) -> float:
    """Return the share of known names in the first column below, times the share of the other cells
    of the row that are none: 1 for a record, 0 for a list of fields under "Name" and "Type".
    """
    keys = [line[0] for line in rows.below if line and line[0].column == 0]
    return _share(keys, _naming) * _unknown_names(rows)


def _record(rows: Rows) -> float:
    """Return the share of cells behind the first that are no known names, if the table is a
    record.
    """
    return _unknown_names(rows) if rows.setting.is_record else 0.0


def _unknown_names(rows: Rows) -> float:
    others = [entry for entry in rows.first if entry.column]
    return _share(others, lambda entry: 1 - _naming(entry))


def _keys_with_values(rows: Rows) -> float:
    """Return the share of cells below that have a key with its value, or with room for one: "Name:
    Jane Roe", "Date: ____".
    """
    return mean(
        [
            _KEY_WITH_VALUE.match(entry.text) is not None
            for line in rows.below
            for entry in line
            if entry.has_text
        ]
    )


def _blanks(rows: Rows) -> float:
    """Return 1 for a row of names, each with an empty cell beside it, as in a form. For other rows,
    return twice the share of texts that are blanks such as "____", at most 1.
    """
    pairs = list(pairwise(rows.first))[::2]
    if len(pairs) * 2 == len(rows.first) > 2 and all(
        name.has_text and not value.has_text for name, value in pairs
    ):
        return 1.0
    return min(1.0, 2 * _share(rows.first, lambda entry: bool(BLANK.fullmatch(entry.text))))


def _again(rows: Rows) -> float:
    """Return the share of texts that occur again below in their column."""
    return _share(
        rows.first, lambda entry: any(below.text == entry.text for below in rows.under(entry))
    )


def _above_repeats(rows: Rows) -> float:
    """Return the share of cells below, without the first column, whose text occurs there more than
    once, such as marks; 0 if a cell of the row has the text of one of the cells below.
    """
    below = Counter(
        entry.text.casefold()
        for line in rows.below
        for entry in line
        if entry.column and entry.text
    )
    if any(entry.column and below[entry.text.casefold()] for entry in rows.first):
        return 0.0
    return sum(count for count in below.values() if count > 1) / max(below.total(), 1)


def _above_blanks(rows: Rows) -> float:
    """Return the share of names behind the first column with nothing but empty cells below them."""
    if _lone(rows):
        return 0.0
    columns = {entry.column for line in rows.below for entry in line}
    names = [entry for entry in rows.first if entry.column]
    return _share(names, lambda entry: entry.column in columns and not rows.under(entry))


def _mixed(rows: Rows) -> float:
    """Return the share of columns behind the first with several kinds of cells: 1 for a record."""
    columns = [rows.under(entry) for entry in rows.first if entry.column]
    return mean(
        [len({entry.kind for entry in entries}) > 1 for entries in columns if len(entries) > 1]
    )


_TRAITS: Final[Sequence[Callable[[str], bool]]] = (
    lambda text: text[0].islower(),
    lambda text: text[0].isdigit(),
    lambda text: any(sign in text for sign in "_(=<>/"),
    lambda text: " " not in text,
    lambda text: text.endswith(ENDS),
)
_NEARLY_ALL: Final = 0.9


def _odd(rows: Rows) -> float:
    """Return how much the cells differ in form from those below them. Subtracted is what is usual
    in the column: how much the first cell below differs from the rest, or 0.25 if only two cells
    are below.
    """
    columns = [
        (entry.text, [below.text for below in rows.under(entry) if below.text])
        for entry in rows.first
    ]
    return mean(
        [
            _oddness(text, below) - (_oddness(below[0], below[1:]) if len(below) > 2 else 0.25)
            for text, below in columns
            if text and len(below) > 1
        ]
    )


def _oddness(text: str, others: Sequence[str]) -> float:
    """Return 1 if the text differs from nearly all others in two traits, 0.5 for one trait."""
    shares = [(trait(text), mean([trait(other) for other in others])) for trait in _TRAITS]
    traits = sum((1 - share if has else share) >= _NEARLY_ALL for has, share in shares)
    return min(traits, 2) / 2


class Signal(NamedTuple):
    """A feature of rows that helps to decide whether they are a header. `value` measures it. The
    signal adds `weight` times this value to the log-odds that the rows are a header.
    """

    name: str
    weight: float
    value: Callable[[Rows], float]


SIGNALS: Final = (
    Signal("bold", 2.3, _bold),
    Signal("shaded", 2.1, _shaded),
    Signal("centred", 1.2, lambda rows: _contrast(rows, lambda look: look.centred)),
    Signal("table style", 2.7, lambda rows: float(rows.setting.is_styled)),
    Signal("above numbers", 1.8, _above_values),
    Signal("above repeated texts", 1.2, _above_repeats),
    Signal("above blanks", 1.0, _above_blanks),
    Signal("shorter", 1.2, _shorter),
    Signal("other form", 1.2, _odd),
    Signal("known names", 2.3, _known_names),
    Signal("columns", 1.6, lambda rows: min(len(rows.first) - 2, 4) / 4),
    Signal("repeated", 1.0, lambda rows: float(rows.setting.is_repeated)),
    Signal("numbers", -1.8, _values),
    Signal("prose", -2.4, _prose),
    Signal("again", -1.2, _again),
    Signal("alike", -2.0, _alike),
    Signal("irregular", -1.4, _irregular),
    Signal("mixed columns", -0.6, _mixed),
    Signal("partly bold", -2.3, _partly_bold),
    Signal("bold keys", -2.4, _bold_keys),
    Signal("one cell", -2.7, _lone),
    Signal("known keys", -2.0, _known_keys),
    Signal("keys with values", -2.5, _keys_with_values),
    Signal("left blank", -2.5, _blanks),
    Signal("record", -4.0, _record),
)
