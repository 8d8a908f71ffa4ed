"""Where sentences end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import Range, is_inside

STOPS: Final = ".!?"
"""Signs that end a sentence before white space, for a character class of a regular expression."""
WIDE_STOPS: Final = "。！？；…।॥۔؟"
"""Signs that end a sentence anywhere, for a character class."""
CLOSING: Final = r"""["'”’»)\]」』）】]"""
"""A sign that belongs to the sentence before it: a quote or a bracket, as a character class."""

SENTENCE_END: Final = pattern(
    rf"[{WIDE_STOPS}]+{CLOSING}*|(?<![{STOPS}])[{STOPS}]++{CLOSING}*+(?=\s)|\n+"
)
"""The end of a sentence or of a line."""

BREAK: Final = pattern(rf"(?<=[{STOPS};:])\s+|(?<=[{WIDE_STOPS}：])\s*")
"""What is between two sentences, or two clauses of one."""

ENDS: Final = (*STOPS, *WIDE_STOPS, ";")
"""The last character of a sentence, or of a clause of one."""

PAUSES: Final = (*ENDS, ",", "，", "、")
"""The last character of a line that is no title."""


_CLOSING = rf"{CLOSING}*+(?:\[\^[^\]\s]{{1,12}}\]){{0,20}}+"  # quotes, brackets, note marks
# The pattern starts with a single character set because `re` searches for one quickly. Lookbehinds
# then select the alternative for the character, and refuse the inside of a run of dots, which would
# otherwise be read to its end from each dot.
_END = pattern(
    rf"[{STOPS}{WIDE_STOPS}](?:(?<=[{STOPS}])(?<![{STOPS}]{{2}})[{STOPS}]*+{_CLOSING}(?=\s)"
    rf"|(?<=[{WIDE_STOPS}])[{WIDE_STOPS}]*+{_CLOSING})"
)
_BEFORE_LAST_WORD = pattern(r".*[\s(\[“\"']", re.DOTALL)
_LABEL = pattern(r"\s*(?:§+\s*)?[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlIVXL]{1,6})\.")
_REACH: Final = 24  # characters; no abbreviation is longer
_ASIDE: Final = 60  # characters before and after a place in brackets
_APART: Final = pattern(r"[(\n]")  # not inside such brackets
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
_NUMBER: Final = pattern(
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
_INITIALS: Final = pattern(r"[^\W\d_](?:\.[^\W\d_])*")
_SPACED_INITIALS: Final = pattern(r"(?:(?<![^\s(\[“\"'])[^\W\d_]\.\s{1,9}){1,9}[^\W\d_]\Z")
_INITIAL: Final = pattern(r"\s+[^\W\d_]\.")
_FIRST_WORD: Final = pattern(r"\s+[\"'“‘„«(\[]*([^\W\d_]+)(?![\w.-])")
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
_MONTH: Final = pattern(
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
