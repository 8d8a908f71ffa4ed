"""Cluster units by embedding and position, with pure functions over vectors (Qu et al. 2024,
equation 1 and appendix A).
"""

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
    """Return the pairs of units within the threshold, by distance, then by position."""
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


def single_linkage(pairs: Pairs, count: int, most: int) -> Labels:
    """Return cluster labels: join the pairs in order if the joined cluster has at most `most`
    units.

    The label of a unit is the first unit of its cluster. With `most` = `count`, the clusters are
    the connected components.
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
    """Return the DBSCAN labels for a distance matrix; -1 is noise. Raise MissingExtraError if
    scikit-learn is not installed.
    """
    try:
        from sklearn.cluster import DBSCAN
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("DBSCAN", "scikit-learn", "semantic")) from error
    found: Labels = (
        DBSCAN(eps=eps, min_samples=min_samples, metric="precomputed").fit(distances).labels_
    )
    return found


def without_noise(labels: Sequence[int], noise: Noise) -> list[int]:
    """Return the labels with the noise units assigned to clusters."""
    if noise == Noise.ONE_CHUNK:
        return [int(label) for label in labels]
    found: list[int] = []
    for number, label in enumerate(labels):
        attached = noise == Noise.ATTACH and found
        found.append(int(label) if label >= 0 else found[-1] if attached else -1 - number)
    return found


def groups_of(labels: Sequence[int]) -> list[list[int]]:
    """Return the units of each cluster, clusters in the order of their first unit."""
    groups: dict[int, list[int]] = {}
    for number, label in enumerate(labels):
        groups.setdefault(int(label), []).append(number)
    return list(groups.values())
