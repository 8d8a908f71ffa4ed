"""The values of a report, and how it is written: Markdown, or one HTML page with plots, without
scripts and external resources.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.lab.evaluation.statistics import MeanInterval, points
from docxchunk.registry import extra_for

if TYPE_CHECKING:
    from jinja2 import Template

NOTHING: Final = "–"


class ReportTable(NamedTuple):
    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class FoundInstead(NamedTuple):
    """The recall of a chunker for a failed question, and the place and text of the chunk that it
    ranks first.
    """

    chunker: str
    recall: str
    place: str
    text: str


class FailedQuestion(NamedTuple):
    """A question with zero recall for the baseline. `found` has an item for each chunker, first for
    the baseline.
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
    plots: tuple[tuple[Curves, Forest], ...]
    details: tuple[ReportTable, ...]
    headline: tuple[str, ...]  # the sentences of the verdict, by `measure`
    measure: str
    notes: tuple[str, ...]  # warnings, and what was left out
    failed: tuple[FailedQuestion, ...]  # at most the number shown
    failed_in_all: int


def measure_title(measure: str) -> str:
    """Return the display name of a measure: the number after @ is characters for recall and
    together, else a rank.
    """
    name, at, number = measure.partition("@")
    return f"{name} in {int(number):,}" if at and name in ("recall", "together") else measure


def percent(share: float) -> str:
    return NOTHING if math.isnan(share) else f"{share * 100:.1f}"


def percent_range(interval: MeanInterval) -> str:
    """Format a mean in percent, with its interval if known."""
    if not interval.bounded:
        return percent(interval.mean)
    low, high = max(interval.low, 0), min(interval.high, 1)
    return f"{percent(interval.mean)} [{percent(low)}, {percent(high)}]"


def markdown(report: EvaluationReport) -> str:
    """Return the verdict, the notes, the facts, the tables, and the detailed tables."""
    facts = (f"- {name}: {text}" for name, text in report.facts)
    notes = (line for note in report.notes for line in (note, ""))
    lines = [f"# {report.title}", "", report.verdict, "", *notes, *facts]
    for table in (*report.tables, *report.details):
        lines += ["", f"## {table.title}", "", table.note, "", _markdown_row(table.header)]
        lines += ["|---|" + "---:|" * (len(table.header) - 1), *map(_markdown_row, table.rows)]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def html(report: EvaluationReport) -> str:
    """Return the page: verdict, plots, failed questions and tables, with the detailed tables
    folded. Raise MissingExtraError without jinja2.
    """
    page = template().render(report=report, points=points, style=_file("style.css"))
    return page + "\n"


def template() -> Template:
    """Return the template of the page. Raise MissingExtraError if jinja2 is not installed."""
    with extra_for("The page of docxchunk eval", "jinja2", "eval"):
        from jinja2 import Environment, StrictUndefined
    templates = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return templates.from_string(_file("report.html"))


def _file(name: str) -> str:
    return (resources.files("docxchunk.lab.evaluation") / "templates" / name).read_text("utf-8")


# -- plots: the coordinates that depend on the values; the others are in the template

_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM, _HEIGHT = 360, 40, 100, 10, 40, 200
_LINE: Final = 14  # distance between the baselines of labels
_ROW: Final = 40
_DASHES: Final = ("", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 4")
_KINDS: Final = len(_DASHES)  # of colours and markers, too


class CurveLine(NamedTuple):
    """The curve of one chunker: its points, and the height of its label."""

    name: str
    kind: int  # of colour and marker
    dashes: str
    marks: tuple[tuple[float, float], ...]
    y: float


class Curves(NamedTuple):
    title: str
    height: int
    percents: tuple[tuple[int, float], ...]  # labels of the y axis, and their y
    budgets: tuple[tuple[float, int], ...]  # x of the labels of the x axis, and those
    lines: tuple[CurveLine, ...]


class ForestRow(NamedTuple):
    """A difference: x of its mean and of the ends of its interval."""

    name: str
    interval: MeanInterval
    at: float
    low: float
    high: float


class Forest(NamedTuple):
    title: str
    height: int
    zero: float
    ticks: tuple[tuple[float, str], ...]  # x of the labels, and those
    rows: tuple[ForestRow, ...]


def curves(title: str, by_name: Mapping[str, Sequence[tuple[int, float]]]) -> Curves:
    """Lay out recall over budget: the points (budget, recall) of each chunker by its name. The y
    axis covers the values, rounded outwards to tenths.
    """
    recalls = [recall for points in by_name.values() for _, recall in points]
    max_budget = max(budget for points in by_name.values() for budget, _ in points)
    top_tenth = max(math.ceil(max(recalls) * 10), 1)
    bottom_tenth = min(math.floor(min(recalls) * 10), top_tenth - 1)
    width = _WIDTH - _LEFT - _RIGHT

    def x_of(budget: int) -> float:
        return round(_LEFT + budget / max_budget * width, 1)

    def y_of(recall: float) -> float:
        share_below = (top_tenth - recall * 10) / (top_tenth - bottom_tenth)
        return round(_TOP + share_below * _HEIGHT, 1)

    drawn = [
        tuple((x_of(budget), y_of(recall)) for budget, recall in points)
        for points in by_name.values()
    ]
    label_ys = _spread_out([points[-1][1] for points in drawn])
    return Curves(
        title=f"Recall: {title}",
        height=round(max([_TOP + _HEIGHT + _BOTTOM, *(y + _LINE for y in label_ys)])),
        percents=tuple(
            (tenth * 10, y_of(tenth / 10)) for tenth in range(bottom_tenth, top_tenth + 1)
        ),
        budgets=tuple((_LEFT + width * step / 4, max_budget * step // 4) for step in (0, 2, 4)),
        lines=tuple(
            # the second curve of a colour has the next dashes
            CurveLine(name, n % _KINDS, _DASHES[(n + n // _KINDS) % _KINDS], points, y)
            for n, (name, points, y) in enumerate(zip(by_name, drawn, label_ys, strict=True))
        ),
    )


def _spread_out(heights: Sequence[float]) -> list[float]:
    """Move heights down so that labels are at least one line apart. Their order stays."""
    moved = [0.0] * len(heights)
    last = -math.inf
    for number in sorted(range(len(heights)), key=lambda number: heights[number]):
        last = moved[number] = max(heights[number], last + _LINE)
    return moved


def forest(title: str, differences: Mapping[str, MeanInterval]) -> Forest:
    """Lay out a forest plot: each difference as a point on its interval, below its name and
    numbers.
    """
    values = [abs(value) for interval in differences.values() for value in interval]
    max_difference = max([0.01, *(value for value in values if not math.isnan(value))])

    def at(value: float) -> float:
        return round(20 + (value / max_difference + 1) / 2 * (_WIDTH - 40), 1)

    return Forest(
        f"{title}, in points",
        _ROW * len(differences) + 24,
        at(0),
        tuple(
            (at(value), f"{value * 100:+.1f}" if value else "0")
            for value in (-max_difference, 0.0, max_difference)
        ),
        tuple(
            ForestRow(name, interval, *map(at, interval)) for name, interval in differences.items()
        ),
    )
