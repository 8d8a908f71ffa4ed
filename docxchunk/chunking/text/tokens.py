"""Exact token counts from about one encoding of each text (docs/design/chunking.md, Token counts).

A *station* is a place where no token runs on: the start of a line, or the end of a word (see `Tokenizer.additive_over_newlines`).
A tokenizer that says where each token ends (see `TokenEnds`) encodes a text once; the tokens before any station are then looked up.
Another one counts the text from station to station. What is asked later is a difference of sums and, at most, two short counts at its ends.
A tokenizer that promises no stations is asked each time.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Final

from docxchunk.model.ports import EachCounts, TokenEnds, Tokenizer

_AFTER_WORD: Final = r"[\s!-&(-/:-@\[-^`{-~\u2010-\u2018\u201a-\u2027\u2030-\u205e\u3000-\u3020\uff01-\uff06\uff08-\uff0f\uff1a-\uff20]"
_WORD_END = re.compile(rf"[^\W_](?={_AFTER_WORD})")
_LAST_WORD_END = re.compile(rf".*[^\W_](?={_AFTER_WORD})", re.DOTALL)
_NEAR: Final = 64  # characters in which the end of a word is looked for


class Meter:
    """Counts the tokens of texts, and of joined texts."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.count = tokenizer.count
        self.additive = tokenizer.additive_over_newlines
        self._count_each = tokenizer.count_each if isinstance(tokenizer, EachCounts) else None
        self._token_ends = tokenizer.token_ends if self.additive and isinstance(tokenizer, TokenEnds) else None
        self._repeated: dict[str, int] = {}
        self._seams: dict[tuple[str, str, str], int] = {}

    def count_each(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        return self._count_each(texts) if self._count_each else list(map(self.count, texts))

    def token_ends(self, text: str) -> Sequence[int] | None:
        """Return the ends of the tokens of a text in characters, from 0 on; None if the tokenizer does not give them."""
        return self._token_ends(text) if self._token_ends else None

    def repeated(self, text: str) -> int:
        """Return the count of a text that is asked for again: a few characters at the ends of ranges, the header of a table."""
        found = self._repeated.get(text)
        if found is None:
            found = self._repeated[text] = self.count(text)
        return found

    def joined(self, left: str, left_tokens: int, join: str, right: str, right_tokens: int) -> int:
        """Return the count of `left + join + right`, neither empty."""
        if not self.additive:
            return self.count(left + join + right)
        head = "" if join[-1:] == "\n" and _is_fresh(right, 0) else _head(right)
        tail = _tail(left, join[:1] or head[:1])
        key = (tail, join, head)
        seam = self._seams.get(key)
        if seam is None:
            seam = self._seams[key] = self.count(tail + join + head) - self.count(tail) - (self.count(head) if head else 0)
        return left_tokens + seam + right_tokens


class Ruler:
    """Counts the tokens of any part of one text.

    `places` are where it will probably be cut, in order; those less than `apart` characters from the last one are left out.
    """

    def __init__(self, meter: Meter, text: str, places: Iterable[int], apart: int = 1) -> None:
        self._meter = meter
        self.text = text
        self._counted: dict[tuple[int, int], int] = {}
        self._words_after: dict[int, int] = {}  # the end of the first word after a place, by the place
        self._words_before: dict[int, int] = {}  # the end of the last word before a place, by the place
        self._heads: dict[int, tuple[int, int]] = {}
        self._tails: dict[int, tuple[int, int]] = {}
        self._ends = meter.token_ends(text)
        self._stations = sorted({0, *self._near(_thinned(places, apart)), len(text)})
        self._sums = self._before(self._stations, 0, {})

    def measure(self, start: int, end: int) -> int:
        """Return the exact count of `text[start:end]`."""
        if self._ends is not None:
            first, before = self._heads.get(start) or self._head(self._ends, start)
            last, upto = self._tails.get(end) or self._tail(self._ends, end)
            if first < end and first <= last:
                return upto - before
        stations = self._stations
        first = bisect_left(stations, start)
        last = bisect_right(stations, end) - 1
        if first > last or not self._meter.additive:
            return self._count(start, end)
        total = self._sums[last] - self._sums[first]
        if stations[first] > start:
            total += self._count(start, stations[first])
        if stations[last] < end:
            total += self._count(stations[last], end)
        return total

    def _head(self, ends: Sequence[int], start: int) -> tuple[int, int]:
        """Return the first station from `start` on, and the number that is subtracted from a tail for the count of a range that begins at `start`."""
        text = self.text
        if start == 0 or (start < len(text) and text[start - 1] == "\n" and _is_fresh(text, start)):
            found = start, bisect_right(ends, start)
        else:
            first = self._word_after(start)
            found = first, bisect_right(ends, first) - (self._meter.repeated(text[start:first]) if first <= len(text) else 0)
        self._heads[start] = found
        return found

    def _tail(self, ends: Sequence[int], end: int) -> tuple[int, int]:
        """Return the last station up to `end`, and the tokens before `end` where the text ends there."""
        last = self._word_before(end)
        found = self._tails[end] = last, bisect_right(ends, last) + (self._meter.repeated(self.text[last:end]) if 0 <= last < end else 0)
        return found

    def _word_after(self, place: int) -> int:
        """Return the end of the first word that ends after a place; more than the length of the text if there is none near."""
        found = self._words_after.get(place)
        if found is None:
            match = _WORD_END.search(self.text, place, place + _NEAR)
            found = self._words_after[place] = match.end() if match else len(self.text) + 1
        return found

    def _word_before(self, place: int) -> int:
        """Return the end of the last word that ends before a place or at it; -1 if there is none near."""
        found = self._words_before.get(place)
        if found is None:
            match = _LAST_WORD_END.match(self.text, max(0, place - _NEAR), place + 1)
            found = self._words_before[place] = match.end() if match else -1
        return found

    def _count(self, start: int, end: int) -> int:
        """Return a count between places that are not both stations; cached, as the same ones are asked for repeatedly."""
        found = self._counted.get((start, end))
        if found is None:
            found = self._counted[start, end] = self._meter.count(self.text[start:end])
        return found

    def about(self, place: int) -> int:
        """Return the approximate tokens before a place, interpolated between stations, without a call of the tokenizer."""
        stations, sums = self._stations, self._sums
        last = bisect_right(stations, place) - 1
        if stations[last] == place:
            return sums[last]
        return sums[last] + (sums[last + 1] - sums[last]) * (place - stations[last]) // (stations[last + 1] - stations[last])

    def exceeds(self, start: int, end: int, most: int) -> bool:
        """Return whether `text[start:end]` has more than `most` tokens; counts exactly only if it is close."""
        about = self.about(end) - self.about(start)
        return about > most * 3 // 2 or (about > most // 2 and self.measure(start, end) > most)

    def refine(self, start: int, end: int, places: Iterable[int]) -> None:
        """Add stations near these places, all in [start, end]."""
        first = bisect_right(self._stations, start) - 1
        last = bisect_left(self._stations, end)
        old = self._stations[first : last + 1]
        new = sorted({*old, *(station for station in self._near(places) if old[0] < station < old[-1])})
        if len(new) == len(old):
            return
        if self._ends is not None:
            self._stations[first : last + 1], self._sums[first : last + 1] = new, self._before(new, 0, {})
            return
        known = {(a, b): after - before for (a, b), (before, after) in zip(pairwise(old), pairwise(self._sums[first : last + 1]), strict=True)}
        sums = self._before(new, self._sums[first], known)
        more = sums[-1] - self._sums[last]  # of tokenizers whose counts do not add up
        self._sums[first:] = [*sums, *(tokens + more for tokens in self._sums[last + 1 :])] if more else [*sums, *self._sums[last + 1 :]]
        self._stations[first : last + 1] = new

    def _near(self, places: Iterable[int]) -> Iterator[int]:
        """Yield the stations at these places or, where tokens may run over one, at the ends of the words around it."""
        text, size = self.text, len(self.text)
        for place in places:
            if not 0 < place < size:
                continue
            if text[place - 1] == "\n" and _is_fresh(text, place):
                yield place
                continue
            if (before := self._word_before(place)) >= 0:
                yield before
            if (after := self._word_after(place)) <= size:
                yield after

    def _before(self, stations: Sequence[int], base: int, known: Mapping[tuple[int, int], int]) -> list[int]:
        """Return the tokens before each station; the first has `base` before it, and `known` are counts between neighbours."""
        if self._ends is not None:
            return [bisect_right(self._ends, station) - 1 for station in stations]
        text, count = self.text, self._meter.count
        return [*accumulate((known[pair] if pair in known else count(text[pair[0] : pair[1]]) for pair in pairwise(stations)), initial=base)]


def furthest(fits: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """Return the last place in [low, high] that fits, or low - 1 if none does, by exponential search from `guess`. `fits` must be monotone."""
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


def _is_fresh(text: str, at: int) -> bool:
    """Return whether a line that starts here starts a token."""
    first = text[at]
    return first != "/" and not first.isspace()


def _tail(text: str, following: str) -> str:
    """What follows the last end of a word: all of a text's tokens that may change with what comes next are in it."""
    near = text[-_NEAR:]
    found = _LAST_WORD_END.match(near + following)
    if not found and len(near) < len(text):
        near = text
        found = _LAST_WORD_END.match(text + following)
    return near[found.end() :] if found else text


def _head(text: str) -> str:
    """The first word, up to its end: all of a text's tokens that may change with what came before are in it."""
    found = _WORD_END.search(text)
    return text[: found.end()] if found else text
