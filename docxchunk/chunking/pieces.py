"""Define pieces, the values that stages exchange, and the spans that they consist of
(docs/design/chunking.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.chunking.texts import BlockText
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Heading,
    Part,
    Relevance,
    SliceRole,
    TableRole,
    TableRows,
)

if TYPE_CHECKING:
    from docxchunk.chunking.best_cuts import Search
    from docxchunk.chunking.prices import Price
    from docxchunk.chunking.split import PricedUnits
    from docxchunk.chunking.units import Units

_REPEATS: Final = (SliceRole.OVERLAP, SliceRole.BRIDGE)
_JOIN: Final = AddedRole.JOIN
_TEXT: Final = SliceRole.TEXT


class Span(NamedTuple):
    """Text from one block that later stages do not divide: a whole block, some of its lines, a
    slice of a table, or an overlap.

    - [`start`, `end`): its range in the shown text of the block.
    - `role`: the role of this range in the chunk, if the range is shown unchanged.
    - `parts`: the parts of the final chunk, for a span with added text, such as a slice of a table
      with a repeated header. Such a span has no role.
    """

    text: str
    tokens: int
    block: int  # number in the document
    start: int
    end: int
    role: SliceRole | None = SliceRole.TEXT
    parts: tuple[Part, ...] = ()
    rows: TableRows | None = None  # of a slice of a table
    heads: int | None = None  # header rows that a slice begins with, unless it is plain text
    left_out: str = ""  # names for which a slice has no room: of columns, groups, merged cells

    @property
    def is_text(self) -> bool:
        """Whether it is text of its block, unchanged and shown for the first time."""
        return self.role is _TEXT

    @property
    def is_repeat(self) -> bool:
        return self.role in _REPEATS


class Cut(NamedTuple):
    """The cut before a piece. The reason of its price says which texts it separates.

    If it was chosen between units, it is before unit `number` of `units`. `search` is what P chose
    it from.
    """

    price: Price
    units: Units | None = None
    number: int = 0
    search: Search | None = None


class Piece(NamedTuple):
    """An unfinished chunk. `text` is the text of its spans with the breaks between them, `tokens`
    its exact token count.

    `block` is the index of the block that it was cut from. `heading`, `parents` and `level` become
    those of the chunk.
    """

    spans: tuple[Span, ...]
    text: str
    tokens: int
    block: int
    heading: str
    parents: tuple[str, ...]
    level: int
    headings: tuple[Heading, ...]
    role: TableRole = TableRole.NONE
    part: int = 0  # n of "[part n]"; 0 if the block was not split
    children: tuple[Piece, ...] = ()  # the same text in smaller pieces
    propositions: tuple[str, ...] = ()
    relevance: Relevance | None = None
    label: str = ""  # its first line, if that reads like a heading but is not one in the document
    # `heading` is the label, and the heading of the section is the last of `parents`
    promoted: bool = False
    cut: Cut | None = None  # before it; None if a rule without prices made it
    units: PricedUnits | None = None  # of a piece over the limit: it may be cut between any two

    @property
    def path(self) -> tuple[str, ...]:
        return (*self.parents, self.heading)

    @property
    def source_heading(self) -> str:
        """The heading if it is a heading of the document, else ""."""
        return "" if self.promoted else self.heading


def gap(content: str, before: Span, after: Span) -> str:
    """Return the text between two spans: a blank line between blocks, else the white space of the
    block, else a line break.

    `content` is the content of the block of the second span.
    """
    if before.block != after.block:
        return "\n\n"
    between = content[before.end : after.start] if before.end <= after.start else None
    if before.role and after.role and between is not None and (not between or between.isspace()):
        return between
    return between if between == "\n\n" else "\n"


def parts_of(spans: Sequence[Span], texts: Callable[[int], BlockText]) -> tuple[Part, ...]:
    """Return the parts of spans and of the breaks between them. Neighbouring slices of a block are
    merged. `texts` returns the text of a block.
    """
    parts: list[Part] = []
    run = spans[0]
    for span in spans[1:]:
        between = gap(texts(span.block).content, run, span)
        if (
            run.block == span.block
            and run.is_text
            and span.is_text
            and run.end + len(between) == span.start
        ):
            run = run._replace(end=span.end)
            continue
        parts += _parts_of_span(run, texts)
        if between:
            parts.append(Added(between, _JOIN))
        run = span
    return (*parts, *_parts_of_span(run, texts))


def _parts_of_span(span: Span, texts: Callable[[int], BlockText]) -> tuple[Part, ...]:
    return texts(span.block).parts(span.start, span.end, span.role) if span.role else span.parts
