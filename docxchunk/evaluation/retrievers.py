"""Rank passages for questions by BM25, embeddings, or both. A retriever yields for each question
the scores of all passages.

The score of a passage is the best score of its text and its smaller texts. Ties are broken by
position.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from docxchunk.backends.bm25 import UNSPACED, WordIndex, words
from docxchunk.evaluation.passages import Passage
from docxchunk.model.ports import Embedder, Tokenizer

Scores = NDArray[np.float64]
Retriever = Callable[[Sequence[Passage], Sequence[str]], Iterator[Scores]]


def ranked(scores: Scores) -> NDArray[np.int64]:
    """Return the numbers of the passages, best first, by a stable sort."""
    return np.argsort(-scores, kind="stable")


def bm25(passages: Sequence[Passage], questions: Sequence[str]) -> Iterator[Scores]:
    """Yield the BM25 scores of the passages for each question, see `WordIndex`."""
    texts, first = _texts(passages)
    index = WordIndex.of(texts)
    for question in questions:
        yield np.maximum.reduceat(index.scores(words(question)).astype(np.float64), first)


# -- vectors

WINDOW: Final = 250  # tokens of the embedder: MiniLM reads no more, and truncates silently
# tokens of another tokenizer that fit into that window, except for numbers
_WINDOW_OF_OTHERS: Final = 180


def read_by(embedder: Embedder, tokenizer: Tokenizer) -> tuple[Callable[[str], int], int]:
    """Return the token counter of an embedder and the window size: its own `count` and `window`,
    capped at 250, or defaults.
    """
    count: Callable[[str], int] | None = getattr(embedder, "count", None)
    if count is None:
        return tokenizer.count, _WINDOW_OF_OTHERS
    return count, min(WINDOW, getattr(embedder, "window", None) or WINDOW)


def dense(embedder: Embedder, count: Callable[[str], int], window: int = WINDOW) -> Retriever:
    """Return a retriever by exact cosine similarity. A text over `window` tokens is split; the best
    window counts.
    """

    def retrieve(passages: Sequence[Passage], questions: Sequence[str]) -> Iterator[Scores]:
        texts, first = _texts(passages)
        pieces = [windows(text, count, window) for text in texts]
        starts = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])[:-1]]).astype(
            np.int64
        )
        vectors = embedder.embed([part for piece in pieces for part in piece])
        for asked in embedder.embed(list(questions)):
            scores = np.asarray(vectors @ asked, dtype=np.float64)
            yield np.maximum.reduceat(scores, starts[first])

    return retrieve


_UNIT = re.compile(rf"\s*(?:[{UNSPACED}]|[^\s{UNSPACED}]+)\s*")


def windows(text: str, count: Callable[[str], int], most: int) -> list[str]:
    """Split a text into pieces of at most `most` tokens, between words if possible."""
    if count(text) <= most:
        return [text]
    found: list[str] = []
    start = end = weight = 0
    for match in _UNIT.finditer(text):
        tokens = count(match[0])
        if weight and weight + tokens > most:
            found.append(text[start:end])
            start, weight = end, 0
        weight, end = weight + tokens, match.end()
    return [part for piece in (*found, text[start:]) for part in _halves(piece, count, most)]


def _halves(text: str, count: Callable[[str], int], most: int) -> Iterator[str]:
    """Halve a piece until it fits: a long word, or one whose token count is not the sum over its
    words.
    """
    if len(text) < 2 or count(text) <= most:
        yield text
        return
    yield from _halves(text[: len(text) // 2], count, most)
    yield from _halves(text[len(text) // 2 :], count, most)


# -- both

K: Final = 60


@dataclass(frozen=True, slots=True)
class Fused:
    """Reciprocal rank fusion: the score of a passage is the sum of 1 / (60 + rank) over the
    retrievers (Cormack et al., 2009).
    """

    retrievers: tuple[Retriever, ...]

    def __call__(self, passages: Sequence[Passage], questions: Sequence[str]) -> Iterator[Scores]:
        for each in zip(
            *(retriever(passages, questions) for retriever in self.retrievers), strict=True
        ):
            total = np.zeros(len(passages))
            for scores in each:
                total[ranked(scores)] += 1 / (K + 1 + np.arange(len(passages)))
            yield total


def _texts(passages: Sequence[Passage]) -> tuple[list[str], NDArray[np.int64]]:
    """Return all indexed texts, and the number of the first one of each passage."""
    texts: list[str] = []
    first: list[int] = []
    for passage in passages:
        first.append(len(texts))
        texts += (
            passage.indexed or passage.text,
            *(text for text in passage.smaller if text != passage.text),
        )
    return texts, np.asarray(first, dtype=np.int64)
