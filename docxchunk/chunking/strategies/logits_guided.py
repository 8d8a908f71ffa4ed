"""LG: cut where a causal LM most likely ends the text (Liu et al. 2024, LGMGC, 3.1)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import first_maximum
from docxchunk.chunking.models import Wording
from docxchunk.chunking.pipeline import Cost, Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import (
    Divide,
    Groups,
    dividing_stages,
    groups_between,
    with_headings,
)
from docxchunk.chunking.text.words import window_end, word_windows, words_before
from docxchunk.chunking.units import UnitSequence
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import Endings

CONTINUE: Final = Wording("Continue writing the following text.", "请续写下面的文字。")


class Refill(StrEnum):
    """How the remainder of a window is extended."""

    # as published: concatenate the next segment of theta words, up to twice theta in total
    APPEND = "append"
    CAP = "cap"  # extend it to theta words again


@dataclass(frozen=True, slots=True)
class LG:
    """Logits-guided chunking: cut each window at the sentence end where the model most likely ends
    the text (the first one on a tie).

    The text after the cut starts the next window.

    - `theta`: the size of a window in words.
    - `refill`: "append" adds the next `theta` words to the remainder of a window, so that a window
      has up to twice as many; "cap" refills it to `theta` words.
    - `min_tail`: a remainder at the end of the text of less than this share of `theta` is the last
      chunk.
    - `glue_tail`: merge the last chunk into the one before it if both fit into the limit.
    - `instruction`: the text before each window in the prompt; empty: an instruction to continue
      the text.
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
            raise UsageError(
                f"min_tail is {self.min_tail}; it is a share of theta and must be from 0 to 1."
            )

    @property
    def costs(self) -> tuple[Cost, ...]:
        """A window is about twice as long as the chunk that is cut from it."""
        return (Cost("scorer", 2),)

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """Return the function that groups sentences; P uses it for `inner`."""
        return partial(self._divided, services)

    def _divided(self, services: Services, sequence: UnitSequence) -> Groups:
        before = words_before(sequence.text(number) for number in range(len(sequence)))
        stream = [stretch.stop for stretch in word_windows(before, self.theta)]
        cuts: list[int] = []
        first = last = 0
        while first < len(sequence) and before[-1] - before[first] >= self.min_tail * self.theta:
            last = self._end(before, stream, first, last)
            first += (
                1
                if last == first + 1
                else first_maximum(_endings(services, sequence, first, last, self.instruction)) + 1
            )
            cuts.append(first)
        if (
            self.glue_tail
            and cuts
            and sequence.size([0, *cuts][-2], len(sequence)) <= services.least_cap
        ):
            cuts.pop()
        return groups_between(
            with_headings(sequence, [cut for cut in cuts if cut < len(sequence)]), len(sequence)
        )

    def _end(self, before: Sequence[int], stream: Sequence[int], first: int, last: int) -> int:
        """Return the end of the window that starts at `first`; the previous window ended at
        `last`.
        """
        if self.refill == Refill.CAP:
            return window_end(before, first, self.theta)
        following = min(bisect_right(stream, last), len(stream) - 1)
        return max(first + 1, min(stream[following], window_end(before, first, 2 * self.theta)))


@dataclass(frozen=True, slots=True)
class LGDocument:
    """LG in a single pass, a variant that is not in the paper: each sentence end is scored with all
    the preceding text as context.

    - `theta`: each chunk ends at the likeliest sentence end within this many words.
    - `instruction`: the text before the document in the prompt; empty: an instruction to continue
      the text.
    """

    name: ClassVar[str] = "LG-doc"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    theta: int = 300
    instruction: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        _check(self.theta)

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """Return the function that groups sentences; P uses it for `inner`."""
        return partial(self._divided, services)

    def _divided(self, services: Services, sequence: UnitSequence) -> Groups:
        if len(sequence) < 2:
            return groups_between([], len(sequence))
        before = words_before(sequence.text(number) for number in range(len(sequence)))
        endings = _endings(services, sequence, 0, len(sequence), self.instruction)
        cuts = [0]
        while (last := window_end(before, cuts[-1], self.theta)) < len(sequence):
            cuts.append(cuts[-1] + first_maximum(endings[cuts[-1] : last]) + 1)
        return groups_between(with_headings(sequence, cuts), len(sequence))


def _check(theta: int) -> None:
    if theta < 1:
        raise UsageError(f"theta is {theta}; it must be 1 word or more.")


def _endings(
    services: Services, sequence: UnitSequence, first: int, last: int, instruction: str
) -> tuple[float, ...]:
    """Return the log-probability that the text ends after each of the units [first, last)."""
    text, ends = sequence.running_text(first, last)
    return services.scorer.score([Endings(text, ends, instruction or CONTINUE.for_text(text))])[0]
