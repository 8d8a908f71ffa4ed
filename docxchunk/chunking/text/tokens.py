"""Count the tokens of many parts of a text exactly, and encode the text only about once
(docs/design/chunking.md, Token counts).

A *token boundary* is an offset that no token crosses: the start of a line, or the end of a word
(see `Tokenizer.additive_over_newlines`). A tokenizer that returns the end of each token (see
`TokenEnds`) encodes a text once; the tokens before any boundary are then looked up. With any other
tokenizer, the tokens between neighbouring boundaries are counted once. The count of a range is then
a difference of sums and, at most, two short counts at its ends. If counts are not additive over
newlines, each range is counted as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final

from docxchunk.model.ports import EachCounts, TokenEnds, Tokenizer

_AFTER_WORD: Final = (
    r"[\s!-&(-/:-@\[-^`{-~\u2010-\u2018\u201a-\u2027\u2030-\u205e\u3000-\u3020"
    r"\uff01-\uff06\uff08-\uff0f\uff1a-\uff20]"
)
_WORD_END = re.compile(rf"[^\W_](?={_AFTER_WORD})")
_LAST_WORD_END = re.compile(rf".*[^\W_](?={_AFTER_WORD})", re.DOTALL)
_NEAR: Final = 64  # characters searched for the end of a word


class Meter:
    """Counts the tokens of texts and of concatenated texts. Caches repeated counts."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.count = tokenizer.count
        self.additive = tokenizer.additive_over_newlines
        self._count_each = tokenizer.count_each if isinstance(tokenizer, EachCounts) else None
        self._token_ends = (
            tokenizer.token_ends if self.additive and isinstance(tokenizer, TokenEnds) else None
        )
        self._repeated: dict[str, int] = {}
        self._seams: dict[tuple[str, str, str], int] = {}

    def count_each(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        return self._count_each(texts) if self._count_each else list(map(self.count, texts))

    def token_ends(self, text: str) -> Sequence[int] | None:
        """Return the ends of the tokens of a text as offsets, after a 0; None if the tokenizer does
        not have `token_ends`.
        """
        return self._token_ends(text) if self._token_ends else None

    def repeated(self, text: str) -> int:
        """Return the cached count of a text that recurs, such as the header of a table."""
        found = self._repeated.get(text)
        if found is None:
            found = self._repeated[text] = self.count(text)
        return found

    def joined(self, left: str, left_tokens: int, join: str, right: str, right_tokens: int) -> int:
        """Return the count of `left + join + right`, none of which is empty. `left_tokens` and
        `right_tokens` are the counts of the outer two.
        """
        if not self.additive:
            return self.count(left + join + right)
        head = "" if join[-1:] == "\n" and _is_fresh(right, 0) else _head(right)
        tail = _tail(left, join[:1] or head[:1])
        key = (tail, join, head)
        seam = self._seams.get(key)
        if seam is None:
            seam = self._seams[key] = (
                self.count(tail + join + head)
                - self.count(tail)
                - (self.count(head) if head else 0)
            )
        return left_tokens + seam + right_tokens


class Ruler:
    """Counts the tokens of any part of one text.

    `places` are the offsets of probable cuts, ascending. Those less than `apart` characters after
    the previous one are ignored.
    """

    def __init__(self, meter: Meter, text: str, places: Iterable[int], apart: int = 1) -> None:
        self._meter = meter
        self.text = text
        self._counted: dict[tuple[int, int], int] = {}
        self._heads: dict[int, tuple[int, int]] = {}
        self._tails: dict[int, tuple[int, int]] = {}
        self._ends = meter.token_ends(text)
        self._boundaries = sorted({0, *self._near(_thinned(places, apart)), len(text)})
        self._sums = self._before(self._boundaries, 0, {})

    def measure(self, start: int, end: int) -> int:
        """Return the exact count of `text[start:end]`."""
        if self._ends is not None:
            first, before = self._heads.get(start) or self._head(self._ends, start)
            last, upto = self._tails.get(end) or self._tail(self._ends, end)
            if first < end and first <= last:
                return upto - before
        boundaries = self._boundaries
        first = bisect_left(boundaries, start)
        last = bisect_right(boundaries, end) - 1
        if first > last or not self._meter.additive:
            return self._count(start, end)
        total = self._sums[last] - self._sums[first]
        if boundaries[first] > start:
            total += self._count(start, boundaries[first])
        if boundaries[last] < end:
            total += self._count(boundaries[last], end)
        return total

    def _head(self, ends: Sequence[int], start: int) -> tuple[int, int]:
        """Return the first boundary from `start` on, and the number to subtract from that of
        `_tail` to get the count of a range that begins at `start`.
        """
        text = self.text
        if start == 0 or (start < len(text) and text[start - 1] == "\n" and _is_fresh(text, start)):
            found = start, bisect_right(ends, start)
        else:
            first = _word_after(text, start)
            found = (
                first,
                bisect_right(ends, first)
                - (self._meter.repeated(text[start:first]) if first <= len(text) else 0),
            )
        self._heads[start] = found
        return found

    def _tail(self, ends: Sequence[int], end: int) -> tuple[int, int]:
        """Return the last boundary up to `end`, and the number of tokens of the text up to
        `end`.
        """
        last = _word_before(self.text, end)
        found = self._tails[end] = (
            last,
            bisect_right(ends, last)
            + (self._meter.repeated(self.text[last:end]) if 0 <= last < end else 0),
        )
        return found

    def _count(self, start: int, end: int) -> int:
        """Return the count between two offsets that are not both boundaries. The count is
        cached.
        """
        found = self._counted.get((start, end))
        if found is None:
            found = self._counted[start, end] = self._meter.count(self.text[start:end])
        return found

    def about(self, place: int) -> int:
        """Return the approximate number of tokens before a place, interpolated between boundaries
        without a call of the tokenizer.
        """
        boundaries, sums = self._boundaries, self._sums
        last = bisect_right(boundaries, place) - 1
        start, tokens = boundaries[last], sums[last]
        return (
            tokens
            if start == place
            else tokens
            + (sums[last + 1] - tokens) * (place - start) // (boundaries[last + 1] - start)
        )

    def about_each(self, places: Sequence[int]) -> list[int]:
        """Return `about` of each place; faster for many places in ascending order."""
        boundaries, sums = self._boundaries, self._sums
        found: list[int] = []
        last, final = 0, len(boundaries) - 1
        for place in places:
            while last < final and boundaries[last + 1] <= place:
                last += 1
            start, tokens = boundaries[last], sums[last]
            if start != place:
                tokens += (
                    (sums[last + 1] - tokens) * (place - start) // (boundaries[last + 1] - start)
                )
            found.append(tokens)
        return found

    def exceeds(self, start: int, end: int, most: int) -> bool:
        """Return whether `text[start:end]` has more than `most` tokens; counts exactly only if it
        is close.
        """
        about = self.about(end) - self.about(start)
        return about > most * 3 // 2 or (about > most // 2 and self.measure(start, end) > most)

    def refine(self, start: int, end: int, places: Iterable[int]) -> None:
        """Add boundaries near these places, all in [start, end]."""
        first = bisect_right(self._boundaries, start) - 1
        last = bisect_left(self._boundaries, end)
        old = self._boundaries[first : last + 1]
        new = sorted(
            {*old, *[boundary for boundary in self._near(places) if old[0] < boundary < old[-1]]}
        )
        if len(new) == len(old):
            return
        if self._ends is not None:
            self._boundaries[first : last + 1], self._sums[first : last + 1] = (
                new,
                self._before(new, 0, {}),
            )
            return
        known = {
            (a, b): after - before
            for (a, b), (before, after) in zip(
                pairwise(old), pairwise(self._sums[first : last + 1]), strict=True
            )
        }
        sums = self._before(new, self._sums[first], known)
        # not 0 only for tokenizers whose counts are not additive
        more = sums[-1] - self._sums[last]
        self._sums[first:] = (
            [*sums, *(tokens + more for tokens in self._sums[last + 1 :])]
            if more
            else [*sums, *self._sums[last + 1 :]]
        )
        self._boundaries[first : last + 1] = new

    def _near(self, places: Iterable[int]) -> list[int]:
        """Return token boundaries at these places. If a token may extend across a place, return the
        ends of the words before and after it instead.
        """
        text, size = self.text, len(self.text)
        found: list[int] = []
        for place in places:
            if not 0 < place < size:
                continue
            if text[place - 1] == "\n" and _is_fresh(text, place):
                found.append(place)
                continue
            if (before := _word_before(text, place)) >= 0:
                found.append(before)
            if (after := _word_after(text, place)) <= size:
                found.append(after)
        return found

    def _before(
        self, boundaries: Sequence[int], base: int, known: Mapping[tuple[int, int], int]
    ) -> list[int]:
        """Return the number of tokens before each boundary, `base` for the first. `known` are
        counts between neighbouring boundaries.
        """
        if (ends := self._ends) is not None:
            return [bisect_right(ends, boundary) - 1 for boundary in boundaries]
        text, count = self.text, self._meter.count
        return [
            *accumulate(
                (
                    known[pair] if pair in known else count(text[pair[0] : pair[1]])
                    for pair in pairwise(boundaries)
                ),
                initial=base,
            )
        ]


def furthest(fits: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """Return the last place in [low, high] that fits, or low - 1 if none does, by exponential
    search from `guess`. `fits` must be monotone.
    """
    at = min(max(guess, low), high)
    step = 1
    if fits(at):
        good, bad = at, high + 1
        while good < high and (probe := min(good + step, high)) < bad:
            if not fits(probe):
                bad = probe
                break
            good, step = probe, step * 2
    else:
        good, bad = low - 1, at
        while (probe := max(bad - step, low)) < bad:
            if fits(probe):
                good = probe
                break
            bad, step = probe, step * 2
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


def _thinned(places: Iterable[int], apart: int) -> Iterator[int]:
    last = -apart
    for place in places:
        if place - last >= apart:
            yield place
            last = place


def _word_after(text: str, place: int) -> int:
    """Return the end of the first word that ends after a place; a number over the length of the
    text if there is none within 64 characters.
    """
    match = _WORD_END.search(text, place, place + _NEAR)
    return match.end() if match else len(text) + 1


def _word_before(text: str, place: int) -> int:
    """Return the end of the last word that ends at or before a place; -1 if there is none within 64
    characters.
    """
    match = _LAST_WORD_END.match(text, max(0, place - _NEAR), place + 1)
    return match.end() if match else -1


def _is_fresh(text: str, at: int) -> bool:
    """Return whether a token starts at the start of this line."""
    first = text[at]
    return first != "/" and not first.isspace()


def _tail(text: str, following: str) -> str:
    """Return the text after its last end of a word. It contains all tokens that `following` can
    change.
    """
    near = text[-_NEAR:]
    found = _LAST_WORD_END.match(near + following)
    if not found and len(near) < len(text):
        near = text
        found = _LAST_WORD_END.match(text + following)
    return near[found.end() :] if found else text


def _head(text: str) -> str:
    """Return the text up to its first end of a word. It contains all tokens that preceding text can
    change.
    """
    found = _WORD_END.search(text)
    return text[: found.end()] if found else text
