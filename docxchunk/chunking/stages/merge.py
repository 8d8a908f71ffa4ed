"""Merge small neighbouring pieces, from the deepest heading level up, and number parts of blocks
(docs/design/staged-chunking.md, stages D and E).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.chunking.stages.blocks import is_under
from docxchunk.model.chunks import TableRole


def number_parts(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with `part` set, from 1, where several consecutive pieces come from the
    same block.
    """
    done: list[Piece] = []
    for _, group in groupby(pieces, key=lambda piece: piece.block):
        same = list(group)
        done += (
            same
            if len(same) == 1
            else [piece._replace(part=number) for number, piece in enumerate(same, 1)]
        )
    return done


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

    def __init__(self, services: Services, sizes: MergeSizes) -> None:
        self._services = services
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
        blocks = self._services.document.blocks
        return any(
            is_under(blocks[right.block], blocks[number])
            for number in {span.block for span in left.spans}
        )

    def _merged(self, left: Piece, right: Piece) -> Piece | None:
        """Return both as one piece, or None if it is over the limit or would hold two slices of one
        table (rules 1 and 5).
        """
        cap = self._services.cap(left.parents, left.source_heading)
        if left.tokens + right.tokens > cap + _SLACK or _share_table(left, right):
            return None
        merged = self._services.merged(left, right)
        return merged if merged.tokens <= cap else None


# tokens; a dropped overlap or a joint token can make the merged piece smaller than the sum
_SLACK: Final = 200


def _share_table(left: Piece, right: Piece) -> bool:
    if left.role is TableRole.NONE or right.role is TableRole.NONE:
        return False
    tables = {span.rows.id for span in left.spans if span.rows}
    return any(span.rows.id in tables for span in right.spans if span.rows)
