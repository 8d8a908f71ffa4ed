"""Cut text to a maximum size at the best places, from lines down to code points
(docs/design/chunking.md, R).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.chunking.text.sentences import sentence_ends, trimmed
from docxchunk.chunking.text.tokens import Ruler
from docxchunk.markup.spans import is_inside, outermost
from docxchunk.markup.tables import Range


class Break(IntEnum):
    """The quality of a place to cut, from worst to best."""

    CODE_POINT = 0
    GRAPHEME = 1
    SPACE = 2
    CLAUSE = 3
    SENTENCE = 4
    LINE = 5
    PARAGRAPH = 6
    NEVER = 7  # above all others; only for comparisons


class TextAtom(NamedTuple):
    """Characters [start, end) that fit into a chunk, and the quality of a cut after them."""

    start: int
    end: int
    after: Break


_BREAKS: Final[Mapping[Break, re.Pattern[str]]] = {
    Break.LINE: re.compile(r"\n\s*"),
    Break.CLAUSE: re.compile(r"[，；：、]+|[,;:](?=\s)|\s[–—-](?=\s)"),
    Break.SPACE: re.compile(r"\s+"),
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


def whole_ranges(ruler: Ruler, tags: Iterable[Range], most: int) -> list[Range]:
    """Return the ranges that must not be cut: those of `tags` of at most `most` tokens. Overlapping
    ranges are merged first.
    """
    return [(start, end) for start, end in outermost(tags) if ruler.measure(start, end) <= most]


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts parts of one text into atoms of at most `cap` tokens. The ranges of `whole` are never
    cut, whatever their size.
    """

    ruler: Ruler
    cap: int
    whole: Sequence[Range] = ()

    def atoms(self, start: int, end: int, after: Break = Break.LINE) -> list[TextAtom]:
        """Cut text [start, end) into atoms that fit, at line breaks if these suffice, else at ever
        weaker breaks.

        `after` is stored as the quality of a cut after the last atom.
        """
        return list(self._split(start, end, Break.LINE, after))

    def _split(self, start: int, end: int, level: Break, after: Break) -> Iterator[TextAtom]:
        start, end = trimmed(self.ruler.text, start, end)
        if start == end:
            return
        tokens = self.ruler.measure(start, end)
        if tokens <= self.cap or end - start == 1 or self._is_whole(start, end):
            yield TextAtom(start, end, after)
            return
        run = max(self.cap, _SHARES * min(_LEAST, self.cap)) if level < Break.SPACE else self.cap
        places = self._places(start, end, max(1, (end - start) * run // (_SHARES * tokens)), level)
        if not places and level == Break.CODE_POINT:
            yield TextAtom(start, end, after)
            return
        self.ruler.refine(start, end, places)
        finer = level if level == Break.CODE_POINT else Break(level - 1)
        for a, b in pairwise([start, *places, end]):
            yield from self._split(a, b, finer, after if b == end else level)

    def _is_whole(self, start: int, end: int) -> bool:
        at = bisect_left(self.whole, (start, end))
        return at < len(self.whole) and self.whole[at] == (start, end)

    def _places(self, start: int, end: int, step: int, level: Break) -> list[int]:
        """Return the places inside (start, end) to cut at. At word level and below they are at
        least `step` characters apart.
        """
        if level > Break.SPACE:
            text = self.ruler.text
            found = (
                sentence_ends(text, start, end)
                if level is Break.SENTENCE
                else [match.end() for match in _BREAKS[level].finditer(text, start, end)]
            )
            return [place for place in found if place < end and not is_inside(place, self.whole)]
        kept = (
            self.whole[
                max(bisect_left(self.whole, (start, -1)) - 1, 0) : bisect_left(
                    self.whole, (end, -1)
                )
            ]
            if level < Break.SPACE
            else ()
        )
        places = [edge for each in kept for edge in each if start < edge < end]
        at = start + step
        while at < end:
            place = self._next(at, end, level)
            if place >= end:
                break
            if not is_inside(place, self.whole):
                places.append(place)
                at = place + step
            else:
                at = place + 1
        return sorted({*places})

    def _next(self, at: int, end: int, level: Break) -> int:
        """Return the first place from `at` on where the text can be cut at this level."""
        if level == Break.SPACE:
            found = _BREAKS[level].search(self.ruler.text, at, end)
            return found.end() if found else end
        while level == Break.GRAPHEME and at < end and not is_grapheme_start(self.ruler.text, at):
            at += 1
        return at


def is_grapheme_start(text: str, at: int) -> bool:
    """Return whether a cut at `at` keeps grapheme clusters whole (a subset of the rules of Unicode
    Standard Annex 29).
    """
    if not 0 < at < len(text):
        return True
    here, before = text[at], text[at - 1]
    if here in _JOINERS or before == "\u200d" or unicodedata.category(here).startswith("M"):
        return False
    if _is_flag(here) and _is_flag(before):
        run = at
        while run > at - _FLAGS and run and _is_flag(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 0
    return not ("\u1160" <= here <= "\u11ff" and "\u1100" <= before <= "\u11ff")


def word_start(text: str, at: int, end: int) -> int:
    """Return the next start of a word within 40 characters from `at`, else the next start of a
    grapheme cluster.
    """
    for place in range(at, min(at + 40, end)):
        if text[place - 1].isspace() and not text[place].isspace():
            return place
    while at < end and not is_grapheme_start(text, at):
        at += 1
    return at


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def fill(ruler: Ruler, atoms: list[TextAtom], cap: int) -> list[Range]:
    """Merge consecutive atoms into ranges of at most `cap` tokens."""
    found: list[Range] = []
    for atom in atoms:
        if found and ruler.measure(found[-1][0], atom.end) <= cap:
            found[-1] = (found[-1][0], atom.end)
        else:
            found.append((atom.start, atom.end))
    return found
