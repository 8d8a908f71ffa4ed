"""Find the page of each item: from the page marks of Word's last layout, or estimated from paper and text sizes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.ooxml.formatting import SINGLE, Layout
from docxchunk.ooxml.sections import TextArea, text_area
from docxchunk.reader.flow import BREAK, OBJECT, DrawingObject, EmbeddedObject, SectionEnd
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import GridTable, Row, row_pages
from docxchunk.reader.text import objects_in

if TYPE_CHECKING:
    from docxchunk.reader.tables import Item

_LETTER_WIDTH: Final = 0.45  # mean width of a Latin letter, in em: English text in the fonts of Word's templates
_LINE_HEIGHT: Final = 1.2  # height of a single-spaced line, in em
_WIDE: Final = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]+")  # characters that are 1 em wide
_IS_NARROW: Final = re.compile("[\x00-\u10ff\u1200-\u2e7f]*+").fullmatch  # much faster than a search for a wide one
_CELL_PADDING: Final = 10.8  # points, left and right together: the default of Word's tables
_TAB_LETTERS: Final = 3  # extra letters for a tab: half the distance between two default tab stops
_LEAST_WIDTH: Final = 24.0  # points
_WIDER: Final = 1 / _LETTER_WIDTH - 1  # extra letters for a wide character


@dataclass(frozen=True, slots=True)
class Pages:
    """The page on which each item begins.

    `starts` has the estimated page of each `Paragraph.place`; if it is empty, the items have pages from Word's layout.
    `rows` has the estimated page of each row, by the ordinal of the table.
    """

    starts: Sequence[int] = ()
    rows: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def is_estimate(self) -> bool:
        return bool(self.starts)

    def of(self, known: int, place: int) -> int:
        return self.starts[place] if self.starts else known

    def of_rows(self, table: GridTable) -> tuple[int, ...]:
        """Return a page for each row; empty if all rows are on one page or some rows have no text."""
        pages = self.rows.get(table.ordinal, ()) if self.starts else tuple(row_pages(table.rows))
        return pages if len(pages) == len(table.rows) and pages[0] != pages[-1] else ()


def estimated_pages(items: Iterable[Item], sections: Sequence[SectionEnd], objects: Sequence[EmbeddedObject], places: int) -> Pages:
    """Estimate the pages of a document that has no page marks from Word's layout.

    Lays out the items line by line on pages of the section's size; explicit page breaks begin a page. Font metrics, hyphenation and "keep with next"
    are ignored, so the page can be off by a few. `places` is the last `Paragraph.place`.
    """
    pen = _Pen(sections, objects)
    for item in items:
        pen.put(item)
    return Pages(pen.starts_of(places), pen.rows)


class _Setting(NamedTuple):
    """The layout of a paragraph in a column, in points. `letters` is the number of Latin letters that fit on a line."""

    letters: float
    line: float
    before: float
    after: float
    close: bool


class _Pen:
    """The layout cursor: the current page, and the distance from its top in points (`_at`)."""

    def __init__(self, sections: Sequence[SectionEnd], objects: Sequence[EmbeddedObject]) -> None:
        self._ends = [section.element for section in sections]
        self._areas = [text_area(section.properties) for section in sections] or [text_area(None)]
        self._objects = objects
        self._settings: dict[tuple[int, int, float, float], _Setting] = {}
        self._page, self._at, self._broken = 1, 0.0, 1
        self._gap, self._style = 0.0, ""  # space after the previous paragraph, and its style
        self._starts: dict[int, int] = {}
        self.rows: dict[int, tuple[int, ...]] = {}

    def put(self, item: Item) -> None:
        if item.page > self._broken:
            self._page, self._at = self._page + item.page - self._broken, 0.0
            self._broken = item.page
        areas = self._areas
        area = areas[0] if len(areas) == 1 else areas[min(bisect_left(self._ends, item.element), len(areas) - 1)]
        if isinstance(item, GridTable):
            self._put_table(item, area)
        else:
            self._put_paragraph(item, area)

    def starts_of(self, places: int) -> list[int]:
        """Return the page of each place from 0 to `places`; a place without an item gets the page of the previous one."""
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

    def _put_table(self, table: GridTable, area: TextArea) -> None:
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
        """Return the height of the tallest cell; the height of a cell that spans rows is divided among them."""
        height = 0.0
        for cell in row.cells:
            width = max(cell.columns * column - _CELL_PADDING, _LEAST_WIDTH)
            inside = 0.0
            for item in cell.items:
                inside += self._height_in_cell(item, width, pitch)
            height = max(height, inside / cell.rows)
        return height

    def _height_in_cell(self, item: Item, width: float, pitch: float) -> float:
        if isinstance(item, GridTable):
            return sum(self._row_height(row, width / max(item.columns, 1), pitch) for row in item.rows)
        setting = self._setting(item, width, pitch)
        return (self._height(item, setting) if item.raw else setting.line) + setting.before + setting.after

    def _setting(self, item: Paragraph, width: float, pitch: float) -> _Setting:
        """Return the cached layout of a paragraph. Keyed by the identity of `item.layout`: layouts are shared and live as long as the items."""
        size = (item.look or item.style.look).size
        key = (id(item.layout), size, width, pitch)
        return self._settings.get(key) or self._settings.setdefault(key, _setting(item.layout, size / 2, width, pitch))

    def _height(self, item: Paragraph, setting: _Setting) -> float:
        """Return the height of the lines of a paragraph and of the pictures in them."""
        raw = item.raw
        letters: float = len(raw) + len(item.label)
        if "\t" in raw:
            letters += _TAB_LETTERS * raw.count("\t")
        if not raw.isascii() and not _IS_NARROW(raw):
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
    """Compute the layout of text of a font size in a column of a width, both in points."""
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
"""The height of a line by the rule of line spacing (17.18.48)."""
