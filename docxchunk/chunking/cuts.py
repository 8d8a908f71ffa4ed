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
    """A text as stretches that stay whole: of each, and, of `before`, once more at the end."""

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

    What stays empty counts with this power: over 1 it is better shared by all chunks, under 1 better left to one.
    """

    ideal: float
    small: float
    power: float = 2.0


def cheapest_cuts(course: Course, aim: Aim) -> list[int]:
    """The stretches that chunks begin with, after the first one.

    A chunk costs a little by itself, the square of the share of it that stays empty, more where that is too much, and the price of the cut before it. Squares
    make few chunks cheaper than many, and even ones cheaper than uneven ones. Linear in the stretches, times those that a chunk holds.
    """
    before, caps, inside = course.before, course.caps, course.inside
    count = len(caps)
    best, came = [0.0, *[inf] * count], [0] * (count + 1)
    for first in range(count):
        cap, section = caps[first], inside[first]
        base = before[first] - course.opening[first]
        paid = best[first] + (course.price[first] if first else 0.0)
        least, tried = _LEAST * cap, False
        furthest = min(course.reach[first], bisect_right(before, base + cap + _BREAK) - 1)
        for last in range(max(furthest, first + 1), first, -1):
            tokens = before[last] - base + course.closing[last - 1]
            if tokens > cap and last > first + 1:
                continue
            if tried and tokens < least:
                break
            tried = True
            cost = paid + _emptiness(tokens / cap, aim)
            if section >= 0 and last < count and -1 != inside[last] != section:
                cost += _STRADDLING
            if cost < best[last]:
                best[last], came[last] = cost, first
    return _traced(came)


def _emptiness(share: float, aim: Aim) -> float:
    """What it costs that a chunk is filled to no more than a share."""
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
