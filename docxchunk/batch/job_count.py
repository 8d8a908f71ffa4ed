"""Choose how many processes work on a batch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import accumulate
from pathlib import Path
from typing import Final, Literal, TypeVar

_T = TypeVar("_T")
Jobs = int | Literal["auto"]

WORTH: Final = 512 << 10
"""Weight of the work per process: enough to make up for starting the process and loading a
vocabulary. Chosen by estimate.
"""

EACH: Final = 16 << 10
"""Weight of an item beside its bytes."""

_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")


def job_count(jobs: Jobs, items: Iterable[_T], size: Callable[[_T], int]) -> int:
    """Return `jobs` if it is a number; for "auto" one process per `WORTH` of work, at least 1 and
    at most `usable_cores()`.

    `size` gives the bytes of an item. Items are weighed only until there is work for all cores.
    """
    if jobs != "auto":
        return jobs
    cores = usable_cores()
    if cores == 1:
        return 1
    weights = accumulate(EACH + size(item) for item in items)
    weight = 0
    for weight in weights:
        if weight >= cores * WORTH:
            break
    return max(1, min(cores, weight // WORTH))


def usable_cores(quota: Path = _QUOTA) -> int:
    """Return the number of cores this process may use: its CPU affinity, capped by the CPU quota of
    its container (cgroup v2), rounded up.
    """
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    try:
        most, period = quota.read_text("ascii").split()
    except (OSError, ValueError):
        return cores
    return cores if most == "max" else max(1, min(cores, -(-int(most) // int(period))))
