"""How sure a difference is: the paired bootstrap, with whole documents drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS: Final = 10_000
SEED: Final = 20_240_229
_AT_ONCE, _KEPT = 2_000_000, 8_000_000  # numbers of a matrix of draws, and of all that are kept


class Interval(NamedTuple):
    """A mean, and the range that holds it with the level asked for."""

    mean: float
    low: float
    high: float


def paired_difference(left: NDArray[np.float64], right: NDArray[np.float64], clusters: Sequence[str], level: float = 0.95) -> Interval:
    """The mean of left - right over questions, and its percentile interval.

    Questions of one cluster (a document) are drawn together: they are not independent. With a single cluster nothing can be said, and the interval is NaN.
    The same numbers give the same interval.
    """
    return mean_interval(left - right, clusters, level)


def mean_interval(values: NDArray[np.float64], clusters: Sequence[str], level: float = 0.95) -> Interval:
    """The mean of values and its interval, clusters drawn whole."""
    if not len(values):
        return Interval(float("nan"), float("nan"), float("nan"))
    numbers = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)[1]
    sums, counts = np.bincount(numbers, values).astype(np.float64), np.bincount(numbers).astype(np.float64)
    mean = float(values.mean())
    if len(counts) < 2:
        return Interval(mean, float("nan"), float("nan"))
    low, high = np.quantile(_means(sums, counts), [(1 - level) / 2, (1 + level) / 2])
    return Interval(mean, float(low), float(high))


def _means(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means of DRAWS samples of as many clusters as there are, with replacement."""
    parts = _drawn(len(counts)) if len(counts) * DRAWS <= _KEPT else _draws(len(counts))
    return np.concatenate([(weights @ sums) / (weights @ counts) for weights in parts])


@lru_cache(maxsize=2)
def _drawn(many: int) -> tuple[NDArray[np.float64], ...]:
    """The draws for so many clusters, kept: a report asks for them a thousand times."""
    return tuple(_draws(many))


def _draws(many: int) -> Iterator[NDArray[np.float64]]:
    """How often each cluster is in each sample, some samples at a time."""
    random = np.random.default_rng(SEED)
    step = max(1, _AT_ONCE // many)
    for start in range(0, DRAWS, step):
        yield random.multinomial(many, np.full(many, 1 / many), size=min(step, DRAWS - start)).astype(np.float64)
