"""A block: one heading with what stands under it, up to the next heading; one content line of `.blocks.jsonl`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


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
    """`content` is the text, headed by its own heading line ("## 1.2 Terms"); `heading` is that line without the marks."""

    id: str
    content: str
    heading: str = ""
    parent_headings: tuple[str, ...] = ()
    level: int = 0  # 1 to 9; 0 before the first heading
    session_type: SessionType = SessionType.BODY
    number: str | None = None
    heading_source: HeadingSource | None = None
    confidence: float | None = None  # of a guessed heading: about how likely it is one, 0 to 1
    page: int | None = None  # that it begins on
    page_is_estimate: bool = False  # Word left no mark of where pages begin: pages are worked out from the sizes of text and paper
    lines: tuple[Line, ...] = ()
    position: Position | None = None
