"""Units: the small texts of a chunk that a search ranks and shows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from docxchunk.model.blocks import Position
from docxchunk.model.chunks import Part
from docxchunk.model.wording import quoted

LONGEST: Final = 450
"""The default maximum of a unit in characters."""


class UnitKind(StrEnum):
    """What kind of text a unit is."""

    TEXT = "text"  # whole sentences or paragraphs
    HEADING = "heading"  # a heading without text below it
    CAPTION = "caption"  # of a table or picture
    ROW = "row"  # a row of a table, or a part of a very long one
    TABLE = "table"  # a whole small table; its rows are units, too


@dataclass(frozen=True, slots=True)
class Unit:
    """A small text of a chunk, to be searched and read by itself. `str(unit)` is its content.

    - `unit_id`: a hash of the document id, the heading path and the text. Edits of other text do
      not change it.
    - `chunk_id`, `doc_id`: the ids of its chunk and of its document.
    - `section_id`: the id of its block.
    - `kind`: text, heading, caption, row or table.
    - `content`: the text to read. For a row: the header rows and the row, with bars between the
      cells.
    - `parts`: the pieces whose concatenation is `content`, as in chunks.
    - `index_text`: the text to search: heading path, caption of the table, and the text. For a row,
      the text is "header: value" for each cell.
    - `tokens`: the number of tokens of `content`.
    - `context`: the heading path, "3 Results > 3.1 Costs".
    - `positions`, `pages`, `page_is_estimate`: as in chunks.
    - `citation`: where it stands: "report.docx, 3 Results > 3.1 Costs, p. 3, ¶ 40".
    """

    unit_id: str
    chunk_id: str
    doc_id: str
    section_id: str
    kind: UnitKind
    content: str
    parts: tuple[Part, ...]
    index_text: str
    tokens: int
    context: str
    positions: tuple[Position, ...]
    pages: tuple[int, ...]
    page_is_estimate: bool
    citation: str

    def __str__(self) -> str:
        return self.content

    def __repr__(self) -> str:
        return f"<Unit {quoted(self.content)}: {self.kind}, {self.citation}>"
