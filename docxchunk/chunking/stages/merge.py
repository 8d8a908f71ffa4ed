"""Merge neighbouring pieces by level or, choosing all cuts of a document together, by the price of
the cuts; and number the parts of blocks (docs/design/staged-chunking.md, stages D and E).
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from operator import add
from typing import Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.line_kinds import NEVER, PARAGRAPH, SECTION, SUBSECTION
from docxchunk.chunking.packing import CutCosts, SizeTargets, cheapest_cuts
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.stages.blocks import is_heading_alone, is_under
from docxchunk.chunking.stages.split import UNITS_PER_CHUNK, PricedUnits
from docxchunk.markup.tags import plain
from docxchunk.model.chunks import SliceRole, TableRole

log = logging.getLogger("docxchunk.chunking")

# The roles that may be on the left and on the right of a merge. A last slice may take a deeper
# piece, but no peer.
_LEFT_OF_PEERS: Final = {TableRole.NONE, TableRole.FIRST}
_LEFT_OF_DEEPER: Final = {TableRole.NONE, TableRole.FIRST, TableRole.LAST}
_RIGHT: Final = {TableRole.NONE, TableRole.LAST}


@dataclass(frozen=True, slots=True)
class MergeSizes:
    """In tokens: the size from which a chunk is full, and the total size of small peers that a full
    chunk may still take.
    """

    ideal: int
    small_tail: int
    top_level: bool = True  # whether chapters of level 1 may be merged


class Merger:
    """Merges the pieces of one document."""

    def __init__(self, assembler: Assembler, sizes: MergeSizes) -> None:
        self._assembler = assembler
        self._sizes = sizes

    def merge(self, pieces: list[Piece]) -> list[Piece]:
        """Return the merged pieces: for each level from the deepest up, merge peers, then small
        tails, then deeper pieces into shallower ones.
        """
        for level in sorted({piece.level for piece in pieces}, reverse=True):
            if level != 1 or self._sizes.top_level:
                pieces = self._tails(self._peers(pieces, level), level)
            pieces = self._deeper(pieces, level)
        return pieces

    def _peers(self, pieces: list[Piece], level: int) -> list[Piece]:
        """Merge the next peer into each chunk below the ideal size, from left to right (stage D,
        rule 2).
        """
        done: list[Piece] = []
        ideal = self._sizes.ideal
        for piece in pieces:
            if (
                piece.level == level
                and done
                and piece.tokens < ideal
                and done[-1].tokens < ideal
                and self._takes_peer(done[-1], piece)
            ):
                merged = self._merged(done[-1], piece)
                if merged:
                    done[-1] = merged
                    continue
            done.append(piece)
        return done

    def _tails(self, pieces: list[Piece], level: int) -> list[Piece]:
        """Merge all of the small peers after a full chunk into it, or none of them (rule 3)."""
        done: list[Piece] = []
        at = 0
        while at < len(pieces):
            piece = pieces[at]
            at += 1
            if piece.level == level and piece.tokens >= self._sizes.ideal:
                end = self._tail_end(piece, pieces, at)
                merged: Piece | None = piece
                for following in pieces[at:end]:
                    merged = merged and self._merged(merged, following)
                if merged and end > at:
                    piece, at = merged, end
            done.append(piece)
        return done

    def _tail_end(self, piece: Piece, pieces: list[Piece], start: int) -> int:
        """Return the end of the run of peers that starts at `start`; `start` itself if the run is
        too large to be a small tail.
        """
        total, end = 0, start
        while end < len(pieces) and self._takes_peer(piece, pieces[end]):
            total += pieces[end].tokens
            if total >= self._sizes.small_tail:
                return start
            end += 1
        return end

    def _deeper(self, pieces: list[Piece], level: int) -> list[Piece]:
        """Merge the next chunk if it is below a heading of this one and at least one of the two is
        not full (rule 4).
        """
        done: list[Piece] = []
        for piece in pieces:
            if piece.level >= level and done and self._takes_deeper(done[-1], piece, level):
                merged = self._merged(done[-1], piece)
                if merged:
                    done[-1] = merged
                    continue
            done.append(piece)
        return done

    def _takes_peer(self, left: Piece, right: Piece) -> bool:
        if (
            left.level != right.level
            or left.parents != right.parents
            or left.role not in _LEFT_OF_PEERS
            or right.role not in _RIGHT
        ):
            return False
        return left.level > 0 or left.block == right.block

    def _takes_deeper(self, left: Piece, right: Piece, level: int) -> bool:
        if left.level >= right.level or level not in (left.level, right.level) or left.level == 0:
            return False
        if (
            min(left.tokens, right.tokens) >= self._sizes.ideal
            or left.role not in _LEFT_OF_DEEPER
            or right.role not in _RIGHT
        ):
            return False
        return self._is_below(left, right)

    def _is_below(self, left: Piece, right: Piece) -> bool:
        """Return whether the right piece is below one of the headings in the left piece."""
        if right.parents[: len(left.path)] == left.path:
            return True
        blocks = self._assembler.document.blocks
        return any(
            is_under(blocks[right.block], blocks[number])
            for number in {span.block for span in left.spans}
        )

    def _merged(self, left: Piece, right: Piece) -> Piece | None:
        """Return both as one piece, or None if it is over the limit or would hold two slices of one
        table (rules 1 and 5).
        """
        cap = self._assembler.cap(left.parents, left.source_heading)
        if left.tokens + right.tokens > cap + _SLACK or _share_table(left, right):
            return None
        merged = self._assembler.merged(left, right)
        return merged if merged.tokens <= cap else None


# tokens; a dropped overlap or a joint token can make the merged piece smaller than the sum
_SLACK: Final = 200


def _share_table(left: Piece, right: Piece) -> bool:
    if left.role is TableRole.NONE or right.role is TableRole.NONE:
        return False
    tables = {span.rows.id for span in left.spans if span.rows}
    return any(span.rows.id in tables for span in right.spans if span.rows)


# -- all cuts together


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
    while len(units):
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
    return []


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
        if (own := group[0].units) is None:
            units.add_finished(number, price)
        else:
            units.extend(own)
            units.prices[count] = price
    return units


def _together(
    assembler: Assembler, rule: CutRule, pieces: Sequence[Piece]
) -> Iterator[list[Piece]]:
    """Yield groups of pieces that become one unit. A piece over the limit is a group of its own."""
    short = assembler.limits.max_tokens // UNITS_PER_CHUNK
    group: list[Piece] = []
    tokens = 0
    for piece in pieces:
        if (
            group
            and group[0].units is None is piece.units
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
    """Return whether a section may share a chunk with the section right before it: a sibling, or
    its parent.
    """
    one, other = assembler.document.blocks[block], assembler.document.blocks[following]
    if rule.flat:
        return True
    beside = (
        one.level == other.level
        and one.parent_headings == other.parent_headings
        and (one.level > 1 or (one.level == 1 and rule.top_level))
    )
    return beside or is_under(other, one)


def _section_price(assembler: Assembler, before: int, block: int) -> float:
    """Return the price of a cut between two blocks."""
    if before == block:
        return PARAGRAPH
    blocks = assembler.document.blocks
    if is_under(blocks[block], blocks[before]):
        return SUBSECTION
    return min(SECTION * (blocks[block].level - 1), SUBSECTION)


def _costs(assembler: Assembler, rule: CutRule, units: PricedUnits) -> CutCosts:
    blocks = [units.spans[span].block for span in units.of]
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
        caps=[caps[block] for block in blocks],
        reach=_reach(assembler, rule, units, blocks, before),
    )


def _sizes(
    assembler: Assembler, units: PricedUnits, blocks: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the number of tokens of each unit, including the break after it if the next unit
    continues its text, and the number of tokens of the break after it otherwise.
    """
    sizes: list[int] = []
    breaks = [1] * len(units)
    count, at = len(units), 0
    while at < count:
        if at in units.finished:
            sizes.append(assembler.join(units.spans_of(at))[1])
            at += 1
            continue
        block, last = blocks[at], at + 1
        while last < count and blocks[last] == block and last not in units.finished:
            last += 1
        places = [*units.starts[at:last], units.ends[last - 1]]
        before = assembler.lines(block).ruler.about_each(places)
        sizes += [b - a for a, b in pairwise(before)]
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
    most, count = assembler.limits.max_tokens, len(units)
    levels = [0 if rule.flat else assembler.document.blocks[block].level for block in blocks]
    relatives = _relatives(assembler, rule, units, blocks)
    turns = [
        number
        for number in range(1, count)
        if relatives[number] != number - 1 or levels[number] < levels[number - 1]
    ]
    ends: list[int] = []
    upcoming = 0  # index in `turns` of the first one after the unit
    for first, level in enumerate(levels):
        full = bisect_left(before, before[first] + most, first + 1, count)
        while upcoming < len(turns) and turns[upcoming] <= first:
            upcoming += 1
        turn = upcoming
        while (
            turn < len(turns)
            and (number := turns[turn]) < full
            and relatives[number] >= first
            and levels[number] >= level
        ):
            turn += 1
        ends.append(min(full, turns[turn]) if turn < len(turns) else full)
    return ends


def _relatives(
    assembler: Assembler, rule: CutRule, units: PricedUnits, blocks: Sequence[int]
) -> list[int]:
    """Return for each unit the last one before it that is in the same section, a sibling or a
    parent; -1 if there is none.
    """
    siblings: dict[tuple[int, tuple[str, ...]], int] = {}
    parents: dict[tuple[str, ...], int] = {}
    relatives: list[int] = []
    last = -1  # block of the end of the unit before
    for number, block in enumerate(blocks):
        of = assembler.document.blocks[block]
        if number in units.finished and _is_apart(units, number):
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
        held = [block]
        if number in units.finished:
            held = list(dict.fromkeys(span.block for span in units.spans_of(number)))
        last = held[-1]
        if number + 1 < len(blocks) and blocks[number + 1] == last:
            held.pop()  # the next unit continues this section
        for one in map(assembler.document.blocks.__getitem__, held):
            if one.level:
                siblings[one.level, one.parent_headings] = number
                parents[*one.parent_headings, one.heading] = number
    return relatives


def _is_apart(units: PricedUnits, number: int) -> bool:
    """Return whether a unit and the one before it are slices of one table, which never share a
    chunk. A header and the row under it may.
    """
    if number == 0 or units.prices[number] >= NEVER:
        return False
    tables = {span.rows.id for span in units.spans_of(number - 1) if span.rows}
    return bool(tables) and any(
        span.rows.id in tables for span in units.spans_of(number) if span.rows
    )


def _piece(units: PricedUnits, chunk: range, earliest: int, cap: int, like: Piece) -> Piece:
    """Return a chunk of units, under the heading of its first section; `earliest` is the earliest
    start of an overlap.
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


# -- numbers of parts


def number_parts(assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with `part` set, from 1, for each block that was cut. Headings without text
    right before it belong to its first piece.
    """
    held = [list(dict.fromkeys(span.block for span in piece.spans)) for piece in pieces]
    times = Counter(chain.from_iterable(held))
    seen = dict.fromkeys(times, 0)
    done: list[Piece] = []
    for piece, blocks in zip(pieces, held, strict=True):
        for block in blocks:
            seen[block] += 1
        opened = next(
            (a for a, b in pairwise(blocks) if times[a] > 1 or not _stands_over(assembler, a, b)),
            blocks[-1],
        )
        done.append(piece._replace(block=opened, part=seen[opened]) if times[opened] > 1 else piece)
    return done


def _stands_over(assembler: Assembler, block: int, below: int) -> bool:
    blocks = assembler.document.blocks
    return is_heading_alone(blocks[block]) and is_under(blocks[below], blocks[block])
