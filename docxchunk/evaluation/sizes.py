"""Chunkers are compared at equal sizes: what they are asked for is changed until their chunks come out alike."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from docxchunk.evaluation.chunkers import Chunker
from docxchunk.evaluation.passages import Passage, Source

TOLERANCE: Final = 0.05
_TRIES: Final = 16
_SMALLEST, _LARGEST = 32, 1_000_000


class Sized(NamedTuple):
    """Passages, the size that was asked for to have them, and the seconds of this process that it took."""

    max_tokens: int
    passages: list[Passage]
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        return sum(passage.tokens for passage in self.passages) / max(len(self.passages), 1)


def cut_all(chunker: Chunker, sources: Sequence[Source], max_tokens: int) -> Sized:
    """The passages of all sources, asked for at one size."""
    start = time.process_time()
    passages = [passage for number, source in enumerate(sources) for passage in chunker(number, source, max_tokens)]
    return Sized(max_tokens, passages, time.process_time() - start)


def tuned(chunker: Chunker, sources: Sequence[Source], mean: int) -> Sized:
    """The passages whose mean size is nearest to `mean` of those tried; the search ends within a hundredth of it.

    It ends as well where twice the size and more gave the same chunks. Some chunkers cannot come near (short documents, sizes that are ignored): who compares
    looks at `Sized.mean`.
    """
    low, high = _SMALLEST, _LARGEST
    ask = max(_SMALLEST, mean * 5 // 4)
    best = cut_all(chunker, sources, ask)
    found = best
    for _ in range(_TRIES):
        if abs(best.mean - mean) <= mean / 100 or high - low <= 1:
            break
        low, high = (ask, high) if found.mean < mean else (low, ask)
        guess = round(ask * mean / found.mean) if found.mean else high
        middle = (low + min(high, low * 4)) // 2
        before, tried = found, ask
        ask = guess if low < guess < high else middle
        found = cut_all(chunker, sources, ask)
        if ask >= 2 * tried and found.passages == before.passages:
            break
        if abs(found.mean - mean) < abs(best.mean - mean):
            best = found
    return best
