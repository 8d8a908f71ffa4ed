"""Chunks as cards: number, heading path, size, text, and where it comes from. Chunks with children are frames around the cards of these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from typing import Final, NamedTuple

from docxchunk.formats.report.alignment import ancestors, leaves
from docxchunk.formats.report.chunk_text import chunk_text
from docxchunk.formats.report.lines import body
from docxchunk.formats.report.tables import table_label
from docxchunk.formats.report.values import ChunkSet, Setting, counted, setting_of
from docxchunk.formats.report.views import Body, Change, Line, Piece, TableView, text_of
from docxchunk.markup.citations import citation, pages, paragraphs
from docxchunk.markup.languages import language_of
from docxchunk.markup.tables import tables
from docxchunk.model.blocks import Position
from docxchunk.model.chunks import AddedRole, Chunk, Slice, SliceRole, TableRole
from docxchunk.model.document import Document

_COLOURS: Final = 6
_HINT: Final = 70  # letters of a chunk's text that say what a part holds
_PART: Final = re.compile(r" ?\[part \d+\]$")
_REPEATS: Final = (SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER)
_NAMELESS: Final = "(before the first heading)"


class Size(NamedTuple):
    """Tokens of a chunk beside its cap; `level` is one of over, ideal, usual, small; `share` is in percent, at most 100."""

    tokens: int
    cap: int
    level: str
    share: int
    where: tuple[str, ...]  # pages and paragraphs


class Card(NamedTuple):
    """`hint` says what a part of a section holds, where its heading alone does not."""

    chunk: Chunk
    name: str
    key: str  # its id in the page
    set_key: str
    heading: str
    hint: str
    size: Size
    colour: int
    height: int
    kinds: tuple[str, ...]
    rows: tuple[str, ...]
    language: str
    body: Body
    citation: str
    origin: tuple[str, ...]

    @property
    def number(self) -> int:
        return self.chunk.chunk_order_index + 1


class Frame(NamedTuple):
    """A chunk with children. `again`: it was shown before, and goes on here."""

    chunk: Chunk
    name: str
    key: str
    heading: str
    size: Size
    inside: tuple[Card | Frame, ...]
    again: bool


class Cards:
    """The cards of one set, made in reading order: each parent is introduced once, where it first appears."""

    def __init__(self, chunk_set: ChunkSet, setting: Setting) -> None:
        self._set, self._setting = chunk_set, setting
        chunks = {chunk.chunk_id: chunk for chunk in chunk_set.chunks}
        self._above = {leaf.chunk_id: ancestors(leaf, chunks) for leaf in leaves(chunk_set)}
        self._named: set[str] = set()

    def of(self, chunks: Sequence[Chunk], depth: int = 0) -> Iterator[Card | Frame]:
        for parent, group in groupby(chunks, key=lambda chunk: self._parent(chunk, depth)):
            inside = list(group)
            if parent is None:
                yield from (card(chunk, self._set, self._setting) for chunk in inside)
            else:
                yield self._frame(parent, inside, depth)

    def _parent(self, chunk: Chunk, depth: int) -> Chunk | None:
        above = self._above[chunk.chunk_id]
        return above[depth] if depth < len(above) else None

    def _frame(self, parent: Chunk, inside: Sequence[Chunk], depth: int) -> Frame:
        again = parent.chunk_id in self._named
        self._named.add(parent.chunk_id)
        key = f"{self._setting.key}-{parent.chunk_order_index + 1}"
        children = tuple(self.of(inside, depth + 1))
        return Frame(parent, self._set.label(parent), key, card_heading(parent), size_of(parent, self._set.cap), children, again)


def card(chunk: Chunk, chunk_set: ChunkSet, setting: Setting) -> Card:
    shown = body(chunk_text(chunk, setting), chunk, setting)
    number = chunk.chunk_order_index + 1
    return Card(
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


def views_of(document: Document, chunk_set: ChunkSet) -> Iterator[tuple[Chunk, Body]]:
    """Each chunk with its text as lines and tables. Pictures are shown as their alternative text."""
    setting = setting_of(document, {})
    return ((chunk, body(chunk_text(chunk, setting), chunk, setting)) for chunk in chunk_set.chunks)


def kinds(chunk: Chunk, cap: int) -> Iterator[str]:
    """What a chunk can be filtered by."""
    if chunk.tokens > cap:
        yield "over"
    if chunk.tokens < cap / 8:
        yield "small"
    if any(table.role is not TableRole.NONE for table in chunk.tables):
        yield "slice"
    if any(part.role in _REPEATS for part in chunk.parts):
        yield "repeat"


def size_of(chunk: Chunk, cap: int) -> Size:
    share = min(100, round(100 * chunk.tokens / max(1, cap)))
    level = "over" if chunk.tokens > cap else "ideal" if share >= 75 else "small" if share < 12.5 else "usual"
    return Size(chunk.tokens, cap, level, share, tuple(filter(None, (pages(chunk), paragraphs(chunk)))))


def hint(chunk: Chunk, shown: Body) -> str:
    """The label, the first words or the first table of a chunk whose heading does not say what it holds: a part of a section, or text before any heading."""
    return chunk.label or beginning(shown) if not chunk.heading or _PART.search(chunk.heading) else ""


def beginning(shown: Body) -> str:
    """The first words that a chunk does not repeat from another; of a table, its number and the first row."""
    for item in shown:
        if isinstance(item, TableView):
            return _cut(_table_hint(item))
        if not item.level and (text := _own(item)):
            return _cut(text)
    return ""


def _table_hint(table: TableView) -> str:
    rows = (" · ".join(filter(None, (text_of(cell.pieces).strip() for cell in row.cells))) for row in table.rows if not row.again)
    return ": ".join(filter(None, (table.caption.partition(" (")[0], next(filter(None, rows), ""))))


def _own(line: Line) -> str:
    return " ".join("".join(text_of(run.pieces) for run in line.runs if not run.role).split())


def _cut(text: str) -> str:
    """The first words; a character of Chinese or Japanese takes the room of two letters."""
    text = " ".join(text.split())
    room = next((number for number, width in enumerate(accumulate(2 if ord(c) > 0x2E80 else 1 for c in text)) if width > _HINT), None)
    if room is None:
        return text
    words = text[:room].rpartition(" ")[0]
    return f"{words if len(words) > room / 2 else text[:room]} …"


def card_heading(chunk: Chunk) -> str:
    """Its own heading; a part of the text before all headings has only its number."""
    return chunk.heading if _PART.sub("", chunk.heading) else " ".join(filter(None, (_NAMELESS, chunk.heading)))


def _height(chunk: Chunk) -> int:
    """A guess in steps of about 200 px, so that the scroll bar is right before the text is laid out."""
    lines = (
        chunk.content.count("\n") + chunk.content.count("</tr>") + chunk.content.count("],[") + sum(2 if ord(c) > 0x2E80 else 1 for c in chunk.content) // 90
    )
    return min(1 + lines // 7, 20)


def _has_change(shown: Body) -> bool:
    return any(piece.change is not Change.NONE for item in shown for pieces in _all(item) for piece in pieces)


def _all(item: Line | TableView) -> Iterator[Sequence[Piece]]:
    if isinstance(item, Line):
        return (run.pieces for run in item.runs)
    return (cell.pieces for row in item.rows for cell in row.cells)


def _rows(chunk: Chunk, setting: Setting) -> Iterator[str]:
    """The rows that a chunk holds of a table without being one: a long row is cut into pieces of text."""
    shown = {table.id for table in tables(chunk.content)}
    return (table_label(table.id, table, setting) for table in chunk.tables if table.role is not TableRole.NONE and table.id not in shown)


def _origin(chunk: Chunk) -> Iterator[str]:
    yield chunk.chunk_id
    for position in chunk.positions:
        yield _where(position)
    if chunk.parent:
        yield f"part of {chunk.parent}"
    yield f"{counted(sum(isinstance(part, Slice) for part in chunk.parts), 'slice')} of {counted(len(chunk.blocks), 'block')}"


def _where(position: Position) -> str:
    counted = f"¶ {_span(*position.paragraphs)}, " if position.paragraphs else ""
    named = f" (paraId {_span(position.first, position.last)})" if position.first and position.last else ""
    return f"{counted}body elements {_span(*position.elements)}{named}"


def _span(first: int | str, last: int | str) -> str:
    return f"{first}" if first == last else f"{first}–{last}"
