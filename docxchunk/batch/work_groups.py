"""Small items travel together: a message between processes costs as much as a small file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

_T = TypeVar("_T")
_FULL: Final = 512 << 10  # weight of a group: some 50 ms of work
_EACH: Final = 16 << 10  # what an item weighs beside its bytes
_TURNS: Final = 8  # groups a process, at least, so that none has nothing to do at the end


class Group(NamedTuple, Generic[_T]):
    """Neighbours, and what they weigh together."""

    items: tuple[_T, ...]
    weight: int


def grouped(items: Sequence[_T], size: Callable[[_T], int], jobs: int) -> Iterator[Group[_T]]:
    """The items in their order, in groups of about the same weight."""
    most = max(1, len(items) // (jobs * _TURNS))
    group: list[_T] = []
    weight = 0
    for item in items:
        group.append(item)
        weight += _EACH + size(item)
        if weight >= _FULL or len(group) >= most:
            yield Group(tuple(group), weight)
            group, weight = [], 0
    if group:
        yield Group(tuple(group), weight)
