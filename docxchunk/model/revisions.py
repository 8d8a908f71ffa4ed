"""Tracked changes and comments. They are listed with every document, whether they are in its text
or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from docxchunk.model.wording import quoted


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


def by_of(author: str, date: str) -> str:
    """Return the author and the day of a change or comment."""
    return ", ".join(filter(None, (author or "an unknown author", date[:10])))


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
class Change:
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

    @property
    def by(self) -> str:
        """The author and the day: "A. Lee, 2024-05-01"."""
        return by_of(self.author, self.date)

    def __repr__(self) -> str:
        return f"<Change: {self.part} {self.kind} by {self.author or '?'}, {quoted(self.text)}>"


@dataclass(frozen=True, slots=True)
class Comment:
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

    @property
    def by(self) -> str:
        """The author and the day: "A. Lee, 2024-05-01"."""
        return by_of(self.author, self.date)

    def __repr__(self) -> str:
        return f"<Comment {quoted(self.id)} by {self.author or '?'}: {quoted(self.text)}>"
