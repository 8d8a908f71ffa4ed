"""Convert a table of a chunk, whole or a slice, to rows of cells."""

from __future__ import annotations

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
from docxchunk.markup.table_texts import header_rows
from docxchunk.markup.tables import Grid, TableTag, json_text
from docxchunk.model.blocks import TableFormat
from docxchunk.model.chunks import AddedRole, Chunk, TableRole, TableRows


def table_view(
    text: ChunkText, tag: TableTag, chunk: Chunk, setting: RenderContext
) -> TableSliceView:
    """Return the table at `tag`; with its raw text if the rows cannot be parsed."""
    rows = next((rows for rows in chunk.tables if rows.id == tag.id), None)
    role = rows.role if rows else TableRole.NONE
    caption = table_label(tag.id, rows, setting)
    grid = Grid(text.text, tag)
    if grid.format is None:
        return TableSliceView(caption, role, (), text.text[tag.start : tag.end])
    heads = _heads(tag.id, setting) if role in (TableRole.NONE, TableRole.FIRST) else 0
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
        whole = " (whole table)" if rows else ""
        return f"{name}, {table.row_count} × {table.column_count}{whole}" if table else name
    first, last = rows.rows[0] + 1, rows.rows[1] + 1
    which = f"row {first}" if first == last else f"rows {first} to {last}"
    return f"{name}, {which}{f' of {table.row_count}' if table else ''} ({rows.role} slice)"


def _heads(identifier: str, setting: RenderContext) -> int:
    """Return the number of header rows of a table."""
    return len(header_rows(setting.document.tables.get(identifier), 0))


def _row(text: ChunkText, grid: Grid, row: int, setting: RenderContext, *, head: bool) -> RowView:
    again = text.part_at(grid.rows[row][0]).role is AddedRole.HEADER
    cells = _cells(text, grid, row, setting, head=head or again)
    return RowView(tuple(cells), head or again, again)


def _cells(
    text: ChunkText, grid: Grid, row: int, setting: RenderContext, *, head: bool
) -> Iterator[CellView]:
    cells = grid.cells(row)
    if not cells and grid.format is TableFormat.JSON:  # not a list of strings
        yield CellView((TextPiece(PieceKind.TEXT, text.text[slice(*grid.rows[row])]),), head=False)
    for cell in cells:
        role = text.part_at(cell.start).role if not head and cell.start < cell.end else ""
        raw = text.text[cell.start : cell.end]
        pieces = (
            json_cell_pieces(json_text(raw), setting)
            if grid.format is TableFormat.JSON
            else html_cell_pieces(raw, setting)
        )
        named = head or text.text.startswith(("<th>", "<th "), cell.tag[0])
        shown_role = role if role in MARKED else ""
        yield CellView(pieces, named and bool(pieces), shown_role, cell.rows, cell.columns)
