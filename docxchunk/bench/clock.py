"""Time that work takes."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import process_time


def processor_seconds() -> float:
    """Seconds of processors that this process and those that it waited for have used. Others on the machine do not count."""
    return process_time() + sum(os.times()[2:4])


def least(work: Callable[[], object], rounds: int, clock: Callable[[], float] = processor_seconds) -> float:
    """The seconds of the quickest of several rounds: what disturbs a measurement only ever adds to it."""
    return min(_once(work, clock) for _ in range(rounds))


def _once(work: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    work()
    return clock() - start
