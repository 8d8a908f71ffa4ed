"""The places where a text is cut, chosen together: as few chunks as can be, as even as can be, at the places that cost a reader least."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

_LEAST: Final = 0.4  # of the limit: shorter chunks are only tried where no longer one can be had
_BREAK: Final = 1  # token that may stand between two texts
_EACH: Final = 0.3
_UNDER_IDEAL: Final = 0.08
_SMALL: Final = 0.3
_STRADDLING: Final = 0.7  # the end of one section and the beginning of another, neither whole


class Course(NamedTuple):
    """A text as stretches that stay whole. Each field has a value for each stretch; `before` has one more, for the end of the text."""

    before: Sequence[int]  # tokens before it
    opening: Sequence[int]  # tokens that a chunk has besides where it begins here
    closing: Sequence[int]  # and where it ends here: less than none where a break after it is counted with it
    price: Sequence[float]  # of a cut before it
    inside: Sequence[int]  # which section a cut before it would be inside of; -1 where it would be before one
    caps: Sequence[int]  # the most tokens of a chunk that begins here
    reach: list[int]  # the stretch at which such a chunk has to end at the latest


@dataclass(frozen=True, slots=True)
class Aim:
    """Shares of the limit: from where on a chunk is full enough, and below which it is too small to stand alone.

    The empty share of a chunk is raised to `power` and added to its cost: 2 prefers chunks of even sizes, 1 full ones.
    """

    ideal: float
    small: float
    power: float = 2.0


def cheapest_cuts(course: Course, aim: Aim) -> list[int]:
    """The stretches that chunks begin with, after the first one.

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
        least = -inf  # no chunk from here on has been tried
        furthest = max(min(course.reach[first], bisect_right(before, base + cap + _BREAK) - 1), first + 1)
        for last in range(furthest, first, -1):
            tokens = ends[last] - base
            if tokens > cap and last > first + 1:
                continue
            if tokens < least:
                break
            least = _LEAST * cap
            cost = paid + emptiness[tokens]
            if section >= 0 and section != inside[last] != -1:
                cost += _STRADDLING
            if cost < best[last]:
                best[last], came[last] = cost, first
    return _traced(came)


class _EmptinessOfTokens(dict[int, float]):
    """The cost of a chunk of some tokens, without that of the cut before it; each is computed once."""

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
