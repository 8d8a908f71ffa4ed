"""The longest increasing subsequence: what kept its order between two versions of a document."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable


def longest_rise(numbers: Iterable[int]) -> list[int]:
    """Return the longest increasing subsequence of distinct numbers, by patience sorting: `ends[n]`
    is the smallest number in which a subsequence of n + 1 numbers can end.
    """
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        length = bisect_left(ends, number)
        before[number] = ends[length - 1] if length else None
        ends[length : length + 1] = [number]
    rise: list[int] = []
    last = ends[-1] if ends else None
    while last is not None:
        rise.append(last)
        last = before[last]
    return rise[::-1]
