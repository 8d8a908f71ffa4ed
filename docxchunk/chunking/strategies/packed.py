"""Whole sentences packed to a size, as LlamaIndex's SentenceSplitter packs them (Llama_index of Meta-Chunking, appendix A.2)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, groups_between
from docxchunk.chunking.stages.repeat import repeat_ends
from docxchunk.chunking.unit_sequence import Grain, Strip
from docxchunk.errors import MissingExtraError, UsageError
from docxchunk.model.fields import check_fields
from docxchunk.registry import missing_extra

_LEAST: Final = 16  # tokens: the library cannot pack less


class Engine(StrEnum):
    """Who finds and packs the sentences."""

    OWN = "own"  # docxchunk: the same chunks wherever they are made
    LIBRARY = "library"  # llama-index-core, whose sentences are those of NLTK


@dataclass(frozen=True, slots=True)
class LlamaIndex:
    """Sentences are added to a chunk as long as their tokens, each counted alone, come to at most `size`; a longer one is a chunk (the library cuts it).

    `repeated`: as many whole sentences as come to so many tokens are shown again in the next chunk, within the limits of every overlap. The library's own
    numbers are 1024 and 200; Meta-Chunking set 154 to 330, so that chunks come out as long as those of the others.
    """

    name: ClassVar[str] = "llama-index"
    models: ClassVar[tuple[str, ...]] = ()

    size: int = 1024
    repeated: int = 0
    engine: Engine = Engine.OWN

    def __post_init__(self) -> None:
        check_fields(self)
        if self.size < _LEAST or not 0 <= self.repeated < self.size:
            raise UsageError(f"size is {self.size} and repeated {self.repeated}; size is {_LEAST} tokens or more, and repeated less than it.")

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        grain = Grain.WORD if self.engine == Engine.LIBRARY else Grain.SENTENCE
        stages = dividing(services, self.rule(services), grain)
        if not self.repeated:
            return stages
        return (*stages, Stage("repeat_ends", partial(repeat_ends, services, self._repeated, Grain.SENTENCE)))

    def rule(self, services: Services) -> Divide:
        """What divides a row of units: also the inside of P."""
        return partial(self._by_library if self.engine == Engine.LIBRARY else self._by_sentences, services)

    def _by_sentences(self, services: Services, strip: Strip) -> Groups:
        sizes = [strip.size(number, number + 1) for number in range(len(strip))]
        return groups_between(packed(sizes, min(self.size, services.least_cap)), len(strip))

    def _by_library(self, services: Services, strip: Strip) -> Groups:
        if not len(strip):
            return []
        text, ends = strip.running_text(0, len(strip))
        return groups_between(library_cuts(text, ends, min(self.size, services.least_cap), services.meter.count), len(strip))

    def _repeated(self, strip: Strip) -> int:
        """From which sentence on the end of a chunk is shown again."""
        first, left = len(strip), self.repeated
        while first > 0 and (left := left - strip.size(first - 1, first)) >= 0:
            first -= 1
        return first


def packed(sizes: Sequence[int], most: int) -> list[int]:
    """Cuts before the units that do not fit to those before them, back to the last cut."""
    cuts: list[int] = []
    total = 0
    for number, size in enumerate(sizes):
        if number and total + size > most:
            cuts.append(number)
            total = 0
        total += size
    return cuts


def library_cuts(text: str, ends: Sequence[int], size: int, count: Callable[[str], int]) -> list[int]:
    """Cuts where the library begins its chunks: before the units of the text, which end at `ends`, that hold these places. Raises MissingExtraError."""
    try:
        from llama_index.core.node_parser import SentenceSplitter
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra("engine=library", "llama-index-core", "llamaindex")) from error
    splitter = SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=lambda part: range(count(part)))
    try:
        chunks = splitter.split_text(text)
    except ValueError as error:  # of one character that has more tokens than the size
        raise UsageError(f"LlamaIndex cannot pack this text to {size} tokens ({error}).") from error
    starts, at = [], 0
    for chunk in chunks:
        at = text.index(chunk, at)
        starts.append(at)
        at += len(chunk)
    cuts = [bisect_right(ends, start) for start in starts[1:]]
    return [cut for before, cut in pairwise([0, *cuts]) if cut > before]
