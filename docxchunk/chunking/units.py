"""Divide text into units that stay in one chunk: words, sentences, lines, rows of tables."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, groupby, pairwise, repeat, zip_longest
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.chunking import cut_prices
from docxchunk.chunking.cut_prices import LineClass
from docxchunk.chunking.cutting import Break, Cutter, is_grapheme_start, whole_ranges
from docxchunk.chunking.lines import Lines
from docxchunk.chunking.pieces import Piece, Span, gap
from docxchunk.chunking.services import Services
from docxchunk.chunking.table_splitter import TableSizes, TableSlicer
from docxchunk.chunking.text.sentences import sentences
from docxchunk.chunking.text.tokens import Ruler, furthest
from docxchunk.markup.spans import is_inside, outermost
from docxchunk.markup.tables import Range, TableTag
from docxchunk.markup.tags import plain
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole


class UnitType(StrEnum):
    """The type of the units of a sequence. A table is always one unit."""

    WORD = "word"
    SENTENCE = "sentence"
    LINE = "line"
    BLOCK = "block"


_PROSE: Final = {LineKind.TEXT, LineKind.LIST, LineKind.NOTE}
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
    r"|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+"
)


class Unit(NamedTuple):
    """Characters [start, end) of a span: a word, sentence, line, atom or block, or a whole span
    that is not split. `after` rates a cut after it.
    """

    span: int
    start: int
    end: int
    after: Break
    kind: LineKind


class UnitSequence:
    """A sequence of units that covers some spans and can be cut between any two units."""

    def __init__(
        self, services: Services, spans: Sequence[Span], unit_type: UnitType = UnitType.LINE
    ) -> None:
        self.services = services
        self.spans = spans
        self.unit_type = unit_type
        self.units: list[Unit] = []
        self.before: list[int] = []  # estimated number of tokens before each unit
        self._before_span: list[int] = []
        self.total = 0
        for number, span in enumerate(spans):
            self._before_span.append(self.total)
            units = self._units(number, span)
            self.units += units
            self.before += self._about(number, units)
            self.total += span.tokens

    def __len__(self) -> int:
        return len(self.units)

    def _units(self, number: int, span: Span) -> list[Unit]:
        last_break = Break.PARAGRAPH if self._opens_block(number + 1) else Break.LINE
        if span.role is not SliceRole.TEXT:
            return [
                Unit(
                    number,
                    span.start,
                    span.end,
                    last_break,
                    LineKind.TABLE if span.rows else LineKind.NOTE,
                )
            ]
        if self.unit_type is UnitType.BLOCK:
            return [Unit(number, span.start, span.end, last_break, LineKind.TEXT)]
        lines = self.services.lines(span.block)
        at = lines.between(span.start, span.end)
        units = list(
            map(
                Unit,
                repeat(number),
                lines.starts[at],
                lines.ends[at],
                lines.breaks[at],
                lines.kinds[at],
            )
        )
        units[0] = units[0]._replace(start=max(units[0].start, span.start))
        units[-1] = units[-1]._replace(end=min(units[-1].end, span.end), after=last_break)
        return (
            units
            if self.unit_type is UnitType.LINE
            else list(chain.from_iterable(map(self._split, units)))
        )

    def _split(self, unit: Unit) -> list[Unit]:
        """Split a line of prose into sentences or words without cutting tags. Headings, tables,
        equations and drawings stay whole.
        """
        if unit.kind not in _PROSE:
            return [unit]
        block = self.spans[unit.span].block
        content, tags = (
            self.services.contents[block],
            outermost(self.services.text(block).tags(unit.start, unit.end)),
        )
        if self.unit_type is UnitType.SENTENCE:
            found, after = sentences(content, unit.start, unit.end, tags), Break.SENTENCE
        else:
            found, after = _words(content, unit.start, unit.end, tags), Break.SPACE
        self.services.lines(block).ruler.refine(unit.start, unit.end, [start for start, _ in found])
        return [
            unit._replace(start=start, end=end, after=unit.after if end == unit.end else after)
            for start, end in found
        ]

    def _opens_block(self, number: int) -> bool:
        return number < len(self.spans) and self.spans[number].block != self.spans[number - 1].block

    def _about(self, number: int, units: list[Unit]) -> list[int]:
        """Return the estimated number of tokens before each of some units of a span."""
        span = self.spans[number]
        if span.role is not SliceRole.TEXT:
            return [self._before_span[number]] * len(units)
        about = self.services.lines(span.block).ruler.about
        base = self._before_span[number] - about(span.start)
        return [base + about(unit.start) for unit in units]

    def first_after(self, tokens: float, low: int) -> int:
        """Return the first unit, from `low` on, with an estimate of more than `tokens` tokens
        before it.
        """
        return bisect_right(self.before, tokens, lo=min(low, len(self.units)))

    def between(self, first: int, last: int, lead: int | None = None) -> list[Span]:
        """Return units [first, last) as spans. If `lead` is given, the text from that offset to the
        first unit is repeated as overlap.
        """
        spans: list[Span] = []
        opening, closing = self.units[first], self.units[last - 1]
        if lead is not None:
            spans.append(
                self.services.slice(
                    self.spans[opening.span].block, lead, opening.start, SliceRole.OVERLAP
                )
            )
        for number in range(opening.span, closing.span + 1):
            span = self.spans[number]
            start = opening.start if number == opening.span else span.start
            end = closing.end if number == closing.span else span.end
            whole = start == span.start and end == span.end
            spans.append(
                span
                if whole or span.role is not SliceRole.TEXT
                else self.services.slice(span.block, start, end)
            )
        return spans

    def size(self, first: int, last: int, lead: int | None = None) -> int:
        """Return the exact number of tokens of units [first, last)."""
        opening, closing = self.units[first], self.units[last - 1]
        span = self.spans[opening.span]
        if opening.span == closing.span and span.role is SliceRole.TEXT:
            return self.services.lines(span.block).ruler.measure(
                opening.start if lead is None else lead, closing.end
            )
        return self.services.join(self.between(first, last, lead))[1]

    def furthest(self, first: int, cap: int, lead: int | None = None) -> int:
        """Return the end of the longest run of units from `first` on that fits into `cap` tokens;
        `first` if not even one fits.
        """
        guess = self.first_after(self.before[first] + cap, first) - 1
        return furthest(
            lambda last: self.size(first, last, lead) <= cap, first + 1, len(self.units), guess
        )

    def expand(self, number: int, cap: int) -> None:
        """Split a unit into atoms of at most `cap` tokens, except for tags that fit into a chunk of
        their own.
        """
        unit = self.units[number]
        span = self.spans[unit.span]
        if span.role is not SliceRole.TEXT:
            return
        lines = self.services.lines(span.block)
        whole = whole_ranges(
            lines.ruler, lines.text.tags(unit.start, unit.end), self.services.limits.max_tokens
        )
        atoms = Cutter(lines.ruler, cap, whole).atoms(unit.start, unit.end, unit.after)
        units = [Unit(unit.span, atom.start, atom.end, atom.after, unit.kind) for atom in atoms]
        self.units[number : number + 1] = units
        self.before[number : number + 1] = self._about(unit.span, units)

    def text(self, number: int) -> str:
        """Return the text of a unit without tags, as input for a model."""
        return plain(self._raw(number)) or self._raw(number)

    def running_text(self, first: int, last: int) -> tuple[str, tuple[int, ...]]:
        """Return the text of units [first, last) as in the document, and the end of each unit in
        that text.
        """
        text, ends = self._raw(first), []
        for before, number in pairwise(range(first, last)):
            ends.append(len(text))
            text += self._gap(before, number) + self._raw(number)
        return text, (*ends, len(text))

    def _raw(self, number: int) -> str:
        unit = self.units[number]
        span = self.spans[unit.span]
        return (
            self.services.contents[span.block][unit.start : unit.end]
            if span.role is SliceRole.TEXT
            else span.text
        )

    def _gap(self, before: int, after: int) -> str:
        left, right = self.units[before], self.units[after]
        content = self.services.contents[self.spans[right.span].block]
        if left.span == right.span:
            return content[left.end : right.start]
        return gap(content, self.spans[left.span], self.spans[right.span])

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
    found: list[Range] = []
    for word in _WORD.finditer(text, start, end):
        inside = is_inside(word.start(), whole)
        if found and (inside or not is_grapheme_start(text, word.start())):
            found[-1] = (found[-1][0], word.end())
        else:
            found.append(word.span())
    return found


STRETCHES_PER_CHUNK: Final = 24
"""Neighbouring stretches are merged up to the limit of a chunk divided by this number, unless a cut
between them is cheaper than the one before both.
"""

_LONG: Final = 8  # lines and tables over an eighth of a chunk may be cut
_ATOMS: Final = 8  # lines that have to be cut are cut into parts of at most an eighth of a chunk
_ROOMY: Final = 4  # merged rows fit into a chunk if their tags take up to a quarter of it
_BREAK: Final = 1  # most tokens of a line break
_SEEN: Final = 400  # characters of a long line that are used to classify it
_SENTENCE: Final = cut_prices.INSIDE[Break.SENTENCE]


@dataclass(frozen=True, slots=True)
class StretchSizes:
    """Sizes for dividing a section into stretches, in tokens, except `headline`: the maximum length
    of a headline in characters.

    A table over `table` is cut into slices of about `slice_ideal`; the slices at its ends have at
    least `slice_least`.
    """

    table: int
    slice_ideal: int
    slice_least: int
    headline: int
    repeat_headers: bool
    guessed_headers: float


class Stretch(NamedTuple):
    """Characters [start, end) of a block that stay in one chunk: text, rows of a table, or finished
    `spans`, which may continue in other blocks.
    """

    block: int
    start: int
    end: int
    price: float = 0.0  # of a cut before it
    line_class: LineClass | None = None  # of its first line
    spans: tuple[Span, ...] = ()
    slicer: TableSlicer | None = None
    rows: Range = (0, 0)
    lead: int | None = None  # start of the overlap, if a chunk begins here
    opening: int = 0  # extra tokens before it if a chunk begins with it
    closing: int = 0  # extra tokens after it if a chunk ends with it
    apart: bool = False  # never in the same chunk as the stretch before it


class StretchDivider:
    """Divides one piece over its cap into stretches."""

    def __init__(self, services: Services, stretch_sizes: StretchSizes, piece: Piece) -> None:
        self._services, self._sizes = services, stretch_sizes
        blocks = [services.document.blocks[span.block] for span in piece.spans]
        self._cap = min(services.cap(block.parent_headings, block.heading) for block in blocks)
        # tokens of the preceding lines that belong to the current one (headings ...), with their
        # line breaks
        self._held = 0
        # of the parts of long lines: the start, and the index of the first part of its line
        self._atom_starts: list[tuple[int, int]] = []
        self.stretches: list[Stretch] = []
        for span in piece.spans:
            new = (
                self._of_text(span)
                if span.role is SliceRole.TEXT
                else [
                    Stretch(span.block, span.start, span.end, cut_prices.PARAGRAPH, spans=(span,))
                ]
            )
            if self.stretches and self.stretches[-1].block != span.block:
                # headings alone, and the section under them
                new[0] = new[0]._replace(price=cut_prices.NEVER)
            self.stretches += new

    def _of_text(self, span: Span) -> list[Stretch]:
        lines = self._services.lines(span.block)
        at = lines.between(span.start, span.end)
        line_classes = self._line_classes(lines, at)
        starts, ends = lines.starts[at], lines.ends[at]
        starts[0], ends[-1] = max(starts[0], span.start), min(ends[-1], span.end)
        found: list[Stretch] = []
        about = lines.ruler.about
        for line_class, price, start, end in zip(
            line_classes, cut_prices.prices(line_classes), starts, ends, strict=True
        ):
            weight = about(end) - about(start)
            if start and price < cut_prices.BOUND:
                self._held = 0
            line = Stretch(span.block, start, end, price, line_class)
            if weight * _LONG <= self._cap:
                found.append(line)
            else:
                found += self._of_large(lines, line)
            self._held += weight + _BREAK
        found = list(self._thinned(lines, found))
        if self._atom_starts:
            found = [self._with_lead(lines.ruler, stretch) for stretch in found]
            self._atom_starts.clear()
        lines.ruler.refine(
            span.start, span.end, [stretch.start for stretch in found if not stretch.spans]
        )
        return found

    def _line_classes(self, lines: Lines, at: slice) -> list[LineClass]:
        text, longest = lines.ruler.text, self._sizes.headline
        texts = [
            text[start:end]
            if end - start <= _SEEN
            else text[start : start + _SEEN // 2] + text[end - _SEEN // 2 : end]
            for start, end in zip(lines.starts[at], lines.ends[at], strict=True)
        ]
        return [
            cut_prices.line_class_of(record, shown, longest)
            for record, shown in zip(lines.records[at], texts, strict=True)
        ]

    def _of_large(self, lines: Lines, line: Stretch) -> Iterable[Stretch]:
        """Return the stretches of a line that may be cut."""
        if line.start in lines.tables:
            return self._of_table(lines, line, lines.tables[line.start])
        if (line.line_class and line.line_class.kind in _PROSE) or lines.ruler.measure(
            line.start, line.end
        ) > self._room:
            return self._of_long_line(lines, line)
        return [line]

    @property
    def _room(self) -> int:
        """The number of tokens left for a line after the lines that belong to it; the whole cap if
        these take more than half of it.
        """
        return self._cap - self._held if self._held * 2 <= self._cap else self._cap

    def _thinned(self, lines: Lines, stretches: Iterable[Stretch]) -> Iterator[Stretch]:
        """Merge short neighbours, unless the cut between them is cheaper than the one before
        both.
        """
        about, most = lines.ruler.about, self._cap // STRETCHES_PER_CHUNK
        first = last = None
        # maximum number of tokens before the end of the stretches from the first to the last one
        most_end = 0
        for stretch in stretches:
            if first is not None and last is not None:
                goes_on = (
                    first.price <= stretch.price
                    and first.slicer is stretch.slicer
                    and not (first.spans or stretch.spans)
                )
                if (
                    goes_on
                    and about(stretch.end) <= most_end
                    and self._fits_as_slice(first, stretch)
                ):
                    last = stretch
                    continue
                yield _as_one(first, last)
            first = last = stretch
            most_end = about(stretch.start) + most
        if first is not None and last is not None:
            yield _as_one(first, last)

    def _fits_as_slice(self, first: Stretch, last: Stretch) -> bool:
        """Return whether the rows from one stretch to another fit into a chunk. They are counted
        only if their tags take up much of it.
        """
        if first.slicer is None or (first.opening + last.closing) * _ROOMY <= self._cap:
            return True
        return first.slicer.slice(first.rows[0], last.rows[1], self._cap).tokens <= self._cap

    # -- long lines

    def _of_long_line(self, lines: Lines, line: Stretch) -> Iterable[Stretch]:
        """Return the sentences of a line or, if the line is over the limit, parts that fit, with an
        overlap.
        """
        ruler = lines.ruler
        tags = lines.text.tags(line.start, line.end)
        whole = whole_ranges(ruler, tags, self._services.limits.max_tokens) if tags else ()
        if ruler.measure(line.start, line.end) > self._room:
            return self._atoms(ruler, line, whole)
        (start, end), *others = sentences(ruler.text, line.start, line.end, whole)
        return [
            Stretch(line.block, start, end, line.price, line.line_class),
            *[Stretch(line.block, a, b, _SENTENCE) for a, b in others],
        ]

    def _atoms(self, ruler: Ruler, line: Stretch, whole: Sequence[Range]) -> Iterator[Stretch]:
        """Yield parts of a line that fit."""
        line_class, price = line.line_class, line.price
        first = len(self._atom_starts)
        for start, end, after in Cutter(ruler, max(self._cap // _ATOMS, 1), whole).atoms(
            line.start, line.end
        ):
            yield Stretch(line.block, start, end, price, line_class)
            self._atom_starts.append((start, first))
            line_class, price = None, cut_prices.INSIDE[after]

    def _with_lead(self, ruler: Ruler, stretch: Stretch) -> Stretch:
        """Return a stretch with the overlap before it, if it begins inside a line that is cut into
        parts.
        """
        overlap = min(self._services.limits.overlap, self._cap // 4)
        at = bisect_left(self._atom_starts, (stretch.start, 0))
        if not overlap or at == len(self._atom_starts) or self._atom_starts[at][0] != stretch.start:
            return stretch
        lead = stretch.start
        # the nearest first: short ranges are counted fast
        for place, _ in self._atom_starts[max(at - 2 * _ATOMS, self._atom_starts[at][1]) : at][
            ::-1
        ]:
            if ruler.measure(place, stretch.start) > overlap:
                break
            lead = place
        return (
            stretch
            if lead == stretch.start
            else stretch._replace(lead=lead, opening=ruler.measure(lead, stretch.start))
        )

    # -- tables

    def _of_table(self, lines: Lines, line: Stretch, table: TableTag) -> Iterator[Stretch]:
        stretch_sizes, most = self._sizes, min(self._sizes.table, self._cap)
        fits = lines.ruler.measure(table.start, table.end) <= most
        free = min(stretch_sizes.slice_ideal, most) == self._cap
        if fits and not free:
            yield line
            return
        most = min(most, self._room)
        sizes = TableSizes(
            most,
            min(stretch_sizes.slice_ideal, most),
            stretch_sizes.slice_least,
            most,
            most,
            stretch_sizes.repeat_headers,
            stretch_sizes.guessed_headers,
        )
        slicer = TableSlicer(self._services, line.block, table, sizes)
        if free and not slicer.has_long_row:
            yield from self._rows(
                lines, line, slicer, cut_prices.ROW_OF_FITTING if fits else cut_prices.ROW
            )
        elif fits:
            yield line
        else:
            for number, (first, *more) in enumerate(slicer.slices()):
                yield Stretch(
                    line.block,
                    first.start,
                    first.end,
                    cut_prices.ROW if number else line.price,
                    line.line_class,
                    (first,),
                    apart=number > 0,
                )
                yield from (
                    Stretch(line.block, span.start, span.end, cut_prices.NEVER, spans=(span,))
                    for span in more
                )

    def _rows(
        self, lines: Lines, line: Stretch, slicer: TableSlicer, price: float
    ) -> Iterator[Stretch]:
        about, rows = lines.ruler.about, slicer.ranges
        top, bottom, least = about(line.start), about(line.end), self._sizes.slice_least
        count = len(rows)
        yield line._replace(
            end=rows[0][1] if count > 1 else line.end,
            slicer=slicer,
            rows=(0, 1),
            closing=slicer.closing_tokens(0) if count > 1 else 0,
        )
        for number in range(1, count):
            start, end = rows[number]
            tokens = about(start)
            if number > slicer.header_rows:
                near = tokens - top < least or bottom - tokens < least
                cost = (
                    price
                    + cut_prices.ROW_AT_END * near
                    + cut_prices.ROW_IN_MERGED * slicer.parts_cells(number)
                )
            else:
                cost = cut_prices.NEVER
            is_last = number == count - 1
            yield Stretch(
                line.block,
                start,
                line.end if is_last else end,
                cost,
                slicer=slicer,
                rows=(number, number + 1),
                opening=slicer.opening_tokens(number),
                closing=0 if is_last else slicer.closing_tokens(number),
            )


def _as_one(first: Stretch, last: Stretch) -> Stretch:
    """Merge stretches of a block or table, from the first to the last one."""
    if first is last:
        return first
    return Stretch(
        first.block,
        first.start,
        last.end,
        first.price,
        first.line_class,
        slicer=first.slicer,
        rows=(first.rows[0], last.rows[1]),
        lead=first.lead,
        opening=first.opening,
        closing=last.closing,
        apart=first.apart,
    )


def breaks_after(stretches: Sequence[Stretch]) -> list[int]:
    """Return the number of tokens of the line break after each stretch: 0 if text of the same block
    follows, else 1.
    """
    breaks = [
        0 if a.block == b.block and not (a.spans or b.spans) else 1 for a, b in pairwise(stretches)
    ]
    return [*breaks, 1] if stretches else []


def sizes_of(services: Services, stretches: Sequence[Stretch]) -> list[int]:
    """Return the number of tokens of each stretch, including the break after it if the next stretch
    continues its block.
    """
    found: list[int] = []
    # number of the block of the last stretch, if that was text, and the tokens before the end of
    # the stretch in it
    block, before = -1, 0
    about = None
    for stretch, following in zip_longest(stretches, stretches[1:]):
        if stretch.spans:
            found.append(services.join(stretch.spans)[1])
            block = -1
            continue
        if about is None or stretch.block != block:
            block, about = stretch.block, services.lines(stretch.block).ruler.about
            before = about(stretch.start)
        goes_on = following is not None and following.block == block and not following.spans
        after = about(following.start if following is not None and goes_on else stretch.end)
        found.append(after - before)
        before = after
    return found


class _Run(NamedTuple):
    """Neighbouring stretches of a chunk that become one range of text, the rows of one table, or
    the spans of a finished stretch.
    """

    block: int
    start: int
    end: int
    spans: tuple[Span, ...] = ()
    slicer: TableSlicer | None = None
    rows: Range = (0, 0)

    @property
    def is_text(self) -> bool:
        return not self.spans and self.slicer is None


def spans_of(services: Services, stretches: Sequence[Stretch], cap: int) -> list[Span]:
    """Return consecutive stretches as spans, as few as possible. A whole table becomes part of the
    text.
    """
    finished = [span for stretch in stretches for span in stretch.spans]
    if all(stretch.spans for stretch in stretches):
        return finished
    first, last = stretches[0], stretches[-1]
    # text alone
    if (
        first.block == last.block
        and not finished
        and not any(stretch.slicer for stretch in stretches)
    ):
        return [services.slice(first.block, first.start, last.end)]
    runs = _joined_text(_runs(stretches))
    spans = [
        (services.slice(run.block, run.start, run.end),) if run.is_text else run.spans
        for run in runs
    ]
    if all(spans):
        return [span for group in spans for span in group]
    room = cap - sum(span.tokens + 1 for group in spans for span in group)
    found: list[Span] = []
    for run, group in zip(runs, spans, strict=True):
        if run.slicer:
            found.append(run.slicer.slice(*run.rows, room))
        found += group
    return found


def _runs(stretches: Sequence[Stretch]) -> Iterator[_Run]:
    """Yield a run for neighbouring text of a block, for neighbouring rows of a table, and for each
    finished stretch.
    """
    for (block, slicer, spans), group in groupby(stretches, attrgetter("block", "slicer", "spans")):
        first, *more = group
        last = more[-1] if more else first
        rows = first.rows[0], last.rows[1]
        is_whole = slicer is not None and rows == (0, len(slicer.ranges))
        yield _Run(block, first.start, last.end, spans, None if is_whole else slicer, rows)


def _joined_text(runs: Iterable[_Run]) -> list[_Run]:
    """Merge the runs of whole tables with those of the text around them."""
    found: list[_Run] = []
    for (block, is_text), group in groupby(runs, lambda run: (run.block, run.is_text)):
        if not is_text:
            found += group
            continue
        first, *more = group
        found.append(_Run(block, first.start, more[-1].end) if more else first)
    return found
