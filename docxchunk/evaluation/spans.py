"""Ranges of characters, half-open, and sets of them: what everything here is measured on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Span = tuple[int, int]


def union(spans: Iterable[Span]) -> list[Span]:
    """The same characters as spans in order that neither overlap nor touch; empty ones are left out."""
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
    """The sum of their lengths; what lies in two counts twice."""
    return sum(end - start for start, end in spans)


def common(left: Sequence[Span], right: Sequence[Span]) -> Iterator[Span]:
    """What two unions have in common, in order."""
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
    """How many characters two unions have in common."""
    return size(common(left, right))


def holds(outer: Sequence[Span], inner: Span) -> bool:
    """Does one span of a union hold all of `inner`?"""
    return any(start <= inner[0] and inner[1] <= end for start, end in outer)
