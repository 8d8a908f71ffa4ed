"""The prices of cuts. What a cut before a line costs depends on the kinds of the lines around it.

Prices are added to the costs in `best_cuts`: a cut of price 0.5 is avoided if that leaves less than
about two thirds of a chunk empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, Self

from docxchunk.model.blocks import LineKind, LineRole

# Python 3.11 takes ten times longer to look up a member of an enumeration than a constant of the
# module.
_HEADING, _LIST, _EQUATION = LineKind.HEADING, LineKind.LIST, LineKind.EQUATION


class Price(float):
    """The price of a cut, and in `reason` what is on the two sides of it, in words."""

    __slots__ = ("reason",)
    reason: str

    def __new__(cls, price: float, reason: str) -> Self:
        self = super().__new__(cls, price)
        self.reason = reason
        return self


NEVER: Final = Price(40, "a heading, and the text below it")
"""Cut only if no other cut keeps a chunk within its limit."""

START: Final = Price(0, "the beginning of the document")
SECTION: Final = Price(0.02, "the end of a section, and the next one")  # times its level minus 1
SUBSECTION: Final = Price(0.08, "a section, and its first subsection")
HEADLINE: Final = Price(0, "text, and a line that reads like a heading")
BLANK_LINE: Final = Price(0.02, "two paragraphs, with a blank line")  # used by R
PARAGRAPH: Final = Price(0.05, "two paragraphs")
# inside a line
SENTENCE: Final = Price(0.12, "two sentences of a long paragraph")
CLAUSE: Final = Price(0.5, "two clauses of a long sentence")
SPACE: Final = Price(0.8, "two words of a long clause")
GRAPHEME: Final = Price(1.5, "two characters of a long word")
CODE_POINT: Final = Price(3, "two code points of a long character")
OBJECT: Final = Price(0.12, "text, and a table, a picture or an equation")
ITEM: Final = Price(0.1, "two items of a list")
LIST_START: Final = Price(0.3, "text, and the list that follows it")
LONE_ITEM: Final = Price(1.5, "the first or last item of a list, and the others")
LEAD_IN: Final = Price(4, "a line that introduces the next one")
CAPTION: Final = Price(4, "a caption, and its table or picture")
AFTER_HEADLINE: Final = Price(4, "a line that reads like a heading, and the text below it")
BOUND: Final = 4.0  # at this price or above, a line belongs to the one before it
ROW: Final = Price(0.14, "two rows of a table over the limit")
ROW_AT_END: Final = Price(0.64, "two rows near the beginning or end of a table over the limit")
ROW_OF_FITTING: Final = Price(1.5, "two rows of a table that fits into a chunk")
ROW_AT_END_OF_FITTING: Final = Price(2, "two rows near the end of a table that fits into a chunk")


class PriceClass(NamedTuple):
    """The class of a line, for pricing cuts."""

    kind: LineKind
    thing: bool = False  # a table, a picture
    item: bool = False
    caption: bool = False
    lead_in: bool = False
    headline: bool = False  # introduces the following lines, but is not a heading of the document
    label: bool = False  # a headline worded like a heading


_OBJECTS: Final = (LineKind.TABLE, LineKind.DRAWING)


def line_class_of(
    kind: LineKind, roles: tuple[LineRole, ...], text: str, longest: int = 100
) -> PriceClass:
    """Return the class of a line with these roles. `longest` is the maximum length of a headline,
    in characters.
    """
    if kind in _OBJECTS or text.startswith(("<table", "<drawing")):
        return PriceClass(kind, thing=True)
    return _class_of(kind, roles, bool(roles) and len(text.strip()) <= longest)


@lru_cache(maxsize=256)
def _class_of(kind: LineKind, roles: tuple[LineRole, ...], is_short: bool) -> PriceClass:  # noqa: FBT001
    headline = is_short and LineRole.HEADLINE in roles
    return PriceClass(
        kind,
        item=LineRole.ITEM in roles or (kind is _LIST and LineRole.HEADLINE not in roles),
        caption=LineRole.CAPTION in roles,
        lead_in=LineRole.LEAD_IN in roles,
        headline=headline,
        label=headline and LineRole.HEADING_LIKE in roles,
    )


_TEXT: Final = _class_of(LineKind.TEXT, (), False)


def prices_of_lines(line_classes: Sequence[PriceClass]) -> list[Price]:
    """Return the price of a cut before each line."""
    if not line_classes:
        return []
    pairs = enumerate(pairwise(line_classes), 1)
    return [
        PARAGRAPH,
        *[
            PARAGRAPH if before is after is _TEXT else _price(line_classes, number)
            for number, (before, after) in pairs
        ],
    ]


def _price(line_classes: Sequence[PriceClass], number: int) -> Price:
    bound = _bound(line_classes, number)
    if bound is not None:
        return bound
    before, after = line_classes[number - 1], line_classes[number]
    if before.item and after.item:
        return ITEM if _are_inside_list(line_classes, number) else LONE_ITEM
    if after.headline or after.kind is _HEADING:
        return HEADLINE
    if after.item:
        return LIST_START
    return OBJECT if after.thing or _EQUATION in (before.kind, after.kind) else PARAGRAPH


def _bound(line_classes: Sequence[PriceClass], number: int) -> Price | None:
    """Return the price of a cut before a line that belongs to the line above it, such as the first
    line below a heading; None for other lines.
    """
    before = line_classes[number - 1]
    if before.kind is _HEADING:
        return NEVER
    if _parts_caption(line_classes, number):
        return CAPTION
    if before.lead_in:
        return LEAD_IN
    return AFTER_HEADLINE if before.headline else None


def _are_inside_list(line_classes: Sequence[PriceClass], number: int) -> bool:
    """Return whether there is another item before the one above, and another after this one."""
    return (
        number >= 2
        and line_classes[number - 2].item
        and number + 1 < len(line_classes)
        and line_classes[number + 1].item
    )


def _parts_caption(line_classes: Sequence[PriceClass], number: int) -> bool:
    """Return whether a cut before this line separates a caption from its table or picture. A
    caption between two tables or pictures belongs to the second.
    """
    before, after = line_classes[number - 1], line_classes[number]
    if after.thing:
        return before.caption
    return (
        before.thing
        and after.caption
        and not (number + 1 < len(line_classes) and line_classes[number + 1].thing)
    )
