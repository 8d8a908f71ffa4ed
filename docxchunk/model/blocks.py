"""A block: one heading with what stands under it, up to the next heading; one content line of `.blocks.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from docxchunk.model.wording import counted, quoted

if TYPE_CHECKING:
    from docxchunk.markup.records.fields import Record


class LineKind(StrEnum):
    """What one line of a block's content is."""

    HEADING = "heading"
    TEXT = "text"
    LIST = "list"
    TABLE = "table"
    EQUATION = "equation"
    DRAWING = "drawing"
    NOTE = "note"


class HeadingSource(StrEnum):
    """The signal by which a heading was known, strongest first."""

    PARAGRAPH = "paragraph"  # w:outlineLvl on the paragraph itself
    STYLE = "style"  # w:outlineLvl of its style, or of a style that this is based on
    OUTLINE = "outline"  # w:outlineLvl of the document's defaults
    NAME = "name"  # the style's built-in name, "heading N"
    GUESS = "guess"  # inferred from looks, numbers and words: --headings


class SessionType(StrEnum):
    """What part of a document a block belongs to (LightRAG's field name and values)."""

    BODY = "body"
    PREFACE = "preface"
    TOC = "TOC"
    REFERENCES = "references"
    APPENDIX = "appendix"


class Line(NamedTuple):
    """One line of a block's content, in step with its lines, as Word knows it.

    A paragraph with line breaks gives several lines with the same `para_id`.
    """

    kind: LineKind = LineKind.TEXT
    para_id: str | None = None
    style: str | None = None
    number: str | None = None  # the automatic label of a list item or heading, as Word prints it
    depth: int = 0  # level of the list, from 0
    bold: bool = False  # every visible letter is bold
    page: int | None = None  # that it begins on
    links: tuple[str, ...] = ()
    element: int | None = None  # number of its body element, from 0
    paragraph: int | None = None  # see `Position.paragraphs`


class Position(NamedTuple):
    """Where text comes from in the body of its file. All ranges include both ends.

    `first` and `last` are the w14:paraId of the first and last paragraph, None where Word wrote none.
    `elements` are numbers of children of w:body, from 0, as lxml and python-docx count them.
    `paragraphs` are ordinals that a reader can count: from 1, every paragraph of the body that shows something, headings and list items too; a table
    counts as one. What stands inside such a paragraph or belongs to it (cells, text boxes, notes) has its number.
    """

    first: str | None
    last: str | None
    elements: tuple[int, int]
    paragraphs: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A heading with the text below it, up to the next heading.

    - `id`: its name in the document; it stays the same when other blocks are edited.
    - `content`: the text, a line a paragraph, headed by its own heading line ("## 1.2 Terms"). Tables, equations and pictures are tags in it.
    - `heading`: that heading line without its marks, "1.2 Terms"; "" before the first heading.
    - `parent_headings`: the headings above it, outermost first.
    - `level`: that of the heading, 1 to 9; 0 before the first heading.
    - `session_type`: the part of the document that it belongs to: body, table of contents, references ...
    - `number`: the automatic number of the heading, as Word prints it: "1.2".
    - `heading_source`: the signal by which the heading was recognised.
    - `confidence`: of an inferred heading, the estimated probability that it is one; None where the heading is marked.
    - `page`: the page on which it begins, where known, counted from 1.
    - `page_is_estimate`: the page is worked out from the sizes of text and paper, as the file has no marks of pages.
    - `lines`: what Word knows of each line of `content`; () where nothing is known.
    - `position`: the paragraphs of the file that it was read from.
    - `refers_to`: the ids of the other blocks that its links and cross-references lead to, in the order in which they are mentioned first.
    """

    id: str
    content: str
    heading: str = ""
    parent_headings: tuple[str, ...] = ()
    level: int = 0
    session_type: SessionType = SessionType.BODY
    number: str | None = None
    heading_source: HeadingSource | None = None
    confidence: float | None = None
    page: int | None = None
    page_is_estimate: bool = False
    lines: tuple[Line, ...] = ()
    position: Position | None = None
    refers_to: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Block {quoted(self.heading or self.content)}: level {self.level}, {counted(len(self.content), 'character')}>"

    def to_dict(self) -> Record:
        """The block as its line of `.blocks.jsonl`: texts, numbers, lists and dicts alone."""
        from docxchunk.markup.records.plain import block_to_dict

        return block_to_dict(self)

    @staticmethod
    def from_dict(record: Mapping[str, object]) -> Block:
        """The inverse of `to_dict`. Raises SidecarError where a value is of another type than it must be."""
        from docxchunk.markup.records.plain import block_from_dict

        return block_from_dict(record)
