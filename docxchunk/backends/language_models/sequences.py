"""Sequences of tokens that a language model reads: parts of long ones, and
groups with a common prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_SHARED: Final = 16  # tokens of a common prefix that are worth a pass of their own


class ScoredSequence(NamedTuple):
    """A sequence of token ids, and the log-probabilities that are requested in it.

    - `ids`: the tokens to read.
    - `at`: n ascending indexes of `ids`.
    - `tokens`: n rows of k tokens; row i asks for the log-probabilities of its tokens right after
      the token at index `at[i]`.
    - `kept`: a sequence that is too long for the context of the model is read in several parts.
      Each part begins with the first `kept` tokens.
    - `evicts`: if True, the sequence is not read in parts. Instead, the model forgets the oldest
      tokens (their keys are evicted).
    """

    ids: tuple[int, ...]
    at: NDArray[np.int64]
    tokens: NDArray[np.int64]
    kept: int = 0
    evicts: bool = False


class PrefixGroup(NamedTuple):
    """Indexes of sequences with the same first `shared` tokens. No log-probability is requested at
    these tokens.
    """

    shared: int
    members: list[int]


def restarts(passage: ScoredSequence, max_tokens: int, overlap: int) -> list[ScoredSequence]:
    """Split a sequence that is too long into sequences of at most `max_tokens` tokens. They have
    the same requests in the same order.

    Each sequence but the first begins with the kept tokens and with `overlap` tokens of context.
    Tokens after the last request are left out. The oldest tokens are not evicted instead: that
    would remove the first tokens, without which a model predicts badly (Xiao et al. 2023). Raise
    ModelError if the kept tokens leave no room.
    """
    kept, at = passage.kept, passage.at
    ids = passage.ids[: int(at[-1]) + 1] if len(at) else ()
    if len(ids) <= max_tokens:
        return [passage._replace(ids=ids)]
    step = max_tokens - kept - overlap
    if step <= 0:
        raise ModelError(
            f"The instruction has {kept} tokens and the context of the model "
            f"{max_tokens}, which leaves no room for the text."
        )
    # a part has the requests at tokens [start, end)
    parts, start, end = [], 0, max_tokens
    while start < len(ids):
        requested = (at >= start) & (at < end)
        if requested.any():
            context = start - overlap if start else kept  # where the context begins
            last = int(at[requested][-1])
            parts.append(
                ScoredSequence(
                    ids[:kept] + ids[context : last + 1],
                    at[requested] - context + kept,
                    passage.tokens[requested],
                    kept,
                )
            )
        start, end = end, end + step
    return parts


def groups(passages: Sequence[ScoredSequence]) -> Iterator[PrefixGroup]:
    """Yield groups of sequences with a long common prefix, which is read once. The last group has
    the sequences without such a prefix.
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
        common = min(room, shared, common_length(ids, passages[members[-1]].ids)) if members else 0
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


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the length of the common prefix of two sequences."""
    return sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False))
    )
