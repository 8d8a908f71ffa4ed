"""Scores to cuts: pure functions over arrays, so that every rule can be tested without a model.

Scores of n units are an array of length n; scores of the gaps between them one of n - 1, gap i standing between unit i and unit i + 1.
A cut at i parts unit i - 1 from unit i.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class Threshold(StrEnum):
    """How far a gap has to stand out to be cut at (LangChain's SemanticChunker, and seed 004's absolute values)."""

    PERCENTILE = "percentile"  # of all gaps
    STANDARD_DEVIATION = "standard_deviation"  # that many above the mean
    INTERQUARTILE = "interquartile"  # that many ranges between quartiles above the mean
    GRADIENT = "gradient"  # percentile of the gradient
    DISTANCE = "distance"  # the value itself
    ABSOLUTE_GRADIENT = "absolute_gradient"  # the value of |gradient|


USUAL_AMOUNT = {
    Threshold.PERCENTILE: 95.0,
    Threshold.STANDARD_DEVIATION: 3.0,
    Threshold.INTERQUARTILE: 1.5,
    Threshold.GRADIENT: 95.0,
    Threshold.DISTANCE: 0.3,
    Threshold.ABSOLUTE_GRADIENT: 0.1,
}


def distances(vectors: NDArray[np.float32]) -> Scores:
    """1 - cosine between neighbours: shape (n - 1,). Rounded to 4 places, so that the order of a sum decides on no cut."""
    products: Scores = (vectors[:-1].astype(np.float64) * vectors[1:]).sum(axis=1)
    return np.round(1.0 - products, 4)


def breakpoints(gaps: Scores, threshold: Threshold, amount: float) -> list[int]:
    """Cuts at the gaps that are over the threshold, strictly. Gradients need two gaps; one gap is then cut if it is over 0."""
    if not len(gaps):
        return []
    values = gaps if threshold not in (Threshold.GRADIENT, Threshold.ABSOLUTE_GRADIENT) or len(gaps) < 2 else np.gradient(gaps)
    match threshold:
        case Threshold.PERCENTILE | Threshold.GRADIENT:
            limit = float(np.percentile(values, amount))
        case Threshold.STANDARD_DEVIATION:
            limit = float(values.mean() + amount * values.std())
        case Threshold.INTERQUARTILE:
            first, third = np.percentile(values, [25, 75])
            limit = float(values.mean() + amount * (third - first))
        case Threshold.DISTANCE | Threshold.ABSOLUTE_GRADIENT:
            limit = amount
    if threshold is Threshold.ABSOLUTE_GRADIENT:
        values = np.abs(values)
    return [int(i) + 1 for i in np.flatnonzero(values > limit)]
