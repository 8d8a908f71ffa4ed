"""Several processes on this machine, any of which may be killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, TypeVar

from docxchunk.batch.pool import Failed, guarded

_T = TypeVar("_T")
_R = TypeVar("_R")
_AHEAD: Final = 16  # items a process that may wait behind a slow one


def in_processes(work: Callable[[_T], _R], items: Sequence[_T], jobs: int) -> Iterator[_R | Failed]:
    """As `pool.run`."""
    waiting = deque(items)
    running: deque[tuple[_T, Future[_R | Failed]]] = deque()
    pool = _pool(jobs)
    try:
        while waiting or running:
            while waiting and len(running) < _AHEAD * jobs:
                try:
                    running.append((waiting[0], pool.submit(guarded, work, waiting[0])))
                except BrokenProcessPool:
                    pool = _pool(jobs)
                else:
                    waiting.popleft()
            item, future = running.popleft()
            yield _result(work, item, future)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result(work: Callable[[_T], _R], item: _T, future: Future[_R | Failed]) -> _R | Failed:
    """When a process is killed, all that ran beside it is lost with it; each is done again in a process of its own, and only the culprit fails."""
    try:
        return future.result()
    except BrokenProcessPool:
        pass
    with _pool(1) as single:
        try:
            return single.submit(guarded, work, item).result()
        except BrokenProcessPool:
            return Failed("The process that worked on it was killed; perhaps there is not enough memory for it.")


def _pool(jobs: int) -> ProcessPoolExecutor:
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    return ProcessPoolExecutor(jobs, multiprocessing.get_context(method), initializer=_start_worker)


def _start_worker() -> None:
    """Ctrl-C is the parent's to handle; and a worker does not outlive its parent, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
