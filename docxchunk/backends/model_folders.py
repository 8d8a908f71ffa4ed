"""Find model folders and files, and fingerprint them by content, not by path."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from functools import lru_cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from threading import RLock
from typing import Final, NamedTuple

from docxchunk.errors import MissingModelError, ModelError

GGUF: Final = ".gguf"
_LOADING: Final = RLock()  # redirect_stderr changes the whole process: two concurrent threads would restore each other's stream
_SUFFIXES: Final = frozenset((".json", ".safetensors", ".bin", ".txt", ".model", ".jinja", ".pt"))


def needs(package: str) -> None:
    """Raise ModuleNotFoundError if the package is not installed, without importing it."""
    if find_spec(package) is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)


def model_folder(path: str, file: str, what: str, instead: str = "") -> Path:
    """Return the resolved folder. Raise MissingModelError if it does not contain the file; nothing is downloaded."""
    folder = Path(path).expanduser()
    if not (folder / file).is_file():
        raise MissingModelError(f"There is no {what} at {path}: give the folder that holds its {file}{instead}; nothing is downloaded.")
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
    """Return the location of the model in a folder or a .gguf file. Raise MissingModelError; ModuleNotFoundError if a library is not installed."""
    needs("transformers")
    file = Path(path).expanduser()
    if file.suffix != GGUF:
        return LanguageModel(model_folder(path, "config.json", "transformers model", ", or a .gguf file"))
    if not file.is_file():
        raise MissingModelError(f"There is no model at {path}; nothing is downloaded.")
    needs("gguf")
    needs("accelerate")
    return LanguageModel(file.resolve().parent, file.name)


@contextmanager
def loading(path: Path | str) -> Iterator[None]:
    """Turn any error of the libraries into a ModelError of one sentence, and hide their progress bars."""
    try:
        with _LOADING, redirect_stderr(StringIO()):
            yield
    except Exception as error:  # the libraries raise anything on a bad file
        said = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise ModelError(f"The model in {path} cannot be loaded ({said.strip().rstrip('.')}).") from error


def fingerprint(path: Path, *settings: object) -> str:
    """Return a hash of the weights, config, tokenizer and of settings that change the answers. It reads every byte, at about 1 GB/s."""
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
