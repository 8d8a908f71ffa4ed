"""Define pieces, the values that stages exchange, and the spans that they consist of (docs/design/chunking.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from docxchunk.chunking.forms.texts import BlockText
from docxchunk.model.chunks import Added, AddedRole, Heading, Part, Relevance, Slice, SliceRole, TableRole, TableRows


class Span(NamedTuple):
    """Text from one block that later stages do not divide: a whole block, some of its lines, a slice of a table, or an overlap.

    [`start`, `end`) is its range in the shown text of the block. An unchanged range has a single part with these offsets. A span with added text, such as
    a slice of a table with a repeated header, has the parts of the final chunk.
    """

    text: str
    tokens: int
    block: int  # number in the document
    start: int
    end: int
    parts: tuple[Part, ...]
    rows: TableRows | None = None  # of a slice of a table

    @property
    def role(self) -> SliceRole | None:
        """The role of an unchanged range of a block; None for a span with added text."""
        first = self.parts[0]
        return first.role if self.rows is None and len(self.parts) == 1 and isinstance(first, Slice) else None

    @property
    def is_repeat(self) -> bool:
        return self.role in (SliceRole.OVERLAP, SliceRole.BRIDGE)


class Piece(NamedTuple):
    """An unfinished chunk. `text` is the text of its spans with the breaks between them, `tokens` its exact token count.

    `block` is the number of the block that it was cut from. `heading`, `parents` and `level` become those of the chunk.
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
    promoted: bool = False  # `heading` is the label, and the heading of the section is the last of `parents`

    @property
    def path(self) -> tuple[str, ...]:
        return (*self.parents, self.heading)

    @property
    def source_heading(self) -> str:
        """The heading if it is a heading of the document, else ""."""
        return "" if self.promoted else self.heading


def gap(content: str, before: Span, after: Span) -> str:
    """Return the text between two spans: a blank line between blocks, else the white space of the block, else a line break.

    `content` is that of the second span's block.
    """
    if before.block != after.block:
        return "\n\n"
    between = content[before.end : after.start] if before.end <= after.start else None
    if before.role and after.role and between is not None and (not between or between.isspace()):
        return between
    return between if between == "\n\n" else "\n"


def parts_of(spans: Sequence[Span], texts: Callable[[int], BlockText]) -> tuple[Part, ...]:
    """Return the parts of spans and of the breaks between them, with neighbouring slices of a block merged. `texts` returns the text of a block."""
    runs = [("", spans[0])]
    for before, after in pairwise(spans):
        between = gap(texts(after.block).content, before, after)
        if before.block == after.block and before.end + len(between) == after.start and before.role is SliceRole.TEXT is after.role:
            runs[-1] = (runs[-1][0], runs[-1][1]._replace(end=after.end))
        else:
            runs.append((between, after))
    parts: list[Part] = []
    for between, span in runs:
        if between:
            parts.append(Added(between, AddedRole.JOIN))
        role = span.role
        parts += texts(span.block).parts(span.start, span.end, role) if role else span.parts
    return tuple(parts)
