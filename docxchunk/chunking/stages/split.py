"""Divide pieces over the limit into units, between which all cuts are chosen together
(`best_cuts`): lines, sentences, rows of tables, and parts of what does not fit otherwise.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.cutting import Cutter, whole_ranges
from docxchunk.chunking.line_kinds import (
    NEVER,
    PARAGRAPH,
    ROW,
    ROW_AT_END,
    ROW_IN_MERGED,
    ROW_OF_FITTING,
    SENTENCE,
)
from docxchunk.chunking.lines import Lines
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.stages.slice_tables import Section, UnitRule
from docxchunk.chunking.table_splitter import TableSlicer
from docxchunk.chunking.text.sentences import sentences
from docxchunk.chunking.text.tokens import Ruler
from docxchunk.chunking.units import PROSE, RowUnit, Units
from docxchunk.model.chunks import SliceRole, TableRole

UNITS_PER_CHUNK: Final = 24
"""Neighbouring units are merged up to the limit of a chunk divided by this number, unless a cut
between them is cheaper than the one before both.
"""

_LONG: Final = 8  # lines and tables over an eighth of a chunk may be cut
_ATOMS: Final = 8  # lines that have to be cut are cut into parts of at most an eighth of a chunk
_ROOMY: Final = 4  # merged rows fit into a chunk if their tags take up to a quarter of it


class PricedUnits(Units):
    """Units with what is needed to choose the cuts between them.

    `before` are the tokens of its block before each unit, about. `finished` are the units that are
    whole spans, `labels` those that begin with a line that reads like a heading. `leads` are the
    starts of the overlaps before units inside a long line. `opening` and `closing` are the extra
    tokens of a chunk that begins or ends with a unit.
    """

    def __init__(self, assembler: Assembler, spans: Sequence[Span]) -> None:
        super().__init__(assembler, spans)
        self.before: list[int] = []
        self.finished: set[int] = set()
        self.labels: set[int] = set()
        self.leads: dict[int, int] = {}
        self.opening: dict[int, int] = {}
        self.closing: dict[int, int] = {}

    def add(self, span: int, start: int, end: int, price: float, before: int = 0) -> None:
        """Add characters [start, end) of a span as a unit."""
        self.before.append(before)
        self.of.append(span)
        self.starts.append(start)
        self.ends.append(end)
        self.prices.append(price)

    def add_finished(self, span: int, price: float) -> None:
        """Add a span as a unit, together with the spans up to the one of the next unit."""
        self.finished.add(len(self))
        self.add(span, self.spans[span].start, self.spans[span].end, price)

    def extend(self, units: PricedUnits) -> None:
        """Add the units of the last spans of these."""
        count, offset = len(self), len(self.spans) - len(units.spans)
        self.of += [offset + span for span in units.of]
        self.starts += units.starts
        self.ends += units.ends
        self.prices += units.prices
        self.before += units.before
        self.finished |= {count + number for number in units.finished}
        self.labels |= {count + number for number in units.labels}
        self.rows |= {count + number: rows for number, rows in units.rows.items()}
        self.leads |= {count + number: start for number, start in units.leads.items()}
        self.opening |= {count + number: tokens for number, tokens in units.opening.items()}
        self.closing |= {count + number: tokens for number, tokens in units.closing.items()}


def split_into_units(assembler: Assembler, rule: UnitRule, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces, those over the limit with units (the rule of `sizes=balanced`)."""
    return [
        piece._replace(units=_Division(assembler, rule, piece).units)
        if piece.tokens > assembler.cap(piece.parents, piece.heading) or _has_slices(piece)
        else piece
        for piece in pieces
    ]


def _has_slices(piece: Piece) -> bool:
    """Return whether tables were sliced in place, which may have made the piece small enough."""
    return piece.role is TableRole.NONE and any(span.rows for span in piece.spans)


class _Parts:
    """Consecutive parts of the text of one span, in parallel lists, before they become units.

    `before` and `upto` are the tokens of the block before the start and the end of each, about.
    """

    def __init__(self, about: Callable[[int], int]) -> None:
        self._about = about
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.prices: list[float] = []
        self.before: list[int] = []
        self.upto: list[int] = []
        self.labels: set[int] = set()
        self.rows: dict[int, tuple[TableSlicer, int]] = {}

    def add(
        self, start: int, end: int, price: float, before: int | None = None, upto: int | None = None
    ) -> None:
        self.starts.append(start)
        self.ends.append(end)
        self.prices.append(price)
        self.before.append(self._about(start) if before is None else before)
        self.upto.append(self._about(end) if upto is None else upto)


class _Division:
    """Divides a piece over the limit into units."""

    def __init__(self, assembler: Assembler, rule: UnitRule, piece: Piece) -> None:
        self._section = Section(assembler, rule, piece)
        self._overlap = min(assembler.limits.overlap, self._section.cap // 4)
        # of the atoms of long lines: the start, and the index of the first atom of its line
        self._atoms: list[tuple[int, int]] = []
        self.units = PricedUnits(assembler, piece.spans)
        for number, span in enumerate(piece.spans):
            count = len(self.units)
            if span.role is SliceRole.TEXT:
                self._add_text(number, span)
            else:
                self.units.add_finished(number, self._price_of_slice(number, span))
            if number and piece.spans[number - 1].block != span.block:
                # headings alone, and the section under them
                self.units.prices[count] = NEVER

    def _price_of_slice(self, number: int, span: Span) -> float:
        before = self._section.spans[number - 1].rows if number else None
        if span.rows is None:
            return PARAGRAPH
        if before and before.id == span.rows.id:
            if before.role is span.rows.role is not TableRole.MIDDLE:
                return NEVER  # a header, and the first part of the row under it
            return ROW
        line: int = self._section.lines(number).between(span.start, span.end).start
        return self._section.prices(number)[line]

    def _add_text(self, number: int, span: Span) -> None:
        lines = self._section.lines(number)
        parts = self._parts_of(number, span, lines)
        count = len(self.units)
        self._add_merged(number, parts)
        if self._atoms:
            for unit in range(count, len(self.units)):
                self._set_lead(lines.ruler, unit)
            self._atoms.clear()

    def _parts_of(self, number: int, span: Span, lines: Lines) -> _Parts:
        """Return the lines of a span, with those that may be cut divided."""
        at = lines.between(span.start, span.end)
        classes, prices = lines.priced(self._section.rule.headline)
        starts, ends = lines.starts[at], lines.ends[at]
        starts[0], ends[-1] = max(starts[0], span.start), min(ends[-1], span.end)
        about, longest = lines.ruler.about, self._section.cap // _LONG
        parts = _Parts(about)
        for line, start, end, before, upto in zip(
            range(at.start, at.stop),
            starts,
            ends,
            map(about, starts),
            map(about, ends),
            strict=True,
        ):
            if classes[line].label:
                parts.labels.add(len(parts.starts))
            price = prices[line]
            if upto - before > longest:
                if start in lines.tables:
                    self._add_table(parts, number, line, start, end)
                    continue
                room = self._section.room(number, line)
                if classes[line].kind in PROSE or lines.ruler.measure(start, end) > room:
                    self._add_long_line(parts, number, line, start, end)
                    continue
            parts.add(start, end, price, before, upto)
        return parts

    # -- long lines

    def _add_long_line(self, parts: _Parts, number: int, line: int, start: int, end: int) -> None:
        """Add the sentences of a line or, if the line does not fit, atoms that do."""
        lines = self._section.lines(number)
        price = self._section.prices(number)[line]
        ruler, tags = lines.ruler, lines.text.tags(start, end)
        whole = whole_ranges(ruler, tags, self._section.assembler.limits.max_tokens) if tags else ()
        if ruler.measure(start, end) <= self._section.room(number, line):
            (first, last), *others = sentences(ruler.text, start, end, whole)
            parts.add(first, last, price)
            for first, last in others:
                parts.add(first, last, SENTENCE)
            return
        opening = len(self._atoms)
        for atom in Cutter(ruler, max(self._section.cap // _ATOMS, 1), whole).atoms(
            start, end, price
        ):
            parts.add(*atom)
            self._atoms.append((atom.start, opening))

    def _set_lead(self, ruler: Ruler, unit: int) -> None:
        """Set the start of the overlap before a unit that begins inside a line cut into atoms."""
        start = self.units.starts[unit]
        at = bisect_left(self._atoms, (start, 0))
        if not self._overlap or at == len(self._atoms) or self._atoms[at][0] != start:
            return
        lead = start
        # the nearest first: short ranges are counted fast
        for atom in range(at - 1, max(at - 2 * _ATOMS, self._atoms[at][1]) - 1, -1):
            if ruler.measure(self._atoms[atom][0], start) > self._overlap:
                break
            lead = self._atoms[atom][0]
        if lead < start:
            self.units.leads[unit] = lead
            self.units.opening[unit] = ruler.measure(lead, start)

    # -- rows of tables

    def _add_table(self, parts: _Parts, number: int, line: int, start: int, end: int) -> None:
        """Add the rows of a table, or the whole table if it is cut only where it does not fit."""
        lines = self._section.lines(number)
        table = self._section.cut_table(number, line)
        price = self._section.prices(number)[line]
        if not table.has_rows:
            parts.add(start, end, price)
            return
        slicer = table.slicer
        rows, header, last_row = slicer.ranges, slicer.header_rows, len(slicer.ranges) - 1
        top, bottom = lines.ruler.about(start), lines.ruler.about(end)
        least = self._section.rule.tables.least_last
        row_price = ROW_OF_FITTING if table.fits else ROW
        for row, (first, last) in enumerate(rows):
            before = slicer.before[row] if row else top
            if row:
                price = NEVER
                if row > header:
                    near = before - top < least or bottom - before < least
                    price = row_price + ROW_AT_END * near + ROW_IN_MERGED * slicer.parts_cells(row)
            parts.rows[len(parts.starts)] = slicer, row
            if row < last_row:
                parts.add(first if row else start, last, price, before, slicer.upto[row])
            else:
                parts.add(first if row else start, end, price, before, bottom)

    # -- short neighbours

    def _add_merged(self, number: int, parts: _Parts) -> None:
        """Add parts as units. Short neighbours are one unit, unless the cut between them is cheaper
        than the one before both.
        """
        most = self._section.cap // UNITS_PER_CHUNK
        prices, rows = parts.prices, parts.rows
        before, upto = parts.before, parts.upto
        first, most_end = 0, before[0] + most
        for part in range(1, len(prices)):
            if (
                prices[first] <= prices[part]
                and upto[part] <= most_end
                and (not rows or self._are_together(rows, first, part))
            ):
                continue
            self._add_unit(number, parts, first, part)
            first, most_end = part, before[part] + most
        self._add_unit(number, parts, first, len(prices))

    def _are_together(
        self, rows: Mapping[int, tuple[TableSlicer, int]], first: int, last: int
    ) -> bool:
        """Return whether no part is a row of a table, or all parts are rows of one table that fit
        into a chunk. They are counted only if their tags take up much of it.
        """
        if first not in rows or last not in rows:
            return first not in rows and last not in rows
        (slicer, top), (other, bottom) = rows[first], rows[last]
        if slicer is not other:
            return False
        tags = _opening_of(slicer, top) + _closing_of(slicer, bottom)
        return (
            tags * _ROOMY <= self._section.cap
            or slicer.slice(top, bottom + 1, self._section.cap).tokens <= self._section.cap
        )

    def _add_unit(self, number: int, parts: _Parts, first: int, last: int) -> None:
        """Add parts [first, last) as a unit."""
        units, unit = self.units, len(self.units)
        start, end = parts.starts[first], parts.ends[last - 1]
        units.add(number, start, end, parts.prices[first], parts.before[first])
        if first in parts.labels:
            units.labels.add(unit)
        if first in parts.rows:
            (slicer, top), (_, bottom) = parts.rows[first], parts.rows[last - 1]
            units.rows[unit] = RowUnit(slicer, top, bottom + 1)
            units.opening[unit] = _opening_of(slicer, top)
            units.closing[unit] = _closing_of(slicer, bottom)


def _opening_of(slicer: TableSlicer, row: int) -> int:
    return slicer.opening_tokens(row) if row else 0


def _closing_of(slicer: TableSlicer, row: int) -> int:
    return slicer.closing_tokens(row) if row < len(slicer.ranges) - 1 else 0
