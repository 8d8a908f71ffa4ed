"""Choose all cuts of a text together by dynamic programming: few chunks, of even sizes, cut at cheap places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

_LEAST: Final = 0.4  # of the limit: shorter chunks are tried only if no longer one fits
_BREAK: Final = 1  # token that may stand between two texts
_EACH: Final = 0.3
_UNDER_IDEAL: Final = 0.08
_SMALL: Final = 0.3
_STRADDLING: Final = 0.7  # the end of one section and the beginning of another, neither whole


class Course(NamedTuple):
    """Sizes and prices of stretches that stay whole. Each field has a value per stretch; `before` has one more, for the end of the text."""

    before: Sequence[int]  # tokens before it
    opening: Sequence[int]  # extra tokens of a chunk that begins with it
    closing: Sequence[int]  # extra tokens of a chunk that ends with it; negative if its size includes the break after it
    price: Sequence[float]  # of a cut before it
    inside: Sequence[int]  # the section that a cut before it would divide; -1 if the cut is before a section
    caps: Sequence[int]  # the most tokens of a chunk that begins here
    reach: list[int]  # the last stretch before which such a chunk may end


@dataclass(frozen=True, slots=True)
class Aim:
    """Target sizes as shares of the limit: chunks under `ideal` cost more, and those under `small` much more.

    The empty share of a chunk is raised to `power` and added to its cost: 2 prefers chunks of even sizes, 1 full ones.
    """

    ideal: float
    small: float
    power: float = 2.0


def cheapest_cuts(course: Course, aim: Aim) -> list[int]:
    """Return the numbers of the stretches that chunks begin with, without the first.

    The cost of a chunk is a constant, plus its empty share to the power of `aim`, plus more where it is below `aim.ideal` or `aim.small`, plus the price of the
    cut before it. The constant makes few chunks cheaper than many, and squares make even ones cheaper than uneven ones. The time is linear in the stretches,
    times those that a chunk holds.
    """
    before, caps, inside = course.before, course.caps, [*course.inside, -1]
    count = len(caps)
    ends = [0, *(tokens + closing for tokens, closing in zip(before[1:], course.closing, strict=True))]
    best, came = [0.0, *[inf] * count], [0] * (count + 1)
    known = {cap: _EmptinessOfTokens(cap, aim) for cap in {*caps}}
    for first, cap in enumerate(caps):
        section, emptiness = inside[first], known[cap]
        base = before[first] - course.opening[first]
        paid = best[first] + (course.price[first] if first else 0.0)
        least, most, shortest = paid + _EACH, base + cap, base + _LEAST * cap
        furthest = max(min(course.reach[first], bisect_right(before, most + _BREAK) - 1), first + 1)
        is_tried = False  # whether a chunk from here on has been tried
        for last in range(furthest, first, -1):
            end = ends[last]
            if end > most and last > first + 1:
                continue
            if end < shortest and is_tried:
                break
            is_tried = True
            if best[last] <= least:
                continue
            cost = paid + emptiness[end - base]
            if section >= 0 and section != inside[last] != -1:
                cost += _STRADDLING
            if cost < best[last]:
                best[last], came[last] = cost, first
    return _traced(came)


class _EmptinessOfTokens(dict[int, float]):
    """Map the tokens of a chunk to its cost, without the price of the cut before it. Computed on first use."""

    def __init__(self, cap: int, aim: Aim) -> None:
        self._cap, self._aim = cap, aim

    def __missing__(self, tokens: int) -> float:
        cost = self[tokens] = _emptiness(tokens / self._cap, self._aim)
        return cost


def _emptiness(share: float, aim: Aim) -> float:
    """Return the cost of a chunk that is filled to a share of its limit."""
    cost = _EACH + ((1.0 - share) ** aim.power if share < 1 else 0.0)
    if share < aim.ideal:
        cost += _UNDER_IDEAL if share >= aim.small else _SMALL
    return cost


def _traced(came: list[int]) -> list[int]:
    cuts: list[int] = []
    at = came[-1]
    while at:
        cuts.append(at)
        at = came[at]
    return cuts[::-1]
