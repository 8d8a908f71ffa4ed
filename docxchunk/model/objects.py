"""What a document has beside its text. Tables, equations, drawings and notes are tags in the text
of a block, and sidecar files hold the details. Tracked changes and comments are listed with every
document, whether they are in its text or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from docxchunk.model.blocks import TableFormat as TableFormat  # noqa: PLC0414 - public here, too
from docxchunk.model.wording import quoted


class Merge(NamedTuple):
    """A merged cell: the position of its first cell, counted from 0, and how many rows and columns
    it spans.
    """

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    - `id`: unique in the document; the tag in `Block.content` has the same id.
    - `block_id`: the id of the block that contains the table.
    - `heading`, `parent_headings`: those of the block.
    - `row_count`, `column_count`: the size of the grid.
    - `format`: how `content` is written.
    - `content`: the rows as in the tag.
    - `header`: the header rows that the author marked: JSON text, or a <thead> if the format is
      HTML.
    - `header_guess`: the inferred header rows in the same form, if no row is marked.
    - `header_confidence`: the estimated probability, 0 to 1, that the inferred header is right.
    - `header_signals`: the signals that support the inferred header, strongest first.
    - `header_columns`: the number of first columns that name the rows, 0 to 2.
    - `caption`: the caption; "" if there is none.
    - `footnotes`: the texts of the footnotes that its cells refer to.
    - `merged`: the merged cells.
    - `nested`: the ids of the tables inside its cells.
    - `para_ids`: for each row, the w14:paraId of its first paragraph.
    - `pages`: for each row, the page on which it begins; () if all rows are on one page.
    - `page_is_estimate`: whether some of `pages` are estimates; see `Line.page_is_estimate`.
    """

    id: str
    block_id: str
    heading: str
    parent_headings: tuple[str, ...]
    row_count: int
    column_count: int
    format: TableFormat
    content: str
    header: str | None = None
    header_guess: str | None = None
    header_confidence: float | None = None
    header_signals: tuple[str, ...] = ()
    header_columns: int = 0
    caption: str = ""
    footnotes: tuple[str, ...] = ()
    merged: tuple[Merge, ...] = ()
    nested: tuple[str, ...] = ()
    para_ids: tuple[str | None, ...] = ()
    pages: tuple[int, ...] = ()
    page_is_estimate: bool = False

    def __repr__(self) -> str:
        return (
            f"<Table {quoted(self.id)}: {self.row_count} × "
            f"{self.column_count}{f', {quoted(self.caption)}' if self.caption else ''}>"
        )

    def rows(self) -> list[list[str]]:
        """Return the text of the cells, row by row. All rows have the same length; a merged cell
        repeats its text in every position it covers.
        """
        from docxchunk.content.table_texts import rows_of

        return rows_of(self)

    def to_csv(self) -> str:
        """Return the rows as CSV (RFC 4180), for a spreadsheet or `pandas.read_csv`."""
        from docxchunk.content.table_texts import to_csv

        return to_csv(self)

    def to_html(self) -> str:
        """Return an HTML <table> with merged cells; a marked header is its <thead>, the caption its
        <caption>. <sup>, <sub> and <del> tags are kept.
        """
        from docxchunk.content.table_texts import to_html

        return to_html(self)


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation that is a paragraph of its own.

    - `content`: LaTeX without dollar signs.
    - `id`, `block_id`, `heading`, `parent_headings`, `caption`, `footnotes`: as in `Table`.
    """

    id: str
    block_id: str
    heading: str
    parent_headings: tuple[str, ...]
    content: str
    caption: str = ""
    footnotes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Equation {quoted(self.id)}: {quoted(self.content)}>"


class DrawingKind(StrEnum):
    """The kind of a drawing."""

    PICTURE = "picture"
    CHART = "chart"
    DIAGRAM = "diagram"
    SHAPE = "shape"
    OLE = "ole"  # an embedded object


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture, chart, diagram, shape or embedded object.

    - `kind`: which of these it is.
    - `format`: the format of the picture: png, jpeg, emf ...
    - `path`: the picture file, relative to the parsed folder; "" if there is none.
    - `src`: the URL or path of an external picture, which is never fetched.
    - `alt`: the alternative text; "" if it is only a number, a GUID, or the name of a file or
      picture.
    - `name`: the name that Word gives the drawing.
    - `data`: the data series of a chart, as rows.
    - `embedded`: the part name of an embedded file.
    - `description`: what a model says that the picture shows.
    - `described`: the name of that model.
    - `id`, `block_id`, `heading`, `parent_headings`, `caption`, `footnotes`: as in `Table`.
    """

    id: str
    block_id: str
    heading: str
    parent_headings: tuple[str, ...]
    kind: DrawingKind
    format: str = ""
    path: str = ""
    src: str = ""
    alt: str = ""
    name: str = ""
    caption: str = ""
    footnotes: tuple[str, ...] = ()
    data: tuple[tuple[str, ...], ...] = ()
    embedded: str = ""
    description: str = ""
    described: str = ""

    def __repr__(self) -> str:
        return (
            f"<Drawing {quoted(self.id)}: "
            f"{self.kind}{f', {quoted(caption)}' if (caption := self.caption or self.alt) else ''}>"
        )


class NoteKind(StrEnum):
    """The kind of a note."""

    FOOTNOTE = "footnote"
    ENDNOTE = "endnote"
    COMMENT = "comment"
    HEADER = "header"
    FOOTER = "footer"


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote, endnote, comment, header or footer.

    - `kind`: which of these it is.
    - `id`: the id in the Word file; for a note of a file inside it, the part of this file, "#" and
      the id there.
    - `number`: the mark in the text that refers to the note.
    - `text`: the text of the note.
    - `block_id`: the id of the block that refers to the note; "" for headers and footers.
    - `author`, `date`: who wrote a comment, and when (ISO 8601).
    - `anchor`: the text that a comment is about; a long text is shortened in the middle.
    - `parent`: the id of the comment that a comment replies to; "" if it is not a reply.
    - `done`: whether a comment is marked as resolved.
    """

    kind: NoteKind
    id: str
    number: str
    text: str
    block_id: str = ""
    author: str = ""
    date: str = ""
    anchor: str = ""
    parent: str = ""
    done: bool = False

    def __repr__(self) -> str:
        return f"<Note {self.kind} {quoted(self.number)}: {quoted(self.text)}>"


# -- tracked changes and comments


class RevisionKind(StrEnum):
    """What a tracked change did."""

    INSERTED = "inserted"
    DELETED = "deleted"
    MOVED_FROM = "moved from"  # the text was here
    MOVED_TO = "moved to"  # the text is here now
    FORMATTED = "formatted"


class ChangedPart(StrEnum):
    """What was changed."""

    TEXT = "text"
    MARK = "paragraph mark"  # the end of a paragraph
    PARAGRAPH = "paragraph"  # its format
    NUMBER = "list number"
    ROW = "row"
    CELL = "cell"
    TABLE = "table"
    SECTION = "section"
    EQUATION = "equation"
    PICTURE = "picture"
    FIELD = "field"
    NOTE = "note mark"


class Signed:
    """A change or comment of an author."""

    __slots__ = ()
    author: str
    date: str

    @property
    def by(self) -> str:
        """The name of the author and the date: "A. Lee, 2024-05-01"."""
        return ", ".join(filter(None, (self.author or "an unknown author", self.date[:10])))


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a change or a comment is.

    - `block_id`: the id of the block; "" if it is in no block, such as in a page header.
    - `paragraph`: the number of the paragraph, as `Line.paragraph`; 0 if it is in no block. For
      a paragraph that is not in the view, as one that was deleted, this is the one before it.
    - `row`: the row of the table, from 0; None outside of tables.
    - `within`: the part of the document around it: "footnote 3", "header", "text box"; "" for the
      main text.
    """

    block_id: str = ""
    paragraph: int = 0
    row: int | None = None
    within: str = ""


@dataclass(frozen=True, slots=True)
class Change(Signed):
    """A tracked change by one author at one time.

    - `kind`: inserted, deleted, moved from, moved to or formatted.
    - `part`: what was changed: text, a paragraph mark, a row ...
    - `author`, `date`: who changed it, and when (ISO 8601, usually without the time zone).
    - `text`: the words that were inserted, deleted or moved, or that have the new format.
    - `before`, `after`: up to 120 characters of the paragraph on each side. For deleted text, this
      is the text before the changes; for other text, the text after them.
    - `move`: the name that a move has in the file, the same at both places; "" for other changes.
    - `spot`: where it is.
    """

    kind: RevisionKind
    part: ChangedPart = ChangedPart.TEXT
    author: str = ""
    date: str = ""
    text: str = ""
    before: str = ""
    after: str = ""
    move: str = ""
    spot: Spot = Spot()

    def __repr__(self) -> str:
        return f"<Change: {self.part} {self.kind} by {self.author or '?'}, {quoted(self.text)}>"


@dataclass(frozen=True, slots=True)
class Comment(Signed):
    """A comment.

    - `id`: its id in the Word file.
    - `author`, `date`: who wrote it, and when (ISO 8601, usually without the time zone).
    - `text`: the text of the comment; paragraphs are separated by line breaks.
    - `anchor`: the text that it is about; a long text is shortened in the middle.
    - `parent`: the id of the comment that it replies to; "" if it is not a reply.
    - `done`: whether it is marked as resolved.
    - `spot`: where it is. A comment that no text refers to has no block.
    """

    id: str
    author: str = ""
    date: str = ""
    text: str = ""
    anchor: str = ""
    parent: str = ""
    done: bool = False
    spot: Spot = Spot()

    def __repr__(self) -> str:
        return f"<Comment {quoted(self.id)} by {self.author or '?'}: {quoted(self.text)}>"
