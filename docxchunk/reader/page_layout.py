"""Lay out the body of a document line by line, to estimate how long its pages are.

`Heights` estimates the height of paragraphs and table rows, `PageCursor` puts one below the other.
The known page turns divide the text into intervals: the page marks of Word's last layout, the
breaks of the author, and sections. See `pages`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.language.patterns import pattern
from docxchunk.language.scripts import WIDE
from docxchunk.ooxml.formatting import SINGLE, Look, ParagraphLayout, TextArea, text_area
from docxchunk.reader.paragraphs import Paragraph, TurnSource
from docxchunk.reader.state import DocumentState, DrawingObject, EquationObject
from docxchunk.reader.tables import GridTable, Row
from docxchunk.reader.text import BREAK, OBJECT, objects_in, only_objects

if TYPE_CHECKING:
    from docxchunk.reader.tables import Item

# --- Heights

# mean width of a letter of English text, and height of a single-spaced line, in em
_FONTS: Final[Mapping[str, tuple[float, float]]] = {
    "arial": (0.445, 1.15),
    "helvetica": (0.445, 1.15),
    "arial narrow": (0.365, 1.15),
    "calibri": (0.41, 1.22),
    "cambria": (0.41, 1.17),
    "consolas": (0.55, 1.17),
    "courier": (0.6, 1.13),
    "courier new": (0.6, 1.13),
    "segoe ui": (0.46, 1.33),
    "tahoma": (0.45, 1.21),
    "times": (0.405, 1.15),
    "times new roman": (0.405, 1.15),
    "verdana": (0.51, 1.22),
}
_OTHER_FONT: Final = (0.43, 1.2)
_RAGGED: Final = 2.5  # letters: half a word, which is empty at the end of a line
# characters that are 1 em wide
_WIDE: Final = pattern(f"[{WIDE}]+")
_CYRILLIC: Final = pattern("[\u0370-\u052f]+")  # and Greek
# much faster than a search for other letters
_IS_LATIN: Final = re.compile("[\x00-\u036f\u0530-\u10ff\u1200-\u2e7f]*+").fullmatch
_BROADER: Final = 0.18  # a Cyrillic letter is so much wider than a Latin one
_CELL_PADDING: Final = 10.8  # points, left and right together: the default of Word's tables
# extra letters for a tab: half the distance between two default tab stops
_TAB_LETTERS: Final = 3
_LEAST_WIDTH: Final = 24.0  # points
_EQUATION: Final = 2.5  # lines that an equation in a paragraph of its own takes


class LineFit(NamedTuple):
    """How a paragraph fills the lines of a column; lengths in points."""

    letters: float  # number of Latin letters that fit on a line
    wider: float  # letters that a wide character takes in addition
    line: float  # height of a line
    before: float  # space before the paragraph
    after: float  # space after it
    close: bool  # no space between paragraphs of the same style
    keep: bool  # on the page of the next paragraph


class Heights:
    """Estimates the heights of paragraphs and table rows in a text area, in points."""

    def __init__(self, objects: Sequence[object], area: TextArea) -> None:
        self.area = area
        self._objects = objects
        self._fits: dict[tuple[int, int, float, float], LineFit] = {}

    def of_row(self, row: Row, columns: Sequence[float]) -> float:
        """Return the height of the tallest cell; the height of a cell that spans rows is divided
        among them.
        """
        height = row.height
        for cell in row.cells:
            column, count = cell.column, cell.columns
            width = max(sum(columns[column : column + count]) - _CELL_PADDING, _LEAST_WIDTH)
            inside = 0.0
            for item in cell.items:
                if isinstance(item, GridTable):
                    inside += self._of_table(item, width)
                    continue
                fit = self.fit(item, width)
                inside += self.of_text(item, fit) + fit.before + fit.after
            if inside > height * cell.rows:
                height = inside / cell.rows
        return height

    def _of_table(self, table: GridTable, width: float) -> float:
        columns = _columns(table, width)
        return sum(self.of_row(row, columns) for row in table.rows)

    def fit(self, item: Paragraph, width: float) -> LineFit:
        """Return how a paragraph fills lines of this width, in points. Paragraphs share look and
        layout, so the results are cached by their identity. (They live as long as the items.)
        """
        look = item.look or item.style.look
        key = (id(item.layout), id(look), width, self.area.pitch)
        fit = self._fits.get(key)
        if fit is None:
            fit = self._fits[key] = _line_fit(item.layout, look, width, self.area.pitch)
        return fit

    def of_text(self, item: Paragraph, fit: LineFit) -> float:
        """Return the height of the lines of a paragraph and of the pictures in them."""
        raw = item.raw
        letters: float = len(raw) + len(item.label) + _TAB_LETTERS * raw.count("\t")
        room = fit.letters
        if not raw.isascii() and not _IS_LATIN(raw):
            if wide := len(raw) - len(_WIDE.sub("", raw)):
                letters += wide * fit.wider
                room += _RAGGED
            else:
                letters += (len(raw) - len(_CYRILLIC.sub("", raw))) * _BROADER
        lines = ceil(letters / room) or 1
        lines = max(lines, raw.count(BREAK) + 1)
        if OBJECT not in raw:
            return lines * fit.line
        inside = objects_in(raw)
        if isinstance(self._objects[inside[0]], EquationObject) and only_objects(raw):
            return _EQUATION * fit.line
        drawn = sum(
            min(drawing.height, self.area.height)
            for drawing in (self._objects[k] for k in inside)
            if isinstance(drawing, DrawingObject)
        )
        return lines * fit.line + drawn


def _columns(table: GridTable, width: float) -> Sequence[float]:
    """Return the widths of the columns in points; equal ones if the file does not tell. A table
    that is wider than the page keeps its width.
    """
    return (
        table.widths
        if table.widths and min(table.widths) > 0
        else [width / max(table.columns, 1)] * table.columns
    )


def _line_fit(layout: ParagraphLayout, look: Look, width: float, pitch: float) -> LineFit:
    """Return how text of this layout and look fills lines of this width in points."""
    size = look.size / 2
    letter, height = _FONTS.get(look.font.lower(), _OTHER_FONT)
    single = size * height
    if pitch:
        single = ceil(single / pitch) * pitch
    room = max(width - (layout.left + layout.right) / 20, _LEAST_WIDTH)
    return LineFit(
        max(room / size / letter - _RAGGED, 1.0),
        1 / letter - 1,
        _LINES[layout.line_rule](layout.line, single),
        max(layout.before, 0) / 20,
        max(layout.after, 0) / 20,
        layout.contextual,
        layout.keep_next,
    )


_LINES: Final[Mapping[str, Callable[[int, float], float]]] = {
    "auto": lambda line, single: single * abs(line) / SINGLE,
    "exact": lambda line, _: abs(line) / 20,
    "atLeast": lambda line, single: max(line / 20, single),
}
"""The height of a line by the rule of line spacing (17.18.48)."""


# --- The page cursor

_LONGEST_KEPT: Final = 8  # most lines that are kept with the next paragraph


PlacedText = tuple[int, float, float, int, int, int]
"""A paragraph, a part of one, or a table row: its `position`, its top and bottom in pages from the
beginning of the interval, the offsets in the raw text at which it starts and ends, and the ordinal
of the table (0 for a paragraph). The garbage collector skips plain tuples.
"""


class Interval(NamedTuple):
    """The text between two known page turns."""

    texts: list[PlacedText]
    length: float  # estimated pages
    fills: bool  # it ends with a page mark of Word, so its last page is full


class PageCursor:
    """Places the items of a document on pages, one below the other.

    The next item is placed on page `_page` of the interval, `_at` points below the top of the page.
    """

    def __init__(self, document: DocumentState) -> None:
        self._ends = [section.element for section in document.sections]
        self._areas = [text_area(section.properties) for section in document.sections] or [
            text_area(None)
        ]
        # after the last section, in files that leave out its properties
        self._areas.append(self._areas[-1]._replace(begins_page=True))
        self._section, self._area = 0, self._areas[0]
        self._heights = Heights(document.objects, self._area)
        self._page, self._at = 0, 0.0
        self._gap, self._style = 0.0, ""  # space after the previous paragraph, and its style
        # positions of the current item and of the last known turn
        self._position = self._turned = 0
        # no text since the last known turn; and Word may mark that turn once more
        self._is_blank = self._may_be_marked = True
        self._texts: list[PlacedText] = []
        self.intervals: list[Interval] = []
        self.has_marks = False

    def put(self, item: Item) -> None:
        """Put an item below the one before it."""
        # the text of a text box or chart, which has the page of its anchor
        if item.position == self._position:
            return
        is_first, self._position = not self._position, item.position
        if self._section < len(self._ends) and item.element > self._ends[self._section]:
            self._enter(bisect_left(self._ends, item.element), is_first=is_first)
        if isinstance(item, GridTable):
            self._put_table(item)
        else:
            self._put_paragraph(item)

    def end(self) -> None:
        """End the last interval."""
        self._end_interval(fills=False)

    def _end_interval(self, *, fills: bool) -> None:
        length = self._page + self._at / self._area.height
        self.intervals.append(Interval(self._texts, length, fills))
        self._texts = []

    # --- Known turns

    def _enter(self, section: int, *, is_first: bool) -> None:
        """Begin a section: on a new page, or in other columns of the same page."""
        before, self._section, self._area = self._area, section, self._areas[section]
        if (self._area.begins_page or self._area.paper != before.paper) and not is_first:
            self._turn(may_be_marked=True)
        else:
            self._at *= self._area.height / before.height
        self._heights.area = self._area

    def _known_turn(self, source: TurnSource) -> None:
        """Turn the page at a mark or break, unless it marks the same page turn as the previous
        one.
        """
        if source is TurnSource.MARK:
            self.has_marks = True
            if self._is_blank and self._may_be_marked:
                self._may_be_marked = False
                return
        elif source is TurnSource.BEFORE and self._is_blank and self._position - self._turned <= 1:
            return
        self._turn(may_be_marked=source is not TurnSource.MARK)

    def _turn(self, *, may_be_marked: bool) -> None:
        self._end_interval(fills=not may_be_marked)
        self._page, self._at, self._gap = 0, 0.0, 0.0
        self._turned, self._is_blank, self._may_be_marked = self._position, True, may_be_marked

    # --- Paragraphs

    def _put_paragraph(self, item: Paragraph) -> None:
        style, raw, turns, heights = item.style.id, item.raw, item.turns, self._heights
        fit = heights.fit(item, self._area.width)
        height, start = heights.of_text(item, fit) if raw else fit.line, 0  # as in `of_row`
        for turn in turns:
            if raw[start : turn.at].strip():
                self._advance(item, start, turn.at, height * (turn.at - start) / len(raw), fit)
                start = turn.at
            self._known_turn(turn.source)
        if fit.close and self._style == style:
            self._at = max(self._at - self._gap, 0.0)
        elif self._at and fit.before > self._gap:
            self._at += fit.before - self._gap
        if turns:  # a paragraph mark after a break stays on its page
            height = height * (len(raw) - start) / len(raw) if raw[start:].strip() else 0.0
        self._advance(item, start, len(raw), height, fit)
        self._gap, self._style = fit.after, style
        self._at += fit.after

    def _advance(self, item: Paragraph, start: int, end: int, height: float, fit: LineFit) -> None:
        """Put the part of a paragraph from `start` to `end`, which is `height` points high."""
        if self._is_blank and end > start and not item.raw[start:end].isspace():
            self._is_blank = False
        at, full = self._at, self._area.height
        if at and (fit.keep or at + height > full):
            # widow control (17.3.1.44)
            least = (
                min(height, _LONGEST_KEPT * fit.line) + 2 * fit.line
                if fit.keep
                else min(2 * fit.line, height)
            )
            if at + least > full:
                self._page, at = self._page + 1, 0.0
        top = self._page + at / full
        self._at = at
        self._go_down(height)
        self._texts.append((item.position, top, self._page + self._at / full, start, end, 0))

    def _go_down(self, height: float) -> None:
        """Move the cursor down by `height` points, to a later page if necessary."""
        full = self._area.height
        self._at += height
        if self._at > full:
            turned = ceil(self._at / full) - 1
            self._page, self._at = self._page + turned, self._at - turned * full

    # --- Tables

    def _put_table(self, table: GridTable) -> None:
        full = self._area.height
        columns = _columns(table, self._area.width)
        for row in table.rows:
            height = self._heights.of_row(row, columns)
            marks = _marks_of_row(row)
            if marks.leading:
                self._known_turn(TurnSource.MARK)
            self._is_blank = self._is_blank and not any(
                isinstance(item, GridTable) or item.raw for cell in row.cells for item in cell.items
            )
            if self._at + height > full and self._at and height < full:
                self._page, self._at = self._page + 1, 0.0
            turns_inside = min(marks.inside, ceil(height / full))
            part_height = height / (turns_inside + 1)
            top = self._page + self._at / full
            self._go_down(part_height)
            bottom = self._page + self._at / full
            self._texts.append((table.position, top, bottom, 0, 0, table.ordinal))
            for _ in range(turns_inside):
                self._known_turn(TurnSource.MARK)
                self._go_down(part_height)
            if turns_inside:  # Word often marks the same turn in the next row or paragraph
                self._is_blank = self._may_be_marked = True
        self._gap = 0.0


# --- Page marks in tables


class _RowMarks(NamedTuple):
    """The page marks in a row or cell."""

    leading: bool  # there is one before the text
    inside: int  # number of the others


def _marks_of_row(row: Row) -> _RowMarks:
    """Return the page marks of a row. If a page ends in a row, Word puts a mark into each cell that
    it divides, and often further marks at the beginning of other cells and in the next row.
    """
    cells = [_marks_of_cell(cell.items) for cell in row.cells]
    leading = bool(cells) and cells[0].leading
    return _RowMarks(
        leading, max((cell.inside + (cell.leading and not leading) for cell in cells), default=0)
    )


def _marks_of_cell(items: Sequence[Item]) -> _RowMarks:
    leading, inside, is_blank = False, 0, True
    for item in items:
        if isinstance(item, GridTable):
            for row in item.rows:
                marks = _marks_of_row(row)
                leading, inside = (
                    leading or (marks.leading and is_blank),
                    inside + marks.inside + (marks.leading and not is_blank),
                )
                is_blank = False
            continue
        for turn in item.turns:
            if turn.source is not TurnSource.MARK:  # page breaks do nothing in tables
                continue
            if is_blank and not item.raw[: turn.at].strip():
                leading = True
            else:
                inside += 1
        is_blank = is_blank and not item.raw
    return _RowMarks(leading, inside)
