"""A table of a chunk, whole or a slice, as a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from docxchunk.formats.report.chunk_text import ChunkText
from docxchunk.formats.report.escaping import escaped
from docxchunk.formats.report.inline import MARKED, html_cell_html, json_cell_html
from docxchunk.formats.report.values import Setting
from docxchunk.markup.tables import Cell, Range, TableTag, cells, header_texts, rows
from docxchunk.model.chunks import AddedRole, Chunk, TableRole, TableRows
from docxchunk.model.objects import TableFormat


class Row(NamedTuple):
    """A row as it is shown; `head`: it names the columns."""

    head: bool
    html: str


def table_html(text: ChunkText, tag: TableTag, chunk: Chunk, setting: Setting) -> str:
    """The table at `tag`, in a box that can be scrolled; as raw text where its rows cannot be told apart."""
    found = rows(text.text, tag)
    if found is None:
        return f'<pre class="raw" tabindex="0">{escaped(text.text[tag.start : tag.end])}</pre>'
    fmt, ranges = found
    held = next((held for held in chunk.tables if held.id == tag.id), None)
    role = held.role if held else TableRole.NONE
    heads = _heads(tag.id, setting) if role in (TableRole.NONE, TableRole.FIRST) else 0
    shown = [_row(text, row, fmt, setting, head=number < heads) for number, row in enumerate(ranges)]
    head = next((number for number, row in enumerate(shown) if not row.head), len(shown))
    caption = table_label(tag.id, held, setting)
    body = f"<thead>{_joined(shown[:head])}</thead>" if head else ""
    return (
        f'<div class="table {role}" role="group" tabindex="0" aria-label="{escaped(caption)}"><table>'
        f"<caption>{escaped(caption)}</caption>{body}<tbody>{_joined(shown[head:])}</tbody></table></div>"
    )


def table_label(identifier: str, held: TableRows | None, setting: Setting) -> str:
    """Table 2, rows 4 to 6 of 22 (middle slice)"""
    table, number = setting.document.tables.get(identifier), setting.table_numbers.get(identifier)
    name = f"Table {number}" if number else "Table"
    if held is None or held.role is TableRole.NONE:
        return f"{name}, {table.row_count} × {table.column_count}" if table else name
    first, last = held.rows[0] + 1, held.rows[1] + 1
    which = f"row {first}" if first == last else f"rows {first} to {last}"
    return f"{name}, {which}{f' of {table.row_count}' if table else ''} ({held.role} slice)"


def _heads(identifier: str, setting: Setting) -> int:
    """How many rows of a table name the columns."""
    table = setting.document.tables.get(identifier)
    return len(header_texts(table.header or table.header_guess or "")) if table else 0


def _row(text: ChunkText, row: Range, fmt: TableFormat, setting: Setting, *, head: bool) -> Row:
    again = text.part_at(row[0]).role is AddedRole.HEADER
    head = head or again
    name = ' class="again"' if again else ""
    return Row(head, f"<tr{name}>{''.join(_cells(text, row, fmt, setting, head=head))}</tr>")


def _cells(text: ChunkText, row: Range, fmt: TableFormat, setting: Setting, *, head: bool) -> Iterator[str]:
    found = cells(text.text, row, fmt)
    if not found and fmt is TableFormat.JSON:  # no list of strings
        yield f"<td>{escaped(text.text[row[0] : row[1]])}</td>"
    for cell in found:
        raw = text.text[cell.start : cell.end]
        content = json_cell_html(str(json.loads(f'"{raw}"', strict=False)), setting) if fmt is TableFormat.JSON else html_cell_html(raw, setting)
        if not head and cell.start < cell.end and (role := text.part_at(cell.start).role) in MARKED:
            content = f'<mark class="{role} opens">{content}</mark>'
        yield _cell(cell, content, head=head or text.text.startswith(("<th>", "<th "), cell.tag[0]))


def _cell(cell: Cell, content: str, *, head: bool) -> str:
    spans = (f' rowspan="{cell.rows}"' if cell.rows > 1 else "") + (f' colspan="{cell.columns}"' if cell.columns > 1 else "")
    name, scope = ("th", ' scope="col"') if head and content else ("td", "")
    return f'<{name}{scope}{spans} dir="auto">{content}</{name}>'


def _joined(shown: list[Row]) -> str:
    return "".join(row.html for row in shown)
