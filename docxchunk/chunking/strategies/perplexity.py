"""PPL: cut after sentences at a local minimum of perplexity (Meta-Chunking, 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import exp
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import Sides, minima
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import (
    Divide,
    Groups,
    dividing_stages,
    fill_up_stages,
    groups_between,
    last_unit,
    repeat_ends,
    with_headings,
)
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import EvictingLosses, Losses

_LEARN_AFTER: Final = 100  # number of minima
_LARGEST: Final = 700.0  # exp() of a larger number overflows


class Score(StrEnum):
    """The score of a sentence."""

    # mean negative log-likelihood of its tokens, in nats; the thresholds of the paper refer to it
    NLL = "nll"
    PPL = "ppl"  # perplexity: exp(nll)


class Beyond(StrEnum):
    """How a text longer than the context window is read."""

    REPEAT = "repeat"  # start a new window, which repeats the end of the previous one
    EVICT = "evict"  # drop the oldest tokens, as in the paper


_ASKED: Final = {Beyond.REPEAT: Losses, Beyond.EVICT: EvictingLosses}


@dataclass(frozen=True, slots=True)
class PPL:
    """Perplexity chunking: a sentence whose score is a local minimum ends its chunk.

    - `score`: "nll", the mean negative log-likelihood of the tokens of a sentence in nats, or
      "ppl", its exponential.
    - `threshold`: the minimum depth of a minimum, in units of the score.
    - `sides`: whether the depth must be reached on "either" side of the minimum (the text of the
      paper and the published code) or on "both" (its formula).
    - `dynamic`: after 100 minima in a document, use the smallest depth among them as the threshold.
    - `merge_to`: merge neighbouring chunks up to this share of the limit; 0 does not merge.
    - `overlap_ends`: repeat the last sentence of a chunk at the start of the next, within the usual
      limits of the overlap.
    - `beyond`: for a text longer than the context window: "repeat" starts a new window with the end
      of the previous one, "evict" drops the oldest tokens, as in the paper.

    Differences from the published code: no sentence is cut at 512 words or joined without a space,
    nothing is inserted between the windows of a long text, and no threshold is carried over to the
    next document.
    """

    name: ClassVar[str] = "PPL"
    models: ClassVar[tuple[str, ...]] = ("scorer",)

    score: Score = Score.NLL
    threshold: float = 0.0
    sides: Sides = Sides.EITHER
    dynamic: bool = False
    merge_to: float = 1.0
    overlap_ends: bool = False
    beyond: Beyond = Beyond.REPEAT

    def __post_init__(self) -> None:
        check_fields(self)

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        stages = dividing_stages(services, self.rule(services)) + fill_up_stages(
            services, self.merge_to
        )
        return (
            (
                *stages,
                Stage("repeat_ends", partial(repeat_ends, services, last_unit, UnitType.SENTENCE)),
            )
            if self.overlap_ends
            else stages
        )

    def rule(self, services: Services) -> Divide:
        """Return the function that groups sentences; P uses it for `inner`."""
        return partial(self._divided, services)

    def _divided(self, services: Services, sequence: UnitSequence) -> Groups:
        if len(sequence) < 3:
            return groups_between([], len(sequence))
        losses = services.scorer.score(
            [_ASKED[self.beyond](*sequence.running_text(0, len(sequence)))]
        )[0]
        scores = (
            [exp(min(loss, _LARGEST)) for loss in losses] if self.score == Score.PPL else losses
        )
        cuts = [
            i + 1
            for i in minima(scores, self.threshold, self.sides, _LEARN_AFTER if self.dynamic else 0)
        ]
        return groups_between(with_headings(sequence, cuts), len(sequence))
