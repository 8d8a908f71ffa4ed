"""What every other strategy is compared with: sentences, paragraphs, and stretches of a fixed size."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar

from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, groups_between
from docxchunk.chunking.stages.repeat import repeat_ends
from docxchunk.chunking.text.words import stretches, words_before
from docxchunk.chunking.unit_sequence import Grain, Strip
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields


class Counted(StrEnum):
    """What the size of a stretch is counted in."""

    TOKENS = "tokens"
    WORDS = "words"
    SENTENCES = "sentences"


USUAL_SIZE = {Counted.TOKENS: 200, Counted.WORDS: 100, Counted.SENTENCES: 6}


@dataclass(frozen=True, slots=True)
class Sentences:
    """A chunk for each sentence (the paper of PIC, 4.1)."""

    name: ClassVar[str] = "sentence"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services), Grain.SENTENCE)

    def rule(self, services: Services) -> Divide:  # noqa: ARG002 - as every strategy's
        return each_apart


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """A chunk for each paragraph, list item, heading and table (the paper of PIC, 4.1)."""

    name: ClassVar[str] = "paragraph"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, each_apart, Grain.LINE)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Stretches of a fixed size: tokens and words are cut between words, blind to what they say; sentences stay whole.

    `size` 0 is the usual one: 200 tokens, 100 words, 6 sentences; the cap holds in any case. `repeated` is how many of the same are shown again
    at the start of the next chunk, within the limits that every overlap has. `n_chunks` takes the place of the size, in sentences: a document of n has
    n // n_chunks in each chunk (Qu et al. 2024, appendix A), so that there may be more chunks than that; of one sentence, none is shown again.
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
            raise UsageError(f"n_chunks is {self.n_chunks}; it is a number of chunks, and needs by=sentences and no size.")
        if self.size < 0:
            raise UsageError(f"size is {self.size}; it must be 1 or more, or 0 for the usual one.")
        if self.repeated < 0 or (not self.n_chunks and self.repeated >= (self.size or USUAL_SIZE[self.by])):
            raise UsageError(f"repeated is {self.repeated}; it must be 0 or more, and less than the size.")

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        grain = Grain.SENTENCE if self.by is Counted.SENTENCES else Grain.WORD
        stages = dividing(services, partial(self._divided, services), grain)
        return (*stages, Stage("repeat_ends", partial(self._with_repeats, services, grain))) if self.repeated else stages

    def _with_repeats(self, services: Services, grain: Grain, pieces: list[Piece]) -> list[Piece]:
        if self.n_chunks and self._size(len(Strip(services, [span for piece in pieces for span in piece.spans], grain))) == 1:
            return pieces
        return repeat_ends(services, self._repeated, grain, pieces)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        if self.by is not Counted.TOKENS:
            step = self._step(len(strip))
            return groups_between(range(step, len(strip), step), len(strip))
        cuts, most = [0], min(self._step(len(strip)), services.least_cap)
        while cuts[-1] < len(strip):
            cuts.append(max(strip.furthest(cuts[-1], most), cuts[-1] + 1))
        return groups_between(cuts, len(strip))

    def _step(self, count: int) -> int:
        """How much is new in each chunk of a document that has so many units."""
        return max(1, self._size(count) - self.repeated)

    def _size(self, count: int) -> int:
        return max(1, count // self.n_chunks) if self.n_chunks else self.size or USUAL_SIZE[self.by]

    def _repeated(self, strip: Strip) -> int:
        """From which unit on the end of a stretch is shown again."""
        if self.by is not Counted.TOKENS:
            return max(0, len(strip) - self.repeated)
        first = len(strip)
        while first > 0 and strip.size(first - 1, len(strip)) <= self.repeated:
            first -= 1
        return first


@dataclass(frozen=True, slots=True)
class FixedSize:
    """Fixed-Size of the paper of PIC (4.2): stretches of at most `words` words that keep sentences whole; a longer sentence is a stretch of its own."""

    name: ClassVar[str] = "fixed-size"
    models: ClassVar[tuple[str, ...]] = ()

    words: int = 100

    def __post_init__(self) -> None:
        check_fields(self)
        if self.words < 1:
            raise UsageError(f"words is {self.words}; it is a number of words, 1 or more.")

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services))

    def rule(self, services: Services) -> Divide:  # noqa: ARG002 - as every strategy's
        """What divides a row of sentences: also the inside of P."""
        return self._divided

    def _divided(self, strip: Strip) -> Groups:
        before = words_before(strip.text(number) for number in range(len(strip)))
        return [list(stretch) for stretch in stretches(before, self.words)]


def each_apart(strip: Strip) -> Groups:
    return [[number] for number in range(len(strip))]
