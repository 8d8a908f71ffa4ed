"""Pieces in, stages in order, pieces out. No stage reports on itself: the runner compares what went in with what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.unit_sequence import Strip

Apply = Callable[[list[Piece]], list[Piece]]


class Stage(NamedTuple):
    """One step of a strategy: a pure function over the pieces of a document, in order, and the name that the trace gives it."""

    name: str
    apply: Apply


class Cost(NamedTuple):
    """The cost of a strategy: a model reads the text about `times` times, plus `prompt` characters for each sentence."""

    port: str
    times: float
    prompt: int = 0


def costs_of(strategy: Strategy) -> tuple[Cost, ...]:
    """What it says that it reads, in `costs`, else the text once with each of its models."""
    said: tuple[Cost, ...] | None = getattr(strategy, "costs", None)
    return tuple(Cost(port, 1) for port in strategy.models) if said is None else said


class Strategy(Protocol):
    """A recipe: a frozen dataclass whose fields are its settings (plain values) and whose stages are one visible tuple.

    `models` names the fields of `Models` that it asks.
    """

    name: ClassVar[str]

    @property
    def models(self) -> tuple[str, ...]: ...

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]: ...


@runtime_checkable
class Dividing(Strategy, Protocol):
    """A strategy that can be the inside of P: its rule says how a row of sentences is divided."""

    def rule(self, services: Services) -> Callable[[Strip], list[list[int]]]: ...


class StageChange(StrEnum):
    SPLIT = "split"
    MERGED = "merged"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """Pieces `before` (numbers of what went in) became pieces `after` (numbers of what came out)."""

    change: StageChange
    before: range
    after: range


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage did: only what it changed, and the pieces that it left."""

    stage: str
    differences: tuple[Difference, ...]
    pieces: tuple[Piece, ...]


Trace = tuple[Step, ...]


def run_stages(pieces: list[Piece], stages: Sequence[Stage]) -> list[Piece]:
    for stage in stages:
        pieces = stage.apply(pieces)
    return pieces


def trace_stages(pieces: list[Piece], stages: Sequence[Stage]) -> tuple[list[Piece], Trace]:
    """As `run_stages`, and what each stage did."""
    steps: list[Step] = []
    for stage in stages:
        result = stage.apply(pieces)
        steps.append(Step(stage.name, tuple(differences(pieces, result)), tuple(result)))
        pieces = result
    return pieces, tuple(steps)


def differences(before: Sequence[Piece], after: Sequence[Piece]) -> Iterator[Difference]:
    """The stretches between pieces that a stage passed on untouched (the same objects, in the same order)."""
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
