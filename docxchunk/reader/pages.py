"""Pages: as Word last laid the document out, or, where it left no marks, worked out from the sizes of paper and text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.ooxml.looks import SINGLE, Layout
from docxchunk.ooxml.sections import TextArea, text_area
from docxchunk.reader.flow import BREAK, OBJECT, DrawingObject, EmbeddedObject, Section
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Row, Table, row_pages
from docxchunk.reader.text import objects_in

if TYPE_CHECKING:
    from docxchunk.reader.story import Item

_LETTER_WIDTH: Final = 0.45  # of a letter of Latin type, in the size of the type: the mean of English text in the fonts of Word's templates
_LINE_HEIGHT: Final = 1.2  # of a single line, in the size of the type
_WIDE: Final = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]+")  # characters as wide as the type is high
_HAS_WIDE: Final = _WIDE.search
_CELL_PADDING: Final = 10.8  # left and right of a cell's text in Word's standard table
_TAB_LETTERS: Final = 3  # that a tab takes beyond one: half the way between two of Word's own tab stops
_LEAST_WIDTH: Final = 24.0
_WIDER: Final = 1 / _LETTER_WIDTH - 1  # letters that a wide character takes beyond one


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


def estimated_pages(items: Iterable[Item], sections: Sequence[Section], objects: Sequence[EmbeddedObject], places: int) -> Pages:
    """Pages of a document whose file does not tell where they begin.

    Everything is set line by line on pages of its section's size; breaks that the author made begin a page. Fonts, hyphenation and lines that are
    kept together are not known, so pages can be off by some.
    """
    pen = _Pen(sections, objects)
    for item in items:
        pen.put(item)
    return Pages(pen.starts_of(places), pen.rows)


class _Setting(NamedTuple):
    """How a paragraph is set in a column of some width. Points; `letters` is how many of Latin type fit a line."""

    letters: float
    line: float
    before: float
    after: float
    close: bool


class _Pen:
    """Goes down the pages: `page` it is on, and `at` how many points below its top."""

    def __init__(self, sections: Sequence[Section], objects: Sequence[EmbeddedObject]) -> None:
        self._ends = [section.element for section in sections]
        self._areas = [text_area(section.properties) for section in sections] or [text_area(None)]
        self._objects = objects
        self._settings: dict[tuple[int, int, float, float], _Setting] = {}
        self._page, self._at, self._broken = 1, 0.0, 1
        self._gap, self._style = 0.0, ""  # after the paragraph before, and its style
        self._starts: dict[int, int] = {}
        self.rows: dict[int, tuple[int, ...]] = {}

    def put(self, item: Item) -> None:
        if item.page > self._broken:
            self._page, self._at = self._page + item.page - self._broken, 0.0
            self._broken = item.page
        areas = self._areas
        area = areas[0] if len(areas) == 1 else areas[min(bisect_left(self._ends, item.element), len(areas) - 1)]
        if isinstance(item, Table):
            self._put_table(item, area)
        else:
            self._put_paragraph(item, area)

    def starts_of(self, places: int) -> list[int]:
        """The page of each place up to the last; one that was not put has that of the one before."""
        found, page = [], 1
        for place in range(places + 1):
            page = self._starts.get(place, page)
            found.append(page)
        return found

    def _put_paragraph(self, item: Paragraph, area: TextArea) -> None:
        style, at = item.style.id, self._at
        setting = self._setting(item, area.width, area.pitch)
        _, line, before, after, close = setting
        if close and self._style == style:
            at -= self._gap
        elif at and before > self._gap:
            at += before - self._gap
        if at + line > area.height and at:
            self._page, at = self._page + 1, 0.0
        if item.place not in self._starts:
            self._starts[item.place] = self._page
        self._gap, self._style = after, style
        self._at = at + (self._height(item, setting) if item.raw else line)
        if self._at > area.height:
            self._down(0.0, area)
        self._at += after

    def _put_table(self, table: Table, area: TextArea) -> None:
        column = area.width / max(table.columns, 1)
        pages: list[int] = []
        for row in table.rows:
            height = self._row_height(row, column, area.pitch)
            if self._at + height > area.height and self._at and height < area.height:
                self._page, self._at = self._page + 1, 0.0
            pages.append(self._page)
            self._down(height, area)
        self._starts.setdefault(table.place, pages[0])
        self.rows[table.ordinal] = tuple(pages)
        self._gap = 0.0

    def _row_height(self, row: Row, column: float, pitch: float) -> float:
        """That of its tallest cell; a cell over several rows counts with its share."""
        height = 0.0
        for cell in row.cells:
            width = max(cell.columns * column - _CELL_PADDING, _LEAST_WIDTH)
            inside = 0.0
            for item in cell.items:
                inside += self._height_in_cell(item, width, pitch)
            height = max(height, inside / cell.rows)
        return height

    def _height_in_cell(self, item: Item, width: float, pitch: float) -> float:
        if isinstance(item, Table):
            return sum(self._row_height(row, width / max(item.columns, 1), pitch) for row in item.rows)
        setting = self._setting(item, width, pitch)
        return (self._height(item, setting) if item.raw else setting.line) + setting.before + setting.after

    def _setting(self, item: Paragraph, width: float, pitch: float) -> _Setting:
        """How the paragraph is set; worked out once for all of its layout and size. Equal layouts are mostly one object, and live as long as the items."""
        size = (item.look or item.style.look).size
        key = (id(item.layout), size, width, pitch)
        return self._settings.get(key) or self._settings.setdefault(key, _setting(item.layout, size / 2, width, pitch))

    def _height(self, item: Paragraph, setting: _Setting) -> float:
        """Of the lines of a paragraph, and of the pictures in them."""
        raw = item.raw
        letters: float = len(raw) + len(item.label)
        if "\t" in raw:
            letters += _TAB_LETTERS * raw.count("\t")
        if not raw.isascii() and _HAS_WIDE(raw):
            letters += (len(raw) - len(_WIDE.sub("", raw))) * _WIDER
        lines = ceil(letters / setting.letters) or 1
        if BREAK in raw:
            lines = max(lines, raw.count(BREAK) + 1)
        if OBJECT not in raw:
            return lines * setting.line
        inside = [self._objects[k] for k in objects_in(raw)]
        return lines * setting.line + sum(drawing.height for drawing in inside if isinstance(drawing, DrawingObject))

    def _down(self, height: float, area: TextArea) -> None:
        self._at += height
        if self._at > area.height:
            turned = ceil(self._at / area.height) - 1
            self._page, self._at = self._page + turned, self._at - turned * area.height


def _setting(layout: Layout, size: float, width: float, pitch: float) -> _Setting:
    """How text of some size is set in a column of some width."""
    single = size * _LINE_HEIGHT
    if pitch:
        single = ceil(single / pitch) * pitch
    room = max(width - (layout.left + layout.right) / 20, _LEAST_WIDTH)
    line = _LINES[layout.line_rule](layout.line, single)
    return _Setting(max(room / size / _LETTER_WIDTH, 1.0), line, max(layout.before, 0) / 20, max(layout.after, 0) / 20, layout.contextual)


_LINES: Final[Mapping[str, Callable[[int, float], float]]] = {
    "auto": lambda line, single: single * abs(line) / SINGLE,
    "exact": lambda line, _: abs(line) / 20,
    "atLeast": lambda line, single: max(line / 20, single),
}
"""The height of a line for each rule of line spacing (17.18.48)."""
