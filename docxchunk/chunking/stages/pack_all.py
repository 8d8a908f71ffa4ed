"""Pack the lines of a whole document into chunks: the main stage of R."""

from __future__ import annotations

from docxchunk.chunking.packing import pack
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.chunking.text.breaks import Break
from docxchunk.chunking.unit_sequence import UnitSequence


def pack_all(services: Services, pieces: list[Piece]) -> list[Piece]:
    """Return full chunks regardless of block boundaries. Each has the heading of the block that it
    starts in.
    """
    if not pieces:
        return []
    sequence = UnitSequence(services, [span for piece in pieces for span in piece.spans])
    return [
        services.opening(spans, pieces[0])
        for spans in pack(sequence, services.least_cap, services.limits.overlap, Break.NEVER)
    ]
