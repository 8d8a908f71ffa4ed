"""Choose all cuts of a document together: the rules of the stage `merge` of P.

A chunk is a range of units (see `split`). Its cost grows with the share of the limit that it leaves
empty, and includes the price of the cut before it. A chunk may contain the section that it begins
in, the sections beside it and their subsections, but nothing after those. `merge_at_best_cuts`
takes the cuts with the lowest sum of costs.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise, repeat
from math import ceil, inf
from operator import add, sub
from typing import Final, NamedTuple

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.pieces import Cut, Piece
from docxchunk.chunking.prices import NEVER, PARAGRAPH, SECTION, START, SUBSECTION, Price
from docxchunk.chunking.sections import is_under
from docxchunk.chunking.split import UNITS_PER_CHUNK, PricedUnits
from docxchunk.content.tags import plain
from docxchunk.model.chunks import SliceRole, TableRole

log = logging.getLogger("docxchunk.chunking")

_LEAST: Final = 0.4  # share of the limit: shorter chunks are tried only if no longer one fits
_BREAK: Final = 1  # most tokens of the line break between two texts
# costs of a chunk
_CHUNK: Final = 0.3  # of each chunk
_UNDER_IDEAL: Final = 0.08
_SMALL: Final = 0.3  # if it is under an eighth of the limit
_EIGHTH: Final = 0.125
STRADDLING: Final = 0.7  # if it begins inside one section and ends inside another


class CutCosts(NamedTuple):
    """The sizes of units and the prices of the cuts between them. Each field has one value for each
    unit. `before`, `ends`, `price` and `inside` have one more, for the end of the text.
    """

    before: Sequence[int]  # tokens before the unit
    # the same for a chunk that ends before it: without the break, with tokens that are added
    ends: Sequence[int]
    price: Sequence[float]  # of a cut before it
    # the section that a cut before it would divide; -1 if a section begins with the unit
    inside: Sequence[int]
    opening: Sequence[int]  # tokens that are added to a chunk that begins with it
    caps: Sequence[int]  # token limit of a chunk that begins with it
    reach: list[int]  # the longest such chunk that is tried ends before the unit with this number


@dataclass(frozen=True, slots=True)
class SizeTargets:
    """Chunks under `ideal`, a share of the limit, cost more.

    The empty share of a chunk is raised to `power` and added to its cost. A power of 2 prefers
    chunks of even sizes, a power of 1 full chunks.
    """

    ideal: float
    power: float = 2.0


def cheapest_cuts(
    costs: CutCosts, targets: SizeTargets, begin: int = 0, end: int = -1, without: int = -1
) -> list[int] | None:
    """Return the indices of the units at which a chunk begins, except the first unit, for units
    [begin, end), by default all. No chunk may begin at unit `without`; return None if the text
    cannot be divided then.

    A chunk costs the price of the cut before it, plus the cost of its size (`SizeCosts`), plus
    `STRADDLING` if it begins inside one section and ends inside another.

    From each unit, the chunks that begin with it are tried, the longest first. The lowest cost of
    all text before the unit is known by then. The running time is the number of units times the
    number of units in their reach.
    """
    before, ends, prices, inside, openings, caps, reach = costs
    end %= len(ends)
    # for the text before each unit, and the whole text: the lowest cost of its chunks, and the
    # first unit of the last of them
    lowest, last_start = [inf] * len(ends), [begin] * len(ends)
    lowest[begin] = 0.0
    size_costs_by_cap = {cap: SizeCosts(cap, targets) for cap in {*caps[begin:end]}}
    least_by_cap = {cap: ceil(_LEAST * cap) for cap in size_costs_by_cap}
    for first in (*range(begin, without), *range(max(begin, without + 1), end)):
        cap, section = caps[first], inside[first]
        size_costs, least = size_costs_by_cap[cap], least_by_cap[cap]
        # a chunk of units [first, last) has ends[last] - base tokens
        base, cost_before = before[first] - openings[first], lowest[first] + prices[first]
        least_cost = cost_before + _CHUNK
        longest = reach[first]
        while longest > first + 1 and ends[longest] - base > cap:
            longest -= 1
        for last in range(longest, first, -1):
            tokens = ends[last] - base
            # the chunk need not take in a heading to be long enough
            if (
                tokens < least
                and last < longest
                and (inside[last] != -1 or prices[last] >= prices[last + 1])
            ):
                break
            if lowest[last] <= least_cost or (tokens > cap and last > first + 1):
                continue
            cost = cost_before + size_costs[tokens]
            if section >= 0 and section != inside[last] != -1:
                cost += STRADDLING
            if cost < lowest[last]:
                lowest[last], last_start[last] = cost, first
    if lowest[end] == inf:
        return None
    cuts: list[int] = []
    while (end := last_start[end]) > begin:
        cuts.append(end)
    return cuts[::-1]


class SizeCosts(dict[int, float]):
    """Maps the tokens of a chunk to what a chunk of this size costs: a constant, which favours few
    chunks; its empty share raised to a power, which favours even sizes; and an amount for a chunk
    below `targets.ideal`, which is higher below an eighth of the limit. A cost is computed on first
    use.
    """

    def __init__(self, cap: int, targets: SizeTargets) -> None:
        self._cap, self._targets = cap, targets

    def __missing__(self, tokens: int) -> float:
        share, targets = tokens / self._cap, self._targets
        cost = _CHUNK + ((1.0 - share) ** targets.power if share < 1 else 0.0)
        if share < targets.ideal:
            cost += _UNDER_IDEAL if share >= _EIGHTH else _SMALL
        self[tokens] = cost
        return cost


# -- the units of a document


@dataclass(frozen=True, slots=True)
class CutRule:
    """Which cuts are chosen (the rule of P)."""

    targets: SizeTargets
    top_level: bool = True  # chapters of level 1 may share a chunk
    flat: bool = False  # ignore headings: a baseline of the evaluation


class Search(NamedTuple):
    """The chosen cuts, with the beginning and the end of the text, and what they were chosen from.
    A chunk that begins with a unit in `over` was made shorter: it came out over the limit.
    """

    rule: CutRule
    units: PricedUnits
    costs: CutCosts
    cuts: list[int]
    over: set[int]


def merge_at_best_cuts(assembler: Assembler, rule: CutRule, pieces: list[Piece]) -> list[Piece]:
    """Return the chunks, with all cuts of the document chosen together. Each has the heading of the
    section that it begins in, and may continue with its sibling sections and subsections.
    """
    if not pieces:
        return []
    units = _units_of(assembler, rule, pieces)
    like = pieces[0]._replace(units=None)
    costs = _costs(assembler, rule, units)
    search = Search(rule, units, costs, [], set())
    while True:
        cuts = search.cuts[:] = [0, *(cheapest_cuts(costs, rule.targets) or ()), len(units)]
        merged = [
            _piece(
                units,
                range(first, last),
                units.starts[before],
                costs.caps[first],
                like._replace(cut=Cut(units.prices[first], units, first, search)),
            )
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
            search.over.add(first)


def _units_of(assembler: Assembler, rule: CutRule, pieces: Sequence[Piece]) -> PricedUnits:
    """Return the units of a document. A piece that fits is a unit, and so are several very short
    pieces together. A piece over the limit has several units.
    """
    units = PricedUnits(assembler, [])
    spans = units.spans = []
    for group in _unit_groups(assembler, rule, pieces):
        count = len(units)
        price = (
            _section_price(assembler, spans[-1].block, group[0].spans[0].block) if spans else START
        )
        number = len(spans)
        spans += chain.from_iterable(piece.spans for piece in group)
        if (units_of_piece := group[0].units) is None:
            units.add_finished(number, price)
        else:
            units.extend(units_of_piece)
            units.prices[count] = price
    return units


def _unit_groups(
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
    """Return whether the section `following` may share a chunk with the section `block` right
    before it. It may if `block` is its sibling or its parent.
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


def _section_price(assembler: Assembler, before: int, block: int) -> Price:
    if before == block:
        return PARAGRAPH
    blocks = assembler.document.blocks
    if is_under(blocks[block], blocks[before]):
        return SUBSECTION
    return Price(min(SECTION * max(blocks[block].level - 1, 0), SUBSECTION), SECTION.reason)


class _Run(NamedTuple):
    """Consecutive units [first, last) of one block, or a single unit of whole spans. `blocks` are
    the numbers of their blocks.
    """

    first: int
    last: int
    blocks: Sequence[int]


def _runs(units: PricedUnits) -> list[_Run]:
    block_of = [span.block for span in units.spans]
    blocks = list(map(block_of.__getitem__, units.of))
    firsts = {number for number, (a, b) in enumerate(pairwise(blocks), 1) if a != b}
    firsts.update((0, len(units)), units.finished, [number + 1 for number in units.finished])
    return [
        _Run(
            first,
            last,
            [*dict.fromkeys(span.block for span in units.spans_of(first))]
            if first in units.finished
            else [blocks[first]],
        )
        for first, last in pairwise(sorted(firsts))
    ]


def _costs(assembler: Assembler, rule: CutRule, units: PricedUnits) -> CutCosts:
    runs = _runs(units)
    sizes: list[int] = []
    breaks: list[int] = []  # tokens of the break after each unit; 0 if its size includes them
    inside: list[int] = []
    caps: list[int] = []
    previous = -1  # the first block of the run before
    for first, last, (block, *_) in runs:
        count = last - first
        if first in units.finished:
            sizes.append(assembler.join(units.spans_of(first))[1])
        else:
            offsets = [*units.before[first:last], units.upto[last - 1]]
            sizes += map(sub, offsets[1:], offsets)
        breaks += *[0] * (count - 1), _BREAK
        inside += block if block == previous else -1, *[block] * (count - 1)
        section = assembler.document.blocks[block]
        caps += [assembler.cap(section.parent_headings, section.heading)] * count
        previous = block
    before = [*accumulate(map(add, sizes, breaks), initial=0)]
    ends = [0, *map(add, before[1:], map(sub, units.closing, breaks))]
    reach = _reach(assembler, rule, units, runs, before)
    prices = [*units.prices, -inf]
    return CutCosts(before, ends, prices, [*inside, -1], units.opening, caps, reach)


def _reach(
    assembler: Assembler,
    rule: CutRule,
    units: PricedUnits,
    runs: Sequence[_Run],
    before: Sequence[int],
) -> list[int]:
    """Return, for each unit, the furthest end of a chunk that begins with it: where the chunk is
    full, or where the first run begins that it must not contain. A chunk may contain a run whose
    section is not higher than the section of the first run, if it already has text of that section,
    of a sibling or of a parent.
    """
    blocks, max_tokens, count = assembler.document.blocks, assembler.limits.max_tokens, len(units)
    levels = [0 if rule.flat else blocks[run.blocks[0]].level for run in runs]
    relatives = _relatives(assembler, rule, units, runs)
    # for each unit: the end at which a chunk that begins with it is certainly full
    full = [
        bisect_left(before, tokens + max_tokens, first + 1, count)
        for first, tokens in enumerate(before[:-1])
    ]
    ends: list[int] = []
    for number, (first, last, _) in enumerate(runs):
        following = number + 1
        while (
            following < len(runs)
            and runs[following].first < full[last - 1]
            and levels[following] >= levels[number]
            and relatives[following] >= number
        ):
            following += 1
        ends += map(min, full[first:last], repeat(runs[following - 1].last))
    return ends


def _relatives(
    assembler: Assembler, rule: CutRule, units: PricedUnits, runs: Sequence[_Run]
) -> list[int]:
    """Return, for each run, the index of the last run before it that has text of the same section,
    of a sibling or of a parent. Without such a run, it is -1.
    """
    # the last run with a section of a level under a parent, and, as level 0, with the section of a
    # path
    latest: dict[tuple[int, tuple[str, ...]], int] = {}
    relatives: list[int] = []
    has_slices = any(span.rows for span in units.spans)
    for number, run in enumerate(runs):
        section = assembler.document.blocks[run.blocks[0]]
        path = section.parent_headings
        if has_slices and is_apart(units, run.first):
            relatives.append(-1)
        elif rule.flat or (number and run.blocks[0] == runs[number - 1].blocks[-1]):
            relatives.append(number - 1)
        else:
            keys = [(0, path[:size]) for size in range(1, len(path) + 1)]
            if section.level > 1 or rule.top_level:
                keys.append((section.level, path))
            relatives.append(max((latest.get(key, -1) for key in keys), default=-1))
        for block in map(assembler.document.blocks.__getitem__, run.blocks):
            if block.level:
                latest[block.level, block.parent_headings] = number
                latest[0, (*block.parent_headings, block.heading)] = number
    return relatives


def is_apart(units: PricedUnits, number: int) -> bool:
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
