"""All of a document as one row of lines, packed full: what R is."""

from __future__ import annotations

from docxchunk.chunking.breaks import Break
from docxchunk.chunking.packing import Strip, pack
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services, joined_headings
from docxchunk.model.chunks import Heading


def pack_all(services: Services, pieces: list[Piece]) -> list[Piece]:
    """Chunks without regard to where blocks begin. Each shows the heading of the block that it begins in."""
    if not pieces:
        return []
    strip = Strip(services, [span for piece in pieces for span in piece.spans])
    return [_piece(services, spans, pieces[0]) for spans in pack(strip, services.least_cap, services.limits.overlap, Break.NEVER)]


def _piece(services: Services, spans: list[Span], like: Piece) -> Piece:
    blocks = services.document.blocks
    first = blocks[spans[0].block]
    headings: tuple[Heading, ...] = ()
    for number in dict.fromkeys(span.block for span in spans):
        if blocks[number].heading:
            headings = joined_headings(headings, (Heading(blocks[number].level, blocks[number].heading),))
    identity = like._replace(block=spans[0].block, heading=first.heading, parents=first.parent_headings, level=first.level, headings=headings)
    return services.piece(spans, identity)
