"""The signals for or against a row being a header, each a value from -1 to 1, with its weight.

The weights come from a ridge-regularised logistic regression on tables that were labelled by hand,
cross-validated by the source of the documents. Forms are rare in these documents: the
weights of "known keys" and "keys with values" are set by hand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from statistics import median
from typing import Final, NamedTuple

from docxchunk.language.sentences import ENDS
from docxchunk.reader.looks import CellLook
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Cell, Row
from docxchunk.reader.text import finish_cell

_LONGEST_NAME = 60  # characters: a longer text is prose
_LONGEST_VALUE = 200
_LONGEST_COLUMN_NAME = 30
_KEY_WITH_VALUE = re.compile(r"[^:：]{1,30}[:：]\s*\S")
_DIGITS, _LETTERS = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_COLUMN_NAME = re.compile(
    r"\b(?:names?|descriptions?|types?|values?|numbers?|no|id|ids|dates?|status|comments?"
    r"|notes?|remarks?|version|revision|section|reference|title|item|"
    r"unit|units|price|total|amount|quantity|default|required|parameter|field|column"
    r"|meaning|purpose|role|category|author|code|example|result|source|function|element|"
    r"attribute|property|argument|method|variable|definition|abbreviation|term|class|usage"
    r"|file|key|label|position|country|year|month|level|count|header|"
    r"address|city|phone|telephone|e-?mail|component|requirement|action|task|step|owner"
    r"|responsible|scenario|format|size|length|range|option|feature|"
    r"name|bezeichnung|beschreibung|wert|datum|nr|nom|valeur|nombre|valor|fecha|тип|имя|дата|№)\b"
    r"|(?:名称|序号|编号|说明|描述|类型|日期|备注|单位|数量|金额|项目|内容|状态|版本|姓名|参数|字段|类别|类型|种类|特性|功能|要求|标准|方式|时间|地址|电话)$",
    re.IGNORECASE,
)


class CellKind(Enum):
    """The kind of text in a cell."""

    EMPTY = "empty"
    VALUE = "value"  # a number, a date, a code: at least as many digits as letters
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


_YEAR = re.compile(r"(?:FY ?)?(?:19|20)\d\d年?", re.IGNORECASE)
_DATE = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}$|\d{4}年")


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
    digits = len(_DIGITS.findall(text))
    if digits and digits >= len(_LETTERS.findall(text)):
        return CellKind.VALUE
    is_prose = len(text) > _LONGEST_NAME or (text.endswith(ENDS) and len(text.split()) > 3)
    return CellKind.PROSE if is_prose else CellKind.NAME


class Rows(NamedTuple):
    """A row and the rows below it."""

    first: CellRow
    below: Sequence[CellRow]
    columns: int
    is_styled: bool  # the table style gives the first row a look of its own
    by_column: Mapping[int, Sequence[CellEntry]]  # the cells below that are not empty
    looks: Sequence[CellLook]  # of these cells, without the first column

    def under(self, entry: CellEntry) -> Sequence[CellEntry]:
        """Return the non-empty cells below a cell."""
        return self.by_column.get(entry.column, ())


def rows_of(first: CellRow, below: Sequence[CellRow], columns: int, *, is_styled: bool) -> Rows:
    """Return a row with the rows below it, whose cells are indexed by column."""
    by_column: dict[int, list[CellEntry]] = {}
    looks: list[CellLook] = []
    for line in below:
        for entry in line:
            if entry.has_text:
                by_column.setdefault(entry.column, []).append(entry)
                if entry.column and entry.look is not None:
                    looks.append(entry.look)
    return Rows(first, below, columns, is_styled, by_column, looks)


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 without values."""
    return sum(values) / len(values) if values else 0.0


def _share(entries: Iterable[CellEntry], test: Callable[[CellEntry], bool]) -> float:
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


def _lone(rows: Rows) -> float:
    """Return 1 if at most one cell has text."""
    return float(sum(entry.has_text for entry in rows.first) < 2)


def _above_values(rows: Rows) -> float:
    """Return the share of columns of numbers, dates or codes with a name above them; less if such
    columns are less than half of the row.
    """
    named = [
        entry.kind is CellKind.NAME or _is_year_above(entry, rows)
        for entry in rows.first
        if entry.has_text and _mostly(rows.under(entry), CellKind.VALUE)
    ]
    return mean(named) * min(1.0, 2 * len(named) / len(rows.first)) if named else 0.0


def _is_year_above(entry: CellEntry, rows: Rows) -> bool:
    """Return whether the cell is a year and the cells below it are not. Such a year is the name of
    a column of figures.
    """
    return _YEAR.fullmatch(entry.text) is not None and not any(
        _YEAR.fullmatch(other.text) for other in rows.under(entry)
    )


def _mostly(entries: Sequence[CellEntry], kind: CellKind) -> bool:
    return bool(entries) and sum(entry.kind is kind for entry in entries) * 3 >= len(entries) * 2


def _values(rows: Rows) -> float:
    return _share(
        rows.first, lambda entry: entry.kind is CellKind.VALUE and not _is_year_above(entry, rows)
    )


def _prose(rows: Rows) -> float:
    return _share(rows.first, lambda entry: entry.kind in (CellKind.PROSE, CellKind.OBJECT))


def _shorter(rows: Rows) -> float:
    """Return how much shorter the cells are than the median of the cells below: 1 for a quarter of
    its length, -1 for four times its length.
    """
    logs = [
        math.log2(median(len(other.text) for other in under) / len(entry.text)) / 2
        for entry in rows.first
        if entry.text and (under := [other for other in rows.under(entry) if other.text])
    ]
    return max(-1.0, min(1.0, mean(logs)))


def _alike(rows: Rows) -> float:
    """Return the share of cells that are like the cells below. Such a cell begins with the same
    word as at least half of the cells below it, or has the same pattern of words and digits.
    """
    return _share(rows.first, lambda entry: _is_alike(entry, rows.under(entry)))


def _is_alike(entry: CellEntry, under: Sequence[CellEntry]) -> bool:
    if len(under) < 2 or not entry.text:
        return False
    texts = [other.text for other in under if other.text]
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
    (re.compile(r"\d+"), "0"),
    (re.compile(r"[^\W\d_]+"), "a"),
    (re.compile(r"\s+"), " "),
    (re.compile(r"a(?: a)+"), "a"),
)


def _shape(text: str) -> str:
    """Return the text with each number as "0" and each run of words as "a"."""
    for pattern, sign in _RUNS:
        text = pattern.sub(sign, text)
    return text


def _known_names(rows: Rows) -> float:
    return _share(rows.first, _is_known_name)


def _is_known_name(entry: CellEntry) -> bool:
    return (
        entry.kind is CellKind.NAME
        and len(entry.text) <= _LONGEST_COLUMN_NAME
        and _COLUMN_NAME.search(entry.text) is not None
    )


def _known_keys(rows: Rows) -> float:
    """Return 1 for a form: some columns have keys, which are known names, in all rows, and another
    column has cells of several kinds. Otherwise 0.
    """
    own_names = [(entry, _is_known_name(entry)) for entry in rows.first if entry.has_text]
    if not any(is_name for _, is_name in own_names):
        return 0.0
    columns = [(entry, is_name, rows.under(entry)) for entry, is_name in own_names]
    if not any(
        not is_name and any(other.kind is not entry.kind for other in under)
        for entry, is_name, under in columns
    ):
        return 0.0
    return float(
        all(
            (mean([_is_known_name(other) for other in under]) > 0.5) == is_name
            for _, is_name, under in columns
        )
    )


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
    Signal("table style", 2.7, lambda rows: float(rows.is_styled)),
    Signal("above numbers", 1.6, _above_values),
    Signal("shorter", 1.1, _shorter),
    Signal("known names", 2.1, _known_names),
    Signal("columns", 1.3, lambda rows: min(rows.columns - 2, 4) / 4),
    Signal("numbers", -1.8, _values),
    Signal("prose", -2.3, _prose),
    Signal("alike", -2.0, _alike),
    Signal("bold keys", -2.4, _bold_keys),
    Signal("one cell", -2.6, _lone),
    Signal("known keys", -3.0, _known_keys),
    Signal("keys with values", -2.5, _keys_with_values),
)
