"""Tracked changes in text that was read with both versions: `{++inserted++}` and `{--deleted--}` (CriticMarkup)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from docxchunk.formats.report.views import Change, Piece, PieceKind, Run

_MARK: Final = re.compile(r"\{(?P<open>\+\+|--)|(?P<close>\+\+|--)\}")
_CHANGES: Final = {"++": Change.INSERTED, "--": Change.DELETED}


def coloured(runs: Iterable[Run]) -> tuple[Run, ...]:
    """The runs of one line with the marks taken out, and each piece between marks labelled as inserted or deleted.

    A chunk may begin or end within a change: a mark that closes nothing closes a change open from the start of the line; one that is never closed is
    open to the end of the line. Text inserted and later deleted counts as deleted.
    """
    runs = tuple(runs)
    opened = _open_at_start(chain.from_iterable(run.pieces for run in runs))
    return tuple(run._replace(pieces=tuple(_labelled(run.pieces, opened))) for run in runs)


def _open_at_start(pieces: Iterable[Piece]) -> list[Change]:
    first = next((mark for piece in pieces if piece.kind is PieceKind.TEXT for mark in _MARK.finditer(piece.text)), None)
    return [_CHANGES[first["close"]]] if first and first["close"] else []


def _labelled(pieces: Iterable[Piece], opened: list[Change]) -> Iterator[Piece]:
    """Changes `opened`, which is a stack."""
    for piece in pieces:
        if piece.kind is not PieceKind.TEXT:
            yield piece._replace(change=_of(opened))
            continue
        at = 0
        for mark in _MARK.finditer(piece.text):
            if mark.start() > at:
                yield piece._replace(text=piece.text[at : mark.start()], change=_of(opened))
            if mark["open"]:
                opened.append(_CHANGES[mark["open"]])
            elif _CHANGES[mark["close"]] in opened:
                opened.remove(_CHANGES[mark["close"]])
            at = mark.end()
        if at < len(piece.text):
            yield piece._replace(text=piece.text[at:], change=_of(opened))


def _of(opened: list[Change]) -> Change:
    return Change.DELETED if Change.DELETED in opened else opened[-1] if opened else Change.NONE
