"""Chunks of several sizes: every piece holds its text once more, in halves and quarters (MG of LGMGC)."""

from __future__ import annotations

from collections.abc import Sequence

from docxchunk.chunking.breaks import Break
from docxchunk.chunking.packing import pack
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.strip import Strip
from docxchunk.chunking.table_slices import TableSizes


def add_children(services: Services, sizes: Sequence[int], pieces: list[Piece]) -> list[Piece]:
    """Pieces with children of at most the first size in tokens, theirs of the second, and so on; a piece that is small enough has none of that size.

    What a piece shows a second time, its children leave out. Rows of tables stay whole, even where they are over the size.
    """
    return [piece._replace(children=_children(services, sizes, piece)) for piece in pieces]


def _children(services: Services, sizes: Sequence[int], piece: Piece) -> tuple[Piece, ...]:
    if not sizes:
        return ()
    groups = [group for part in _rows_apart(services, sizes[0], piece) for group in pack(Strip(services, part.spans), sizes[0], 0, Break.NEVER)]
    if len(groups) == 1:
        return _children(services, sizes[1:], piece)
    return tuple(add_children(services, sizes[1:], [_child(services, spans, piece) for spans in groups]))


def _rows_apart(services: Services, size: int, piece: Piece) -> list[Piece]:
    own = services.piece([span for span in piece.spans if not span.is_repeat], piece)
    return slice_tables(services, TableSizes.filling(size, longest_row=services.least_cap), [own])


def _child(services: Services, spans: Sequence[Span], piece: Piece) -> Piece:
    """What it begins in is what it shows; where its parent was given a heading, that one, and where the path leaves no room for the text."""
    child = services.opening(spans, piece)._replace(propositions=(), relevance=None)  # they are said of all of it
    if spans[0].block in (piece.block, piece.spans[0].block) or child.tokens > services.cap(child.parents, child.heading):
        return child._replace(block=piece.block, heading=piece.heading, parents=piece.parents, level=piece.level)
    return child._replace(part=0)
