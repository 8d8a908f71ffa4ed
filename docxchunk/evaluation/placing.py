"""Locate the text of an answer in a document: verbatim, by letters and digits only, or by ROUGE-L."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from docxchunk.evaluation.metrics import common_subsequence, rouge_words
from docxchunk.evaluation.passages import SourceText
from docxchunk.evaluation.sentences import sentences
from docxchunk.evaluation.spans import Span


def place(source: SourceText, gold: str | Span) -> Span | None:
    """Return the span of the first occurrence of a gold text, or a range without surrounding white space; None if there is none.

    A text that does not occur verbatim is searched by its letters and digits: text copied from Word has no tags (`<sup>`), no note marks (`[^1]`), other
    white space, and cells without quotes.
    """
    if isinstance(gold, str):
        wanted = gold.strip()
        start = source.text.find(wanted) if wanted else -1
        return (start, start + len(wanted)) if start >= 0 else _by_letters(source.text, wanted)
    start, end = gold
    text = source.text[start:end]
    if not 0 <= start < end <= len(source.text) or not text.strip():
        return None
    return start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())


# -- letters and digits alone

_UNSPACED: Final = r"\u3040-\u30ff\u3400-\u9fff"
_NAME: Final = "table|thead|tbody|tr|td|th|br|equation|drawing|sup|sub|del"
_RUN: Final = re.compile(rf"</?(?:{_NAME})\b[^<>]*>|\[\^[^\]\s]+\]|\\[nrt]|&(?:amp|lt);|([^\W_]+)")
_INSIDE: Final = re.compile(rf"[^\W_{_UNSPACED}]")  # a letter of a script with spaces between words


class _Letters(NamedTuple):
    """The letters and digits of a text. Run i of them starts at `starts[i]` in `text`, and at `places[i]` in the original."""

    text: str
    starts: Sequence[int]
    places: Sequence[int]

    def place(self, at: int) -> int:
        """Return the position of letter number `at` in the original text."""
        run = bisect_right(self.starts, at) - 1
        return self.places[run] + at - self.starts[run]


def _letters(text: str) -> _Letters:
    runs = [(match[1], match.start()) for match in _RUN.finditer(text) if match[1]]
    starts: list[int] = []
    total = 0
    for run, _ in runs:
        starts.append(total)
        total += len(run)
    return _Letters("".join(run for run, _ in runs), starts, [start for _, start in runs])


_letters_of_source = lru_cache(maxsize=256)(_letters)


def _by_letters(text: str, gold: str) -> Span | None:
    wanted = _letters(gold).text
    there = _letters_of_source(text)
    at = there.text.find(wanted) if wanted else -1
    while at >= 0:
        start, end = there.place(at), there.place(at + len(wanted) - 1) + 1
        if not (_is_inside(text, start) or _is_inside(text, end)):
            tail = gold[gold.rindex(wanted[-1]) + 1 :]  # trailing punctuation
            return start, end + len(tail) if text.startswith(tail, end) else end
        at = there.text.find(wanted, at + 1)
    return None


def _is_inside(text: str, place: int) -> bool:
    """Return whether the position is inside a word."""
    return 0 < place < len(text) and bool(_INSIDE.match(text[place - 1]) and _INSIDE.match(text[place]))


# -- ROUGE-L

LEAST: Final = 0.5  # minimum share of the evidence's words
_FEWEST: Final = 4  # minimum number of common words
_TRIED: Final = 40  # candidate sentences


class _Indexed(NamedTuple):
    """The sentences of a text, their words, and word -> numbers of the sentences that contain it."""

    spans: Sequence[Span]
    words: Sequence[Sequence[str]]
    holders: Mapping[str, Sequence[int]]


@lru_cache(maxsize=256)
def _indexed(text: str) -> _Indexed:
    spans = [*sentences(text)]
    words = [rouge_words(text[start:end]) for start, end in spans]
    holders: dict[str, list[int]] = {}
    for number, each in enumerate(words):
        for word in {*each}:
            holders.setdefault(word, []).append(number)
    return _Indexed(spans, words, holders)


def nearest(source: SourceText, evidence: str) -> Span | None:
    """Return the span of consecutive sentences with the highest ROUGE-L F1 for evidence that does not occur verbatim.

    LGMGC ("Passage Segmentation of Documents for Extractive Question Answering", section 4) assigns such evidence to the chunk with the highest ROUGE score;
    sentences give the same gold span for every chunker. None if less than half of the words occur in order.
    """
    wanted = rouge_words(evidence)
    there = _indexed(source.text)
    votes = Counter(number for word in sorted({*wanted}) for number in there.holders.get(word, ()))
    most = sum(1 for _ in sentences(evidence)) + 1
    tried = dict.fromkeys(window for number, _ in votes.most_common(_TRIED) for window in _windows(number, most, len(there.spans)))
    best, score = None, 0.0
    for first, last in sorted(tried):
        words = [word for each in there.words[first:last] for word in each]
        common = common_subsequence(wanted, words)
        f1 = 2 * common / (len(wanted) + len(words))
        if common >= max(LEAST * len(wanted), _FEWEST) and f1 > score:
            best, score = (there.spans[first][0], there.spans[last - 1][1]), f1
    return best


def _windows(number: int, most: int, total: int) -> Iterator[tuple[int, int]]:
    """Yield all ranges of up to `most` sentences that contain sentence `number`."""
    for first in range(max(number - most + 1, 0), number + 1):
        for last in range(number + 1, min(first + most, total) + 1):
            yield first, last
