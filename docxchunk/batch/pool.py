"""One function over many items: in this thread, in several, or in several processes. A bad item never stops the others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeVar

from docxchunk.errors import DocxchunkError, MissingExtraError, StorageError, UsageError

_T = TypeVar("_T")
_R = TypeVar("_R")


class Failed(NamedTuple):
    """Why an item has no result: one sentence, and the name of the class of what was raised."""

    sentence: str
    error: str


def run(
    work: Callable[[_T], _R], items: Sequence[_T], jobs: int, size: Callable[[_T], int] = lambda _: 0, models: Sequence[str] = ()
) -> Generator[_R | Failed, None, None]:
    """The results, in the order of the items, of which only so many are begun ahead. Close it to stop early: what has been begun is finished.

    One job runs in this thread. More run in processes, and if one of these is killed, only its item fails; items of a small `size`, in bytes, travel
    together. Work that asks `models` runs in threads instead: a model is loaded once, and may gather the questions of several items.
    Raises UsageError, MissingExtraError and StorageError as they come: they are the same for all.
    """
    if jobs == 1 or len(items) < 2:
        return (guarded(work, item) for item in items)
    if models:
        from docxchunk.batch.threads import in_threads

        return in_threads(work, items, min(jobs, len(items)))
    from docxchunk.batch.processes import in_processes

    return in_processes(work, items, min(jobs, len(items)), size)


def guarded(work: Callable[[_T], _R], item: _T) -> _R | Failed:
    """The result, or the sentence that tells why there is none."""
    try:
        return work(item)
    except (UsageError, MissingExtraError, StorageError):
        raise
    except DocxchunkError as error:
        return Failed(str(error), type(error).__name__)
    except MemoryError:
        return Failed("There is not enough memory for it.", "MemoryError")
    except Exception as error:  # noqa: BLE001 - a fault of ours must not stop the others either
        _log(item)
        return Failed(f"This is a fault in docxchunk, please report it ({type(error).__name__}: {error}).", type(error).__name__)


def _log(item: object) -> None:
    import logging

    logging.getLogger(__name__).debug("%s", item, exc_info=True)  # noqa: LOG014 - called by the handler
