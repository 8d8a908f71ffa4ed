"""Overlap by units: what a chunk ends with, shown again at the start of the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.unit_sequence import Strip, UnitType
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole

FirstRepeated = Callable[[Strip], int]
"""From which unit on the end of a strip is to be shown again."""


def repeat_ends(services: Services, first_repeated: FirstRepeated, unit_type: UnitType, pieces: list[Piece]) -> list[Piece]:
    """Where a block goes on, as much of what is first_repeated as is within the overlap, a quarter of the cap and half of what follows.

    Headings and tables are not repeated.
    """
    return pieces[:1] + [_with_lead(services, first_repeated, unit_type, before, piece) for before, piece in pairwise(pieces)]


def last_unit(strip: Strip) -> int:
    return len(strip) - 1


def _with_lead(services: Services, first_repeated: FirstRepeated, unit_type: UnitType, before: Piece, piece: Piece) -> Piece:
    cap = services.cap(piece.parents, piece.heading)
    most = min(services.limits.overlap, cap // 4, piece.tokens // 2)
    for lead in _ends(services, first_repeated, unit_type, before.spans[-1], piece.spans[0]):
        if lead.tokens <= most and (led := services.piece([lead, *piece.spans], piece)).tokens <= cap:
            return led
    return piece


def _ends(services: Services, first_repeated: FirstRepeated, unit_type: UnitType, left: Span, right: Span) -> Iterator[Span]:
    """The end of a span, up to the next one, where that goes on in the same block: all that is first_repeated, then a unit less each time."""
    if left.role is not SliceRole.TEXT or right.role is not SliceRole.TEXT or left.block != right.block:
        return
    if left.end > right.start or services.contents[left.block][left.end : right.start].strip():
        return
    strip = Strip(services, [left], unit_type)
    first = max(first_repeated(strip), 1 + max((n for n, unit in enumerate(strip.units) if unit.kind in (LineKind.TABLE, LineKind.HEADING)), default=-1))
    for unit in strip.units[first:]:
        yield services.slice(left.block, unit.start, right.start, SliceRole.OVERLAP)
