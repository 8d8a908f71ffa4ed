"""Baseline strategies: one chunk per sentence or paragraph, and chunks of a fixed size."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar

from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing_stages, groups_between
from docxchunk.chunking.stages.repeat import repeat_ends
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.text.words import word_windows, words_before
from docxchunk.chunking.unit_sequence import UnitSequence, UnitType
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields


class Counted(StrEnum):
    """The unit of the size of a chunk."""

    TOKENS = "tokens"
    WORDS = "words"
    SENTENCES = "sentences"


DEFAULT_SIZE = {Counted.TOKENS: 200, Counted.WORDS: 100, Counted.SENTENCES: 6}


@dataclass(frozen=True, slots=True)
class Sentences:
    """One chunk per sentence (the paper of PIC, 4.1)."""

    name: ClassVar[str] = "sentence"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, self.rule(services), UnitType.SENTENCE)

    def rule(self, services: Services) -> Divide:  # noqa: ARG002 - the protocol of strategies has it
        return one_unit_each


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """One chunk per paragraph, list item, heading and table (the paper of PIC, 4.1)."""

    name: ClassVar[str] = "paragraph"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, one_unit_each, UnitType.LINE)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Chunks of a fixed size in tokens, words or sentences. Tokens and words are cut between any
    two words; sentences stay whole.

    - `by`: the unit of `size` and `repeated`: "tokens", "words" or "sentences".
    - `size`: the size of a chunk; 0: 200 tokens, 100 words or 6 sentences. No chunk is over the
      limit.
    - `repeated`: how much is repeated at the start of the next chunk, within the usual limits of
      the overlap.
    - `n_chunks`: with by=sentences: put n // `n_chunks` of the n sentences of a document into each
      chunk, instead of `size` (Qu et al. 2024, appendix A). There may be more chunks than
      `n_chunks`. Chunks of one sentence have no overlap.
    """

    name: ClassVar[str] = "fixed"
    models: ClassVar[tuple[str, ...]] = ()

    by: Counted = Counted.TOKENS
    size: int = 0
    repeated: int = 0
    n_chunks: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.n_chunks < 0 or (self.n_chunks and (self.by is not Counted.SENTENCES or self.size)):
            raise UsageError(
                f"n_chunks is {self.n_chunks}; it must be 0 or more, and needs "
                "by=sentences and no size."
            )
        if self.size < 0:
            raise UsageError(f"size is {self.size}; it must be 1 or more, or 0 for the default.")
        if self.repeated < 0 or (
            not self.n_chunks and self.repeated >= (self.size or DEFAULT_SIZE[self.by])
        ):
            raise UsageError(
                f"repeated is {self.repeated}; it must be 0 or more, and less than the size."
            )

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        unit_type = UnitType.SENTENCE if self.by is Counted.SENTENCES else UnitType.WORD
        stages = dividing_stages(services, partial(self._divided, services), unit_type)
        return (
            (*stages, Stage("repeat_ends", partial(self._with_repeats, services, unit_type)))
            if self.repeated
            else stages
        )

    def _with_repeats(
        self, services: Services, unit_type: UnitType, pieces: list[Piece]
    ) -> list[Piece]:
        if (
            self.n_chunks
            and self._size(
                len(
                    UnitSequence(
                        services, [span for piece in pieces for span in piece.spans], unit_type
                    )
                )
            )
            == 1
        ):
            return pieces
        return repeat_ends(services, self._repeated, unit_type, pieces)

    def _divided(self, services: Services, sequence: UnitSequence) -> Groups:
        if self.by is not Counted.TOKENS:
            step = self._step(len(sequence))
            return groups_between(range(step, len(sequence), step), len(sequence))
        cuts, most = [0], min(self._step(len(sequence)), services.least_cap)
        while cuts[-1] < len(sequence):
            cuts.append(max(sequence.furthest(cuts[-1], most), cuts[-1] + 1))
        return groups_between(cuts, len(sequence))

    def _step(self, count: int) -> int:
        """Return how many units each chunk adds, for a document of `count` units."""
        return max(1, self._size(count) - self.repeated)

    def _size(self, count: int) -> int:
        return (
            max(1, count // self.n_chunks) if self.n_chunks else self.size or DEFAULT_SIZE[self.by]
        )

    def _repeated(self, sequence: UnitSequence) -> int:
        """Return the first of the last units that are repeated in the next chunk."""
        if self.by is not Counted.TOKENS:
            return max(0, len(sequence) - self.repeated)
        first = len(sequence)
        while first > 0 and sequence.size(first - 1, len(sequence)) <= self.repeated:
            first -= 1
        return first


@dataclass(frozen=True, slots=True)
class FixedSize:
    """Fixed-Size of the paper of PIC (4.2): whole sentences of at most `words` words in total; a
    longer sentence is a chunk of its own.
    """

    name: ClassVar[str] = "fixed-size"
    models: ClassVar[tuple[str, ...]] = ()

    words: int = 100

    def __post_init__(self) -> None:
        check_fields(self)
        if self.words < 1:
            raise UsageError(f"words is {self.words}; it must be 1 or more.")

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, self.rule(services))

    def rule(self, services: Services) -> Divide:  # noqa: ARG002 - the protocol of strategies has it
        """Return the function that groups sentences; P uses it for `inner`."""
        return self._divided

    def _divided(self, sequence: UnitSequence) -> Groups:
        before = words_before(sequence.text(number) for number in range(len(sequence)))
        return [list(stretch) for stretch in word_windows(before, self.words)]


def one_unit_each(sequence: UnitSequence) -> Groups:
    return [[number] for number in range(len(sequence))]
