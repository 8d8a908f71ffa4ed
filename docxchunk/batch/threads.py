"""Run work in threads, for work that waits for a model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Final, TypeVar

from docxchunk.batch.pool import Failed, guarded

_T = TypeVar("_T")
_R = TypeVar("_R")
_AHEAD: Final = 4  # items per thread that may be started ahead of a slow one


def in_threads(
    work: Callable[[_T], _R], items: Iterable[_T], jobs: int
) -> Generator[_R | Failed, None, None]:
    """Yield the result of each item in order, like `pool.run`."""
    waiting, running, pool = iter(items), deque[Future[_R | Failed]](), ThreadPoolExecutor(jobs)
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
