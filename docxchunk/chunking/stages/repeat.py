"""Overlap by whole units: repeat the end of a chunk at the start of the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.unit_sequence import UnitSequence, UnitType
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole

FirstRepeated = Callable[[UnitSequence], int]
"""Return the first of the last units of a sequence that are repeated."""


def repeat_ends(
    services: Services, first_repeated: FirstRepeated, unit_type: UnitType, pieces: list[Piece]
) -> list[Piece]:
    """Repeat the end of each piece at the start of the next one, where both are in the same block.

    The repeated text is at most the overlap, a quarter of the limit and half of the next piece.
    Headings and tables are not repeated.
    """
    return pieces[:1] + [
        _with_lead(services, first_repeated, unit_type, before, piece)
        for before, piece in pairwise(pieces)
    ]


def last_unit(sequence: UnitSequence) -> int:
    """Return the index of the last unit."""
    return len(sequence) - 1


def _with_lead(
    services: Services,
    first_repeated: FirstRepeated,
    unit_type: UnitType,
    before: Piece,
    piece: Piece,
) -> Piece:
    cap = services.cap(piece.parents, piece.heading)
    most = min(services.limits.overlap, cap // 4, piece.tokens // 2)
    for lead in _ends(services, first_repeated, unit_type, before.spans[-1], piece.spans[0]):
        if (
            lead.tokens <= most
            and (led := services.piece([lead, *piece.spans], piece)).tokens <= cap
        ):
            return led
    return piece


def _ends(
    services: Services, first_repeated: FirstRepeated, unit_type: UnitType, left: Span, right: Span
) -> Iterator[Span]:
    """Yield the ends of the left span if the right span continues the same block: all units to
    repeat, then one unit less each time.
    """
    if (
        left.role is not SliceRole.TEXT
        or right.role is not SliceRole.TEXT
        or left.block != right.block
    ):
        return
    if left.end > right.start or services.contents[left.block][left.end : right.start].strip():
        return
    sequence = UnitSequence(services, [left], unit_type)
    first = max(
        first_repeated(sequence),
        1
        + max(
            (
                n
                for n, unit in enumerate(sequence.units)
                if unit.kind in (LineKind.TABLE, LineKind.HEADING)
            ),
            default=-1,
        ),
    )
    for unit in sequence.units[first:]:
        yield services.slice(left.block, unit.start, right.start, SliceRole.OVERLAP)
