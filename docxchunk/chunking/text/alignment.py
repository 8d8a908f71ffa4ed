"""Where a model's blocks of a text stand in that text."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple


class Alignment(NamedTuple):
    """`cuts` are numbers of units before which a block begins or ends; `damaged` words of the text stand in no block that is as it was."""

    cuts: list[int]
    damaged: int


def align(units: Sequence[Sequence[str]], blocks: Sequence[Sequence[str]]) -> Alignment:
    """Blocks, as words, found in units, as words. A block counts only where all its words stand in the text, one after the other.

    Blocks that begin or end inside a unit do so at the nearer end of it, of two equally near ones the first.
    """
    starts = list(accumulate(map(len, units), initial=0))
    places = _places([word for unit in units for word in unit], [word for block in blocks for word in block])
    cuts: set[int] = set()
    sound = at = 0
    for block in blocks:
        found, at = places[at : at + len(block)], at + len(block)
        if found and -1 not in found and found[-1] - found[0] == len(found) - 1:
            cuts |= {_nearest(starts, found[0]), _nearest(starts, found[-1] + 1)}
            sound += len(found)
    return Alignment(sorted(cuts - {0, len(units)}), starts[-1] - sound)


def _places(text: Sequence[str], answer: Sequence[str]) -> list[int]:
    """Where each word of the answer stands in the text; -1 where it does not."""
    places = [-1] * len(answer)
    for start, at, size in SequenceMatcher(None, text, answer, autojunk=False).get_matching_blocks():
        places[at : at + size] = range(start, start + size)
    return places


def _nearest(starts: Sequence[int], word: int) -> int:
    return min(range(len(starts)), key=lambda unit: abs(starts[unit] - word))
