"""Compare two sequences of words, or of anything hashable: which words both have in the same order,
and which words only one has.

The result is a longest common subsequence, computed with a bit for each pair of words (Hyyrö 2004,
"Bit-parallel LCS-length computation revisited"). Long sequences are first divided at the words that
occur once in both. A part that is still too long is divided into parts of equal length, so the work
grows with the number of words and not with its square.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import isqrt
from typing import Final, NamedTuple, TypeVar

MOST_PAIRS: Final = 2**24  # of an old and a new word, in one part

Word = TypeVar("Word", bound=Hashable)


class WordMatch(NamedTuple):
    """Words [a, a + size) of the old sequence, which are words [b, b + size) of the new one. The
    fields are named as in `difflib.Match`.
    """

    a: int
    b: int
    size: int


class WordRun(NamedTuple):
    """Consecutive words: the same words on both sides if `is_same`; otherwise `old` was replaced
    with `new`, and one of the two may be empty.
    """

    is_same: bool
    old: range
    new: range


def matches(old: Sequence[Word], new: Sequence[Word]) -> list[WordMatch]:
    """Return the runs of words that both sequences have, in order. Two neighbours in the list are
    never adjacent on both sides. A run whose words also follow the run before it is a part of that.
    """
    runs: list[WordMatch] = []
    for match in _runs_of_pairs(_pairs(old, new)):
        last = runs[-1] if runs else WordMatch(0, 0, 0)
        a, b, size = last.a + last.size, last.b + last.size, match.size
        is_next = (match.a == a or match.b == b) and old[a : a + size] == new[b : b + size]
        if runs and is_next:
            runs[-1] = WordMatch(last.a, last.b, last.size + size)
        else:
            runs.append(match)
    return runs


def _runs_of_pairs(pairs: Iterable[tuple[int, int]]) -> Iterator[WordMatch]:
    """Yield each run of pairs that are adjacent on both sides."""
    last = WordMatch(0, 0, 0)
    for a, b in pairs:
        if last.a + last.size == a and last.b + last.size == b:
            last = WordMatch(last.a, last.b, last.size + 1)
        else:
            if last.size:
                yield last
            last = WordMatch(a, b, 1)
    if last.size:
        yield last


def runs(old: Sequence[Word], new: Sequence[Word]) -> Iterator[WordRun]:
    """Yield the runs of equal and of replaced words, in order. Together they are all words of both
    sequences.
    """
    a = b = 0
    for match in (*matches(old, new), WordMatch(len(old), len(new), 0)):
        if match.a > a or match.b > b:
            yield WordRun(False, range(a, match.a), range(b, match.b))
        a, b = match.a + match.size, match.b + match.size
        if match.size:
            yield WordRun(True, range(match.a, a), range(match.b, b))


class _WordRanges(NamedTuple):
    """Words [a, a_end) of the old sequence and [b, b_end) of the new one."""

    a: int
    a_end: int
    b: int
    b_end: int

    @property
    def pairs(self) -> int:
        return (self.a_end - self.a) * (self.b_end - self.b)


def _pairs(old: Sequence[Word], new: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the words that match, in order."""
    inner = _trimmed(old, new, _WordRanges(0, len(old), 0, len(new)))
    yield from zip(range(inner.a), range(inner.b), strict=True)
    for part in _divided(old, new, inner):
        yield from _common(old, new, part)
    yield from zip(range(inner.a_end, len(old)), range(inner.b_end, len(new)), strict=True)


def _trimmed(old: Sequence[Word], new: Sequence[Word], part: _WordRanges) -> _WordRanges:
    """Return a part without the words at its ends that both sides have."""
    a, a_end, b, b_end = part
    while a < a_end and b < b_end and old[a] == new[b]:
        a, b = a + 1, b + 1
    while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
        a_end, b_end = a_end - 1, b_end - 1
    return _WordRanges(a, a_end, b, b_end)


def _divided(old: Sequence[Word], new: Sequence[Word], part: _WordRanges) -> Iterator[_WordRanges]:
    """Yield parts of a part, each with at most `MOST_PAIRS` pairs of words."""
    if part.pairs <= MOST_PAIRS:
        yield part
        return
    for small in _between_anchors(old, new, part):
        count = isqrt(max(small.pairs - 1, 0) // MOST_PAIRS) + 1
        for (a, a_end), (b, b_end) in zip(
            _cut(small.a, small.a_end, count), _cut(small.b, small.b_end, count), strict=True
        ):
            yield _WordRanges(a, a_end, b, b_end)


def _cut(start: int, end: int, count: int) -> Iterable[tuple[int, int]]:
    """Return `count` ranges of nearly equal length."""
    return pairwise(start + (end - start) * number // count for number in range(count + 1))


def _between_anchors(
    old: Sequence[Word], new: Sequence[Word], part: _WordRanges
) -> Iterator[_WordRanges]:
    """Yield the parts that begin at words that occur once on both sides and are in the same order
    there.
    """
    a, a_end, b, b_end = part
    at = {new[number]: number for number in range(b, b_end)}
    old_counts, new_counts = Counter(old[a:a_end]), Counter(new[b:b_end])
    once = {
        at[old[number]]: number
        for number in range(a, a_end)
        if old_counts[old[number]] == 1 == new_counts[old[number]]
    }
    for anchor in longest_rise(once):  # the keys are in the order of the old sequence
        yield _WordRanges(a, once[anchor], b, anchor)
        a, b = once[anchor], anchor
    yield _WordRanges(a, a_end, b, b_end)


def _common(
    old: Sequence[Word], new: Sequence[Word], part: _WordRanges
) -> Iterator[tuple[int, int]]:
    """Yield a longest common subsequence of a part: the numbers of the words that match."""
    a, a_end, b, b_end = part
    if b_end - b > a_end - a:  # the rows have a bit for each word of the shorter side
        yield from ((a, b) for b, a in _common(new, old, _WordRanges(b, b_end, a, a_end)))
        return
    rows = list(_rows(old[a:a_end], new[b:b_end]))
    pairs: list[tuple[int, int]] = []
    while a_end > a and b_end > b:
        if old[a_end - 1] == new[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            pairs.append((a_end, b_end))
        elif rows[a_end - a - 1] >> (b_end - b - 1) & 1:
            b_end -= 1
        else:
            a_end -= 1
    yield from reversed(pairs)


def count_common(old: Sequence[Word], new: Sequence[Word]) -> int:
    """Return the length of a longest common subsequence."""
    last = deque(_rows(new, old), maxlen=1)
    return len(old) - last[0].bit_count() if last else 0


def _rows(old: Sequence[Word], new: Sequence[Word]) -> Iterator[int]:
    """Yield a row of bits for each old word. Bit n of row m is 0 if the longest common subsequence
    of m + 1 old words and n + 1 new words is longer than that with n new words.
    """
    positions: dict[Word, int] = {}
    for number, word in enumerate(new):
        positions[word] = positions.get(word, 0) | 1 << number
    row = every = (1 << len(new)) - 1
    for word in old:
        if word in positions:  # else the row is the same
            matching = row & positions[word]
            row = (row + matching | row - matching) & every
        yield row


def longest_rise(numbers: Iterable[int]) -> list[int]:
    """Return the longest increasing subsequence of distinct numbers, by patience sorting: `ends[n]`
    is the smallest number in which a subsequence of n + 1 numbers can end.
    """
    ends: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        length = bisect_left(ends, number)
        before[number] = ends[length - 1] if length else None
        ends[length : length + 1] = [number]
    rise: list[int] = []
    last = ends[-1] if ends else None
    while last is not None:
        rise.append(last)
        last = before[last]
    return rise[::-1]
