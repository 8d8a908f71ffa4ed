"""What a page or a terminal shows of a chunk: values without markup, drawn by the templates and by `docxchunk show --chunks`."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from docxchunk.model.chunks import TableRole


class PieceKind(StrEnum):
    """What one piece of a line is."""

    TEXT = "text"
    EQUATION = "equation"  # in the line
    DISPLAY = "display"  # an equation in a paragraph of its own
    PICTURE = "picture"
    SUPERSCRIPT = "sup"
    SUBSCRIPT = "sub"
    STRUCK = "s"
    NOTE = "note"  # the mark of a footnote or endnote
    BREAK = "break"


class Change(StrEnum):
    """Whether text is in both versions of a document."""

    NONE = ""
    INSERTED = "ins"
    DELETED = "del"


class Piece(NamedTuple):
    """`text` is LaTeX for an equation and the alternative text for a picture, whose `data:` URI is `source` ("" where the picture is not shown)."""

    kind: PieceKind
    text: str
    source: str = ""
    change: Change = Change.NONE


class Run(NamedTuple):
    """Pieces with one role: "" for text that is shown here for the first time. `opens`: the repeated or added text begins here."""

    role: str
    opens: bool
    pieces: tuple[Piece, ...]


class Line(NamedTuple):
    """A paragraph, or a heading where `level` is over 0. `depth` is the level of a list item, None for other lines."""

    runs: tuple[Run, ...]
    level: int = 0
    rank: int = 0  # of a heading: 4 to 6, the level of its HTML element below the card's own heading
    anchor: str = ""
    confidence: float | None = None  # of a heading that was inferred
    kind: str = ""  # "" for ordinary text, else a LineKind
    depth: int | None = None
    bold: bool = False
    goes_on: bool = False  # the chunk begins within the line

    @property
    def names(self) -> list[str]:
        """Its classes in a page."""
        flags = (("goes-on", self.goes_on), (self.kind, bool(self.kind)), (f"depth-{self.depth}", self.depth is not None), ("bold", self.bold))
        return [name for name, there in flags if there]


class CellView(NamedTuple):
    """`role` says why the cell is shown a second time, "" where it is not."""

    pieces: tuple[Piece, ...]
    head: bool
    role: str = ""
    rows: int = 1
    columns: int = 1


class RowView(NamedTuple):
    """`again`: a header row that is repeated in a later slice of its table."""

    cells: tuple[CellView, ...]
    head: bool
    again: bool = False


class TableView(NamedTuple):
    """A table or a slice of one. `raw` is its text where the rows cannot be told apart, else ""."""

    caption: str
    role: TableRole
    rows: tuple[RowView, ...]
    raw: str = ""

    @property
    def head(self) -> tuple[RowView, ...]:
        """The rows at its top that name the columns."""
        first = next((number for number, row in enumerate(self.rows) if not row.head), len(self.rows))
        return self.rows[:first]

    @property
    def body(self) -> tuple[RowView, ...]:
        return self.rows[len(self.head) :]


Body = tuple[Line | TableView, ...]


def text_of(pieces: tuple[Piece, ...]) -> str:
    """The pieces as plain text, without what was deleted."""
    return "".join(" " if piece.kind is PieceKind.BREAK else piece.text for piece in pieces if piece.change is not Change.DELETED)
