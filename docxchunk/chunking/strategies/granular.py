"""MG: chunks with smaller child chunks for retrieval (Liu et al. 2024, LGMGC, 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.pipeline import Cost, Stage, costs_of
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.divide import add_children
from docxchunk.chunking.strategies.logits_guided import LG, LGDocument
from docxchunk.chunking.strategy_spec import named_strategy
from docxchunk.chunking.text.words import words
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields

_MOST_LEVELS: Final = 6  # halves 2000 tokens to 31


@dataclass(frozen=True, slots=True)
class MG:
    """Multi-granular chunking: the chunks of another strategy, each with children of half and a
    quarter of the size.

    A retriever scores a parent by the best score among itself and its children.

    - `parents`: the strategy that makes the parents, such as "R" or "LG:theta=200".
    - `levels`: how often the size is halved. A parent that is already small enough has no children
      of that size.

    The size that is halved is the token limit. For parents made by LG it is `theta`, converted from
    words to tokens by the average of the parent.
    """

    name: ClassVar[str] = "MG"

    parents: str = "R"
    levels: int = 2

    def __post_init__(self) -> None:
        check_fields(self)
        if not 1 <= self.levels <= _MOST_LEVELS:
            raise UsageError(f"levels is {self.levels}; it must be from 1 to {_MOST_LEVELS}.")

    @property
    def models(self) -> tuple[str, ...]:
        return named_strategy(self.parents).models

    @property
    def costs(self) -> tuple[Cost, ...]:
        return costs_of(named_strategy(self.parents))

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:
        return (
            *named_strategy(self.parents).stages(limits, services),
            Stage("add_children", partial(self._with_children, services)),
        )

    def _with_children(self, services: Services, pieces: list[Piece]) -> list[Piece]:
        parents = named_strategy(self.parents)
        theta = parents.theta if isinstance(parents, (LG, LGDocument)) else 0
        return [
            done
            for piece in pieces
            for done in add_children(services, self._sizes(_size(services, piece, theta)), [piece])
        ]

    def _sizes(self, whole: int) -> list[int]:
        return [max(1, whole >> level) for level in range(1, self.levels + 1)]


@dataclass(frozen=True, slots=True)
class LGMGC(MG):
    """MG over LG (Liu et al. 2024, LGMGC, 3.3): children of half and a quarter of `theta`."""

    name: ClassVar[str] = "LGMGC"

    parents: str = "LG"


@dataclass(frozen=True, slots=True)
class PMG(MG):
    """MG over P: chunks that follow the document's structure, with small children for retrieval."""

    name: ClassVar[str] = "P+MG"

    parents: str = "P"


def _size(services: Services, piece: Piece, theta: int) -> int:
    """Return the size of a parent in tokens: the limit or, if `theta` is not 0, that many words of
    the parent.
    """
    return (
        min(services.least_cap, theta * piece.tokens // max(1, len(words(piece.text))))
        if theta
        else services.least_cap
    )
