"""Embed texts with ONNX models in fastembed, without PyTorch (extra `embed`)."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
from huggingface_hub import model_info
from huggingface_hub.constants import HF_HUB_CACHE
from loguru import logger

from docxchunk.backends.cache import Deferred
from docxchunk.backends.embeddings import LocalEmbedder, normalized, warn_of_window
from docxchunk.backends.local_models import NOT_FETCHED, ONNX_FILES, batches, content_hash, loading
from docxchunk.backends.tokenizers import readable
from docxchunk.model.ports import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

logger.disable("fastembed")  # what it says is in its errors, too
_PATIENCE: Final = 10.0  # seconds
_BUDGET: Final = 4096  # tokens of a batch, padding included


class FastEmbedder(LocalEmbedder):
    """Embed texts with a model of fastembed, in batches of texts of similar length. Only the first
    `window` tokens of a text are read. Vectors are float32 of length 1.
    """

    def __init__(self, model: TextEmbedding, name: str, fingerprint: str) -> None:
        tokenizer = model.model.tokenizer
        longest = (tokenizer.truncation or {}).get("max_length", 512)
        super().__init__(name, fingerprint, tokenizer, int(longest))
        self._model = model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        start, clean = perf_counter(), list(map(readable, texts))
        tokens = list(map(self.count, clean))
        vectors = np.zeros((len(texts), self._model.embedding_size), np.float32)
        with self._lock:
            for batch in batches([min(size, self.window) + 2 for size in tokens], _BUDGET):
                answers = self._model.embed([clean[n] for n in batch], batch_size=len(batch))
                vectors[batch] = list(answers)
        cut = sum(size > self.window for size in tokens)
        self._charge(len(texts), sum(min(size, self.window) for size in tokens), start, cut)
        warn_of_window(self, cut)
        return normalized(vectors)


def has_model(name: str) -> bool:
    """Return whether fastembed has a model of the hub."""
    names = (str(model["model"]) for model in TextEmbedding.list_supported_models())
    return name.lower() in map(str.lower, names)


@lru_cache
def fast_embedder_of_hub(name: str) -> Deferred[Embedder]:
    """Return a model of the hub that is in the cache of the hub, or is fetched on first use.
    Loading raises ModelError.
    """
    fingerprint = f"fastembed {version('fastembed')}: {name}"

    def load() -> FastEmbedder:
        folder = os.environ.get("FASTEMBED_CACHE_PATH", HF_HUB_CACHE)
        with loading(name, NOT_FETCHED):
            try:
                model = TextEmbedding(name, cache_dir=folder, local_files_only=True)
            except ValueError:  # it is not in the cache
                model_info(name, timeout=_PATIENCE)  # fails at once without a network
                model = TextEmbedding(name, cache_dir=folder)
        return FastEmbedder(model, name, fingerprint)

    return Deferred(name, fingerprint, load)


@lru_cache
def fast_embedder_in_folder(folder: Path) -> Deferred[Embedder]:
    """Return the ONNX model in a folder, with its tokenizer and its kind of pooling (the mean, if
    the folder does not tell). Loading raises ModelError.
    """
    fingerprint = f"fastembed {version('fastembed')}: {content_hash(folder)}"

    def load() -> FastEmbedder:
        name = fingerprint.replace("/", "-")
        with loading(folder):
            if not has_model(name):
                TextEmbedding.add_custom_model(
                    name,
                    pooling=_pooling_in(folder),
                    normalization=True,
                    sources=ModelSource(url="file:"),  # it is never fetched
                    dim=int(json.loads((folder / "config.json").read_bytes())["hidden_size"]),
                    model_file=next(file for file in ONNX_FILES if (folder / file).is_file()),
                )
            model = TextEmbedding(name, specific_model_path=str(folder))
        return FastEmbedder(model, folder.name, fingerprint)

    return Deferred(folder.name, fingerprint, load)


def _pooling_in(folder: Path) -> PoolingType:
    file = folder / "1_Pooling" / "config.json"
    settings = json.loads(file.read_bytes()) if file.is_file() else {}
    return PoolingType.CLS if settings.get("pooling_mode_cls_token") else PoolingType.MEAN
