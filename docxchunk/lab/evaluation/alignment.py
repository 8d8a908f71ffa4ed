"""Align the text that another program reads from a Word file with the text of docxchunk, word by
word. So the places of its chunks in the document are known.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from docxchunk.lab.evaluation.passages import MARKUP, UNSPACED, CorpusSpan, ShownSpan, SourceText
from docxchunk.model.sequences import matches

_WORD: Final = re.compile(rf"{MARKUP}|([{UNSPACED}]|[^\W_{UNSPACED}]+)")


class _PlacedWords(NamedTuple):
    words: Sequence[str]
    spans: Sequence[CorpusSpan]


def _words(text: str) -> _PlacedWords:
    matches = [match for match in _WORD.finditer(text) if match[1]]
    return _PlacedWords(
        [match[1].lower() for match in matches], [match.span() for match in matches]
    )


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
            for a, b, size in matches(theirs.words, ours.words)
            for i, j in zip(range(a, a + size), range(b, b + size), strict=True)
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
