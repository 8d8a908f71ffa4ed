"""Measure the CPU time and the peak memory of work."""

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


def least(work: Callable[[], object], rounds: int, clock: Callable[[], float] = processor_seconds) -> float:
    """Return the seconds of the fastest of several rounds, because disturbances only add time."""
    return interleaved({"": work}, rounds, clock)[""]


def interleaved(works: Mapping[str, Callable[[], object]], rounds: int, clock: Callable[[], float] = processor_seconds) -> dict[str, float]:
    """Return the seconds of the quickest round of each work. Every round runs all of them in turn, so that they share the state of the machine."""
    seconds = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            start = clock()
            work()
            seconds[name] = min(seconds[name], clock() - start)
    return seconds


def peak_memory() -> int:
    """Return the peak resident memory in bytes of this process or of a child process that it has waited for. Not available on Windows."""
    import resource  # POSIX only

    return max(_own_peak(), _maxrss(resource.RUSAGE_CHILDREN))


def _own_peak() -> int:
    """Return the peak of this process. On Linux read it from /proc, because `ru_maxrss` is inherited from the parent process."""
    import resource

    if _STATUS.exists():
        return next(int(line.split()[1]) << 10 for line in _STATUS.read_text("ascii", "replace").splitlines() if line.startswith("VmHWM:"))
    return _maxrss(resource.RUSAGE_SELF)


def _maxrss(who: int) -> int:
    import resource

    found = resource.getrusage(who).ru_maxrss
    return found if sys.platform == "darwin" else found << 10
