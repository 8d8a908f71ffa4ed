"""MG: parents for reading, children for finding (seed 000, 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from docxchunk.chunking.named import named_strategy
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.granularity import add_children
from docxchunk.errors import UsageError


@dataclass(frozen=True, slots=True)
class MG:
    """Multi-granular chunking: the chunks of another strategy, `parents`, each with children of a half and a quarter of the cap.

    `levels` is how often the size is halved. A search scores a parent by the best of itself and its children.
    """

    name: ClassVar[str] = "MG"

    parents: str = "R"
    levels: int = 2

    def __post_init__(self) -> None:
        if self.levels < 1:
            raise UsageError(f"levels is {self.levels}; it must be 1 or more.")

    @property
    def models(self) -> tuple[str, ...]:
        return named_strategy(self.parents).models

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:
        sizes = [max(1, services.least_cap >> level) for level in range(1, self.levels + 1)]
        return (*named_strategy(self.parents).stages(limits, services), Stage("add_children", partial(add_children, services, sizes)))


@dataclass(frozen=True, slots=True)
class LGMGC(MG):
    """MG over LG (seed 000, 3.3)."""

    name: ClassVar[str] = "LGMGC"

    parents: str = "LG"


@dataclass(frozen=True, slots=True)
class PMG(MG):
    """MG over P: the document's own structure to read, small chunks to find it by."""

    name: ClassVar[str] = "P+MG"

    parents: str = "P"
