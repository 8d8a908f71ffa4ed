"""Apply one function to many items in this thread, in several threads or in several processes, and
choose how many processes are worth their start.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from docxchunk.batch.failures import Failed, guarded

if TYPE_CHECKING:
    from concurrent.futures import Future

_T = TypeVar("_T")
_R = TypeVar("_R")
Jobs = int | Literal["auto"]

WORTH: Final = 512 << 10
"""Weight of the work per process: enough to make up for starting the process and loading a
vocabulary. Chosen by estimate.
"""

EACH: Final = 16 << 10
"""Weight of an item beside its bytes."""

_AHEAD: Final = 4  # items per thread that may be started ahead of a slow one
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")


def run(
    work: Callable[[_T], _R],
    items: Sequence[_T],
    jobs: Jobs,
    size: Callable[[_T], int] = lambda _: 0,
    models: Sequence[str] = (),
) -> Generator[_R | Failed, None, None]:
    """Yield the results in the order of the items. A failed item does not stop the others. To stop
    early, close the generator: started items are finished.

    A single job runs in this thread, several in processes; if a process is killed, only its item
    fails. Items of a small `size` (bytes) are sent in groups. Work that uses `models` runs in
    threads, so that a model is loaded once and answers several items in one batch. `jobs="auto"`
    means `job_count` processes, or one thread if models are used. UsageError, MissingExtraError and
    StorageError are raised, because they concern every item.
    """
    count = 1 if models and jobs == "auto" else min(job_count(jobs, items, size), len(items))
    if count < 2:
        return (guarded(work, item) for item in items)
    if models:
        return _in_threads(work, items, count)
    from docxchunk.batch.processes import in_processes

    return in_processes(work, items, count, lambda item: EACH + size(item))


def _in_threads(
    work: Callable[[_T], _R], items: Iterable[_T], jobs: int
) -> Generator[_R | Failed, None, None]:
    from concurrent.futures import ThreadPoolExecutor

    waiting, pool = iter(items), ThreadPoolExecutor(jobs)
    running: deque[Future[_R | Failed]] = deque()
    try:
        while True:
            running.extend(
                pool.submit(guarded, work, item)
                for item in islice(waiting, _AHEAD * jobs - len(running))
            )
            if not running:
                return
            yield running.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


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
    weight = 0
    for weight in accumulate(EACH + size(item) for item in items):
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
