"""Scores to cuts: pure functions over arrays, so that every rule can be tested without a model.

Scores of n units are an array of length n; scores of the gaps between them one of n - 1, gap i standing between unit i and unit i + 1.
A cut at i parts unit i - 1 from unit i.

Numbers are compared to 12 places: far finer than a model answers, and coarse enough that the last bits of a float, which depend on the order of a sum,
decide on nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import inf, isnan
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Scores: TypeAlias = "NDArray[np.float64]"  # strategies are listed, with their settings, where numpy is not installed

PLACES: Final = 12


def rounded(value: float) -> float:
    """The number that is compared in its place."""
    return round(float(value), PLACES)


class Threshold(StrEnum):
    """How far a gap has to stand out to be cut at (LangChain's SemanticChunker; absolute values: Qu et al. 2024)."""

    PERCENTILE = "percentile"  # of all gaps
    STANDARD_DEVIATION = "standard_deviation"  # that many above the mean
    INTERQUARTILE = "interquartile"  # that many ranges between quartiles above the mean
    GRADIENT = "gradient"  # percentile of the gradient
    DISTANCE = "distance"  # the value itself
    ABSOLUTE_GRADIENT = "absolute_gradient"  # the value of |gradient|


DEFAULT_AMOUNT = {
    Threshold.PERCENTILE: 95.0,
    Threshold.STANDARD_DEVIATION: 3.0,
    Threshold.INTERQUARTILE: 1.5,
    Threshold.GRADIENT: 95.0,
    Threshold.DISTANCE: 0.3,
    Threshold.ABSOLUTE_GRADIENT: 0.1,
}


def distances(vectors: NDArray[np.float32]) -> Scores:
    """1 - cosine between neighbours: shape (n - 1,)."""
    import numpy as np

    products: Scores = (vectors[:-1].astype(np.float64) * vectors[1:]).sum(axis=1)
    return np.round(1.0 - products, PLACES)


def breakpoints(gaps: Scores, threshold: Threshold, amount: float) -> list[int]:
    """Cuts at the gaps that are over the threshold, strictly. Gradients need two gaps; one gap is then cut if it is over 0."""
    import numpy as np

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
    return [int(i) + 1 for i in np.flatnonzero(np.round(values, PLACES) > rounded(limit))]


def percentile_for(chunks: int, gaps: int) -> float:
    """The percentile that leaves about so many chunks, as LangChain has it: 100 for one, 0 for as many as there are gaps, and evenly between."""
    return 100.0 * (1 - (min(max(chunks, 1), gaps) - 1) / (gaps - 1)) if gaps > 1 else 100.0


def at_least_apart(cuts: Sequence[int], lengths: Sequence[int], least: int) -> list[int]:
    """The cuts before which, from the last one on, stand at least so many characters: units of these lengths and a space between two."""
    kept = [0]
    for cut in cuts:
        if sum(lengths[kept[-1] : cut]) + cut - kept[-1] - 1 >= least:
            kept.append(cut)
    return kept[1:]


class Sides(StrEnum):
    """On which sides a minimum has to be as deep as the threshold (Meta-Chunking, formula 2, and the sentence below it)."""

    EITHER = "either"  # on one of them by at least the threshold: the words of the paper, and the published code
    BOTH = "both"  # on both by more than the threshold: the formula of the paper


def minima(scores: Sequence[float], threshold: float = 0.0, sides: Sides = Sides.EITHER, learn_after: int = 0) -> list[int]:
    """The units whose score is lower than that of both neighbours, or than that of the one before and equal to that after, by the threshold.

    With `learn_after`, as soon as so many were found, the threshold is the least depth among them. What is not a number counts as infinite.
    """
    values = [inf if isnan(score) else rounded(score) for score in scores]
    found: list[int] = []
    depths: list[float] = []
    for i in range(1, len(values) - 1):
        left, right = (rounded(values[j] - values[i]) if values[i] < inf else -inf for j in (i - 1, i + 1))
        if left > 0 and right >= 0 and _is_deep_enough(left, right, threshold, sides):
            found.append(i)
            depths.append(min(left, right))
            if learn_after and len(found) >= learn_after:
                threshold = min(depths)
    return found


def _is_deep_enough(left: float, right: float, threshold: float, sides: Sides) -> bool:
    """Is a minimum as deep as it has to be? Where the unit after it scores the same, the side before it decides."""
    if sides == Sides.BOTH:
        return (min(left, right) if right else left) > threshold
    return max(left, right) >= threshold


def relevance_cuts(scores: Scores, sigmas: float = 0.0) -> list[int]:
    """Cuts between units that score at least the mean and units that score less (PIC, 3.2); `sigmas` standard deviations are added to the mean."""
    import numpy as np

    relevant = are_relevant(scores, sigmas)
    return [int(i) + 1 for i in np.flatnonzero(relevant[1:] != relevant[:-1])]


def are_relevant(scores: Scores, sigmas: float = 0.0) -> NDArray[np.bool_]:
    """Which units score at least the mean."""
    import numpy as np

    found: NDArray[np.bool_] = np.round(scores, PLACES) >= least_relevant(scores, sigmas)
    return found


def least_relevant(scores: Scores, sigmas: float = 0.0) -> float:
    """The mean of the scores and `sigmas` standard deviations."""
    return rounded(scores.mean() + sigmas * scores.std())


def beats_mean_margin(margin: float, before: Sequence[float], history: int) -> bool:
    """Is a margin over the mean of the last `history` ones, of all where that is 0? As long as there are not so many it has to be over 0.

    One that equals the mean is judged by its sign, so that a model that always gives one answer is taken at its word.
    """
    last = [_in_steps(value) for value in before[-history:]] if len(before) >= history else []
    step, total = _in_steps(margin), sum(last)
    return step > 0 if not last or step * len(last) == total else step * len(last) > total


def _in_steps(value: float) -> int:
    """In steps of the last place: whole numbers, so that sums are exact. What is not a number is 0."""
    return 0 if isnan(value) else round(value * 10**PLACES)


def first_maximum(values: Sequence[float]) -> int:
    """Where the first of the greatest values is. What is not a number is less than all others."""
    compared = [-inf if isnan(value) else rounded(value) for value in values]
    return compared.index(max(compared))
