"""V and cluster: cut or group sentences by the distance of their embeddings (LangChain's
SemanticChunker; Qu et al. 2024, appendix A), and two variants of V that papers use as baselines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import DividingStrategy, Groups
from docxchunk.chunking.strategy import Cost, Stage
from docxchunk.chunking.units import UnitSequence
from docxchunk.errors import UsageError
from docxchunk.lab.strategies.boundaries import (
    DEFAULT_AMOUNT,
    Noise,
    Scores,
    Threshold,
    at_least_apart,
    breakpoints,
    close_pairs,
    dbscan,
    distances,
    groups_of,
    joint_distances,
    percentile_for,
    single_linkage,
    without_noise,
)
from docxchunk.lab.strategies.grouping import fill_up_groups, fill_up_stages
from docxchunk.model.blocks import LineKind
from docxchunk.model.fields import check_fields


@dataclass(frozen=True, slots=True)
class V(DividingStrategy):
    """Semantic chunking: embed a window around each sentence, and cut between neighbours whose
    distance exceeds a threshold. Chunks over the limit are split as by R.

    - `threshold`: how it is computed: "percentile", "standard_deviation", "interquartile",
      "gradient", "distance" or "absolute_gradient".
    - `amount`: the parameter of the threshold, such as the percentile. 0 selects its default: 95,
      3, 1.5, 95, 0.3, 0.1, in the order above.
    - `buffer`: the number of sentences on each side of a sentence in its window.
    - `n_chunks`: aim for about this many chunks per document, instead of `threshold`.
    - `min_characters`: skip a cut if the chunk before it would have fewer characters.
    - `merge_to`: merge neighbouring chunks up to this share of the limit.
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

    def later_stages(self, assembler: Assembler) -> tuple[Stage, ...]:
        return fill_up_stages(assembler, self.merge_to)

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        texts = sequence.texts()
        gaps = distances(assembler.embedder.embed(self._windows(sequence, texts)))
        return at_least_apart(self._breakpoints(gaps), list(map(len, texts)), self.min_characters)

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
    """V that cuts where the similarity of neighbouring sentences is below the 20th percentile of
    the document: where the distance is above the 80th.
    """

    name: ClassVar[str] = "semantic-20"

    amount: float = 80.0
    buffer: int = 0


@dataclass(frozen=True, slots=True)
class Similarity(V):
    """V as in the SemanticSplitterNodeParser of LlamaIndex: the windows keep the white space of the
    text. Meta-Chunking uses an `amount` of 73 to 83, to match the size of other chunkers.
    """

    name: ClassVar[str] = "similarity"

    def _windows(self, sequence: UnitSequence, texts: Sequence[str]) -> list[str]:
        last = len(texts)
        return [
            sequence.running_text(max(0, i - self.buffer), min(i + self.buffer + 1, last))[0]
            for i in range(last)
        ]


class Method(StrEnum):
    """The clustering algorithm."""

    SINGLE_LINKAGE = "single_linkage"
    DBSCAN = "dbscan"


@dataclass(frozen=True, slots=True)
class Cluster(DividingStrategy):
    """Clustering: sentences close in meaning and position form a chunk, even where they are not
    adjacent. A chunk lists them in document order. A heading goes with the sentence below it.
    Memory grows with the square of the number of sentences.

    - `method`: "single_linkage" or "dbscan".
    - `weight`: the weight of the distance in position against that in meaning, 0 to 1 (lambda in
      the paper).
    - `n_clusters`: single linkage: the target number of clusters. A cluster holds at most n //
      `n_clusters` of the n sentences; 0 sets no limit.
    - `max_size`: single linkage: the maximum number of sentences in a cluster; 0 derives it from
      `n_clusters`.
    - `threshold`: single linkage: the maximum distance of two sentences that are joined.
    - `eps`, `min_samples`: the parameters of DBSCAN.
    - `noise`: what happens to the sentences that DBSCAN leaves out: "singletons", "one_chunk" (as
      in the published code) or "attach" (to the sentence before).
    - `merge_to`: merge clusters, in the order of their first sentences, up to this share of the
      limit.
    """

    name: ClassVar[str] = "cluster"
    models: ClassVar[tuple[str, ...]] = ("embedder",)

    method: Method = Method.SINGLE_LINKAGE
    weight: float = 0.5
    n_clusters: int = 10
    max_size: int = 0
    threshold: float = 0.5
    eps: float = 0.3
    min_samples: int = 2
    noise: Noise = Noise.SINGLETONS
    merge_to: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.weight <= 1:
            raise UsageError(f"weight is {self.weight}; it must be from 0 to 1.")
        if self.n_clusters < 0 or self.max_size < 0:
            raise UsageError("n_clusters and max_size must be 0 or more.")
        if self.eps <= 0 or self.min_samples < 1:
            raise UsageError("eps must be greater than 0, and min_samples 1 or more.")

    def groups(self, assembler: Assembler, sequence: UnitSequence) -> Groups:
        if len(sequence) < 2:
            return groups_of(range(len(sequence)))
        vectors = assembler.embedder.embed(sequence.texts())
        if self.method == Method.DBSCAN:
            labels = without_noise(
                dbscan(joint_distances(vectors, self.weight), self.eps, self.min_samples).tolist(),
                self.noise,
            )
        else:
            pairs = close_pairs(vectors, self.weight, self.threshold)
            labels = single_linkage(pairs, len(vectors), self.max_sentences(len(vectors))).tolist()
        return fill_up_groups(
            assembler, self.merge_to, sequence, groups_of(_with_headings(sequence, labels))
        )

    def max_sentences(self, count: int) -> int:
        """Return the maximum number of sentences in a cluster, for a document of `count`
        sentences.
        """
        return self.max_size or (max(1, count // self.n_clusters) if self.n_clusters else count)


def _with_headings(sequence: UnitSequence, labels: list[int]) -> list[int]:
    for number in range(len(labels) - 2, -1, -1):
        if sequence.kinds[number] is LineKind.HEADING:
            labels[number] = labels[number + 1]
    return labels
