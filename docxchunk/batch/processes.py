"""Run work in several processes of this machine and survive the death of any of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from ctypes import c_byte
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

from docxchunk.batch.failures import Failed, guarded
from docxchunk.batch.xml_budget import XmlBudget, share_budget

_T = TypeVar("_T")
_R = TypeVar("_R")
# weight per process that may be started ahead of the first unfinished item
_AHEAD: Final = 32 << 20
# processes that ProcessPoolExecutor takes on Windows
_MOST: Final = 61 if sys.platform == "win32" else 1 << 10
_FULL: Final = 512 << 10  # weight of a group: some 50 ms of work
_TURNS: Final = 8  # least number of groups per process, so that all finish at about the same time
_READER: Final = "docxchunk.reader.document"
_PRELOADED: Final = [  # by the server process
    "docxchunk.batch.chunking",
    _READER,
    "docxchunk.chunking",
    "docxchunk.backends.byte_pairs",
]
_THREADS: Final = Path("/proc/self/task")  # a folder for each thread of this process, on Linux

_stop: c_byte | None = None  # in a worker: not 0 once the parent wants no more results


class WorkGroup(NamedTuple, Generic[_T]):
    """Neighbouring items and their weight together."""

    items: tuple[_T, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class _Running(Generic[_T, _R]):
    """A group and the future of its results; None: its items are to run one by one."""

    group: WorkGroup[_T]
    future: Future[list[_R | Failed]] | None

    @property
    def is_lost(self) -> bool:
        return self.future is not None and isinstance(self.future.exception(), BrokenProcessPool)


def in_processes(
    work: Callable[[_T], _R], items: Sequence[_T], jobs: int, weight_of: Callable[[_T], int]
) -> Generator[_R | Failed, None, None]:
    """Yield results as `pool.run` does, from `jobs` processes (at most 61 on Windows)."""
    processes = _Processes(work, min(jobs, _MOST))
    waiting, running = grouped(items, weight_of, jobs), deque[_Running[_T, _R]]()
    ahead = 0
    try:
        while True:
            while ahead < _AHEAD * jobs and (group := next(waiting, None)):
                running.append(processes.take(group))
                ahead += group.weight
            if not running:
                return
            if running[0].is_lost:
                running = processes.sort_out(running)
            first = running.popleft()
            yield from (
                processes.one_by_one(first.group) if first.future is None else first.future.result()
            )
            ahead -= first.group.weight
    finally:
        processes.end()


def grouped(
    items: Sequence[_T], weight_of: Callable[[_T], int], jobs: int
) -> Iterator[WorkGroup[_T]]:
    """Yield the items in their order, in groups of about the same weight: a message between
    processes costs as much as a small file.
    """
    most = max(1, len(items) // (jobs * _TURNS))
    group: list[_T] = []
    weight = 0
    for item in items:
        group.append(item)
        weight += weight_of(item)
        if weight >= _FULL or len(group) >= most:
            yield WorkGroup(tuple(group), weight)
            group, weight = [], 0
    if group:
        yield WorkGroup(tuple(group), weight)


class _Processes(Generic[_T, _R]):
    """A process pool that is replaced when one of its processes is killed."""

    def __init__(self, work: Callable[[_T], _R], jobs: int) -> None:
        self._work, self._jobs = work, jobs
        self._stop = multiprocessing.RawValue(c_byte, 0)
        self._pool = self._new_pool(jobs)

    def take(self, group: WorkGroup[_T]) -> _Running[_T, _R]:
        """Submit a group. In a broken pool, its future fails as those of the other groups do."""
        try:
            with _without_interrupts():
                return _Running(group, self._pool.submit(_each, self._work, group.items))
        except BrokenProcessPool as error:
            lost: Future[list[_R | Failed]] = Future()
            lost.set_exception(error)
            return _Running(group, lost)

    def sort_out(self, running: Sequence[_Running[_T, _R]]) -> deque[_Running[_T, _R]]:
        """Start a new pool after a process was killed, which loses all groups of the old pool. Mark
        the first of them, among which the cause is, to run item by item, and submit the others
        again.
        """
        self._pool = self._new_pool(self._jobs)
        suspects, sorted_out = self._jobs + 1, deque[_Running[_T, _R]]()
        for task in running:
            if not task.is_lost:
                sorted_out.append(task)
            elif suspects:
                suspects -= 1
                sorted_out.append(_Running(task.group, None))
            else:
                sorted_out.append(self.take(task.group))
        return sorted_out

    def one_by_one(self, group: WorkGroup[_T]) -> Iterator[_R | Failed]:
        """Yield the result of each item, each run alone in a process, so that the one that kills
        its process is known.
        """
        single = self._new_pool(1)
        try:
            for item in group.items:
                try:
                    with _without_interrupts():
                        future = single.submit(guarded, self._work, item)
                    yield future.result()
                except BrokenProcessPool:
                    single = self._new_pool(1)
                    yield Failed(
                        "The process that worked on it was killed; perhaps there is "
                        "not enough memory for it.",
                        "Killed",
                    )
        finally:
            single.shutdown(cancel_futures=True)

    def end(self) -> None:
        """Wait for the items that have been started; kill them if Ctrl-C comes again."""
        self._stop.value = 1
        try:
            self._pool.shutdown(cancel_futures=True)
        except KeyboardInterrupt:
            kill_processes()
            raise

    def _new_pool(self, number: int) -> ProcessPoolExecutor:
        context = _context()
        return ProcessPoolExecutor(
            number,
            context,
            initializer=_start_worker,
            initargs=(self._stop, XmlBudget(context)),
        )


def kill_processes() -> None:
    """Kill all worker processes. Their unfinished files are removed by the next run on the same
    inputs.
    """
    for process in multiprocessing.active_children():
        process.kill()


def _context() -> BaseContext:
    """Return how processes start: as copies of this one, which have its modules already, if it has
    no other thread that could hold a lock in them; else from a server process or anew.
    """
    if is_single_threaded():
        import_module(_READER)
        return multiprocessing.get_context("fork")
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


def is_single_threaded() -> bool:
    """Return whether this process surely has one thread. Threads of native libraries count."""
    try:
        return len(list(_THREADS.iterdir())) == 1
    except OSError:
        return False


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block SIGINT while a process is started: a terminal sends Ctrl-C to all processes, and only
    the parent handles it.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _each(work: Callable[[_T], _R], items: Sequence[_T]) -> list[_R | Failed]:
    """Return the results of a group, up to the moment the parent wants no more."""
    return [guarded(work, item) for item in items if _stop is None or not _stop.value]


def _start_worker(stop: c_byte, budget: XmlBudget) -> None:
    """Set up a worker: it shares the budget, ignores Ctrl-C and ends with its parent."""
    global _stop  # noqa: PLW0603 - set once when a worker process starts
    _stop = stop
    share_budget(budget)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
