"""The CPU time and the memory that work takes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time
from typing import Final

_STATUS: Final = Path("/proc/self/status")


def processor_seconds() -> float:
    """Return the CPU seconds of this process and of the child processes it has waited for."""
    return process_time() + sum(os.times()[2:4])


def seconds_of(work: Callable[[], object], clock: Callable[[], float] = processor_seconds) -> float:
    """Return the seconds that the work takes."""
    start = clock()
    work()
    return clock() - start


def interleaved(works: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Run each work once per round, and return the seconds of its quickest round. A work returns
    its own seconds. The works take turns, so that they share the state of the machine.
    """
    seconds = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            seconds[name] = min(seconds[name], work())
    return seconds


def peak_memory() -> int:
    """Return the peak resident memory in bytes of this process or of a child process that it has
    waited for. Not available on Windows.
    """
    from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage  # POSIX only

    peak, children = (getrusage(who).ru_maxrss for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    if _STATUS.exists():  # on Linux, because `ru_maxrss` is inherited from the parent process
        status = _STATUS.read_text("ascii", "replace").splitlines()
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    return max(peak, children) << (0 if sys.platform == "darwin" else 10)
