"""Apply one function to many items in this thread, in several threads or in several processes, and
survive the death of any process. Choose how many processes are worth their start, and bound the XML
that they parse at the same time.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from importlib import import_module
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, Literal, NamedTuple, TypeVar

from docxchunk.batch import collect_rarely
from docxchunk.errors import DocxchunkError, MissingExtraError, StorageError, UsageError
from docxchunk.model.options import Limits
from docxchunk.ooxml.archive import Archive

if TYPE_CHECKING:
    from ctypes import c_byte
    from multiprocessing.context import BaseContext

_T = TypeVar("_T")
_R = TypeVar("_R")
Jobs = int | Literal["auto"]

WORTH: Final = 512 << 10
"""Weight of the work per process: enough to make up for starting the process and loading a
vocabulary. Chosen by estimate.
"""

EACH: Final = 16 << 10
"""Weight of an item beside its bytes."""

_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")


class Failed(NamedTuple):
    """An item that failed: the reason in one sentence, and the class name of the exception."""

    sentence: str
    error: str


FAILURES: Final = "failures.jsonl"
"""The list of the failures of the last run over many inputs. Without any there is no file."""


class Failure(NamedTuple):
    """A failed input: label, path, error class and message."""

    input: str
    path: str
    error: str
    message: str


def guarded(work: Callable[[_T], _R], item: _T) -> _R | Failed:
    """Return `work(item)`, or a Failed for an error that concerns only this item."""
    try:
        return work(item)
    except (UsageError, MissingExtraError, StorageError):
        raise
    except DocxchunkError as error:
        return Failed(str(error), type(error).__name__)
    except MemoryError:
        return Failed("There is not enough memory for it.", "MemoryError")
    except Exception as error:
        import logging

        logging.getLogger("docxchunk.batch").debug("%s", item, exc_info=True)
        return Failed(
            f"This is a fault in docxchunk, please report it ({type(error).__name__}: {error}).",
            type(error).__name__,
        )


def run(  # noqa: PLR0913 - options by keyword
    work: Callable[[_T], _R],
    items: Sequence[_T],
    jobs: Jobs,
    size: Callable[[_T], int] = lambda _: 0,
    models: Sequence[str] = (),
    *,
    prepare: Callable[[], object] = lambda: None,
) -> Generator[_R | Failed, None, None]:
    """Yield the results in the order of the items. A failed item does not stop the others. To stop
    early, close the generator: started items are finished.

    A single job runs in this thread, several in processes; if a process is killed, only its item
    fails. Items of a small `size` (bytes) are sent in groups. `prepare` loads what each item needs:
    it is called once, before processes start as copies of this one. Work that uses `models` runs in
    threads, so that a model is loaded once and answers several items in one batch. `jobs="auto"`
    means `job_count` processes, or one thread if models are used. UsageError, MissingExtraError and
    StorageError are raised, because they concern every item.
    """
    count = 1 if models and jobs == "auto" else min(job_count(jobs, items, size), len(items))
    if count < 2:
        return (guarded(work, item) for item in items)
    if models:
        return _in_threads(work, items, count)
    return _in_processes(work, grouped(items, size, count), min(count, _MAX_PROCESSES), prepare)


def job_count(jobs: Jobs, items: Iterable[_T], size: Callable[[_T], int]) -> int:
    """Return `jobs` if it is a number. For "auto", return one process per `WORTH` of work, from 1
    to `usable_cores()`.

    `size` gives the bytes of an item. No more items are weighed once there is work for all cores.
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
        cpu_time, period = quota.read_text("ascii").split()
    except (OSError, ValueError):
        return cores
    return cores if cpu_time == "max" else max(1, min(cores, -(-int(cpu_time) // int(period))))


# -- threads

_ITEMS_AHEAD: Final = 4  # items per thread that may be started ahead of a slow one


def _in_threads(
    work: Callable[[_T], _R], items: Iterable[_T], jobs: int
) -> Generator[_R | Failed, None, None]:
    waiting, pool = iter(items), futures.ThreadPoolExecutor(jobs)
    running: deque[futures.Future[_R | Failed]] = deque()
    try:
        while True:
            running.extend(
                pool.submit(guarded, work, item)
                for item in islice(waiting, _ITEMS_AHEAD * jobs - len(running))
            )
            if not running:
                return
            yield running.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


# -- processes

_MAX_PROCESSES: Final = 61 if sys.platform == "win32" else 1 << 10
"""Processes that ProcessPoolExecutor takes on Windows."""

_WEIGHT_AHEAD: Final = 32 << 20
"""Weight per process that may be started ahead of the first unfinished item."""

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


class WorkGroup(NamedTuple, Generic[_T]):
    """Neighbouring items and their weight together."""

    items: tuple[_T, ...]
    weight: int


def grouped(items: Sequence[_T], size: Callable[[_T], int], jobs: int) -> Iterator[WorkGroup[_T]]:
    """Yield the items in order, in groups of about the same weight for `jobs` processes: a message
    between processes costs as much as a small file.
    """
    max_items = max(1, len(items) // (jobs * _TURNS))
    group: list[_T] = []
    weight = 0
    for item in items:
        group.append(item)
        weight += EACH + size(item)
        if weight >= _FULL or len(group) >= max_items:
            yield WorkGroup(tuple(group), weight)
            group, weight = [], 0
    if group:
        yield WorkGroup(tuple(group), weight)


class _Running(NamedTuple, Generic[_T, _R]):
    """A group of items, and the future of its results. If `future` is None, the items are run one
    by one.
    """

    group: WorkGroup[_T]
    future: futures.Future[list[_R | Failed]] | None

    @property
    def is_lost(self) -> bool:
        """Whether a process was killed while the group was in the pool."""
        return self.future is not None and isinstance(
            self.future.exception(), futures.BrokenExecutor
        )


def _in_processes(
    work: Callable[[_T], _R],
    groups: Iterator[WorkGroup[_T]],
    jobs: int,
    prepare: Callable[[], object],
) -> Generator[_R | Failed, None, None]:
    """Yield the results of `run`, computed by `jobs` processes."""
    processes = _Processes(work, jobs, prepare)
    running: deque[_Running[_T, _R]] = deque()
    ahead = 0
    try:
        while True:
            while ahead < _WEIGHT_AHEAD * jobs and (group := next(groups, None)):
                running.append(processes.take(group))
                ahead += group.weight
            if not running:
                return
            if running[0].is_lost:
                running = processes.sort_out(running)
            group, future = running.popleft()
            yield from processes.one_by_one(group) if future is None else future.result()
            ahead -= group.weight
    finally:
        processes.end()


class _Processes(Generic[_T, _R]):
    """A process pool that is replaced when one of its processes is killed."""

    def __init__(self, work: Callable[[_T], _R], jobs: int, prepare: Callable[[], object]) -> None:
        import multiprocessing

        self._work, self._jobs, self._prepare = work, jobs, prepare
        self._stop = multiprocessing.RawValue("b", 0)
        self._pool = self._new_pool(jobs)

    def take(self, group: WorkGroup[_T]) -> _Running[_T, _R]:
        """Submit a group. If the pool is broken, the future fails, like those of the other
        groups.
        """
        try:
            with _without_interrupts():
                return _Running(group, self._pool.submit(_each, self._work, group.items))
        except futures.BrokenExecutor as error:
            lost: futures.Future[list[_R | Failed]] = futures.Future()
            lost.set_exception(error)
            return _Running(group, lost)

    def sort_out(self, running: Sequence[_Running[_T, _R]]) -> deque[_Running[_T, _R]]:
        """Start a new pool after a process was killed, and return the tasks to wait for.

        All groups of the old pool are lost. One of the first of them killed the process, so the
        items of these groups are run one by one. The other lost groups are submitted again.
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
        """Yield the result of each item. Each runs alone in a process, so that the item that kills
        its process is known.
        """
        single = self._new_pool(1)
        try:
            for item in group.items:
                try:
                    with _without_interrupts():
                        future = single.submit(guarded, self._work, item)
                    yield future.result()
                except futures.BrokenExecutor:
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

    def _new_pool(self, number: int) -> futures.ProcessPoolExecutor:
        context = _context(self._prepare)
        return futures.ProcessPoolExecutor(
            number,
            context,
            initializer=_start_worker,
            initargs=(_Worker(self._stop, XmlBudget(context)),),
        )


def kill_processes() -> None:
    """Kill all worker processes. Their unfinished files are removed by the next run on the same
    inputs.
    """
    import multiprocessing

    for process in multiprocessing.active_children():
        process.kill()


def _context(prepare: Callable[[], object]) -> BaseContext:
    """Return how processes start.

    If this process has a single thread, they are copies of it, with its modules and what `prepare`
    loads. A copy of a process with several threads could hold a lock for ever, so processes come
    from a server process or start anew then.
    """
    import multiprocessing

    if is_single_threaded():
        import_module(_READER)
        guarded(
            lambda _: prepare(), None
        )  # a fault comes again with the items, and fails only them
    if is_single_threaded():
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


# -- in a worker process


class _Worker(NamedTuple):
    """What worker processes share. `stop` is not 0 once the parent wants no more results."""

    stop: c_byte
    budget: XmlBudget


_worker: _Worker | None = None  # None in other processes


def _start_worker(worker: _Worker) -> None:
    """Set up a worker process: it ignores Ctrl-C and ends with its parent."""
    global _worker  # noqa: PLW0603 - set once when a worker process starts
    _worker = worker
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _each(work: Callable[[_T], _R], items: Sequence[_T]) -> list[_R | Failed]:
    """Return the results of a group. Stop early if the parent wants no more."""
    return [guarded(work, item) for item in items if _worker is None or not _worker.stop.value]


# -- the memory of all processes

XML_AT_ONCE: Final = 256 << 20
"""Bytes of inflated XML in work in all processes together. Parsing takes four to eight times as
much memory.
"""


class XmlBudget:
    """A counter of the bytes of XML that all processes parse at the same time. A file larger than
    the whole budget is parsed alone.
    """

    def __init__(self, context: BaseContext, total: int = XML_AT_ONCE) -> None:
        self._total = total
        self._used = context.RawValue("q", 0)
        self._changed = context.Condition()

    @contextmanager
    def hold(self, size: int) -> Iterator[None]:
        """Wait until `size` bytes fit into the budget, and keep them until the end of the block."""
        size = min(size, self._total)
        with self._changed:
            self._changed.wait_for(lambda: self._used.value + size <= self._total)
            self._used.value += size
        try:
            yield
        finally:
            with self._changed:
                self._used.value -= size
                self._changed.notify_all()


@contextmanager
def parsing(data: bytes) -> Iterator[None]:
    """Wait until this file fits into the XML budget of the worker processes. Outside a worker
    process, do not wait.
    """
    if _worker is None:
        yield
    else:
        with _worker.budget.hold(xml_bytes(data)):
            yield


def xml_bytes(data: bytes) -> int:
    """Return the number of bytes that the XML parts of a Word file have when unpacked, as the ZIP
    directory declares it. If there are no such parts, return the size of the data.
    """
    try:
        entries = Archive(data, Limits()).entries
    except DocxchunkError:
        return len(data)
    return sum(
        entry.size for name, entry in entries.items() if name.endswith((".xml", ".rels"))
    ) or len(data)
