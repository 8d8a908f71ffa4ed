"""Rank passages for questions by BM25, embeddings, or both. A retriever yields for each question
the scores of all passages.

The score of a passage is the best score of its text and its smaller texts. Ties are broken by
position.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from docxchunk.backends.bm25 import KeyNumbers, WordIndex, words
from docxchunk.lab.evaluation.passages import ShownPassage
from docxchunk.language.scripts import UNSPACED
from docxchunk.model.chunks import Unit
from docxchunk.model.ports import Embedder, Scorer, Tokenizer, prompts
from docxchunk.retrieval import RERANKED
from docxchunk.retrieval.folders.models import query_losses
from docxchunk.retrieval.folders.ranking import UNRANKED, Ranking

Scores = NDArray[np.float64]
Retriever = Callable[[Sequence[ShownPassage], Sequence[str]], Iterator[Scores]]
Tell = Callable[[str], None]  # is called with messages of progress


def ranked(scores: Scores) -> NDArray[np.int64]:
    """Return the indices of the passages, best first, by a stable sort."""
    return np.argsort(-scores, kind="stable")


# -- words


def bm25(passages: Sequence[ShownPassage], questions: Sequence[str]) -> Iterator[Scores]:
    """Yield the BM25 scores of the passages for each question (`docxchunk.backends.bm25`). Units
    are scored as `docxchunk search` does.
    """
    units = [passage.unit for passage in passages if passage.unit]
    if units:
        yield from _scores_of_units(units, questions)
        return
    texts, first = _texts(passages)
    vocabulary = KeyNumbers[str]()
    index = WordIndex.build([vocabulary[word] for word in words(text)] for text in texts)
    for question in questions:
        question_words = [vocabulary[word] for word in words(question)]
        yield np.maximum.reduceat(index.scores(question_words).astype(np.float64), first)


def _scores_of_units(units: Sequence[Unit], questions: Sequence[str]) -> Iterator[Scores]:
    ranking = Ranking.of(units)
    ranked = [number for number, unit in enumerate(units) if unit.kind not in UNRANKED]
    for question in questions:
        scores = np.full(len(units), -1.0)  # units that are not ranked come last
        (scores[ranked],) = ranking.scores(ranking.words_of(question))
        yield scores


# -- vectors

WINDOW: Final = 250  # tokens of the embedder: MiniLM reads no more, and truncates silently
# tokens of another tokenizer that fit into that window, except for numbers
_WINDOW_OF_OTHERS: Final = 180


def read_by(embedder: Embedder, tokenizer: Tokenizer) -> tuple[Callable[[str], int], int]:
    """Return the function that counts the tokens of an embedder, and its window in tokens, at most
    250. For an embedder that cannot count, return the function of the tokenizer, and 180.
    """
    count: Callable[[str], int] | None = getattr(embedder, "count", None)
    if count is None:
        return tokenizer.count, _WINDOW_OF_OTHERS
    return count, min(WINDOW, getattr(embedder, "window", None) or WINDOW)


def dense(
    embedder: Embedder,
    count: Callable[[str], int],
    window: int = WINDOW,
    tell: Tell = lambda _: None,
) -> Retriever:
    """Return a retriever by exact cosine similarity. A text over `window` tokens is split; the best
    window counts.
    """

    def retrieve(passages: Sequence[ShownPassage], questions: Sequence[str]) -> Iterator[Scores]:
        texts, first = _texts(passages)
        pieces = [windows(text, count, window) for text in texts]
        starts = np.cumsum([0, *map(len, pieces)])[:-1]
        parts = [*chain.from_iterable(pieces)]
        tokens = sum(map(count, parts))
        tell(f"{embedder.name} reads {len(parts):,} texts, {tokens:,} tokens")
        vectors = np.concatenate(
            [*in_slices(embedder.embed, [prompts(embedder).text + text for text in parts], tell)]
        )
        for question in embedder.embed([prompts(embedder).question + text for text in questions]):
            scores = np.asarray(vectors @ question, dtype=np.float64)
            yield np.maximum.reduceat(scores, starts[first])

    return retrieve


_SLICE: Final = 64  # texts or prompts
_BETWEEN: Final = 10.0  # seconds between two messages

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def in_slices(
    work: Callable[[list[_In]], _Out], items: Sequence[_In], tell: Tell
) -> Iterator[_Out]:
    """Yield the results of a model, one slice of the items after the other. `tell` gets the
    estimated time that is left, after the first slice and then every ten seconds.
    """
    started = last_report = time.monotonic()
    for start in range(0, max(len(items), 1), _SLICE):
        yield work(list(items[start : start + _SLICE]))
        done, now = start + _SLICE, time.monotonic()
        if done < len(items) and (not start or now - last_report >= _BETWEEN):
            last_report = now
            seconds_left = (now - started) * (len(items) - done) / done
            tell(f"{done:,} of {len(items):,}, about {seconds_left / 60:.1f} minutes left")


_UNIT = re.compile(rf"(?:(?<!\s)\s++)?(?:[{UNSPACED}]|[^\s{UNSPACED}]+)\s*")


def windows(text: str, count: Callable[[str], int], max_tokens: int) -> list[str]:
    """Split a text into pieces of at most `max_tokens` tokens, between words if possible."""
    if count(text) <= max_tokens:
        return [text]
    pieces: list[str] = []
    start = end = weight = 0
    for match in _UNIT.finditer(text):
        tokens = count(match[0])
        if weight and weight + tokens > max_tokens:
            pieces.append(text[start:end])
            start, weight = end, 0
        weight, end = weight + tokens, match.end()
    return [part for piece in (*pieces, text[start:]) for part in _halves(piece, count, max_tokens)]


def _halves(text: str, count: Callable[[str], int], max_tokens: int) -> Iterator[str]:
    """Yield parts of a text that fit. The text is halved, and so are its halves, until they fit.
    This is for text that cannot be cut between words, or whose words have more tokens together than
    apart.
    """
    if len(text) < 2 or count(text) <= max_tokens:
        yield text
        return
    yield from _halves(text[: len(text) // 2], count, max_tokens)
    yield from _halves(text[len(text) // 2 :], count, max_tokens)


# -- both


_DAMPING: Final = 60  # k in the paper


@dataclass(frozen=True, slots=True)
class Fused:
    """Reciprocal rank fusion of the rankings of several retrievers (Cormack et al., 2009). Ties
    keep the order of the first retriever. The score of a passage is the negative of its rank.
    """

    retrievers: tuple[Retriever, ...]

    def __call__(
        self, passages: Sequence[ShownPassage], questions: Sequence[str]
    ) -> Iterator[Scores]:
        for rankings in zip(
            *(retriever(passages, questions) for retriever in self.retrievers), strict=True
        ):
            ranks = [_ranks(ranked(scores)) for scores in rankings]
            sums = np.sum([1 / (_DAMPING + rank) for rank in ranks], axis=0)
            yield -_ranks(np.lexsort((ranks[0], -np.round(sums, 12))))


@dataclass(frozen=True, slots=True)
class Reranked:
    """Ranks the best passages of a retriever again, by the loss of the question after each
    (PPLRerank). The score of a passage is the negative of its rank.
    """

    retriever: Retriever
    scorer: Scorer

    def __call__(
        self, passages: Sequence[ShownPassage], questions: Sequence[str]
    ) -> Iterator[Scores]:
        scores = self.retriever(passages, questions)
        for question, row in zip(questions, scores, strict=True):
            order = ranked(row)
            texts = [passages[at].indexed or passages[at].text for at in order[:RERANKED]]
            losses = query_losses(question, texts, self.scorer)
            order[:RERANKED] = order[np.argsort(losses, kind="stable")]
            yield -_ranks(order)


def _ranks(order: NDArray[np.int64]) -> Scores:
    """Return the rank of each passage, from 1."""
    return np.argsort(order).astype(float) + 1


def _texts(passages: Sequence[ShownPassage]) -> tuple[list[str], NDArray[np.int64]]:
    """Return all indexed texts, and the index of the first text of each passage."""
    texts: list[str] = []
    first: list[int] = []
    for passage in passages:
        first.append(len(texts))
        texts += (
            passage.indexed or passage.text,
            *(text for text in passage.smaller if text != passage.text),
        )
    return texts, np.asarray(first, dtype=np.int64)
