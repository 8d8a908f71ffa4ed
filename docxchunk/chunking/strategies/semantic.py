"""V: semantic chunking as in LangChain's SemanticChunker, and two variants that papers use as
baselines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from docxchunk.chunking.boundaries import (
    DEFAULT_AMOUNT,
    Scores,
    Threshold,
    at_least_apart,
    breakpoints,
    distances,
    percentile_for,
)
from docxchunk.chunking.pipeline import Cost, Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import (
    Divide,
    Groups,
    dividing_stages,
    fill_up_stages,
    groups_between,
    with_headings,
)
from docxchunk.chunking.units import UnitSequence
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields


@dataclass(frozen=True, slots=True)
class V:
    """Semantic chunking: embed a window around each sentence, and cut between neighbours whose
    distance exceeds a threshold.

    Chunks over the limit are split as by R.

    - `threshold`: how the threshold is computed: "percentile", "standard_deviation",
      "interquartile", "gradient", "distance" or "absolute_gradient".
    - `amount`: the parameter of the threshold, such as the percentile; 0: its default (95, 3, 1.5,
      95, 0.3, 0.1, in the order above).
    - `buffer`: the number of sentences on each side of a sentence in its window.
    - `n_chunks`: aim for about this many chunks per document, instead of `threshold`; 0: off.
    - `min_characters`: skip a cut if the chunk before it would be shorter.
    - `merge_to`: merge neighbouring chunks up to this share of the limit; 0 does not merge.
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
            raise UsageError("buffer, n_chunks and min_characters must be 0 or more.")

    @property
    def costs(self) -> tuple[Cost, ...]:
        return (Cost("embedder", 2 * self.buffer + 1),)

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, self.rule(services)) + fill_up_stages(
            services, self.merge_to
        )

    def rule(self, services: Services) -> Divide:
        """Return the function that groups sentences; P uses it for `inner`."""
        return partial(self._divided, services)

    def _divided(self, services: Services, sequence: UnitSequence) -> Groups:
        if len(sequence) < 2:
            return groups_between([], len(sequence))
        texts = [sequence.text(number) for number in range(len(sequence))]
        gaps = distances(services.embedder.embed(self._windows(sequence, texts)))
        cuts = at_least_apart(self._breakpoints(gaps), list(map(len, texts)), self.min_characters)
        return groups_between(with_headings(sequence, cuts), len(sequence))

    def _windows(self, sequence: UnitSequence, texts: Sequence[str]) -> list[str]:  # noqa: ARG002 - the variant Similarity needs it
        """Return each sentence joined with its neighbours."""
        return [
            " ".join(texts[max(0, i - self.buffer) : i + self.buffer + 1])
            for i in range(len(texts))
        ]

    def _breakpoints(self, gaps: Scores) -> list[int]:
        if self.n_chunks:
            return breakpoints(gaps, Threshold.PERCENTILE, percentile_for(self.n_chunks, len(gaps)))
        return breakpoints(gaps, self.threshold, self.amount or DEFAULT_AMOUNT[self.threshold])


@dataclass(frozen=True, slots=True)
class Semantic20(V):
    """Semantic, the baseline of the paper of PIC (4.2): V that cuts where the similarity of
    neighbouring sentences is below the 20th percentile.

    That is a distance above the 80th percentile. The paper computes the percentile over all
    documents; here it is computed per document.
    """

    name: ClassVar[str] = "semantic-20"

    amount: float = 80.0
    buffer: int = 0


@dataclass(frozen=True, slots=True)
class Similarity(V):
    """Similarity Chunking of Meta-Chunking (appendix A.2), which is LlamaIndex's
    SemanticSplitterNodeParser: V with windows of unchanged text.

    The paper uses an `amount` of 73 to 83, to match the size of other chunkers.
    """

    name: ClassVar[str] = "similarity"

    def _windows(self, sequence: UnitSequence, texts: Sequence[str]) -> list[str]:
        last = len(texts)
        return [
            sequence.running_text(max(0, i - self.buffer), min(i + self.buffer + 1, last))[0]
            for i in range(last)
        ]
