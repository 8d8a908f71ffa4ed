"""Embed texts by feature hashing, without a model: for tests, smoke runs, and as a baseline."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

from docxchunk.backends.costs import Bill, Costs

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSIONS: Final = 512
_WORD: Final = re.compile(r"\w+")
_LETTERS: Final = 3


class HashingEmbedder:
    """Signed feature hashing (Weinberger et al., 2009) of words and letter trigrams, each weighted by 1 + log(count).

    Vectors have length 1 and are the same on every machine. A text without words gets a fixed vector.
    """

    name = "hashing"
    fingerprint = f"hashing:1:{DIMENSIONS}"

    def __init__(self) -> None:
        self._bill = Bill()

    @property
    def costs(self) -> Costs:
        return self._bill.costs

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        start, tokens = perf_counter(), 0
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            counts = Counter(_features(text))
            tokens += counts.total()
            for feature, count in counts.items():
                dimension, sign = _dimension_and_sign(feature)
                vector[dimension] += sign * (1 + math.log(count))
        self._bill.add(Costs(1, len(texts), len(texts), tokens, perf_counter() - start))
        return _normalized(vectors)

    def __repr__(self) -> str:
        return f"<Embedder {self.name}>"


@cache
def hashing(device: str = "cpu") -> HashingEmbedder:  # noqa: ARG001 - the signature of all embedders
    return HashingEmbedder()


def _features(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.casefold()):
        yield word
        edged = f"<{word}>"
        yield from (edged[i : i + _LETTERS] for i in range(len(edged) - _LETTERS + 1))


@lru_cache(1 << 16)
def _dimension_and_sign(feature: str) -> tuple[int, int]:
    """Return the dimension and the sign of a feature."""
    number = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
    return number % DIMENSIONS, 1 if number >> 63 else -1


def _normalized(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[lengths[:, 0] == 0, 0] = 1
    return np.asarray(vectors / np.where(lengths == 0, 1, lengths), np.float32)
