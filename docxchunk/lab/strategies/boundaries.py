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

from docxchunk.errors import MissingExtraError
from docxchunk.registry import missing_extra

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
    """Return the cuts at gaps strictly above the threshold. There is at least one gap. The
    threshold of a single gap is computed from its value, because a single gap has no gradient.
    """
    import numpy as np

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
    """Return the percentile for about `chunks` chunks, as in LangChain: it falls linearly from 100
    for one chunk to 0 for as many chunks as gaps.
    """
    return 100.0 * (1 - (min(chunks, gaps) - 1) / (gaps - 1)) if gaps > 1 else 100.0


def at_least_apart(cuts: Sequence[int], lengths: Sequence[int], least: int) -> list[int]:
    """Return the cuts that are at least `least` characters after the cut before them. `lengths` are
    the lengths of the units, which are joined by spaces.
    """
    kept_cuts = [0]
    for cut in cuts:
        if sum(lengths[kept_cuts[-1] : cut]) + cut - kept_cuts[-1] - 1 >= least:
            kept_cuts.append(cut)
    return kept_cuts[1:]


class Sides(StrEnum):
    """How deep a minimum must be: how much higher the scores before it and after it must be.

    Meta-Chunking says both, in formula 2 and in the sentence below the formula.
    """

    EITHER = "either"  # one of the two by the threshold or more: the sentence, and published code
    BOTH = "both"  # both by more than the threshold: the formula


def minima(
    scores: Sequence[float],
    threshold: float = 0.0,
    sides: Sides = Sides.EITHER,
    learn_after: int = 0,
) -> list[int]:
    """Return the units at a local minimum. Their score is below that of the previous unit, not
    above that of the next one, and the minimum is at least as deep as the threshold.

    After `learn_after` minima, the threshold is the smallest depth among them; 0 keeps it fixed.
    NaN counts as infinite.
    """
    values = [inf if isnan(score) else rounded(score) for score in scores]
    numbers: list[int] = []
    depths: list[float] = []
    for i in range(1, len(values) - 1):
        left, right = (rounded(values[j] - values[i]) for j in (i - 1, i + 1))
        if left > 0 and right >= 0 and _is_deep_enough(left, right, threshold, sides):
            numbers.append(i)
            depths.append(min(left, right))
            if learn_after and len(numbers) >= learn_after:
                threshold = min(depths)
    return numbers


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


def are_relevant(scores: Scores, sigmas: float) -> NDArray[np.bool_]:
    """Return which units score at least `least_relevant`: shape (n,)."""
    import numpy as np

    relevant: NDArray[np.bool_] = np.round(scores, PLACES) >= least_relevant(scores, sigmas)
    return relevant


def least_relevant(scores: Scores, sigmas: float) -> float:
    """Return the mean of the scores plus `sigmas` standard deviations."""
    return rounded(scores.mean() + sigmas * scores.std())


def beats_mean_margin(margin: float, before: Sequence[float], history: int) -> bool:
    """Return whether a margin is above the mean of the last `history` margins, or of all margins if
    `history` is 0.

    If there are fewer margins, or if the margin equals the mean, return whether it is above 0.
    """
    last = [_in_steps(value) for value in before[-history:]] if len(before) >= history else []
    step, total = _in_steps(margin), sum(last)
    # without margins, both sides are 0
    return step > 0 if step * len(last) == total else step * len(last) > total


def _in_steps(value: float) -> int:
    """Return a value as a whole number of steps of the last decimal place, so that sums are exact.
    NaN is 0.
    """
    return 0 if isnan(value) else round(value * 10**PLACES)


def first_maximum(values: Sequence[float]) -> int:
    """Return the index of the first maximum. NaN counts as minus infinity."""
    compared = [-inf if isnan(value) else rounded(value) for value in values]
    return compared.index(max(compared))


Labels: TypeAlias = "NDArray[np.intp]"
Pairs: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32]]"
Vectors: TypeAlias = "NDArray[np.float32]"

_ROWS = 512  # rows of the distance matrix that are computed at once
_SLAB = 1 << 16  # pairs that are filtered at once


class Noise(StrEnum):
    """What happens to units that DBSCAN marks as noise."""

    SINGLETONS = "singletons"  # each is a cluster
    ONE_CHUNK = "one_chunk"  # together they form one cluster, as in the published code of Qu et al.
    ATTACH = "attach"  # each joins the cluster of the previous unit


def joint_distances(
    vectors: Vectors, weight: float, first: int = 0, last: int | None = None
) -> Scores:
    """Return the distances of units [first, last) to all units: shape (last - first, n), values
    from 0 to 1.

    A distance is `weight` times the positional distance plus 1 - `weight` times the cosine distance
    (Qu et al. 2024, equation 1).
    """
    import numpy as np

    count = len(vectors)
    rows = np.arange(count)[first:last]
    apart = np.abs(rows[:, None] - np.arange(count)) / count
    likeness = vectors[first:last].astype(np.float64) @ vectors.T.astype(np.float64)
    # the norm of a float32 vector may slightly exceed 1
    joint: Scores = weight * apart + (1 - weight) * (1 - np.clip(likeness, 0, 1))
    return np.round(joint, PLACES)


def close_pairs(vectors: Vectors, weight: float, threshold: float) -> Pairs:
    """Return the pairs of units within the threshold, sorted by distance, then by position."""
    import numpy as np

    # small types: there are many pairs
    apart, firsts, seconds = [np.empty(0)], [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    for top in range(0, len(vectors), _ROWS):
        far = joint_distances(vectors, weight, top, top + _ROWS)
        rows, columns = np.nonzero(
            (far <= threshold) & (np.arange(len(vectors)) > np.arange(top, top + len(far))[:, None])
        )
        apart.append(far[rows, columns])
        firsts.append((rows + top).astype(np.int32))
        seconds.append(columns.astype(np.int32))
    order = np.argsort(np.concatenate(apart), kind="stable")
    return np.concatenate(firsts)[order], np.concatenate(seconds)[order]


def single_linkage(pairs: Pairs, count: int, max_size: int) -> Labels:
    """Return cluster labels. The pairs are joined in order, unless the joined cluster would have
    more than `max_size` units.

    The label of a unit is the first unit of its cluster. With `max_size` = `count`, the clusters
    are the connected components.
    """
    import numpy as np

    labels = np.arange(count)
    sizes = np.ones(count, np.intp)
    for slab_start in range(0, len(pairs[0]), _SLAB):
        least = np.sort(sizes[labels == np.arange(count)])[:2]
        if len(least) < 2 or least.sum() > max_size:
            break
        firsts, seconds = (
            pairs[0][slab_start : slab_start + _SLAB],
            pairs[1][slab_start : slab_start + _SLAB],
        )
        left, right = labels[firsts], labels[seconds]
        possible = (left != right) & (sizes[left] + sizes[right] <= max_size)
        for first, second in zip(firsts[possible], seconds[possible], strict=True):
            _join(labels, sizes, labels[first], labels[second], max_size)
    return labels


def _join(labels: Labels, sizes: Labels, left: np.intp, right: np.intp, max_size: int) -> None:
    if left != right and sizes[left] + sizes[right] <= max_size:
        label, replaced = min(left, right), max(left, right)
        labels[labels == replaced] = label
        sizes[label] += sizes[replaced]


def dbscan(distances: Scores, eps: float, min_samples: int) -> Labels:
    """Return the DBSCAN labels for a distance matrix; -1 is noise. Raise MissingExtraError if
    scikit-learn is not installed.
    """
    try:
        from sklearn.cluster import DBSCAN
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("DBSCAN", "scikit-learn", "semantic")) from error
    labels: Labels = (
        DBSCAN(eps=eps, min_samples=min_samples, metric="precomputed").fit(distances).labels_
    )
    return labels


def without_noise(labels: Sequence[int], noise: Noise) -> list[int]:
    """Return the labels with the noise units assigned to clusters."""
    if noise == Noise.ONE_CHUNK:
        return [int(label) for label in labels]
    clusters: list[int] = []
    for number, label in enumerate(labels):
        attached = noise == Noise.ATTACH and clusters
        clusters.append(int(label) if label >= 0 else clusters[-1] if attached else -1 - number)
    return clusters


def groups_of(labels: Sequence[int]) -> list[list[int]]:
    """Return the units of each cluster, clusters in the order of their first unit."""
    groups: dict[int, list[int]] = {}
    for number, label in enumerate(labels):
        groups.setdefault(int(label), []).append(number)
    return list(groups.values())
