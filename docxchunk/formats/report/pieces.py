"""The values of a report: the chunks to show, and the lines, tables and pieces of text that the
page templates and `docxchunk show --chunks` draw. A piece is plain text, an equation, a picture, a
superscript, a note mark or a tracked change.

`ChunkText` knows which part of the chunk, and which block, each character comes from, and returns
the pieces of a line.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final, NamedTuple

from docxchunk.content.lines import BlockLines
from docxchunk.content.tables import attribute
from docxchunk.content.tags import DRAWING, INLINE_TAG, INSIDE, unescape_text
from docxchunk.language.patterns import pattern
from docxchunk.model.chunks import Added, AddedRole, Chunk, Part, Slice, SliceRole, TableRole
from docxchunk.model.comparison import TextChange
from docxchunk.model.document import Document
from docxchunk.model.objects import Drawing, DrawingKind
from docxchunk.model.options import TrackChanges
from docxchunk.records.laws import shown

_KEY: Final = pattern(r"[A-Za-z]+( \d+)?")


@dataclass(frozen=True, slots=True)
class ChunkSet:
    """The chunks of a document by one strategy. `name` is the strategy, with the size if several
    are compared: unique in a report.
    """

    name: str
    cap: int
    tokenizer: str
    chunks: tuple[Chunk, ...]

    @property
    def leaves(self) -> list[Chunk]:
        """The chunks without children, which contain the text once."""
        return [chunk for chunk in self.chunks if not chunk.children]

    @property
    def roots(self) -> list[Chunk]:
        """The chunks without a parent."""
        return [chunk for chunk in self.chunks if not chunk.parent]

    def key(self, number: int) -> str:
        """Return the prefix of the ids of this set in the page: the name of the set if that is
        valid in a URL fragment, else "set" and its index `number`.
        """
        return self.name.replace(" ", "-") if _KEY.fullmatch(self.name) else f"set{number}"

    def label(self, chunk: Chunk) -> str:
        """Return the display name of a chunk: the name of the set and its number from 1."""
        number = chunk.chunk_order_index + 1
        return (
            f"{self.name} · {number}" if self.name[-1:].isdigit() else f"{self.name}\u202f{number}"
        )


@dataclass(frozen=True, slots=True)
class NumberedBlock:
    """A block with its number in the document from 0."""

    number: int
    content: str
    level: int
    lines: BlockLines


@dataclass(frozen=True, slots=True)
class RenderContext:
    """What a chunk refers to when it is drawn: its document, with blocks, pictures and tables.
    `key` is the prefix of the ids that the chunks of one set have in the page.
    """

    document: Document
    blocks: Mapping[str, NumberedBlock]
    pictures: Mapping[str, str]  # `data:` URIs by the name of their asset
    table_numbers: Mapping[str, int]  # from 1
    key: str = ""

    @property
    def tracked(self) -> bool:
        """Whether the text contains marked tracked changes."""
        return (
            self.document.options is not None
            and self.document.options.track_changes is TrackChanges.ALL
        )


def context_of(document: Document, pictures: Mapping[str, str]) -> RenderContext:
    """Return the context of a document. `pictures` maps names of assets to their `data:` URIs."""
    blocks = {
        block.id: NumberedBlock(number, block.content, block.level, BlockLines(block))
        for number, block in enumerate(document.blocks)
    }
    return RenderContext(
        document, blocks, pictures, {name: n for n, name in enumerate(document.tables.keys(), 1)}
    )


class PieceKind(StrEnum):
    """The kind of a piece of a line."""

    TEXT = "text"
    EQUATION = "equation"  # inline
    DISPLAY = "display"  # an equation in a paragraph of its own
    PICTURE = "picture"
    SUPERSCRIPT = "sup"
    SUBSCRIPT = "sub"
    STRUCK = "s"
    BOLD = "strong"
    ITALIC = "em"
    UNDERLINED = "u"
    HIGHLIGHTED = "mark"
    LINK = "a"  # without its target
    NOTE = "note"  # the mark of a footnote or endnote
    BREAK = "break"


class TextPiece(NamedTuple):
    """A piece of text. For an equation, `text` is LaTeX. For a picture, `text` is the alternative
    text, and `source` its `data:` URI; "" where the picture is not shown.
    """

    kind: PieceKind
    text: str
    source: str = ""
    change: TextChange = TextChange.NONE


class RoleRun(NamedTuple):
    """Neighbouring pieces of a line that are in the chunk for the same reason. `role` is this
    reason, such as "overlap"; "" for text that is neither repeated nor added. `opens` says whether
    the text with this role begins with these pieces.
    """

    role: str
    opens: bool
    pieces: tuple[TextPiece, ...]


class LineView(NamedTuple):
    """A paragraph, or a heading if `level` is over 0. `depth` is the level of a list item, None for
    other lines.
    """

    runs: tuple[RoleRun, ...]
    level: int = 0
    # of a heading: 4 to 6, the level of its HTML element below the card's own heading
    rank: int = 0
    anchor: str = ""
    confidence: float | None = None  # of a heading that was inferred
    kind: str = ""  # "" for ordinary text, else a LineKind
    depth: int | None = None
    bold: bool = False
    goes_on: bool = False  # the chunk begins within the line

    @property
    def names(self) -> list[str]:
        """CSS classes."""
        flags = (
            ("goes-on", self.goes_on),
            (self.kind, bool(self.kind)),
            (f"depth-{self.depth}", self.depth is not None),
            ("bold", self.bold),
        )
        return [name for name, is_set in flags if is_set]


class CellView(NamedTuple):
    """A table cell. `role` is why the cell is repeated; "" if it is not."""

    pieces: tuple[TextPiece, ...]
    head: bool
    role: str = ""
    rows: int = 1
    columns: int = 1
    column: int = 0  # from 0; merged cells of rows above take theirs


class RowView(NamedTuple):
    """A table row. `again` says whether it is a header row that a later slice of its table
    repeats.
    """

    cells: tuple[CellView, ...]
    head: bool
    again: bool


class TableSliceView(NamedTuple):
    """A table or a slice of one. `raw` is its text if the rows cannot be parsed, else ""."""

    caption: str
    role: TableRole
    rows: tuple[RowView, ...]
    raw: str = ""

    @property
    def head(self) -> tuple[RowView, ...]:
        """The leading header rows."""
        first = next(
            (number for number, row in enumerate(self.rows) if not row.head), len(self.rows)
        )
        return self.rows[:first]

    @property
    def body(self) -> tuple[RowView, ...]:
        return self.rows[len(self.head) :]


CardBody = tuple[LineView | TableSliceView, ...]


def text_of(pieces: Iterable[TextPiece]) -> str:
    """Return the pieces as plain text, without deleted text, with blanks around pictures."""
    return "".join(
        f" {piece.text} " if piece.kind is PieceKind.PICTURE else piece.text
        for piece in pieces
        if piece.change is not TextChange.DELETED
    )


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
        undivided = Slice("", 0, len(chunk.content))
        return ChunkText(chunk.content, (undivided,), (0, len(chunk.content)), context)
    filled = [(part, text) for part, text in zip(chunk.parts, texts, strict=True) if text]
    bounds = accumulate((len(text) for _, text in filled), initial=0)
    return ChunkText(chunk.content, tuple(part for part, _ in filled), tuple(bounds), context)


# -- pieces

_TAG: Final = pattern(
    rf"(?P<equation><equation\b[^<>]*>)(?P<latex>{INSIDE.format('equation')})</equation>"
    rf"|(?P<drawing>{DRAWING})"
    r"|<(?P<script>su[bp]|del|strong|em|u|mark|a)(?: (?:color|href)=\"[^\"<>]*\")?>"
    r"(?P<raised>[^<]*)</(?P=script)>"
    rf"|(?P<around>{INLINE_TAG})"
    r"|(?P<note>\[\^[^\]\s]{1,12}\])"
    r"|\{\+\+(?P<inserted>[^<>{}]*)\+\+\}|\{--(?P<deleted>[^<>{}]*)--\}",  # CriticMarkup
    re.DOTALL,
)
_BREAK: Final = pattern(r"<br\s*/?>", re.IGNORECASE)
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
    kind = PieceKind.STRUCK if tag["script"] == "del" else PieceKind(tag["script"])
    return TextPiece(kind, unescape(tag["raised"]))


# -- pictures, as `data:` URIs (RFC 2397)

LARGEST_PICTURE: Final = 2 << 20  # bytes of one picture
MAX_BYTES: Final = 12 << 20  # bytes of all, counted as often as they are shown

_TYPES: Final = {
    **{name: name for name in ("png", "jpeg", "gif", "bmp", "webp")},
    "jpg": "jpeg",
    "svg": "svg+xml",
}
"""The media types of the pictures that browsers show, by the suffix of their names. They do not
show EMF, WMF and TIFF.
"""


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
        kind = _TYPES.get(name.rpartition(".")[2].lower())
        if kind and data and len(data) <= LARGEST_PICTURE and cost <= room:
            uris[name] = f"data:image/{kind};base64,{b64encode(data).decode()}"
            room -= cost
    return uris


def _asset_of(drawing: Drawing) -> str:
    return drawing.path.rpartition("/")[2]


_VERSION_OF_PROGRAM: Final = pattern(r"\.\d+$")  # "Visio.Drawing.11"


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
