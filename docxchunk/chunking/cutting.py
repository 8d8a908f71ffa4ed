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
from docxchunk.content.tables import Range
from docxchunk.content.tags import is_inside, outermost
from docxchunk.language.patterns import pattern
from docxchunk.language.sentences import CLOSING, STOPS, WIDE_STOPS

_CLOSING = rf"{CLOSING}*+(?:\[\^[^\]\s]{{1,12}}\]){{0,20}}+"  # quotes, brackets, note marks
# The pattern starts with a single character set because `re` searches for one quickly. Lookbehinds
# then select the alternative for the character, and refuse the inside of a run of dots, which would
# otherwise be read to its end from each dot.
_END = pattern(
    rf"[{STOPS}{WIDE_STOPS}](?:(?<=[{STOPS}])(?<![{STOPS}]{{2}})[{STOPS}]*+{_CLOSING}(?=\s)"
    rf"|(?<=[{WIDE_STOPS}])[{WIDE_STOPS}]*+{_CLOSING})"
)
_BEFORE_LAST_WORD = re.compile(r".*[\s(\[“\"']", re.DOTALL)
_LABEL = re.compile(r"\s*(?:§+\s*)?[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlIVXL]{1,6})\.")
_REACH: Final = 24  # characters; no abbreviation is longer
_ASIDE: Final = 60  # characters before and after a place in brackets
_APART: Final = re.compile(r"[(\n]")  # not inside such brackets
_LONG: Final = 7  # letters; no abbreviation and no label has as many

# Abbreviations that are followed by another word: "Dr. Who", "e.g. this".
_LEADING: Final = frozenset(
    "mr mrs ms dr prof rev hon sr sra st mt gen capt lt sgt gov sen rep messrs mme mlle "
    "cf e.g i.e viz v vs approx ca resp incl excl dept univ exh sched gem "
    "bzw vgl z.b d.h s.o s.u ggf evtl inkl exkl zzgl sog insb bspw bzgl".split()
)
# Abbreviations that are followed by a number: "Fig. 3", "Sec. IV", "No. A-130", "Exh. B". A letter
# is no number after a single one: "p. B".
_NUMBERED: Final = frozenset(
    "fig figs no nos nr eq eqs sec secs art arts cl para paras ch "
    "chap vol vols ed pp p tab ref refs app ann bd abs max min "
    "reg regs ex stat div jan feb mar apr aug sep sept oct nov dec "
    "s az ziff rn rz kap abb anl anm lit aufl tel l r n núm núms pág págs cap ст п рис стр".split()
)
_NUMBER: Final = re.compile(
    r"\s+(?:§|[(\[]?(?:\d|[IVXLC]+\b|[A-Z]{1,4}(?:\d|[-/]\w)))"
    r"|(?<=\w\w\.)\s+(?:[(\[]?(?:[B-Z]\b|A\b(?!\s+[a-z]))|\([A-Z]{2}\))"
)
# Abbreviations that may end a sentence: it ends if an uppercase letter follows.
_TRAILING: Final = frozenset(
    "etc al inc ltd co corp plc llc gmbh bros jr esq a.m p.m ph.d usw т.д т.п".split()
)
# Abbreviations inside names, as "U.S." and "J. R." are: "Fed. R. Bankr. P. 2015", "5 Mio. Euro".
# A sentence ends after them only if the next word is a usual first word.
_NAMES: Final = frozenset(
    "fed bankr evid civ crim supp cir dist ct intl symp trans softw engr ff mio mrd tsd".split()
)
_INITIALS: Final = re.compile(r"[^\W\d_](?:\.[^\W\d_])*")
_SPACED_INITIALS: Final = re.compile(r"(?:(?<![^\s(\[“\"'])[^\W\d_]\.\s{1,9}){1,9}[^\W\d_]\Z")
_INITIAL: Final = re.compile(r"\s+[^\W\d_]\.")
_FIRST_WORD: Final = re.compile(r"\s+[\"'“‘„«(\[]*([^\W\d_]+)(?![\w.-])")
_FIRST_WORDS: Final = frozenset(
    "a about according after all also although an and another any are as at based because "
    "before both but by can consequently did do does during each either every except failure "
    "finally first for from furthermore generally he hence her here his how however if in "
    "instead is it its many may more moreover most must neither no none nor not note nothing "
    "now of on once one only or other otherwise our please see she should similarly since so "
    "some such that the their then there therefore these they this those though thus to unless "
    "until upon was we were what when where whereas whether which while who why will with "
    "within without would you your "
    "aber als am auch auf aus bei beim da das dem den der des die dies diese dieser dieses "
    "durch ein eine einer er es für hier ihr im ist jede jeder kein man mit nach sie sind sofern "
    "soweit über und unter vom von wenn werden wer wir wird zu zum zur "
    "ce cette elle il ils les los las".split()
)
# after the day in German: "3. Mai"
_MONTH: Final = re.compile(
    r"\s+(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November"
    r"|Dezember)\b"
)


def sentences(text: str, start: int, end: int, whole: Sequence[Range] = ()) -> list[Range]:
    """Return the ranges of the sentences in `text[start:end]`, without surrounding whitespace.

    No sentence ends inside a range of `whole`; these are ordered and do not overlap.
    """
    ends = sentence_ends(text, start, end)
    if whole:
        ends = [cut for cut in ends if not is_inside(cut, whole)]
    ranges = [trimmed(text, a, b) for a, b in pairwise((start, *ends, end))]
    return [sentence for sentence in ranges if sentence[0] < sentence[1]]


def sentence_ends(text: str, start: int, end: int) -> list[int]:
    """Return the sentence ends in (start, end), except after abbreviations, initials and list
    labels, and before lowercase text.
    """
    ends: list[int] = []
    for mark in _END.finditer(text, start, end):
        first, last = mark.span()
        if last < end and (
            text[first] not in ".!?" or _ends_sentence(text, (start, end), first, last)
        ):
            ends.append(last)
    return ends


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range without leading and trailing whitespace."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _ends_sentence(text: str, within: Range, first: int, last: int) -> bool:
    """Return whether the punctuation `text[first:last]` ends a sentence, judged by the text around
    it within a range.
    """
    start, end = within
    following = text[last : last + _REACH].lstrip()[:1]
    if following.islower():
        return False
    is_long = first - start >= _LONG and text[first - _LONG : first].isalpha()
    if text[first:last] == "." and not is_long:
        if first - start <= _REACH and _LABEL.fullmatch(text, start, last):
            return False
        word = _last_word(text[max(start, first - _REACH) : first])
        if not _ends_after(word, following, text, last, end):
            return False
    return not _is_in_brackets(text, within, last)


def _ends_after(word: str, following: str, text: str, at: int, end: int) -> bool:
    """Return whether a full stop after a word ends a sentence, judged by the word and by
    `text[at:end]`, which follows, with `following` as the first character after blanks.
    """
    lowered = word.lower()
    if (
        lowered in _LEADING
        or (lowered in _NUMBERED and _NUMBER.match(text, at, end))
        or (len(word) <= 2 and word.isdecimal() and _MONTH.match(text, at, end))
    ):
        return False
    if lowered in _TRAILING:
        return following.isupper()
    if len(word) == 1 and (word.islower() or not following.isupper()):
        return not _INITIAL.match(text, at, end)
    is_name = lowered in _NAMES or _INITIALS.fullmatch(word)
    return not is_name or _starts_sentence(text, at, end)


def _is_in_brackets(text: str, within: Range, at: int) -> bool:
    """Return whether `at` is inside brackets that open and close near it, within a range."""
    start, end = within
    opening = text.rfind("(", max(start, at - _ASIDE), at)
    if opening < 0 or text.find(")", opening, at) >= 0:
        return False
    closing = text.find(")", at, min(end, at + _ASIDE))
    return closing >= 0 and not _APART.search(text, opening + 1, closing)


def _last_word(text: str) -> str:
    """Return the text after the last blank or opening quote or bracket. Initials with blanks
    between them are one word: "z.B" is that of "so, z. B".
    """
    if text[-2:-1].isspace() and (initials := _SPACED_INITIALS.search(text)):
        return "".join(initials[0].split())
    opening = _BEFORE_LAST_WORD.match(text)
    return text[opening.end() :] if opening else text


def _starts_sentence(text: str, start: int, end: int) -> bool:
    """Return whether the first word of `text[start:end]` is usual at the beginning of sentences."""
    word = _FIRST_WORD.match(text, start, end)
    return word is not None and word[1][0].isupper() and word[1].lower() in _FIRST_WORDS


# -- to a maximum size


class TextAtom(NamedTuple):
    """Characters [start, end) that fit into a chunk, and the price of a cut before them."""

    start: int
    end: int
    price: Price


# from the best cuts to the worst
_PRICES: Final = (PARAGRAPH, SENTENCE, CLAUSE, SPACE, GRAPHEME, CODE_POINT)
_PATTERNS: Final[Mapping[Price, re.Pattern[str]]] = {
    PARAGRAPH: re.compile(r"\n\s*"),
    CLAUSE: re.compile(r"[，；：、]+|[,;:](?=\s)|\s[–—-](?=\s)"),
    SPACE: re.compile(r"\s+"),
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
    whole: Sequence[Range] = ()

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
            whole = self.whole[first:last]
            cuts = [edge for edges in whole for edge in edges if start < edge < end]
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
    here, before = text[at], text[at - 1]
    if here in _JOINERS or before == "\u200d" or unicodedata.category(here).startswith("M"):
        return False
    if _is_flag(here):
        run = at
        while run > at - _FLAGS and run and _is_flag(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 0
    return not ("\u1160" <= here <= "\u11ff" and "\u1100" <= before <= "\u11ff")


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
