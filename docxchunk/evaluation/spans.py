"""Operate on half-open character ranges and sets of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Span = tuple[int, int]


def union(spans: Iterable[Span]) -> list[Span]:
    """Return the union as sorted spans that neither overlap nor touch, without empty ones."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def size(spans: Iterable[Span]) -> int:
    """Return the sum of the lengths. Overlaps count twice."""
    return sum(end - start for start, end in spans)


def common(left: Sequence[Span], right: Sequence[Span]) -> Iterator[Span]:
    """Yield the intersection of two unions, in order."""
    i = j = 0
    while i < len(left) and j < len(right):
        start, end = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if start < end:
            yield start, end
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1


def overlap(left: Sequence[Span], right: Sequence[Span]) -> int:
    """Return the number of characters in the intersection of two unions."""
    return size(common(left, right))


def holds(outer: Sequence[Span], inner: Span) -> bool:
    """Return whether one span of a union contains `inner`."""
    return any(start <= inner[0] and inner[1] <= end for start, end in outer)
