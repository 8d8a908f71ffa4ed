"""Turn scores into cuts, with pure functions over arrays.

Scores of n units have length n. Scores of the gaps between them have length n - 1; gap i is between
units i and i + 1. A cut at i separates unit i - 1 from unit i.

Numbers are compared after rounding to 12 decimal places, so that floating-point error, which
depends on the order of a sum, does not decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import inf, isnan
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Scores: TypeAlias = "NDArray[np.float64]"  # a string, because numpy is optional

PLACES: Final = 12


def rounded(value: float) -> float:
    """Return the value rounded for comparisons."""
    return round(float(value), PLACES)


class Threshold(StrEnum):
    """How the threshold of a gap is computed (LangChain's SemanticChunker; the last two: Qu et al.
    2024).
    """

    PERCENTILE = "percentile"  # percentile of all gaps
    STANDARD_DEVIATION = "standard_deviation"  # mean plus that many standard deviations
    INTERQUARTILE = "interquartile"  # mean plus that many interquartile ranges
    GRADIENT = "gradient"  # percentile of the gradient of the gaps
    DISTANCE = "distance"  # the amount itself
    ABSOLUTE_GRADIENT = "absolute_gradient"  # the amount itself, compared with |gradient|


DEFAULT_AMOUNT = {
    Threshold.PERCENTILE: 95.0,
    Threshold.STANDARD_DEVIATION: 3.0,
    Threshold.INTERQUARTILE: 1.5,
    Threshold.GRADIENT: 95.0,
    Threshold.DISTANCE: 0.3,
    Threshold.ABSOLUTE_GRADIENT: 0.1,
}


def distances(vectors: NDArray[np.float32]) -> Scores:
    """Return 1 - cosine similarity of neighbouring unit vectors: shape (n - 1,)."""
    import numpy as np

    products: Scores = (vectors[:-1].astype(np.float64) * vectors[1:]).sum(axis=1)
    return np.round(1.0 - products, PLACES)


def breakpoints(gaps: Scores, threshold: Threshold, amount: float) -> list[int]:
    """Return the cuts at gaps strictly above the threshold. A gradient needs two gaps; for a single
    gap its value is used.
    """
    import numpy as np

    if not len(gaps):
        return []
    values = (
        gaps
        if threshold not in (Threshold.GRADIENT, Threshold.ABSOLUTE_GRADIENT) or len(gaps) < 2
        else np.gradient(gaps)
    )
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
    """Return the percentile for about `chunks` chunks, as in LangChain: linear from 100 for one
    chunk to 0 for as many chunks as gaps.
    """
    return 100.0 * (1 - (min(max(chunks, 1), gaps) - 1) / (gaps - 1)) if gaps > 1 else 100.0


def at_least_apart(cuts: Sequence[int], lengths: Sequence[int], least: int) -> list[int]:
    """Return the cuts that leave at least `least` characters since the previous cut. `lengths` are
    those of the units, joined by spaces.
    """
    kept = [0]
    for cut in cuts:
        if sum(lengths[kept[-1] : cut]) + cut - kept[-1] - 1 >= least:
            kept.append(cut)
    return kept[1:]


class Sides(StrEnum):
    """The sides on which a minimum must reach the threshold (Meta-Chunking, formula 2, and the
    sentence below it).
    """

    # at least the threshold on one side: the text of the paper and the published code
    EITHER = "either"
    BOTH = "both"  # more than the threshold on both sides: the formula of the paper


def minima(
    scores: Sequence[float],
    threshold: float = 0.0,
    sides: Sides = Sides.EITHER,
    learn_after: int = 0,
) -> list[int]:
    """Return the units at a local minimum: below the previous unit, not above the next one, and as
    deep as the threshold.

    After `learn_after` minima, the threshold is the smallest depth among them; 0 keeps it fixed.
    NaN counts as infinite.
    """
    values = [inf if isnan(score) else rounded(score) for score in scores]
    found: list[int] = []
    depths: list[float] = []
    for i in range(1, len(values) - 1):
        left, right = (
            rounded(values[j] - values[i]) if values[i] < inf else -inf for j in (i - 1, i + 1)
        )
        if left > 0 and right >= 0 and _is_deep_enough(left, right, threshold, sides):
            found.append(i)
            depths.append(min(left, right))
            if learn_after and len(found) >= learn_after:
                threshold = min(depths)
    return found


def _is_deep_enough(left: float, right: float, threshold: float, sides: Sides) -> bool:
    """Return whether a minimum reaches the threshold. If the next unit has the same score, only the
    left side counts.
    """
    if sides == Sides.BOTH:
        return (min(left, right) if right else left) > threshold
    return max(left, right) >= threshold


def relevance_cuts(scores: Scores, sigmas: float = 0.0) -> list[int]:
    """Return the cuts between relevant and other units (PIC, 3.2); see `are_relevant`."""
    import numpy as np

    relevant = are_relevant(scores, sigmas)
    return [int(i) + 1 for i in np.flatnonzero(relevant[1:] != relevant[:-1])]


def are_relevant(scores: Scores, sigmas: float = 0.0) -> NDArray[np.bool_]:
    """Return which units score at least `least_relevant`: shape (n,)."""
    import numpy as np

    found: NDArray[np.bool_] = np.round(scores, PLACES) >= least_relevant(scores, sigmas)
    return found


def least_relevant(scores: Scores, sigmas: float = 0.0) -> float:
    """Return the mean of the scores plus `sigmas` standard deviations."""
    return rounded(scores.mean() + sigmas * scores.std())


def beats_mean_margin(margin: float, before: Sequence[float], history: int) -> bool:
    """Return whether a margin is above the mean of the last `history` margins, or of all of them if
    `history` is 0.

    With fewer margins than `history`, or if it equals the mean, a margin must be above 0. So the
    answer of a model that always gives the same one counts.
    """
    last = [_in_steps(value) for value in before[-history:]] if len(before) >= history else []
    step, total = _in_steps(margin), sum(last)
    return step > 0 if not last or step * len(last) == total else step * len(last) > total


def _in_steps(value: float) -> int:
    """Return a value as a whole number of steps of the last decimal place, so that sums are exact.
    NaN is 0.
    """
    return 0 if isnan(value) else round(value * 10**PLACES)


def first_maximum(values: Sequence[float]) -> int:
    """Return the index of the first maximum. NaN counts as minus infinity."""
    compared = [-inf if isnan(value) else rounded(value) for value in values]
    return compared.index(max(compared))
