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
    import resource  # POSIX only

    return max(_own_peak(), _maxrss(resource.RUSAGE_CHILDREN))


def _own_peak() -> int:
    """Return the peak of this process. On Linux read it from /proc, because `ru_maxrss` is
    inherited from the parent process.
    """
    import resource

    if _STATUS.exists():
        return next(
            int(line.split()[1]) << 10
            for line in _STATUS.read_text("ascii", "replace").splitlines()
            if line.startswith("VmHWM:")
        )
    return _maxrss(resource.RUSAGE_SELF)


def _maxrss(who: int) -> int:
    import resource

    size = resource.getrusage(who).ru_maxrss
    return size if sys.platform == "darwin" else size << 10
