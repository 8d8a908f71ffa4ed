"""Score texts with a local causal LM of the transformers library (extra `llm`)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.backends.cache import Deferred
from docxchunk.backends.devices import PROBES, device_named, finite, precision
from docxchunk.backends.forward import Reader
from docxchunk.backends.gguf import is_unpacked, keep_unpacked, unpacked_folder
from docxchunk.backends.model_folders import LanguageModel, fingerprint, language_model, loading
from docxchunk.backends.peak_flops import matmul_rate, operations_a_token
from docxchunk.backends.prompted import ModelIdentity
from docxchunk.backends.prompts import Prompts, TokenIds
from docxchunk.backends.token_scorer import TokenScorer
from docxchunk.model.ports import Scorer

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

CONTEXT: Final = 16384
"""Default cap on the attention context in tokens: the cost of attention is quadratic."""

_WINDOW: Final = {"cpu": 2048, "cuda": 16384}


class Windows(NamedTuple):
    """Window sizes in tokens, see `Reader`. `context` 0: the model's own, at most 16,384; `overlap` 0: a quarter of the context."""

    window: int = 2048
    context: int = 0
    overlap: int = 0


class Local(NamedTuple):
    """A loaded model with its tokenizer, name and fingerprint."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    fingerprint: str


class CausalScorer(TokenScorer):
    """A scorer with a model of the transformers library."""

    def __init__(self, local: Local, windows: Windows = Windows()) -> None:  # noqa: B008 - a value
        context = windows.context or min(positions(local.model), CONTEXT)
        reader = Reader(local.model, windows.window, context, windows.overlap or context // 4)
        identity = ModelIdentity(local.name, f"{local.fingerprint}:{windows.context}:{windows.overlap}")
        super().__init__(identity, reader, Prompts(local.tokenizer), ends_of(local), context)
        self._model = local.model

    @property
    def operations(self) -> int:
        return operations_a_token(self._model)

    @property
    def peak(self) -> float:
        return float(matmul_rate(self._model.device.type, str(self._model.dtype).removeprefix("torch.")))


@lru_cache
def in_folder(path: str, device: str = "auto") -> Deferred[Scorer]:
    """Return the scorer for a transformers model folder or a .gguf file. Raise MissingModelError; loading raises ModelError."""
    where = device_named(device)
    windows = Windows(window=_WINDOW[where.type])
    name, known = described(path, device)
    return Deferred(name, f"{known}:{windows.context}:{windows.overlap}", lambda: CausalScorer(local_model(path, device), windows))


def described(path: str, device: str) -> tuple[str, str]:
    """Return the name and the fingerprint of the model in a folder or file, without loading it."""
    found = language_model(path)
    return found.name, fingerprint(found.path, str(precision(device_named(device))))


@lru_cache
def local_model(path: str, device: str) -> Local:
    """Load the model in a folder or .gguf file, once for each process. Nothing is downloaded and no code in the folder is run.

    GGUF weights are dequantized once and cached on disk. Raise MissingModelError, ModelError.
    """
    found, where = language_model(path), device_named(device)
    numbers = precision(where)
    folder = unpacked_folder(found.path, str(numbers).removeprefix("torch.")) if found.gguf else found.folder
    with loading(found.path):
        if not found.gguf or is_unpacked(folder):
            model, tokenizer = _opened(folder, where, numbers)
        else:
            model, tokenizer = _opened(found.folder, where, numbers, found.gguf)
            keep_unpacked(model, tokenizer, folder)
    return Local(model, tokenizer, *described(path, device))


def _opened(folder: Path, where: torch.device, numbers: torch.dtype, gguf: str = "") -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    from transformers import AutoModelForCausalLM

    packed = {"gguf_file": gguf} if gguf else {}
    tokenizer = _tokenizer(folder, gguf)

    def load(numbers: torch.dtype) -> PreTrainedModel:
        return AutoModelForCausalLM.from_pretrained(folder, dtype=numbers, local_files_only=True, **packed).to(where).eval()

    def probed(model: PreTrainedModel) -> torch.Tensor:
        return model(**tokenizer(" ".join(PROBES), return_tensors="pt").to(where)).logits

    return finite(load, numbers, probed), tokenizer


def tokenizer_in(found: LanguageModel) -> PreTrainedTokenizerBase:
    """Return the tokenizer of a model. Raise ModelError if it cannot be loaded."""
    with loading(found.path):
        return _tokenizer(found.folder, found.gguf)


def _tokenizer(folder: Path, gguf: str) -> PreTrainedTokenizerBase:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, local_files_only=True, **({"gguf_file": gguf} if gguf else {}))


def positions(model: PreTrainedModel) -> int:
    """Return the context length of the model in tokens."""
    return int(getattr(model.config.get_text_config(), "max_position_embeddings", None) or CONTEXT)


def ends_of(local: Local) -> TokenIds:
    """Return all end-of-sequence tokens: chat models have one for a turn and one for a text."""
    declared = getattr(local.model.generation_config, "eos_token_id", None)
    declared = local.tokenizer.eos_token_id if declared is None else declared
    return tuple(sorted(set(declared if isinstance(declared, (list, tuple)) else [declared]) - {None}))
