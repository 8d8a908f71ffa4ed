"""Choose all cuts of a document together: the rules of the stage `merge` of `sizes=balanced`.

A chunk is a range of units (see `split`). Its cost grows with the share of the limit that it leaves
empty, and includes the price of the cut before it. A chunk may contain the section that it begins
in, the sections beside it and their subsections, but nothing after those. `merge_at_best_cuts`
takes the cuts with the lowest sum of costs.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from math import inf
from operator import add
from typing import Final, NamedTuple

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.lines import NEVER, PARAGRAPH, SECTION, SUBSECTION
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.stages.blocks import is_under
from docxchunk.chunking.stages.split import UNITS_PER_CHUNK, PricedUnits
from docxchunk.markup.tags import plain
from docxchunk.model.chunks import SliceRole, TableRole

log = logging.getLogger("docxchunk.chunking")

_LEAST: Final = 0.4  # share of the limit: shorter chunks are tried only if no longer one fits
_BREAK: Final = 1  # most tokens of the line break between two texts
_EACH: Final = 0.3
_UNDER_IDEAL: Final = 0.08
_SMALL: Final = 0.3
_STRADDLING: Final = 0.7  # cost of a chunk with the end of one section and the beginning of another


class CutCosts(NamedTuple):
    """The sizes of units and the prices of the cuts between them. Each field has a value per unit.
    `before` has one more, for the end of the text.
    """

    before: Sequence[int]  # tokens before it
    opening: Sequence[int]  # extra tokens of a chunk that begins with it
    # extra tokens of a chunk that ends with it; negative if its size includes the break after it
    closing: Sequence[int]
    price: Sequence[float]  # of a cut before it
    # the section that a cut before it would divide; -1 if the cut is before a section
    inside: Sequence[int]
    caps: Sequence[int]  # token limit of a chunk that begins here
    reach: list[int]  # furthest end of such a chunk, as the number of a unit


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
    """Return the indices of the units that start a chunk, without the first.

    The cost of a chunk is a constant, plus its empty share raised to `targets.power`, plus a
    penalty below `targets.ideal` and a larger one below `targets.small`, plus the price of the cut
    before it. The constant favours few chunks, and the power favours even sizes. The running time
    is the number of units times the number of units in a chunk.
    """
    before, caps, inside = costs.before, costs.caps, [*costs.inside, -1]
    count = len(caps)
    ends = [0, *map(add, before[1:], costs.closing)]
    best, came = [0.0, *[inf] * count], [0] * (count + 1)
    emptiness_by_cap = {cap: _EmptinessOfTokens(cap, targets) for cap in {*caps}}
    for first, cap in enumerate(caps):
        section, emptiness = inside[first], emptiness_by_cap[cap]
        base = before[first] - costs.opening[first]
        paid = best[first] + (costs.price[first] if first else 0.0)
        least_cost, full_end, shortest_end = paid + _EACH, base + cap, base + _LEAST * cap
        furthest = max(
            min(costs.reach[first], bisect_right(before, full_end + _BREAK) - 1), first + 1
        )
        is_tried = False  # a chunk that begins here has been tried
        for last in range(furthest, first, -1):
            end = ends[last]
            if end > full_end and last > first + 1:
                continue
            if end < shortest_end and is_tried:
                break
            is_tried = True
            lowest = best[last]
            if lowest <= least_cost:
                continue
            cost = paid + emptiness[end - base]
            if section >= 0 and section != inside[last] != -1:
                cost += _STRADDLING
            if cost < lowest:
                best[last], came[last] = cost, first
    return _traced(came)


class _EmptinessOfTokens(dict[int, float]):
    """Maps the tokens of a chunk to its cost without the price of a cut. A cost is computed on
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
    cut = came[-1]
    while cut:
        cuts.append(cut)
        cut = came[cut]
    return cuts[::-1]


# -- the units of a document


@dataclass(frozen=True, slots=True)
class CutRule:
    """Which cuts are chosen (the rule of `sizes=balanced`)."""

    targets: SizeTargets
    top_level: bool = True  # chapters of level 1 may share a chunk
    flat: bool = False  # ignore headings: a baseline of the evaluation


def merge_at_best_cuts(assembler: Assembler, rule: CutRule, pieces: list[Piece]) -> list[Piece]:
    """Return the chunks, with all cuts of the document chosen together. Each has the heading of the
    section that it begins in, and may continue with its sibling sections and subsections.
    """
    if not pieces:
        return []
    units = _units_of(assembler, rule, pieces)
    like = pieces[0]._replace(tables={}, units=None)
    costs = _costs(assembler, rule, units)
    while True:
        cuts = [0, *cheapest_cuts(costs, rule.targets), len(units)]
        merged = [
            _piece(units, range(first, last), units.starts[before], costs.caps[first], like)
            for before, first, last in zip([0, *cuts], cuts, cuts[1:], strict=False)
        ]
        over = [
            (first, last)
            for (first, last), piece in zip(pairwise(cuts), merged, strict=True)
            if piece.tokens > costs.caps[first] and last > first + 1
        ]
        if not over:
            return merged
        log.debug("cuts: %d chunks came out over the limit; they will be shorter", len(over))
        for first, last in over:
            costs.reach[first] = last - 1


def _units_of(assembler: Assembler, rule: CutRule, pieces: Sequence[Piece]) -> PricedUnits:
    """Return the units of a document: one for a piece that fits or for several very short ones, and
    those of each piece over the limit.
    """
    units = PricedUnits(assembler, [])
    spans = units.spans = []
    for group in _together(assembler, rule, pieces):
        count = len(units)
        price = (
            _section_price(assembler, spans[-1].block, group[0].spans[0].block) if spans else 0.0
        )
        number = len(spans)
        spans += chain.from_iterable(piece.spans for piece in group)
        if (units_of_piece := group[0].units) is None:
            units.add_finished(number, price)
        else:
            units.extend(units_of_piece)
            units.prices[count] = price
    return units


def _together(
    assembler: Assembler, rule: CutRule, pieces: Sequence[Piece]
) -> Iterator[list[Piece]]:
    """Yield groups of pieces, each of which becomes one unit. A piece over the limit or a slice of
    a table is a group of its own.
    """
    short = assembler.limits.max_tokens // UNITS_PER_CHUNK
    group: list[Piece] = []
    tokens = 0
    for piece in pieces:
        if (
            group
            and group[0].units is None is piece.units
            and group[-1].role is TableRole.NONE is piece.role
            and tokens + piece.tokens <= short
            and _goes_with(assembler, rule, group[0].spans[0].block, piece.spans[0].block)
        ):
            group.append(piece)
            tokens += piece.tokens
            continue
        if group:
            yield group
        group, tokens = [piece], piece.tokens
    if group:
        yield group


def _goes_with(assembler: Assembler, rule: CutRule, block: int, following: int) -> bool:
    """Return whether a section may share a chunk with the section right before it, `block`: that is
    its sibling or its parent.
    """
    section, next_section = assembler.document.blocks[block], assembler.document.blocks[following]
    if rule.flat:
        return True
    beside = (
        section.level == next_section.level
        and section.parent_headings == next_section.parent_headings
        and (section.level > 1 or (section.level == 1 and rule.top_level))
    )
    return beside or is_under(next_section, section)


def _section_price(assembler: Assembler, before: int, block: int) -> float:
    if before == block:
        return PARAGRAPH
    blocks = assembler.document.blocks
    if is_under(blocks[block], blocks[before]):
        return SUBSECTION
    return min(SECTION * (blocks[block].level - 1), SUBSECTION)


def _costs(assembler: Assembler, rule: CutRule, units: PricedUnits) -> CutCosts:
    block_of = [span.block for span in units.spans]
    blocks = list(map(block_of.__getitem__, units.of))
    sizes, breaks = _sizes(assembler, units, blocks)
    before = [*accumulate(map(add, sizes, breaks), initial=0)]
    caps = {
        number: assembler.cap(block.parent_headings, block.heading)
        for number in {*blocks}
        for block in [assembler.document.blocks[number]]
    }
    opening = [0] * len(units)
    closing = [-tokens for tokens in breaks]
    for number, tokens in units.opening.items():
        opening[number] = tokens
    for number, tokens in units.closing.items():
        closing[number] += tokens
    return CutCosts(
        before=before,
        opening=opening,
        closing=closing,
        price=units.prices,
        inside=[-1, *(b if a == b else -1 for a, b in pairwise(blocks))],
        caps=list(map(caps.__getitem__, blocks)),
        reach=_reach(assembler, rule, units, blocks, before),
    )


def _sizes(
    assembler: Assembler, units: PricedUnits, blocks: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the number of tokens of each unit, and of the break after it. The break before a unit
    that continues the text counts as part of the unit before it, and as 0 tokens.
    """
    sizes: list[int] = []
    breaks = [1] * len(units)
    count, at = len(units), 0
    while at < count:
        if at in units.finished:
            sizes.append(assembler.join(units.spans_of(at))[1])
            at += 1
            continue
        block, last = blocks[at], at
        while last < count and blocks[last] == block and last not in units.finished:
            last += 1
        sizes += [b - a for a, b in pairwise([*units.before[at:last], units.upto[last - 1]])]
        breaks[at : last - 1] = [0] * (last - 1 - at)
        at = last
    return sizes, breaks


def _reach(
    assembler: Assembler,
    rule: CutRule,
    units: PricedUnits,
    blocks: Sequence[int],
    before: Sequence[int],
) -> list[int]:
    """Return for each unit the furthest end of a chunk that begins with it. It may extend over
    siblings and subsections, but not into a higher section.
    """
    max_tokens, count = assembler.limits.max_tokens, len(units)
    level_of = {block: assembler.document.blocks[block].level for block in {*blocks}}
    levels = [0] * count if rule.flat else list(map(level_of.__getitem__, blocks))
    relatives = _relatives(assembler, rule, units, blocks)
    turns = [
        number
        for number in range(1, count)
        if relatives[number] != number - 1 or levels[number] < levels[number - 1]
    ]
    turns.append(count)
    ends: list[int] = []
    upcoming = 0  # index in `turns` of the first one after the unit
    full = 0
    for first, level in enumerate(levels):
        limit = before[first] + max_tokens
        while full < count and (full <= first or before[full] < limit):
            full += 1
        if turns[upcoming] == first:
            upcoming += 1
        turn = upcoming
        while (
            (number := turns[turn]) < full
            and relatives[number] >= first
            and levels[number] >= level
        ):
            turn += 1
        ends.append(min(full, number))
    return ends


def _relatives(
    assembler: Assembler, rule: CutRule, units: PricedUnits, blocks: Sequence[int]
) -> list[int]:
    """Return, for each unit, the index of the last unit before it that is in the same section, a
    sibling or a parent; -1 if there is none.
    """
    siblings: dict[tuple[int, tuple[str, ...]], int] = {}
    parents: dict[tuple[str, ...], int] = {}
    relatives: list[int] = []
    last = -1  # block of the end of the unit before
    has_slices = any(span.rows for span in units.spans)
    for number, (block, following) in enumerate(pairwise([*blocks, -1])):
        is_finished = number in units.finished
        if last == block == following and not is_finished:
            relatives.append(number - 1)  # inside a section
            continue
        of = assembler.document.blocks[block]
        if is_finished and has_slices and _is_apart(units, number):
            relatives.append(-1)
        elif block == last or rule.flat:
            relatives.append(number - 1)
        else:
            path = of.parent_headings
            relative = siblings.get((of.level, path), -1) if of.level > 1 or rule.top_level else -1
            size = len(path)
            # none is later than the unit right before this one
            while size and relative < number - 1:
                relative = max(relative, parents.get(path[:size], -1))
                size -= 1
            relatives.append(relative)
        unit_blocks = [block]
        if is_finished:
            unit_blocks = list(dict.fromkeys(span.block for span in units.spans_of(number)))
        last = unit_blocks[-1]
        if following == last:
            unit_blocks.pop()  # the next unit continues this section
        for one in map(assembler.document.blocks.__getitem__, unit_blocks):
            if one.level:
                siblings[one.level, one.parent_headings] = number
                parents[*one.parent_headings, one.heading] = number
    return relatives


def _is_apart(units: PricedUnits, number: int) -> bool:
    """Return whether a unit and the one before it are slices of one table, which never share a
    chunk. A header slice and the row under it may share one.
    """
    if number == 0 or units.prices[number] >= NEVER:
        return False
    tables = {span.rows.id for span in units.spans_of(number - 1) if span.rows}
    return bool(tables) and any(
        span.rows.id in tables for span in units.spans_of(number) if span.rows
    )


def _piece(units: PricedUnits, chunk: range, earliest: int, cap: int, like: Piece) -> Piece:
    """Return a chunk of units, under the heading of its first section. Its overlap does not start
    before `earliest`.
    """
    first, last = chunk.start, chunk.stop
    assembler, start = units.assembler, units.starts[first]
    spans = units.between(first, last, room=cap)
    piece = assembler.opening(spans, like)
    if first in units.labels and start:
        line = units.raw(first).split("\n", 1)[0]
        piece = piece._replace(label=plain(line).strip())
    lead_start = max(units.leads.get(first, start), earliest)
    if lead_start >= start:
        return piece
    lead = assembler.slice(units.block(first), lead_start, start, SliceRole.OVERLAP)
    led = assembler.piece([lead, *spans], piece)
    return led if lead.tokens * 2 <= piece.tokens and led.tokens <= cap else piece
