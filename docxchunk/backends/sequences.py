"""What a causal language model is to read, and how it is read in few passes: pure bookkeeping over ids of tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from docxchunk.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_SHARED: Final = 16  # tokens of a common beginning that are worth a pass of their own
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Passage(NamedTuple):
    """Tokens to be read. After the token at each of `at`, rising, the log-probabilities of one row of `tokens` are asked.

    Shapes: `at` (n,), `tokens` (n, k). `kept` is how many of the first tokens are read again wherever reading starts afresh;
    with `evicts` it never does, and the oldest keys are dropped.
    """

    ids: tuple[int, ...]
    at: NDArray[np.int64]
    tokens: NDArray[np.int64]
    kept: int = 0
    evicts: bool = False


class Group(NamedTuple):
    """Passages, by number, whose first `shared` tokens are the same and asked nothing of."""

    shared: int
    members: list[int]


def restarts(passage: Passage, most: int, overlap: int) -> list[Passage]:
    """The passage as passages of at most `most` tokens that together ask the same, in the same order.

    All but the first begin with the kept tokens and the `overlap` tokens before their own: every token is asked of once, with at least so much before it.
    (Dropping the oldest keys instead of reading them again takes from a model the first tokens, without which it does not predict: Xiao et al. 2023.)
    Tokens after the last that is asked of are not read. Raises ModelError where the kept ones leave no room.
    """
    ids, at, kept = passage.ids[: int(passage.at[-1]) + 1] if len(passage.at) else (), passage.at, passage.kept
    if len(ids) <= most:
        return [passage._replace(ids=ids)]
    step = most - kept - overlap
    if step <= 0:
        raise ModelError(f"The instruction has {kept} tokens; the model reads {most} at once, which leaves no room for the text.")
    found, start, end = [], 0, most
    while start < len(ids):
        mine = (at >= start) & (at < end)
        begin = max(kept, start - overlap) if start else kept
        if mine.any():
            found.append(Passage(ids[:kept] + ids[begin : min(end, int(at[mine][-1]) + 1)], at[mine] - begin + kept, passage.tokens[mine], kept))
        start, end = end, end + step
    return found


def groups(passages: Sequence[Passage]) -> Iterator[Group]:
    """All passages, those with a long common beginning together, so that it is read once; last, those that share nothing."""
    order = sorted((number for number, passage in enumerate(passages) if len(passage.at)), key=lambda number: passages[number].ids)
    alone: list[int] = []
    members: list[int] = []
    shared = 0
    for number in order:
        ids, room = passages[number].ids, int(passages[number].at[0])
        common = min(room, shared, _common(ids, passages[members[-1]].ids)) if members else 0
        if members and common >= _LEAST_SHARED and common * len(members) > shared * (len(members) - 1):
            members, shared = [*members, number], common
            continue
        yield from _closed(shared, members, alone)
        members, shared = [number], room
    yield from _closed(shared, members, alone)
    if alone:
        yield Group(0, alone)


def _closed(shared: int, members: list[int], alone: list[int]) -> Iterator[Group]:
    if len(members) > 1:
        yield Group(shared, members)
    else:
        alone += members


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Numbers of rows, the longest first, as many at once as keep rows times the longest within the budget; at least one."""
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    start = 0
    while start < len(order):
        rows = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + rows]
        start += rows


def readable(text: str) -> str:
    """The text, as long as it was, with each lone surrogate as the replacement character: tokenizers refuse them."""
    return _SURROGATE.sub("\ufffd", text)
