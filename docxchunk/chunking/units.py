"""Units: pieces of text that stay in one chunk (words, sentences, lines, rows of tables, blocks).

Units are kept in parallel lists, one value per unit. A chunk is a range of units; `Units.between`
returns it as spans. `UnitSequence` divides spans into units of one type.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.cutting import Cutter, is_grapheme_start, whole_ranges
from docxchunk.chunking.pieces import Span, gap
from docxchunk.chunking.prices import BLANK_LINE, PARAGRAPH, SENTENCE, SPACE, Price
from docxchunk.chunking.table_splitter import TableSlicer
from docxchunk.chunking.tokens import furthest
from docxchunk.content.tags import plain
from docxchunk.language.ranges import Range, is_inside, outermost
from docxchunk.language.scripts import WORD_WITH_SIGNS
from docxchunk.language.sentences import sentences
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole

PROSE: Final = frozenset({LineKind.TEXT, LineKind.LIST, LineKind.NOTE})
"""The kinds of lines that consist of sentences."""


class TableUnits(NamedTuple):
    """Consecutive units, from number `start` on, that are all rows of a table: unit `start + i` is
    rows [rows[i], rows[i + 1]).
    """

    start: int
    slicer: TableSlicer
    rows: Sequence[int]


class _RowUnits(NamedTuple):
    """Units [first, last), which are a range of rows of a table."""

    slicer: TableSlicer
    first: int
    last: int
    rows: Range


class Units:
    """Units of some spans, in order. Unit n is characters [starts[n], ends[n]) of the span
    `spans[of[n]]`. If a unit consists of several whole spans, this is the first of them, and the
    other spans have no unit.

    `prices` has the price of a cut before each unit. `tables` has the tables whose rows are units,
    in order.
    """

    def __init__(self, assembler: Assembler, spans: Sequence[Span]) -> None:
        self.assembler = assembler
        self.spans = spans
        self.of: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.prices: list[Price] = []
        self.tables: list[TableUnits] = []

    def __len__(self) -> int:
        return len(self.of)

    def block(self, number: int) -> int:
        """Return the number of the block of a unit."""
        return self.spans[self.of[number]].block

    def raw(self, number: int) -> str:
        """Return the text of a unit as a chunk shows it."""
        span = self.spans[self.of[number]]
        return (
            self.assembler.contents[span.block][self.starts[number] : self.ends[number]]
            if span.is_text
            else span.text
        )

    def spans_of(self, number: int) -> Sequence[Span]:
        """Return the spans that a unit is a part of, or consists of."""
        following = self.of[number + 1] if number + 1 < len(self.of) else len(self.spans)
        return self.spans[self.of[number] : max(following, self.of[number] + 1)]

    def between(self, first: int, last: int, lead: int | None = None, room: int = 0) -> list[Span]:
        """Return units [first, last) as spans, as few as possible. If `lead` is given, the text
        from that offset to the first unit is repeated as overlap.

        Rows of a table become a slice, unless they are all its rows. The slice has no repeated
        header if the spans exceed `room` tokens with it.
        """
        top = bottom = None
        if self.tables:
            if top := self._slice_with(first, first, last):
                first = top.last
            if first < last and (bottom := self._slice_with(last - 1, first, last)):
                last = bottom.first
        spans: list[Span] = []
        if lead is not None:
            block, start = self.block(first), self.starts[first]
            spans.append(self.assembler.slice(block, lead, start, SliceRole.OVERLAP))
        if first < last:
            spans += self._text_between(first, last)
        if top or bottom:
            room -= sum(span.tokens + 1 for span in spans)
            if top:
                spans.insert(0, top.slicer.slice(*top.rows, room))
            if bottom:
                spans.append(bottom.slicer.slice(*bottom.rows, room))
        return spans

    def _text_between(self, first: int, last: int) -> Iterator[Span]:
        opening, closing = self.of[first], self.of[last - 1]
        start, end = self.starts[first], self.ends[last - 1]
        for number in range(opening, closing + len(self.spans_of(last - 1))):
            span = self.spans[number]
            a = start if number == opening else span.start
            b = end if number == closing else span.end
            is_whole = a == span.start and b == span.end
            yield span if is_whole else self.assembler.slice(span.block, a, b)

    def _slice_with(self, number: int, first: int, last: int) -> _RowUnits | None:
        """Return the rows in [first, last) of the table that a unit is a row of. Return None if the
        unit is not a row, or if all rows of the table are in [first, last).
        """
        at = bisect_right(self.tables, number, key=attrgetter("start")) - 1
        if at < 0:
            return None
        start, slicer, rows = self.tables[at]
        end = start + len(rows) - 1
        if number >= end or first <= start < end <= last:
            return None
        first, last = max(first, start), min(last, end)
        return _RowUnits(slicer, first, last, (rows[first - start], rows[last - start]))


class UnitType(StrEnum):
    """The type of the units of a sequence. A table is always one unit."""

    WORD = "word"
    SENTENCE = "sentence"
    LINE = "line"


class UnitSequence(Units):
    """All units of one type of some spans, with the kind of the line that each is a part of."""

    def __init__(
        self, assembler: Assembler, spans: Sequence[Span], unit_type: UnitType = UnitType.LINE
    ) -> None:
        super().__init__(assembler, spans)
        self.unit_type = unit_type
        self.kinds: list[LineKind] = []
        self.before: list[int] = []  # estimated number of tokens before each unit
        self.total = 0
        self._before_span: list[int] = []
        block = -1
        for number, span in enumerate(spans):
            count = len(self)
            self._before_span.append(self.total)
            self._add_units(number, span)
            self.prices[count] = PARAGRAPH if span.block == block else BLANK_LINE
            self.before += self._estimates(count, len(self))
            self.total += span.tokens
            block = span.block

    def _add_units(self, number: int, span: Span) -> None:
        """Add the units of a span; the caller sets the price before the first one."""
        if not span.is_text:
            kind = LineKind.TABLE if span.rows else LineKind.NOTE
            self._add(number, [(span.start, span.end)], [BLANK_LINE], [kind])
            return
        lines = self.assembler.lines(span.block)
        in_span = lines.between(span.start, span.end)
        starts, ends = lines.starts[in_span], lines.ends[in_span]
        starts[0], ends[-1] = max(starts[0], span.start), min(ends[-1], span.end)
        ranges = list(zip(starts, ends, strict=True))
        prices, kinds = lines.break_prices[in_span], lines.kinds[in_span]
        if self.unit_type is UnitType.LINE:
            self._add(number, ranges, prices, kinds)
            return
        inside = SENTENCE if self.unit_type is UnitType.SENTENCE else SPACE
        for line, price, kind in zip(ranges, prices, kinds, strict=True):
            parts = self._parts(span.block, *line) if kind in PROSE else [line]
            more = len(parts) - 1
            self._add(number, parts, [price, *[inside] * more], [kind] * len(parts))

    def _add(
        self,
        number: int,
        ranges: Sequence[Range],
        prices: Sequence[Price],
        kinds: Sequence[LineKind],
    ) -> None:
        self.of += [number] * len(ranges)
        self.starts += [start for start, _ in ranges]
        self.ends += [end for _, end in ranges]
        self.prices += prices
        self.kinds += kinds

    def _parts(self, block: int, start: int, end: int) -> list[Range]:
        """Return the ranges of the sentences or words of a line of prose. Tags are not cut."""
        text = self.assembler.text(block)
        tags = outermost(text.tags(start, end))
        divide = sentences if self.unit_type is UnitType.SENTENCE else _words
        return divide(text.content, start, end, tags)

    def _estimates(self, first: int, last: int) -> list[int]:
        """Return the estimated number of tokens before each of some units of a span."""
        span, before_span = self.spans[self.of[first]], self._before_span[self.of[first]]
        if not span.is_text:
            return [before_span]
        about = self.assembler.lines(span.block).ruler.about
        base = before_span - about(span.start)
        return [base + about(start) for start in self.starts[first:last]]

    def first_after(self, tokens: float, low: int) -> int:
        """Return the first unit, from `low` on, that has an estimate of more than `tokens` tokens
        before it.
        """
        return bisect_right(self.before, tokens, lo=min(low, len(self)))

    def size(self, first: int, last: int, lead: int | None = None) -> int:
        """Return the exact number of tokens of units [first, last)."""
        span = self.spans[self.of[first]]
        if self.of[first] == self.of[last - 1] and span.is_text:
            start = self.starts[first] if lead is None else lead
            return self.assembler.lines(span.block).ruler.measure(start, self.ends[last - 1])
        return self.assembler.join(self.between(first, last, lead))[1]

    def furthest(self, first: int, cap: int, lead: int | None = None) -> int:
        """Return the end of the longest run of units from `first` on that fits into `cap` tokens;
        `first` if not even one fits.
        """
        guess = self.first_after(self.before[first] + cap, first) - 1
        return furthest(
            lambda last: self.size(first, last, lead) <= cap, first + 1, len(self), guess
        )

    def expand(self, number: int, cap: int) -> None:
        """Split a unit into atoms of at most `cap` tokens, except for tags that fit into a chunk of
        their own.
        """
        span, start, end = self.spans[self.of[number]], self.starts[number], self.ends[number]
        if not span.is_text:
            return
        lines = self.assembler.lines(span.block)
        whole = whole_ranges(
            lines.ruler, lines.text.tags(start, end), self.assembler.limits.max_tokens
        )
        atoms = Cutter(lines.ruler, cap, whole).atoms(start, end, self.prices[number])
        at_number = slice(number, number + 1)
        self.of[at_number] = [self.of[number]] * len(atoms)
        self.kinds[at_number] = [self.kinds[number]] * len(atoms)
        self.starts[at_number], self.ends[at_number], self.prices[at_number] = map(
            list, zip(*atoms, strict=True)
        )
        self.before[at_number] = self._estimates(number, number + len(atoms))

    def text(self, number: int) -> str:
        """Return the text of a unit without tags, as input for a model."""
        return plain(self.raw(number)) or self.raw(number)

    def texts(self) -> list[str]:
        """Return the text of each unit without tags."""
        return list(map(self.text, range(len(self))))

    def running_text(self, first: int, last: int) -> tuple[str, tuple[int, ...]]:
        """Return the text of units [first, last) as in the document, and the end of each unit in
        that text.
        """
        text, ends = self.raw(first), []
        for before, number in pairwise(range(first, last)):
            ends.append(len(text))
            text += self._gap(before, number) + self.raw(number)
        return text, (*ends, len(text))

    def _gap(self, before: int, after: int) -> str:
        left, right = self.spans[self.of[before]], self.spans[self.of[after]]
        content = self.assembler.contents[right.block]
        if self.of[before] == self.of[after]:
            return content[self.ends[before] : self.starts[after]]
        return gap(content, left, right)

    def runs(self, numbers: Sequence[int]) -> Iterator[Span]:
        """Yield ascending units as spans; consecutive units are joined."""
        first = 0
        for at in range(1, len(numbers) + 1):
            if at == len(numbers) or numbers[at] != numbers[at - 1] + 1:
                yield from self.between(numbers[first], numbers[at - 1] + 1)
                first = at


def _words(text: str, start: int, end: int, whole: Sequence[Range]) -> list[Range]:
    """Return the ranges of words. A tag and the characters attached to it are one word; each
    ideograph is a word.
    """
    ranges: list[Range] = []
    for word in WORD_WITH_SIGNS.finditer(text, start, end):
        inside = is_inside(word.start(), whole)
        if ranges and (inside or not is_grapheme_start(text, word.start())):
            ranges[-1] = (ranges[-1][0], word.end())
        else:
            ranges.append(word.span())
    return ranges
