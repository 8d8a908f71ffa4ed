"""Rank texts by the words of a question: BM25 (Lucene's variant) by bm25s."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple, TypeVar
from unicodedata import combining, normalize

from docxchunk.registry import extra_for

with extra_for("The search by words", "", "search"):
    import numpy as np
    from numpy.typing import NDArray

_K = TypeVar("_K")

K1: Final = 1.5
B: Final = 0.75

UNSPACED: Final = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Kana, ideographs and Hangul, for a character class of a regular expression."""

_LETTER: Final = rf"[^\W_{UNSPACED}]"
_MARKS: Final = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"  # of letters
_WORD: Final = re.compile(
    rf"(?P<unspaced>[{UNSPACED}]+)"
    r"|\d+(?:\.\d+)+[a-z]?\b"  # the number of a clause: 6.13.1
    r"|(?<![\d.,])\d{1,3}(?:[,'\u2019\xa0\u202f]\d{3})+(?![\d,])"  # 1,200
    rf"|{_LETTER}(?:{_LETTER}|[{_MARKS}])*"
)
_ACCENTS: Final = 200  # from this combining class on: marks above and below letters


class WordAt(NamedTuple):
    """A word of a text, in lower case, and where it stands: `text[start:end]`."""

    word: str
    start: int
    end: int


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without accents and English stop words.

    A number with dots, "6.13.1", is one word, and 1,200 is 1200. The words of Chinese, Japanese and
    Korean text are its characters and its pairs of neighbouring characters.
    """
    stop_words = _stop_words()
    result: list[str] = []
    for match in _WORD.finditer(text):
        if match["unspaced"]:
            result += _characters_and_pairs(match[0])
        elif (word := match[0].lower()) not in stop_words:
            result.append(_plain(word))
    return result


def words_at(text: str) -> Iterator[WordAt]:
    """Yield the `words` of a text with their places."""
    for match in _WORD.finditer(text):
        start, end = match.span()
        parts = words(match[0])
        if match["unspaced"]:
            for number, word in enumerate(parts):
                at = start + number % (end - start)
                yield WordAt(word, at, at + len(word))
        elif parts:
            yield WordAt(parts[0], start, end)


def _characters_and_pairs(text: str) -> list[str]:
    return [*text, *map("".join, pairwise(text))]


@lru_cache(1 << 16)
def _plain(word: str) -> str:
    """Return a word without accents; a number without the marks between its thousands."""
    if not word.isascii():
        letters = (x for x in normalize("NFKD", word) if combining(x) < _ACCENTS)
        word = normalize("NFC", "".join(letters))
    return re.sub(r"[^\w.]", "", word) if word[:1].isdigit() else word


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """Return a lower-case word without the English endings -s, -ing, -ed and -e: "payments" and
    "payment" have one stem (Harman, 1991: How effective is suffixing?, has the rules of -s).
    """
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and len(word) > 3 and word[-2] not in "sui":
        word = word[:-1]
    for ending, least in (("ing", 3), ("ed", 3), ("e", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word


def need_bm25(what: str = "The search by words", extra: str = "search") -> None:
    """Raise MissingExtraError if bm25s cannot be imported: `what` needs it, and `extra` has it."""
    with extra_for(what, "", extra):
        import bm25s  # noqa: F401


@cache
def _stop_words() -> frozenset[str]:
    need_bm25()
    from bm25s.stopwords import STOPWORDS_EN

    return frozenset(STOPWORDS_EN)


class Numbering(dict[_K, int]):
    """The numbers of keys, from 0 on in the order in which they are asked for first."""

    def __missing__(self, key: _K) -> int:
        self[key] = number = len(self)
        return number


class WordIndex:
    """An index that returns the BM25 scores of texts (k1 = 1.5, b = 0.75). A text is a list of the
    numbers of its words in the vocabulary. Raise MissingExtraError without bm25s.
    """

    def __init__(self, texts: Sequence[list[int]], vocabulary: Mapping[str, int]) -> None:
        need_bm25()
        import bm25s

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # bm25s sets DEBUG on import
        self._vocabulary, self._size = vocabulary, len(texts)
        self._index = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
        if vocabulary:
            self._index.index(
                (texts, dict(vocabulary)), create_empty_token=False, show_progress=False
            )

    @classmethod
    def of(cls, texts: Iterable[str]) -> WordIndex:
        """Return the index of some texts by their words."""
        vocabulary = Numbering[str]()
        return cls([[vocabulary[word] for word in words(text)] for text in texts], vocabulary)

    def scores(self, words: Iterable[str]) -> NDArray[np.float32]:
        """Return the score of each text for some words; 0 for one without any of them."""
        numbers = [
            self._vocabulary[word] for word in dict.fromkeys(words) if word in self._vocabulary
        ]
        if not numbers:
            return np.zeros(self._size, dtype=np.float32)
        scores: NDArray[np.float32] = self._index.get_scores_from_ids(numbers)
        return scores

    def save(self, folder: Path) -> None:
        """Write the index into a new folder."""
        folder.mkdir()
        if self._vocabulary:
            self._index.vocab_dict = {}
            self._index.save(str(folder), show_progress=False)

    @classmethod
    def load(cls, folder: Path, size: int, vocabulary: Mapping[str, int]) -> WordIndex:
        """Return the index of `size` texts that `save` wrote. Its arrays stay on disk until they
        are needed.
        """
        import bm25s

        index = cls((), {})
        index._vocabulary, index._size = vocabulary, size
        if vocabulary:
            index._index = bm25s.BM25.load(
                str(folder), mmap=True, load_vocab=False, show_progress=False, verbosity=0
            )
        return index
