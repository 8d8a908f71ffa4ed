"""Divide sections over the limit into stretches that stay whole (lines, sentences, table rows), and price the cuts between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.chunking import seams
from docxchunk.chunking.cutting import Cutter, whole_ranges
from docxchunk.chunking.lines import Lines
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.seams import Sign
from docxchunk.chunking.services import Services
from docxchunk.chunking.table_splitter import TableSizes, TableSlicer
from docxchunk.chunking.text.breaks import Break
from docxchunk.chunking.text.sentences import sentences
from docxchunk.markup.tables import Range, TableTag
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole

GRAINS: Final = 24
"""Places less than this fraction of a chunk apart count as one, unless the second is the better place to cut."""

_LONG: Final = 8  # lines and tables over an eighth of a chunk may be cut
_ATOMS: Final = 8  # lines that have to be cut are cut into eighths of a chunk, or finer
_ROOMY: Final = 4  # tags of up to a quarter of a chunk leave room for any rows that are taken as one
_BREAK: Final = 1  # token of a line break, at most
_SEEN: Final = 400  # characters of a long line that are used to classify it
_PROSE: Final = {LineKind.TEXT, LineKind.LIST, LineKind.NOTE}


@dataclass(frozen=True, slots=True)
class Grain:
    """In tokens: tables over `table` have to be cut; slices come to about `slice_ideal`, and those at the ends of a table to `slice_least` at least.

    `headline` is the most characters of a headline.
    """

    table: int
    slice_ideal: int
    slice_least: int
    headline: int
    repeat_headers: bool
    guessed_headers: float


class Stretch(NamedTuple):
    """Characters [start, end) of a block: text, rows of a table, or finished `spans`, which may continue in other blocks."""

    block: int
    start: int
    end: int
    price: float = 0.0  # of a cut before it
    sign: Sign | None = None  # of the line that it begins with
    spans: tuple[Span, ...] = ()
    slicer: TableSlicer | None = None
    rows: Range = (0, 0)
    lead: int | None = None  # where the overlap would begin
    opening: int = 0  # extra tokens before it if a chunk begins with it
    closing: int = 0  # extra tokens after it if a chunk ends with it
    apart: bool = False  # never in a chunk with the stretch before it


class Layout:
    """Divides one piece over its cap into stretches."""

    def __init__(self, services: Services, grain: Grain, piece: Piece) -> None:
        self._services, self._grain = services, grain
        blocks = [services.document.blocks[span.block] for span in piece.spans]
        self._cap = min(services.cap(block.parent_headings, block.heading) for block in blocks)
        self._held = 0  # tokens of the lines right before the current one that belong to it (headings ...), with their line breaks
        self.stretches: list[Stretch] = []
        for span in piece.spans:
            new = self._of_text(span) if span.role is SliceRole.TEXT else [Stretch(span.block, span.start, span.end, seams.PARAGRAPH, spans=(span,))]
            if self.stretches and self.stretches[-1].block != span.block:
                new[0] = new[0]._replace(price=seams.NEVER)  # headings alone, and the section under them
            self.stretches += new

    def _of_text(self, span: Span) -> list[Stretch]:
        lines = self._services.lines(span.block)
        at = lines.between(span.start, span.end)
        signs = [self._sign(lines, number) for number in range(at.start, at.stop)]
        found: list[Stretch] = []
        about = lines.ruler.about
        for sign, price, line_start, line_end in zip(signs, seams.prices(signs), lines.starts[at], lines.ends[at], strict=True):
            start, end = max(line_start, span.start), min(line_end, span.end)
            weight = about(end) - about(start)
            if start and price < seams.BOUND:
                self._held = 0
            line = Stretch(span.block, start, end, price, sign)
            if weight * _LONG <= self._cap:
                found.append(line)
            else:
                found += self._of_large(lines, line)
            self._held += weight + _BREAK
        found = list(self._thinned(lines, found))
        lines.ruler.refine(span.start, span.end, [stretch.start for stretch in found if not stretch.spans])
        return found

    def _sign(self, lines: Lines, number: int) -> Sign:
        start, end = lines.starts[number], lines.ends[number]
        text = lines.ruler.text
        shown = text[start:end] if end - start <= _SEEN else text[start : start + _SEEN // 2] + text[end - _SEEN // 2 : end]
        return seams.sign_of(lines.records[number], shown, self._grain.headline)

    def _of_large(self, lines: Lines, line: Stretch) -> Iterable[Stretch]:
        """Return the stretches of a line that may be cut."""
        if line.start in lines.tables:
            return self._of_table(lines, line, lines.tables[line.start])
        if (line.sign and line.sign.kind in _PROSE) or lines.ruler.measure(line.start, line.end) > self._room:
            return self._of_long_line(lines, line)
        return [line]

    @property
    def _room(self) -> int:
        """The tokens left for a line beside the lines that belong to it, or the whole cap if these take over half of it."""
        return self._cap - self._held if self._held * 2 <= self._cap else self._cap

    def _thinned(self, lines: Lines, stretches: Iterable[Stretch]) -> Iterator[Stretch]:
        """Merge short neighbours, unless the cut between them is cheaper than the one before both."""
        about, most = lines.ruler.about, self._cap // GRAINS
        group: list[Stretch] = []
        most_end = 0  # tokens before the end of the longest group that begins with the first of it
        for stretch in stretches:
            if group:
                first = group[0]
                goes_on = first.price <= stretch.price and first.slicer is stretch.slicer and not (first.spans or stretch.spans)
                if goes_on and about(stretch.end) <= most_end and self._fits_as_slice(first, stretch):
                    group.append(stretch)
                    continue
                yield _as_one(group)
            group, most_end = [stretch], about(stretch.start) + most
        if group:
            yield _as_one(group)

    def _fits_as_slice(self, first: Stretch, last: Stretch) -> bool:
        """Return whether rows from one stretch to another fit a chunk; True without a count where their tags leave most of it."""
        if first.slicer is None or (first.opening + last.closing) * _ROOMY <= self._cap:
            return True
        return first.slicer.slice(first.rows[0], last.rows[1], self._cap).tokens <= self._cap

    # -- long lines

    def _of_long_line(self, lines: Lines, line: Stretch) -> Iterator[Stretch]:
        """Yield the sentences of a line, or parts that fit, with an overlap, if the line is over the limit."""
        ruler, overlap = lines.ruler, min(self._services.limits.overlap, self._cap // 4)
        must = ruler.measure(line.start, line.end) > self._room
        whole = whole_ranges(ruler, lines.text.tags(line.start, line.end), self._services.limits.max_tokens)
        atoms = self._atoms(lines, line, whole) if must else _sentences(ruler.text, line, whole)
        starts: list[int] = []
        sign, price = line.sign, line.price
        for start, end, after in atoms:
            lead = start
            if must and overlap and starts:
                lead = next((place for place in starts[-2 * _ATOMS :] if ruler.measure(place, start) <= overlap), start)
            if lead < start:
                yield Stretch(line.block, start, end, price, lead=lead, opening=ruler.measure(lead, start))
            else:
                yield Stretch(line.block, start, end, price, sign)
            starts.append(start)
            sign, price = None, seams.INSIDE[after]

    def _atoms(self, lines: Lines, line: Stretch, whole: Sequence[Range]) -> Iterator[tuple[int, int, Break]]:
        return ((atom.start, atom.end, atom.after) for atom in Cutter(lines.ruler, max(self._cap // _ATOMS, 1), whole).atoms(line.start, line.end))

    # -- tables

    def _of_table(self, lines: Lines, line: Stretch, table: TableTag) -> Iterator[Stretch]:
        grain, most = self._grain, min(self._grain.table, self._cap)
        fits = lines.ruler.measure(table.start, table.end) <= most
        free = min(grain.slice_ideal, most) == self._cap
        if fits and not free:
            yield line
            return
        most = min(most, self._room)
        sizes = TableSizes(most, min(grain.slice_ideal, most), grain.slice_least, most, most, grain.repeat_headers, grain.guessed_headers)
        slicer = TableSlicer(self._services, line.block, table, sizes)
        if free and not slicer.has_long_row:
            yield from self._rows(lines, line, slicer, seams.ROW_OF_FITTING if fits else seams.ROW)
        elif fits:
            yield line
        else:
            for number, (first, *more) in enumerate(slicer.slices()):
                yield Stretch(line.block, first.start, first.end, seams.ROW if number else line.price, line.sign, (first,), apart=number > 0)
                yield from (Stretch(line.block, span.start, span.end, seams.NEVER, spans=(span,)) for span in more)

    def _rows(self, lines: Lines, line: Stretch, slicer: TableSlicer, price: float) -> Iterator[Stretch]:
        about, rows = lines.ruler.about, slicer.ranges
        top, bottom, least = about(line.start), about(line.end), self._grain.slice_least
        count = len(rows)
        yield line._replace(end=rows[0][1] if count > 1 else line.end, slicer=slicer, rows=(0, 1), closing=slicer.closing_tokens(0) if count > 1 else 0)
        for number in range(1, count):
            start, end = rows[number]
            tokens = about(start)
            if number > slicer.header_rows:
                near = tokens - top < least or bottom - tokens < least
                cost = price + seams.ROW_AT_END * near + seams.ROW_IN_MERGED * slicer.parts_cells(number)
            else:
                cost = seams.NEVER
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


def _as_one(group: Sequence[Stretch]) -> Stretch:
    """Return consecutive stretches of a block or table as one."""
    if len(group) == 1:
        return group[0]
    first, last = group[0], group[-1]
    return Stretch(
        first.block,
        first.start,
        last.end,
        first.price,
        first.sign,
        slicer=first.slicer,
        rows=(first.rows[0], last.rows[1]),
        lead=first.lead,
        opening=first.opening,
        closing=last.closing,
        apart=first.apart,
    )


def _sentences(text: str, line: Stretch, whole: Sequence[Range]) -> Iterator[tuple[int, int, Break]]:
    return ((start, end, Break.SENTENCE) for start, end in sentences(text, line.start, line.end, whole))


def breaks_after(stretches: Sequence[Stretch]) -> list[int]:
    """Return the tokens of the line break added after each stretch: 1, or 0 if the block's text goes on."""
    goes_on = (a.block == b.block and not (a.spans or b.spans) for a, b in pairwise(stretches))
    return [*(0 if inside else 1 for inside in goes_on), 1] if stretches else []


def sizes_of(services: Services, stretches: Sequence[Stretch]) -> list[int]:
    """Return the tokens of each stretch, with the break after it if its block goes on in the next."""
    found: list[int] = []
    block, before = -1, 0  # tokens of the block before the stretch, if the last one was text of the same block
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
    """Neighbouring stretches of a chunk that become text of one block, rows of one table, or the spans of a single stretch."""

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
    """Return neighbouring stretches as few spans; rows that are all of their table are text."""
    runs = _joined_text(_runs(stretches))
    spans = [(services.slice(run.block, run.start, run.end),) if run.is_text else run.spans for run in runs]
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
    """Yield neighbouring text of a block as one run, neighbouring rows of a table as one, and each finished stretch alone."""
    for (block, slicer, spans), group in groupby(stretches, attrgetter("block", "slicer", "spans")):
        first, *more = group
        last = more[-1] if more else first
        rows = first.rows[0], last.rows[1]
        is_whole = slicer is not None and rows == (0, len(slicer.ranges))
        yield _Run(block, first.start, last.end, spans, None if is_whole else slicer, rows)


def _joined_text(runs: Iterable[_Run]) -> list[_Run]:
    """Return the runs with whole tables and the text around them as one."""
    found: list[_Run] = []
    for (block, is_text), group in groupby(runs, lambda run: (run.block, run.is_text)):
        if not is_text:
            found += group
            continue
        first, *more = group
        found.append(_Run(block, first.start, more[-1].end) if more else first)
    return found
