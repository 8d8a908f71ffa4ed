"""Blocks: a heading and the text below it, up to the next heading. A block is one content line of
`.blocks.jsonl`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.model.wording import counted, quoted

if TYPE_CHECKING:
    from docxchunk.records import Record


class LineKind(StrEnum):
    """The kind of one line of `Block.content`."""

    HEADING = "heading"
    TEXT = "text"
    LIST = "list"
    TABLE = "table"
    EQUATION = "equation"
    DRAWING = "drawing"
    NOTE = "note"


class LineRole(StrEnum):
    """The function of a line in the text, such as the caption of a table."""

    CAPTION = "caption"  # of a table or picture
    ITEM = "item"  # of a list, with a typed number or bullet; Word's own lists have a `LineKind`
    LEAD_IN = "lead-in"  # ends with a colon
    DIVISION = "division"  # begins like a division: "Article 4", "第三章", "2.1 Scope"
    HEADLINE = "headline"  # stands out like a heading, but is none in the document
    HEADING_LIKE = "heading-like"  # a headline that is also worded like a heading
    UNKNOWN = "unknown"  # the record was made by hand: the text tells


UNKNOWN_ROLES: Final = (LineRole.UNKNOWN,)


class TableFormat(StrEnum):
    """How the rows of a table are written inside its tag in the content of a block."""

    JSON = "json"  # an array of rows of strings
    HTML = "html"  # <tr><td>, used if cells are merged


class HeadingSource(StrEnum):
    """How a heading was recognised, from the strongest signal to the weakest (ECMA-376 Part 1,
    17.3.1.20).
    """

    RULE = "rule"  # a rule of the user: --rules
    PARAGRAPH = "paragraph"  # w:outlineLvl on the paragraph itself
    STYLE = "style"  # w:outlineLvl of its style, or of a style on which that one is based
    OUTLINE = "outline"  # w:outlineLvl of the document's defaults
    NAME = "name"  # the style's built-in name, "heading N"
    GUESS = "guess"  # inferred from formatting, numbers and words: --headings


class SessionType(StrEnum):
    """The part of the document that a block belongs to (field name and values of LightRAG)."""

    BODY = "body"
    PREFACE = "preface"
    TOC = "TOC"
    REFERENCES = "references"
    APPENDIX = "appendix"


class Line(NamedTuple):
    """Facts about one line of `Block.content`, taken from the Word file.

    `Block.lines[i]` describes line i of the content. A paragraph with line breaks gives several
    lines with the same `para_id`.

    - `kind`: heading, text, list item, table, equation, drawing or note.
    - `para_id`: the w14:paraId of the paragraph; None if Word wrote none.
    - `style`: the name of the paragraph style.
    - `number`: the automatic label of a list item or heading, as Word prints it: "1.2", "(a)".
    - `depth`: the list level, counted from 0.
    - `bold`: whether every visible letter is bold.
    - `page`: the page on which the line begins, counted from 1; None if unknown.
    - `page_is_estimate`: whether the page is an estimate. It is not one if Word's page marks, the
      breaks and the page count agree (docs/concepts/positions.md).
    - `turns`: the offsets in the line at which later pages begin, ascending.
    - `links`: the targets of the hyperlinks in the line.
    - `element`: the index of the child of w:body that the line comes from, counted from 0.
    - `paragraph`: the number of the paragraph as a reader counts it; see `Position.paragraphs`.
    - `roles`: caption, lead-in and other roles of the line; () for a plain line of text.
    """

    kind: LineKind = LineKind.TEXT
    para_id: str | None = None
    style: str | None = None
    number: str | None = None
    depth: int = 0
    bold: bool = False
    page: int | None = None
    links: tuple[str, ...] = ()
    element: int | None = None
    paragraph: int | None = None
    page_is_estimate: bool = False
    turns: tuple[int, ...] = ()
    roles: tuple[LineRole, ...] = UNKNOWN_ROLES


class Position(NamedTuple):
    """A range of paragraphs in the body of the Word file. All ranges include both ends.

    - `first`, `last`: the w14:paraId of the first and last paragraph; None if Word wrote none.
    - `elements`: the first and last index among the children of w:body, counted from 0 as lxml and
      python-docx do.
    - `paragraphs`: the first and last paragraph number as a reader counts. Counting starts at 1 and
      includes every paragraph that shows something, headings and list items too; a table counts as
      one. Table cells, text boxes and notes have the number of the paragraph or table they belong
      to.
    """

    first: str | None
    last: str | None
    elements: tuple[int, int]
    paragraphs: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A heading with the text below it, up to the next heading.

    - `id`: unique in the document. It stays the same when other blocks are edited.
    - `content`: the text, one paragraph per line; the first line is the heading ("## 1.2 Terms").
      Tables, equations and pictures are tags in the text.
    - `heading`: the heading line, "1.2 Terms", without # marks, and without the full stop or colon
      after the title of a clause. "" for text before the first heading.
    - `parent_headings`: the headings above this one, outermost first.
    - `level`: the heading level, 1 to 9; 0 for text before the first heading.
    - `session_type`: the part of the document that the block belongs to: body, table of contents,
      references ...
    - `number`: the automatic number of the heading, as Word prints it: "1.2"; None if it has none.
    - `heading_source`: how the heading was recognised; None without a heading.
    - `confidence`: the estimated probability, 0 to 1, that the inferred heading is right; None if
      the author marked it.
    - `lines`: facts about each line of `content`, one item per line; () if nothing is known.
    - `position`: the paragraphs of the Word file that the block was read from; None if unknown.
    - `refers_to`: the ids of the other blocks that links and cross-references in this block point
      to.
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
    lines: tuple[Line, ...] = ()
    position: Position | None = None
    refers_to: tuple[str, ...] = ()

    @property
    def page(self) -> int | None:
        """The page on which the first line of the block begins, counted from 1; None if unknown."""
        return self.lines[0].page if self.lines else None

    @property
    def page_is_estimate(self) -> bool:
        """Whether this page is an estimate."""
        return bool(self.lines) and self.lines[0].page_is_estimate

    def __repr__(self) -> str:
        return (
            f"<Block {quoted(self.heading or self.content)}: level {self.level}, "
            f"{counted(len(self.content), 'character')}>"
        )

    def to_dict(self) -> Record:
        """Return the block as it is written to `.blocks.jsonl`: a dict of strings, numbers,
        booleans, lists, dicts and None.
        """
        from docxchunk.records.blocks import BLOCK

        return BLOCK.to_dict(self)

    @staticmethod
    def from_dict(record: Mapping[str, object]) -> Block:
        """Return the block that `to_dict` wrote. Raise SidecarError if a key is missing or a value
        has the wrong type.
        """
        from docxchunk.records.blocks import block_from_dict

        return block_from_dict(record)
