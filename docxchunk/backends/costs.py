"""What models were asked, and what it took."""

from __future__ import annotations

from dataclasses import dataclass, fields
from threading import Lock
from typing import Protocol

from docxchunk.model.ports import Models


@dataclass(frozen=True, slots=True)
class Costs:
    """`asked` counts texts, questions or prompts; `computed` those of them that no cache answered. Costs are added and subtracted.

    `tokens` are those that the model read and wrote, without padding; `seconds` are those that computing took, on the clock.
    """

    calls: int = 0
    asked: int = 0
    computed: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Costs) -> Costs:
        return Costs(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def __sub__(self, other: Costs) -> Costs:
        return Costs(*(getattr(self, field.name) - getattr(other, field.name) for field in fields(self)))


class Bill:
    """Costs that several threads add to."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.costs = Costs()

    def add(self, costs: Costs) -> None:
        with self._lock:
            self.costs += costs


class Costing(Protocol):
    """A model that keeps a bill: all of ours do."""

    @property
    def costs(self) -> Costs: ...


def costs_of(models: Models) -> dict[str, Costs]:
    """What each of the models has cost since it was loaded, by port; those of others that keep no bill are left out."""
    given = {"embedder": models.embedder, "scorer": models.scorer, "completer": models.completer}
    bills = {port: getattr(model, "costs", None) for port, model in given.items()}
    return {port: costs for port, costs in bills.items() if isinstance(costs, Costs)}
