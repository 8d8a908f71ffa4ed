"""Tables, equations, drawings and notes: what stands in a block as a tag and in a sidecar in full."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from docxchunk.model.wording import quoted


class TableFormat(StrEnum):
    """How the rows of a table are written inside its tag."""

    JSON = "json"  # an array of rows of strings
    HTML = "html"  # <tr><td>, where merged cells need it


class Merge(NamedTuple):
    """A cell over several rows or columns; row and column from 0."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Table:
    id: str
    block_id: str
    heading: str
    parent_headings: tuple[str, ...]
    row_count: int
    column_count: int
    format: TableFormat
    content: str  # the rows as in the tag
    header: str | None = None  # the repeating header rows, only where Word marks them: JSON text, or <thead> where the format is html
    header_guess: str | None = None  # the same, where none is marked and the first rows read like one
    header_confidence: float | None = None  # of the guess: about how many guesses of this confidence are right, 0 to 1
    header_signals: tuple[str, ...] = ()  # what spoke for the guess, the strongest first
    header_columns: int = 0  # leading columns that name the rows, 0 to 2
    caption: str = ""
    footnotes: tuple[str, ...] = ()
    merged: tuple[Merge, ...] = ()
    nested: tuple[str, ...] = ()  # ids of the tables inside its cells
    para_ids: tuple[str | None, ...] = ()  # a row each: w14:paraId of its first paragraph
    pages: tuple[int, ...] = ()  # a row each: the page that it begins on; empty where all are on one

    def __repr__(self) -> str:
        return f"<Table {quoted(self.id)}: {self.row_count} × {self.column_count}{f', {quoted(self.caption)}' if self.caption else ''}>"

    def rows(self) -> list[list[str]]:
        """The text of the cells, row by row; rows are equally long. The text of a merged cell stands in each place that it covers."""
        from docxchunk.markup.grids import rows_of

        return rows_of(self)

    def to_csv(self) -> str:
        """The rows as CSV (RFC 4180), for a spreadsheet or `pandas.read_csv`."""
        from docxchunk.markup.grids import to_csv

        return to_csv(self)

    def to_html(self) -> str:
        """The table as a <table> element, its merged cells merged. Rows that Word repeats as a header are a <thead>; the caption is a <caption>."""
        from docxchunk.markup.grids import to_html

        return to_html(self)


@dataclass(frozen=True, slots=True)
class Equation:
    id: str
    block_id: str
    heading: str
    parent_headings: tuple[str, ...]
    content: str  # LaTeX, no $
    caption: str = ""
    footnotes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Equation {quoted(self.id)}: {quoted(self.content)}>"


class DrawingKind(StrEnum):
    PICTURE = "picture"
    CHART = "chart"
    DIAGRAM = "diagram"
    SHAPE = "shape"
    OLE = "ole"


@dataclass(frozen=True, slots=True)
class Drawing:
    id: str
    block_id: str
    heading: str
    parent_headings: tuple[str, ...]
    kind: DrawingKind
    format: str = ""  # of the picture: png, jpeg, emf, ...
    path: str = ""  # of the asset, below the parsed folder
    src: str = ""  # an external target, never fetched
    alt: str = ""
    name: str = ""
    caption: str = ""
    footnotes: tuple[str, ...] = ()
    data: tuple[tuple[str, ...], ...] = ()  # a chart's series as rows
    embedded: str = ""  # of an embedded file: its name in the package
    description: str = ""  # what a model says that the picture shows
    described: str = ""  # the name of that model

    def __repr__(self) -> str:
        return f"<Drawing {quoted(self.id)}: {self.kind}{f', {quoted(said)}' if (said := self.caption or self.alt) else ''}>"


class NoteKind(StrEnum):
    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"
    COMMENT = "comment"
    HEADER = "header"
    FOOTER = "footer"


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote, endnote, comment, header or footer.

    Of a comment, `anchor` is the text that it is about (its middle left out where it is long), `parent` the id of the comment that it replies to, and
    `done` whether it is marked as resolved.
    """

    kind: NoteKind
    id: str
    number: str  # as the mark in the text shows it
    text: str
    block_id: str = ""
    author: str = ""
    date: str = ""
    anchor: str = ""
    parent: str = ""
    done: bool = False

    def __repr__(self) -> str:
        return f"<Note {self.kind} {quoted(self.number)}: {quoted(self.text)}>"
