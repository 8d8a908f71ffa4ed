"""Find the page of each item (docs/concepts/positions.md).

The known page turns divide the document into stretches: the page marks of Word's last layout, the
breaks of the author, and the sections. Each stretch is laid out line by line, and the number of its
pages is chosen such that the whole document has as many pages as Word counted.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import ceil, floor
from operator import and_
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.ooxml.formatting import SINGLE, Layout, Look, text_area
from docxchunk.reader.flow import DocumentState, DrawingObject, EquationObject
from docxchunk.reader.paragraphs import Paragraph, TurnSource
from docxchunk.reader.tables import GridTable, Row
from docxchunk.reader.text import BREAK, OBJECT, objects_in, only_objects

if TYPE_CHECKING:
    from docxchunk.reader.tables import Item

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
_EAST_ASIAN: Final = (0.45, 1.2)
_RAGGED: Final = 2.5  # letters: half a word, which is empty at the end of a line
# characters that are 1 em wide
_WIDE: Final = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]+")
_CYRILLIC: Final = re.compile("[\u0370-\u052f]+")  # and Greek
# much faster than a search for other letters
_IS_LATIN: Final = re.compile("[\x00-\u036f\u0530-\u10ff\u1200-\u2e7f]*+").fullmatch
_BROADER: Final = 0.18  # extra letters for a Cyrillic letter
_CELL_PADDING: Final = 10.8  # points, left and right together: the default of Word's tables
_TAB_LETTERS: Final = 3  # extra letters for a tab: half the distance between two default tab stops
_STEPS: Final = range(4097)  # of the scale of estimated lengths
_LEAST_WIDTH: Final = 24.0  # points
_LONGEST_KEPT: Final = 8  # lines of a paragraph that stay with the next one
_EQUATION: Final = 2.5  # lines that an equation in a paragraph of its own takes
_ROUNDED: Final = 0.55  # a stretch of 1.55 estimated pages has two pages
_SURE: Final = 1.6  # a stretch of up to so many estimated pages can have one page
_SURE_ALONE: Final = 0.9  # the same, if the file has no marks of Word
_ONE: Final = 1.2  # a document of up to so many estimated pages can have one page
# least and most estimated pages of a page that ends with a break, and with a mark, where turns may
# be missing
_FULL_ALONE: Final = ((0.01, 0.95), (0.6, 1.4))
# largest difference between the estimated and the chosen number of pages of a stretch that is
# clear, less the error of the estimate
_NEAR: Final = 0.5
_ERROR: Final = 0.08  # of an estimated length, relative
_MOST_DOUBLES: Final = 16  # page marks that can be left out
# largest factor for estimated lengths; a page count of Word that needs more is out of date
_MOST_SCALED: Final = 1.7


class PagePlace(NamedTuple):
    """The page on which a paragraph or table begins, whether it is an estimate, and the offsets in
    its raw text at which later pages begin.
    """

    page: int = 1
    is_estimate: bool = True
    turns: tuple[int, ...] = ()


class RowPages(NamedTuple):
    """The page on which each row of a table begins; empty if all are on one page."""

    pages: tuple[int, ...] = ()
    is_estimate: bool = False


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of each `Paragraph.place`, and of the rows of each table by its ordinal."""

    places: Sequence[PagePlace] = ()
    rows: Mapping[int, RowPages] = field(default_factory=dict)

    def of(self, place: int) -> PagePlace:
        return self.places[place] if place < len(self.places) else PagePlace()

    def of_rows(self, table: GridTable) -> RowPages:
        return self.rows.get(table.ordinal, RowPages())


def find_pages(items: Iterable[Item], document: DocumentState, total: int) -> Pages:
    """Return the pages of the items of the body, which has been read. `total` is the number of
    pages that Word counted; 0 if unknown.
    """
    pen = _Pen(document)
    for item in items:
        pen.put(item)
    pen.end()
    return _assigned(pen, document.place, total)


_Piece = tuple[int, float, float, int, int, int]
"""A paragraph, a part of one, or a table row: its place, its top and bottom in pages from the
beginning of the stretch, the offsets in the raw text at which it starts and ends, and the ordinal
of the table, 0 for a paragraph. As plain tuples, these are left out by the garbage collector.
"""


class _Stretch(NamedTuple):
    """The text between two known page turns."""

    pieces: list[_Piece]
    length: float  # estimated pages
    fills: bool  # it ends with a page mark of Word, so its last page is full
    is_merged: bool = False  # marks in it were left out


class _Setting(NamedTuple):
    """The layout of a paragraph in a column, in points. `letters` is the number of Latin letters
    that fit on a line.
    """

    letters: float
    wider: float  # extra letters for a wide character
    line: float
    before: float
    after: float
    close: bool  # no space between paragraphs of the same style
    keep: bool  # on the page of the next paragraph


class _Pen:
    """The layout cursor: the current page of the stretch, and the distance from its top in points
    (`_at`).
    """

    def __init__(self, document: DocumentState) -> None:
        self._ends = [section.element for section in document.sections]
        self._areas = [text_area(section.properties) for section in document.sections] or [
            text_area(None)
        ]
        # after the last section, in files that leave out its properties
        self._areas.append(self._areas[-1]._replace(begins_page=True))
        self._section, self._area = 0, self._areas[0]
        self._objects = document.objects
        self._may_have_marks = document.page > 1
        self._settings: dict[tuple[int, int, str, float, float], _Setting] = {}
        self._page, self._at = 0, 0.0
        self._gap, self._style = 0.0, ""  # space after the previous paragraph, and its style
        self._place = self._turned = 0  # places of the current item and of the last known turn
        # no text since the last known turn; and Word may have marked that turn once more
        self._is_blank = self._may_be_marked = True
        self._pieces: list[_Piece] = []
        self.stretches: list[_Stretch] = []
        self.has_marks = False

    def put(self, item: Item) -> None:
        # the text of a text box or chart, which has the page of its anchor
        if item.place == self._place:
            return
        is_first, self._place = not self._place, item.place
        if self._section < len(self._ends) and item.element > self._ends[self._section]:
            self._enter(bisect_left(self._ends, item.element), is_first=is_first)
        if isinstance(item, GridTable):
            self._put_table(item)
        else:
            self._put_paragraph(item)

    def end(self) -> None:
        """End the last stretch."""
        self.stretches.append(
            _Stretch(self._pieces, self._page + self._at / self._area.height, fills=False)
        )

    def _enter(self, section: int, *, is_first: bool) -> None:
        """Begin a section: on a new page, or in other columns of the same page."""
        before, self._section, self._area = self._area, section, self._areas[section]
        if (self._area.begins_page or self._area.paper != before.paper) and not is_first:
            self._turn(may_be_marked=True)
        else:
            self._at *= self._area.height / before.height

    def _known_turn(self, source: TurnSource) -> None:
        """Turn the page at a mark or break, unless it tells of the same turn as the one before."""
        if source is TurnSource.MARK:
            self.has_marks = True
            if self._is_blank and self._may_be_marked:
                self._may_be_marked = False
                return
        elif source is TurnSource.BEFORE and self._is_blank and self._place - self._turned <= 1:
            return
        self._turn(may_be_marked=source is not TurnSource.MARK)

    def _turn(self, *, may_be_marked: bool) -> None:
        self.stretches.append(
            _Stretch(self._pieces, self._page + self._at / self._area.height, not may_be_marked)
        )
        self._pieces = []
        self._page, self._at, self._gap = 0, 0.0, 0.0
        self._turned, self._is_blank, self._may_be_marked = self._place, True, may_be_marked

    def _put_paragraph(self, item: Paragraph) -> None:
        area, style, raw = self._area, item.style.id, item.raw
        setting = self._setting(item, area.width, area.pitch)
        _, _, line, before, after, close, _ = setting
        height, start = self._height(item, setting) if raw else line, 0
        for turn in item.turns:
            if raw[start : turn.at].strip():
                self._advance(item, start, turn.at, height * (turn.at - start) / len(raw), setting)
                start = turn.at
            self._known_turn(turn.source)
        if close and self._style == style:
            self._at = max(self._at - self._gap, 0.0)
        elif self._at and before > self._gap:
            self._at += before - self._gap
        if item.turns:  # a paragraph mark after a break stays on its page
            height = height * (len(raw) - start) / len(raw) if raw[start:].strip() else 0.0
        self._advance(item, start, len(raw), height, setting)
        self._gap, self._style = after, style
        self._at += after

    def _advance(
        self, item: Paragraph, start: int, end: int, height: float, setting: _Setting
    ) -> None:
        """Lay out a part of a paragraph."""
        if self._is_blank and end > start and not item.raw[start:end].isspace():
            self._is_blank = False
        full, page, at = self._area.height, self._page, self._at
        if at and (setting.keep or at + height > full):
            line = setting.line
            # widow control (17.3.1.44)
            least = (
                min(height, _LONGEST_KEPT * line) + 2 * line
                if setting.keep
                else min(2 * line, height)
            )
            if at + least > full:
                page, at = page + 1, 0.0
        top = page + at / full
        at += height
        if at > full:
            turned = ceil(at / full) - 1
            page, at = page + turned, at - turned * full
        self._page, self._at = page, at
        self._pieces.append((item.place, top, page + at / full, start, end, 0))

    def _put_table(self, table: GridTable) -> None:
        area = self._area
        columns = _columns(table, area.width)
        for row in table.rows:
            height = self._row_height(row, columns, area.pitch)
            marks = _marks_of_row(row) if self._may_have_marks else _NO_MARKS
            if marks.leading:
                self._known_turn(TurnSource.MARK)
            self._is_blank = self._is_blank and not any(
                isinstance(item, GridTable) or item.raw for cell in row.cells for item in cell.items
            )
            if self._at + height > area.height and self._at and height < area.height:
                self._page, self._at = self._page + 1, 0.0
            inside = min(marks.inside, ceil(height / area.height))
            for number in range(inside + 1):
                top = self._page + self._at / area.height
                self._at += height / (inside + 1)
                self._down()
                if not number:
                    self._pieces.append(
                        (table.place, top, self._page + self._at / area.height, 0, 0, table.ordinal)
                    )
                if number < inside:
                    self._known_turn(TurnSource.MARK)
            if inside:  # Word often marks the same turn in the next row or paragraph
                self._is_blank = self._may_be_marked = True
        self._gap = 0.0

    def _row_height(self, row: Row, columns: Sequence[float], pitch: float) -> float:
        """Return the height of the tallest cell; the height of a cell that spans rows is divided
        among them.
        """
        height = row.height
        for cell in row.cells:
            width = (
                columns[cell.column]
                if cell.columns == 1
                else sum(columns[cell.column : cell.column + cell.columns])
            )
            width = max(width - _CELL_PADDING, _LEAST_WIDTH)
            inside = 0.0
            for item in cell.items:
                inside += self._height_in_cell(item, width, pitch)
            if inside > height * cell.rows:
                height = inside / cell.rows
        return height

    def _height_in_cell(self, item: Item, width: float, pitch: float) -> float:
        if isinstance(item, GridTable):
            columns = _columns(item, width)
            return sum(self._row_height(row, columns, pitch) for row in item.rows)
        setting = self._setting(item, width, pitch)
        return (
            (self._height(item, setting) if item.raw else setting.line)
            + setting.before
            + setting.after
        )

    def _setting(self, item: Paragraph, width: float, pitch: float) -> _Setting:
        """Return the cached layout of a paragraph. Keyed by the identity of `item.layout`: layouts
        are shared and live as long as the items.
        """
        look = item.look or item.style.look
        key = (id(item.layout), look.size, look.font, width, pitch)
        return self._settings.get(key) or self._settings.setdefault(
            key, _setting(item.layout, look, width, pitch)
        )

    def _height(self, item: Paragraph, setting: _Setting) -> float:
        """Return the height of the lines of a paragraph and of the pictures in them."""
        raw = item.raw
        letters: float = len(raw) + len(item.label)
        if "\t" in raw:
            letters += _TAB_LETTERS * raw.count("\t")
        room = setting.letters
        if not raw.isascii() and not _IS_LATIN(raw):
            if wide := len(raw) - len(_WIDE.sub("", raw)):
                letters += wide * setting.wider
                room += _RAGGED
            else:
                letters += (len(raw) - len(_CYRILLIC.sub("", raw))) * _BROADER
        lines = ceil(letters / room) or 1
        if BREAK in raw:
            lines = max(lines, raw.count(BREAK) + 1)
        if OBJECT not in raw:
            return lines * setting.line
        inside = objects_in(raw)
        if isinstance(self._objects[inside[0]], EquationObject) and only_objects(raw):
            return _EQUATION * setting.line
        drawn = sum(
            min(drawing.height, self._area.height)
            for drawing in (self._objects[k] for k in inside)
            if isinstance(drawing, DrawingObject)
        )
        return lines * setting.line + drawn

    def _down(self) -> None:
        """Go on to the next pages if the current one is overfull."""
        if self._at > self._area.height:
            turned = ceil(self._at / self._area.height) - 1
            self._page, self._at = self._page + turned, self._at - turned * self._area.height


def _columns(table: GridTable, width: float) -> Sequence[float]:
    """Return the widths of the columns in points; equal ones if the file does not tell. A table
    that is wider than the page keeps its width.
    """
    return (
        table.widths
        if table.widths and min(table.widths) > 0
        else [width / max(table.columns, 1)] * table.columns
    )


class _RowMarks(NamedTuple):
    """The page marks in a row or cell: whether one leads its text, and how many follow later."""

    leading: bool
    inside: int


_NO_MARKS: Final = _RowMarks(leading=False, inside=0)


def _marks_of_row(row: Row) -> _RowMarks:
    """Return the page turns of a row. Word marks a turn in each cell that it divides, often at the
    beginning of other cells, and again in the next row.
    """
    cells = [_marks_of_cell(cell.items) for cell in row.cells]
    leading = bool(cells) and cells[0].leading
    return _RowMarks(
        leading, max((cell.inside + (cell.leading and not leading) for cell in cells), default=0)
    )


def _marks_of_cell(items: Sequence[Item]) -> _RowMarks:
    if not any(isinstance(item, GridTable) or item.turns for item in items):
        return _NO_MARKS
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


def _assigned(pen: _Pen, places: int, total: int) -> Pages:
    """Choose the number of pages of each stretch, and return the pages of all places."""
    if total == 1 and sum(max(stretch.length, 1.0) for stretch in pen.stretches) > _ONE:
        total = 0  # Word writes 1 if it has not laid out the document
    if 0 < len(pen.stretches) - total <= _MOST_DOUBLES and total:
        pen.stretches = _without_doubles(pen.stretches, total)
    scale = _scale(pen, total)
    counts = [_count(stretch, scale, pen) for stretch in pen.stretches]
    facts = _facts(pen, counts, scale, total)
    found: dict[int, PagePlace] = {}
    later: dict[int, list[int]] = {}  # turns of paragraphs of several pieces
    rows: dict[int, list[PagePlace]] = {}
    first = 1
    for stretch, count, is_fact in zip(pen.stretches, counts, facts, strict=True):
        factor = (
            count / stretch.length
            if stretch.length and (stretch.fills or stretch.length * scale > count)
            else scale
        )
        here = PagePlace(first, not is_fact)
        for place, top, bottom, start, end, table in stretch.pieces:
            if count > 1 and (here.turns or bottom * factor >= here.page + 1 - first):
                begins, ends = (
                    min(int(top * factor), count - 1),
                    min(int(bottom * factor), count - 1),
                )
                span = (top * factor, bottom * factor)
                here = PagePlace(
                    first + begins,
                    not is_fact,
                    tuple(_turns_in(start, end, span, range(begins + 1, ends + 1))),
                )
            if table:
                rows.setdefault(table, []).append(here)
            before = found.setdefault(place, here)
            if before is not here and not table:
                turns = later.setdefault(place, [*before.turns])
                turns += [start] * (here.page - before.page - len(turns))
                turns += here.turns
        first += count
    found |= {place: found[place]._replace(turns=tuple(turns)) for place, turns in later.items()}
    return Pages(
        _everywhere(found, places),
        {table: _row_pages(each) for table, each in rows.items() if each[0].page != each[-1].page},
    )


def _row_pages(rows: Sequence[PagePlace]) -> RowPages:
    return RowPages(tuple(row.page for row in rows), any(row.is_estimate for row in rows))


def _without_doubles(stretches: list[_Stretch], total: int) -> list[_Stretch]:
    """Leave out marks where Word marked more turns than it counted pages: those between the
    shortest neighbours, as long as they fit on one page.
    """
    merged = list(stretches)
    while len(merged) > total:
        pairs = [
            (before.length + after.length, i)
            for i, (before, after) in enumerate(pairwise(merged))
            if before.fills
        ]
        length, at = min(pairs, default=(2.0, 0))
        if length > _ONE:
            return stretches
        before, after = merged[at : at + 2]
        down = before.length
        moved = [
            (place, top + down, bottom + down, start, end, table)
            for place, top, bottom, start, end, table in after.pieces
        ]
        merged[at : at + 2] = [
            _Stretch([*before.pieces, *moved], length, after.fills, is_merged=True)
        ]
    return merged


def _facts(pen: _Pen, counts: Sequence[int], scale: float, total: int) -> list[bool]:
    """Return for each stretch whether its page is a fact: it has one page, and the evidence is
    clear for all stretches before it, or for all after it.

    Without the page count of Word, only marks are evidence, and only where each page is full.
    """
    agrees = sum(counts) == total
    if not agrees and (total or not pen.has_marks):
        return [False] * len(counts)
    clear = [
        _is_clear(
            stretch,
            count,
            stretch.length * scale,
            has_total=agrees,
            all_known=len(counts) == total,
            has_marks=pen.has_marks,
        )
        for stretch, count in zip(pen.stretches, counts, strict=True)
    ]
    from_start = list(accumulate(clear, and_))
    from_end = list(accumulate(reversed(clear), and_))[::-1]
    return [
        count == 1 and (start or (agrees and end))
        for count, start, end in zip(counts, from_start, from_end, strict=True)
    ]


def _is_clear(  # noqa: PLR0913
    stretch: _Stretch,
    count: int,
    length: float,
    *,
    has_total: bool,
    all_known: bool,
    has_marks: bool,
) -> bool:
    """Return whether the length of a stretch agrees with its number of pages. `all_known`: there
    are as many stretches as pages.
    """
    if not has_marks:
        return count == 1 and length <= _SURE_ALONE
    if count == 1 and all_known:
        return length <= _SURE and not stretch.is_merged
    # a longer stretch may hide a turn without a mark, and an empty one may be a turn that was told
    # twice
    if count == 1:
        least, most = _FULL_ALONE[stretch.fills]
        return not stretch.is_merged and least <= length <= most
    return (
        has_total and abs(length - count + (0 if stretch.fills else 0.5)) <= _NEAR - _ERROR * length
    )


def _everywhere(found: Mapping[int, PagePlace], places: int) -> list[PagePlace]:
    """Return the pages of each place from 0 to `places`; a place without an item has the page of
    the previous one.
    """
    pages, last = [], PagePlace(is_estimate=False)
    for place in range(places + 1):
        last = found.get(place) or (last._replace(turns=()) if last.turns else last)
        pages.append(last)
    return pages


def _turns_in(start: int, end: int, span: tuple[float, float], pages: range) -> Iterator[int]:
    """Yield the offset in a part of a paragraph at which each of these pages begins by the
    estimate. `span`: where the part begins and ends, in pages.
    """
    if len(pages) <= end - start:  # else most of it is no text
        yield from (
            start + round((end - start) * (page - span[0]) / (span[1] - span[0])) for page in pages
        )


def _count(stretch: _Stretch, scale: float, pen: _Pen) -> int:
    """Return the number of pages of a stretch. Where Word wrote marks, a stretch seldom has more
    than one page.
    """
    length = stretch.length * scale
    return max(floor(length + 1 - _ROUNDED) if pen.has_marks else ceil(length - 0.02), 1)


def _scale(pen: _Pen, total: int) -> float:
    """Return the factor for estimated lengths with which the document has `total` pages."""
    filled = [
        stretch.length for stretch in pen.stretches if stretch.fills and 0.5 < stretch.length < 1.5
    ]
    usual = 1 / median(filled) if len(filled) > 2 else 1.0
    low, high = usual / _MOST_SCALED, usual * _MOST_SCALED

    def count(scale: float) -> int:
        return sum(_count(stretch, scale, pen) for stretch in pen.stretches)

    if count(usual) == total or not count(low) <= total <= count(high):
        return usual
    step = bisect_left(
        _STEPS, total, key=lambda step: count(low + (high - low) * step / _STEPS[-1])
    )
    return low + (high - low) * step / _STEPS[-1]


def _setting(layout: Layout, look: Look, width: float, pitch: float) -> _Setting:
    """Compute the layout of text in a column of a width in points."""
    size = look.size / 2
    letter, height = _FONTS.get(look.font.lower(), _OTHER_FONT)
    single = size * height
    if pitch:
        single = ceil(single / pitch) * pitch
    room = max(width - (layout.left + layout.right) / 20, _LEAST_WIDTH)
    line = _LINES[layout.line_rule](layout.line, single)
    return _Setting(
        max(room / size / letter - _RAGGED, 1.0),
        1 / letter - 1,
        line,
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
