"""V: cuts where the meaning of neighbouring sentences jumps (seed 002, 1.3; LangChain's SemanticChunker)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from docxchunk.chunking.boundaries import USUAL_AMOUNT, Scores, Threshold, breakpoints, distances, far_enough, percentile_for
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, filling_up, groups_between, with_headings
from docxchunk.chunking.strip import Strip
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields


@dataclass(frozen=True, slots=True)
class V:
    """Semantic chunking: windows of sentences are embedded, and gaps whose distance stands out are cut. What is over the cap is cut as R would.

    `buffer` is how many sentences on each side a window holds besides its own; `amount` 0 is the usual one of the threshold.
    `n_chunks` takes the place of the threshold: about so many chunks a document. A cut is passed over where fewer than `min_characters` would stand before it.
    `merge_to`: neighbours are merged up to that share of the cap.
    """

    name: ClassVar[str] = "V"
    models: ClassVar[tuple[str, ...]] = ("embedder",)

    threshold: Threshold = Threshold.PERCENTILE
    amount: float = 0.0
    buffer: int = 1
    n_chunks: int = 0
    min_characters: int = 0
    merge_to: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        if min(self.buffer, self.n_chunks, self.min_characters) < 0:
            raise UsageError("buffer, n_chunks and min_characters are 0 or more.")

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services)) + filling_up(services, self.merge_to)

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        if len(strip) < 2:
            return groups_between([], len(strip))
        texts = [strip.text(number) for number in range(len(strip))]
        windows = [" ".join(texts[max(0, i - self.buffer) : i + self.buffer + 1]) for i in range(len(texts))]
        gaps = distances(services.embedder.embed(windows))
        cuts = far_enough(self._breakpoints(gaps), list(map(len, texts)), self.min_characters)
        return groups_between(with_headings(strip, cuts), len(strip))

    def _breakpoints(self, gaps: Scores) -> list[int]:
        if self.n_chunks:
            return breakpoints(gaps, Threshold.PERCENTILE, percentile_for(self.n_chunks, len(gaps)))
        return breakpoints(gaps, self.threshold, self.amount or USUAL_AMOUNT[self.threshold])
