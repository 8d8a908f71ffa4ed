"""Chunks, the parts that their text is made of, their units, and statistics of their sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.language.patterns import pattern
from docxchunk.model.blocks import Position
from docxchunk.model.wording import counted, quoted

if TYPE_CHECKING:
    from docxchunk.records import Record


PART: Final = pattern(r" ?\[part \d+\]$")
"""The end of the heading of a chunk if its block was split."""


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
    - `shown`: the text that the chunk shows instead of these characters, such as a row of a
      Markdown table. None if it shows the characters themselves, or a cell, which is decoded.
    """

    block: str
    start: int
    end: int
    role: SliceRole = SliceRole.TEXT
    shown: str | None = None


class Added(NamedTuple):
    """Text in a chunk that is not a slice of a block. `role` says why it was added."""

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
    - `heading`: the heading under which the chunk begins, with " [part 2]" if a section was split.
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
    - `pages`: the pages that have text of the chunk, counted from 1. For tables, the pages on which
      their rows begin. () if unknown.
    - `page_is_estimate`: whether some of the pages are estimates; see `Line.page_is_estimate`.
    - `tables`: the tables in the chunk, with the range of rows that it holds.
    - `table_heads`: for each table in `content`, its number of header rows, whose names
      `embed_text` repeats in every row. () if no table has any; with the form MARKDOWN, () if there
      are no tables or if they stay as they are in `embed_text`.
    - `prev`, `next`: the ids of the chunks before and after; None at the ends.
    - `parent`: the id of the larger chunk that contains this one, if the strategy makes larger
      chunks; None otherwise.
    - `children`: the ids of the smaller chunks to search in place of this one, if the strategy
      makes smaller chunks.
    - `propositions`: facts that a language model extracted from the chunk, as texts for an index.
      They are not part of `content`.
    - `relevance`: the similarity of the chunk to the summary of the document, if the strategy
      measures it.
    - `label`: if a section was split: the first line, if it reads like a heading but is not one in
      the document. "" otherwise.
    - `embed_header`: the document title and those headings above the text that `content` does not
      show, in one line; on the next lines, the names of the columns, and of the group and merged
      cells, if they have no room beside the rows of a table. `embed_text` puts it before the text.
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
        separated by blank lines.

        The readable form has no tags, ids, JSON or file names. A row of a table is a line, "Item:
        Valve; Price: 12". An equation is LaTeX between dollar signs. A picture is its caption in
        brackets.

        With the setting `reserve`, it has at most `max_tokens` tokens (with a situation, if
        `docxchunk.situate` is given `max_tokens`). Without `reserve`, only `content` has at most
        `max_tokens`: the header may add a quarter of them, and the names of columns are repeated.
        """
        from docxchunk.content.pipe_tables import readable

        text = readable(self.content, self.table_heads, self.parts)
        return "\n\n".join(filter(None, (self.embed_header, self.situation, text)))

    def to_dict(self) -> Record:
        """Return the chunk as it is written to `.chunks.jsonl`: a dict of strings, numbers,
        booleans, lists, dicts and None.

        Use `docxchunk.flat_record` for stores that accept only scalar values.
        """
        from docxchunk.records.chunks import CHUNK

        return CHUNK.to_dict(self)

    @staticmethod
    def from_dict(record: Mapping[str, object]) -> Chunk:
        """Return the chunk that `to_dict` wrote. Raise SidecarError if a key is missing or a value
        has the wrong type.
        """
        from docxchunk.records.chunks import chunk_from_dict

        return chunk_from_dict(record)


LONGEST_UNIT: Final = 450
"""The maximum length of a unit in characters, unless another one is given."""


class UnitKind(StrEnum):
    """What kind of text a unit is."""

    TEXT = "text"  # whole sentences or paragraphs
    HEADING = "heading"  # a heading without text below it
    CAPTION = "caption"  # of a table or picture
    ROW = "row"  # a row of a table, or a part of a very long one
    TABLE = "table"  # a whole small table; its rows are units, too
    # a comment, or text that tracked changes delete: beside the results of a search only
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Unit:
    """A small text of a chunk, to be searched and read by itself. `str(unit)` is its content.

    - `unit_id`: a hash of the document id, the heading path and the text. Edits of other text do
      not change it.
    - `chunk_id`, `doc_id`: the ids of its chunk and of its document.
    - `section_id`: the id of its block.
    - `kind`: text, heading, caption, row or table.
    - `content`: the text to read. For a row: the header rows and the row, with bars between the
      cells.
    - `parts`: the pieces whose concatenation is `content`, as in chunks.
    - `index_text`: the text to search: heading path, caption of the table, and the text. For a row,
      the text is "header: value" for each cell.
    - `tokens`: the number of tokens of `content`.
    - `context`: the heading path, "3 Results > 3.1 Costs".
    - `positions`, `pages`, `page_is_estimate`: as in chunks.
    - `citation`: the place of the unit: "report.docx, 3 Results > 3.1 Costs, p. 3, ¶ 40".
    """

    unit_id: str
    chunk_id: str
    doc_id: str
    section_id: str
    kind: UnitKind
    content: str
    parts: tuple[Part, ...]
    index_text: str
    tokens: int
    context: str
    positions: tuple[Position, ...]
    pages: tuple[int, ...]
    page_is_estimate: bool
    citation: str

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        return f"<Unit {quoted(self.content)}: {self.kind}, {self.citation}>"


# -- statistics of sizes (docs/design/chunking.md, Measures)

_IDEAL: Final = 3 / 4  # least share of the cap
_SMALL: Final = 1 / 8
REPEATED: Final = (SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER)


@dataclass(frozen=True, slots=True)
class SizeStatistics:
    """Statistics of chunks with the same token limit, the cap. Whole chunks are those without part
    of a split table; shares are 0 to 1.
    """

    chunks: int
    tokens: int
    mean: float
    median: float
    largest: int
    fill: float | None  # mean tokens / cap of whole chunks; None if there are none
    # share of whole chunks of at least three quarters of the cap; None if there are none
    ideal: float | None
    small: float  # share of chunks under an eighth of the cap
    oversize: int
    sections: float  # mean number of headings per chunk
    tables: int
    tables_cut: int
    repeated: float  # share of the characters that repeat other text

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name, the value and the meaning of each figure, as rows of a table."""
        for name, value, meaning in (
            ("chunks", f"{self.chunks:,}", ""),
            ("tokens", f"{self.tokens:,}", "of all chunks"),
            ("mean size", f"{self.mean:,.0f}", "tokens"),
            ("median size", f"{self.median:,.0f}", "tokens"),
            ("largest", f"{self.largest:,}", "tokens"),
            ("mean fill", self.fill, "of the limit, without slices of tables"),
            ("ideal size", self.ideal, "at least 3/4 of the limit, without slices of tables"),
            ("small", self.small, "under 1/8 of the limit"),
            ("over the limit", f"{self.oversize:,}", ""),
            ("sections", f"{self.sections:.1f}", "headings per chunk"),
            ("tables cut", f"{self.tables_cut:,} of {self.tables:,}", "without nested tables"),
            ("shown twice", f"{self.repeated:.1%}", "of the characters"),
        ):
            share = "–" if value is None else f"{value:.0%}" if isinstance(value, float) else value
            yield name, share, meaning


def measured(chunks: Sequence[Chunk], cap: int) -> SizeStatistics:
    """Return the statistics of one or more chunks. `cap` is their token limit; 0, which a bad file
    may have, counts as 1.
    """
    from statistics import fmean, median  # slow to import

    cap = max(1, cap)
    tokens = [chunk.tokens for chunk in chunks]
    fills = [
        chunk.tokens / cap
        for chunk in chunks
        if all(table.role is TableRole.NONE for table in chunk.tables)
    ]
    roles = [(table.id, table.role) for chunk in chunks for table in chunk.tables]
    return SizeStatistics(
        chunks=len(chunks),
        tokens=sum(tokens),
        mean=fmean(tokens),
        median=median(tokens),
        largest=max(tokens),
        fill=fmean(fills) if fills else None,
        ideal=fmean(fill >= _IDEAL for fill in fills) if fills else None,
        small=fmean(size < cap * _SMALL for size in tokens),
        oversize=sum(size > cap for size in tokens),
        sections=fmean(len(chunk.headings) for chunk in chunks),
        tables=len({identifier for identifier, _ in roles}),
        tables_cut=len({identifier for identifier, role in roles if role is not TableRole.NONE}),
        repeated=_repeated(chunks),
    )


def histogram(chunks: Sequence[Chunk], cap: int, bins: int) -> list[tuple[int, int, int]]:
    """Return lower bound, upper bound (inclusive) and number of chunks of each bin. The bins, at
    most `bins`, divide the sizes from 0 to `cap`, or to 1 if that is 0. The last one includes
    chunks over the cap.
    """
    cap = max(1, cap)
    lows = range(0, cap, -(-cap // bins))
    counts = Counter(min(chunk.tokens // lows.step, len(lows) - 1) for chunk in chunks)
    highs = (*(low - 1 for low in lows[1:]), cap)
    return [(low, high, counts[n]) for n, (low, high) in enumerate(zip(lows, highs, strict=True))]


def size_level(low: int, high: int, cap: int) -> str:
    """Return the level of the sizes from `low` to `high` tokens: over the cap, ideal (at least
    three quarters of it), small (under an eighth), or usual.
    """
    if low > cap:
        return "over"
    return "ideal" if low >= cap * _IDEAL else "small" if high < cap * _SMALL else "usual"


def _repeated(chunks: Sequence[Chunk]) -> float:
    again = sum(
        len(part.text) if isinstance(part, Added) else part.end - part.start
        for chunk in chunks
        for part in chunk.parts
        if part.role in REPEATED
    )
    return again / max(1, sum(len(chunk.content) for chunk in chunks))
