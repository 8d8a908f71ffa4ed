"""Make the cards of chunks: number, heading path, size, and the text as headings, paragraphs, list
items and tables. A chunk with children has no card: the cards of its children name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from docxchunk.content.citations import citation, pages, paragraphs
from docxchunk.content.table_texts import header_row_count
from docxchunk.content.tables import TableContent, json_text, tables
from docxchunk.content.tags import unescape_text
from docxchunk.formats.report.pieces import (
    MARKED,
    CardBody,
    CellView,
    ChunkSet,
    ChunkText,
    LineView,
    PieceKind,
    RenderContext,
    RowView,
    TableSliceView,
    TextPiece,
    chunk_text,
    context_of,
    html_cell_pieces,
    pieces,
    text_of,
)
from docxchunk.language.patterns import pattern
from docxchunk.model.blocks import LineKind, TableFormat
from docxchunk.model.chunks import (
    PART,
    REPEATED,
    AddedRole,
    Chunk,
    SliceRole,
    TableRole,
    TableRows,
    size_level,
)
from docxchunk.model.document import Document
from docxchunk.model.wording import NAMELESS, first_words, language_of

_COLOURS: Final = 6


class ChunkCard(NamedTuple):
    """A chunk to show.

    - `key`: its id in the page; `set_key`: the prefix of the ids of its set.
    - `hint`: what a part of a section is about, if its heading does not say so.
    - `level`: of its size: over, ideal, usual or small; `share`: of the cap, in percent, at most
      100.
    - `facts`: its pages and paragraphs, and the name of its parent.
    - `kinds`: the filters of the page that it passes.
    - `rows`: the labels of rows that it has only in part.
    """

    chunk: Chunk
    name: str
    key: str
    set_key: str
    heading: str
    hint: str
    cap: int
    level: str
    share: int
    facts: tuple[str, ...]
    colour: int
    kinds: tuple[str, ...]
    rows: tuple[str, ...]
    language: str
    body: CardBody
    citation: str

    @property
    def number(self) -> int:
        return self.chunk.chunk_order_index + 1


def cards(chunk_set: ChunkSet, context: RenderContext, chunks: Iterable[Chunk]) -> list[ChunkCard]:
    """Return the cards of chunks of a set."""
    by_id = {chunk.chunk_id: chunk for chunk in chunk_set.chunks}
    return [_card(chunk_set, context, chunk, by_id.get(chunk.parent or "")) for chunk in chunks]


def _card(
    chunk_set: ChunkSet, context: RenderContext, chunk: Chunk, parent: Chunk | None
) -> ChunkCard:
    cap, number, body = chunk_set.cap, chunk.chunk_order_index + 1, _body(chunk, context)
    level = size_level(chunk.tokens, chunk.tokens, cap)
    part = f"part of {chunk_set.label(parent)}" if parent else ""
    has_heading = bool(PART.sub("", chunk.heading))
    return ChunkCard(
        chunk,
        chunk_set.label(chunk),
        f"{context.key}-{number}",
        context.key,
        chunk.heading if has_heading else f"{NAMELESS} {chunk.heading}".strip(),
        "" if has_heading and not PART.search(chunk.heading) else chunk.label or beginning(body),
        cap,
        level,
        min(100, round(100 * chunk.tokens / max(1, cap))),
        tuple(filter(None, (pages(chunk), paragraphs(chunk), part))),
        number % _COLOURS,
        tuple(_kinds(chunk, level)),
        tuple(_rows(chunk, context)),
        language_of(chunk.content),
        body,
        citation(chunk, context.document.name),
    )


def views_of(document: Document, chunk_set: ChunkSet) -> Iterator[tuple[Chunk, CardBody]]:
    """Yield each chunk with its text as lines and tables. Pictures are replaced by their
    alternative text.
    """
    context = context_of(document, {})
    return ((chunk, _body(chunk, context)) for chunk in chunk_set.chunks)


# -- what a card says about its chunk


def beginning(body: CardBody) -> str:
    """Return the first words that are not repeated from another chunk, or the caption of a table
    before them.
    """
    for item in body:
        if isinstance(item, TableSliceView):
            return item.caption
        pieces = (piece for run in item.runs if not run.role for piece in run.pieces)
        if not item.level and (words := text_of(pieces).strip()):
            return first_words(words)
    return ""


def _kinds(chunk: Chunk, level: str) -> Iterator[str]:
    if level in ("over", "small"):
        yield level
    if any(table.role is not TableRole.NONE for table in chunk.tables):
        yield "slice"
    if any(part.role in REPEATED for part in chunk.parts):
        yield "repeat"


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


# -- the text of a chunk

_HEADING: Final = pattern(r"#{1,6} +")
# text of other roles, such as a decoded cell, may look like the tag of a table
_RAW: Final = frozenset({SliceRole.TEXT, SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.WRAPPER})


def _body(chunk: Chunk, context: RenderContext) -> CardBody:
    text, at = chunk_text(chunk, context), 0
    body: list[LineView | TableSliceView] = []
    for table in tables(text.text):
        if text.part_at(table.start).role in _RAW:
            body += _lines(text, at, table.start, chunk)
            body.append(table_view(text, table, chunk, context))
            at = table.end
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
    line = block.lines.at(at)
    return LineView(
        text.runs(start, end),
        kind="" if line.kind is LineKind.TEXT else line.kind,
        depth=min(line.depth, 8) if line.kind is LineKind.LIST else None,
        bold=line.bold,
        goes_on=bool(at and block.content[at - 1] != "\n"),
    )


# -- tables


def table_view(
    text: ChunkText, grid: TableContent, chunk: Chunk, setting: RenderContext
) -> TableSliceView:
    """Return a table of a text. If its rows cannot be parsed, the table has its raw text."""
    rows = next((rows for rows in chunk.tables if rows.id == grid.id), None)
    role = rows.role if rows else TableRole.NONE
    caption = table_label(grid.id, rows, setting)
    if grid.format is None:
        return TableSliceView(caption, role, (), text.text[grid.start : grid.end])
    table = setting.document.tables.get(grid.id)
    heads = header_row_count(table, 0) if role in (TableRole.NONE, TableRole.FIRST) else 0
    return TableSliceView(
        caption,
        role,
        tuple(_row(text, grid, row, setting, head=row < heads) for row in range(len(grid.rows))),
    )


def table_label(identifier: str, rows: TableRows | None, setting: RenderContext) -> str:
    """Return a label, such as `Table 2, rows 4 to 6 of 22 (middle slice)`."""
    table, number = setting.document.tables.get(identifier), setting.table_numbers.get(identifier)
    name = f"Table {number}" if number else "Table"
    if rows is None or rows.role is TableRole.NONE:
        extent = " (whole table)" if rows else ""
        return f"{name}, {table.row_count} × {table.column_count}{extent}" if table else name
    first, last = rows.rows[0] + 1, rows.rows[1] + 1
    shown = f"row {first}" if first == last else f"rows {first} to {last}"
    return f"{name}, {shown}{f' of {table.row_count}' if table else ''} ({rows.role} slice)"


def _row(
    text: ChunkText, grid: TableContent, row: int, setting: RenderContext, *, head: bool
) -> RowView:
    again = text.part_at(grid.rows[row][0]).role is AddedRole.HEADER
    cells = _cells(text, grid, row, setting, head=head or again)
    return RowView(tuple(cells), head or again, again)


def _cells(
    text: ChunkText, grid: TableContent, row: int, setting: RenderContext, *, head: bool
) -> Iterator[CellView]:
    cells = grid.cells(row)
    if not cells and grid.format is TableFormat.JSON:  # not a list of strings
        yield CellView((TextPiece(PieceKind.TEXT, text.text[slice(*grid.rows[row])]),), head=False)
    for cell in cells:
        role = text.part_at(cell.start).role if not head and cell.start < cell.end else ""
        raw = text.text[cell.start : cell.end]
        texts = (
            tuple(pieces(json_text(raw), unescape_text, setting))
            if grid.format is TableFormat.JSON
            else html_cell_pieces(raw, setting)
        )
        named = head or text.text.startswith(("<th>", "<th "), cell.tag[0])
        shown_role = role if role in MARKED else ""
        yield CellView(
            texts,
            named and bool(texts),
            shown_role,
            cell.rows,
            cell.columns,
            cell.column,
        )
