"""Find models by name, folder, file or address. Each model is loaded once for each process, on
first use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

from docxchunk import registry
from docxchunk.backends import language_models
from docxchunk.backends.cache import CACHED, Deferred, store
from docxchunk.backends.local_models import ONNX_FILES
from docxchunk.errors import OutputError, UsageError
from docxchunk.language.patterns import pattern
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import NO_MODELS, Embedder, Models, Scorer
from docxchunk.registry import PluginKind, extra_for

PORTS: Final = ("embedder", "scorer", "completer", "describer")
_QUANTIZED: Final = ".gguf"
_OF_HUB: Final = pattern(r"[\w.-]+/[\w.-]+")
_LLAMA_CPP: Final = "llama.cpp:"  # may stand before the path of a .gguf file
_LANGUAGE_MODELS: Final = {  # kind: module, beginning of the message about a missing extra, extra
    "server": ("chat", "A model on a server", "api"),
    "gguf": ("llama_cpp", "A model in llama.cpp", "llama-cpp"),
    "folder": ("causal_lm", "A language model in this process", "llm"),
}


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Names of the models to use, as strings that can be sent to another process; "": none, or the
    value of the environment variable.

    `embedder` is a name on the Hugging Face hub (`BAAI/bge-small-en-v1.5`), the folder of a model,
    the URL of a server with #MODEL, or `hashing`;
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
    for port in ports:
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
    module, user, extra = _LANGUAGE_MODELS[kind]
    with extra_for(user, "", extra):
        return getattr(import_module(f"{language_models.__name__}.{module}"), port)(*arguments)


def _embedder(name: str, device: str) -> Deferred[Embedder] | Embedder:
    if "://" in name:
        with extra_for("An embedding model on a server", "", "api"):
            from docxchunk.backends.embeddings import ServerEmbedder

            return ServerEmbedder(name)
    is_folder = Path(name).expanduser().is_dir() or name.startswith((".", "~", os.sep))
    if is_folder or _OF_HUB.fullmatch(name):
        return (_in_folder if is_folder else _of_hub)(name, device)
    make = registry.load(PluginKind.EMBEDDER, name)
    with extra_for(f"The embedder {name!r}", "", registry.find(PluginKind.EMBEDDER, name).extra):
        return cast("Callable[[str], Deferred[Embedder] | Embedder]", make)(device)


def _in_folder(name: str, device: str) -> Deferred[Embedder]:
    """Return the model in a folder: in fastembed, if it has an ONNX model."""
    folder = Path(name).expanduser().resolve()
    is_onnx = any((folder / file).is_file() for file in ONNX_FILES)
    if is_onnx and (_has_fastembed(device) or not (folder / "modules.json").is_file()):
        with extra_for("An ONNX model", "", "embed"):
            from docxchunk.backends.fast_embeddings import fast_embedder_in_folder

            return fast_embedder_in_folder(folder)
    with extra_for("An embedding model", "", "semantic"):
        from docxchunk.backends.embeddings import embedder_in_folder

        return embedder_in_folder(name, device)


def _of_hub(name: str, device: str) -> Deferred[Embedder]:
    """Return a model of the hub: in fastembed, if it knows the model, or else in
    sentence-transformers.
    """
    has_others = find_spec("sentence_transformers") is not None
    if _has_fastembed(device) or not has_others:
        with extra_for("An embedding model", "", "embed"):
            from docxchunk.backends.fast_embeddings import fast_embedder_of_hub, has_model
        if has_model(name):
            return fast_embedder_of_hub(name)
        if not has_others:
            raise UsageError(
                f"fastembed has no model {name}: choose one of its list, such as "
                'BAAI/bge-small-en-v1.5, or run pip install "docxchunk[semantic]".'
            )
    from docxchunk.backends.embeddings import embedder_of_hub

    return embedder_of_hub(name, device)


def _has_fastembed(device: str) -> bool:
    return device != "cuda" and find_spec("fastembed") is not None


# -- the embedder of searches

NO_EMBEDDER: Final = "none"


def chosen_embedder() -> str:
    """Return the name of the embedder that was set up for searches: DOCXCHUNK_EMBEDDER, or what
    `set_up_embedder` stored; "" if there is none.
    """
    name = os.environ.get("DOCXCHUNK_EMBEDDER", "")
    if not name:
        with suppress(OSError):
            name = _setup_file().read_text("utf-8").strip()
    return "" if name == NO_EMBEDDER else name


def set_up_embedder(name: str) -> None:
    """Store the name of the embedder of later searches; "none": words alone. The model is loaded to
    check it. Raise what `models` raises, and OutputError if the name cannot be stored.
    """
    if name != NO_EMBEDDER:
        if Path(name).is_dir():
            name = str(Path(name).resolve())
        embedder = models(ModelChoice(name), ("embedder",)).embedder
        assert embedder is not None  # noqa: S101 - it was named
        embedder.embed(["a text"])
    file = _setup_file()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name}\n", "utf-8")
    except OSError as error:
        raise OutputError(f"{file} cannot be written ({error.strerror or error}).") from error


def _setup_file() -> Path:
    with extra_for("The search", "", "search"):
        from platformdirs import user_config_path

        return user_config_path("docxchunk") / "embedder"
