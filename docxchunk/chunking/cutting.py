"""Where text may be cut: after sentences, in scripts with and without spaces between them, and
inside text over a maximum size, at the best places from lines down to code points
(docs/design/chunking.md, R).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.chunking.prices import (
    CLAUSE,
    CODE_POINT,
    GRAPHEME,
    PARAGRAPH,
    SENTENCE,
    SPACE,
    Price,
)
from docxchunk.chunking.tokens import Ruler, fill
from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import Range, is_inside, outermost
from docxchunk.language.sentences import sentence_ends, trimmed

# -- to a maximum size


class TextAtom(NamedTuple):
    """Characters [start, end) that fit into a chunk, and the price of a cut before them."""

    start: int
    end: int
    price: Price


# from the best cuts to the worst
_PRICES: Final = (PARAGRAPH, SENTENCE, CLAUSE, SPACE, GRAPHEME, CODE_POINT)
_PATTERNS: Final[Mapping[Price, re.Pattern[str]]] = {
    PARAGRAPH: pattern(r"\n\s*"),
    CLAUSE: pattern(r"[，；：、]+|[,;:](?=\s)|\s[–—-](?=\s)"),
    SPACE: pattern(r"\s+"),
}
_JOINERS: Final = {
    "\u200d",
    "\ufe0e",
    "\ufe0f",
    "\u20e3",
    "\U0001f3fb",
    "\U0001f3fc",
    "\U0001f3fd",
    "\U0001f3fe",
    "\U0001f3ff",
}
_FLAGS: Final = 100  # characters; in a longer run of flags, a grapheme starts at every place
# words are cut into runs of about 1/8 of the limit: small enough to fill a chunk, large enough to
# count few
_SHARES: Final = 8
_LEAST: Final = 4  # tokens of such a run inside a word, if the limit allows


def whole_ranges(ruler: Ruler, tags: Iterable[Range], max_tokens: int) -> list[Range]:
    """Return the ranges that must not be cut: the ranges in `tags` with at most `max_tokens`
    tokens. Overlapping ranges are merged first.
    """
    return [
        (start, end) for start, end in outermost(tags) if ruler.measure(start, end) <= max_tokens
    ]


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts parts of one text into atoms of at most `cap` tokens. The ranges of `whole` are never
    cut, whatever their size.
    """

    ruler: Ruler
    cap: int
    whole: Sequence[Range]

    def atoms(self, start: int, end: int, price: Price = PARAGRAPH) -> list[TextAtom]:
        """Cut text [start, end) into atoms that fit. Cuts are at line breaks where these suffice,
        else at ends of sentences, clauses and words, else inside words. The first atom gets the
        price `price`.
        """
        return list(self._split(start, end, 0, price))

    def _split(self, start: int, end: int, level: int, price: Price) -> Iterator[TextAtom]:
        start, end = trimmed(self.ruler.text, start, end)
        if start == end:
            return
        tokens = self.ruler.measure(start, end)
        if tokens <= self.cap or self._is_whole(start, end):
            yield TextAtom(start, end, price)
            return
        inside = _PRICES[level]
        run = max(self.cap, _SHARES * min(_LEAST, self.cap)) if inside > SPACE else self.cap
        cuts = self._cuts(start, end, max(1, (end - start) * run // (_SHARES * tokens)), inside)
        if not cuts and inside == CODE_POINT:
            yield TextAtom(start, end, price)
            return
        worse = min(level + 1, len(_PRICES) - 1)
        for a, b in pairwise([start, *cuts, end]):
            yield from self._split(a, b, worse, price if a == start else inside)

    def _is_whole(self, start: int, end: int) -> bool:
        at = bisect_left(self.whole, (start, end))
        return at < len(self.whole) and self.whole[at] == (start, end)

    def _cuts(self, start: int, end: int, step: int, price: Price) -> list[int]:
        """Return the cuts of one price inside (start, end). Cuts between or inside words are at
        least `step` characters apart.
        """
        text = self.ruler.text
        if price < SPACE:
            ends = (
                sentence_ends(text, start, end)
                if price == SENTENCE
                else [match.end() for match in _PATTERNS[price].finditer(text, start, end)]
            )
            return [cut for cut in ends if not is_inside(cut, self.whole)]
        cuts = []
        if price > SPACE:
            first, last = bisect_left(self.whole, (start, -1)), bisect_left(self.whole, (end, -1))
            ranges = self.whole[first:last]
            cuts = [edge for edges in ranges for edge in edges if start < edge < end]
        at = start + step
        while (cut := self._next(at, end, price)) < end:
            if not is_inside(cut, self.whole):
                cuts.append(cut)
                at = cut + step
            else:
                at = cut + 1
        return sorted({*cuts})

    def _next(self, at: int, end: int, price: Price) -> int:
        """Return the first cut of this price from `at` on. If none is before `end`, return `end` or
        more.
        """
        if price == SPACE:
            space = _PATTERNS[price].search(self.ruler.text, at, end)
            return space.end() if space else end
        return grapheme_start(self.ruler.text, at, end) if price == GRAPHEME else at


def is_grapheme_start(text: str, at: int) -> bool:
    """Return whether a cut at `at` keeps grapheme clusters whole (a subset of the rules of Unicode
    Standard Annex 29).
    """
    if not 0 < at < len(text):
        return True
    after, before = text[at], text[at - 1]
    if after in _JOINERS or before == "\u200d" or unicodedata.category(after).startswith("M"):
        return False
    if _is_flag(after):
        run = at
        while run > at - _FLAGS and run and _is_flag(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 0
    return not ("\u1160" <= after <= "\u11ff" and "\u1100" <= before <= "\u11ff")


def grapheme_start(text: str, at: int, end: int) -> int:
    """Return the next start of a grapheme cluster from `at` on; `end` if there is none before."""
    while at < end and not is_grapheme_start(text, at):
        at += 1
    return at


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def atoms_together(ruler: Ruler, atoms: Sequence[TextAtom], cap: int) -> list[Range]:
    """Join consecutive atoms, from the first on, into texts of at most `cap` tokens, each as long
    as possible. Return the range of each text. An atom over `cap` stays alone.
    """

    def fits(first: int, last: int) -> bool:
        return ruler.measure(atoms[first].start, atoms[last - 1].end) <= cap

    ranges = fill(len(atoms), fits, _SHARES)
    return [(atoms[together.start].start, atoms[together.stop - 1].end) for together in ranges]
