"""Fewer runs of the garbage collector while a document is read or chunked."""

from __future__ import annotations

import gc
from contextlib import ContextDecorator
from threading import Lock
from typing import Final

# Those of `gc.set_threshold`: new objects, and runs for the new ones until the older ones are
# searched, too.
_THRESHOLDS: Final = (100_000, 20, 20)


class _FewCollections(ContextDecorator):
    """Raises the thresholds of the garbage collector, until the last thread leaves.

    The objects of a document have no reference cycles, so that searching them for cycles finds
    nothing. With the usual thresholds, it takes up to half of the time of a large document.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._usual = gc.get_threshold()

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._usual = gc.get_threshold()
                gc.set_threshold(*_THRESHOLDS)
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                gc.set_threshold(*self._usual)


few_collections = _FewCollections()
