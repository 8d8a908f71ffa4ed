"""Apply one function to many items in this thread, in several threads or in several processes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeVar

from docxchunk.batch.job_count import Jobs, job_count
from docxchunk.errors import DocxchunkError, MissingExtraError, StorageError, UsageError

_T = TypeVar("_T")
_R = TypeVar("_R")


class Failed(NamedTuple):
    """An item that failed: the reason in one sentence, and the class name of the exception."""

    sentence: str
    error: str


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
        from docxchunk.batch.threads import in_threads

        return in_threads(work, items, count)
    from docxchunk.batch.processes import in_processes

    return in_processes(work, items, count, size)


def guarded(work: Callable[[_T], _R], item: _T) -> _R | Failed:
    """Return the result of the work, or a Failed for any error that concerns only this item."""
    try:
        return work(item)
    except (UsageError, MissingExtraError, StorageError):
        raise
    except DocxchunkError as error:
        return Failed(str(error), type(error).__name__)
    except MemoryError:
        return Failed("There is not enough memory for it.", "MemoryError")
    except Exception as error:  # noqa: BLE001 - a bug must not stop the other items either
        _log(item)
        return Failed(
            f"This is a fault in docxchunk, please report it ({type(error).__name__}: {error}).",
            type(error).__name__,
        )


def _log(item: object) -> None:
    import logging

    logging.getLogger(__name__).debug("%s", item, exc_info=True)  # noqa: LOG014 - called by the handler
