"""Pages: as Word last laid the document out, or, where it left no marks, worked out from the sizes of paper and text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Final

from docxchunk.ooxml.typography import Look, TextArea, Typography, text_area
from docxchunk.reader.flow import OBJECT, DrawingObject, EmbeddedObject, Section
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Row, Table, row_pages
from docxchunk.reader.text import objects_in

if TYPE_CHECKING:
    from docxchunk.reader.story import Item

_LETTER_WIDTH: Final = 0.455  # of a letter of Latin type, in the size of the type: the mean of English text in the fonts of Word's templates
_LINE_HEIGHT: Final = 1.2  # of a single line, in the size of the type
_WIDE: Final = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]+")  # characters as wide as the type is high
_CELL_PADDING: Final = 10.8  # left and right of a cell's text in Word's standard table
_TAB_LETTERS: Final = 3  # that a tab takes beyond one: half the way between two of Word's own tab stops
_LEAST_WIDTH: Final = 24.0


@dataclass(frozen=True, slots=True)
class Pages:
    """The page that each item begins on.

    `starts` are estimates by `place`; where it is empty, items know their pages. `rows` are estimates for the rows of tables, by ordinal.
    """

    starts: Sequence[int] = ()
    rows: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def is_estimate(self) -> bool:
        return bool(self.starts)

    def of(self, known: int, place: int) -> int:
        return self.starts[place] if self.starts else known

    def of_rows(self, table: Table) -> tuple[int, ...]:
        """A page for each row; nothing where all rows are on one page, or some have no text."""
        pages = self.rows.get(table.ordinal, ()) if self.starts else tuple(row_pages(table.rows))
        return pages if len(pages) == len(table.rows) and pages[0] != pages[-1] else ()


def estimated_pages(items: Iterable[Item], sections: Sequence[Section], typography: Typography, objects: Sequence[EmbeddedObject], places: int) -> Pages:
    """Pages of a document whose file does not tell where they begin.

    Everything is set line by line on pages of its section's size; breaks that the author made begin a page. Fonts, hyphenation and lines that are
    kept together are not known, so this is near the truth, not the truth.
    """
    layout = _Layout(sections, typography, objects)
    for item in items:
        layout.put(item)
    return Pages(layout.starts_of(places), layout.rows)


class _Layout:
    """A pen that goes down the pages: `page` it is on, and `at` how many points below its top."""

    def __init__(self, sections: Sequence[Section], typography: Typography, objects: Sequence[EmbeddedObject]) -> None:
        self._ends = [section.element for section in sections]
        self._areas = [text_area(section.properties) for section in sections] or [text_area(None)]
        self._typography = typography
        self._objects = objects
        self._page, self._at, self._broken = 1, 0.0, 1
        self._starts: dict[int, int] = {}
        self.rows: dict[int, tuple[int, ...]] = {}
        self._gap, self._style = 0.0, ""  # after the paragraph before

    def put(self, item: Item) -> None:
        if item.page > self._broken:
            self._page, self._at = self._page + item.page - self._broken, 0.0
            self._broken = item.page
        area = self._areas[min(bisect_left(self._ends, item.element), len(self._areas) - 1)]
        if isinstance(item, Table):
            self._put_table(item, area)
        else:
            look = self._typography.of(item.style.id, item.look)
            lines, height = self._size(item, look, area.width, area)
            if look.close and self._style == item.style.id:
                self._at -= self._gap
            elif self._at:
                self._at += max((look.before or 0.0) - self._gap, 0.0)
            self._starts.setdefault(item.place, self._begin(height / lines, area))
            self._down(height, area)
            self._gap, self._style = look.after or 0.0, item.style.id
            self._at += self._gap

    def starts_of(self, places: int) -> list[int]:
        """The page of each place up to the last; one that was not put has that of the one before."""
        found, page = [], 1
        for place in range(places + 1):
            page = self._starts.get(place, page)
            found.append(page)
        return found

    def _put_table(self, table: Table, area: TextArea) -> None:
        column = area.width / max(table.columns, 1)
        pages: list[int] = []
        for row in table.rows:
            height = self._row_height(row, column, area)
            pages.append(self._begin(height if height < area.height else 0.0, area))
            self._down(height, area)
        self._starts.setdefault(table.place, pages[0])
        self.rows[table.ordinal] = tuple(pages)
        self._gap = 0.0

    def _row_height(self, row: Row, column: float, area: TextArea) -> float:
        height = 0.0
        for cell in row.cells:
            width = max(cell.columns * column - _CELL_PADDING, 24.0)
            inside = sum(self._height_in_cell(item, width, area) for item in cell.items) / cell.rows
            height = max(height, inside)
        return height

    def _height_in_cell(self, item: Item, width: float, area: TextArea) -> float:
        if isinstance(item, Table):
            column = width / max(item.columns, 1)
            return sum(self._row_height(row, column, area) for row in item.rows)
        look = self._typography.in_table(item.style.id, item.look)
        return self._size(item, look, width, area)[1] + (look.before or 0.0) + (look.after or 0.0)

    def _size(self, item: Paragraph, look: Look, width: float, area: TextArea) -> tuple[int, float]:
        """Lines of a paragraph, and their height in points."""
        raw, size = item.raw, look.size or 10.0
        letters = float(len(raw) + len(item.label) + _TAB_LETTERS * raw.count("\t"))
        if not raw.isascii():
            letters += (len(raw) - len(_WIDE.sub("", raw))) * (1 / _LETTER_WIDTH - 1)
        lines = ceil(letters * size * _LETTER_WIDTH / max(width - (look.indent or 0.0), _LEAST_WIDTH)) or 1
        if "\x0b" in raw:
            lines = max(lines, raw.count("\x0b") + 1)
        single = size * _LINE_HEIGHT
        if area.pitch and look.exact is None:
            single = ceil(single / area.pitch) * area.pitch
        height = lines * (look.exact or single * (look.line or 1.0))
        if OBJECT in raw:
            inside = [self._objects[k] for k in objects_in(raw)]
            height += sum(drawing.height for drawing in inside if isinstance(drawing, DrawingObject))
        return lines, height

    def _begin(self, line: float, area: TextArea) -> int:
        """The page that the next line of this height stands on."""
        if self._at + line > area.height and self._at:
            self._page, self._at = self._page + 1, 0.0
        return self._page

    def _down(self, height: float, area: TextArea) -> None:
        self._at += height
        while self._at > area.height:
            self._at -= area.height
            self._page += 1
