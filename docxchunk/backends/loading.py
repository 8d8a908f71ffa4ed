"""Find models by name, folder or address, fingerprint them by content, and cache the dequantized
weights of .gguf files. Each model is loaded once for each process, on first use.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from docxchunk import registry
from docxchunk.backends.cache import CACHED, Deferred, cache_folder, store
from docxchunk.errors import MissingModelError, ModelError
from docxchunk.model.fields import check_fields
from docxchunk.model.ports import NO_MODELS, Embedder, Models, Scorer
from docxchunk.registry import LAB, PluginKind, extra_for, lab_module

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

PORTS: Final = ("embedder", "scorer", "completer", "describer")
QUANTIZED: Final = "llama.cpp:"
"""Before the path of a .gguf file: its weights stay quantized, and llama.cpp computes with them."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Names of the models to use, as strings that can be sent to another process; "": none, or the
    value of the environment variable.

    `embedder` is a name (`hashing`) or the folder of a sentence-transformers model;
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
    if name.startswith(QUANTIZED):
        return _language_model("gguf", port, name.removeprefix(QUANTIZED), choice.device)
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


GGUF: Final = ".gguf"
# redirect_stderr changes the whole process: two concurrent threads would restore each other's
# stream
_LOADING: Final = RLock()
_SUFFIXES: Final = frozenset((".json", ".safetensors", ".bin", ".txt", ".model", ".jinja", ".pt"))


def needs(package: str) -> None:
    """Raise ModuleNotFoundError if the package is not installed. It is not imported."""
    if find_spec(package) is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)


def model_folder(path: str, file: str, kind: str, instead: str = "") -> Path:
    """Return the resolved folder. Raise MissingModelError if it does not contain the file; nothing
    is downloaded.
    """
    folder = Path(path).expanduser()
    if not (folder / file).is_file():
        raise MissingModelError(
            f"There is no {kind} at {path}: give the folder that holds its "
            f"{file}{instead}; nothing is downloaded."
        )
    return folder.resolve()


class LanguageModel(NamedTuple):
    """The location of a language model: a transformers folder, or a GGUF file in a folder."""

    folder: Path
    gguf: str = ""

    @property
    def name(self) -> str:
        return self.gguf.removesuffix(GGUF) or self.folder.name

    @property
    def path(self) -> Path:
        return self.folder / self.gguf


def language_model(path: str) -> LanguageModel:
    """Return the location of the model in a folder or a .gguf file. Raise MissingModelError;
    ModuleNotFoundError if a library is not installed.
    """
    needs("transformers")
    file = Path(path).expanduser()
    if file.suffix != GGUF:
        return LanguageModel(
            model_folder(path, "config.json", "transformers model", ", or a .gguf file")
        )
    if not file.is_file():
        raise MissingModelError(f"There is no model at {path}; nothing is downloaded.")
    needs("gguf")
    needs("accelerate")
    return LanguageModel(file.resolve().parent, file.name)


@contextmanager
def loading(path: Path | str) -> Iterator[None]:
    """Turn errors of the libraries into a ModelError of one sentence, and hide their progress
    bars.
    """
    try:
        with _LOADING, redirect_stderr(StringIO()):
            yield
    except Exception as error:  # the libraries raise anything on a bad file
        message = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise ModelError(
            f"The model in {path} cannot be loaded ({message.strip().rstrip('.')})."
        ) from error


def fingerprint(path: Path, *settings: object) -> str:
    """Return a hash of the files of a model (weights, configuration, tokenizer) and of the settings
    that change its answers. All bytes of the files are read, at about 1 GB/s.
    """
    return f"sha256:{hashlib.sha256(repr((content_hash(path), *settings)).encode()).hexdigest()}"


@lru_cache
def content_hash(path: Path) -> str:
    """Return the SHA-256 in hex digits of a file, or of all model files in a folder."""
    return _hash_of_files(path) if path.is_dir() else _digest(path)


def _hash_of_files(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.suffix in _SUFFIXES and path.is_file():
            whole.update(f"{path.relative_to(folder).as_posix()}\0{_digest(path)}\n".encode())
    return whole.hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_LOG: Final = logging.getLogger(__name__)


def unpacked_folder(file: Path, numbers: str) -> Path:
    """Return the cache folder for the weights of a file in a dtype such as "float32". Its name is a
    hash of the file's bytes; it may be deleted.
    """
    return cache_folder() / "gguf" / f"{content_hash(file)[:32]}-{numbers}"


def is_unpacked(folder: Path) -> bool:
    return (folder / "config.json").is_file()


def keep_unpacked(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Save model and tokenizer in the folder, atomically. If that fails, log a warning: the next
    run will dequantize the file again.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=folder.parent))
    except OSError as error:
        _LOG.warning("The weights cannot be kept at %s (%s).", folder, error)
        return
    try:
        _mark_plain(model)
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        temporary.rename(folder)
    except Exception as error:  # noqa: BLE001 - a full disk, a concurrent process, any error of the libraries: the model is usable without the cache
        if not is_unpacked(folder):
            _LOG.warning("The weights cannot be kept at %s (%s).", folder, error)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _mark_plain(model: PreTrainedModel) -> None:
    """Remove the quantization config: the weights are dequantized, but `save_pretrained` refuses a
    model that has one.
    """
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
