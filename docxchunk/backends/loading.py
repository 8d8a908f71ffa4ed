"""Find models by name, folder, file or address. Each model is loaded once for each process, on
first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from docxchunk import registry
from docxchunk.backends.cache import CACHED, Deferred, store
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import NO_MODELS, Embedder, Models, Scorer
from docxchunk.registry import LAB, PluginKind, extra_for, lab_module

PORTS: Final = ("embedder", "scorer", "completer", "describer")
_QUANTIZED: Final = ".gguf"
_LLAMA_CPP: Final = "llama.cpp:"  # may stand before the path of a .gguf file


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Names of the models to use, as strings that can be sent to another process; "": none, or the
    value of the environment variable.

    `embedder` is a name (`hashing`) or the folder of a sentence-transformers model;
    `scorer` and `completer` are the folder of a transformers model, a .gguf file, which runs in
    llama.cpp, or the URL of a server, with #MODEL if it has several; `describer` is such a URL.
    `device` is auto, cpu or cuda. `cache`: store answers on disk for later runs.
    """

    embedder: str = ""
    scorer: str = ""
    completer: str = ""
    device: str = "auto"
    cache: bool = True
    describer: str = ""

    def __post_init__(self) -> None:
        check_fields(self)

    def with_environment(self) -> ModelChoice:
        """Return the choice with empty fields filled from DOCXCHUNK_EMBEDDER, DOCXCHUNK_SCORER,
        DOCXCHUNK_COMPLETER and DOCXCHUNK_DESCRIBER.
        """
        chosen: dict[str, Any] = {
            port: getattr(self, port) or os.environ.get(f"DOCXCHUNK_{port.upper()}", "")
            for port in PORTS
        }
        return replace(self, **chosen)


def models(choice: ModelChoice, ports: Sequence[str] = PORTS) -> Models:
    """Return the models for these ports; None for a port without a choice.

    Raise UsageError for an unknown name, MissingExtraError, MissingModelError if a folder has no
    model, ModelError if a server does not answer.
    """
    if not ports:
        return NO_MODELS
    cache = store() if choice.cache else None
    ready: dict[str, Any] = {}
    for port in filter(ports.__contains__, PORTS):
        model = _model(port, choice)
        # a model that need not be loaded is faster than the cache
        ready[port] = CACHED[port](model, cache) if isinstance(model, Deferred) else model
    return Models(**ready)


def loaded(choice: ModelChoice) -> tuple[Embedder | None, Scorer | None]:
    """Return the embedder and the scorer, loaded and without a cache."""
    embedder, scorer = (
        model.model if isinstance(model, Deferred) else model
        for model in (_model(port, choice) for port in ("embedder", "scorer"))
    )
    return embedder, scorer


def _model(port: str, choice: ModelChoice) -> Any:
    """Return the chosen model for a port, possibly as a `Deferred`; None without a choice."""
    name: str = getattr(choice, port)
    if not name:
        return None
    if port == "embedder":
        return _embedder(name, choice.device)
    if port == "describer" or "://" in name:
        return _language_model("server", port, name)
    if name.endswith(_QUANTIZED) or name.startswith(_LLAMA_CPP):
        return _language_model("gguf", port, name.removeprefix(_LLAMA_CPP), choice.device)
    return _language_model("folder", port, name, choice.device)


def _language_model(kind: str, port: str, *arguments: str) -> Any:
    entry = LAB[kind]
    with extra_for(entry.summary, "", entry.extra):
        return getattr(lab_module(kind), port)(*arguments)


def _embedder(name: str, device: str) -> Deferred[Embedder] | Embedder:
    if os.sep in name or Path(name).is_dir():
        with extra_for("An embedding model", "", "semantic"):
            from docxchunk.backends.embeddings import embedder_in_folder

            return embedder_in_folder(name, device)
    make = registry.load(PluginKind.EMBEDDER, name)
    with extra_for(f"The embedder {name!r}", "", registry.find(PluginKind.EMBEDDER, name).extra):
        return cast("Callable[[str], Deferred[Embedder] | Embedder]", make)(device)
