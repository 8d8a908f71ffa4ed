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
_Running = tuple[_T, Future[_R | Failed] | None]  # an item, and its result to come; None: to be done alone
_AHEAD: Final = 16  # items a process that may wait behind a slow one


def in_processes(work: Callable[[_T], _R], items: Sequence[_T], jobs: int) -> Iterator[_R | Failed]:
    """As `pool.run`."""
    waiting, running, pool = deque(items), deque[_Running[_T, _R]](), _pool(jobs)
    try:
        while waiting or running:
            while waiting and len(running) < _AHEAD * jobs:
                running.append(_submitted(pool, work, waiting.popleft()))
            item, future = running.popleft()
            try:
                yield _alone(work, item) if future is None else future.result()
            except BrokenProcessPool:
                pool = _pool(jobs)
                running = _sorted_out(pool, work, [(item, future), *running], jobs)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _submitted(pool: ProcessPoolExecutor, work: Callable[[_T], _R], item: _T) -> _Running[_T, _R]:
    """In a pool that is broken, as if it had been broken by this item, too."""
    try:
        return item, pool.submit(guarded, work, item)
    except BrokenProcessPool as error:
        lost: Future[_R | Failed] = Future()
        lost.set_exception(error)
        return item, lost


def _sorted_out(pool: ProcessPoolExecutor, work: Callable[[_T], _R], running: Sequence[_Running[_T, _R]], jobs: int) -> deque[_Running[_T, _R]]:
    """When a process is killed, all that was in the pool is lost. The culprit is among the first, each of which is done alone in its turn; the rest go on."""
    suspects, sorted_out = jobs + 1, deque[_Running[_T, _R]]()
    for item, future in running:
        if future is None or not isinstance(future.exception(), BrokenProcessPool):
            sorted_out.append((item, future))
        elif suspects:
            suspects -= 1
            sorted_out.append((item, None))
        else:
            sorted_out.append(_submitted(pool, work, item))
    return sorted_out


def _alone(work: Callable[[_T], _R], item: _T) -> _R | Failed:
    """In a process of its own."""
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
