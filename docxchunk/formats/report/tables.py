"""Convert a table of a chunk, whole or a slice, to rows of cells."""

from __future__ import annotations

import json
from collections.abc import Iterator

from docxchunk.formats.report.pieces import MARKED, ChunkText, html_cell_pieces, json_cell_pieces
from docxchunk.formats.report.views import (
    CellView,
    PieceKind,
    RenderContext,
    RowView,
    TableSliceView,
    TextPiece,
)
from docxchunk.markup.tables import CellRange, Range, TableTag, cells, header_texts, rows
from docxchunk.model.chunks import AddedRole, Chunk, TableRole, TableRows
from docxchunk.model.objects import TableFormat


def table_view(
    text: ChunkText, tag: TableTag, chunk: Chunk, setting: RenderContext
) -> TableSliceView:
    """Return the table at `tag`; with its raw text if the rows cannot be parsed."""
    held = next((held for held in chunk.tables if held.id == tag.id), None)
    role = held.role if held else TableRole.NONE
    caption = table_label(tag.id, held, setting)
    found = rows(text.text, tag)
    if found is None:
        return TableSliceView(caption, role, (), text.text[tag.start : tag.end])
    fmt, ranges = found
    heads = _heads(tag.id, setting) if role in (TableRole.NONE, TableRole.FIRST) else 0
    return TableSliceView(
        caption,
        role,
        tuple(
            _row(text, row, fmt, setting, head=number < heads) for number, row in enumerate(ranges)
        ),
    )


def table_label(identifier: str, held: TableRows | None, setting: RenderContext) -> str:
    """Return a label, such as `Table 2, rows 4 to 6 of 22 (middle slice)`."""
    table, number = setting.document.tables.get(identifier), setting.table_numbers.get(identifier)
    name = f"Table {number}" if number else "Table"
    if held is None or held.role is TableRole.NONE:
        return f"{name}, {table.row_count} × {table.column_count}" if table else name
    first, last = held.rows[0] + 1, held.rows[1] + 1
    which = f"row {first}" if first == last else f"rows {first} to {last}"
    return f"{name}, {which}{f' of {table.row_count}' if table else ''} ({held.role} slice)"


def _heads(identifier: str, setting: RenderContext) -> int:
    """Return the number of header rows of a table."""
    table = setting.document.tables.get(identifier)
    return len(header_texts(table.header or table.header_guess or "")) if table else 0


def _row(
    text: ChunkText, row: Range, fmt: TableFormat, setting: RenderContext, *, head: bool
) -> RowView:
    again = text.part_at(row[0]).role is AddedRole.HEADER
    return RowView(tuple(_cells(text, row, fmt, setting, head=head or again)), head or again, again)


def _cells(
    text: ChunkText, row: Range, fmt: TableFormat, setting: RenderContext, *, head: bool
) -> Iterator[CellView]:
    found = cells(text.text, row, fmt)
    if not found and fmt is TableFormat.JSON:  # not a list of strings
        yield CellView((TextPiece(PieceKind.TEXT, text.text[row[0] : row[1]]),), head=False)
    for cell in found:
        role = text.part_at(cell.start).role if not head and cell.start < cell.end else ""
        pieces = _pieces(text.text[cell.start : cell.end], fmt, setting)
        named = head or text.text.startswith(("<th>", "<th "), cell.tag[0])
        yield _cell(cell, pieces, head=named and bool(pieces), role=role if role in MARKED else "")


def _pieces(raw: str, fmt: TableFormat, setting: RenderContext) -> tuple[TextPiece, ...]:
    return (
        json_cell_pieces(str(json.loads(f'"{raw}"', strict=False)), setting)
        if fmt is TableFormat.JSON
        else html_cell_pieces(raw, setting)
    )


def _cell(cell: CellRange, pieces: tuple[TextPiece, ...], *, head: bool, role: str) -> CellView:
    return CellView(pieces, head, role, cell.rows, cell.columns)
