"""Split the text of a chunk into pieces: plain text, equations, pictures, superscripts, note marks
and tracked changes.

`ChunkText` knows which part of the chunk, and which block, each character comes from, and returns
the pieces of a line; `table_view` returns those of the cells of a table, whole or a slice.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from docxchunk.formats.report.views import (
    CellView,
    NumberedBlock,
    PieceKind,
    RenderContext,
    RoleRun,
    RowView,
    TableSliceView,
    TextPiece,
)
from docxchunk.markup.laws import shown
from docxchunk.markup.table_texts import header_row_count
from docxchunk.markup.tables import Grid, TableTag, attribute, json_text
from docxchunk.markup.tags import DRAWING, INLINE_TAG, INSIDE, unescape_text
from docxchunk.model.blocks import TableFormat
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Part,
    Slice,
    SliceRole,
    TableRole,
    TableRows,
)
from docxchunk.model.comparison import TextChange
from docxchunk.model.document import Document
from docxchunk.model.objects import Drawing, DrawingKind

# -- where the text comes from


class BlockPosition(NamedTuple):
    """An offset in a block."""

    block: NumberedBlock
    at: int


@dataclass(frozen=True, slots=True)
class ChunkText:
    """The text of a chunk and its parts. `bounds` are the offsets in `text` between the parts, from
    0 to the length of the text.
    """

    text: str
    parts: tuple[Part, ...]
    bounds: tuple[int, ...]
    context: RenderContext

    def part_at(self, at: int) -> Part:
        return self.parts[self._number(at)]

    def position(self, at: int) -> BlockPosition | None:
        """Return the position of a character in its block. For text in another form, return the
        position of the first character of that text. Return None for added text and decoded table
        cells.
        """
        number = self._number(at)
        part = self.parts[number]
        if isinstance(part, Added) or part.role is SliceRole.CELL:
            return None
        block = self.context.blocks.get(part.block)
        inside = at - self.bounds[number] if part.shown is None else 0
        return None if block is None else BlockPosition(block, part.start + inside)

    def runs(self, start: int, end: int) -> tuple[RoleRun, ...]:
        """Return the runs of characters [start, end). Repeated and added text has a role."""
        if start == end:
            return ()
        numbers = range(self._number(start), self._number(end - 1) + 1)
        runs = [
            self._run(n, max(start, self.bounds[n]), min(end, self.bounds[n + 1])) for n in numbers
        ]
        return tuple(runs)

    def _run(self, number: int, start: int, end: int) -> RoleRun:
        text, role = self.text[start:end], self.parts[number].role
        return RoleRun(
            role if role in MARKED and not text.isspace() else "",
            start == self.bounds[number],
            tuple(pieces(text, unescape_text, self.context)),
        )

    def _number(self, at: int) -> int:
        return bisect_right(self.bounds, at, hi=len(self.parts)) - 1


def chunk_text(chunk: Chunk, context: RenderContext) -> ChunkText:
    """Return the text of a chunk, divided into its parts; undivided if the parts do not add up to
    the content.
    """
    contents = {
        part.block: context.blocks[part.block].content
        for part in chunk.parts
        if isinstance(part, Slice) and part.block in context.blocks
    }
    texts = [shown(part, contents) for part in chunk.parts]
    if "".join(texts) != chunk.content:
        whole = Slice("", 0, len(chunk.content))
        return ChunkText(chunk.content, (whole,), (0, len(chunk.content)), context)
    filled = [(part, text) for part, text in zip(chunk.parts, texts, strict=True) if text]
    bounds = accumulate((len(text) for _, text in filled), initial=0)
    return ChunkText(chunk.content, tuple(part for part, _ in filled), tuple(bounds), context)


# -- pieces

_TAG: Final = re.compile(
    rf"(?P<equation><equation\b[^<>]*>)(?P<latex>{INSIDE.format('equation')})</equation>"
    rf"|(?P<drawing>{DRAWING})"
    r"|<(?P<script>su[bp]|del|strong|em|u|mark|a)(?: (?:color|href)=\"[^\"<>]*\")?>"
    r"(?P<raised>[^<]*)</(?P=script)>"
    rf"|(?P<around>{INLINE_TAG})"
    r"|(?P<note>\[\^[^\]\s]{1,12}\])"
    r"|\{\+\+(?P<inserted>[^<>{}]*)\+\+\}|\{--(?P<deleted>[^<>{}]*)--\}",  # CriticMarkup
    re.DOTALL,
)
_SCRIPTS: Final = {
    "sup": PieceKind.SUPERSCRIPT,
    "sub": PieceKind.SUBSCRIPT,
    "del": PieceKind.STRUCK,
    **{
        str(kind): kind
        for kind in (
            PieceKind.BOLD,
            PieceKind.ITALIC,
            PieceKind.UNDERLINED,
            PieceKind.HIGHLIGHTED,
            PieceKind.LINK,
        )
    },
}
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)
MARKED: Final = frozenset(
    {SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER, AddedRole.LABEL, AddedRole.CONTEXT}
)

Unescape = Callable[[str], str]


def html_cell_pieces(text: str, context: RenderContext) -> tuple[TextPiece, ...]:
    """Return the pieces of the HTML between `<td>` and `</td>`."""
    cell: list[TextPiece] = []
    for line in _BREAK.split(text):
        cell += [TextPiece(PieceKind.BREAK, "\n")] if cell else []
        cell += pieces(line, html.unescape, context)
    return tuple(cell)


def pieces(text: str, unescape: Unescape, context: RenderContext) -> Iterator[TextPiece]:
    """Yield the pieces of a text with tags. `unescape` decodes the text between the tags."""
    at = 0
    if "<" in text or "[^" in text or context.tracked:
        for tag in _TAG.finditer(text):
            if tag.start() > at:
                yield TextPiece(PieceKind.TEXT, unescape(text[at : tag.start()]))
            if not tag["around"]:  # unpaired, or around other tags
                yield _piece(tag, unescape, context)
            at = tag.end()
    if at < len(text):
        yield TextPiece(PieceKind.TEXT, unescape(text[at:]))


def _piece(tag: re.Match[str], unescape: Unescape, context: RenderContext) -> TextPiece:
    if tag["equation"]:
        return TextPiece(
            PieceKind.DISPLAY if attribute(tag["equation"], "id") else PieceKind.EQUATION,
            tag["latex"],
        )
    if tag["drawing"]:
        drawing = context.document.drawings.get(attribute(tag["drawing"], "id"))
        if drawing is None:
            return TextPiece(PieceKind.PICTURE, tag[0])
        source = context.pictures.get(_asset_of(drawing), "")
        return TextPiece(PieceKind.PICTURE, text_of_picture(drawing, is_shown=bool(source)), source)
    if tag["note"]:
        return TextPiece(PieceKind.NOTE, tag["note"])
    if not tag["script"]:
        is_new = tag["inserted"] is not None
        change = TextChange.INSERTED if is_new else TextChange.DELETED
        return TextPiece(
            PieceKind.TEXT, unescape(tag["inserted"] if is_new else tag["deleted"]), change=change
        )
    return TextPiece(_SCRIPTS[tag["script"]], unescape(tag["raised"]))


# -- pictures, as `data:` URIs (RFC 2397)

LARGEST: Final = 2 << 20  # bytes of one picture
MAX_BYTES: Final = 12 << 20  # bytes of all, counted as often as they are shown

_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
)


def data_uris(document: Document, times: int) -> dict[str, str]:
    """Return the URIs of the assets that browsers can show, by name, in document order, within the
    size limits.

    `times` is how often the page repeats all pictures.
    """
    uses = Counter(_asset_of(drawing) for drawing in document.drawings.values())
    uris: dict[str, str] = {}
    room = MAX_BYTES
    for name, often in uses.items():
        data = document.assets[name] if name in document.assets else b""  # noqa: SIM401 - each access reads from disk
        cost = len(data) * often * times
        if (kind := media_type(data)) and len(data) <= LARGEST and cost <= room:
            uris[name] = f"data:{kind};base64,{b64encode(data).decode()}"
            room -= cost
    return uris


def media_type(data: bytes) -> str:
    """Return the media type by the first bytes; "" for formats that browsers do not show (EMF, WMF,
    TIFF).
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    start = data[:200].lstrip(b"\xef\xbb\xbf \r\n")
    if start.startswith((b"<svg", b"<?xml")) and b"<svg" in data[:2000]:
        return "image/svg+xml"
    return next((f"image/{name}" for first, name in _SIGNATURES if data.startswith(first)), "")


def _asset_of(drawing: Drawing) -> str:
    return drawing.path.rpartition("/")[2]


_VERSION_OF_PROGRAM: Final = re.compile(r"\.\d+$")  # "Visio.Drawing.11"


def text_of_picture(drawing: Drawing, *, is_shown: bool) -> str:
    """Return the alternative text of a picture. If the picture is not shown, add its kind and
    format.
    """
    kind = "embedded object" if drawing.kind is DrawingKind.OLE else str(drawing.kind)
    text = drawing.alt or drawing.caption or drawing.name
    if is_shown:
        return text or kind
    program = _VERSION_OF_PROGRAM.sub("", drawing.format).replace(".", " ")
    return " · ".join(filter(None, (kind, text, program)))


def table_view(
    text: ChunkText, tag: TableTag, chunk: Chunk, setting: RenderContext
) -> TableSliceView:
    """Return the table at `tag`. If its rows cannot be parsed, the table has its raw text."""
    rows = next((rows for rows in chunk.tables if rows.id == tag.id), None)
    role = rows.role if rows else TableRole.NONE
    caption = table_label(tag.id, rows, setting)
    grid = Grid(text.text, tag)
    if grid.format is None:
        return TableSliceView(caption, role, (), text.text[tag.start : tag.end])
    table = setting.document.tables.get(tag.id)
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
        whole = " (whole table)" if rows else ""
        return f"{name}, {table.row_count} × {table.column_count}{whole}" if table else name
    first, last = rows.rows[0] + 1, rows.rows[1] + 1
    which = f"row {first}" if first == last else f"rows {first} to {last}"
    return f"{name}, {which}{f' of {table.row_count}' if table else ''} ({rows.role} slice)"


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
