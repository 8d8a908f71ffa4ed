"""What travels through the stages: pieces, made of spans, made of parts (docs/design/chunking.md)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from docxchunk.model.chunks import Added, AddedRole, Heading, Part, Relevance, Slice, SliceRole, TableRole, TableRows


class Span(NamedTuple):
    """Text of one block that no later stage looks into: a whole block, some of its lines, a slice of a table, what is shown a second time.

    `start` and `end` are the range of the block that it stands for.
    """

    text: str
    tokens: int
    block: int  # its number in the document
    start: int
    end: int
    parts: tuple[Part, ...]
    rows: TableRows | None = None  # of a slice of a table

    @property
    def role(self) -> SliceRole | None:
        """The role of a span that is a plain slice of its block; None for one that was put together."""
        first = self.parts[0]
        return first.role if self.rows is None and len(self.parts) == 1 and isinstance(first, Slice) else None

    @property
    def is_repeat(self) -> bool:
        return self.role in (SliceRole.OVERLAP, SliceRole.BRIDGE)


class Piece(NamedTuple):
    """A chunk in the making. `text` is what its spans and the breaks between them come to, `tokens` its exact count.

    `block` is the content line that it was cut from; `heading`, `parents` and `level` are those it will show.
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
    part: int = 0  # n of "[part n]"; 0 where the content line is whole
    children: tuple[Piece, ...] = ()  # its text once more, in smaller pieces
    propositions: tuple[str, ...] = ()
    relevance: Relevance | None = None
    label: str = ""  # the line that it begins with, where that reads like a heading and is none of the document
    promoted: bool = False  # the label stands as heading, and the heading of the section among the parents

    @property
    def path(self) -> tuple[str, ...]:
        return (*self.parents, self.heading)

    @property
    def source_heading(self) -> str:
        """Its heading where that is one of the document, else ""."""
        return "" if self.promoted else self.heading


def gap(content: str, before: Span, after: Span) -> str:
    """What stands between two spans: a blank line between blocks, else what stands there in the block, else a line break.

    `content` is that of the second span's block.
    """
    if before.block != after.block:
        return "\n\n"
    if before.role and after.role:
        between = content[before.end : after.start]
        if before.end <= after.start and (not between or between.isspace()):
            return between
    return "\n"


def parts_of(spans: Sequence[Span], contents: Sequence[str]) -> tuple[Part, ...]:
    """The parts of spans and of what stands between them, neighbouring slices of a block as one."""
    parts: list[Part] = list(spans[0].parts)
    for before, after in pairwise(spans):
        between = gap(contents[after.block], before, after)
        last = parts[-1]
        in_place = before.role is SliceRole.TEXT is after.role and before.block == after.block and before.end + len(between) == after.start
        if in_place and isinstance(last, Slice):
            parts[-1] = last._replace(end=after.end)
            continue
        if between:
            parts.append(Added(between, AddedRole.JOIN))
        parts += after.parts
    return tuple(parts)
