"""Lines of a block: their ranges, kinds and token counts, and the price of a cut before each line.

Prices are added to the costs in `best_cuts`: a cut of price 0.5 is avoided if that leaves less than
about two thirds of a chunk empty.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.markup.line_roles import roles_of_line
from docxchunk.markup.tables import Range, TableTag
from docxchunk.markup.tags import DRAWING, EQUATION
from docxchunk.model.blocks import Block, Line, LineKind, LineRole

if TYPE_CHECKING:
    from docxchunk.chunking.texts import BlockText

_HEADING_MARKS = re.compile(r"#{1,6} ")
# Python 3.11 takes ten times longer to look up a member of an enumeration than a constant of the
# module.
_HEADING, _LIST, _EQUATION = LineKind.HEADING, LineKind.LIST, LineKind.EQUATION
_ONE_TAG: Final = {
    LineKind.EQUATION: re.compile(EQUATION),
    LineKind.DRAWING: re.compile(DRAWING),
}


def line_starts(content: str) -> list[int]:
    """Return the start offsets of the lines of a text, including blank ones."""
    return list(accumulate([len(line) + 1 for line in content.split("\n")[:-1]], initial=0))


def is_heading_line(block: Block) -> bool:
    """Return whether the first line of the block is its heading."""
    if block.lines:
        return block.lines[0].kind is _HEADING
    return block.level > 0 and _HEADING_MARKS.match(block.content) is not None


def kind_of(block: Block, start: int, tables: Container[int]) -> LineKind:
    """Return the kind of the line that starts at `start`; `tables` are the start offsets of
    tables.
    """
    if start in tables:
        return LineKind.TABLE
    if start == 0 and is_heading_line(block):
        return LineKind.HEADING
    end = block.content.find("\n", start)
    text = block.content[start : end if end >= 0 else len(block.content)]
    if text.startswith("<"):
        for kind, pattern in _ONE_TAG.items():
            if pattern.fullmatch(text.strip()):
                return kind
    return LineKind.TEXT


def broken_equations(content: str) -> Iterator[Range]:
    """Yield the ranges of equations that span several lines."""
    if "<" in content:
        yield from (
            equation.span()
            for equation in _ONE_TAG[LineKind.EQUATION].finditer(content)
            if "\n" in equation[0]
        )


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


class LineClass(NamedTuple):
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
) -> LineClass:
    """Return the class of a line with these roles. `longest` is the maximum length of a headline,
    in characters.
    """
    if kind in _OBJECTS or text.startswith(("<table", "<drawing")):
        return LineClass(kind, thing=True)
    return _class_of(kind, roles, bool(roles) and len(text.strip()) <= longest)


@lru_cache(maxsize=256)
def _class_of(kind: LineKind, roles: tuple[LineRole, ...], is_short: bool) -> LineClass:  # noqa: FBT001
    headline = is_short and LineRole.HEADLINE in roles
    return LineClass(
        kind,
        item=LineRole.ITEM in roles or (kind is _LIST and LineRole.HEADLINE not in roles),
        caption=LineRole.CAPTION in roles,
        lead_in=LineRole.LEAD_IN in roles,
        headline=headline,
        label=headline and LineRole.HEADING_LIKE in roles,
    )


_TEXT: Final = _class_of(LineKind.TEXT, (), False)


def prices(line_classes: Sequence[LineClass]) -> list[Price]:
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


def _price(line_classes: Sequence[LineClass], number: int) -> Price:
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


def _bound(line_classes: Sequence[LineClass], number: int) -> Price | None:
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


def _are_inside_list(line_classes: Sequence[LineClass], number: int) -> bool:
    """Return whether there is another item before the one above, and another after this one."""
    return (
        number >= 2
        and line_classes[number - 2].item
        and number + 1 < len(line_classes)
        and line_classes[number + 1].item
    )


def _parts_caption(line_classes: Sequence[LineClass], number: int) -> bool:
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


_BYTES: Final = 4  # in UTF-8 of a token, about


class Lines:
    """The lines of a block, except blank ones: line i is `content[starts[i]:ends[i]]`. A table is
    one line, and so is an equation of several lines.

    Chunks have at most `max_tokens` tokens.
    """

    def __init__(self, text: BlockText, meter: Meter, max_tokens: int) -> None:
        self.text = text
        self.tables = text.tables
        self.starts, self.ends = _line_ranges(text)
        self._priced: tuple[int, list[LineClass], list[Price]] | None = None
        self._meter, self._max_tokens = meter, max_tokens

    @cached_property
    def ruler(self) -> Ruler:
        """Counts the tokens of parts of the block. P cuts lines over an eighth of a chunk."""
        return Ruler(self._meter, self.text.content, _BYTES * self._max_tokens // 8)

    def between(self, start: int, end: int) -> slice:
        """Return the indices of the lines that overlap a range of the block."""
        first = bisect_right(self.starts, start) - 1
        return slice(
            first if first >= 0 and self.ends[first] > start else first + 1,
            bisect_left(self.starts, end),
        )

    @cached_property
    def records(self) -> list[Line]:
        """The parser's record of each line; inferred from the text if the block has none."""
        stored, starts = self.text.block.lines, self.text.line_starts
        if starts == self.starts and len(starts) == len(stored):
            return list(stored)
        by_start = dict(zip(starts, stored, strict=True)) if len(starts) == len(stored) else {}
        return [
            by_start.get(start) or Line(kind=kind_of(self.text.block, start, self.tables))
            for start in self.starts
        ]

    @cached_property
    def kinds(self) -> list[LineKind]:
        return [record.kind for record in self.records]

    @cached_property
    def roles(self) -> list[tuple[LineRole, ...]]:
        """The roles of each line."""
        text = self.text.content
        return [
            roles_of_line(record, text[start:end])
            for record, start, end in zip(self.records, self.starts, self.ends, strict=True)
        ]

    @cached_property
    def break_prices(self) -> list[Price]:
        """The price of a cut before each line if only the line breaks before it count."""
        return [
            BLANK_LINE,
            *(
                BLANK_LINE if start - end > 1 else PARAGRAPH
                for start, end in zip(self.starts[1:], self.ends, strict=False)
            ),
        ]

    @cached_property
    def before(self) -> list[int]:
        """The approximate number of tokens of the block before each line."""
        return list(map(self.ruler.about, self.starts))

    @cached_property
    def upto(self) -> list[int]:
        """The approximate number of tokens of the block before the end of each line."""
        return list(map(self.ruler.about, self.ends))

    def priced(self, longest: int) -> tuple[list[LineClass], list[Price]]:
        """Return the class of each line, and the price of a cut before it. `longest` is the maximum
        length of a headline, in characters.
        """
        if self._priced is None or self._priced[0] != longest:
            text = self.text.content
            classes = [
                line_class_of(kind, roles, text[start:end], longest)
                for kind, roles, start, end in zip(
                    self.kinds, self.roles, self.starts, self.ends, strict=True
                )
            ]
            self._priced = longest, classes, prices(classes)
        return self._priced[1:]


def _line_ranges(text: BlockText) -> tuple[list[int], list[int]]:
    """Return the starts and ends of the lines, without line breaks. A table is a line of its
    own.
    """
    content, tables = text.content, text.tables
    starts: list[int] = []
    ends: list[int] = []

    def add(start: int, end: int) -> None:
        for line in content[start:end].split("\n"):
            if line and not line.isspace():
                starts.append(start)
                ends.append(start + len(line))
            start += len(line) + 1

    at = 0
    for start, end in _whole(tables, text.unbroken):
        add(at, start)
        if start in tables or not (starts and ends[-1] == start):
            starts.append(start)
            ends.append(end)
        else:
            ends[-1] = end
        at = end
    add(at, len(content))
    return starts, ends


def _whole(tables: Mapping[int, TableTag], unbroken: Sequence[Range]) -> list[Range]:
    """Return the ranges that are one line despite line breaks: tables, and equations of several
    lines outside tables.
    """
    whole = [(table.start, table.end) for table in tables.values()]
    return sorted(
        whole
        + [
            tag
            for tag in unbroken
            if not any(tag[0] < end and start < tag[1] for start, end in whole)
        ]
    )
