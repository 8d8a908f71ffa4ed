"""Rank texts by the words of a question: BM25 (Lucene's variant) by bm25s."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

from docxchunk.registry import extra_for

with extra_for("The search by words", "", "search"):
    import numpy as np
    from numpy.typing import NDArray

_K = TypeVar("_K")

K1: Final = 1.5
B: Final = 0.75

UNSPACED: Final = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Kana, ideographs and Hangul, for a character class of a regular expression."""

_WORD: Final = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|\d+(?:\.\d+)+[a-z]?\b|[^\W_{UNSPACED}]+")


def words(text: str) -> list[str]:
    """Return the lower-case words of a text, without English stop words.

    A number with dots, "6.13.1", is one word. Chinese, Japanese and Korean text gives its
    characters and its pairs of neighbouring characters.
    """
    stop_words = _stop_words()
    result: list[str] = []
    for match in _WORD.finditer(text.lower()):
        word = match[0]
        if match["unspaced"]:
            result += word
            result += [word[i : i + 2] for i in range(len(word) - 1)]
        elif word not in stop_words:
            result.append(word)
    return result


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
    """The BM25 scores of texts, k1 1.5, b 0.75. A text is given as the numbers of its words in the
    vocabulary. Raise MissingExtraError without bm25s.
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

    def scores(self, question: str) -> NDArray[np.float32]:
        """Return the score of each text; 0 for one without a word of the question."""
        asked = [word for word in dict.fromkeys(words(question)) if word in self._vocabulary]
        if not asked:
            return np.zeros(self._size, dtype=np.float32)
        scores: NDArray[np.float32] = self._index.get_scores_from_ids(
            [self._vocabulary[word] for word in asked]
        )
        return scores

    def save(self, folder: Path) -> None:
        """Write the index into a new folder."""
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
        index._index = bm25s.BM25.load(
            str(folder), mmap=True, load_vocab=False, show_progress=False, verbosity=0
        )
        return index
