"""Part numbers: the pieces of a content line that was split, from 1 (docs/design/staged-chunking.md)."""

from __future__ import annotations

from itertools import groupby

from docxchunk.chunking.pieces import Piece


def number_parts(pieces: list[Piece]) -> list[Piece]:
    done: list[Piece] = []
    for _, group in groupby(pieces, key=lambda piece: piece.block):
        same = list(group)
        done += same if len(same) == 1 else [piece._replace(part=number) for number, piece in enumerate(same, 1)]
    return done
