"""Divide text into sentences, in scripts with and without spaces between them, and into words as
papers count them; find the words that a model returned in the original text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from docxchunk.chunking.tokens import fill
from docxchunk.markup.tables import Range
from docxchunk.markup.tags import is_inside

_CLOSING = r"""["'”’»)\]」』）】]*+(?:\[\^[^\]\s]{1,12}\])*+"""  # quotes, brackets, note marks
_STOPS = "。！？；…।॥۔؟"
# The pattern starts with a single character set because `re` searches for one quickly. Lookbehinds
# then select the alternative for the character, and refuse the inside of a run of dots, which would
# otherwise be read to its end from each dot.
_END = re.compile(
    rf"[.!?{_STOPS}](?:(?<=[.!?])(?<![.!?]{{2}})[.!?]*+{_CLOSING}(?=\s)"
    rf"|(?<=[{_STOPS}])[{_STOPS}]*+{_CLOSING})"
)
_BEFORE_LAST_WORD = re.compile(r".*[\s(\[“\"']", re.DOTALL)
_LABEL = re.compile(r"\s*(?:§+\s*)?[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlIVXL]{1,6})\.\Z")
_REACH: Final = 24  # characters; no abbreviation is longer
_LONG: Final = 7  # letters; no abbreviation and no label has as many

# Abbreviations that are followed by another word: "Dr. Who", "e.g. this".
_LEADING: Final = frozenset(
    "mr mrs ms dr prof rev hon sr st mt gen capt lt sgt gov sen messrs mme mlle "
    "cf e.g i.e viz vs approx ca resp incl excl dept univ bzw vgl z.b d.h s.o s.u".split()
)
# Abbreviations that are followed by a number: "Fig. 3", "Sec. IV".
_NUMBERED: Final = frozenset(
    "fig figs no nos nr eq eqs sec secs art arts cl para paras ch "
    "chap vol vols ed pp p tab ref refs app ann v bd abs max min".split()
)
_NUMBER: Final = re.compile(r"\s+[(\[]?(?:\d|[IVXLC]+\b)")
# Abbreviations that may end a sentence: it ends if an uppercase letter follows.
_TRAILING: Final = frozenset(
    "etc al inc ltd co corp plc llc gmbh bros jr esq a.m p.m u.s u.k "
    "e.u u.n d.c ph.d b.c a.d usw".split()
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
        if last < end and (text[first] not in ".!?" or _ends_sentence(text, start, first, last)):
            ends.append(last)
    return ends


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range without leading and trailing whitespace."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _ends_sentence(text: str, start: int, first: int, last: int) -> bool:
    """Return whether the punctuation `text[first:last]` ends a sentence, judged by the text around
    it.
    """
    following = text[last + 1 : last + 2]
    if not following or following.isspace():  # more than one space
        following = text[last : last + _REACH].lstrip()[:1]
    if following.islower():
        return False
    if text[first:last] != "." or (
        first - start >= _LONG and text[first - _LONG : first].isalpha()
    ):
        return True
    before = text[max(start, first - _REACH) : first]
    opening = _BEFORE_LAST_WORD.match(before)
    word = before[opening.end() :] if opening else before
    lowered = word.lower()
    if lowered in _LEADING or (len(word) == 1 and word.isupper() and following.isupper()):
        return False
    if lowered in _NUMBERED:
        return not _NUMBER.match(text, last)
    if lowered in _TRAILING:
        return following.isupper()
    return not (first - start <= _REACH and _LABEL.fullmatch(text, start, last))


# Chinese and Japanese, with their punctuation
_SOLID = r"\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60"
_WORD = re.compile(rf"[{_SOLID}]|[^\s{_SOLID}]+")


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return _WORD.findall(text)


def words_before(texts: Iterable[str]) -> list[int]:
    """Return the number of words before each text, then the total: n + 1 numbers for n texts."""
    return list(accumulate((len(words(text)) for text in texts), initial=0))


def window_end(before: Sequence[int], first: int, most: float) -> int:
    """Return the end of the longest window from `first` on of at most `most` words, and at least
    one text. `before`: see `words_before`.
    """
    return max(first + 1, bisect_right(before, before[first] + most) - 1)


def word_windows(before: Sequence[int], most: float) -> list[range]:
    """Divide texts into consecutive windows of at most `most` words, filled from the start.
    `before`: see `words_before`.
    """
    return fill(len(before) - 1, lambda first, last: before[last] - before[first] <= most)


class Alignment(NamedTuple):
    """`cuts` are the units before which a block starts or ends; `damaged` is the number of words of
    the text that are in no exact block.
    """

    cuts: list[int]
    damaged: int


def align(units: Sequence[Sequence[str]], blocks: Sequence[Sequence[str]]) -> Alignment:
    """Align blocks with units, both given as lists of words. Only a block whose words are
    contiguous in the text counts.

    A block boundary inside a unit is moved to the nearer end of the unit, on a tie to its start.
    """
    starts = list(accumulate(map(len, units), initial=0))
    numbers = _numbers_in(
        [word for unit in units for word in unit], [word for block in blocks for word in block]
    )
    cuts: set[int] = set()
    sound = at = 0
    for block in blocks:
        own, at = numbers[at : at + len(block)], at + len(block)
        if own and -1 not in own and own[-1] - own[0] == len(own) - 1:
            cuts |= {_nearest(starts, own[0]), _nearest(starts, own[-1] + 1)}
            sound += len(own)
    return Alignment(sorted(cuts - {0, len(units)}), starts[-1] - sound)


def _numbers_in(text: Sequence[str], answer: Sequence[str]) -> list[int]:
    """Return for each word of the answer the number of the same word in the text; -1 if it has
    none.
    """
    numbers = [-1] * len(answer)
    for start, at, size in SequenceMatcher(
        None, text, answer, autojunk=False
    ).get_matching_blocks():
        numbers[at : at + size] = range(start, start + size)
    return numbers


def _nearest(starts: Sequence[int], word: int) -> int:
    return min(range(len(starts)), key=lambda unit: abs(starts[unit] - word))
