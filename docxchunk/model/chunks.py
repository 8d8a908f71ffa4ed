"""Chunks and the parts that their text is made of."""

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
    """How chunks show tables. In every form but JSON, equations are LaTeX between dollar signs and
    pictures are a few words.
    """

    JSON = "json"  # as stored: tags with ids; rows as JSON, or as HTML if cells are merged
    MARKDOWN = "markdown"  # GitHub's pipe tables
    HTML = "html"  # <table> without ids
    TEXT = "text"  # "Header: value; Header: value", one line per row


class SliceRole(StrEnum):
    """How a slice of a block appears in a chunk."""

    TEXT = "text"  # unchanged
    CELL = "cell"  # a table cell, decoded: the value of a JSON string, or unescaped HTML
    OVERLAP = "overlap"  # repeats the end of the previous chunk
    BRIDGE = "bridge"  # repeats the text between two tables, one of which is cut


class AddedRole(StrEnum):
    """Why a chunk has text that is not at this place in a block."""

    WRAPPER = "wrapper"  # <table ...>[ and ]</table>
    HEADER = "header"  # repeated header rows, or the repeated text of a merged cell
    LABEL = "label"  # "column: "
    JOIN = "join"  # line breaks between parts
    CONTEXT = "context"  # the heading path


class Slice(NamedTuple):
    """Characters [start, end) of `Block.content`, in code points.

    - `block`: the id of the block.
    - `role`: how the characters appear in the chunk.
    - `shown`: the text that replaces them in the chunk, such as a row of a Markdown table or an
      equation between dollar signs; None if unchanged.
    """

    block: str
    start: int
    end: int
    role: SliceRole = SliceRole.TEXT
    shown: str | None = None


class Added(NamedTuple):
    """Text in a chunk that is not copied from a block at this place. `role` says why it was
    added.
    """

    text: str
    role: AddedRole


Part = Slice | Added


class Heading(NamedTuple):
    """A heading in a chunk and its level, 1 to 9."""

    level: int
    heading: str


class TableRole(StrEnum):
    """Which part of a table a chunk holds."""

    NONE = "none"  # the whole table
    FIRST = "first"
    MIDDLE = "middle"
    LAST = "last"


class TableRows(NamedTuple):
    """The rows of the table `id` that a chunk holds: first and last index, both included, counted
    from 0.
    """

    id: str
    rows: tuple[int, int]
    role: TableRole


class Relevance(NamedTuple):
    """The similarity of a chunk to the summary of its document, as the strategy PIC measures it.

    - `score`: the mean cosine similarity of the sentences of the chunk.
    - `threshold`: the lowest score that counts as relevant.
    """

    score: float
    threshold: float

    @property
    def relevant(self) -> bool:
        return self.score >= self.threshold


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that fits a token limit, with the origin of every character.
    `str(chunk)` is its text.

    - `tokens`: the exact number of tokens of `content`.
    - `content`: the text; also available as `text`.
    - `chunk_order_index`: the position in the sequence of chunks, counted from 0.
    - `heading`: the heading under which the chunk begins; " [part 2]" is appended if a section gave
      several chunks.
    - `parent_headings`: the headings above `heading`, outermost first.
    - `level`: the level of `heading`, 1 to 9; 0 for text before the first heading.
    - `chunk_id`: a hash of the document id, the text and the settings. An edit elsewhere in the
      document does not change it unless the edit moves the boundaries of the chunk.
    - `doc_id`: the id of the document.
    - `headings`: all headings in the chunk, with their levels.
    - `context`: the heading path, "3 Results > 3.1 Costs".
    - `blocks`: the ids of the blocks that the chunk was made from, in document order.
    - `parts`: the pieces whose concatenation is `content`: characters of blocks (`Slice`) and added
      text (`Added`).
    - `positions`: the paragraphs of the Word file that the chunk was made from.
    - `pages`: the pages that have text of the chunk, counted from 1; of its tables, those on which
      rows begin; () if unknown.
    - `page_is_estimate`: whether some of the pages are estimates; see `Line.page_is_estimate`.
    - `tables`: the tables in the chunk, with the range of rows that it holds.
    - `table_heads`: for each table in `content`, the number of its first rows that name the
      columns; `embed_text` repeats these names in every row. () if there are none.
    - `prev`, `next`: the ids of the chunks before and after; None at the ends.
    - `parent`: the id of the larger chunk that contains this one, if the strategy makes such; None
      otherwise.
    - `children`: the ids of the smaller chunks to search in place of this one, if the strategy
      makes such.
    - `propositions`: facts that a language model extracted from the chunk, to index it by. They are
      not part of `content`.
    - `relevance`: the similarity of the chunk to the summary of the document, if the strategy
      measures it.
    - `label`: the first line, if a section was split and the line reads like a heading but is not
      one in the document; else "".
    - `embed_header`: the document title and those headings above the text that `content` does not
      show, in one line. `embed_text` puts it before the text.
    - `situation`: a sentence by a language model about the place of the chunk in its document
      (`docxchunk.situate`). `embed_text` puts it before the text.
    """

    tokens: int
    content: str
    chunk_order_index: int
    heading: str
    parent_headings: tuple[str, ...]
    level: int
    chunk_id: str
    doc_id: str
    headings: tuple[Heading, ...]
    context: str
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
    situation: str = ""
    table_heads: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        return (
            f"<Chunk {self.chunk_order_index} {quoted(self.context or self.content)}: "
            f"{counted(self.tokens, 'token')}>"
        )

    @property
    def text(self) -> str:
        """The text of the chunk; the same as `content`."""
        return self.content

    @property
    def embed_text(self) -> str:
        """The text to index or embed: `embed_header`, `situation` and `content` in a readable form,
        with a blank line after each of the first two that is not empty.

        The readable form has no tags, ids, JSON or file names. A row of a table is a line, "Item:
        Valve; Price: 12", an equation is LaTeX between dollar signs, and a picture is its caption
        in brackets.

        With `reserve`, it has at most `max_tokens` tokens, together with a situation if
        `docxchunk.situate` is given the limit. Without, only `content` has: the header may add a
        quarter of `max_tokens`, and the names of columns are repeated.
        """
        from docxchunk.chunking.forms.texts import readable

        shown = readable(self.content, self.table_heads)
        return "\n\n".join(filter(None, (self.embed_header, self.situation, shown)))

    def to_dict(self) -> Record:
        """Return the chunk as it is written to `.chunks.jsonl`: a dict of strings, numbers,
        booleans, lists, dicts and None.

        Use `docxchunk.flat_record` for stores that accept only scalar values.
        """
        from docxchunk.markup.records.chunks import chunk_to_dict

        return chunk_to_dict(self)

    @staticmethod
    def from_dict(record: Mapping[str, object]) -> Chunk:
        """Return the chunk that `to_dict` wrote. Raise SidecarError if a key is missing or a value
        has the wrong type.
        """
        from docxchunk.markup.records.chunks import chunk_from_dict

        return chunk_from_dict(record)
