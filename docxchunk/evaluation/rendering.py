"""The values of a report, and how it is written: Markdown, or one HTML page with plots, without
scripts and external resources.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from importlib.util import find_spec
from typing import Final, NamedTuple

from docxchunk.errors import MissingExtraError
from docxchunk.evaluation.statistics import Interval, points
from docxchunk.registry import missing_extra

NOTHING: Final = "–"


class ReportTable(NamedTuple):
    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Curve(NamedTuple):
    """The points (budget, recall) of a line."""

    name: str
    points: tuple[tuple[int, float], ...]


class LineChart(NamedTuple):
    title: str
    curves: tuple[Curve, ...]


class Differences(NamedTuple):
    """The difference of each chunker to the baseline."""

    title: str
    rows: tuple[tuple[str, Interval], ...]


class FoundInstead(NamedTuple):
    """The recall of one chunker, with place and text of its first chunk."""

    chunker: str
    recall: str
    place: str
    text: str


class FailedQuestion(NamedTuple):
    """A question for which the baseline found no part of the answer. `found` begins with the
    baseline.
    """

    question: str
    document: str
    wanted: str
    found: tuple[FoundInstead, ...]


class EvaluationReport(NamedTuple):
    title: str
    verdict: str  # the conclusions
    facts: tuple[tuple[str, str], ...]
    tables: tuple[ReportTable, ...]
    charts: tuple[LineChart, ...]
    differences: tuple[Differences, ...]
    details: tuple[ReportTable, ...]
    headline: tuple[str, ...] = ()  # the sentences of the verdict, by `measure`
    measure: str = ""
    failed: tuple[FailedQuestion, ...] = ()  # at most the number shown
    failed_in_all: int = 0


def said(measure: str) -> str:
    """Return the display name of a measure: the number after @ is characters for recall and
    together, else a rank.
    """
    name, at, number = measure.partition("@")
    return f"{name} in {int(number):,}" if at and name in ("recall", "together") else measure


def percent(share: float) -> str:
    return NOTHING if math.isnan(share) else f"{share * 100:.1f}"


def shown(found: Interval) -> str:
    """Format a mean in percent, with its interval if known."""
    if math.isnan(found.low):
        return percent(found.mean)
    return f"{percent(found.mean)} [{percent(max(found.low, 0))}, {percent(min(found.high, 1))}]"


def markdown(report: EvaluationReport) -> str:
    """Return the verdict, the facts, the tables, and the detailed tables."""
    lines = [
        f"# {report.title}",
        "",
        report.verdict,
        "",
        *(f"- {name}: {text}" for name, text in report.facts),
    ]
    for table in (*report.tables, *report.details):
        lines += ["", *_markdown_table(table)]
    return "\n".join(lines) + "\n"


def _markdown_table(table: ReportTable) -> Iterator[str]:
    yield f"## {table.title}"
    yield ""
    yield table.note
    yield ""
    yield _markdown_row(table.header)
    yield "|---|" + "---:|" * (len(table.header) - 1)
    yield from map(_markdown_row, table.rows)


def _markdown_row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


class _Plots(NamedTuple):
    curves: Curves
    forest: Forest


def html(report: EvaluationReport) -> str:
    """Return the page: verdict, plots, failed questions and tables, with the detailed tables
    folded. Raise MissingExtraError without jinja2.
    """
    plots = [
        _Plots(curves(chart), forest(found))
        for chart, found in zip(report.charts, report.differences, strict=True)
    ]
    need_templates()
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return (
        made.from_string(_file("report.html")).render(
            report=report, plots=plots, style=_file("style.css")
        )
        + "\n"
    )


def need_templates() -> None:
    """Raise MissingExtraError if jinja2 is not installed."""
    if find_spec("jinja2") is None:
        raise MissingExtraError(missing_extra("The page of docxchunk eval", "jinja2", "eval"))


def _file(name: str) -> str:
    return (resources.files("docxchunk.evaluation") / "templates" / name).read_text("utf-8")


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
    """The curve of one chunker: points, label, and a leader line from the last point to the
    label.
    """

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
    """A difference: coordinates of the mean and of the ends of its interval, if `bounded`.
    `settled`: the interval excludes 0.
    """

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
        return round(_LEFT + x / most * width, 1), round(
            _TOP + (high - y * 10) / (high - low) * _HEIGHT, 1
        )

    marks = [tuple(place(*point) for point in curve.points) for curve in chart.curves]
    heights = _apart([each[-1][1] if each else _TOP for each in marks])
    lines = tuple(
        _line(number, curve.name, found, y)
        for number, (curve, found, y) in enumerate(zip(chart.curves, marks, heights, strict=True))
    )
    tenths = range(low, high + 1)
    across = [
        Text(_LEFT - 6, place(0, tenth / 10)[1] + 4, f"{tenth * 10} %", "end") for tenth in tenths
    ]
    down = [
        Text(_LEFT + width * step / 4, _TOP + _HEIGHT + 16, f"{most * step // 4:,}", "middle")
        for step in range(0, 5, 2)
    ]
    about = Text(_LEFT + width / 2, _TOP + _HEIGHT + 33, "characters of ranked text", "middle")
    bottom = max([_TOP + _HEIGHT + _BOTTOM, *(y + _LINE for y in heights)])
    grid = tuple(place(0, tenth / 10)[1] for tenth in tenths)
    return Curves(
        f"Recall: {chart.title}",
        round(bottom),
        grid,
        _LEFT,
        _LEFT + width,
        (*across, *down, about),
        lines,
    )


def _line(number: int, name: str, marks: tuple[tuple[float, float], ...], y: float) -> CurveLine:
    path = " ".join(f"{x},{height}" for x, height in marks)
    end = marks[-1] if marks else (float(_LEFT), y)
    start = WIDTH - _RIGHT + 14
    leader = f"{end[0] + 5},{end[1]} {start - 3},{y}"
    short = name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"
    return CurveLine(
        name,
        number % KINDS,
        _DASHES[(number + number // KINDS) % KINDS],
        path,
        marks,
        Text(start, y + 4, short),
        leader,
    )


def _apart(heights: Sequence[float]) -> list[float]:
    """Move heights down so that labels keep a distance of one line, in the same order."""
    found = [0.0] * len(heights)
    last = -math.inf
    for number in sorted(range(len(heights)), key=lambda number: heights[number]):
        last = found[number] = max(heights[number], last + _LINE)
    return found


def forest(differences: Differences) -> Forest:
    """Lay out a forest plot: each difference as a point on its interval, below its name and
    numbers.
    """
    most = max(
        [
            0.01,
            *(
                abs(value)
                for _, interval in differences.rows
                for value in interval
                if not math.isnan(value)
            ),
        ]
    )
    width = WIDTH - 40

    def at(value: float) -> float:
        return round(20 + (value / most + 1) / 2 * width, 1)

    rows = tuple(
        _row(number, name, interval, [at(value) for value in interval])
        for number, (name, interval) in enumerate(differences.rows)
    )
    height = _ROW * len(rows) + 24
    texts = tuple(
        Text(at(x), height - 6, said, "middle")
        for x, said in ((-most, f"{-most * 100:+.1f}"), (0, "0"), (most, f"{most * 100:+.1f}"))
    )
    return Forest(f"{differences.title}, in points", height, at(0), texts, rows)


def _row(number: int, name: str, interval: Interval, places: Iterable[float]) -> ForestRow:
    at, low, high = places
    return ForestRow(
        name,
        points(interval),
        _ROW * number + 14,
        at,
        low,
        high,
        not math.isnan(interval.low),
        interval.settled,
    )
