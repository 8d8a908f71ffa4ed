"""Compute confidence intervals of means over questions, with documents as clusters, and word the
conclusions: which chunker finds more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Vector = NDArray[np.float64]

LEVEL: Final = 0.95
_MOST_GROWTH: Final = 10_000


class MeanInterval(NamedTuple):
    """A mean and its confidence interval; NaN if it cannot be computed."""

    mean: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0

    @property
    def bounded(self) -> bool:
        """Whether it could be computed."""
        return not math.isnan(self.low)


class Estimate(NamedTuple):
    """A mean, its variance and the degrees of freedom. The variance is NaN for a single cluster."""

    mean: float
    variance: float
    freedom: float

    def interval(self) -> MeanInterval:
        """Return the interval mean -+ t * standard error."""
        half = self.half_width()
        return MeanInterval(self.mean, self.mean - half, self.mean + half)

    def half_width(self, growth: float = 1) -> float:
        """Return the half-width of the interval, for `growth` times as many clusters of the same
        kind.
        """
        quantile = float(stdtrit(self.freedom * growth, (1 + LEVEL) / 2))
        return quantile * math.sqrt(self.variance / growth)

    def growth_for(self, half: float) -> float:
        """Return how many times as many clusters are needed for a half-width of at most `half`: at
        least 1; infinity for more than 10,000.
        """
        if self.half_width() <= half:
            return 1.0
        low, high = 1.0, float(_MOST_GROWTH)
        if math.isnan(self.variance) or self.half_width(growth=high) > half:
            return math.inf
        while high - low > 0.001 * low:
            middle = (low + high) / 2
            low, high = (middle, high) if self.half_width(growth=middle) > half else (low, middle)
        return high


_UNKNOWN: Final = Estimate(math.nan, math.nan, math.nan)


def estimate(values: Vector, clusters: Sequence[str]) -> Estimate:
    """Return the mean with its cluster-robust variance CR2 (Bell and McCaffrey, 2002), and degrees
    of freedom by Satterthwaite's rule.

    The degrees of freedom are those for correlated questions (Imbens and Kolesár, 2016), here with
    a correlation of 1 within a cluster. Those for independent questions give intervals that are too
    narrow if few clusters have most questions; so does the cluster bootstrap. For a mean, the
    correction of the residuals of a cluster is 1 / sqrt(1 - its share of the questions).
    """
    if not len(values):
        return _UNKNOWN
    numbers = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)[1]
    sizes = np.bincount(numbers).astype(np.float64)
    mean = float(values.mean())
    if len(sizes) < 2:
        return Estimate(mean, math.nan, math.nan)
    total = len(values)
    residuals = np.bincount(numbers, values - mean) / np.sqrt(1 - sizes / total)
    return Estimate(mean, float(residuals @ residuals) / total**2, _freedom(sizes))


def _freedom(sizes: Vector) -> float:
    """Return the degrees of freedom of `estimate`: (tr B)^2 / tr(B B), where B is the covariance
    matrix of the sums of the corrected residuals of each cluster. `sizes` are the numbers of
    questions of the clusters. The questions of a cluster count as perfectly correlated.
    """
    total = sizes.sum()
    centred = np.eye(len(sizes)) - sizes[:, None] / total
    corrected = centred / np.sqrt(1 - sizes / total)[:, None]
    covariance = corrected * sizes**2 @ corrected.T
    return float(np.trace(covariance) ** 2 / np.sum(covariance**2))


# -- verdicts

SETTLED: Final = 0.02  # smallest difference of interest


class VerdictBasis(NamedTuple):
    """The measure, such as "recall in 4,000 characters", with the numbers of questions and
    clusters.
    """

    measure: str
    questions: int
    clusters: int


def sentences(
    basis: VerdictBasis, baseline: str, differences: Mapping[str, Estimate]
) -> tuple[str, ...]:
    """Return a sentence for each difference, baseline minus other. A difference is claimed only if
    its interval excludes 0.
    """
    if basis.clusters < 2:
        reason = "all questions are on one document, and one document has no interval"
        return (f"Nothing can be said of differences: {reason}.",)
    if not differences:
        return (f"One chunker was measured, {baseline}; there is nothing to compare.",)
    return tuple(
        _sentence(basis, baseline, name, difference) for name, difference in differences.items()
    )


def _sentence(basis: VerdictBasis, baseline: str, name: str, difference: Estimate) -> str:
    interval = difference.interval()
    if interval.settled:
        low, high = sorted(abs(end) * 100 for end in (interval.low, interval.high))
        return (
            f"{baseline} finds {abs(interval.mean) * 100:.1f} points "
            f"{'more' if interval.mean > 0 else 'less'} than {name} "
            f"(95 % interval: {low:.1f} to {high:.1f})."
        )
    if difference.mean == difference.variance == 0:
        end = "; so few documents do not show whether they differ" if basis.clusters < _FEW else ""
        return f"{baseline} and {name} find the same on these {basis.questions:,} questions{end}."
    start = (
        f"{baseline} and {name} cannot be told apart on these {basis.questions:,} questions "
        f"({points(interval)})"
    )
    if max(-interval.low, interval.high) <= SETTLED:
        return f"{start}; a difference of {SETTLED * 100:.0f} points is ruled out."
    if interval.bounded and basis.clusters < _FEW:
        return f"{start}; with so few documents, it is unknown how many would be enough."
    growth = difference.growth_for(SETTLED / _FOR_POWER)
    if not _LEAST_GROWTH <= growth < math.inf:
        return f"{start}."
    questions, clusters = (_rounded_up(n * growth) for n in (basis.questions, basis.clusters))
    return (
        f"{start}; about {questions:,} questions on {clusters:,} documents like these would show a "
        f"difference of {SETTLED * 100:.0f} points four times out of five."
    )


# an interval excludes 0 with probability 0.8 if it is this much narrower on each side than the
# true difference: (1.96 + 0.84) / 1.96
_FOR_POWER: Final = 1.43
_FEW: Final = 10  # documents: their variance is known too badly to plan with
_LEAST_GROWTH: Final = 2  # a few more questions change little


def _rounded_up(number: float) -> int:
    """Round up to two digits."""
    unit: int = 10 ** max(len(str(math.ceil(number))) - 2, 0)
    return math.ceil(number / unit) * unit


# -- warnings

_CEILING: Final = 0.95
_HALF: Final = 0.5


def warnings(measure: str, best: float, budget: int, characters: float) -> tuple[str, ...]:
    """Return warnings for a comparison that can hardly show a difference. This is so if the best
    recall is near 1, or the budget is over half of the `characters` of a typical document.
    """
    texts = []
    if best > _CEILING:
        texts.append(
            f"Ceiling: the best {measure} is {best * 100:.1f} %, which leaves little room for a "
            "difference. Ask harder questions, or compare a smaller budget."
        )
    if budget > _HALF * characters:
        texts.append(
            f"Large budget: {budget:,} characters are {budget / characters * 100:,.0f} % of the "
            f"document of a typical question ({characters:,.0f} characters). To find the document "
            "is nearly enough then, however it is cut."
        )
    return tuple(texts)


def points(interval: MeanInterval) -> str:
    """Format a difference in points, with its interval if known; "same" if it is 0 for each
    question.
    """
    if interval == MeanInterval(0, 0, 0):
        return "same"
    mean, low, high = (f"{value * 100:+.1f}" for value in interval)
    return f"{mean} [{low}, {high}]" if interval.bounded else mean
