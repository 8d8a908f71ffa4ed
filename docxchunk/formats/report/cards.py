"""Make the cards of chunks: number, heading path, size, origin, and the text as headings,
paragraphs, list items and tables. A chunk with children is a frame around their cards.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from docxchunk.formats.report.pieces import (
    BlockPosition,
    ChunkText,
    chunk_text,
    table_label,
    table_view,
)
from docxchunk.formats.report.views import (
    CardBody,
    ChunkSet,
    LineView,
    PieceKind,
    RenderContext,
    TableSliceView,
    TextPiece,
    context_of,
    text_of,
)
from docxchunk.markup.citations import citation, pages, paragraphs
from docxchunk.markup.tables import tables
from docxchunk.model.blocks import Line, LineKind, Position
from docxchunk.model.chunks import (
    REPEATED,
    AddedRole,
    Chunk,
    Slice,
    SliceRole,
    TableRole,
    size_level,
)
from docxchunk.model.comparison import TextChange
from docxchunk.model.document import Document
from docxchunk.model.wording import NAMELESS, counted, first_words, language_of

_COLOURS: Final = 6
_MOST_FRAMES: Final = 16  # around a chunk
PART: Final = re.compile(r" ?\[part \d+\]$")


class CardSize(NamedTuple):
    """Tokens of a chunk and its cap; `level` is one of over, ideal, usual, small; `share` is in
    percent, at most 100.
    """

    tokens: int
    cap: int
    level: str
    share: int
    where: tuple[str, ...]  # pages and paragraphs


class ChunkCard(NamedTuple):
    """A chunk to show. `hint` describes the content of a part whose heading does not."""

    chunk: Chunk
    name: str
    key: str  # its id in the page
    set_key: str
    heading: str
    hint: str
    size: CardSize
    colour: int
    height: int
    kinds: tuple[str, ...]  # the filters of the page that it passes
    rows: tuple[str, ...]
    language: str
    body: CardBody
    citation: str
    origin: tuple[str, ...]

    @property
    def number(self) -> int:
        return self.chunk.chunk_order_index + 1


class ParentCard(NamedTuple):
    """A chunk with children. `again` says whether an earlier frame already shows the chunk."""

    chunk: Chunk
    name: str
    key: str
    heading: str
    size: CardSize
    inside: tuple[ChunkCard | ParentCard, ...]
    again: bool


class Cards:
    """Makes the cards of one set, in reading order. If two frames show the same parent, the second
    says that it is shown again.
    """

    def __init__(self, chunk_set: ChunkSet, context: RenderContext) -> None:
        self._set, self._context = chunk_set, context
        chunks = {chunk.chunk_id: chunk for chunk in chunk_set.chunks}
        self._ancestors = {leaf.chunk_id: _ancestors(leaf, chunks) for leaf in chunk_set.leaves}
        self._introduced: set[str] = set()

    def of(self, chunks: Sequence[Chunk], depth: int = 0) -> Iterator[ChunkCard | ParentCard]:
        """Yield the cards of consecutive chunks without children. A chunk with an ancestor at this
        depth is in the frame of that ancestor.
        """

        def parent_of(chunk: Chunk) -> Chunk | None:
            ancestors = self._ancestors[chunk.chunk_id]
            return ancestors[depth] if depth < len(ancestors) else None

        for parent, children in groupby(chunks, key=parent_of):
            if parent is None:
                yield from map(self._card, children)
            else:
                yield self._frame(parent, list(children), depth)

    def _frame(self, parent: Chunk, children: Sequence[Chunk], depth: int) -> ParentCard:
        again = parent.chunk_id in self._introduced
        self._introduced.add(parent.chunk_id)
        return ParentCard(
            parent,
            self._set.label(parent),
            f"{self._context.key}-{parent.chunk_order_index + 1}",
            card_heading(parent),
            _size(parent, self._set.cap),
            tuple(self.of(children, depth + 1)),
            again,
        )

    def _card(self, chunk: Chunk) -> ChunkCard:
        context, number = self._context, chunk.chunk_order_index + 1
        body, size = _body(chunk, context), _size(chunk, self._set.cap)
        return ChunkCard(
            chunk,
            self._set.label(chunk),
            f"{context.key}-{number}",
            context.key,
            card_heading(chunk),
            _hint(chunk, body),
            size,
            number % _COLOURS,
            _height(chunk),
            tuple(_kinds(chunk, size.level, body)),
            tuple(_rows(chunk, context)),
            language_of(chunk.content),
            body,
            citation(chunk, context.document.name),
            tuple(_origin(chunk)),
        )


def views_of(document: Document, chunk_set: ChunkSet) -> Iterator[tuple[Chunk, CardBody]]:
    """Yield each chunk with its text as lines and tables. Pictures are replaced by their
    alternative text.
    """
    context = context_of(document, {})
    return ((chunk, _body(chunk, context)) for chunk in chunk_set.chunks)


def _ancestors(chunk: Chunk, chunks: Mapping[str, Chunk]) -> tuple[Chunk, ...]:
    """Return the ancestors of a chunk, the root first. Cycles and long chains, which a bad file may
    contain, are cut.
    """
    ancestors: list[Chunk] = []
    parent = chunks.get(chunk.parent or "")
    while parent is not None and parent not in ancestors and len(ancestors) < _MOST_FRAMES:
        ancestors.append(parent)
        parent = chunks.get(parent.parent or "")
    return tuple(reversed(ancestors))


# -- what a card says about its chunk


def card_heading(chunk: Chunk) -> str:
    """Return the heading of a chunk, or a placeholder for text before the first heading."""
    if PART.sub("", chunk.heading):
        return chunk.heading
    return " ".join(filter(None, (NAMELESS, chunk.heading)))


def _hint(chunk: Chunk, body: CardBody) -> str:
    """Return a hint if the heading does not describe the chunk: the chunk is a part of a section,
    or is before any heading. The hint is its label, else its first words or first table. Return ""
    for other chunks.
    """
    if chunk.heading and not PART.search(chunk.heading):
        return ""
    return chunk.label or beginning(body)


def beginning(body: CardBody) -> str:
    """Return the first words that are not repeated from another chunk; for a table, its number and
    first row. The texts of pictures, such as "Picture 11", count only if there is no other text.
    """
    pictures: list[TextPiece] = []
    for item in body:
        if isinstance(item, TableSliceView):
            return first_words(_table_hint(item))
        if item.level:
            continue
        pieces = [piece for run in item.runs if not run.role for piece in run.pieces]
        names = [piece for piece in pieces if piece.kind is PieceKind.PICTURE]
        pictures += names
        blank = (
            piece._replace(text=" ") if piece.kind is PieceKind.PICTURE else piece
            for piece in pieces
        )
        if words := text_of(blank).strip():
            return first_words(words)
    return first_words(text_of(pictures))


def _table_hint(table: TableSliceView) -> str:
    rows = (
        " · ".join(filter(None, (text_of(cell.pieces).strip() for cell in row.cells)))
        for row in table.rows
        if not row.again
    )
    return ": ".join(filter(None, (table.caption.partition(" (")[0], next(filter(None, rows), ""))))


def _size(chunk: Chunk, cap: int) -> CardSize:
    share = min(100, round(100 * chunk.tokens / max(1, cap)))
    where = tuple(filter(None, (pages(chunk), paragraphs(chunk))))
    return CardSize(chunk.tokens, cap, size_level(chunk.tokens, chunk.tokens, cap), share, where)


def _height(chunk: Chunk) -> int:
    """Estimate the height in steps of about 200 px, for a correct scroll bar before layout."""
    lines = (
        chunk.content.count("\n")
        + chunk.content.count("</tr>")
        + chunk.content.count("],[")
        + sum(2 if ord(c) > 0x2E80 else 1 for c in chunk.content) // 90
    )
    return min(1 + lines // 7, 20)


def _kinds(chunk: Chunk, level: str, body: CardBody) -> Iterator[str]:
    if level in ("over", "small"):
        yield level
    if any(table.role is not TableRole.NONE for table in chunk.tables):
        yield "slice"
    if any(part.role in REPEATED for part in chunk.parts):
        yield "repeat"
    if any(piece.change is not TextChange.NONE for item in body for piece in _pieces(item)):
        yield "change"


def _pieces(item: LineView | TableSliceView) -> Iterator[TextPiece]:
    if isinstance(item, LineView):
        return (piece for run in item.runs for piece in run.pieces)
    return (piece for row in item.rows for cell in row.cells for piece in cell.pieces)


def _rows(chunk: Chunk, context: RenderContext) -> Iterator[str]:
    """Yield the labels of the table rows that the chunk shows only in part, because they are too
    long, as plain text.
    """
    whole_ids = {table.id for table in tables(chunk.content)}
    return (
        table_label(table.id, table, context)
        for table in chunk.tables
        if table.role is not TableRole.NONE and table.id not in whole_ids
    )


def _origin(chunk: Chunk) -> Iterator[str]:
    yield chunk.chunk_id
    yield from map(_where, chunk.positions)
    if chunk.parent:
        yield f"part of {chunk.parent}"
    slices = sum(isinstance(part, Slice) for part in chunk.parts)
    yield f"{counted(slices, 'slice')} of {counted(len(chunk.blocks), 'block')}"


def _where(position: Position) -> str:
    numbers = f"¶ {_range(*position.paragraphs)}, " if position.paragraphs else ""
    ids = (
        f" (paraId {_range(position.first, position.last)})"
        if position.first and position.last
        else ""
    )
    return f"{numbers}body elements {_range(*position.elements)}{ids}"


def _range(first: int | str, last: int | str) -> str:
    return f"{first}" if first == last else f"{first}–{last}"


# -- the text of a chunk

_HEADING: Final = re.compile(r"#{1,6} +")
# text of other roles, such as a decoded cell, may look like the tag of a table
_RAW: Final = frozenset({SliceRole.TEXT, SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.WRAPPER})


def _body(chunk: Chunk, context: RenderContext) -> CardBody:
    text, at = chunk_text(chunk, context), 0
    body: list[LineView | TableSliceView] = []
    for tag in tables(text.text):
        if text.part_at(tag.start).role in _RAW:
            body += _lines(text, at, tag.start, chunk)
            body.append(table_view(text, tag, chunk, context))
            at = tag.end
    body += _lines(text, at, len(text.text), chunk)
    return tuple(body)


def _lines(text: ChunkText, start: int, end: int, chunk: Chunk) -> Iterator[LineView]:
    for line in text.text[start:end].split("\n"):
        if line and not line.isspace():
            yield _line(text, start, start + len(line), chunk)
        start += len(line) + 1


def _line(text: ChunkText, start: int, end: int, chunk: Chunk) -> LineView:
    """Return a line: a heading at the start of its block, else a paragraph."""
    position = text.position(start)
    if position is None:
        return LineView(text.runs(start, end))
    block, at = position
    if at == 0 and block.level and (mark := _HEADING.match(text.text, start, end)):
        is_first = text.part_at(start).role is SliceRole.TEXT
        return LineView(
            text.runs(mark.end(), end),
            level=min(block.level, 4),
            # the card's own heading is of level 3
            rank=min(max(block.level - max(chunk.level, 1), 0), 2) + 4,
            anchor=f"{text.context.key}-b{block.number}" if is_first else "",
            confidence=text.context.document.blocks[block.number].confidence,
        )
    line = _line_of(position, text.context)
    return LineView(
        text.runs(start, end),
        kind="" if line.kind is LineKind.TEXT else line.kind,
        depth=min(line.depth, 8) if line.kind is LineKind.LIST else None,
        bold=line.bold,
        goes_on=bool(at and block.content[at - 1] != "\n"),
    )


def _line_of(position: BlockPosition, context: RenderContext) -> Line:
    """Return the block's record of the line at a position."""
    lines, starts = context.document.blocks[position.block.number].lines, position.block.lines
    number = bisect_right(starts, position.at) - 1
    return lines[number] if len(lines) == len(starts) else Line()
