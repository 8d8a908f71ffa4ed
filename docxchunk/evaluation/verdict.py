"""Word the conclusions of a run: which chunker finds more, and which differences are not significant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, NamedTuple

from docxchunk.evaluation.statistics import Estimate, Interval

SETTLED: Final = 0.02  # smallest difference of interest


class VerdictBasis(NamedTuple):
    """The measure, such as "recall in 4,000 characters", with the numbers of questions and clusters."""

    measure: str
    questions: int
    clusters: int


def verdict(asked: VerdictBasis, baseline: str, differences: Mapping[str, Estimate]) -> str:
    """Return a sentence for each difference, baseline minus other. A difference is claimed only if its interval excludes 0."""
    said = " ".join(sentences(asked, baseline, differences))
    return f"By {asked.measure}: {said}" if differences and asked.clusters > 1 else said


def sentences(asked: VerdictBasis, baseline: str, differences: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Return the sentences of a verdict, without the measure."""
    if asked.clusters < 2:
        return (f"Nothing can be said of differences: all {asked.questions:,} questions are on one document, and one document has no interval.",)
    if not differences:
        return (f"One chunker was measured, {baseline}; there is nothing to compare.",)
    return tuple(_sentence(asked, baseline, name, found) for name, found in differences.items())


def _sentence(asked: VerdictBasis, baseline: str, name: str, found: Estimate) -> str:
    interval = found.interval()
    if interval.settled:
        return f"{baseline} finds {'more' if interval.mean > 0 else 'less'} than {name} ({points(interval)})."
    if found.mean == found.variance == 0:
        return f"{baseline} and {name} find the same on these {asked.questions:,} questions."
    start = f"{baseline} and {name} cannot be told apart on these {asked.questions:,} questions ({points(interval)})"
    if max(-interval.low, interval.high) <= SETTLED:
        return f"{start}; a difference of {SETTLED * 100:.0f} points is ruled out."
    growth = found.growth_for(SETTLED)
    if math.isinf(growth):
        return f"{start}."
    questions, clusters = (math.ceil(number * (growth - 1)) for number in (asked.questions, asked.clusters))
    if not questions:
        return f"{start}."
    return f"{start}; about {questions:,} more, on {clusters:,} more documents like these, would settle a difference of {SETTLED * 100:.0f} points."


def points(found: Interval) -> str:
    """Format a difference in points, with its interval if known."""
    if math.isnan(found.low):
        return f"{found.mean * 100:+.1f}"
    return f"{found.mean * 100:+.1f} [{found.low * 100:+.1f}, {found.high * 100:+.1f}]"
