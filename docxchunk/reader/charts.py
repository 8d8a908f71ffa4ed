"""Read chart parts: DrawingML charts (ECMA-376 Part 1, 21.2), and those of Office 2016 and later
([MS-ODRAWXML] 2.24.3).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from lxml import etree

from docxchunk.ooxml.workbook import TimeFormat, time_format, time_of
from docxchunk.ooxml.xml import C15, CX, ON, A, C

Rows = tuple[tuple[str, ...], ...]
_Points = dict[int, str]
_LONG_FRACTION = re.compile(r"-?\d+\.\d{14,}(?:E[+-]?\d+)?")
_BETWEEN_LEVELS = " / "
_ROOM = 50_000  # cells or characters that may be written, however little is stored
_LARGER = 16  # how many times what is stored may be written


class Chart(NamedTuple):
    """A chart. `rows` has one row per category and one column per series, below a header row with
    the titles of the axes and the series names; empty without stored data. `is_cut`: stored values
    are left out, because their table would be far larger than what is stored.
    """

    title: str
    rows: Rows
    is_cut: bool = False


class _Series(NamedTuple):
    name: str
    categories: _Points
    values: _Points
    is_scatter: bool = False  # the categories are x values, which are its own


_POINT = (C + "pt", CX + "pt")
_TITLES = (C + "title", CX + "title")
# 21.2.2.25, 21.2.2.39, 21.2.2.175, 21.2.2.226; that of the values is last
_AXES = (C + "catAx", C + "dateAx", C + "serAx", CX + "axis", C + "valAx")


def read_chart_part(root: etree._Element) -> Chart:
    """Return the chart in a chart part (c:chartSpace or cx:chartSpace)."""
    axes = sorted(root.iter(*_AXES), key=lambda axis: _AXES.index(axis.tag))
    titles = {title for axis in axes for title in axis.iterchildren(*_TITLES)}
    names = [_title_of(axis) for axis in axes if axis.find(f"{C}delete[@val='1']") is None]
    chart = next((title for title in root.iter(*_TITLES) if title not in titles), None)
    corner = _BETWEEN_LEVELS.join(dict.fromkeys(filter(None, names)))
    text = "" if chart is None else _text_of_title(chart)
    try:
        series = list(_newer_series(root) if root.tag == CX + "chartSpace" else _series(root))
        return Chart(text, _rows_of(series, corner, sum(1 for _ in root.iter(*_POINT))))
    except _TooLargeError:
        return Chart(text, (), is_cut=True)


class _TooLargeError(Exception):
    """The text of a chart is far larger than the chart: many series share their values, or the name
    of a level is that of many categories.
    """


def _admit(written: int, stored: int) -> None:
    if written > max(_ROOM, _LARGER * stored):
        raise _TooLargeError


def _title_of(axis: etree._Element) -> str:
    return "".join(map(_text_of_title, axis.iterchildren(*_TITLES)))


def _text_of_title(title: etree._Element) -> str:
    """Return the text of c:title (21.2.2.210) or cx:title. A cx:title stores it twice, as a value
    and as drawn text; the value is read.
    """
    return " ".join((_joined(title.iter(CX + "v")) or _text_of(title)).split())


def _text_of(element: etree._Element) -> str:
    return _joined(element.iter(A + "t", A + "br", A + "p", C + "v"))


def _joined(texts: Iterable[etree._Element]) -> str:
    """Return the text of elements; a blank for a line break and before a paragraph."""
    return "".join(" " if t.tag in (A + "br", A + "p") else t.text or "" for t in texts)


def _rows_of(series: list[_Series], corner: str, stored: int) -> Rows:
    """Return series as rows of a table. `corner` is the first cell of the header row. A series
    with other x values than the series before it adds a column for them. `stored` is the number of
    values in the part.
    """
    if not series:
        return ()
    categories = next((s.categories for s in series if s.categories), {})
    columns = [(corner, categories)]
    for each in series:
        if each.is_scatter and each.categories != categories:
            categories = each.categories
            columns.append((corner, categories))
        columns.append((each.name, each.values))
    indices = sorted(set[int]().union(*(points for _, points in columns)))
    _admit(len(columns) * len(indices), stored)
    return (
        tuple(name for name, _ in columns),
        *(tuple(points.get(i, "") for _, points in columns) for i in indices),
    )


def _series(root: etree._Element) -> Iterator[_Series]:
    """Yield each c:ser (21.2.2.170). If it has bubbles, yield their sizes (21.2.2.21) after it."""
    for element in root.iter(C + "ser"):
        name = next((_text_of(tx) for tx in element.iterchildren(C + "tx")), "")
        categories, values, sizes = (
            next((part for n in names if (part := element.find(C + n)) is not None), None)
            for names in (("cat", "xVal"), ("val", "yVal"), ("bubbleSize",))
        )
        points, is_scatter = _points(categories), element.find(C + "xVal") is not None
        yield _Series(name, points, _labelled(_points(values), element), is_scatter)
        if sizes is not None:
            yield _Series(f"{name} size".strip(), points, _points(sizes), is_scatter)


def _labelled(values: _Points, series: etree._Element) -> _Points:
    """Return the values, each with the text that its data label (21.2.2.47) has in place of it, in
    brackets. Such text is typed, or comes from a range of cells (c15:datalabelsRange).
    """
    labels = _points(next(series.iter(C15 + "datalabelsRange"), None))
    for label in series.iter(C + "dLbl"):
        index = label.find(C + "idx")
        number = "" if index is None else index.get("val", "")
        text = " ".join(map(_typed, label.iterfind(f"{C}tx//{A}p")))
        if _is_index(number) and text.strip():
            labels[int(number)] = " ".join(text.split())
    return values | {
        i: f"{values[i]} ({text})" if values.get(i) else text
        for i, text in labels.items()
        if text and text != values.get(i)
    }


def _typed(paragraph: etree._Element) -> str:
    """Return the text of a:p without fields, whose text is only a placeholder: [VALUE]."""
    runs = paragraph.iterchildren(A + "r", A + "br")
    return _joined(text for run in runs for text in run.iter(A + "t", A + "br"))


def _newer_series(root: etree._Element) -> Iterator[_Series]:
    """Yield a series for each dimension of each cx:series, then one for each cx:data that no series
    refers to.
    """
    data = {element.get("id", ""): element for element in root.iter(CX + "data")}
    named_data = [
        (_joined(element.iterfind(f"{CX}tx//{CX}v")), _data_of(element))
        for element in root.iter(CX + "series")
    ]
    shown = {identifier for _, identifier in named_data}
    unshown = [("", identifier) for identifier in data if identifier not in shown]
    points = cache(_points)  # many series may refer to the same data
    for name, identifier in (*named_data, *unshown):
        if identifier in data:
            yield from _dimensions(name, data[identifier], points)


def _data_of(series: etree._Element) -> str:
    named = series.find(CX + "dataId")
    return "" if named is None else named.get("val", "")


def _dimensions(
    name: str, data: etree._Element, points: Callable[[etree._Element | None], _Points]
) -> Iterator[_Series]:
    categories = points(data.find(CX + "strDim"))
    numbers = data.findall(CX + "numDim")
    for dimension in numbers:
        kind = dimension.get("type", "")
        yield _Series(
            f"{name} {kind}".strip() if len(numbers) > 1 else name, categories, points(dimension)
        )
    if not numbers and categories:
        yield _Series(name, categories, {})


def _points(part: etree._Element | None) -> _Points:
    """Return the stored values by index (c:idx, 21.2.2.84). Levels of categories, stored innermost
    first (21.2.2.102), are joined.
    """
    if part is None:
        return {}
    levels = [_level(level) for level in part.iter(C + "lvl", CX + "lvl")] or [_level(part)]
    return levels[0] if len(levels) == 1 else dict(_joined_levels(levels[::-1]))


def _joined_levels(levels: list[_Points]) -> Iterator[tuple[int, str]]:
    """Yield the index and the joined names of each category. `levels` are outermost first. The name
    of a level applies until the next one of this level or of an outer one.
    """
    indices = sorted(set().union(*levels))
    _admit(len(levels) * len(indices), sum(map(len, levels)))
    stored, written = sum(len(name) for level in levels for name in level.values()), 0
    path = [""] * len(levels)
    for index in indices:
        for depth, level in enumerate(levels):
            if index in level:
                path[depth:] = [level[index], *[""] * (len(levels) - depth - 1)]
        name = _BETWEEN_LEVELS.join(filter(None, path))
        written += len(name)
        _admit(written, stored)
        yield index, name


def _level(element: etree._Element) -> _Points:
    indices = (
        (point.get("idx", ""), point.findtext(C + "v") or point.text or "")
        for point in element.iter(*_POINT)
    )
    code = next((each.text for each in element.iter(C + "formatCode")), element.get("formatCode"))
    form = time_format(code or "")
    shown = _timed(element, form) if form else _rounded
    return {int(index): shown(text) for index, text in indices if _is_index(index)}


def _is_index(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


def _timed(element: etree._Element, form: TimeFormat) -> Callable[[str], str]:
    """Return a function that formats a serial number of a chart."""
    date1904 = element.getroottree().find(C + "date1904")
    since_1904 = date1904 is not None and date1904.get("val", "1") in ON

    def time(number: str) -> str:
        try:
            return time_of(float(number), form, since_1904=since_1904)
        except (ValueError, OverflowError):
            return _rounded(number)

    return time


def _rounded(number: str) -> str:
    """Return a stored value rounded to 15 digits: 4.4000000000000004 is 4.4."""
    text = " ".join(number.split())
    return f"{float(text):.15g}" if _LONG_FRACTION.fullmatch(text) else text
