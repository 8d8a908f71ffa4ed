"""LG: cuts where a language model would rather stop than go on (Liu et al. 2024, LGMGC, 3.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import first_maximum
from docxchunk.chunking.pipeline import Cost, Stage
from docxchunk.chunking.prompts import Wording
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, groups_between, with_headings
from docxchunk.chunking.strip import Strip
from docxchunk.chunking.words import furthest, stretches, words_before
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import Endings

CONTINUE: Final = Wording("Continue writing the following text.", "请续写下面的文字。")


class Refill(StrEnum):
    """What comes to the rest of a window."""

    APPEND = "append"  # fixed-size, then concatenate, as published: the next stretch of theta words; at most twice theta in all
    CAP = "cap"  # as much as makes it theta words again


@dataclass(frozen=True, slots=True)
class LG:
    """Logits-guided chunking: of each window of `theta` words, what stands before the sentence end at which the model most likely ends the text.

    What is left of a window is concatenated with the next stretch of `theta` words (`refill`), so that a window has up to twice as many.
    The first of equally likely ends is taken. What follows it opens the next window; a rest of less than `min_tail` of theta is the last chunk or, with
    `glue_tail`, goes with the one before it where both fit. `instruction` is read before each window; without one, a line that asks to continue the text.
    """

    name: ClassVar[str] = "LG"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    theta: int = 300
    refill: Refill = Refill.APPEND
    min_tail: float = 0.25
    glue_tail: bool = False
    instruction: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        _check(self.theta)
        if not 0 <= self.min_tail <= 1:
            raise UsageError(f"min_tail is {self.min_tail}; it is a share of theta, from 0 to 1.")

    @property
    def costs(self) -> tuple[Cost, ...]:
        """A window is about twice what is cut off it."""
        return (Cost("scorer", 2),)

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        before = words_before(strip.text(number) for number in range(len(strip)))
        stream = [stretch.stop for stretch in stretches(before, self.theta)]
        cuts: list[int] = []
        first = last = 0
        while first < len(strip) and before[-1] - before[first] >= self.min_tail * self.theta:
            last = self._end(before, stream, first, last)
            first += 1 if last == first + 1 else first_maximum(_endings(services, strip, first, last, self.instruction)) + 1
            cuts.append(first)
        if self.glue_tail and cuts and strip.size([0, *cuts][-2], len(strip)) <= services.least_cap:
            cuts.pop()
        return groups_between(with_headings(strip, [cut for cut in cuts if cut < len(strip)]), len(strip))

    def _end(self, before: Sequence[int], stream: Sequence[int], first: int, last: int) -> int:
        """Where the window from `first` on ends; the one before ended at `last`."""
        if self.refill == Refill.CAP:
            return furthest(before, first, self.theta)
        following = min(bisect_right(stream, last), len(stream) - 1)
        return max(first + 1, min(stream[following], furthest(before, first, 2 * self.theta)))


@dataclass(frozen=True, slots=True)
class LGDocument:
    """Not of the paper: as LG, but each sentence end is judged after all of the text before it, in one pass over the document.

    Of each `theta` words, what stands before the likeliest end.
    """

    name: ClassVar[str] = "LG-doc"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    theta: int = 300
    instruction: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        _check(self.theta)

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        if len(strip) < 2:
            return groups_between([], len(strip))
        before = words_before(strip.text(number) for number in range(len(strip)))
        endings = _endings(services, strip, 0, len(strip), self.instruction)
        cuts = [0]
        while (last := furthest(before, cuts[-1], self.theta)) < len(strip):
            cuts.append(cuts[-1] + first_maximum(endings[cuts[-1] : last]) + 1)
        return groups_between(with_headings(strip, cuts), len(strip))


def _check(theta: int) -> None:
    if theta < 1:
        raise UsageError(f"theta is {theta}; it is a number of words, 1 or more.")


def _endings(services: Services, strip: Strip, first: int, last: int, instruction: str) -> tuple[float, ...]:
    """How likely the text ends after each of the units [first, last)."""
    text, ends = strip.running_text(first, last)
    return services.scorer.score([Endings(text, ends, instruction or CONTINUE.for_text(text))])[0]
