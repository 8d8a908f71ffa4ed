"""Groups of units that need not be neighbours: pure functions over vectors (Qu et al. 2024, equation 1 and appendix A)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from docxchunk.chunking.boundaries import PLACES, Scores
from docxchunk.errors import MissingExtraError
from docxchunk.registry import missing_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Labels: TypeAlias = "NDArray[np.intp]"
Pairs: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32]]"
Vectors: TypeAlias = "NDArray[np.float32]"

_ROWS = 512  # of the matrix of distances at once
_SLAB = 1 << 16  # pairs that are looked at together


class Noise(StrEnum):
    """What becomes of units that DBSCAN puts into no cluster."""

    SINGLETONS = "singletons"  # each is a group
    ONE_CHUNK = "one_chunk"  # together they are one, as in the published code of Qu et al.
    ATTACH = "attach"  # each goes with the unit before it


def joint_distances(vectors: Vectors, weight: float, first: int = 0, last: int | None = None) -> Scores:
    """How far units [first, last) are from all: `weight` of their distance in the text, the rest of 1 - cosine (at most 1).

    Shape (last - first, n).
    """
    import numpy as np

    count = len(vectors)
    rows = np.arange(count)[first:last]
    apart = np.abs(rows[:, None] - np.arange(count)) / count
    likeness = vectors[first:last].astype(np.float64) @ vectors.T.astype(np.float64)
    joint: Scores = weight * apart + (1 - weight) * (1 - np.clip(likeness, 0, 1))  # a vector of float32 may be a little longer than 1
    return np.round(joint, PLACES)


def close_pairs(vectors: Vectors, weight: float, threshold: float) -> Pairs:
    """The pairs of units within the threshold, the closest first; of equally close ones those that come first."""
    import numpy as np

    apart, firsts, seconds = [np.empty(0)], [np.empty(0, np.int32)], [np.empty(0, np.int32)]  # 16 bytes a pair: there are many
    for top in range(0, len(vectors), _ROWS):
        far = joint_distances(vectors, weight, top, top + _ROWS)
        rows, columns = np.nonzero((far <= threshold) & (np.arange(len(vectors)) > np.arange(top, top + len(far))[:, None]))
        apart.append(far[rows, columns])
        firsts.append((rows + top).astype(np.int32))
        seconds.append(columns.astype(np.int32))
    order = np.argsort(np.concatenate(apart), kind="stable")
    return np.concatenate(firsts)[order], np.concatenate(seconds)[order]


def single_linkage(pairs: Pairs, count: int, most: int) -> Labels:
    """Clusters of at most `most` units: pairs are joined in their order, as long as both clusters together are not larger.

    The label of a unit is the first unit of its cluster. Without a bound these are the connected components.
    """
    import numpy as np

    labels = np.arange(count)
    sizes = np.ones(count, np.intp)
    for at in range(0, len(pairs[0]), _SLAB):
        least = np.sort(sizes[labels == np.arange(count)])[:2]
        if len(least) < 2 or least.sum() > most:
            break
        firsts, seconds = pairs[0][at : at + _SLAB], pairs[1][at : at + _SLAB]
        left, right = labels[firsts], labels[seconds]
        possible = (left != right) & (sizes[left] + sizes[right] <= most)
        for first, second in zip(firsts[possible], seconds[possible], strict=True):
            _join(labels, sizes, labels[first], labels[second], most)
    return labels


def _join(labels: Labels, sizes: Labels, left: np.intp, right: np.intp, most: int) -> None:
    if left != right and sizes[left] + sizes[right] <= most:
        kept, gone = min(left, right), max(left, right)
        labels[labels == gone] = kept
        sizes[kept] += sizes[gone]


def dbscan(distances: Scores, eps: float, min_samples: int) -> Labels:
    """Density-based clusters of a matrix of distances; -1 is noise. Raises MissingExtraError without scikit-learn."""
    try:
        from sklearn.cluster import DBSCAN
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("DBSCAN", "scikit-learn", "semantic")) from error
    found: Labels = DBSCAN(eps=eps, min_samples=min_samples, metric="precomputed").fit(distances).labels_
    return found


def without_noise(labels: Sequence[int], noise: Noise) -> list[int]:
    """Labels with every unit in a cluster."""
    if noise == Noise.ONE_CHUNK:
        return [int(label) for label in labels]
    found: list[int] = []
    for number, label in enumerate(labels):
        attached = noise == Noise.ATTACH and found
        found.append(int(label) if label >= 0 else found[-1] if attached else -1 - number)
    return found


def groups_of(labels: Sequence[int]) -> list[list[int]]:
    """The units of each label, labels in order of their first unit."""
    groups: dict[int, list[int]] = {}
    for number, label in enumerate(labels):
        groups.setdefault(int(label), []).append(number)
    return list(groups.values())
