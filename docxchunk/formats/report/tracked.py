"""Label tracked changes in text with both versions: `{++inserted++}` and `{--deleted--}`
(CriticMarkup).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from docxchunk.formats.report.views import PieceKind, RoleRun, TextChange, TextPiece

_MARK: Final = re.compile(r"\{(?P<open>\+\+|--)|(?P<close>\+\+|--)\}")
_CHANGES: Final = {"++": TextChange.INSERTED, "--": TextChange.DELETED}


def coloured(runs: Iterable[RoleRun]) -> tuple[RoleRun, ...]:
    """Return the runs of one line without the marks, each piece between marks labelled as inserted
    or deleted.

    A chunk may begin or end within a change: an unmatched closing mark closes a change from the
    start of the line, an unmatched opening mark opens one to its end. Text that was inserted and
    later deleted counts as deleted.
    """
    runs = tuple(runs)
    opened = _open_at_start(chain.from_iterable(run.pieces for run in runs))
    return tuple(run._replace(pieces=tuple(_labelled(run.pieces, opened))) for run in runs)


def _open_at_start(pieces: Iterable[TextPiece]) -> list[TextChange]:
    first = next(
        (
            mark
            for piece in pieces
            if piece.kind is PieceKind.TEXT
            for mark in _MARK.finditer(piece.text)
        ),
        None,
    )
    return [_CHANGES[first["close"]]] if first and first["close"] else []


def _labelled(pieces: Iterable[TextPiece], opened: list[TextChange]) -> Iterator[TextPiece]:
    """Yield labelled pieces. `opened` is the stack of open changes, updated in place."""
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


def _of(opened: list[TextChange]) -> TextChange:
    return (
        TextChange.DELETED
        if TextChange.DELETED in opened
        else opened[-1]
        if opened
        else TextChange.NONE
    )
