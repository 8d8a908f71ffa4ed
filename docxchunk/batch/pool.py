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
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, Literal, NamedTuple, TypeVar

from docxchunk.backends.local_models import usable_cores
from docxchunk.batch import collect_rarely
from docxchunk.errors import DocxchunkError, MissingExtraError, StorageError, UsageError
from docxchunk.model.options import Limits
from docxchunk.ooxml.archive import Archive

if TYPE_CHECKING:
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


class Failed(NamedTuple):
    """An item that failed: the reason in one sentence, and the class name of the exception."""

    sentence: str
    error: str


Outcomes = Generator[_R | Failed, None, None]
"""The results of items, in order."""


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
) -> Outcomes[_R]:
    """Yield the results in the order of the items. A failed item does not stop the others. To stop
    early, close the generator: started items are finished.

    A single job runs in this thread, several in processes; if a process is killed, only its item
    fails. `size` gives the bytes of an item. `prepare` loads what each item needs: it is called
    once, before processes start as copies of this one. Work that uses `models` runs in threads, so
    that a model is loaded once and answers several items in one batch. `jobs="auto"` means
    `job_count` processes, or one thread if models are used. UsageError, MissingExtraError and
    StorageError are raised, because they concern every item.
    """
    count = 1 if models and jobs == "auto" else min(job_count(jobs, items, size), len(items))
    if count < 2:
        return (guarded(work, item) for item in items)
    return (
        _in_threads(work, items, count)
        if models
        else _in_processes(work, items, size, min(count, _MAX_PROCESSES), prepare)
    )


def in_order(
    submit: Callable[[_T], _R], items: Iterable[_T], weigh: Callable[[_T], int], room: int
) -> Iterator[tuple[_T, _R]]:
    """Submit the items, and yield each with what `submit` returned, its future. Items are submitted
    ahead of the first one that has not been yielded while they weigh less than `room` together.
    """
    ahead: deque[tuple[_T, _R, int]] = deque()
    weight = 0
    for item in items:
        ahead.append((item, submit(item), weigh(item)))
        weight += ahead[-1][2]
        while weight >= room:
            first, future, lifted = ahead.popleft()
            weight -= lifted
            yield first, future
    yield from ((item, future) for item, future, _ in ahead)


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


# -- threads

_ITEMS_AHEAD: Final = 4  # items per thread that may be started ahead of a slow one


def _in_threads(work: Callable[[_T], _R], items: Sequence[_T], jobs: int) -> Outcomes[_R]:
    pool = futures.ThreadPoolExecutor(jobs)
    try:
        for _, future in in_order(
            lambda item: pool.submit(guarded, work, item), items, lambda _: 1, _ITEMS_AHEAD * jobs
        ):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


# -- processes

_MAX_PROCESSES: Final = 61 if sys.platform == "win32" else 1 << 10
"""Processes that ProcessPoolExecutor takes on Windows."""

_WEIGHT_AHEAD: Final = 8 << 20
"""Weight per process that may be started ahead of the first unfinished item."""

_READER: Final = "docxchunk.reader.document"
_PRELOADED: Final = [  # by the server process
    "docxchunk.batch.chunking",
    _READER,
    "docxchunk.chunking",
    "docxchunk.backends.byte_pairs",
]
_THREADS: Final = Path("/proc/self/task")  # a folder for each thread of this process, on Linux
_KILLED: Final = Failed(
    "The process that worked on it was killed; perhaps there is not enough memory for it.", "Killed"
)


def _in_processes(
    work: Callable[[_T], _R],
    items: Sequence[_T],
    size: Callable[[_T], int],
    jobs: int,
    prepare: Callable[[], object],
) -> Outcomes[_R]:
    """Yield the results of `run`, computed by `jobs` processes. If a process is killed, all
    unfinished items are lost. Each of these items then runs alone in a process, to find the item
    that kills its process.
    """
    many, alone = _Pool(work, jobs, prepare), _Pool(work, 1, prepare)
    try:
        for item, future in in_order(
            many.submit, items, lambda item: EACH + size(item), _WEIGHT_AHEAD * jobs
        ):
            if _is_lost(future):
                future = alone.submit(item)  # noqa: PLW2901 - the same item again
            yield _KILLED if _is_lost(future) else future.result()
    finally:
        many.end()
        alone.end()


def _is_lost(future: futures.Future[_R]) -> bool:
    """Wait for a result, and return whether a process was killed before it came."""
    return isinstance(future.exception(), futures.BrokenExecutor)


class _Pool(Generic[_T, _R]):
    """A process pool that starts with its first item, and is replaced when one of its processes is
    killed.
    """

    def __init__(self, work: Callable[[_T], _R], jobs: int, prepare: Callable[[], object]) -> None:
        self._work, self._jobs, self._prepare = work, jobs, prepare
        self._pool: futures.ProcessPoolExecutor | None = None

    def submit(self, item: _T) -> futures.Future[_R | Failed]:
        with _without_interrupts():
            try:
                self._pool = self._pool or self._new()
                return self._pool.submit(guarded, self._work, item)
            except futures.BrokenExecutor:
                self._pool = self._new()
                return self._pool.submit(guarded, self._work, item)

    def end(self) -> None:
        """Wait for the items that have been started; kill them if Ctrl-C comes again."""
        try:
            if self._pool:
                self._pool.shutdown(cancel_futures=True)
        except KeyboardInterrupt:
            kill_processes()
            raise

    def _new(self) -> futures.ProcessPoolExecutor:
        context = _context(self._prepare)
        return futures.ProcessPoolExecutor(
            self._jobs, context, initializer=_start_worker, initargs=(XmlBudget(context),)
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


_budget: XmlBudget | None = None  # None in other processes


def _start_worker(budget: XmlBudget) -> None:
    """Set up a worker process: it ignores Ctrl-C and ends with its parent."""
    global _budget  # noqa: PLW0603 - set once when a worker process starts
    _budget = budget
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


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


def parsing(data: bytes) -> AbstractContextManager[None]:
    """Wait until this file fits into the XML budget of the worker processes. Outside a worker
    process, do not wait.
    """
    return nullcontext() if _budget is None else _budget.hold(xml_bytes(data))


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
