"""R: text cut to exact sizes at the best places there are (seed 002, 1.2 and 8.3): paragraphs, lines, sentences, clauses, words, graphemes, code points."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.chunking.breaks import Break
from docxchunk.chunking.tokens import Ruler
from docxchunk.markup.spans import inline_tags


class Atom(NamedTuple):
    """Characters [start, end) that fit into a chunk, and what it would mean to cut after them."""

    start: int
    end: int
    after: Break


_BREAKS: Final[Mapping[Break, re.Pattern[str]]] = {
    Break.LINE: re.compile(r"\n\s*"),
    Break.SENTENCE: re.compile(r"""[。！？；…]+["'”’」』）)\]]*|[.!?]+["'”’)\]]*(?=\s)"""),
    Break.CLAUSE: re.compile(r"[，；：、]+|[,;:](?=\s)|\s[–—-](?=\s)"),
    Break.SPACE: re.compile(r"\s+"),
}
_JOINERS: Final = {"\u200d", "\ufe0e", "\ufe0f", "\u20e3", "\U0001f3fb", "\U0001f3fc", "\U0001f3fd", "\U0001f3fe", "\U0001f3ff"}
_SHARES: Final = 8  # words are cut into runs of about an eighth of the cap: fine enough to fill a chunk, coarse enough to count


class Cutter:
    """Cuts parts of one text. `keep` are ranges that stay whole where they fit: labels, for instance; inline tags are kept without asking."""

    def __init__(self, ruler: Ruler, keep: list[tuple[int, int]] | None = None) -> None:
        self._ruler = ruler
        self._text = ruler.text
        self._keep = keep or []

    def atoms(self, start: int, end: int, cap: int, after: Break, keep_cap: int | None = None) -> list[Atom]:
        """Text [start, end) as runs of at most `cap` tokens each, cut no finer than that takes. Ranges to keep of up to `keep_cap` tokens stay whole."""
        most = keep_cap or cap
        whole = [*((a + start, b + start) for a, b in inline_tags(self._text[start:end])), *self._keep]
        fitting = [r for r in _outermost(whole) if start <= r[0] and r[1] <= end and self._ruler.measure(*r) <= most]
        return list(self._split(start, end, cap, Break.LINE, after, fitting))

    def _split(self, start: int, end: int, cap: int, level: Break, after: Break, whole: list[tuple[int, int]]) -> Iterator[Atom]:
        start, end = trimmed(self._text, start, end)
        if start == end:
            return
        tokens = self._ruler.measure(start, end)
        if tokens <= cap or end - start == 1 or (start, end) in whole:
            yield Atom(start, end, after)
            return
        places = self._places(start, end, max(1, (end - start) * cap // (_SHARES * tokens)), level, whole)
        finer = level if level == Break.CODE_POINT else Break(level - 1)
        if not places and level == Break.CODE_POINT:
            yield Atom(start, end, after)
            return
        self._ruler.refine(start, end, places)
        for a, b in pairwise([start, *places, end]):
            yield from self._split(a, b, cap, finer, after if b == end else level, whole)

    def _places(self, start: int, end: int, step: int, level: Break, whole: list[tuple[int, int]]) -> list[int]:
        """Places inside (start, end) to cut at; those of words and finer at least `step` characters apart."""
        if level > Break.SPACE:
            found = [match.end() for match in _BREAKS[level].finditer(self._text, start, end)]
            return [place for place in found if place < end and not _is_inside(place, whole)]
        places = [edge for kept in whole for edge in kept if start < edge < end] if level < Break.SPACE else []
        at = start + step
        while at < end:
            place = self._next(at, end, level)
            if place >= end:
                break
            if not _is_inside(place, whole):
                places.append(place)
                at = place + step
            else:
                at = place + 1
        return sorted({*places})

    def _next(self, at: int, end: int, level: Break) -> int:
        """The first place from `at` on where the text can be cut at this level."""
        if level == Break.SPACE:
            found = _BREAKS[level].search(self._text, at, end)
            return found.end() if found else end
        while level == Break.GRAPHEME and at < end and not is_grapheme_start(self._text, at):
            at += 1
        return at


def is_grapheme_start(text: str, at: int) -> bool:
    """Can the text be cut here without parting what a reader sees as one character? (Unicode Standard Annex 29, the rules that matter.)"""
    if not 0 < at < len(text):
        return True
    here, before = text[at], text[at - 1]
    if here in _JOINERS or before == "\u200d" or unicodedata.category(here).startswith("M"):
        return False
    if _is_flag(here) and _is_flag(before):
        run = at
        while run and _is_flag(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 0
    return not ("\u1160" <= here <= "\u11ff" and "\u1100" <= before <= "\u11ff")


def word_start(text: str, at: int, end: int) -> int:
    """The first place from `at` on, within a few words, where a word begins; where there are no words, where a character does."""
    for place in range(at, min(at + 40, end)):
        if text[place - 1].isspace() and not text[place].isspace():
            return place
    while at < end and not is_grapheme_start(text, at):
        at += 1
    return at


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _outermost(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _is_inside(place: int, whole: list[tuple[int, int]]) -> bool:
    at = bisect_right(whole, (place, -1)) - 1
    return at >= 0 and whole[at][0] < place < whole[at][1]


def fill(ruler: Ruler, atoms: list[Atom], cap: int) -> list[tuple[int, int]]:
    """Atoms put together as long as they fit."""
    found: list[tuple[int, int]] = []
    for atom in atoms:
        if found and ruler.measure(found[-1][0], atom.end) <= cap:
            found[-1] = (found[-1][0], atom.end)
        else:
            found.append((atom.start, atom.end))
    return found
