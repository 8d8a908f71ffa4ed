"""V: cuts where the meaning of neighbouring sentences jumps (LangChain's SemanticChunker), and what two papers compare themselves with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from docxchunk.chunking.boundaries import USUAL_AMOUNT, Scores, Threshold, breakpoints, distances, far_enough, percentile_for
from docxchunk.chunking.pipeline import Cost, Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing, filling_up, groups_between, with_headings
from docxchunk.chunking.unit_sequence import Strip
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

    @property
    def costs(self) -> tuple[Cost, ...]:
        return (Cost("embedder", 2 * self.buffer + 1),)

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services)) + filling_up(services, self.merge_to)

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        if len(strip) < 2:
            return groups_between([], len(strip))
        texts = [strip.text(number) for number in range(len(strip))]
        gaps = distances(services.embedder.embed(self._windows(strip, texts)))
        cuts = far_enough(self._breakpoints(gaps), list(map(len, texts)), self.min_characters)
        return groups_between(with_headings(strip, cuts), len(strip))

    def _windows(self, strip: Strip, texts: Sequence[str]) -> list[str]:  # noqa: ARG002 - of those that are not joined by a space
        """Each sentence with those around it."""
        return [" ".join(texts[max(0, i - self.buffer) : i + self.buffer + 1]) for i in range(len(texts))]

    def _breakpoints(self, gaps: Scores) -> list[int]:
        if self.n_chunks:
            return breakpoints(gaps, Threshold.PERCENTILE, percentile_for(self.n_chunks, len(gaps)))
        return breakpoints(gaps, self.threshold, self.amount or USUAL_AMOUNT[self.threshold])


@dataclass(frozen=True, slots=True)
class Semantic20(V):
    """Semantic, the baseline of the paper of PIC (4.2): neighbouring sentences are parted where they are less alike than a fifth of all neighbours are not.

    A similarity under the 20th percentile is a distance over the 80th. The paper takes the percentile over all documents, and here each has its own.
    """

    name: ClassVar[str] = "semantic-20"

    amount: float = 80.0
    buffer: int = 0


@dataclass(frozen=True, slots=True)
class Similarity(V):
    """Similarity Chunking of Meta-Chunking (appendix A.2), which is LlamaIndex's SemanticSplitterNodeParser: as V, windows being the text as it stands.

    The paper sets `amount` to 73 to 83, so that chunks come out as long as those of the others.
    """

    name: ClassVar[str] = "similarity"

    def _windows(self, strip: Strip, texts: Sequence[str]) -> list[str]:
        last = len(texts)
        return [strip.running_text(max(0, i - self.buffer), min(i + self.buffer + 1, last))[0] for i in range(last)]
