"""Windows of words, as papers count them, for the prompts of language models, and the places of the
words of an answer in the text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from docxchunk.chunking.tokens import fill


def window_end(before: Sequence[int], first: int, max_words: float) -> int:
    """Return the end of the longest window that begins with text `first` and has at most
    `max_words` words. It has at least one text. `before`: see `words_before`.
    """
    return max(first + 1, bisect_right(before, before[first] + max_words) - 1)


def word_windows(before: Sequence[int], max_words: float) -> list[range]:
    """Divide texts into consecutive windows of at most `max_words` words, filled from the start.
    `before`: see `words_before`.
    """
    return fill(len(before) - 1, lambda first, last: before[last] - before[first] <= max_words)


def align(units: Sequence[Sequence[str]], blocks: Sequence[Sequence[str]]) -> tuple[list[int], int]:
    """Align blocks with units, both given as lists of words. Return the units before which a block
    starts or ends, and the number of words of the text that no block repeats exactly. A block
    counts only if its words follow one another in the text.

    A block boundary inside a unit is moved to the nearer end of the unit, on a tie to its start.
    """
    starts = list(accumulate(map(len, units), initial=0))
    numbers = _numbers_in(
        [word for unit in units for word in unit], [word for block in blocks for word in block]
    )
    cuts: set[int] = set()
    sound = at = 0
    for block in blocks:
        positions, at = numbers[at : at + len(block)], at + len(block)
        if positions and -1 not in positions and positions[-1] - positions[0] == len(positions) - 1:
            cuts |= {_nearest(starts, positions[0]), _nearest(starts, positions[-1] + 1)}
            sound += len(positions)
    return sorted(cuts - {0, len(units)}), starts[-1] - sound


def _numbers_in(text: Sequence[str], answer: Sequence[str]) -> list[int]:
    """Return, for each word of the answer, the index of the same word in the text, or -1."""
    numbers = [-1] * len(answer)
    for start, at, size in SequenceMatcher(
        None, text, answer, autojunk=False
    ).get_matching_blocks():
        numbers[at : at + size] = range(start, start + size)
    return numbers


def _nearest(starts: Sequence[int], word: int) -> int:
    return min(range(len(starts)), key=lambda unit: abs(starts[unit] - word))
