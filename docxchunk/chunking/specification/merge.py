"""Stage D: small neighbours into one, the deepest headings first (docs/design/staged-chunking.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.chunking.stages.blocks import is_under
from docxchunk.model.chunks import TableRole

# Seed 002, 9.2. Across levels a last slice may take what follows it (9.4).
_TAKES_PEERS: Final = {TableRole.NONE, TableRole.FIRST}
_TAKES_DEEPER: Final = {TableRole.NONE, TableRole.FIRST, TableRole.LAST}
_IS_TAKEN: Final = {TableRole.NONE, TableRole.LAST}


@dataclass(frozen=True, slots=True)
class MergeSizes:
    """In tokens: from where on a chunk is full, and how much may be added to it even so (Thresholds)."""

    ideal: int
    small_tail: int
    top_level: bool = True  # chapters of level 1 may be merged


class Merger:
    def __init__(self, services: Services, sizes: MergeSizes) -> None:
        self._services = services
        self._sizes = sizes

    def merge(self, pieces: list[Piece]) -> list[Piece]:
        """Peers, then tails, then what is deeper into what is shallower, level by level."""
        for level in sorted({piece.level for piece in pieces}, reverse=True):
            if level != 1 or self._sizes.top_level:
                pieces = self._tails(self._peers(pieces, level), level)
            pieces = self._deeper(pieces, level)
        return pieces

    def _peers(self, pieces: list[Piece], level: int) -> list[Piece]:
        """From left to right, a chunk below the ideal goes on taking its next peer (stage D, rule 2)."""
        done: list[Piece] = []
        ideal = self._sizes.ideal
        for piece in pieces:
            if piece.level == level and done and piece.tokens < ideal and done[-1].tokens < ideal and self._takes_peer(done[-1], piece):
                merged = self._merged(done[-1], piece)
                if merged:
                    done[-1] = merged
                    continue
            done.append(piece)
        return done

    def _tails(self, pieces: list[Piece], level: int) -> list[Piece]:
        """A full chunk takes all of the small peers after it, or none (rule 3)."""
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
        """Where the run of peers after a piece ends; `start` as soon as it is too large to be a tail."""
        total, end = 0, start
        while end < len(pieces) and self._takes_peer(piece, pieces[end]):
            total += pieces[end].tokens
            if total >= self._sizes.small_tail:
                return start
            end += 1
        return end

    def _deeper(self, pieces: list[Piece], level: int) -> list[Piece]:
        """A chunk takes the one after it where that stands below one of its headings, and one of the two is not full (rule 4)."""
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
        if left.level != right.level or left.parents != right.parents or left.role not in _TAKES_PEERS or right.role not in _IS_TAKEN:
            return False
        return left.level > 0 or left.block == right.block

    def _takes_deeper(self, left: Piece, right: Piece, level: int) -> bool:
        if left.level >= right.level or level not in (left.level, right.level) or left.level == 0:
            return False
        if min(left.tokens, right.tokens) >= self._sizes.ideal or left.role not in _TAKES_DEEPER or right.role not in _IS_TAKEN:
            return False
        return self._is_below(left, right)

    def _is_below(self, left: Piece, right: Piece) -> bool:
        """Does a piece stand under one of the headings that another holds?"""
        if right.parents[: len(left.path)] == left.path:
            return True
        blocks = self._services.document.blocks
        return any(is_under(blocks[right.block], blocks[number]) for number in {span.block for span in left.spans})

    def _merged(self, left: Piece, right: Piece) -> Piece | None:
        """Both as one, where that fits and no table meets itself (rules 1 and 5: by the count of the joined text)."""
        cap = self._services.cap(left.parents, left.source_heading)
        if left.tokens + right.tokens > cap + _SLACK or _share_table(left, right):
            return None
        merged = self._services.merged(left, right)
        return merged if merged.tokens <= cap else None


_SLACK: Final = 200  # an overlap that is dropped, or a token that joins two, can make the whole smaller than its parts


def _share_table(left: Piece, right: Piece) -> bool:
    if left.role is TableRole.NONE or right.role is TableRole.NONE:
        return False
    tables = {span.rows.id for span in left.spans if span.rows}
    return any(span.rows.id in tables for span in right.spans if span.rows)
