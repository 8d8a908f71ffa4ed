"""Clusters of sentences that are close in meaning and in the text (Qu et al. 2024, appendix A)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import ClassVar

from docxchunk.chunking.clusters import Noise, close_pairs, dbscan, groups_of, joint_distances, single_linkage, without_noise
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.divide import Divide, Groups, dividing
from docxchunk.chunking.strip import Strip
from docxchunk.errors import UsageError
from docxchunk.model.blocks import LineKind
from docxchunk.model.fields import check_fields


class Method(StrEnum):
    SINGLE_LINKAGE = "single_linkage"
    DBSCAN = "dbscan"


@dataclass(frozen=True, slots=True)
class Cluster:
    """Clustering-based chunking: a chunk may hold sentences that are apart in the text, each chunk in the order of the text.

    `weight` is how much the distance in the text counts against that in meaning (lambda). Single linkage: at most `max_size` sentences a cluster, by
    default n // `n_clusters`, without a bound where both are 0; nothing further apart than `threshold` is joined. DBSCAN: `eps`, `min_samples`, `noise`.
    A heading goes with the sentence under it. Takes memory for all pairs of sentences. Unlike in the published code, the threshold is kept to and DBSCAN
    sees the distance in the text; noise=one_chunk is what that code does.
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

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 <= self.weight <= 1:
            raise UsageError(f"weight is {self.weight}; it is a share, from 0 to 1.")
        if self.n_clusters < 0 or self.max_size < 0:
            raise UsageError("n_clusters and max_size are numbers of clusters and sentences: 0 or more.")
        if self.eps <= 0 or self.min_samples < 1:
            raise UsageError("eps is over 0, and min_samples is 1 or more.")

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return dividing(services, self.rule(services))

    def rule(self, services: Services) -> Divide:
        """What divides a row of sentences: also the inside of P."""
        return partial(self._divided, services)

    def _divided(self, services: Services, strip: Strip) -> Groups:
        if len(strip) < 2:
            return groups_of(range(len(strip)))
        vectors = services.embedder.embed([strip.text(number) for number in range(len(strip))])
        if self.method == Method.DBSCAN:
            labels = without_noise(dbscan(joint_distances(vectors, self.weight), self.eps, self.min_samples).tolist(), self.noise)
        else:
            pairs = close_pairs(vectors, self.weight, self.threshold)
            labels = single_linkage(pairs, len(vectors), self.most(len(vectors))).tolist()
        return groups_of(_with_headings(strip, labels))

    def most(self, count: int) -> int:
        """The most sentences of a cluster of a document that has so many."""
        return self.max_size or (max(1, count // self.n_clusters) if self.n_clusters else count)


def _with_headings(strip: Strip, labels: list[int]) -> list[int]:
    for number in range(len(labels) - 2, -1, -1):
        if strip.units[number].kind is LineKind.HEADING:
            labels[number] = labels[number + 1]
    return labels
