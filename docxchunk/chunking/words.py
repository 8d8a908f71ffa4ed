"""Count the tokens of texts by their words, with a tokenizer that divides text into words
(`Division`).

Each distinct word is counted once, and the count of a range is a difference of sums. A finished
chunk is then counted as a whole (`run`), so a wrong sum can only cost time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.model.divisions import Division
from docxchunk.model.ports import Divides, Tokenizer

_LONG: Final = 512  # characters: a longer word, as in text without blanks, would be read many times
_NEAR: Final = 64  # characters at an end of a text, which probably have its first or its last word


def meter_of(tokenizer: Tokenizer) -> Meter:
    """Return the meter that encodes the least."""
    division = division_of(tokenizer)
    return Meter(tokenizer) if division is None else WordMeter(tokenizer, division)


def division_of(tokenizer: Tokenizer) -> Division | None:
    """Return the division of a tokenizer; None if it has none, or needs none for exact counts."""
    if isinstance(tokenizer, Divides) and not tokenizer.additive_over_newlines:
        return tokenizer.division
    return None


class WordMeter(Meter):
    """Counts texts by their words. Other words in the text do not change the count of a word,
    except that the first may be encoded in another way.
    """

    def __init__(self, tokenizer: Tokenizer, division: Division) -> None:
        super().__init__(tokenizer)
        self.adds_up = True
        self._whole = Meter(tokenizer)
        self.words = division.words
        self._context = division.context
        self._added, self._alone = division.remembered()
        self._before = self.count(division.context)

    def count(self, text: str) -> int:
        return sum(self.sizes(self.words(text)))

    def each_repeated(self, texts: Sequence[str]) -> list[int]:
        return list(map(self.count, texts))

    def ruler(self, text: str, long: int = 0) -> Ruler:
        if max(map(len, self.words(text))) > _LONG:
            return self._whole.ruler(text, long)
        return WordRuler(self, text, long)

    def sizes(self, words: Sequence[str]) -> list[int]:
        """Return the number of tokens that each word adds to the text of those before it."""
        first = self._alone.get(words[0])
        if first is None:
            first = self._alone[words[0]] = self._count(words[0])
        return [first, *self._sizes_inside(words[1:])]

    def count_inside(self, text: str) -> int:
        """Return the number of tokens that a text adds to one before it, between two words."""
        return sum(self._sizes_inside(self.words(text)))

    def _sizes_inside(self, words: Sequence[str]) -> list[int]:
        added, context = self._added, self._context
        if new := [word for word in dict.fromkeys(words) if word not in added]:
            counts = self._count_each([context + word for word in new])
            added.update(
                (word, tokens - self._before) for word, tokens in zip(new, counts, strict=True)
            )
        return [added[word] for word in words]

    def joined(self, left: str, left_tokens: int, join: str, right: str, right_tokens: int) -> int:
        head = self._near(right[:_NEAR], right)[0]
        *before, tail = self._near(left[-_NEAR:], left)
        right_tokens -= self.count(head)
        if not before:
            return self.count(left + join + head) + right_tokens
        left_tokens -= self.count_inside(tail)
        return left_tokens + self.count_inside(tail + join + head) + right_tokens

    def _near(self, part: str, text: str) -> list[str]:
        """Return the words of a part of a text or, if it has only one, those of the text."""
        words = self.words(part)
        return words if len(words) > 1 else self.words(text)


class WordRuler(Ruler):
    """A ruler with words in place of lines: token boundaries are the places between two words."""

    _meter: WordMeter

    def _counted_lines(self, long: int) -> tuple[Sequence[str], Sequence[int]]:  # noqa: ARG002 - of the base class
        words = self._meter.words(self.text)
        return words, self._meter.sizes(words)

    def _head(self, start: int, opening: str) -> tuple[int, int]:
        at = bisect_right(self._starts, start)
        if at == len(self._starts):
            return len(self.text) + 1, 0
        first = self._starts[at]
        tokens = self._sums[at] - self._meter.count(opening + self.text[start:first])
        self._heads[start, opening] = first, tokens
        return first, tokens

    def _tail(self, end: int, closing: str) -> tuple[int, int]:
        find = bisect_left if closing else bisect_right
        at = max(find(self._starts, end) - 1, 0)
        last, tokens = self._starts[at], self._sums[at]
        if last < end:
            tokens += self._meter.count_inside(self.text[last:end] + closing)
        self._tails[end, closing] = last, tokens
        return last, tokens
