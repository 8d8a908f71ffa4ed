"""Divide pieces over the limit into units, between which all cuts are chosen together
(`best_cuts`): lines, sentences, rows of tables, and parts of what does not fit otherwise.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from typing import Final, NamedTuple

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.cutting import Cutter, TextAtom, whole_ranges
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.prices import (
    BOUND,
    NEVER,
    ROW,
    ROW_AT_END,
    ROW_AT_END_OF_FITTING,
    ROW_OF_FITTING,
    SENTENCE,
    Price,
)
from docxchunk.chunking.table_splitter import TableSizes, TableSlicer, with_slices
from docxchunk.chunking.texts import Lines
from docxchunk.chunking.tokens import Ruler, furthest
from docxchunk.chunking.units import PROSE, TableUnits, Units
from docxchunk.content.forms import TableInText
from docxchunk.language.ranges import Range
from docxchunk.language.sentences import sentences
from docxchunk.model.chunks import TableRole


@dataclass(frozen=True, slots=True)
class UnitRule:
    """How P divides sections over the limit before it chooses all cuts together: the sizes of
    tables, and the maximum length of a headline, in characters.
    """

    tables: TableSizes
    headline: int


_LINE_BREAK: Final = 1  # most tokens of a line break

UNITS_PER_CHUNK: Final = 24
"""Neighbouring units are merged up to the limit of a chunk divided by this number, unless a cut
between them is cheaper than the one before both.
"""

_LONG: Final = 8  # lines and tables over an eighth of a chunk may be cut
_ATOMS: Final = 8  # lines that have to be cut are cut into parts of at most an eighth of a chunk
_ROOMY: Final = 4  # merged rows fit into a chunk if their tags take up to a quarter of it


class PricedUnits(Units):
    """Units with the values that the choice of cuts needs.

    - `before`, `upto`: the approximate number of tokens of the block before the start and before
      the end of each unit.
    - `finished`: the units that are whole spans.
    - `labels`: the units that begin with a line that reads like a heading.
    - `leads`: the starts of the overlaps before units inside a long line.
    - `opening`, `closing`: the extra tokens of a chunk that begins or ends with a unit.
    """

    def __init__(self, assembler: Assembler, spans: Sequence[Span]) -> None:
        super().__init__(assembler, spans)
        self.before: list[int] = []
        self.upto: list[int] = []
        self.finished: set[int] = set()
        self.labels: set[int] = set()
        self.leads: dict[int, int] = {}
        self.opening: list[int] = []
        self.closing: list[int] = []

    def add(self, span: int, offsets: Range, price: Price, tokens: Sequence[int]) -> None:
        """Add a range of a span as a unit. `tokens` has two numbers: the tokens of the block before
        the start of the unit, and before its end.
        """
        self.of.append(span)
        self.starts.append(offsets[0])
        self.ends.append(offsets[1])
        self.prices.append(price)
        self.before.append(tokens[0])
        self.upto.append(tokens[1])
        self.opening.append(0)
        self.closing.append(0)

    def add_finished(self, span: int, price: Price) -> None:
        """Add a span as a unit. The unit also contains the spans added after it, up to the first
        span of the next unit.
        """
        self.finished.add(len(self))
        self.add(span, (self.spans[span].start, self.spans[span].end), price, (0, 0))

    def extend(self, units: PricedUnits) -> None:
        """Add the units of a piece after the others. The spans of the piece are the last of
        `spans`.
        """
        count, offset = len(self), len(self.spans) - len(units.spans)
        self.of += [offset + span for span in units.of]
        self.starts += units.starts
        self.ends += units.ends
        self.prices += units.prices
        self.before += units.before
        self.upto += units.upto
        self.finished |= {count + number for number in units.finished}
        self.labels |= {count + number for number in units.labels}
        self.leads |= {count + number: start for number, start in units.leads.items()}
        self.opening += units.opening
        self.closing += units.closing
        self.tables += [table._replace(start=count + table.start) for table in units.tables]


def split_into_units(assembler: Assembler, rule: UnitRule, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces. A piece over the limit gets units, between which it may be cut (the rule
    of P); it is left out if it has no text.

    In such a piece, the slices of a table replace it if one of its rows does not fit into a chunk,
    or if it is over `rule.tables.max_tokens` and that is below the limit of a chunk.
    """
    result: list[Piece] = []
    for piece in pieces:
        if piece.tokens <= assembler.cap(piece.parents, piece.heading):
            result.append(piece)
        elif spans := (units := _PieceDivider(assembler, rule, piece).units).spans:
            sliced = piece if spans is piece.spans else assembler.piece(spans, piece)
            result.append(sliced._replace(units=units))
    return result


def _lines_of(span: Span, lines: Lines) -> Iterator[tuple[int, int, int, int, int]]:
    """Return for each line of a span: its number, its start, its end, the tokens of the block
    before its start, and those before its end. The span may begin or end inside a line.
    """
    in_span = lines.between(span.start, span.end)
    starts, ends, before, upto = (
        values[in_span] for values in (lines.starts, lines.ends, lines.before, lines.upto)
    )
    if starts[0] < span.start:
        starts[0], before[0] = span.start, lines.ruler.about(span.start)
    if ends[-1] > span.end:
        ends[-1], upto[-1] = span.end, lines.ruler.about(span.end)
    return zip(range(in_span.start, in_span.stop), starts, ends, before, upto, strict=True)


class CutTable(NamedTuple):
    """A table of a piece over the limit, with its slicer. `fits`: the whole table fits into a
    chunk. `has_rows`: its rows can be units.
    """

    slicer: TableSlicer
    fits: bool
    has_rows: bool


class _PieceDivider:
    """Divides a piece over the limit into units: a line is one unit, unless it is longer than an
    eighth of the limit. Then a table is divided into rows, and any other line into sentences; a
    line that does not fit into a chunk is divided into atoms. The slices of a table whose rows do
    not fit are units, too.

    Short neighbours become one unit, unless the cut between them is cheaper than the one before
    both. In the methods, `number` is the index of a span of the piece, and `line` the index of a
    line of the block that the span is from.
    """

    def __init__(self, assembler: Assembler, rule: UnitRule, piece: Piece) -> None:
        self._assembler, self._rule, self._spans = assembler, rule, piece.spans
        blocks = (assembler.document.blocks[span.block] for span in piece.spans)
        self._cap = min(assembler.cap(block.parent_headings, block.heading) for block in blocks)
        self._unit_tokens = self._cap // UNITS_PER_CHUNK
        self._cut_tables: dict[tuple[int, int], CutTable] = {}  # by their block and start
        self._is_open = False  # whether the last unit may be continued
        sliced = tuple(self._with_slices())
        if sliced != piece.spans:
            self._spans = sliced
        self.units = PricedUnits(assembler, self._spans)
        for number, span in enumerate(self._spans):
            count = len(self.units)
            if span.is_text:
                self._is_open = False
                self._add_lines(number, span)
            else:
                self.units.add_finished(number, self._price_of_slice(number, span))
            if number and self._spans[number - 1].block != span.block:
                # headings alone, and the section under them
                self.units.prices[count] = NEVER

    # -- tables with rows over the limit

    def _with_slices(self) -> Iterator[Span]:
        """Yield the spans, with the slices of tables whose rows cannot be units."""
        for number, span in enumerate(self._spans):
            for item in with_slices(self._assembler, span, partial(self._slices, number)):
                yield from (item,) if isinstance(item, Span) else chain.from_iterable(item)

    def _slices(self, number: int, table: TableInText) -> list[list[Span]] | None:
        """Return the slices of a table of a span; None if it is not replaced by them."""
        line = self._lines(number).between(table.start, table.end).start
        if self._fits(number, table) or (cut := self._cut_table(number, line)).has_rows:
            return None
        return cut.slicer.slices()

    def _fits(self, number: int, table: TableInText) -> bool:
        """Return whether a table of a span is small enough to stay whole."""
        max_tokens = min(self._rule.tables.max_tokens, self._cap)
        return not self._lines(number).ruler.exceeds(table.start, table.end, max_tokens)

    def _cut_table(self, number: int, line: int) -> CutTable:
        """Return the table at a line of the block that a span is from, with its slicer."""
        lines, block = self._lines(number), self._spans[number].block
        key = block, lines.starts[line]
        if key not in self._cut_tables:
            table, sizes = lines.tables[lines.starts[line]], self._rule.tables
            max_tokens = min(sizes.max_tokens, self._room(number, line))
            sizes_here = sizes._replace(max_tokens=max_tokens, ideal=max_tokens)
            slicer = TableSlicer(self._assembler, block, table, sizes_here)
            has_rows = sizes.max_tokens >= self._cap and not slicer.long_rows
            self._cut_tables[key] = CutTable(slicer, self._fits(number, table), has_rows)
        return self._cut_tables[key]

    # -- lines

    def _lines(self, number: int) -> Lines:
        """Return the lines of the block that a span is from."""
        return self._assembler.lines(self._spans[number].block)

    def _prices(self, number: int) -> list[Price]:
        """Return the price of a cut before each line of the block that a span is from."""
        return self._lines(number).priced(self._rule.headline)[1]

    def _room(self, number: int, line: int) -> int:
        """Return the number of tokens that are left for a line beside the lines that belong to it,
        such as headings. If those take more than half of the limit, return the limit.
        """
        tokens, lines = 0, self._lines(number)
        while not lines.starts[line] or self._prices(number)[line] >= BOUND:
            if line == 0:
                if number == 0 or not self._spans[number - 1].is_text:
                    break
                number -= 1
                lines = self._lines(number)
                line = lines.between(self._spans[number].start, self._spans[number].end).stop
            line -= 1
            tokens += lines.upto[line] - lines.before[line] + _LINE_BREAK
        return self._cap - tokens if tokens * 2 <= self._cap else self._cap

    def _price_of_slice(self, number: int, span: Span) -> Price:
        before = self._spans[number - 1].rows if number else None
        if before and span.rows and before.id == span.rows.id:
            if before.role is span.rows.role is not TableRole.MIDDLE:
                return NEVER  # a header, and the first part of the row under it
            return ROW
        line: int = self._lines(number).between(span.start, span.end).start
        return self._prices(number)[line]

    def _add_lines(self, number: int, span: Span) -> None:
        units, lines, longest = self.units, self._lines(number), self._cap // _LONG
        classes, prices = lines.priced(self._rule.headline)
        for line, start, end, *tokens in _lines_of(span, lines):
            count, price = len(units), prices[line]
            if tokens[1] - tokens[0] <= longest:
                self._add(number, (start, end), price, tokens)
            elif start in lines.tables:
                self._add_table(number, line, (start, end), tokens)
            elif lines.ruler.measure(start, end) > self._room(number, line):
                self._add_atoms(number, start, end, price)
            elif classes[line].kind in PROSE:
                self._add_sentences(number, start, end, price)
            else:
                self._add(number, (start, end), price, tokens)
            if classes[line].label and units.starts[count:][:1] == [start]:
                units.labels.add(count)

    def _add(self, span: int, offsets: Range, price: Price, tokens: Sequence[int]) -> bool:
        """Add a part of a span to the last unit, or as a new unit. Return whether it is a new one.
        `tokens` has two numbers: the tokens of the block before the start of the part, and before
        its end.
        """
        units = self.units
        if (
            self._is_open
            and units.prices[-1] <= price
            and tokens[1] <= units.before[-1] + self._unit_tokens
        ):
            units.ends[-1], units.upto[-1] = offsets[1], tokens[1]
            return False
        units.add(span, offsets, price, tokens)
        self._is_open = True
        return True

    def _add_sentences(self, number: int, start: int, end: int, price: Price) -> None:
        """Add the sentences of a line that fits into a chunk."""
        ruler = self._lines(number).ruler
        about = ruler.about
        for a, b in sentences(ruler.text, start, end, self._whole_ranges(number, start, end)):
            self._add(number, (a, b), price, (about(a), about(b)))
            price = SENTENCE

    def _add_atoms(self, number: int, start: int, end: int, price: Price) -> None:
        """Add the atoms of a line that does not fit into a chunk, each with an overlap."""
        ruler = self._lines(number).ruler
        about, whole = ruler.about, self._whole_ranges(number, start, end)
        atoms = Cutter(ruler, max(self._cap // _ATOMS, 1), whole).atoms(start, end, price)
        for i, (a, b, atom_price) in enumerate(atoms):
            is_new = self._add(number, (a, b), atom_price, (about(a), about(b)))
            if is_new and (lead := self._lead(ruler, atoms[max(i - 2 * _ATOMS, 0) : i], a)) < a:
                unit = len(self.units) - 1
                self.units.leads[unit] = lead
                self.units.opening[unit] = ruler.measure(lead, a)

    def _whole_ranges(self, number: int, start: int, end: int) -> Sequence[Range]:
        lines = self._lines(number)
        tags = lines.text.tags(start, end)
        return whole_ranges(lines.ruler, tags, self._assembler.limits.max_tokens) if tags else ()

    def _lead(self, ruler: Ruler, atoms: Sequence[TextAtom], end: int) -> int:
        """Return the start of the overlap that ends at `end`: the longest sequence of whole atoms
        that fits into the overlap; `end` if none does.
        """
        overlap = min(self._assembler.limits.overlap, self._cap // 4) if atoms else 0
        if not overlap:
            return end
        starts = [end, *(atom.start for atom in reversed(atoms))]
        least = ruler.about(end) - overlap
        guess = bisect_left(starts, -least, key=lambda start: -ruler.about(start))
        return starts[
            furthest(lambda n: ruler.measure(starts[n], end) <= overlap, 1, len(atoms), guess)
        ]

    def _add_table(self, number: int, line: int, offsets: Range, tokens: Sequence[int]) -> None:
        """Add the rows of a table as units. Short neighbouring rows become one unit, unless a cut
        between them is cheaper than the cut before them. If no cut between rows is possible, the
        table becomes one unit.
        """
        price, table = self._prices(number)[line], self._cut_table(number, line)
        if not table.has_rows:
            self._add(number, offsets, price, tokens)
            return
        slicer, units = table.slicer, self.units
        # of each row: its range, the tokens of the block before its start and before its end, the
        # price of a cut before it, and the tokens of the tags in a slice that begins or ends there
        starts, ends = map(list, zip(*slicer.ranges, strict=True))
        starts[0], ends[-1] = offsets
        before, upto = [tokens[0], *slicer.before[1:]], [*slicer.upto[:-1], tokens[1]]
        prices = self._row_prices(table, price, before, tokens[1])
        openings, closings = slicer.tags
        borders = (*self._first_rows(slicer, prices, before, upto), len(starts))
        units.tables.append(TableUnits(len(units), slicer, borders))
        for first, following in pairwise(borders):
            last = following - 1
            sizes = before[first], upto[last]
            units.add(number, (starts[first], ends[last]), prices[first], sizes)
            units.opening[-1], units.closing[-1] = openings[first], closings[last]
        self._is_open = False

    def _row_prices(
        self, table: CutTable, price: Price, before: Sequence[int], bottom: int
    ) -> list[Price]:
        """Return the price of a cut before each row of a table. `price` is the price for the first
        row. `before` has the tokens before each row, and `bottom` those before the end of the
        table.
        """
        slicer, top, least_last = table.slicer, before[0], self._rule.tables.least_last
        inside, at_end = (
            (ROW_OF_FITTING, ROW_AT_END_OF_FITTING) if table.fits else (ROW, ROW_AT_END)
        )
        prices = [price, *[NEVER] * slicer.header_rows]
        for row in range(slicer.header_rows + 1, len(before)):
            is_near = before[row] - top < least_last or bottom - before[row] < least_last
            price = at_end if is_near else inside
            prices.append(NEVER if slicer.follows_group(row) else price)
        return prices

    def _first_rows(
        self,
        slicer: TableSlicer,
        prices: Sequence[Price],
        before: Sequence[int],
        upto: Sequence[int],
    ) -> list[int]:
        """Return the first row of each unit. Rows become one unit if it is short and no cut inside
        it is cheaper than the one before it.
        """
        openings, closings = slicer.tags
        firsts, cap, end_limit = [0], self._cap, before[0] + self._unit_tokens
        for row in range(1, len(before)):
            first = firsts[-1]
            if (
                upto[row] <= end_limit
                and prices[first] <= prices[row]
                # rows are counted exactly only if their tags take up much of the limit
                and (
                    (openings[first] + closings[row]) * _ROOMY <= cap
                    or slicer.slice(first, row + 1, cap).tokens <= cap
                )
            ):
                continue
            firsts.append(row)
            end_limit = before[row] + self._unit_tokens
        return firsts
