"""Choose all cuts of a text together by dynamic programming: few chunks, of even sizes, cut at
cheap places.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

_LEAST: Final = 0.4  # share of the limit: shorter chunks are tried only if no longer one fits
_BREAK: Final = 1  # most tokens of the line break between two texts
_EACH: Final = 0.3
_UNDER_IDEAL: Final = 0.08
_SMALL: Final = 0.3
_STRADDLING: Final = 0.7  # cost of a chunk with the end of one section and the beginning of another


class CutCosts(NamedTuple):
    """The sizes of stretches and the prices of cuts between them. Each field has a value per
    stretch; `before` has one more, for the end of the text.
    """

    before: Sequence[int]  # tokens before it
    opening: Sequence[int]  # extra tokens of a chunk that begins with it
    # extra tokens of a chunk that ends with it; negative if its size includes the break after it
    closing: Sequence[int]
    price: Sequence[float]  # of a cut before it
    # the section that a cut before it would divide; -1 if the cut is before a section
    inside: Sequence[int]
    caps: Sequence[int]  # token limit of a chunk that begins here
    reach: list[int]  # furthest end of such a chunk, as the number of a stretch


@dataclass(frozen=True, slots=True)
class SizeTargets:
    """Target sizes as shares of the limit: chunks under `ideal` cost more, and those under `small`
    much more.

    The empty share of a chunk is raised to `power` and added to its cost: 2 prefers chunks of even
    sizes, 1 full ones.
    """

    ideal: float
    small: float
    power: float = 2.0


def cheapest_cuts(costs: CutCosts, targets: SizeTargets) -> list[int]:
    """Return the numbers of the stretches that start a chunk, without the first.

    The cost of a chunk is a constant, plus its empty share raised to `targets.power`, plus a
    penalty below `targets.ideal` and a larger one below `targets.small`, plus the price of the cut
    before it. The constant favours few chunks, and the power favours even sizes. The running time
    is the number of stretches times the number of stretches in a chunk.
    """
    before, caps, inside = costs.before, costs.caps, [*costs.inside, -1]
    count = len(caps)
    ends = [
        0,
        *(tokens + closing for tokens, closing in zip(before[1:], costs.closing, strict=True)),
    ]
    best, came = [0.0, *[inf] * count], [0] * (count + 1)
    known = {cap: _EmptinessOfTokens(cap, targets) for cap in {*caps}}
    for first, cap in enumerate(caps):
        section, emptiness = inside[first], known[cap]
        base = before[first] - costs.opening[first]
        paid = best[first] + (costs.price[first] if first else 0.0)
        least, most, shortest = paid + _EACH, base + cap, base + _LEAST * cap
        furthest = max(min(costs.reach[first], bisect_right(before, most + _BREAK) - 1), first + 1)
        is_tried = False  # a chunk that begins here has been tried
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
    """Map the tokens of a chunk to its cost, without the price of the cut before it. Computed on
    first use.
    """

    def __init__(self, cap: int, targets: SizeTargets) -> None:
        self._cap, self._targets = cap, targets

    def __missing__(self, tokens: int) -> float:
        cost = self[tokens] = _emptiness(tokens / self._cap, self._targets)
        return cost


def _emptiness(share: float, targets: SizeTargets) -> float:
    """Return the cost of a chunk that is filled to a share of its limit."""
    cost = _EACH + ((1.0 - share) ** targets.power if share < 1 else 0.0)
    if share < targets.ideal:
        cost += _UNDER_IDEAL if share >= targets.small else _SMALL
    return cost


def _traced(came: list[int]) -> list[int]:
    cuts: list[int] = []
    at = came[-1]
    while at:
        cuts.append(at)
        at = came[at]
    return cuts[::-1]
