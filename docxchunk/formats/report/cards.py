"""Make the cards of chunks: number, heading path, size, text and origin. A chunk with children is a
frame around their cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from docxchunk.formats.report.alignment import ancestors, leaves
from docxchunk.formats.report.chunk_text import chunk_text
from docxchunk.formats.report.lines import body
from docxchunk.formats.report.tables import table_label
from docxchunk.formats.report.values import ChunkSet, RenderContext, counted, setting_of
from docxchunk.formats.report.views import (
    CardBody,
    LineView,
    TableSliceView,
    TextChange,
    TextPiece,
    text_of,
)
from docxchunk.markup.citations import citation, pages, paragraphs
from docxchunk.markup.languages import language_of
from docxchunk.markup.tables import tables
from docxchunk.model.blocks import Position
from docxchunk.model.chunks import AddedRole, Chunk, Slice, SliceRole, TableRole
from docxchunk.model.document import Document
from docxchunk.model.wording import first_words

_COLOURS: Final = 6
_PART: Final = re.compile(r" ?\[part \d+\]$")
_REPEATS: Final = (SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER)
_NAMELESS: Final = "(before the first heading)"


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
    kinds: tuple[str, ...]
    rows: tuple[str, ...]
    language: str
    body: CardBody
    citation: str
    origin: tuple[str, ...]

    @property
    def number(self) -> int:
        return self.chunk.chunk_order_index + 1


class ParentCard(NamedTuple):
    """A chunk with children. `again`: the chunk is continued from an earlier frame."""

    chunk: Chunk
    name: str
    key: str
    heading: str
    size: CardSize
    inside: tuple[ChunkCard | ParentCard, ...]
    again: bool


class Cards:
    """Make the cards of one set in reading order. A parent is introduced where it first appears."""

    def __init__(self, chunk_set: ChunkSet, setting: RenderContext) -> None:
        self._set, self._setting = chunk_set, setting
        chunks = {chunk.chunk_id: chunk for chunk in chunk_set.chunks}
        self._above = {leaf.chunk_id: ancestors(leaf, chunks) for leaf in leaves(chunk_set)}
        self._named: set[str] = set()

    def of(self, chunks: Sequence[Chunk], depth: int = 0) -> Iterator[ChunkCard | ParentCard]:
        for parent, group in groupby(chunks, key=lambda chunk: self._parent(chunk, depth)):
            inside = list(group)
            if parent is None:
                yield from (card(chunk, self._set, self._setting) for chunk in inside)
            else:
                yield self._frame(parent, inside, depth)

    def _parent(self, chunk: Chunk, depth: int) -> Chunk | None:
        above = self._above[chunk.chunk_id]
        return above[depth] if depth < len(above) else None

    def _frame(self, parent: Chunk, inside: Sequence[Chunk], depth: int) -> ParentCard:
        again = parent.chunk_id in self._named
        self._named.add(parent.chunk_id)
        key = f"{self._setting.key}-{parent.chunk_order_index + 1}"
        children = tuple(self.of(inside, depth + 1))
        return ParentCard(
            parent,
            self._set.label(parent),
            key,
            card_heading(parent),
            size_of(parent, self._set.cap),
            children,
            again,
        )


def card(chunk: Chunk, chunk_set: ChunkSet, setting: RenderContext) -> ChunkCard:
    shown = body(chunk_text(chunk, setting), chunk, setting)
    number = chunk.chunk_order_index + 1
    return ChunkCard(
        chunk,
        chunk_set.label(chunk),
        f"{setting.key}-{number}",
        setting.key,
        card_heading(chunk),
        hint(chunk, shown),
        size_of(chunk, chunk_set.cap),
        number % _COLOURS,
        _height(chunk),
        (*kinds(chunk, chunk_set.cap), *(["change"] if _has_change(shown) else [])),
        tuple(_rows(chunk, setting)),
        language_of(chunk.content),
        shown,
        citation(chunk, setting.document.name),
        tuple(_origin(chunk)),
    )


def views_of(document: Document, chunk_set: ChunkSet) -> Iterator[tuple[Chunk, CardBody]]:
    """Yield each chunk with its text as lines and tables. Pictures are replaced by their
    alternative text.
    """
    setting = setting_of(document, {})
    return ((chunk, body(chunk_text(chunk, setting), chunk, setting)) for chunk in chunk_set.chunks)


def kinds(chunk: Chunk, cap: int) -> Iterator[str]:
    """Yield the filters that a chunk matches."""
    if chunk.tokens > cap:
        yield "over"
    if chunk.tokens < cap / 8:
        yield "small"
    if any(table.role is not TableRole.NONE for table in chunk.tables):
        yield "slice"
    if any(part.role in _REPEATS for part in chunk.parts):
        yield "repeat"


def size_of(chunk: Chunk, cap: int) -> CardSize:
    share = min(100, round(100 * chunk.tokens / max(1, cap)))
    level = (
        "over"
        if chunk.tokens > cap
        else "ideal"
        if share >= 75
        else "small"
        if share < 12.5
        else "usual"
    )
    return CardSize(
        chunk.tokens, cap, level, share, tuple(filter(None, (pages(chunk), paragraphs(chunk))))
    )


def hint(chunk: Chunk, shown: CardBody) -> str:
    """Return the label, first words or first table of a part of a section or of text before any
    heading; "" for other chunks.
    """
    return (
        chunk.label or beginning(shown) if not chunk.heading or _PART.search(chunk.heading) else ""
    )


def beginning(shown: CardBody) -> str:
    """Return the first words that are not repeated from another chunk; for a table, its number and
    first row.
    """
    for item in shown:
        if isinstance(item, TableSliceView):
            return first_words(_table_hint(item))
        if not item.level and (text := _own(item)):
            return first_words(text)
    return ""


def _table_hint(table: TableSliceView) -> str:
    rows = (
        " · ".join(filter(None, (text_of(cell.pieces).strip() for cell in row.cells)))
        for row in table.rows
        if not row.again
    )
    return ": ".join(filter(None, (table.caption.partition(" (")[0], next(filter(None, rows), ""))))


def _own(line: LineView) -> str:
    return " ".join("".join(text_of(run.pieces) for run in line.runs if not run.role).split())


def card_heading(chunk: Chunk) -> str:
    """Return the heading of a chunk, or a placeholder for text before the first heading."""
    return (
        chunk.heading
        if _PART.sub("", chunk.heading)
        else " ".join(filter(None, (_NAMELESS, chunk.heading)))
    )


def _height(chunk: Chunk) -> int:
    """Estimate the height in steps of about 200 px, for a correct scroll bar before layout."""
    lines = (
        chunk.content.count("\n")
        + chunk.content.count("</tr>")
        + chunk.content.count("],[")
        + sum(2 if ord(c) > 0x2E80 else 1 for c in chunk.content) // 90
    )
    return min(1 + lines // 7, 20)


def _has_change(shown: CardBody) -> bool:
    return any(
        piece.change is not TextChange.NONE
        for item in shown
        for pieces in _all(item)
        for piece in pieces
    )


def _all(item: LineView | TableSliceView) -> Iterator[Sequence[TextPiece]]:
    if isinstance(item, LineView):
        return (run.pieces for run in item.runs)
    return (cell.pieces for row in item.rows for cell in row.cells)


def _rows(chunk: Chunk, setting: RenderContext) -> Iterator[str]:
    """Yield labels of table rows that are in the chunk as plain text: pieces of a long row."""
    shown = {table.id for table in tables(chunk.content)}
    return (
        table_label(table.id, table, setting)
        for table in chunk.tables
        if table.role is not TableRole.NONE and table.id not in shown
    )


def _origin(chunk: Chunk) -> Iterator[str]:
    yield chunk.chunk_id
    for position in chunk.positions:
        yield _where(position)
    if chunk.parent:
        yield f"part of {chunk.parent}"
    yield (
        f"{counted(sum(isinstance(part, Slice) for part in chunk.parts), 'slice')} of "
        f"{counted(len(chunk.blocks), 'block')}"
    )


def _where(position: Position) -> str:
    counted = f"¶ {_span(*position.paragraphs)}, " if position.paragraphs else ""
    named = (
        (f" (paraId {_span(position.first, position.last)})")
        if position.first and position.last
        else ""
    )
    return f"{counted}body elements {_span(*position.elements)}{named}"


def _span(first: int | str, last: int | str) -> str:
    return f"{first}" if first == last else f"{first}–{last}"
