"""Value types of reports, and number formatting."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from docxchunk.evaluation.statistics import Interval

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
    """A question for which the baseline found no part of the answer. `found` begins with the baseline."""

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
    """Return the display name of a measure: the number after @ is characters for recall and together, else a rank."""
    name, at, number = measure.partition("@")
    return f"{name} in {int(number):,}" if at and name in ("recall", "together") else measure


def percent(share: float) -> str:
    return NOTHING if math.isnan(share) else f"{share * 100:.1f}"


def shown(found: Interval) -> str:
    """Format a mean in percent, with its interval if known."""
    if math.isnan(found.low):
        return percent(found.mean)
    return f"{percent(found.mean)} [{percent(max(found.low, 0))}, {percent(min(found.high, 1))}]"
