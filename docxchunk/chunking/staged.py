"""Split sections over the limit at lines that read like headings, and merge short sections from
the deepest level up: the rules of P-staged (docs/design/staged-chunking.md, stages C and D).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise
from math import inf
from typing import Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import pack, parts_of_section, with_role
from docxchunk.chunking.pieces import Cut, Piece
from docxchunk.chunking.prices import HEADLINE
from docxchunk.chunking.sections import is_under
from docxchunk.chunking.units import UnitSequence
from docxchunk.content.tags import plain
from docxchunk.model.blocks import LineKind, LineRole
from docxchunk.model.chunks import Heading, TableRole

log = logging.getLogger("docxchunk.chunking")

_ESTIMATE_ERROR: Final = 1.05  # maximum ratio of the exact token count to the estimate
_RUNS_ON: Final = (",", ";", "，", "；", "、")
_STRONG: Final = frozenset((LineRole.HEADLINE, LineRole.DIVISION, LineRole.LEAD_IN))


class Anchors(StrEnum):
    """Which anchors are used."""

    NEAREST = "nearest"  # those that balance the sizes
    FURTHEST = "furthest"  # those that fill the chunks


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """The maximum length of an anchor, and which anchors are used."""

    longest: int = 100  # characters
    choice: Anchors = Anchors.NEAREST


def split_at_anchors(assembler: Assembler, rule: AnchorRule, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces, with those over the limit split at anchors (the rule of P-staged)."""
    result: list[Piece] = []
    waiting = pieces[::-1]
    while waiting:
        piece = waiting.pop()
        cap = assembler.cap(piece.parents, piece.source_heading)
        if piece.tokens <= cap:
            result.append(piece)
            continue
        sequence = UnitSequence(assembler, piece.spans)
        choose = _furthest if rule.choice is Anchors.FURTHEST else _nearest
        if anchors := choose(sequence, rule.longest, cap):
            log.debug("anchor: %d in %r", len(anchors), piece.heading)
            waiting += reversed([*_parts(assembler, sequence, anchors, piece)])
        else:
            log.debug("anchor: none in %r, its %d tokens are packed", piece.heading, piece.tokens)
            result += _packed(assembler, sequence, piece, cap)
    return result


def _parts(
    assembler: Assembler, sequence: UnitSequence, anchors: list[int], piece: Piece
) -> Iterator[Piece]:
    """Yield the parts of the piece, which begin at its start and at the anchors."""
    for first, last in pairwise([0, *anchors, len(sequence)]):
        like = piece
        if first:
            cut = Cut(HEADLINE, sequence, first)
            like = _promoted(assembler, sequence, first, piece)._replace(cut=cut)
        yield with_role(assembler.piece(sequence.between(first, last), like), piece.role)


def _packed(assembler: Assembler, sequence: UnitSequence, piece: Piece, cap: int) -> list[Piece]:
    packed = pack(sequence, cap, assembler.limits.overlap)
    first, *later = parts_of_section(assembler, [spans for spans, _ in packed], piece)
    cuts = (cut for _, cut in packed[1:])
    return [first, *(part._replace(cut=cut) for part, cut in zip(later, cuts, strict=True))]


def _promoted(assembler: Assembler, sequence: UnitSequence, number: int, piece: Piece) -> Piece:
    """Return the piece under the anchor as its heading. It has the level of the block, and the
    heading of the block is its last parent.

    In text before the first heading of the document, an anchor is no heading.
    """
    block = assembler.document.blocks[piece.block]
    if not block.heading:
        return assembler.later_part(piece)
    heading = plain(sequence.raw(number)).strip()
    parents = (*block.parent_headings, block.heading)
    # only headings of the document: an anchor is not one
    headings = (Heading(block.level, block.heading),)
    return piece._replace(
        heading=heading,
        parents=parents,
        level=block.level,
        headings=headings,
        label=heading,
        promoted=True,
    )


def _is_anchor(sequence: UnitSequence, number: int, longest: int) -> bool:
    """Return whether this line can act as a heading of the text after it."""
    if not 0 < number < len(sequence) - 1:
        return False
    start, end, kinds = sequence.starts[number], sequence.ends[number], sequence.kinds
    if (
        end - start > longest
        or kinds[number] is not LineKind.TEXT
        or kinds[number - 1] is LineKind.HEADING
        or sequence.assembler.text(sequence.block(number)).tags(start, end)
    ):
        return False
    text = sequence.raw(number).strip()
    return (
        not text.endswith(_RUNS_ON)
        and any(map(str.isalpha, text))
        and LineRole.ITEM not in _roles(sequence, number)
    )


def _is_strong(sequence: UnitSequence, number: int) -> bool:
    """Return whether the anchor stands out like a heading, names a division of the document, or
    introduces the text below it.
    """
    return not _STRONG.isdisjoint(_roles(sequence, number))


def _roles(sequence: UnitSequence, number: int) -> tuple[LineRole, ...]:
    lines = sequence.assembler.lines(sequence.block(number))
    line_range = lines.between(sequence.starts[number], sequence.ends[number])
    return lines.roles[line_range][0]


def _nearest(sequence: UnitSequence, longest: int, cap: int) -> list[int]:
    """Return the anchors nearest to an even split. The targets are computed anew after each anchor.

    An anchor that keeps its part within the limit is preferred. So is a strong anchor that is at
    most a tenth of a part away from the target.
    """

    def is_anchor(number: int) -> bool:
        return _is_anchor(sequence, number, longest)

    chosen: list[int] = []
    number = 0  # first unit of the part
    while (remaining := sequence.total - sequence.before[number]) > cap:
        start = sequence.before[number]
        part_tokens = remaining / -(-remaining // cap)
        goal = start + part_tokens
        too_far = sequence.first_after(start + _ESTIMATE_ERROR * cap, number + 1)
        near_goal = range(
            sequence.first_after(goal - part_tokens / 10, number + 1),
            min(sequence.first_after(goal + part_tokens / 10, number + 1), too_far),
        )
        anchors_near = filter(is_anchor, _outward(sequence, near_goal, goal))
        strong = (i for i in anchors_near if _is_strong(sequence, i))
        possible = filter(is_anchor, _outward(sequence, range(number + 1, too_far), goal))
        fitting = (i for i in chain(strong, possible) if sequence.size(number, i) <= cap)
        later = filter(is_anchor, range(too_far, len(sequence)))
        anchor = next(chain(fitting, later), None)
        if anchor is None:
            break
        chosen.append(anchor)
        number = anchor
    return chosen


def _outward(sequence: UnitSequence, numbers: range, goal: float) -> Iterator[int]:
    """Yield the units in the order of their distance from a position in tokens."""
    after = min(sequence.first_after(goal, numbers.start), numbers.stop)
    before = after - 1
    while before >= numbers.start or after < numbers.stop:
        below = goal - sequence.before[before] if before >= numbers.start else inf
        above = sequence.before[after] - goal if after < numbers.stop else inf
        if below <= above:
            yield before
            before -= 1
        else:
            yield after
            after += 1


def _furthest(sequence: UnitSequence, longest: int, cap: int) -> list[int]:
    """Return the anchors, chosen from the start of the piece on. Each is the last one that keeps
    the part before it within the limit or, if there is none, the next one.
    """
    chosen: list[int] = []
    number = 0
    while sequence.total - sequence.before[number] > cap:
        last = sequence.furthest(number, cap)
        anchor = next(
            (
                i
                for i in (*range(last, number, -1), *range(last + 1, len(sequence)))
                if _is_anchor(sequence, i, longest)
            ),
            None,
        )
        if anchor is None:
            break
        chosen.append(anchor)
        number = anchor
    return chosen


# -- merging by level


# The roles that may be on the left and on the right of a merge. A last slice may take a deeper
# piece, but no peer.
_LEFT_OF_PEERS: Final = {TableRole.NONE, TableRole.FIRST}
_LEFT_OF_DEEPER: Final = {TableRole.NONE, TableRole.FIRST, TableRole.LAST}
_RIGHT: Final = {TableRole.NONE, TableRole.LAST}


@dataclass(frozen=True, slots=True)
class MergeSizes:
    """Sizes in tokens. A chunk of `ideal` or more is full. A full chunk takes all the peers after
    it if they have fewer than `small_tail` in total.
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
        ideal = self._sizes.ideal

        def takes(left: Piece, right: Piece) -> bool:
            return (
                right.level == level
                and max(left.tokens, right.tokens) < ideal
                and self._takes_peer(left, right)
            )

        return self._merged_where(takes, pieces)

    def _merged_where(
        self, takes: Callable[[Piece, Piece], bool], pieces: list[Piece]
    ) -> list[Piece]:
        """Return the pieces, each merged into the one before it if `takes` returns true for the two
        and they fit into a chunk.
        """
        result: list[Piece] = []
        for piece in pieces:
            merged = (
                self._merged(result[-1], piece) if result and takes(result[-1], piece) else None
            )
            if merged:
                result[-1] = merged
            else:
                result.append(piece)
        return result

    def _tails(self, pieces: list[Piece], level: int) -> list[Piece]:
        """Merge all the peers after a full chunk into it, or none of them (rule 3)."""
        result: list[Piece] = []
        at = 0
        while at < len(pieces):
            piece = pieces[at]
            at += 1
            if piece.level == level and piece.tokens >= self._sizes.ideal:
                end = self._tail_end(piece, pieces, at)
                merged: Piece | None = piece
                for following in pieces[at:end]:
                    merged = merged and self._merged(merged, following)
                if merged:
                    piece, at = merged, end
            result.append(piece)
        return result

    def _tail_end(self, piece: Piece, pieces: list[Piece], start: int) -> int:
        """Return the end of the peers that begin at `start`; `start` itself if they are too large
        for a small tail.
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

        def takes(left: Piece, right: Piece) -> bool:
            return self._takes_deeper(left, right, level)

        return self._merged_where(takes, pieces)

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
        if _share_table(left, right):
            return None
        merged = self._assembler.merged(left, right)
        cap = self._assembler.cap(left.parents, left.source_heading)
        return merged if merged.tokens <= cap else None


def _share_table(left: Piece, right: Piece) -> bool:
    tables = {span.rows.id for span in left.spans if span.rows}
    return any(span.rows.id in tables for span in right.spans if span.rows)
