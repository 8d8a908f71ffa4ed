"""Clustering-based chunking (Qu et al. 2024, appendix A)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar

from docxchunk.chunking.boundaries import (
    Noise,
    close_pairs,
    dbscan,
    groups_of,
    joint_distances,
    single_linkage,
    without_noise,
)
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing_stages, fill_up_groups
from docxchunk.chunking.units import UnitSequence
from docxchunk.errors import UsageError
from docxchunk.model.blocks import LineKind
from docxchunk.model.fields import check_fields


class Method(StrEnum):
    """The clustering algorithm."""

    SINGLE_LINKAGE = "single_linkage"
    DBSCAN = "dbscan"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Clustering-based chunking: sentences close in meaning and position form a chunk, even where
    they are not adjacent.

    A chunk lists its sentences in document order. A heading goes with the sentence below it. Memory
    grows with the square of the number of sentences.

    - `method`: "single_linkage" or "dbscan".
    - `weight`: the weight of positional distance against semantic distance (lambda in the paper), 0
      to 1.
    - `n_clusters`: single linkage: the target number of clusters. A cluster holds at most n //
      `n_clusters` of the n sentences; 0 sets no limit.
    - `max_size`: single linkage: the maximum number of sentences in a cluster; 0 derives it from
      `n_clusters`.
    - `threshold`: single linkage: the maximum distance of two sentences that are joined.
    - `eps`, `min_samples`: the parameters of DBSCAN.
    - `noise`: what happens to the sentences that DBSCAN leaves out: "singletons", "one_chunk" (as
      in the published code) or "attach" (to the sentence before).
    - `merge_to`: merge clusters with adjacent first sentences up to this share of the limit; 0 does
      not merge.

    Differences from the published code: the threshold is enforced, and DBSCAN takes positional
    distance into account.
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

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return dividing_stages(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """Return the function that groups sentences; P uses it for `inner`."""
        return partial(self._divided, services)

    def _divided(self, services: Services, sequence: UnitSequence) -> Groups:
        if len(sequence) < 2:
            return groups_of(range(len(sequence)))
        vectors = services.embedder.embed(
            [sequence.text(number) for number in range(len(sequence))]
        )
        if self.method == Method.DBSCAN:
            labels = without_noise(
                dbscan(joint_distances(vectors, self.weight), self.eps, self.min_samples).tolist(),
                self.noise,
            )
        else:
            pairs = close_pairs(vectors, self.weight, self.threshold)
            labels = single_linkage(pairs, len(vectors), self.most(len(vectors))).tolist()
        return fill_up_groups(
            services, self.merge_to, sequence, groups_of(_with_headings(sequence, labels))
        )

    def most(self, count: int) -> int:
        """Return the maximum number of sentences in a cluster, for a document of `count`
        sentences.
        """
        return self.max_size or (max(1, count // self.n_clusters) if self.n_clusters else count)


def _with_headings(sequence: UnitSequence, labels: list[int]) -> list[int]:
    for number in range(len(labels) - 2, -1, -1):
        if sequence.kinds[number] is LineKind.HEADING:
            labels[number] = labels[number + 1]
    return labels
