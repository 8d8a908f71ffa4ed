"""Number the pieces of a block that was split (docs/design/staged-chunking.md)."""

from __future__ import annotations

from itertools import groupby

from docxchunk.chunking.pieces import Piece


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
