"""What every other strategy is compared with: sentences, paragraphs, and stretches of a fixed size."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar

from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, groups_between
from docxchunk.chunking.stages.repeat import repeat_ends
from docxchunk.chunking.strip import Grain, Strip
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
    """A chunk for each sentence (seed 001)."""

    name: ClassVar[str] = "sentence"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services), Grain.SENTENCE)

    def rule(self, services: Services) -> Divide:  # noqa: ARG002 - as every strategy's
        return each_apart


@dataclass(frozen=True, slots=True)
class Paragraphs:
    """A chunk for each paragraph, list item, heading and table (seed 001)."""

    name: ClassVar[str] = "paragraph"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, each_apart, Grain.LINE)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Stretches of a fixed size (seeds 001 and 004): tokens and words are cut between words, blind to what they say; sentences stay whole.

    `size` 0 is the usual one: 200 tokens, 100 words, 6 sentences; the cap holds in any case. `repeated` is how many of the same are shown again
    at the start of the next chunk, within the limits that every overlap has.
    """

    name: ClassVar[str] = "fixed"
    models: ClassVar[tuple[str, ...]] = ()

    by: Counted = Counted.TOKENS
    size: int = 0
    repeated: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.size < 0:
            raise UsageError(f"size is {self.size}; it must be 1 or more, or 0 for the usual one.")
        if not 0 <= self.repeated < (self.size or USUAL_SIZE[self.by]):
            raise UsageError(f"repeated is {self.repeated}; it must be 0 or more, and less than the size.")

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        grain = Grain.SENTENCE if self.by is Counted.SENTENCES else Grain.WORD
        stages = dividing(services, partial(self._divided, services), grain)
        return (*stages, Stage("repeat_ends", partial(repeat_ends, services, self._repeated, grain))) if self.repeated else stages

    def _divided(self, services: Services, strip: Strip) -> Groups:
        size = self.size or USUAL_SIZE[self.by]
        step = size - self.repeated
        if self.by is not Counted.TOKENS:
            return groups_between(range(step, len(strip), step), len(strip))
        cuts, most = [0], min(step, services.least_cap)
        while cuts[-1] < len(strip):
            cuts.append(max(strip.furthest(cuts[-1], most), cuts[-1] + 1))
        return groups_between(cuts, len(strip))

    def _repeated(self, strip: Strip) -> int:
        """From which unit on the end of a stretch is shown again."""
        if self.by is not Counted.TOKENS:
            return max(0, len(strip) - self.repeated)
        first = len(strip)
        while first > 0 and strip.size(first - 1, len(strip)) <= self.repeated:
            first -= 1
        return first


def each_apart(strip: Strip) -> Groups:
    return [[number] for number in range(len(strip))]
