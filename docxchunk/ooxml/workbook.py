"""Read the text of the cells of an embedded Excel workbook (ECMA-376 Part 1, 18)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.errors import DamagedError
from docxchunk.model.options import Limits
from docxchunk.ooxml import xml
from docxchunk.ooxml.archive import Archive, CorruptError
from docxchunk.ooxml.package import Relationship, read_relationships, relationships_name
from docxchunk.ooxml.xml import ON, R, natural_number

_S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
# built-in number formats of dates and times (18.8.30)
_DATES: Final = frozenset((*range(14, 23), *range(45, 48)))
_ELAPSED_FORMAT: Final = 46  # the built-in format of elapsed time: [h]:mm:ss
# what a number format shows as it is: a quoted text, an escaped character, the blank of `_x`, and
# the character of `*x`, which fills the cell
_LITERAL: Final = re.compile(r'"[^"]*"|[\\_*].')
_ELAPSED: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_BRACKETS: Final = re.compile(r"\[[^\[\]]*\]")
_DATE_LETTERS: Final = re.compile(r"[ymdhs]", re.IGNORECASE)
_COLUMN: Final = re.compile(r"([A-Z]{1,3})\d+")
_LEAP_DAY: Final = 60  # February 29, 1900, which did not exist (18.17.4.1)
_EPOCHS: Final = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}  # noqa: DTZ001 - cells have no time zone
CELL: Final = 6 * 32  # a cell becomes six elements; see `Limits.imported`


class Sheet(NamedTuple):
    """A sheet. Rows and columns without text are left out; all rows have the same length."""

    name: str
    rows: list[list[str]]


def read_workbook(data: bytes, limits: Limits) -> list[Sheet]:
    """Return the visible sheets that have text. Raise DamagedError or another InputError if the
    bytes are not a readable workbook.

    The number of characters, plus `CELL` for each cell of the tables, is limited by
    `limits.imported`.
    """
    try:
        return list(_Workbook(Archive(data, limits), limits).sheets())
    except (CorruptError, xml.IllFormedError):
        raise DamagedError("A workbook inside the document cannot be read.") from None


class _Workbook:
    def __init__(self, archive: Archive, limits: Limits) -> None:
        self._archive = archive
        self._limits = limits
        self._size = 0  # of all tables so far
        main = next(
            (
                related.part
                for related in self._related("").values()
                if related.kind == "officeDocument" and related.part
            ),
            None,
        )
        if main is None:
            raise CorruptError
        self._root = self._parsed(main)
        self._parts = self._related(main)
        by_kind = {related.kind: related.part for related in self._parts.values() if related.part}
        texts = (
            self._parsed(by_kind["sharedStrings"]).iter(_S + "si")
            if "sharedStrings" in by_kind
            else ()
        )
        self._texts: dict[int | None, str] = dict(enumerate(map(_string, texts)))
        self._times: Mapping[int | None, TimeFormat] = (
            _time_styles(self._parsed(by_kind["styles"])) if "styles" in by_kind else {}
        )
        properties = self._root.find(_S + "workbookPr")
        self._since_1904 = properties is not None and properties.get("date1904") in ON

    def _parsed(self, part: str) -> etree._Element:
        return xml.parse(partial(self._archive.pieces, part), self._limits)

    def _related(self, source: str) -> dict[str, Relationship]:
        name = relationships_name(source)
        return (
            read_relationships(self._parsed(name), source, self._archive.name)
            if name in self._archive
            else {}
        )

    def sheets(self) -> Iterator[Sheet]:
        unread = {
            related.part
            for related in self._parts.values()
            if related.part and related.kind == "worksheet"
        }
        for sheet in self._root.iter(_S + "sheet"):
            related = self._parts.get(sheet.get(R + "id", ""))
            if (
                related is not None
                and related.part in unread
                and sheet.get("state", "visible") == "visible"
            ):
                unread.remove(related.part)
                rows = [
                    row
                    for row in map(self._row, self._parsed(related.part).iter(_S + "row"))
                    if row
                ]
                columns = sorted({column for row in rows for column in row})
                self._charge(len(rows) * len(columns) * CELL)
                if rows:
                    yield Sheet(
                        sheet.get("name", ""),
                        [[row.get(column, "") for column in columns] for row in rows],
                    )

    def _charge(self, size: int) -> None:
        self._size += size
        self._limits.admit_import(self._size)

    def _row(self, row: etree._Element) -> dict[int, str]:
        """Return the text of the non-empty cells by column, from 1."""
        texts: dict[int, str] = {}
        column = 0
        for cell in row.iterchildren(_S + "c"):
            reference = _COLUMN.fullmatch(cell.get("r", ""))
            column = _number_of(reference[1]) if reference else column + 1
            raw = self._text(cell)
            self._charge(len(raw))
            if text := " ".join(raw.split()):
                texts[column] = text
        return texts

    def _text(self, cell: etree._Element) -> str:
        """Return the value of a cell (18.3.1.4): dates in ISO 8601, numbers unformatted."""
        kind, value = cell.get("t", "n"), cell.findtext(_S + "v", "")
        if kind == "inlineStr":
            inline = cell.find(_S + "is")
            return "" if inline is None else _string(inline)
        if kind == "s":
            return self._texts.get(natural_number(value), "")
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        return self._number(value, cell.get("s", "0")) if kind == "n" else value

    def _number(self, value: str, style: str) -> str:
        try:
            number = float(value)
        except ValueError:
            return value
        if form := self._times.get(natural_number(style)):
            with suppress(OverflowError):
                return time_of(number, form, since_1904=self._since_1904)
        return f"{number:.15g}"


class TimeFormat(Enum):
    """What a number format shows of a serial number (18.17.4.1)."""

    DATE = "date"  # the date, the time of day, or both
    ELAPSED = "elapsed"  # elapsed time, which may be over a day


def time_format(code: str) -> TimeFormat | None:
    """Return what a number format (18.8.31) shows of a serial number; None if it shows no time."""
    code = _LITERAL.sub("", code)
    if _ELAPSED.search(code):
        return TimeFormat.ELAPSED
    return TimeFormat.DATE if _DATE_LETTERS.search(_BRACKETS.sub("", code)) else None


def time_of(number: float, form: TimeFormat, *, since_1904: bool) -> str:
    """Return a serial number as text: elapsed time as "40:30:00", a date or a time of day in ISO
    8601. Raise OverflowError for a number that is negative or too large, such as a date after the
    year 9999.
    """
    if not number >= 0:  # or NaN
        raise OverflowError
    time = timedelta(seconds=round(number * 86400))
    if form is TimeFormat.ELAPSED:
        minutes, seconds = divmod(time // timedelta(seconds=1), 60)
        return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    moment = _EPOCHS[since_1904] + timedelta(not since_1904 and number < _LEAP_DAY) + time
    if number < 1:
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d" if number == int(number) else "%Y-%m-%d %H:%M:%S")


def _number_of(letters: str) -> int:
    """Return the number of a column: 1 for A, 27 for AA."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _string(element: etree._Element) -> str:
    """Return plain or rich text, without phonetic hints (18.4.8)."""
    parts = (
        part.findtext(_S + "t", "") if part.tag == _S + "r" else part.text or ""
        for part in element
        if part.tag in (_S + "t", _S + "r")
    )
    return "".join(parts)


def _time_styles(styles: etree._Element) -> Mapping[int | None, TimeFormat]:
    """Return the numbers of the cell formats that show a time, each with its format."""
    times = dict.fromkeys(map(str, _DATES), TimeFormat.DATE)
    times[str(_ELAPSED_FORMAT)] = TimeFormat.ELAPSED
    for element in styles.iter(_S + "numFmt"):
        if form := time_format(element.get("formatCode", "")):
            times[element.get("numFmtId", "")] = form
    numbers = enumerate(each.get("numFmtId", "") for each in styles.iterfind(f"{_S}cellXfs/*"))
    return {cell: times[number] for cell, number in numbers if number in times}
