"""Rank texts by the words of a question: BM25 in Lucene's variant (Kamphuis et al. 2020: Which BM25
do you mean?).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from itertools import pairwise
from math import expm1, log
from typing import Final, NamedTuple, TypeVar
from unicodedata import normalize

from docxchunk.backends.array_file import Array
from docxchunk.language.folding import alike, composed, folded_by
from docxchunk.language.words import SEARCHED
from docxchunk.registry import extra_for

with extra_for("The search by words", "", "search"):
    import numpy as np
    from numpy.typing import NDArray

_K = TypeVar("_K")
_Integers = NDArray[np.int32]

K1: Final = 1.5
B: Final = 0.75

_HALF_WIDTH: Final = re.compile(r"[\uff66-\uffdc]+")  # kana and Hangul
# those of Lucene's EnglishAnalyzer
STOP_WORDS: Final = frozenset(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then there
    these they this to was will with
    """.split()
)
_ASKING: Final = {"what", "which"}
_LONG_AND_SHORT: Final = re.compile(r"(?<![\w/-])((?:[\w/-]++ ){2,10})\(([A-Za-z0-9-]{2,12}?)s?\)")


def most_worth(share: float, length: float) -> float:
    """Return the most that a word of a language is worth. `share` is its share of the words of the
    language. The worth is that of a word which texts of `length` words have as often as this share
    predicts.
    """
    return -log(-expm1(-share * max(length, 1.0)))


class WordAt(NamedTuple):
    """A word of a text, in lower case, and its range: `text[start:end]`."""

    word: str
    start: int
    end: int


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without accents and English stop words.

    A number with dots, "6.13.1", is one word. A number is written without thousands separators:
    1,200 is 1200. The words of Chinese, Japanese and Korean text are its characters and its pairs
    of neighbouring characters.
    """
    result: list[str] = []
    for match in SEARCHED.finditer(_composed(text)):
        if match["unspaced"]:
            result += *match[0], *map("".join, pairwise(match[0]))
        elif (word := match[0].lower()) not in STOP_WORDS:
            result.append(_plain(word))
    return result


def words_of_question(
    question: str, is_known: Callable[[str], bool] = lambda _: False
) -> list[str]:
    """Return the words of a question without "what" and "which", unless it has no others. Of a name
    in long and in short, "Evolved Packet System (EPS)", keep the short form if it is a known word.
    """
    question_words = words(_LONG_AND_SHORT.sub(partial(_short_form, is_known), question))
    return [word for word in question_words if word not in _ASKING] or question_words


def _short_form(is_known: Callable[[str], bool], match: re.Match[str]) -> str:
    """Return the words before a name that is given in long and in short, and its short form. Return
    all of the match if the letters in brackets are not the initials of the words, or are no known
    word.
    """
    before, letters = match[1].split(), "".join(filter(str.isalnum, match[2])).lower()
    for number in range(len(before) - 2, -1, -1):
        parts = re.split(r"[/-]", "-".join(before[number:]))
        initials = iter("".join(part[:1] for part in parts).lower())
        if before[number][0].lower() == letters[:1] and all(char in initials for char in letters):
            is_short = not match[2].islower() and all(map(is_known, words(match[2])))
            return " ".join((*before[:number], match[2])) if is_short else match[0]
    return match[0]


def words_at(text: str) -> Iterator[WordAt]:
    """Yield the `words` of a text with their ranges."""
    folded = folded_by(_composed, text)
    for match in SEARCHED.finditer(folded.text):
        start, end = match.span()
        parts = words(match[0])
        if match["unspaced"]:
            for number, word in enumerate(parts):
                at = start + number % (end - start)
                yield WordAt(word, *folded.span(at, at + len(word)))
        elif parts:
            yield WordAt(parts[0], *folded.span(start, end))


def _composed(text: str) -> str:
    """Return a text with each character as one code, also those of half width."""
    text = composed(text)
    if text.isascii():
        return text
    return _HALF_WIDTH.sub(lambda letters: normalize("NFKC", letters[0]), text)


@lru_cache(1 << 16)
def _plain(word: str) -> str:
    """Return a word as it is compared, without accents and case; a number also without its
    thousands separators.
    """
    word = alike(word).casefold()
    return re.sub(r"[^\w.]", "", word) if word[:1].isdigit() else word


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """Return a lower-case word without the English endings -s, -ing, -ed and -e: "payments" and
    "payment" have one stem. The rules for -s are those of Harman (1991, How effective is
    suffixing?).
    """
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and len(word) > 3 and word[-2] not in "sui":
        word = word[:-1]
    for ending, least in (("ing", 3), ("ed", 3), ("e", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word


class KeyNumbers(dict[_K, int]):
    """Numbers keys from 0, in the order in which they are first looked up."""

    def __missing__(self, key: _K) -> int:
        self[key] = number = len(self)
        return number


class Statistics(NamedTuple):
    """How many texts are scored, and how many words they have together."""

    texts: int
    words: int

    @property
    def mean(self) -> float:
        """The mean number of words of a text."""
        return self.words / (self.texts or 1) or 1

    def rarity(self, count: int) -> float:
        """Return the inverse document frequency of a word that `count` texts have."""
        return log(1 + (self.texts - count + 0.5) / (count + 0.5))


class Entries(NamedTuple):
    """The texts that have a word, and how often each has it."""

    texts: _Integers
    counts: _Integers


@dataclass(frozen=True)
class WordIndex:
    """An index of texts for BM25 scores. A word is given by its number.

    The entries are ordered by word: those of word w are [starts[w], starts[w + 1]). An entry means
    that a text has the word: `texts` has the index of this text, and `counts` how often it has the
    word. `lengths` has the number of words of each text.
    """

    texts: Array
    counts: Array
    starts: Array
    lengths: Array

    @classmethod
    def build(cls, texts: Iterable[Iterable[int]]) -> WordIndex:
        """Return the index of texts, each given as the numbers of its words."""
        counted = list(map(Counter, texts))
        entries = [entry for words in counted for entry in words.items()]
        words, counts = np.array(entries, dtype=np.int32).reshape(-1, 2).T
        numbers = np.repeat(np.arange(len(counted), dtype=np.int32), list(map(len, counted)))
        lengths = np.array([words.total() for words in counted], dtype=np.int32)
        return cls._ordered(words, numbers, counts, lengths)

    @classmethod
    def _ordered(
        cls, words: _Integers, texts: _Integers, counts: _Integers, lengths: _Integers
    ) -> WordIndex:
        order = np.argsort(words, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(words))]).astype(np.int32)
        return cls(texts[order], counts[order], starts, lengths)

    @classmethod
    def merged(cls, parts: Iterable[tuple[WordIndex, _Integers, _Integers]]) -> WordIndex:
        """Return one index of the texts of several. With each index come the new index of each of
        its texts (a text with -1 is left out) and the new number of each word.
        """
        entries: list[tuple[_Integers, _Integers, _Integers]] = []
        sizes: list[tuple[_Integers, _Integers]] = []
        for index, numbers, words_renumbered in parts:
            sizes.append((numbers[numbers >= 0], index.lengths[:][numbers >= 0]))
            words = np.repeat(words_renumbered[: len(index.starts) - 1], np.diff(index.starts[:]))
            texts = numbers[index.texts[:]]
            is_in = texts >= 0
            entries.append((words[is_in], texts[is_in], index.counts[:][is_in]))
        places, sizes_there = map(np.concatenate, zip(*sizes, strict=True))
        lengths = np.zeros_like(sizes_there)
        lengths[places] = sizes_there
        words, texts, counts = map(np.concatenate, zip(*entries, strict=True))
        return cls._ordered(words, texts, counts, lengths)

    def entries(self, word: int | None) -> Entries:
        """Return the entries of a word; None is a word that no text has."""
        if word is None or word >= len(self.starts) - 1:
            return Entries(self.texts[:0], self.counts[:0])
        part = slice(*self.starts[word : word + 2].tolist())
        return Entries(self.texts[part], self.counts[part])

    def add_scores(
        self, scores: NDArray[np.float32], entries: Entries, rarity: float, mean: float
    ) -> None:
        """Add the scores for a word to those of the texts that have it, given the inverse document
        frequency of the word and the mean length of a text.
        """
        texts, counts = entries
        weights = K1 * (1 - B + B * self.lengths[:][texts] / mean)
        scores[texts] += rarity * counts / (counts + weights)

    def scores(self, words: Iterable[int]) -> NDArray[np.float32]:
        """Return the score of each text for some words. A text without any of them has 0."""
        scores = np.zeros(len(self.lengths), dtype=np.float32)
        statistics = Statistics(len(self.lengths), int(self.lengths[:].sum()))
        for entries in map(self.entries, dict.fromkeys(words)):
            rarity = statistics.rarity(len(entries.texts))
            self.add_scores(scores, entries, rarity, statistics.mean)
        return scores

    def arrays(self) -> dict[str, Array]:
        """Return the arrays by name, for `WordIndex(**arrays)`."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
