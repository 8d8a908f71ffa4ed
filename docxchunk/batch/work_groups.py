"""Group small items: a message between processes costs as much as a small file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from docxchunk.batch.job_count import EACH

_T = TypeVar("_T")
_FULL: Final = 512 << 10  # weight of a group: some 50 ms of work
_TURNS: Final = 8  # least number of groups per process, so that all finish at about the same time


class WorkGroup(NamedTuple, Generic[_T]):
    """Neighbouring items and their weight together."""

    items: tuple[_T, ...]
    weight: int


def grouped(items: Sequence[_T], size: Callable[[_T], int], jobs: int) -> Iterator[WorkGroup[_T]]:
    """Yield the items in their order, in groups of about the same weight."""
    most = max(1, len(items) // (jobs * _TURNS))
    group: list[_T] = []
    weight = 0
    for item in items:
        group.append(item)
        weight += EACH + size(item)
        if weight >= _FULL or len(group) >= most:
            yield WorkGroup(tuple(group), weight)
            group, weight = [], 0
    if group:
        yield WorkGroup(tuple(group), weight)
