"""Pack whole sentences to a size, like LlamaIndex's SentenceSplitter (Llama_index in Meta-Chunking,
appendix A.2).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final

from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing_stages, groups_between
from docxchunk.chunking.stages.repeat import repeat_ends
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.unit_sequence import UnitSequence, UnitType
from docxchunk.errors import MissingExtraError, UsageError
from docxchunk.model.fields import check_fields
from docxchunk.registry import missing_extra

_LEAST: Final = 16  # tokens; the library fails below this


class Engine(StrEnum):
    """The implementation that finds and packs the sentences."""

    OWN = "own"  # docxchunk, with the same result on every machine
    LIBRARY = "library"  # llama-index-core, with the sentences of NLTK


@dataclass(frozen=True, slots=True)
class LlamaIndex:
    """Add sentences to a chunk while their token counts, each counted separately, sum to at most
    `size`.

    - `size`: the maximum size of a chunk in tokens. The default of the library is 1024;
      Meta-Chunking uses 154 to 330, to match the size of other chunkers.
    - `repeated`: repeat up to this many tokens of whole sentences at the start of the next chunk,
      within the usual limits of the overlap. The default of the library is 200.
    - `engine`: "own" is built in, and leaves a sentence over `size` whole; "library" calls
      llama-index-core (extra `llamaindex`), which splits it.
    """

    name: ClassVar[str] = "llama-index"
    models: ClassVar[tuple[str, ...]] = ()

    size: int = 1024
    repeated: int = 0
    engine: Engine = Engine.OWN

    def __post_init__(self) -> None:
        check_fields(self)
        if self.size < _LEAST or not 0 <= self.repeated < self.size:
            raise UsageError(
                f"size is {self.size} and repeated {self.repeated}; size must be {_LEAST} "
                "tokens or more, and repeated 0 or more and less than size."
            )

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        unit_type = UnitType.WORD if self.engine == Engine.LIBRARY else UnitType.SENTENCE
        stages = dividing_stages(services, self.rule(services), unit_type)
        if not self.repeated:
            return stages
        return (
            *stages,
            Stage("repeat_ends", partial(repeat_ends, services, self._repeated, UnitType.SENTENCE)),
        )

    def rule(self, services: Services) -> Divide:
        """Return the function that groups units; P uses it for `inner`."""
        return partial(
            self._by_library if self.engine == Engine.LIBRARY else self._by_sentences, services
        )

    def _by_sentences(self, services: Services, sequence: UnitSequence) -> Groups:
        sizes = [sequence.size(number, number + 1) for number in range(len(sequence))]
        return groups_between(packed(sizes, min(self.size, services.least_cap)), len(sequence))

    def _by_library(self, services: Services, sequence: UnitSequence) -> Groups:
        if not len(sequence):
            return []
        text, ends = sequence.running_text(0, len(sequence))
        return groups_between(
            library_cuts(text, ends, min(self.size, services.least_cap), services.meter.count),
            len(sequence),
        )

    def _repeated(self, sequence: UnitSequence) -> int:
        """Return the first of the last sentences that are repeated in the next chunk."""
        first, left = len(sequence), self.repeated
        while first > 0 and (left := left - sequence.size(first - 1, first)) >= 0:
            first -= 1
        return first


def packed(sizes: Sequence[int], most: int) -> list[int]:
    """Return the cuts before the units whose size would bring the current group over `most`."""
    cuts: list[int] = []
    total = 0
    for number, size in enumerate(sizes):
        if number and total + size > most:
            cuts.append(number)
            total = 0
        total += size
    return cuts


def library_cuts(
    text: str, ends: Sequence[int], size: int, count: Callable[[str], int]
) -> list[int]:
    """Return the cuts before the units in which the library starts its chunks; `ends` are the ends
    of the units in `text`. Raise MissingExtraError.
    """
    try:
        from llama_index.core.node_parser import SentenceSplitter
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            missing_extra("engine=library", "llama-index-core", "llamaindex")
        ) from error
    splitter = SentenceSplitter(
        chunk_size=size, chunk_overlap=0, tokenizer=lambda part: range(count(part))
    )
    try:
        chunks = splitter.split_text(text)
    except ValueError as error:  # a single character has more tokens than the size
        raise UsageError(
            f"LlamaIndex cannot split this text into chunks of {size} tokens ({error})."
        ) from error
    starts, at = [], 0
    for chunk in chunks:
        at = text.index(chunk, at)
        starts.append(at)
        at += len(chunk)
    cuts = [bisect_right(ends, start) for start in starts[1:]]
    return [cut for before, cut in pairwise([0, *cuts]) if cut > before]
