"""Explain the cuts between the chunks of a document, from the values that decided them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from docxchunk.chunking.pieces import Cut, Piece
from docxchunk.chunking.texts import readable
from docxchunk.chunking.units import Units


class OtherCut(NamedTuple):
    """A cut that was possible: the lines before and after it, its price, what is on its two sides
    in words, and about how many tokens the two chunks would have.
    """

    before: str
    after: str
    price: float
    reason: str
    left: int
    right: int


class ExplainedCut(NamedTuple):
    """The cut before a piece: the lines before and after it, its price, what is on its two sides in
    words, and the numbers of tokens of the two chunks.

    `earlier` and `later` are the nearest other places where these two chunks could be cut. `price`
    is None if a rule without prices made the cut.
    """

    piece: int
    before: str
    after: str
    price: float | None
    reason: str
    left: int
    right: int
    earlier: OtherCut | None = None
    later: OtherCut | None = None


def explained_cuts(pieces: Sequence[Piece]) -> Iterator[ExplainedCut]:
    """Yield each cut between two of the pieces of a document."""
    following = [*pieces[2:], None]
    for number, ((left, right), after) in enumerate(
        zip(pairwise(pieces), following, strict=False), 1
    ):
        cut = right.cut
        units = cut.units if cut else None
        yield ExplainedCut(
            number,
            _last_line(units, cut.number - 1) if cut and units else _line(left.text, -1),
            _first_line(units, cut.number) if cut and units else _line(right.text, 0),
            float(cut.price) if cut and units else None,
            cut.price.reason if cut else "the rule of the strategy",
            left.tokens,
            right.tokens,
            _other(left, right, cut, _number(left.cut, cut, 0) + 1, -1),
            _other(left, right, cut, _number(after and after.cut, cut, -1) - 1, 1),
        )


def _number(cut: Cut | None, other: Cut | None, default: int) -> int:
    """Return the number of the unit at a cut between the same units as another cut."""
    same = cut is not None and other is not None and cut.units is other.units
    if same and cut is not None:
        return cut.number
    count = len(other.units) if other and other.units else 0
    return default if default >= 0 else count


def _other(left: Piece, right: Piece, cut: Cut | None, end: int, step: int) -> OtherCut | None:
    """Return the cut one unit before or after a cut; None if this is past the last unit, `end`."""
    if cut is None or cut.units is None or (cut.number - end) * step >= 0:
        return None
    units, number = cut.units, cut.number + step
    moved = cut.before[number] - cut.before[cut.number]
    price = units.prices[number]
    return OtherCut(
        _last_line(units, number - 1),
        _first_line(units, number),
        float(price),
        price.reason,
        left.tokens + moved,
        right.tokens - moved,
    )


def _first_line(units: Units, number: int) -> str:
    return _line(units.raw(number), 0)


def _last_line(units: Units, number: int) -> str:
    spans = units.spans_of(number)
    return _line(spans[-1].text if len(spans) > 1 else units.raw(number), -1)


def _line(text: str, number: int) -> str:
    """Return a line of a text without tags."""
    lines = [line for line in readable(text).split("\n") if line.strip()]
    return " ".join(lines[number].split()) if lines else ""
