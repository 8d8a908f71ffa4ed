"""The protocol of strategies, and the runner of their stages, which traces changes by comparing the
input and output of each stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.units import UnitSequence

Apply = Callable[[list[Piece]], list[Piece]]
"""A pure function over the pieces of a document, in order."""


class Stage(NamedTuple):
    """A step of a strategy: its name in the trace, and the function that it applies to the
    pieces.
    """

    name: str
    apply: Apply


class Cost(NamedTuple):
    """The cost of a strategy for one model: it processes the text about `times` times, plus
    `prompt` characters per sentence.
    """

    port: str
    times: float
    prompt: int = 0


def costs_of(strategy: Strategy) -> tuple[Cost, ...]:
    """Return the property `costs` of a strategy; without one, each of its models reads the text
    once.
    """
    said: tuple[Cost, ...] | None = getattr(strategy, "costs", None)
    return tuple(Cost(port, 1) for port in strategy.models) if said is None else said


def selected_by_zero(strategy: Strategy) -> Mapping[str, float]:
    """Return the property `selected_by_zero` of a strategy: the values that stand for settings of
    0. Without one, 0 stands for itself: {}.
    """
    found: Mapping[str, float] = getattr(strategy, "selected_by_zero", {})
    return found


class Strategy(Protocol):
    """A chunking strategy: a frozen dataclass whose fields are its settings (plain values), and
    whose `stages` are run in order.

    `models` names the fields of `Models` that it uses.
    """

    name: ClassVar[str]

    @property
    def models(self) -> tuple[str, ...]: ...

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]: ...


@runtime_checkable
class Dividing(Strategy, Protocol):
    """A strategy that P can use as `inner`: its rule groups the units of a sequence."""

    def rule(self, services: Services) -> Callable[[UnitSequence], list[list[int]]]: ...


class StageChange(StrEnum):
    """The kind of change that a stage made to pieces."""

    SPLIT = "split"
    MERGED = "merged"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """The input pieces in the range `before` became the output pieces in the range `after`."""

    change: StageChange
    before: range
    after: range


@dataclass(frozen=True, slots=True)
class Step:
    """The changes that one stage made, and its output."""

    stage: str
    differences: tuple[Difference, ...]
    pieces: tuple[Piece, ...]


Trace = tuple[Step, ...]
"""One step for each stage."""


def run_stages(pieces: list[Piece], stages: Sequence[Stage]) -> list[Piece]:
    """Apply the stages in order."""
    for stage in stages:
        pieces = stage.apply(pieces)
    return pieces


def trace_stages(pieces: list[Piece], stages: Sequence[Stage]) -> tuple[list[Piece], Trace]:
    """Apply the stages in order, and return the pieces and the trace."""
    steps: list[Step] = []
    for stage in stages:
        result = stage.apply(pieces)
        steps.append(Step(stage.name, tuple(differences(pieces, result)), tuple(result)))
        pieces = result
    return pieces, tuple(steps)


def differences(before: Sequence[Piece], after: Sequence[Piece]) -> Iterator[Difference]:
    """Yield the changed ranges between the pieces that a stage returned unchanged (the same
    objects, in the same order).
    """
    places = {id(piece): number for number, piece in enumerate(after)}
    i = j = 0
    for number, piece in enumerate([*before, None]):
        place = len(after) if piece is None else places.get(id(piece))
        if place is None:
            continue
        if number > i or place > j:
            yield Difference(_change(number - i, place - j), range(i, number), range(j, place))
        i, j = number + 1, place + 1


def _change(before: int, after: int) -> StageChange:
    if before == after:
        return StageChange.CHANGED
    return StageChange.SPLIT if before < after else StageChange.MERGED
