"""Ranges of characters."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

Range = tuple[int, int]


def outermost(ranges: Iterable[tuple[int, int]], gap: int = 0) -> list[tuple[int, int]]:
    """Return ranges in order. Those that overlap, or are less than `gap` apart, are merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1] + gap:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def is_inside(offset: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Return whether an offset is inside a range, not at its start or end. The ranges are in order
    and do not overlap; see `outermost`.
    """
    at = bisect_left(ranges, (offset, -1)) - 1
    return at >= 0 and offset < ranges[at][1]
