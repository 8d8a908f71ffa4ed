"""Count words as the papers do: in Chinese and Japanese, each character is a word."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

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
    """Split texts into consecutive windows of at most `most` words, filled from the start.
    `before`: see `words_before`.
    """
    found: list[range] = []
    first = 0
    while first < len(before) - 1:
        found.append(range(first, window_end(before, first, most)))
        first = found[-1].stop
    return found
