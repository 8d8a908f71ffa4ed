"""Plan the forward passes of a causal LM: split, group and batch sequences of token ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from docxchunk.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_SHARED: Final = 16  # tokens of a common prefix that are worth a pass of their own
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class ScoredSequence(NamedTuple):
    """Token ids to read. After the token at each index of `at`, ascending, the log-probabilities of
    one row of `tokens` are requested.

    Shapes: `at` (n,), `tokens` (n, k). `kept` is the number of first tokens that are repeated at
    each restart. With `evicts` there is no restart: the oldest keys are evicted.
    """

    ids: tuple[int, ...]
    at: NDArray[np.int64]
    tokens: NDArray[np.int64]
    kept: int = 0
    evicts: bool = False


class PrefixGroup(NamedTuple):
    """Indexes of sequences with the same first `shared` tokens, none of which is requested."""

    shared: int
    members: list[int]


def restarts(passage: ScoredSequence, most: int, overlap: int) -> list[ScoredSequence]:
    """Split the sequence into sequences of at most `most` tokens with the same requests in the same
    order.

    All but the first begin with the kept tokens and `overlap` tokens of context. (Evicting the
    oldest keys instead removes the first tokens, without which a model predicts badly: Xiao et al.
    2023.) Tokens after the last request are left out. Raise ModelError if the kept tokens leave no
    room.
    """
    ids, at, kept = (
        passage.ids[: int(passage.at[-1]) + 1] if len(passage.at) else (),
        passage.at,
        passage.kept,
    )
    if len(ids) <= most:
        return [passage._replace(ids=ids)]
    step = most - kept - overlap
    if step <= 0:
        raise ModelError(
            f"The instruction has {kept} tokens and the context of the model "
            f"{most}, which leaves no room for the text."
        )
    found, start, end = [], 0, most
    while start < len(ids):
        mine = (at >= start) & (at < end)
        begin = max(kept, start - overlap) if start else kept
        if mine.any():
            found.append(
                ScoredSequence(
                    ids[:kept] + ids[begin : min(end, int(at[mine][-1]) + 1)],
                    at[mine] - begin + kept,
                    passage.tokens[mine],
                    kept,
                )
            )
        start, end = end, end + step
    return found


def groups(passages: Sequence[ScoredSequence]) -> Iterator[PrefixGroup]:
    """Yield groups of sequences with a long common prefix, which is read once; last, a group of
    those without one.
    """
    order = sorted(
        (number for number, passage in enumerate(passages) if len(passage.at)),
        key=lambda number: passages[number].ids,
    )
    alone: list[int] = []
    members: list[int] = []
    shared = 0
    for number in order:
        ids, room = passages[number].ids, int(passages[number].at[0])
        common = min(room, shared, _common(ids, passages[members[-1]].ids)) if members else 0
        if (
            members
            and common >= _LEAST_SHARED
            and common * len(members) > shared * (len(members) - 1)
        ):
            members, shared = [*members, number], common
            continue
        yield from _closed(shared, members, alone)
        members, shared = [number], room
    yield from _closed(shared, members, alone)
    if alone:
        yield PrefixGroup(0, alone)


def _closed(shared: int, members: list[int], alone: list[int]) -> Iterator[PrefixGroup]:
    if len(members) > 1:
        yield PrefixGroup(shared, members)
    else:
        alone += members


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    )


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield batches of indexes, longest first: rows times the longest length stays within the
    budget, or the batch is a single row.
    """
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    start = 0
    while start < len(order):
        rows = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + rows]
        start += rows


def readable(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, which tokenizers reject. The length
    stays the same.
    """
    return _SURROGATE.sub("\ufffd", text)
