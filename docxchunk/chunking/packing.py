"""Choose cuts: all of a text together by dynamic programming, or one after another."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

from docxchunk.chunking.cutting import word_start
from docxchunk.chunking.line_kinds import PARAGRAPH
from docxchunk.chunking.lines import Lines
from docxchunk.chunking.pieces import Span
from docxchunk.chunking.units import UnitSequence
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole

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


# share of the cap: cuts above this size are chosen by quality, cuts below it by size
_FULL: Final = 0.75
# a line is split to follow its heading if at least an eighth of the cap is left for it
_WORTH_FILLING: Final = 8


def pack(
    sequence: UnitSequence, cap: int, overlap: int, *, across_lines: bool = False
) -> list[list[Span]]:
    """Return chunks of at most `cap` tokens. After a cut inside a line or, with `across_lines`,
    also between lines, the next chunk repeats up to `overlap` tokens from before the cut.

    The overlap is at most a quarter of the cap, and half of the new text of the next chunk.
    """
    done: list[list[Span]] = []
    # a cut of a higher price is followed by an overlap
    repeated_from = -1.0 if across_lines else PARAGRAPH
    first = before = 0
    while first < len(sequence):
        _make_room(sequence, first, cap)
        lead = _lead(sequence, before, first, min(overlap, cap // 4), repeated_from)
        last = _end(sequence, first, cap, lead)
        if last == first:
            lead, last = None, max(_end(sequence, first, cap), first + 1)
        if lead is not None:
            lead = _lead(
                sequence,
                before,
                first,
                min(overlap, cap // 4, sequence.size(first, last) // 2),
                repeated_from,
            )
        done.append(sequence.between(first, last, lead))
        before, first = first, last
    return done


def _make_room(sequence: UnitSequence, first: int, cap: int) -> None:
    """Split the first line, or the one under the first headings, if it does not fit. A table is not
    split to stay with its heading.
    """
    body = first
    while (
        body < len(sequence) - 1
        and sequence.kinds[body] is LineKind.HEADING
        and sequence.before[body] - sequence.before[first] <= 2 * cap
    ):
        body += 1  # headings over twice the cap surely do not fit
    if sequence.size(first, body + 1) <= cap:
        return
    room = cap if body == first else cap - sequence.size(first, body) - 1
    if room * _WORTH_FILLING >= cap and not (
        sequence.kinds[body] is LineKind.TABLE and sequence.size(body, body + 1) <= cap
    ):
        sequence.expand(body, room)
    if body > first and sequence.size(first, first + 1) > cap:
        sequence.expand(first, cap)


def _end(sequence: UnitSequence, first: int, cap: int, lead: int | None = None) -> int:
    """Return the end of the chunk that starts at `first`: the best cut that leaves it full enough,
    and not between a heading and its text.
    """
    last = sequence.furthest(first, cap, lead)
    if last in (first, len(sequence)):
        return last
    prices, kinds = sequence.prices, sequence.kinds
    full = sequence.before[first] + int(_FULL * cap)
    best = place = last
    while place > first + 1 and sequence.before[place - 1] > full:
        place -= 1
        if prices[place] < prices[best]:
            best = place
    while best > first and kinds[best - 1] is LineKind.HEADING:
        best -= 1
    return best if best > first else last


def _lead(
    sequence: UnitSequence, before: int, first: int, limit: int, repeated_from: float
) -> int | None:
    """Return the start of the overlap before unit `first`: whole sentences if they fit into the
    limit, else whole words; None for no overlap.
    """
    if first == before or limit <= 0:
        return None
    starts, span = sequence.starts, sequence.spans[sequence.of[first]]
    if span.role is not SliceRole.TEXT or not _may_repeat(sequence, first - 1, repeated_from):
        return None
    lines = sequence.assembler.lines(span.block)
    start, end = first, starts[first]
    while (
        start > before
        and _may_repeat(sequence, start - 1, repeated_from)
        and lines.ruler.measure(starts[start - 1], end) <= limit
    ):
        start -= 1
    if start < first:
        return starts[start]
    if sequence.prices[first] <= PARAGRAPH:
        return None
    return _last_words(lines, starts[first - 1], sequence.ends[first - 1], end, limit)


def _may_repeat(sequence: UnitSequence, number: int, repeated_from: float) -> bool:
    """Return whether the next chunk may repeat this unit."""
    return (
        sequence.of[number] == sequence.of[number + 1]
        and sequence.prices[number + 1] > repeated_from
        and sequence.kinds[number] not in (LineKind.TABLE, LineKind.HEADING)
    )


def _last_words(lines: Lines, unit_start: int, unit_end: int, end: int, limit: int) -> int | None:
    """Return the start of the last words of a unit that fit into the limit; None if none do."""
    ruler, tags = lines.ruler, lines.text.tags(unit_start, unit_end)
    at = unit_end - (unit_end - unit_start) * limit // max(ruler.measure(unit_start, end), 1)
    while at < unit_end:
        at = word_start(ruler.text, at, unit_end)
        inside = next((tag[1] for tag in tags if tag[0] < at < tag[1]), None)
        if inside is not None:
            at = inside
        elif at < unit_end and ruler.measure(at, end) <= limit:
            return at
        else:
            at += max(1, (unit_end - at) // 4)
    return None
