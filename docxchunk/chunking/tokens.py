"""Count the tokens of many parts of a text exactly, and encode the text only about once
(docs/design/chunking.md, Token counts).

A *token boundary* is an offset that no token crosses: the start of a line, or the end of a word
(see `Tokenizer.additive_over_newlines`). A text is divided into lines, and each distinct line is
counted once. For a line that is cut, the ends of its tokens are kept, to look up the number of
tokens before any boundary. The count of a range is then a difference of sums and, at most, two
short counts at its ends.

Tokenizers without these boundaries that divide text into words are in `words`. With any other one,
each range is counted as a whole.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Final

from docxchunk.language.patterns import pattern
from docxchunk.model.ports import EachCounts, TokenEnds, Tokenizer

_AFTER_WORD: Final = (
    r"[\s!-&(-/:-@\[-^`{-~\u2010-\u2018\u201a-\u2027\u2030-\u205e\u3000-\u3020"
    r"\uff01-\uff06\uff08-\uff0f\uff1a-\uff20]"
)
_WORD_END = pattern(rf"[^\W_](?={_AFTER_WORD})")
_LAST_WORD_END = pattern(rf".*[^\W_](?={_AFTER_WORD})", re.DOTALL)
_NEAR: Final = 64  # characters searched for the end of a word
# A line goes on over a line break before white space or "/", which may be in the token of the break
_LINE = pattern(r"[^\n]*(?:\n(?![^\s/])[^\n]*)*+\n?")
_SHORT: Final = 4096  # bytes: a longer line is not sliced again for each offset inside it
_WIDE: Final = 3  # bytes in UTF-8 of most characters that are not in ASCII


class Meter:
    """Counts the tokens of texts and of concatenated texts. Caches repeated counts."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._count, self._count_each = tokenizer.count, each_count(tokenizer)
        self.additive = self.adds_up = tokenizer.additive_over_newlines
        self._token_ends = tokenizer.token_ends if isinstance(tokenizer, TokenEnds) else None
        self._repeated: dict[str, int] = {}
        self._ends: dict[str, Sequence[int]] = {}
        self._seams: dict[tuple[str, str, str], int] = {}

    def count(self, text: str) -> int:
        """Return the count of a text."""
        return self._count(text)

    def ruler(self, text: str, long: int = 0) -> Ruler:
        """Return a ruler for a text, whose lines of over `long` bytes will probably be cut."""
        return Ruler(self, text, long)

    def repeated(self, text: str) -> int:
        """Return the cached count of a text that recurs, such as a table header."""
        tokens = self._repeated.get(text)
        if tokens is None:
            tokens = self._repeated[text] = self.count(text)
        return tokens

    def each_repeated(self, texts: Sequence[str]) -> list[int]:
        """Return the cached counts of texts. The new ones are counted together."""
        counts_by_text = self._repeated
        if new := [text for text in dict.fromkeys(texts) if text not in counts_by_text]:
            counts_by_text.update(zip(new, self._count_each(new), strict=True))
        return [counts_by_text[text] for text in texts]

    def token_ends(self, line: str) -> Sequence[int]:
        """Return 0, and then the offset at which each token of a line ends.

        A tokenizer without `TokenEnds` can only count. Then the tokens of each word are counted,
        and their ends are spread evenly over the word: an end inside a word is a guess, but the
        number of ends up to a token boundary is exact.
        """
        ends = self._ends.get(line)
        if ends is None:
            ends = self._token_ends(line) if self._token_ends else None
            self._ends[line] = ends = ends or self._word_ends(line)
        return ends

    def _word_ends(self, line: str) -> list[int]:
        offsets = [0, *(match.end() for match in _WORD_END.finditer(line)), len(line)]
        counts = self.each_repeated([line[start:end] for start, end in pairwise(offsets)])
        ends = [0]
        for (start, end), tokens in zip(pairwise(offsets), counts, strict=True):
            size = end - start
            ends += [start + max(size * number // tokens, 1) for number in range(1, tokens + 1)]
        return ends

    def last_word(self, text: str) -> int:
        """Return where the last word of a text ends. No token crosses this end. Return 0 if there
        is none.
        """
        return len(text) - len(_tail(text, "")) if self.additive else 0

    def joined(self, left: str, left_tokens: int, join: str, right: str, right_tokens: int) -> int:
        """Return the count of `left + join + right`, none of which is empty. `left_tokens` and
        `right_tokens` are the counts of the outer two.
        """
        if not self.additive:
            return self.count(left + join + right)
        head = "" if join[-1:] == "\n" and _is_fresh(right) else _head(right)
        tail = _tail(left, join[:1] or head[:1])
        key = (tail, join, head)
        seam = self._seams.get(key)
        if seam is None:
            seam = self._seams[key] = (
                self.count(tail + join + head) - self.repeated(tail) - self.repeated(head)
            )
        return left_tokens + seam + right_tokens


def each_count(tokenizer: Tokenizer) -> Callable[[Sequence[str]], list[int]]:
    """Return a function that counts several texts."""
    if isinstance(tokenizer, EachCounts):
        return tokenizer.count_each
    return lambda texts: list(map(tokenizer.count, texts))


class Ruler:
    """Counts the tokens of any part of one text.

    Lines of over `long` bytes will probably be cut, so the ends of their tokens are computed at
    once. If counts are not additive, lines of up to `long` characters are counted together.
    """

    def __init__(self, meter: Meter, text: str, long: int = 0) -> None:
        self._meter = meter
        self.text = text
        self._counted: dict[tuple[int, int, str, str], int] = {}
        self._heads: dict[tuple[int, str], tuple[int, int]] = {}
        self._tails: dict[tuple[int, str], tuple[int, int]] = {}
        self._ends: dict[int, Sequence[int]] = {}  # of the long lines, by their number
        lines, sizes = self._counted_lines(min(long, _SHORT))
        # of each line and of the end of the text: its start, and the number of tokens before it
        self._starts = [*accumulate(map(len, lines), initial=0)]
        self._sums = [*accumulate(sizes, initial=0)]

    def _counted_lines(self, long: int) -> tuple[Sequence[str], Sequence[int]]:
        """Return the lines of the text, and the number of tokens of each."""
        meter, text = self._meter, self.text
        lines = _lines_of(text) if meter.additive else _lines_together(text, long)
        self._ends = {
            number: meter.token_ends(line)
            for number, line in enumerate(lines if meter.additive else ())
            if len(line) > (long if line.isascii() else long // _WIDE)
        }
        short_lines = [line for number, line in enumerate(lines) if number not in self._ends]
        counts = iter(meter.each_repeated(short_lines))
        return lines, [
            len(self._ends[number]) - 1 if number in self._ends else next(counts)
            for number in range(len(lines))
        ]

    def measure(self, start: int, end: int, opening: str = "", closing: str = "") -> int:
        """Return the exact count of `opening + text[start:end] + closing`."""
        if self._meter.adds_up:
            first, before = self._heads.get((start, opening)) or self._head(start, opening)
            last, upto = self._tails.get((end, closing)) or self._tail(end, closing)
            if first <= last:
                return upto - before
        key = start, end, opening, closing
        tokens = self._counted.get(key)
        if tokens is None:
            text = opening + self.text[start:end] + closing
            tokens = self._counted[key] = self._meter.count(text)
        return tokens

    def _head(self, start: int, opening: str) -> tuple[int, int]:
        """Return the first token boundary at or after `start`; with an opening, after it. Also
        return the number of tokens before this boundary, minus the tokens of the opening and of the
        text between `start` and the boundary.
        """
        first, tokens = start, 0
        if opening or self._starts[bisect_right(self._starts, start) - 1] != start:
            first = _word_after(self.text, start)
        if first <= len(self.text):
            tokens = self._tokens_before(first)
        if start < first <= len(self.text):
            tokens -= self._meter.repeated(opening + self.text[start:first])
        self._heads[start, opening] = first, tokens
        return first, tokens

    def _tail(self, end: int, closing: str) -> tuple[int, int]:
        """Return the last token boundary at or before `end`; with a closing, before it. Also return
        the number of tokens before this boundary, plus the tokens of the text between the boundary
        and `end` and of the closing.
        """
        last, tokens = end, 0
        if closing or self._starts[bisect_right(self._starts, end) - 1] != end:
            last = _word_before(self.text, end - bool(closing))
        if last >= 0:
            tokens = self._tokens_before(last)
        if 0 <= last < end:
            tokens += self._meter.repeated(self.text[last:end] + closing)
        self._tails[end, closing] = last, tokens
        return last, tokens

    def _tokens_before(self, boundary: int) -> int:
        """Return the number of tokens before a boundary."""
        line = bisect_right(self._starts, boundary) - 1
        start, tokens = self._starts[line], self._sums[line]
        if start == boundary:
            return tokens
        ends = self._ends.get(line)
        if ends is None:
            stop = self._starts[line + 1]
            if stop - boundary <= _NEAR:
                return self._sums[line + 1] - self._meter.repeated(self.text[boundary:stop])
            ends = self._meter.token_ends(self.text[start:stop])
        return tokens + bisect_right(ends, boundary - start) - 1

    def about(self, offset: int) -> int:
        """Return the approximate number of tokens before an offset. No text is counted: inside a
        short line the number is interpolated.
        """
        line = bisect_right(self._starts, offset) - 1
        start, tokens = self._starts[line], self._sums[line]
        if start == offset:
            return tokens
        if ends := self._ends.get(line):
            return tokens + bisect_right(ends, offset - start) - 1
        size = self._starts[line + 1] - start
        return tokens + (self._sums[line + 1] - tokens) * (offset - start) // size

    def exceeds(self, start: int, end: int, max_tokens: int) -> bool:
        """Return whether `text[start:end]` has more than `max_tokens` tokens.

        The approximate number, the sum of the tokens of lines, is off by less than half. The tokens
        are counted only if this number is near the limit: between half of it and one and a half
        times the limit.
        """
        about = self.about(end) - self.about(start)
        return about > max_tokens * 3 // 2 or (
            about > max_tokens // 2 and self.measure(start, end) > max_tokens
        )


def furthest(fits: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """Return the largest number in [low, high] for which `fits` is true, or low - 1 if there is
    none, by exponential search from `guess`. `fits` must be monotone.
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


def fill(count: int, fits: Callable[[int, int], bool], guess: int = 1) -> list[range]:
    """Divide items [0, count) into ranges, from the first item on: each is as long as it fits, and
    has at least one item. `fits` must be monotone; `guess` is the probable length of a range.
    """
    ranges: list[range] = []
    first = 0
    while first < count:
        end = furthest(partial(fits, first), first + 1, count, first + guess)
        ranges.append(range(first, max(end, first + 1)))
        first = ranges[-1].stop
    return ranges


def _lines_of(text: str) -> list[str]:
    """Divide a text at the starts of those lines that no token crosses."""
    return _LINE.findall(text)[:-1]  # at its end, the pattern matches no character


def _lines_together(text: str, least: int) -> list[str]:
    """Divide a text at the starts of lines into parts of at least `least` characters."""
    parts: list[str] = []
    for line in _lines_of(text):
        if parts and len(parts[-1]) < least:
            parts[-1] += line
        else:
            parts.append(line)
    return parts


def _word_after(text: str, offset: int) -> int:
    """Return the end of the first word that ends after an offset; a number over the length of the
    text if none ends within 64 characters.
    """
    match = _WORD_END.search(text, offset, offset + _NEAR)
    return match.end() if match else len(text) + 1


def _word_before(text: str, offset: int) -> int:
    """Return the end of the last word that ends at or before an offset; -1 if none ends within 64
    characters.
    """
    match = _LAST_WORD_END.match(text, max(0, offset - _NEAR), offset + 1)
    return match.end() if match else -1


def _is_fresh(line: str) -> bool:
    """Return whether a token starts where a line begins."""
    first = line[0]
    return first != "/" and not first.isspace()


def _tail(text: str, following: str) -> str:
    """Return the end of a text, from its last word on. The text `following` changes no token before
    it.
    """
    near = text[-_NEAR:]
    boundary = _LAST_WORD_END.match(near + following)
    if not boundary and len(near) < len(text):
        near = text
        boundary = _LAST_WORD_END.match(text + following)
    return near[boundary.end() :] if boundary else text


def _head(text: str) -> str:
    """Return the beginning of a text, up to the end of its first word. A text before it changes no
    token after it.
    """
    boundary = _WORD_END.search(text)
    return text[: boundary.end()] if boundary else text
