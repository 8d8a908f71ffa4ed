"""Read chart parts: DrawingML charts (ECMA-376 Part 1, 21.2), and those of Office 2016 and later
([MS-ODRAWXML] 2.24.3).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from lxml import etree

from docxchunk.language.patterns import pattern
from docxchunk.ooxml.xml import C15, CX, ON, A, C, natural_number

ChartRows = tuple[tuple[str, ...], ...]
_Points = dict[int, str]
_LONG_FRACTION = pattern(r"-?\d+\.\d{14,}(?:E[+-]?\d+)?")
_ROOM = 50_000  # cells that may be written, however little is stored
_LARGER = 16  # how many times what is stored may be written
# a number format (18.8.31) that shows a date: a letter outside of quoted text, escaped characters,
# and brackets
_IS_DATE = pattern(r'(?:"[^"]*"|[\\_*].|\[[^\[\]]*\]|[^"\\_*\[yd])*[yd]', re.IGNORECASE)


class Chart(NamedTuple):
    """A chart. `rows` has one row per category and one column per series, below a header row with
    the titles of the axes and the series names; empty without stored data. `is_cut`: stored values
    are left out, because their table would be far larger than what is stored.
    """

    title: str
    rows: ChartRows
    is_cut: bool = False


class _Series(NamedTuple):
    name: str
    categories: _Points  # or x values
    values: _Points


_POINT = (C + "pt", CX + "pt")
_TITLES = (C + "title", CX + "title")
# 21.2.2.25, 21.2.2.39, 21.2.2.175, 21.2.2.226; that of the values is last
_AXES = (C + "catAx", C + "dateAx", C + "serAx", CX + "axis", C + "valAx")


def read_chart_part(root: etree._Element) -> Chart:
    """Return the chart in a chart part (c:chartSpace or cx:chartSpace)."""
    axes = sorted(root.iter(*_AXES), key=lambda axis: _AXES.index(axis.tag))
    titles = {title for axis in axes for title in axis.iterchildren(*_TITLES)}
    names = [
        "".join(map(_text_of_title, axis.iterchildren(*_TITLES)))
        for axis in axes
        if axis.find(f"{C}delete[@val='1']") is None
    ]
    chart = next((title for title in root.iter(*_TITLES) if title not in titles), None)
    text = "" if chart is None else _text_of_title(chart)
    columns = _columns(
        [*_series(root), *_newer_series(root)], " / ".join(dict.fromkeys(filter(None, names)))
    )
    indices = sorted(set[int]().union(*(points for _, points in columns)))
    stored = sum(1 for _ in root.iter(*_POINT))
    if len(columns) * len(indices) > max(_ROOM, _LARGER * stored):
        return Chart(text, (), is_cut=True)
    rows = (tuple(points.get(i, "") for _, points in columns) for i in indices)
    return Chart(text, (tuple(name for name, _ in columns), *rows) if columns else ())


def _columns(series: list[_Series], corner: str) -> list[tuple[str, _Points]]:
    """Return the columns of the table: the categories, whose name is `corner`, and the series. If
    the categories of a series differ from those of the series before it, a column with its
    categories comes before it.
    """
    categories = next(
        (chart_series.categories for chart_series in series if chart_series.categories), {}
    )
    columns = [(corner, categories)] if series else []
    for chart_series in series:
        if chart_series.categories and chart_series.categories != categories:
            categories = chart_series.categories
            columns.append((corner, categories))
        columns.append((chart_series.name, chart_series.values))
    return columns


def _text_of_title(title: etree._Element) -> str:
    """Return the text of c:title (21.2.2.210) or cx:title. A cx:title stores it twice, as a value
    and as drawn text; the value is read.
    """
    return " ".join((_joined_text(title.iter(CX + "v")) or _text_of(title)).split())


def _text_of(element: etree._Element) -> str:
    return _joined_text(element.iter(A + "t", A + "br", A + "p", C + "v"))


def _joined_text(texts: Iterable[etree._Element]) -> str:
    """Return the text of elements; a blank for a line break and before a paragraph."""
    return "".join(" " if t.tag in (A + "br", A + "p") else t.text or "" for t in texts)


def _series(root: etree._Element) -> Iterator[_Series]:
    """Yield each c:ser (21.2.2.170). If it has bubbles, yield their sizes (21.2.2.21) after it."""
    for element in root.iter(C + "ser"):
        name = next((_text_of(tx) for tx in element.iterchildren(C + "tx")), "")
        parts = {part.tag.removeprefix(C): part for part in element}
        points = _points(parts.get("cat", parts.get("xVal")))
        values = _points(parts.get("val", parts.get("yVal")))
        yield _Series(name, points, _labelled(values, element))
        if "bubbleSize" in parts:
            yield _Series(f"{name} size".strip(), points, _points(parts["bubbleSize"]))


def _labelled(values: _Points, series: etree._Element) -> _Points:
    """Return the values, each with the text that its data label (21.2.2.47) has in place of it, in
    brackets. Such text is typed, or comes from a range of cells (c15:datalabelsRange).
    """
    labels = _points(next(series.iter(C15 + "datalabelsRange"), None))
    for label in series.iter(C + "dLbl"):
        index = label.find(C + "idx")
        number = None if index is None else natural_number(index.get("val"))
        # fields have only placeholders, such as [VALUE]
        text = " ".join(map(_text_of, label.iterfind(f"{C}tx//{A}r")))
        if number is not None and text.strip():
            labels[number] = " ".join(text.split())
    return values | {
        i: f"{values[i]} ({text})" if values.get(i) else text
        for i, text in labels.items()
        if text and text != values.get(i)
    }


def _newer_series(root: etree._Element) -> Iterator[_Series]:
    """Yield a series for each dimension of each cx:data, with the name of the last cx:series that
    shows it.
    """
    names = {
        shown.get("val"): _joined_text(series.iterfind(f"{CX}tx//{CX}v"))
        for series in root.iter(CX + "series")
        for shown in series.iterchildren(CX + "dataId")
    }
    for data in root.iter(CX + "data"):
        categories = _points(data.find(CX + "strDim"))
        name = names.get(data.get("id"), "")
        for numbers in data.iterchildren(CX + "numDim"):
            yield _Series(name, categories, _points(numbers))


def _points(part: etree._Element | None) -> _Points:
    """Return the stored values by index (c:idx, 21.2.2.84). Of categories with several levels,
    which are stored innermost first (21.2.2.102), a name of an outer level is before the first
    category that it is valid for.
    """
    points: _Points = {}
    if part is not None:
        for level in list(part.iter(C + "lvl", CX + "lvl")) or [part]:
            for index, text in _level(level):
                points[index] = f"{text} / {points[index]}" if points.get(index) else text
    return points


def _level(element: etree._Element) -> Iterator[tuple[int, str]]:
    code = next((child.text for child in element.iter(C + "formatCode")), element.get("formatCode"))
    shown = _dated(element) if _IS_DATE.match(code or "") else _rounded
    for point in element.iter(*_POINT):
        if (index := natural_number(point.get("idx"))) is not None:
            yield index, shown(point.findtext(C + "v") or point.text or "")


def _dated(element: etree._Element) -> Callable[[str], str]:
    """Return a function that shows a serial number (18.17.4.1) of a chart as a date, with the time
    of day if it has one, in ISO 8601.
    """
    date1904 = element.getroottree().find(C + "date1904")
    is_1904 = date1904 is not None and date1904.get("val", "1") in ON
    epoch = datetime(1904, 1, 1) if is_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - charts have no time zone

    def date(number: str) -> str:
        try:
            moment = epoch + timedelta(minutes=round(float(number) * 1440))
        except (ValueError, OverflowError):
            return _rounded(number)
        return moment.isoformat(" ", "minutes").removesuffix(" 00:00")

    return date


def _rounded(number: str) -> str:
    """Return a stored value rounded to 15 digits: 4.4000000000000004 is 4.4."""
    text = " ".join(number.split())
    return f"{float(text):.15g}" if _LONG_FRACTION.fullmatch(text) else text
