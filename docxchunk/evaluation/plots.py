"""Lay out the plots of a report as SVG coordinates for the page template. The width of 360 units keeps text readable on a phone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from docxchunk.evaluation.display import Differences, LineChart
from docxchunk.evaluation.statistics import Interval
from docxchunk.evaluation.verdict import points

WIDTH: Final = 360
KINDS: Final = 7
"""Number of colours and marker shapes: curve n has number n modulo 7."""

_LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 40, 100, 10, 40, 200
_LINE: Final = 14  # distance between the baselines of labels
_ROW: Final = 40
_LETTERS: Final = 15  # maximum characters of a curve label
_DASHES: Final = ("", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 4")


class Text(NamedTuple):
    x: float
    y: float
    text: str
    anchor: str = "start"


class CurveLine(NamedTuple):
    """The curve of one chunker: points, label, and a leader line from the last point to the label."""

    name: str
    kind: int
    dashes: str
    path: str
    marks: tuple[tuple[float, float], ...]
    label: Text
    leader: str


class Curves(NamedTuple):
    title: str
    height: int
    grid: tuple[float, ...]
    left: float
    right: float
    texts: tuple[Text, ...]
    lines: tuple[CurveLine, ...]


class ForestRow(NamedTuple):
    """A difference: coordinates of the mean and of the ends of its interval, if `bounded`. `settled`: the interval excludes 0."""

    name: str
    said: str
    y: int
    at: float
    low: float
    high: float
    bounded: bool
    settled: bool


class Forest(NamedTuple):
    title: str
    height: int
    zero: float
    texts: tuple[Text, ...]
    rows: tuple[ForestRow, ...]


def curves(chart: LineChart) -> Curves:
    """Lay out recall over budget. The y axis covers the values, rounded outwards to tenths."""
    recalls = [y for curve in chart.curves for _, y in curve.points]
    most = max((x for curve in chart.curves for x, _ in curve.points), default=1)
    high = max(math.ceil(max(recalls, default=1) * 10), 1)
    low = min(math.floor(min(recalls, default=0) * 10), high - 1)
    width = WIDTH - _LEFT - _RIGHT

    def place(x: float, y: float) -> tuple[float, float]:
        return round(_LEFT + x / most * width, 1), round(_TOP + (high - y * 10) / (high - low) * _HEIGHT, 1)

    marks = [tuple(place(*point) for point in curve.points) for curve in chart.curves]
    heights = _apart([each[-1][1] if each else _TOP for each in marks])
    lines = tuple(_line(number, curve.name, found, y) for number, (curve, found, y) in enumerate(zip(chart.curves, marks, heights, strict=True)))
    tenths = range(low, high + 1)
    across = [Text(_LEFT - 6, place(0, tenth / 10)[1] + 4, f"{tenth * 10} %", "end") for tenth in tenths]
    down = [Text(_LEFT + width * step / 4, _TOP + _HEIGHT + 16, f"{most * step // 4:,}", "middle") for step in range(0, 5, 2)]
    about = Text(_LEFT + width / 2, _TOP + _HEIGHT + 33, "characters of ranked text", "middle")
    bottom = max([_TOP + _HEIGHT + _BOTTOM, *(y + _LINE for y in heights)])
    grid = tuple(place(0, tenth / 10)[1] for tenth in tenths)
    return Curves(f"Recall: {chart.title}", round(bottom), grid, _LEFT, _LEFT + width, (*across, *down, about), lines)


def _line(number: int, name: str, marks: tuple[tuple[float, float], ...], y: float) -> CurveLine:
    path = " ".join(f"{x},{height}" for x, height in marks)
    end = marks[-1] if marks else (float(_LEFT), y)
    start = WIDTH - _RIGHT + 14
    leader = f"{end[0] + 5},{end[1]} {start - 3},{y}"
    short = name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"
    return CurveLine(name, number % KINDS, _DASHES[(number + number // KINDS) % KINDS], path, marks, Text(start, y + 4, short), leader)


def _apart(heights: Sequence[float]) -> list[float]:
    """Move heights down so that labels keep a distance of one line, in the same order."""
    found = [0.0] * len(heights)
    last = -math.inf
    for number in sorted(range(len(heights)), key=lambda number: heights[number]):
        last = found[number] = max(heights[number], last + _LINE)
    return found


def forest(differences: Differences) -> Forest:
    """Lay out a forest plot: each difference as a point on its interval, below its name and numbers."""
    most = max([0.01, *(abs(value) for _, interval in differences.rows for value in interval if not math.isnan(value))])
    width = WIDTH - 40

    def at(value: float) -> float:
        return round(20 + (value / most + 1) / 2 * width, 1)

    rows = tuple(_row(number, name, interval, [at(value) for value in interval]) for number, (name, interval) in enumerate(differences.rows))
    height = _ROW * len(rows) + 24
    texts = tuple(Text(at(x), height - 6, said, "middle") for x, said in ((-most, f"{-most * 100:+.1f}"), (0, "0"), (most, f"{most * 100:+.1f}")))
    return Forest(f"{differences.title}, in points", height, at(0), texts, rows)


def _row(number: int, name: str, interval: Interval, places: Iterable[float]) -> ForestRow:
    at, low, high = places
    return ForestRow(name, points(interval), _ROW * number + 14, at, low, high, not math.isnan(interval.low), interval.settled)
