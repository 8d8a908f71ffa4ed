"""A chunk, and the parts that its text is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from docxchunk.model.blocks import Position
from docxchunk.model.wording import counted, quoted

if TYPE_CHECKING:
    from docxchunk.markup.records.fields import Record


class TableForm(StrEnum):
    """How chunks show tables. In all forms but the first, equations are LaTeX between dollars and pictures a few words."""

    JSON = "json"  # as they are stored: tags with ids, rows as JSON, or as HTML where cells are merged
    MARKDOWN = "markdown"  # GitHub's pipe tables
    HTML = "html"  # <table> without ids
    TEXT = "text"  # "Header: value; Header: value", a line for each row


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
    """Characters [start, end) of a block's content, in code points.

    `shown` is the text that stands for them in a chunk where that is another: a row of a Markdown table, an equation between dollars.
    """

    block: str  # its id
    start: int
    end: int
    role: SliceRole = SliceRole.TEXT
    shown: str | None = None


class Added(NamedTuple):
    text: str
    role: AddedRole


Part = Slice | Added


class Heading(NamedTuple):
    level: int
    heading: str


class TableRole(StrEnum):
    """Which slice of a table a chunk holds."""

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
    """How close a chunk is to what its document is about, as PIC measures it: the mean cosine of its sentences. From `threshold` on it is relevant."""

    score: float
    threshold: float

    @property
    def relevant(self) -> bool:
        return self.score >= self.threshold


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that fits a limit of tokens, and where each of its characters comes from. `str(chunk)` is its text.

    - `tokens`: how many tokens `content` has, exactly.
    - `content`: the text; `text` is another name for it.
    - `chunk_order_index`: its place in the document, from 0.
    - `heading`: the heading that it begins under; "[part 2]" is added where one section gave several chunks.
    - `parent_headings`: the headings above that one, outermost first.
    - `level`: the level of `heading`, 1 to 9; 0 before the first heading.
    - `chunk_id`: its id, made of the document's id, of its text and of the settings; an edit elsewhere in
      the document leaves it as it is, unless it moves the cuts beside the chunk.
    - `doc_id`: the id of the document.
    - `headings`: all headings that stand in it, with their levels.
    - `context`: the headings above its text as one path, "3 Results > 3.1 Costs".
    - `blocks`: the ids of the blocks that it was made from.
    - `parts`: what `content` is the concatenation of: characters of blocks (`Slice`), and what was put in (`Added`).
    - `positions`: the paragraphs of the file that it was made from.
    - `pages`: the pages that it stands on, where known, counted from 1; `page_is_estimate` is that of `Block`.
    - `tables`: the tables in it, and which of their rows it holds.
    - `prev`, `next`: the ids of the chunks before and after it; None at the ends.
    - `parent`, `children`: ids of the larger chunk that holds it, and of the smaller ones to search in its place, where a strategy makes such.
    - `propositions`: what a model says that it states: texts that an index may find it by, and no part of it.
    - `relevance`: how close it is to what the document is about, where a strategy measures that.
    - `label`: the line that a part of a section begins with, where that reads like a heading but is none of the document; else "".
    - `embed_header`: the title of the document and the headings above the text that `content` does not show, in one line: what `embed_text` puts before it.
    """

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
    page_is_estimate: bool = False
    tables: tuple[TableRows, ...] = ()
    prev: str | None = None
    next: str | None = None
    parent: str | None = None
    children: tuple[str, ...] = ()
    propositions: tuple[str, ...] = ()
    relevance: Relevance | None = None
    label: str = ""
    embed_header: str = ""

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        return f"<Chunk {self.chunk_order_index} {quoted(self.context or self.content)}: {counted(self.tokens, 'token')}>"

    @property
    def text(self) -> str:
        """The text of the chunk, which is its `content`."""
        return self.content

    @property
    def embed_text(self) -> str:
        """The text to index or embed: the title of the document and the headings above the text, a blank line, and `content`.

        The line takes at most a quarter of the limit of tokens, beyond it; with `reserve`, at most so many, inside of it.
        """
        return f"{self.embed_header}\n\n{self.content}" if self.embed_header else self.content

    def to_dict(self) -> Record:
        """The chunk as its line of `.chunks.jsonl`: texts, numbers, lists and dicts alone. `docxchunk.flat_record` is for stores that take only scalars."""
        from docxchunk.markup.records.plain import chunk_to_dict

        return chunk_to_dict(self)

    @staticmethod
    def from_dict(record: Mapping[str, object]) -> Chunk:
        """The inverse of `to_dict`. Raises SidecarError where a value is of another type than it must be."""
        from docxchunk.markup.records.plain import chunk_from_dict

        return chunk_from_dict(record)
