"""Lengths in words, as the papers give them: in scripts that put no space between words, every character is one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

_SOLID = r"\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60"  # Chinese and Japanese, with their punctuation
_WORD = re.compile(rf"[{_SOLID}]|[^\s{_SOLID}]+")


def words(text: str) -> list[str]:
    return _WORD.findall(text)


def words_before(texts: Iterable[str]) -> list[int]:
    """How many words stand before each text, and, last, in all."""
    return list(accumulate((len(words(text)) for text in texts), initial=0))


def window_end(before: Sequence[int], first: int, most: float) -> int:
    """Where the longest stretch from `first` on ends that has at most so many words; it has at least one text."""
    return max(first + 1, bisect_right(before, before[first] + most) - 1)


def word_windows(before: Sequence[int], most: float) -> list[range]:
    """Texts in stretches of at most so many words, each as long as it can be."""
    found: list[range] = []
    first = 0
    while first < len(before) - 1:
        found.append(range(first, window_end(before, first, most)))
        first = found[-1].stop
    return found
