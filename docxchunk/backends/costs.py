"""Count the calls, tokens and seconds of models."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from operator import add, sub
from threading import Lock
from time import perf_counter
from typing import ClassVar

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
        return Costs(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: Costs) -> Costs:
        return Costs(*map(sub, astuple(self), astuple(other)))


class Bill:
    """A thread-safe sum of costs."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.costs = Costs()

    def add(self, costs: Costs) -> None:
        with self._lock:
            self.costs += costs


class CostedModel:
    """Base of models that report their costs. `kind` is the word for it in `repr`."""

    kind: ClassVar[str]

    def __init__(self, name: str, fingerprint: str) -> None:
        self.name, self.fingerprint = name, fingerprint
        self._bill = Bill()

    @property
    def costs(self) -> Costs:
        return self._bill.costs

    def _charge(self, questions: int, tokens: int, start: float) -> None:
        """Add the costs of a call that began at `start`, by `perf_counter`."""
        self._bill.add(Costs(1, questions, questions, tokens, perf_counter() - start))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


def costs_of(models: Models) -> dict[str, Costs]:
    """Return the costs of each model since it was loaded, by port. Models that do not report costs
    are left out.
    """
    bills = {
        port: getattr(getattr(models, port), "costs", None)
        for port in ("embedder", "scorer", "completer")
    }
    return {port: costs for port, costs in bills.items() if isinstance(costs, Costs)}
