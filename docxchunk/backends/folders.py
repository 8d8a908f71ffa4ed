"""Folders of models: what is in them, told by their bytes and never by where they lie."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from docxchunk.errors import MissingModelError, ModelError

_SUFFIXES: Final = frozenset((".json", ".safetensors", ".bin", ".txt", ".model", ".jinja", ".pt"))


def needs(package: str) -> None:
    """Raises ModuleNotFoundError where the package is not installed; it is not imported yet."""
    if find_spec(package) is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)


def model_folder(path: str, file: str, what: str) -> Path:
    """The folder, if it holds that file. Raises MissingModelError that says what should lie there: nothing is ever downloaded."""
    folder = Path(path).expanduser()
    if not (folder / file).is_file():
        raise MissingModelError(f"There is no {what} at {path}: give the folder that holds its {file}; nothing is downloaded.")
    return folder.resolve()


@contextmanager
def loading(folder: Path) -> Iterator[None]:
    """What the libraries raise while they load, as ModelError of one sentence; their progress bars are not shown."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError) as error:
        said = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise ModelError(f"The model in {folder} cannot be loaded ({said.strip().rstrip('.')}).") from error
    finally:
        if shown:
            logging.enable_progress_bar()


def fingerprint(folder: Path, *settings: object) -> str:
    """A hash of the weights, the configuration and the tokenizer, and of settings that change the answers. Every byte is read, at about 1 GB/s."""
    return f"sha256:{hashlib.sha256(repr((_content_hash(folder), *settings)).encode()).hexdigest()}"


@lru_cache
def _content_hash(folder: Path) -> str:
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.suffix in _SUFFIXES and path.is_file():
            with path.open("rb") as file:
                whole.update(f"{path.relative_to(folder).as_posix()}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()
