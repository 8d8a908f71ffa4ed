"""How sure a mean over questions is, when those on one document are not independent of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

Vector = NDArray[np.float64]

LEVEL: Final = 0.95
_MOST_GROWTH: Final = 10_000


class Interval(NamedTuple):
    """A mean, and the range that holds it with the level asked for; NaN where there is none."""

    mean: float
    low: float
    high: float

    @property
    def settled(self) -> bool:
        """Does it leave out 0?"""
        return self.low > 0 or self.high < 0


class Estimate(NamedTuple):
    """A mean, its variance, and the degrees of freedom of that; the variance is NaN where there is one cluster."""

    mean: float
    variance: float
    freedom: float

    def interval(self, level: float = LEVEL) -> Interval:
        """Mean -+ t * the standard error."""
        half = self.half_width(level)
        return Interval(self.mean, self.mean - half, self.mean + half)

    def half_width(self, level: float = LEVEL, growth: float = 1) -> float:
        """Of the interval; with `growth` times as many clusters of the same kind."""
        return float(stdtrit(self.freedom * growth, (1 + level) / 2)) * math.sqrt(self.variance / growth)

    def growth_for(self, half: float) -> float:
        """How many times as many clusters would make the interval no wider than this to each side; 1 where these do. Infinite where more than 10,000 times."""
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
    """The mean of values, with its cluster-robust variance: CR2, and degrees of freedom by Satterthwaite's rule (Bell and McCaffrey, 2002).

    It keeps its promise with few clusters and with clusters of unequal size, where drawing clusters anew (the bootstrap) gives intervals that are too narrow.
    For a mean, the correction of each cluster's residuals is 1 / sqrt(1 - its share of the questions).
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
    """(tr B)^2 / tr(B B), B being the covariance of the corrected residuals' sums, were all questions independent and alike."""
    total = sizes.sum()
    correction = 1 / np.sqrt(1 - sizes / total)
    spread = np.diag(sizes) - np.outer(sizes, sizes) / total
    covariance = correction[:, None] * spread * correction
    return float(np.trace(covariance) ** 2 / np.sum(covariance**2))


def pooled(estimates: Sequence[Estimate]) -> Estimate:
    """The mean over sets that weigh alike and are independent; degrees of freedom by Welch and Satterthwaite. One set without a variance leaves none."""
    if not estimates:
        return _UNKNOWN
    variance = math.fsum(each.variance for each in estimates)
    spread = math.fsum(each.variance**2 / each.freedom for each in estimates)
    freedom = variance**2 / spread if spread else min(each.freedom for each in estimates)
    return Estimate(math.fsum(each.mean for each in estimates) / len(estimates), variance / len(estimates) ** 2, freedom)


def paired_difference(left: Vector, right: Vector, clusters: Sequence[str], level: float = LEVEL) -> Interval:
    """The mean of left - right over questions, and its interval. With a single cluster nothing can be said, and the interval is NaN."""
    return estimate(left - right, clusters).interval(level)


def mean_interval(values: Vector, clusters: Sequence[str], level: float = LEVEL) -> Interval:
    """The mean of values and its interval."""
    return estimate(values, clusters).interval(level)
