"""Add children to pieces: the same text in smaller pieces (MG of LGMGC)."""

from __future__ import annotations

from collections.abc import Sequence

from docxchunk.chunking.packing import pack
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.text.breaks import Break
from docxchunk.chunking.unit_sequence import UnitSequence


def add_children(services: Services, sizes: Sequence[int], pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with children of at most `sizes[0]` tokens, which have children of at most
    `sizes[1]`, and so on.

    A piece that is small enough has no children of that size. Children leave out repeated text such
    as overlap. Table rows stay whole, even over the size.
    """
    return [piece._replace(children=_children(services, sizes, piece)) for piece in pieces]


def _children(services: Services, sizes: Sequence[int], piece: Piece) -> tuple[Piece, ...]:
    if not sizes:
        return ()
    groups = [
        group
        for part in _rows_apart(services, sizes[0], piece)
        for group in pack(UnitSequence(services, part.spans), sizes[0], 0, Break.NEVER)
    ]
    if len(groups) == 1:
        return _children(services, sizes[1:], piece)
    return tuple(
        add_children(services, sizes[1:], [_child(services, spans, piece) for spans in groups])
    )


def _rows_apart(services: Services, size: int, piece: Piece) -> list[Piece]:
    own = services.piece([span for span in piece.spans if not span.is_repeat], piece)
    return slice_tables(services, TableSizes.filling(size, longest_row=services.least_cap), [own])


def _child(services: Services, spans: Sequence[Span], piece: Piece) -> Piece:
    """Return a child under the heading of the block that it starts in, or of its parent if the
    block is the same or its heading path is too long.
    """
    # these describe the whole parent
    child = services.opening(spans, piece)._replace(propositions=(), relevance=None)
    if spans[0].block in (piece.block, piece.spans[0].block) or child.tokens > services.cap(
        child.parents, child.heading
    ):
        return child._replace(
            block=piece.block, heading=piece.heading, parents=piece.parents, level=piece.level
        )
    return child._replace(part=0)
