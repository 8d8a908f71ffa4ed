"""The last sentence of a chunk shown again at the start of the next one (seed 003, 5.2.1)."""

from __future__ import annotations

from itertools import pairwise

from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.strip import Grain, Strip
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole


def repeat_ends(services: Services, pieces: list[Piece]) -> list[Piece]:
    """Where a block goes on, and the sentence is within the overlap, a quarter of the cap and half of what follows. Headings and tables are not repeated."""
    return pieces[:1] + [_with_end(services, before, piece) for before, piece in pairwise(pieces)]


def _with_end(services: Services, before: Piece, piece: Piece) -> Piece:
    repeated = _end(services, before.spans[-1], piece.spans[0])
    cap = services.cap(piece.parents, piece.heading)
    if repeated is None or repeated.tokens > min(services.limits.overlap, cap // 4, piece.tokens // 2):
        return piece
    longer = services.piece([repeated, *piece.spans], piece)
    return longer if longer.tokens <= cap else piece


def _end(services: Services, left: Span, right: Span) -> Span | None:
    """The last sentence of a span, up to the next one, where that goes on in the same block."""
    if left.role is not SliceRole.TEXT or right.role is not SliceRole.TEXT or left.block != right.block:
        return None
    if left.end > right.start or services.contents[left.block][left.end : right.start].strip():
        return None
    last = Strip(services, [left], Grain.SENTENCE).units[-1]
    if last.kind in (LineKind.TABLE, LineKind.HEADING):
        return None
    return services.slice(left.block, last.start, right.start, SliceRole.OVERLAP)
