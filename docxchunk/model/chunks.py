"""A chunk, and the parts that its text is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from docxchunk.model.blocks import Position


class SliceRole(StrEnum):
    """How a slice of a block is shown."""

    TEXT = "text"  # as it is
    CELL = "cell"  # a table cell, decoded: a JSON string or html unescaped
    OVERLAP = "overlap"  # a second showing of what the chunk before ends with
    BRIDGE = "bridge"  # a second showing of the text between two sliced tables


class AddedRole(StrEnum):
    """Why text was put in that does not stand at this place in a block."""

    WRAPPER = "wrapper"  # <table ...>[ and ]</table>
    HEADER = "header"  # repeated header rows, repeated text of a merged cell
    LABEL = "label"  # "column: "
    JOIN = "join"  # line breaks between parts
    CONTEXT = "context"  # the heading path


class Slice(NamedTuple):
    """Characters [start, end) of a block's content, in code points."""

    block: str  # its id
    start: int
    end: int
    role: SliceRole = SliceRole.TEXT


class Added(NamedTuple):
    text: str
    role: AddedRole


Part = Slice | Added


class Heading(NamedTuple):
    level: int
    heading: str


class TableRole(StrEnum):
    """Which slice of a table a chunk holds (seed 002, 6.4)."""

    NONE = "none"  # the whole table
    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"


class TableRows(NamedTuple):
    """Rows [first, last], from 0, of the table `id`."""

    id: str
    rows: tuple[int, int]
    role: TableRole


class Relevance(NamedTuple):
    """How close a chunk is to what its document is about (PIC, seed 001): the mean cosine of its sentences; from `threshold` on it is relevant."""

    score: float
    threshold: float

    @property
    def relevant(self) -> bool:
        return self.score >= self.threshold


@dataclass(frozen=True, slots=True)
class Chunk:
    """`content` is the concatenation of `parts`, byte for byte; `tokens` is the count of exactly that string."""

    tokens: int
    content: str
    chunk_order_index: int
    heading: str  # with its "[part n]" where the content line was split
    parent_headings: tuple[str, ...]
    level: int
    chunk_id: str
    doc_id: str
    headings: tuple[Heading, ...]  # all that it holds
    context: str  # "A > B > C"
    blocks: tuple[str, ...]
    parts: tuple[Part, ...]
    positions: tuple[Position, ...] = ()
    pages: tuple[int, ...] = ()
    page_is_estimate: bool = False  # as in `Block`
    tables: tuple[TableRows, ...] = ()
    prev: str | None = None
    next: str | None = None
    parent: str | None = None
    children: tuple[str, ...] = ()
    propositions: tuple[str, ...] = ()  # what a model says that it states: texts that an index may find it by, and no part of it
    relevance: Relevance | None = None
    label: str = ""  # the line that a part of a section begins with, where that reads like a heading but is none of the document
