"""One function over many items, in this process or in several. A bad item never stops the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from docxchunk.errors import DocxchunkError, MissingExtraError, UsageError

_T = TypeVar("_T")
_R = TypeVar("_R")


class Failed(NamedTuple):
    """Why an item has no result: one sentence."""

    sentence: str


def run(work: Callable[[_T], _R], items: Sequence[_T], jobs: int) -> Iterator[_R | Failed]:
    """The results, in the order of the items. One job runs in this process; more run in others, and if one of these is killed, only its item fails.

    Raises UsageError and MissingExtraError as they come: they are the same for all.
    """
    if jobs == 1 or len(items) < 2:
        return (guarded(work, item) for item in items)
    from docxchunk.batch.processes import in_processes

    return in_processes(work, items, min(jobs, len(items)))


def guarded(work: Callable[[_T], _R], item: _T) -> _R | Failed:
    """The result, or the sentence that tells why there is none."""
    try:
        return work(item)
    except (UsageError, MissingExtraError):
        raise
    except DocxchunkError as error:
        return Failed(str(error))
    except MemoryError:
        return Failed("There is not enough memory for it.")
    except Exception as error:  # noqa: BLE001 - a fault of ours must not stop the others either
        _log(item)
        return Failed(f"This is a fault in docxchunk, please report it ({type(error).__name__}: {error}).")


def _log(item: object) -> None:
    import logging

    logging.getLogger(__name__).debug("%s", item, exc_info=True)  # noqa: LOG014 - called by the handler
