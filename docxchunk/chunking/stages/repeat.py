"""Overlap by counting: what a piece ends with, shown again at the start of the next one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.chunking.strip import Grain, Strip
from docxchunk.model.chunks import SliceRole

Repeats = Callable[[Strip, int], int]
"""From which unit of a strip on its text up to another unit is shown again."""


def repeat_before(services: Services, repeats: Repeats, grain: Grain, pieces: list[Piece]) -> list[Piece]:
    """Pieces that go on in the block of the one before begin with the end of that one, within the limits of every overlap (p-strategy.md, law 11)."""
    return [*pieces[:1], *(_led(services, repeats, before, piece, grain) for before, piece in pairwise(pieces))]


def _led(services: Services, repeats: Repeats, before: Piece, piece: Piece, grain: Grain) -> Piece:
    last, first = before.spans[-1], piece.spans[0]
    if last.block != first.block or not last.role is first.role is SliceRole.TEXT:
        return piece
    strip = Strip(services, [last], grain)
    most = min(services.limits.overlap, services.least_cap // 4, piece.tokens // 2)
    for number in range(repeats(strip, len(strip)), len(strip)):
        lead = services.slice(first.block, strip.units[number].start, first.start, SliceRole.OVERLAP)
        led = services.piece([lead, *piece.spans], piece)
        if lead.tokens <= most and led.tokens <= services.least_cap:
            return led
    return piece
