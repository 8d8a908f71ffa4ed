"""Tune the requested size of a chunker to a mean chunk size, to compare chunkers at equal sizes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from docxchunk.evaluation.chunkers import PassageChunker
from docxchunk.evaluation.passages import Passage, SourceText

TOLERANCE: Final = 0.05
_TRIES: Final = 16
_SMALLEST, _LARGEST = 32, 1_000_000


class Sized(NamedTuple):
    """Passages, the requested size, and the CPU seconds."""

    max_tokens: int
    passages: list[Passage]
    seconds: float = 0.0

    @property
    def mean(self) -> float:
        return sum(passage.tokens for passage in self.passages) / max(len(self.passages), 1)


def cut_all(chunker: PassageChunker, sources: Sequence[SourceText], max_tokens: int) -> Sized:
    """Return the passages of all sources at one requested size."""
    start = time.process_time()
    passages = [passage for number, source in enumerate(sources) for passage in chunker(number, source, max_tokens)]
    return Sized(max_tokens, passages, time.process_time() - start)


def tuned(chunker: PassageChunker, sources: Sequence[SourceText], mean: int) -> Sized:
    """Search for the requested size whose mean chunk size is nearest to `mean`, to within one percent.

    The search also ends if doubling the size gives the same chunks. Some chunkers cannot reach the mean (short documents, ignored sizes): check
    `Sized.mean`.
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
