"""Find the page on which each item begins (docs/concepts/positions.md).

1. The known page turns divide the document into intervals. `page_layout` estimates the length of
   each interval and where the items stand in it.
2. Each interval gets a number of pages (`_count`). The estimated lengths are scaled such that the
   whole document has as many pages as Word counted (`_scale`).
3. Where the evidence is clear, the page of an item is a fact, elsewhere an estimate (`_facts`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import ceil, floor
from operator import and_
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.reader.page_layout import Interval, PageCursor, PlacedText
from docxchunk.reader.state import DocumentState
from docxchunk.reader.tables import GridTable

if TYPE_CHECKING:
    from docxchunk.reader.tables import Item

_STEPS: Final = range(4097)  # between the smallest and the largest scale
_ROUNDED: Final = 0.55  # an interval of 1.55 estimated pages has two pages
_SURE: Final = 1.6  # an interval with one page has at most this many estimated pages
_SURE_ALONE: Final = 0.9  # the same, if the file has no marks of Word
_ONE: Final = 1.2  # a document with one page has at most this many estimated pages
# least and most estimated pages of one page that ends with a break, and of one that ends with a
# mark, if known turns may be missing
_FULL_ALONE: Final = ((0.01, 0.95), (0.6, 1.4))
# the evidence for an interval is clear if its estimated and its chosen number of pages differ by at
# most this, less the error of the estimate
_NEAR: Final = 0.5
_ERROR: Final = 0.08  # of an estimated length, relative
# largest factor for estimated lengths; a page count of Word that needs more is out of date
_MOST_SCALED: Final = 1.7


class PageStart(NamedTuple):
    """The page on which a paragraph or table begins."""

    page: int = 1
    is_estimate: bool = True
    turns: tuple[int, ...] = ()  # the offsets in the raw text at which later pages begin


class RowPages(NamedTuple):
    """The page on which each row of a table begins; empty if all are on one page."""

    pages: tuple[int, ...] = ()
    is_estimate: bool = False


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of each `Paragraph.position`, and of the rows of each table by its ordinal."""

    starts: Sequence[PageStart] = ()
    rows: Mapping[int, RowPages] = field(default_factory=dict)

    def of(self, position: int) -> PageStart:
        return self.starts[position] if position < len(self.starts) else PageStart()

    def of_rows(self, table: GridTable) -> RowPages:
        return self.rows.get(table.ordinal, RowPages())


def find_pages(items: Iterable[Item], document: DocumentState, total: int) -> Pages:
    """Return the pages of the items of the body, which has been read completely. `total` is the
    number of pages that Word counted; 0 if unknown.
    """
    cursor = PageCursor(document)
    for item in items:
        cursor.put(item)
    cursor.end()
    intervals, has_marks = cursor.intervals, cursor.has_marks
    if total == 1 and sum(max(interval.length, 1.0) for interval in intervals) > _ONE:
        total = 0  # Word writes 1 if it has not laid out the document
    scale = _scale(intervals, total, has_marks=has_marks)
    counts = [_count(interval, scale, has_marks=has_marks) for interval in intervals]
    facts = _facts(intervals, counts, scale, total, has_marks=has_marks)
    return _assigned(_placed(intervals, counts, facts, scale), document.position)


# --- The number of pages of each interval


def _scale(intervals: Sequence[Interval], total: int, *, has_marks: bool) -> float:
    """Return the factor for estimated lengths with which the document has `total` pages."""
    filled = [
        interval.length for interval in intervals if interval.fills and 0.5 < interval.length < 1.5
    ]
    usual = 1 / median(filled) if len(filled) > 2 else 1.0
    low, high = usual / _MOST_SCALED, usual * _MOST_SCALED

    def count(scale: float) -> int:
        return sum(_count(interval, scale, has_marks=has_marks) for interval in intervals)

    if count(usual) == total or not count(low) <= total <= count(high):
        return usual
    step = bisect_left(
        _STEPS, total, key=lambda step: count(low + (high - low) * step / _STEPS[-1])
    )
    return low + (high - low) * step / _STEPS[-1]


def _count(interval: Interval, scale: float, *, has_marks: bool) -> int:
    """Return the number of pages of an interval. Where Word wrote marks, it seldom has more than
    one page.
    """
    length = interval.length * scale
    return max(floor(length + 1 - _ROUNDED) if has_marks else ceil(length - 0.02), 1)


# --- Facts


def _facts(
    intervals: Sequence[Interval],
    counts: Sequence[int],
    scale: float,
    total: int,
    *,
    has_marks: bool,
) -> list[bool]:
    """Return, for each interval, whether its page is a fact. Two conditions must be true: the
    interval has one page, and the evidence is clear from the start of the document to the end of
    the interval, or from its start to the end of the document.

    Without the page count of Word, only page marks are evidence, and only if each page is full.
    """
    agrees = sum(counts) == total
    if not agrees and (total or not has_marks):
        return [False] * len(counts)
    is_each_one = len(counts) == total  # each interval is one of the pages that Word counted

    def is_clear(interval: Interval, count: int) -> bool:
        """Return whether the length of an interval agrees with its number of pages."""
        length = interval.length * scale
        if not has_marks:
            return count == 1 and length <= _SURE_ALONE
        if count > 1:
            # without a mark at its end, the last page is half full on average
            error = abs(length - count + (0 if interval.fills else 0.5))
            return agrees and error <= _NEAR - _ERROR * length
        if is_each_one:
            return length <= _SURE
        # a longer interval may hide a turn without a mark, and an empty one may be a turn that was
        # told twice
        least, largest = _FULL_ALONE[interval.fills]
        return least <= length <= largest

    clear = list(map(is_clear, intervals, counts))
    from_start = list(accumulate(clear, and_))
    from_end = list(accumulate(reversed(clear), and_))[::-1]
    return [
        count == 1 and (start or (agrees and end))
        for count, start, end in zip(counts, from_start, from_end, strict=True)
    ]


# --- The pages of items


def _assigned(placed: Iterable[tuple[PlacedText, PageStart]], last_position: int) -> Pages:
    """Return the page of each position from 0 to `last_position`, and of each row of a table."""
    pages: dict[int, PageStart] = {}  # by position
    turns_of: dict[int, list[int]] = {}  # of paragraphs of several parts, by position
    rows: dict[int, list[PageStart]] = {}  # by ordinal of the table
    for (position, _, _, start, _, table), page in placed:
        if table:
            rows.setdefault(table, []).append(page)
        first = pages.setdefault(position, page)
        if first is not page and not table:
            turns = turns_of.setdefault(position, [*first.turns])
            turns += [start] * (page.page - first.page - len(turns))
            turns += page.turns
    pages |= {
        position: pages[position]._replace(turns=tuple(turns))
        for position, turns in turns_of.items()
    }
    return Pages(
        _of_all_positions(pages, last_position),
        {
            table: _row_pages(rows_of_table)
            for table, rows_of_table in rows.items()
            if rows_of_table[0].page != rows_of_table[-1].page
        },
    )


def _placed(
    intervals: Sequence[Interval], counts: Sequence[int], facts: Sequence[bool], scale: float
) -> Iterator[tuple[PlacedText, PageStart]]:
    """Yield each text with the page on which it begins, and the turns in it."""
    first = 1  # page of the interval
    for interval, count, is_fact in zip(intervals, counts, facts, strict=True):
        factor = (
            count / interval.length
            if interval.length and (interval.fills or interval.length * scale > count)
            else scale
        )
        page = PageStart(first, not is_fact)
        next_page = 1  # from the first page of the interval
        for text in interval.texts:
            _, top, bottom, start, end, _ = text
            if count > 1 and (bottom * factor >= next_page or page.turns):
                span = (top * factor, bottom * factor)
                begins, ends = (min(int(edge), count - 1) for edge in span)
                turns = _turns_in(start, end, span, range(begins + 1, ends + 1))
                page = PageStart(first + begins, not is_fact, tuple(turns))
                next_page = begins + 1
            yield text, page
        first += count


def _row_pages(rows: Sequence[PageStart]) -> RowPages:
    return RowPages(tuple(row.page for row in rows), any(row.is_estimate for row in rows))


def _of_all_positions(pages: Mapping[int, PageStart], last_position: int) -> list[PageStart]:
    """Return the page of each position up to the last one. A position without an item has the page
    of the previous one.
    """
    filled, page = [], PageStart(is_estimate=False)
    for position in range(last_position + 1):
        page = pages.get(position) or page._replace(turns=())
        filled.append(page)
    return filled


def _turns_in(start: int, end: int, span: tuple[float, float], pages: range) -> Iterator[int]:
    """Yield the estimated offset at which each of these pages begins, in the part of a paragraph
    from `start` to `end`. `span` is where this part begins and ends, counted in pages.
    """
    if len(pages) <= end - start:  # else most of it is no text
        yield from (
            start + round((end - start) * (page - span[0]) / (span[1] - span[0])) for page in pages
        )
