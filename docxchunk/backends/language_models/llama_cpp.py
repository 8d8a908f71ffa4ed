"""Score and complete texts with the model in a .gguf file (extra `llama-cpp`). llama.cpp computes
with its quantized weights.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from docxchunk.backends.cache import Deferred
from docxchunk.backends.language_models.scoring import (
    LONGEST_ANSWER,
    ModelIdentity,
    PromptedModel,
    PromptTokenizer,
    TokenIds,
    TokenScorer,
)
from docxchunk.backends.language_models.sequences import ScoredSequence, common_length, restarts
from docxchunk.backends.local_models import (
    PROBES,
    Device,
    fingerprint,
    loading,
    needs,
    usable_cores,
)
from docxchunk.errors import MissingModelError, ModelError
from docxchunk.model.ports import Completer, Scorer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Logits = NDArray[np.float32]
_T = TypeVar("_T")

CONTEXT: Final = 8192
"""Cap on the context in tokens: it bounds the memory of keys and values, which is 1 GiB with the
layers of Llama-3-8B.
"""

_BATCH: Final = 256  # tokens of one call: llama.cpp holds as many rows of logits
_ALL_LAYERS: Final = 1 << 16
_SUFFIX: Final = ".gguf"


class QuantizedModel:
    """A model in llama.cpp. It holds the keys and values of the last sequence, so that a prefix
    shared with the next one is read once.

    `tokens` is the number of tokens read so far. Raises ModelError if llama.cpp cannot load the
    file.
    """

    def __init__(self, file: Path, device: str) -> None:
        import llama_cpp

        # else it prints every step to stderr
        logging.getLogger("llama-cpp-python").setLevel(logging.ERROR)
        self._library, self._lock = llama_cpp, Lock()
        settings = llama_cpp.llama_model_default_params()
        # ignored by a build for CPUs
        settings.n_gpu_layers = 0 if device == Device.CPU else _ALL_LAYERS
        self._model = llama_cpp.llama_model_load_from_file(str(file).encode(), settings)
        if not self._model:
            raise ModelError(f"The model in {file} cannot be loaded by llama.cpp.")
        self.context: int = min(CONTEXT, llama_cpp.llama_model_n_ctx_train(self._model))
        self._state = llama_cpp.llama_init_from_model(self._model, self._context_settings())
        if not self._state:
            raise ModelError(
                f"The memory cannot hold the model in {file} with a context of "
                f"{self.context:,} tokens."
            )
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)
        self._batch = llama_cpp.llama_batch_init(_BATCH, 0, 1)
        self._cached: TokenIds = ()
        self.tokens = 0

    def _context_settings(self) -> object:
        settings = self._library.llama_context_default_params()
        settings.n_ctx, settings.n_batch, settings.n_ubatch = self.context, _BATCH, _BATCH
        settings.n_threads = settings.n_threads_batch = usable_cores()
        return settings

    @property
    def ends(self) -> TokenIds:
        """The tokens that end a text or a turn."""
        ends = {
            self._library.llama_vocab_eos(self._vocabulary),
            self._library.llama_vocab_eot(self._vocabulary),
        }
        return tuple(sorted(ends - {-1}))

    def encoded(self, text: str) -> TokenIds:
        """Return the tokens of a text by llama.cpp's own tokenizer, without special tokens."""
        data = text.encode()
        tokens = (self._library.llama_token * (len(data) + 8))()
        count = self._library.llama_tokenize(
            self._vocabulary, data, len(data), tokens, len(tokens), False, False
        )
        return tuple(tokens[:count])

    def read(self, ids: TokenIds, at: Sequence[int], take: Callable[[int, Logits], _T]) -> list[_T]:
        """Read the tokens `ids`, which must fit into the context. For each index in `at`, which are
        ascending, return `take(number, logits)`, with the logits after the token at that index.
        """
        with self._lock:
            ids, results = ids[: at[-1] + 1], list[_T]()
            start = min(common_length(ids, self._cached), at[0])
            self._library.llama_memory_seq_rm(
                self._library.llama_get_memory(self._state), 0, start, -1
            )
            for begin in range(start, len(ids), _BATCH):
                batch = ids[begin : begin + _BATCH]
                requested = [index - begin for index in at if 0 <= index - begin < len(batch)]
                self._decode(batch, begin, {*requested})
                self._cached = ids[: begin + len(batch)]
                for index in requested:
                    results.append(take(len(results), self._logits(index)))
            self.tokens += len(ids) - start
            return results

    def _decode(self, ids: TokenIds, begin: int, requested: set[int]) -> None:
        batch = self._batch
        batch.n_tokens = len(ids)
        for number, token in enumerate(ids):
            batch.token[number], batch.pos[number] = token, begin + number
            batch.n_seq_id[number], batch.seq_id[number][0] = 1, 0
            batch.logits[number] = number in requested
        self._cached = ()
        if self._library.llama_decode(self._state, batch):
            raise ModelError(
                f"llama.cpp cannot read {len(ids)} tokens at position {begin:,}: "
                "the memory may not suffice."
            )

    def _logits(self, number: int) -> Logits:
        """Return the logits at a position of the last batch. The array is valid until the next
        batch.
        """
        size = self._library.llama_vocab_n_tokens(self._vocabulary)
        return np.ctypeslib.as_array(
            self._library.llama_get_logits_ith(self._state, number), (size,)
        )


class QuantizedReader:
    """Read sequences with a model in llama.cpp, one at a time. They are sorted, so that a common
    prefix of several sequences is read once.
    """

    def __init__(self, model: QuantizedModel) -> None:
        self._model = model

    @property
    def tokens(self) -> int:
        return self._model.tokens

    def read(self, passages: Sequence[ScoredSequence]) -> list[NDArray[np.float64]]:
        answers: dict[int, NDArray[np.float64]] = {}
        for number in sorted(range(len(passages)), key=lambda number: passages[number].ids):
            passage, context = passages[number], self._model.context
            if passage.evicts and len(passage.ids) > context:
                raise ModelError(
                    "llama.cpp does not evict the oldest tokens of a long text: set beyond=repeat."
                )
            parts = map(self._read_part, restarts(passage, context, context // 4))
            answers[number] = np.concatenate([*parts])
        return [answers[number] for number in range(len(passages))]

    def _read_part(self, part: ScoredSequence) -> NDArray[np.float64]:
        if not len(part.at):
            return np.empty(part.tokens.shape)
        return np.array(
            self._model.read(
                part.ids,
                part.at.tolist(),
                lambda number, logits: _log_softmax(logits)[part.tokens[number]],
            )
        )


class QuantizedCompleter(PromptedModel):
    """Complete prompts by greedy decoding, as `LocalCompleter` does, one after the other."""

    kind = "Completer"

    def __init__(
        self,
        identity: ModelIdentity,
        model: QuantizedModel,
        tokenizer: PreTrainedTokenizerBase,
        longest: int = LONGEST_ANSWER,
    ) -> None:
        super().__init__(identity, PromptTokenizer(tokenizer), model.context, longest)
        self._model, self._tokenizer = model, tokenizer

    def complete(self, prompts: Sequence[str]) -> list[str]:
        start, before = perf_counter(), self._model.tokens
        answers = [
            self._tokenizer.decode(
                self._written(self._prompts.question(prompt)), skip_special_tokens=True
            )
            for prompt in prompts
        ]
        self._charge(len(prompts), self._model.tokens - before, start)
        return answers

    def _written(self, prompt: TokenIds) -> list[int]:
        """Return the generated tokens without the end token."""
        self._check_room(len(prompt))
        written: list[int] = []
        max_tokens = min(max(self._longest, len(prompt)), self._context - len(prompt))
        while len(written) < max_tokens:
            ids = (*prompt, *written)
            (token,) = self._model.read(ids, [len(ids) - 1], lambda _, logits: int(logits.argmax()))
            if token in self._model.ends:
                break
            written.append(token)
        return written


@lru_cache
def scorer(path: str, device: str = "auto") -> Deferred[Scorer]:
    """Return the scorer for a .gguf file. Raise MissingModelError if there is none; loading raises
    ModelError.
    """
    identity = _identity(path)

    def load() -> Scorer:
        model, tokenizer = _loaded(path, device)
        return TokenScorer(
            identity, QuantizedReader(model), PromptTokenizer(tokenizer), model.ends, model.context
        )

    return Deferred(*identity, load)


@lru_cache
def completer(path: str, device: str = "auto") -> Deferred[Completer]:
    """Return the completer for a .gguf file. It shares the weights with the scorer for the same
    file.
    """
    name, model_fingerprint = _identity(path)
    identity = ModelIdentity(name, f"{model_fingerprint}:greedy:{LONGEST_ANSWER}")
    return Deferred(*identity, lambda: QuantizedCompleter(identity, *_loaded(path, device)))


def _identity(path: str) -> ModelIdentity:
    for package in ("llama_cpp", "transformers", "gguf"):
        needs(package)
    file = _file(path)
    return ModelIdentity(file.stem, fingerprint(file, "llama.cpp", CONTEXT))


def _file(path: str) -> Path:
    """Return the resolved .gguf file. Raise MissingModelError if there is none."""
    file = Path(path).expanduser()
    if file.suffix != _SUFFIX:
        raise MissingModelError(f"{path} is no {_SUFFIX} file: llama.cpp reads no others.")
    if not file.is_file():
        raise MissingModelError(f"There is no model at {path}; nothing is downloaded.")
    return file.resolve()


@lru_cache
def _loaded(path: str, device: str) -> tuple[QuantizedModel, PreTrainedTokenizerBase]:
    """Return the model, and the tokenizer that transformers makes of the file. Raise ModelError if
    llama.cpp divides text into other tokens.
    """
    from transformers import AutoTokenizer

    file = _file(path)
    model = QuantizedModel(file, device)
    with loading(file):
        tokenizer = AutoTokenizer.from_pretrained(
            file.parent, gguf_file=file.name, local_files_only=True
        )
    prompts = PromptTokenizer(tokenizer)
    if any(prompts.ids(text) != model.encoded(text) for text in PROBES):
        raise ModelError(
            f"The tokenizer in {file} is read differently by llama.cpp and by transformers: give "
            "the folder of the model for transformers."
        )
    return model, tokenizer


def _log_softmax(logits: Logits) -> NDArray[np.float64]:
    exact = logits.astype(np.float64)
    exact -= exact.max()
    return np.asarray(exact - np.log(np.exp(exact).sum()))
