"""Split spans into a sequence of units (words, sentences, lines or blocks) that can be cut between
any two of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import chain, pairwise, repeat
from typing import Final, NamedTuple

from docxchunk.chunking.cutting import Cutter, is_grapheme_start, whole_ranges
from docxchunk.chunking.pieces import Span, gap
from docxchunk.chunking.services import Services
from docxchunk.chunking.text.breaks import Break
from docxchunk.chunking.text.sentences import sentences
from docxchunk.chunking.text.tokens import furthest
from docxchunk.markup.spans import is_inside, outermost
from docxchunk.markup.tables import Range
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
