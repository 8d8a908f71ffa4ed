"""Count the calls, tokens and seconds of models."""

from __future__ import annotations

from dataclasses import dataclass, fields
from threading import Lock
from typing import Protocol

from docxchunk.model.ports import Models


@dataclass(frozen=True, slots=True)
class Costs:
    """Counters that can be added and subtracted. `asked` counts texts, questions or prompts;
    `computed` those that no cache answered.

    `tokens` counts the tokens that the model read and wrote, without padding; `seconds` is
    wall-clock time of the computation.
    """

    calls: int = 0
    asked: int = 0
    computed: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Costs) -> Costs:
        return Costs(
            *(getattr(self, field.name) + getattr(other, field.name) for field in fields(self))
        )

    def __sub__(self, other: Costs) -> Costs:
        return Costs(
            *(getattr(self, field.name) - getattr(other, field.name) for field in fields(self))
        )


class Bill:
    """A thread-safe sum of costs."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.costs = Costs()

    def add(self, costs: Costs) -> None:
        with self._lock:
            self.costs += costs


class Costing(Protocol):
    """A model that reports its costs, as all models of docxchunk do."""

    @property
    def costs(self) -> Costs: ...


def costs_of(models: Models) -> dict[str, Costs]:
    """Return the costs of each model since it was loaded, by port. Models that do not report costs
    are left out.
    """
    given = {"embedder": models.embedder, "scorer": models.scorer, "completer": models.completer}
    bills = {port: getattr(model, "costs", None) for port, model in given.items()}
    return {port: costs for port, costs in bills.items() if isinstance(costs, Costs)}
