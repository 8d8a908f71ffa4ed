"""What reports are made of: facts, tables, plots, and how numbers are written in them."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from docxchunk.evaluation.statistics import Interval

NOTHING: Final = "–"


class Table(NamedTuple):
    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Curve(NamedTuple):
    """Points of a line: budget, recall."""

    name: str
    points: tuple[tuple[int, float], ...]


class Chart(NamedTuple):
    title: str
    curves: tuple[Curve, ...]


class Differences(NamedTuple):
    """Each chunker against the baseline, in points."""

    title: str
    rows: tuple[tuple[str, Interval], ...]


class FoundInstead(NamedTuple):
    """What one chunker found: how much of the answer, in all that was read; where the chunk stands that came first, and its text."""

    chunker: str
    recall: str
    place: str
    text: str


class FailedQuestion(NamedTuple):
    """A question of whose answer the baseline found nothing; `found` begins with the baseline."""

    question: str
    document: str
    wanted: str
    found: tuple[FoundInstead, ...]


class Report(NamedTuple):
    title: str
    verdict: str  # what the numbers allow to say
    facts: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    differences: tuple[Differences, ...]
    details: tuple[Table, ...]
    headline: tuple[str, ...] = ()  # the sentences of the verdict, by `measure`
    measure: str = ""
    failed: tuple[FailedQuestion, ...] = ()  # as many as are shown
    failed_in_all: int = 0


def said(measure: str) -> str:
    """Recall@4000 is of characters; all others are of ranks."""
    name, at, number = measure.partition("@")
    return f"{name} in {int(number):,}" if at and name in ("recall", "together") else measure


def percent(share: float) -> str:
    return NOTHING if math.isnan(share) else f"{share * 100:.1f}"


def shown(found: Interval) -> str:
    """A mean of shares in percent, with its interval where there is one."""
    if math.isnan(found.low):
        return percent(found.mean)
    return f"{percent(found.mean)} [{percent(max(found.low, 0))}, {percent(min(found.high, 1))}]"
