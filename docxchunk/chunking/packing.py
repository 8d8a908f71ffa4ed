"""Lines, and what is left of lines that are too long, put into chunks one after another (seed 002, 8.3)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import repeat
from typing import Final, NamedTuple

from docxchunk.chunking.breaks import Break
from docxchunk.chunking.cutting import Cutter, whole_ranges, word_start
from docxchunk.chunking.pieces import Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.tokens import Ruler, furthest
from docxchunk.markup.spans import inline_tags
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole

_FULL: Final = 0.75  # of the cap: from here on the best place to cut wins, before it the furthest
_WORTH_FILLING: Final = 8  # a line is split to go with its heading where at least an eighth of the cap is left for it


class Unit(NamedTuple):
    """A line, an atom of one, or a span that is not looked into."""

    span: int
    start: int
    end: int
    after: Break
    kind: LineKind


class Strip:
    """Spans as a row of units that can be cut between any two."""

    def __init__(self, services: Services, spans: Sequence[Span]) -> None:
        self.services = services
        self.spans = spans
        self.units: list[Unit] = []
        self.before: list[int] = []  # tokens before each unit, about: known without asking
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
            return [Unit(number, span.start, span.end, last_break, LineKind.TABLE if span.rows else LineKind.NOTE)]
        lines = self.services.lines(span.block)
        at = lines.between(span.start, span.end)
        units = list(map(Unit, repeat(number), lines.starts[at], lines.ends[at], lines.breaks[at], lines.kinds[at]))
        units[0] = units[0]._replace(start=max(units[0].start, span.start))
        units[-1] = units[-1]._replace(end=min(units[-1].end, span.end), after=last_break)
        return units

    def _opens_block(self, number: int) -> bool:
        return number < len(self.spans) and self.spans[number].block != self.spans[number - 1].block

    def _about(self, number: int, units: list[Unit]) -> list[int]:
        """Tokens before each of some units of a span."""
        span = self.spans[number]
        if span.role is not SliceRole.TEXT:
            return [self._before_span[number]] * len(units)
        about = self.services.lines(span.block).ruler.about
        base = self._before_span[number] - about(span.start)
        return [base + about(unit.start) for unit in units]

    def first_after(self, tokens: float, low: int) -> int:
        """The first unit, from `low` on, before which there are about more tokens than that."""
        return bisect_right(self.before, tokens, lo=min(low, len(self.units)))

    def between(self, first: int, last: int, lead: int | None = None) -> list[Span]:
        """Units [first, last) as spans. `lead` is a place in the first unit's block from which on text is shown a second time."""
        spans: list[Span] = []
        opening, closing = self.units[first], self.units[last - 1]
        if lead is not None:
            spans.append(self.services.slice(self.spans[opening.span].block, lead, opening.start, SliceRole.OVERLAP))
        for number in range(opening.span, closing.span + 1):
            span = self.spans[number]
            start = opening.start if number == opening.span else span.start
            end = closing.end if number == closing.span else span.end
            whole = start == span.start and end == span.end
            spans.append(span if whole or span.role is not SliceRole.TEXT else self.services.slice(span.block, start, end))
        return spans

    def size(self, first: int, last: int, lead: int | None = None) -> int:
        """The exact count of units [first, last)."""
        opening, closing = self.units[first], self.units[last - 1]
        span = self.spans[opening.span]
        if opening.span == closing.span and span.role is SliceRole.TEXT:
            return self.services.lines(span.block).ruler.measure(opening.start if lead is None else lead, closing.end)
        return self.services.join(self.between(first, last, lead))[1]

    def furthest(self, first: int, cap: int, lead: int | None = None) -> int:
        """The most units from `first` on that fit; `first` where not even one does."""
        guess = self.first_after(self.before[first] + cap, first) - 1
        return furthest(lambda last: self.size(first, last, lead) <= cap, first + 1, len(self.units), guess)

    def expand(self, number: int, cap: int) -> None:
        """Splits a unit into atoms of at most `cap` tokens, but for tags that fit into a chunk of their own."""
        unit = self.units[number]
        span = self.spans[unit.span]
        if span.role is not SliceRole.TEXT:
            return
        ruler = self.services.lines(span.block).ruler
        whole = whole_ranges(ruler, unit.start, unit.end, self.services.limits.max_tokens)
        atoms = Cutter(ruler, cap, whole).atoms(unit.start, unit.end, unit.after)
        units = [Unit(unit.span, atom.start, atom.end, atom.after, unit.kind) for atom in atoms]
        self.units[number : number + 1] = units
        self.before[number : number + 1] = self._about(unit.span, units)


def pack(strip: Strip, cap: int, overlap: int, reach: Break = Break.LINE) -> list[list[Span]]:
    """Chunks of at most `cap` tokens. Where a cut is weaker than `reach`, the next chunk begins with up to `overlap` tokens of what stands before it.

    The overlap is at most a quarter of the cap and half of the new text that it leads to.
    """
    done: list[list[Span]] = []
    first = before = 0
    while first < len(strip):
        _make_room(strip, first, cap)
        lead = _lead(strip, before, first, min(overlap, cap // 4), reach)
        last = _end(strip, first, cap, lead)
        if last == first:
            lead, last = None, max(_end(strip, first, cap), first + 1)
        if lead is not None:
            lead = _lead(strip, before, first, min(overlap, cap // 4, strip.size(first, last) // 2), reach)
        done.append(strip.between(first, last, lead))
        before, first = first, last
    return done


def _make_room(strip: Strip, first: int, cap: int) -> None:
    """Splits the first line, or the one under the headings that come first, where it does not fit. A table is never split to go with its heading."""
    body = first
    while body < len(strip) - 1 and strip.units[body].kind is LineKind.HEADING:
        body += 1
    if strip.size(first, body + 1) <= cap:
        return
    room = cap if body == first else cap - strip.size(first, body) - 1
    if room * _WORTH_FILLING >= cap and not (strip.units[body].kind is LineKind.TABLE and strip.size(body, body + 1) <= cap):
        strip.expand(body, room)
    if body > first and strip.size(first, first + 1) > cap:
        strip.expand(first, cap)


def _end(strip: Strip, first: int, cap: int, lead: int | None = None) -> int:
    """Where the chunk that starts at `first` ends: at the best of the places that leave it full enough, never between a heading and its text."""
    last = strip.furthest(first, cap, lead)
    if last in (first, len(strip)):
        return last
    units = strip.units
    full = strip.before[first] + int(_FULL * cap)
    best = place = last
    while place > first + 1 and strip.before[place - 1] > full:
        place -= 1
        if units[place - 1].after > units[best - 1].after:
            best = place
    while best > first and units[best - 1].kind is LineKind.HEADING:
        best -= 1
    return best if best > first else last


def _lead(strip: Strip, before: int, first: int, limit: int, reach: Break) -> int | None:
    """From where text is shown a second time before unit `first`: whole sentences where they fit into the limit, else whole words."""
    if first == before or limit <= 0:
        return None
    units = strip.units
    span = strip.spans[units[first].span]
    if span.role is not SliceRole.TEXT or not _may_repeat(units[first - 1], units[first], reach):
        return None
    ruler = strip.services.lines(span.block).ruler
    end = units[first].start
    start = first
    while start > before and _may_repeat(units[start - 1], units[start], reach) and ruler.measure(units[start - 1].start, end) <= limit:
        start -= 1
    if start < first:
        return units[start].start
    return _last_words(ruler, units[first - 1], end, limit) if units[first - 1].after < Break.LINE else None


def _may_repeat(unit: Unit, following: Unit, reach: Break) -> bool:
    return unit.span == following.span and unit.after < reach and unit.kind not in (LineKind.TABLE, LineKind.HEADING)


def _last_words(ruler: Ruler, unit: Unit, end: int, limit: int) -> int | None:
    """Where the last words of a unit begin that fit into the limit."""
    tags = inline_tags(ruler.text[unit.start : unit.end])
    at = unit.end - (unit.end - unit.start) * limit // max(ruler.measure(unit.start, end), 1)
    while at < unit.end:
        at = word_start(ruler.text, at, unit.end)
        inside = next((tag[1] for tag in tags if tag[0] < at - unit.start < tag[1]), None)
        if inside is not None:
            at = unit.start + inside
        elif at < unit.end and ruler.measure(at, end) <= limit:
            return at
        else:
            at += max(1, (unit.end - at) // 4)
    return None
