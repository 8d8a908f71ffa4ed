"""View models of a chunk, rendered by the page templates and by `docxchunk show --chunks`."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from docxchunk.model.chunks import TableRole


class PieceKind(StrEnum):
    """The kind of a piece of a line."""

    TEXT = "text"
    EQUATION = "equation"  # inline
    DISPLAY = "display"  # an equation in a paragraph of its own
    PICTURE = "picture"
    SUPERSCRIPT = "sup"
    SUBSCRIPT = "sub"
    STRUCK = "s"
    NOTE = "note"  # the mark of a footnote or endnote
    BREAK = "break"


class TextChange(StrEnum):
    """Whether text was inserted, deleted or is in both versions of a document."""

    NONE = ""
    INSERTED = "ins"
    DELETED = "del"


class TextPiece(NamedTuple):
    """`text` is LaTeX for an equation and the alternative text for a picture, whose `data:` URI is
    `source` ("" where the picture is not shown).
    """

    kind: PieceKind
    text: str
    source: str = ""
    change: TextChange = TextChange.NONE


class RoleRun(NamedTuple):
    """Pieces with one role; "" for text that is neither repeated nor added. `opens`: the repeated
    or added text begins here.
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
        return [name for name, there in flags if there]


class CellView(NamedTuple):
    """A table cell. `role` is why the cell is repeated; "" if it is not."""

    pieces: tuple[TextPiece, ...]
    head: bool
    role: str = ""
    rows: int = 1
    columns: int = 1


class RowView(NamedTuple):
    """A table row. `again`: a header row that is repeated in a later slice of its table."""

    cells: tuple[CellView, ...]
    head: bool
    again: bool = False


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


def text_of(pieces: tuple[TextPiece, ...]) -> str:
    """Return the pieces as plain text, without deleted text."""
    return "".join(
        " " if piece.kind is PieceKind.BREAK else piece.text
        for piece in pieces
        if piece.change is not TextChange.DELETED
    )
