"""PPL: cuts after sentences that a language model finds less surprising than their neighbours (Meta-Chunking, 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import exp
from typing import ClassVar, Final

from docxchunk.chunking.boundaries import Sides, minima
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, filling_up, groups_between, with_headings
from docxchunk.chunking.stages.repeat import last_unit, repeat_ends
from docxchunk.chunking.unit_sequence import Grain, Strip
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import EvictingLosses, Losses

_LEARN_AFTER: Final = 100  # minima
_LARGEST: Final = 700.0  # whose power of e is a number


class Score(StrEnum):
    """How surprising a sentence is."""

    NLL = "nll"  # mean negative log-likelihood of its tokens, in nats: what the paper's thresholds are of
    PPL = "ppl"  # the power of e of it


class Beyond(StrEnum):
    """What the model sees of a text that is longer than it reads at once."""

    REPEAT = "repeat"  # reading starts afresh with the end of what was read
    EVICT = "evict"  # the oldest of it is forgotten, as in the paper


_ASKED: Final = {Beyond.REPEAT: Losses, Beyond.EVICT: EvictingLosses}


@dataclass(frozen=True, slots=True)
class PPL:
    """Perplexity chunking: a sentence that is less surprising than both neighbours, on one of the sides (or `both`) by `threshold`, ends its chunk.

    `merge_to`: neighbours are merged up to that share of the cap. `overlap_ends` shows the last sentence of a chunk again at the start of the next, within
    the limits of overlap. `dynamic`: after 100 minima of a document the threshold is the least depth among them.
    Of a text that is longer than the model reads, `beyond` repeats the end of what was read, or evicts the oldest of it, as the paper does.
    The formula of the paper is sides=both, its words and the published code either. Unlike that code: no sentence is cut at 512 words or joined without
    its space, nothing is put between windows of a long text, and no threshold is carried from one document to the next.
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

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        stages = dividing(services, self.rule(services)) + filling_up(services, self.merge_to)
        return (*stages, Stage("repeat_ends", partial(repeat_ends, services, last_unit, Grain.SENTENCE))) if self.overlap_ends else stages

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        if len(strip) < 3:
            return groups_between([], len(strip))
        losses = services.scorer.score([_ASKED[self.beyond](*strip.running_text(0, len(strip)))])[0]
        scores = [exp(min(loss, _LARGEST)) for loss in losses] if self.score == Score.PPL else losses
        cuts = [i + 1 for i in minima(scores, self.threshold, self.sides, _LEARN_AFTER if self.dynamic else 0)]
        return groups_between(with_headings(strip, cuts), len(strip))
