"""Divide pieces over the limit into units, between which all cuts are chosen together
(`best_cuts`): lines, sentences, rows of tables, and parts of what does not fit otherwise.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
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
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.stages.slice_tables import Section, UnitRule
from docxchunk.chunking.text.sentences import sentences
from docxchunk.chunking.units import PROSE, RowUnit, Units
from docxchunk.markup.tables import Range
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

    `before` and `upto` are the tokens of the block before the start and the end of each unit,
    about. `finished` are the units that are whole spans, `labels` those that begin with a line that
    reads like a heading. `leads` are the starts of the overlaps before units inside a long line.
    `opening` and `closing` are the extra tokens of a chunk that begins or ends with a unit.
    """

    def __init__(self, assembler: Assembler, spans: Sequence[Span]) -> None:
        super().__init__(assembler, spans)
        self.before: list[int] = []
        self.upto: list[int] = []
        self.finished: set[int] = set()
        self.labels: set[int] = set()
        self.leads: dict[int, int] = {}
        self.opening: dict[int, int] = {}
        self.closing: dict[int, int] = {}

    def add(self, span: int, offsets: Range, price: float, tokens: Range) -> None:
        """Add a range of a span as a unit. `tokens` are those before its start and its end."""
        self.of.append(span)
        self.starts.append(offsets[0])
        self.ends.append(offsets[1])
        self.prices.append(price)
        self.before.append(tokens[0])
        self.upto.append(tokens[1])

    def add_finished(self, span: int, price: float) -> None:
        """Add a span as a unit, together with the spans up to the one of the next unit."""
        self.finished.add(len(self))
        self.add(span, (self.spans[span].start, self.spans[span].end), price, (0, 0))

    def extend(self, units: PricedUnits) -> None:
        """Add the units of the last spans of these."""
        count, offset = len(self), len(self.spans) - len(units.spans)
        self.of += [offset + span for span in units.of]
        self.starts += units.starts
        self.ends += units.ends
        self.prices += units.prices
        self.before += units.before
        self.upto += units.upto
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


class _Division:
    """Divides a piece over the limit into units."""

    def __init__(self, assembler: Assembler, rule: UnitRule, piece: Piece) -> None:
        self._section = Section(assembler, rule, piece)
        self.units = PricedUnits(assembler, piece.spans)
        for number, span in enumerate(piece.spans):
            count = len(self.units)
            if span.role is SliceRole.TEXT:
                self._add_merged(_TextParts(self._section, number))
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

    def _add_merged(self, parts: _TextParts) -> None:
        """Add the parts of a span as units. Short neighbours are one unit, unless the cut between
        them is cheaper than the one before both.
        """
        most = self._section.cap // UNITS_PER_CHUNK
        prices, before, upto = parts.prices, parts.before, parts.upto
        first, most_end = 0, before[0] + most
        for part in range(1, len(parts)):
            if (
                prices[first] <= prices[part]
                and upto[part] <= most_end
                and (not parts.rows or self._are_together(parts, first, part))
            ):
                continue
            self._add_unit(parts, first, part)
            first, most_end = part, before[part] + most
        self._add_unit(parts, first, len(parts))

    def _are_together(self, parts: _TextParts, first: int, last: int) -> bool:
        """Return whether no part is a row of a table, or all parts are rows of one table that fit
        into a chunk. They are counted only if their tags take up much of it.
        """
        rows, cap = parts.rows, self._section.cap
        if not parts.are_of_one_table(first, last):
            return first not in rows and last not in rows
        slicer, top, bottom = rows[first].slicer, rows[first].first, rows[last].last
        tags = slicer.opening_tokens(top) + slicer.closing_tokens(bottom - 1)
        return tags * _ROOMY <= cap or slicer.slice(top, bottom, cap).tokens <= cap

    def _add_unit(self, parts: _TextParts, first: int, last: int) -> None:
        """Add parts [first, last) as a unit."""
        units, unit, start = self.units, len(self.units), parts.starts[first]
        tokens = parts.before[first], parts.upto[last - 1]
        units.add(parts.number, (start, parts.ends[last - 1]), parts.prices[first], tokens)
        if first in parts.labels:
            units.labels.add(unit)
        if first in parts.rows:
            slicer, top, bottom = *parts.rows[first][:2], parts.rows[last - 1].last
            units.rows[unit] = RowUnit(slicer, top, bottom)
            units.opening[unit] = slicer.opening_tokens(top)
            units.closing[unit] = slicer.closing_tokens(bottom - 1)
        elif parts.atoms and (lead := parts.lead(start)) < start:
            units.leads[unit] = lead
            units.opening[unit] = self._section.lines(parts.number).ruler.measure(lead, start)


class _TextParts(PricedUnits):
    """The units of one span of text. A line is one unit, unless it is longer than an eighth of the
    limit. Then a table is divided into rows, and any other line into sentences; a line that does
    not fit into a chunk is divided into atoms.
    """

    def __init__(self, section: Section, number: int) -> None:
        super().__init__(section.assembler, section.spans)
        self.number = number  # of the span
        self.atoms: list[tuple[int, int]] = []  # start, and index of the first atom of its line
        self._section, self._lines = section, section.lines(number)
        self._ruler = self._lines.ruler
        span, lines, about = section.spans[number], self._lines, self._ruler.about
        at, longest = lines.between(span.start, span.end), section.cap // _LONG
        classes, prices = lines.priced(section.rule.headline)
        starts, ends = lines.starts[at], lines.ends[at]
        starts[0], ends[-1] = max(starts[0], span.start), min(ends[-1], span.end)
        for line, start, end in zip(range(at.start, at.stop), starts, ends, strict=True):
            if classes[line].label:
                self.labels.add(len(self))
            tokens = about(start), about(end)
            if tokens[1] - tokens[0] <= longest:
                self.add(number, (start, end), prices[line], tokens)
            elif start in lines.tables:
                self._add_table(line, start, end, prices[line])
            else:
                room = section.room(number, line)
                fits = self._ruler.measure(start, end) <= room
                if fits and classes[line].kind not in PROSE:
                    self.add(number, (start, end), prices[line], tokens)
                else:
                    self._add_long_line(start, end, prices[line], fits=fits)

    def _put(self, start: int, end: int, price: float) -> None:
        about = self._ruler.about
        self.add(self.number, (start, end), price, (about(start), about(end)))

    def _add_long_line(self, start: int, end: int, price: float, *, fits: bool) -> None:
        """Add the sentences of a line that fits, or atoms of one that does not."""
        ruler, tags = self._ruler, self._lines.text.tags(start, end)
        whole = whole_ranges(ruler, tags, self.assembler.limits.max_tokens) if tags else ()
        if fits:
            for number, sentence in enumerate(sentences(ruler.text, start, end, whole)):
                self._put(*sentence, SENTENCE if number else price)
            return
        opening = len(self.atoms)
        cutter = Cutter(ruler, max(self._section.cap // _ATOMS, 1), whole)
        for atom in cutter.atoms(start, end, price):
            self._put(*atom)
            self.atoms.append((atom.start, opening))

    def lead(self, start: int) -> int:
        """Return the start of the overlap before a unit: `start` itself, unless the unit begins
        inside a line that was cut into atoms.
        """
        overlap = min(self.assembler.limits.overlap, self._section.cap // 4)
        at = bisect_left(self.atoms, (start, 0))
        if not overlap or at == len(self.atoms) or self.atoms[at][0] != start:
            return start
        lead = start
        # the nearest first: short ranges are counted fast
        for atom in range(at - 1, max(at - 2 * _ATOMS, self.atoms[at][1]) - 1, -1):
            if self._ruler.measure(self.atoms[atom][0], start) > overlap:
                break
            lead = self.atoms[atom][0]
        return lead

    def _add_table(self, line: int, start: int, end: int, price: float) -> None:
        """Add the rows of a table, or the whole table if it is cut only where it does not fit."""
        table = self._section.cut_table(self.number, line)
        if not table.has_rows:
            self._put(start, end, price)
            return
        slicer, least = table.slicer, self._section.rule.tables.least_last
        top, bottom = self._ruler.about(start), self._ruler.about(end)
        row_price = ROW_OF_FITTING if table.fits else ROW
        starts, ends = [first for first, _ in slicer.ranges], [last for _, last in slicer.ranges]
        before, upto = slicer.before.copy(), slicer.upto.copy()
        starts[0], ends[-1], before[0], upto[-1] = start, end, top, bottom
        for row, offsets in enumerate(zip(starts, ends, strict=True)):
            if row > slicer.header_rows:
                near = before[row] - top < least or bottom - before[row] < least
                price = row_price + ROW_AT_END * near + ROW_IN_MERGED * slicer.parts_cells(row)
            elif row:
                price = NEVER
            self.rows[len(self)] = RowUnit(slicer, row, row + 1)
            self.add(self.number, offsets, price, (before[row], upto[row]))
