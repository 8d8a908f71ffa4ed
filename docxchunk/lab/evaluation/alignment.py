"""Align the text that another program reads from a Word file with the text of docxchunk, word by
word. So the places of its chunks in the document are known.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

from docxchunk.lab.evaluation.passages import MARKUP, UNSPACED, ShownSpan, SourceText, Span
from docxchunk.model.sequences import longest_rise

_WORD: Final = re.compile(rf"{MARKUP}|([{UNSPACED}]|[^\W_{UNSPACED}]+)")
_LENGTHS: Final = (8, 4, 2, 1)  # words of an anchor: a sequence that occurs once in each text
_MAX_PAIRS: Final = 250_000  # pairs of words between two anchors that are compared


class _Words(NamedTuple):
    words: Sequence[str]
    spans: Sequence[Span]


def _words(text: str) -> _Words:
    matches = [match for match in _WORD.finditer(text) if match[1]]
    return _Words([match[1].lower() for match in matches], [match.span() for match in matches])


_words_of_source = lru_cache(maxsize=256)(_words)


class _SharedWord(NamedTuple):
    """The word `text[start:end]`, which the document has, too. In the corpus, it is somewhere
    between `first`, the end of the shared word before it, and `last`, the start of the shared word
    after it.
    """

    start: int
    end: int
    first: int
    last: int


class Alignment:
    """The words that a text shares with a document, in the same order."""

    def __init__(self, text: str, source: SourceText) -> None:
        theirs, ours = _words(text), _words_of_source(source.text)
        ends = [0, *(end for _, end in ours.spans)]
        starts = [*(start for start, _ in ours.spans), len(source.text)]
        self._shared = [
            _SharedWord(*theirs.spans[i], source.offset + ends[j], source.offset + starts[j + 1])
            for i, j in shared_words(theirs.words, ours.words)
        ]
        self._starts = [word.start for word in self._shared]
        self._offset = source.offset

    def shown(self, start: int, end: int) -> tuple[ShownSpan, ...]:
        """Return the spans of the document that a range of the text shows."""
        spans: list[ShownSpan] = []
        at = start
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        for word in self._shared[first:last]:
            if word.end > end:
                break
            begin = word.first
            if spans and spans[-1].start < spans[-1].end >= begin:
                length, begin, _ = spans.pop()
                at -= length
            elif word.start > at:
                spans.append(ShownSpan(word.start - at, begin, begin))
                at = word.start
            spans.append(ShownSpan(word.end - at, begin, word.last))
            at = word.end
        if at < end:
            position = spans[-1].end if spans else self._offset
            spans.append(ShownSpan(end - at, position, position))
        return tuple(spans)


class _Gap(NamedTuple):
    """Words of both texts that are not aligned yet: [left, left_end) and [right, right_end)."""

    left: int
    left_end: int
    right: int
    right_end: int
    lengths: Sequence[int]  # of the anchors to try


def shared_words(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the indices of equal words in both texts, as pairs (left, right) in ascending order.

    The texts are divided at anchors: sequences of words that occur once in each text. Each part is
    divided again, if necessary at shorter anchors. In parts without anchors, `difflib` finds the
    equal words. Parts that are too long for this are left out, to keep the time linear.
    """
    gaps = [_Gap(0, len(left), 0, len(right), _LENGTHS)]  # the next one is the last
    while gaps:
        i, left_end, j, right_end, lengths = gaps.pop()
        while i < left_end and j < right_end and left[i] == right[j]:
            yield i, j
            i, j = i + 1, j + 1
        if i == left_end or j == right_end:
            continue
        if lengths:
            gaps += reversed(_divided(left, right, _Gap(i, left_end, j, right_end, lengths)))
        elif (left_end - i) * (right_end - j) <= _MAX_PAIRS:
            matcher = SequenceMatcher(None, left[i:left_end], right[j:right_end], autojunk=False)
            for a, b, size in matcher.get_matching_blocks():
                yield from zip(range(i + a, i + a + size), range(j + b, j + b + size), strict=True)


def _divided(left: Sequence[str], right: Sequence[str], gap: _Gap) -> list[_Gap]:
    """Return the parts of a gap. All but the first begin with an anchor. A gap without anchors is
    one part, in which only shorter anchors will be tried.
    """
    i, left_end, j, right_end, lengths = gap
    anchors = _anchors(left[i:left_end], right[j:right_end], lengths[0])
    starts = [(i, j), *((i + a, j + b) for a, b in anchors)]
    ends = [*starts[1:], (left_end, right_end)]
    others = lengths if anchors else lengths[1:]
    return [
        _Gap(start[0], end[0], start[1], end[1], others)
        for start, end in zip(starts, ends, strict=True)
    ]


def _anchors(left: Sequence[str], right: Sequence[str], length: int) -> list[tuple[int, int]]:
    """Return pairs of word indices, ascending in both texts. At each pair begins a sequence of
    `length` words that occurs once in each text. The longest such series of pairs is returned.
    """
    in_right = _once(right, length)
    pairs = {in_right[words]: i for words, i in _once(left, length).items() if words in in_right}
    return [(pairs[j], j) for j in longest_rise(pairs)]


def _once(words: Sequence[str], length: int) -> Mapping[tuple[str, ...], int]:
    """Return, for each sequence of words that occurs once, the index of its first word."""
    sequences = [*zip(*(words[start:] for start in range(length)), strict=False)]
    counts = Counter(sequences)
    return {sequence: i for i, sequence in enumerate(sequences) if counts[sequence] == 1}
