"""What models in this process share: cores, devices, batches, and the files of a model, which are
fingerprinted by content.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from enum import StrEnum
from functools import lru_cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Final, TypeVar

from docxchunk.errors import MissingModelError, ModelError, UsageError

if TYPE_CHECKING:
    import torch

_T = TypeVar("_T")
_R = TypeVar("_R")

PROBES: Final = (
    "The pump brings 10,000 litres of water to the roof of the school.",
    "1",
    "水箱可以容纳十立方米的水。",
)
"""Texts that a model is checked with after loading."""

# redirect_stderr changes the whole process: two concurrent threads would restore each other's
# stream
_LOADING: Final = RLock()
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
_SUFFIXES: Final = frozenset(
    (".json", ".onnx", ".safetensors", ".bin", ".txt", ".model", ".jinja", ".pt")
)


# -- cores and devices


def usable_cores() -> int:
    """Return the number of cores this process may use: its CPU affinity, capped by the CPU quota of
    its container (cgroup v2), rounded up.
    """
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    try:
        cpu_time, period = _QUOTA.read_text("ascii").split()
    except (OSError, ValueError):
        return cores
    return cores if cpu_time == "max" else max(1, min(cores, -(-int(cpu_time) // int(period))))


class Device(StrEnum):
    """Where models run. AUTO is the graphics card if PyTorch finds one, else the CPU."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


def device_named(name: str) -> torch.device:
    """Return the device of that name. Raise UsageError for an unknown name, and for cuda without a
    usable graphics card.
    """
    import torch

    if name not in set(Device):
        raise UsageError(f"There is no device {name!r}; there are {', '.join(Device)}.")
    available = torch.cuda.is_available()
    if name == Device.CUDA and not available:
        raise UsageError(
            'PyTorch finds no graphics card: leave out device="cuda", or install '
            "a PyTorch build that supports the card."
        )
    return torch.device("cuda" if available and name != Device.CPU else "cpu")


def run_in_halves(work: Callable[[Sequence[_T]], Sequence[_R]], items: Sequence[_T]) -> list[_R]:
    """Return `work` of all items, in order. Items that do not fit into GPU memory together are
    halved until they fit.

    Raise ModelError if a single item does not fit.
    """
    import torch

    try:
        return list(work(items))
    except torch.cuda.OutOfMemoryError as error:
        if len(items) == 1:
            raise ModelError(
                "The memory of the graphics card cannot hold one text with this "
                'model: choose a smaller model, or device="cpu".'
            ) from error
    torch.cuda.empty_cache()  # after the handler: its traceback keeps the tensors alive
    half = len(items) // 2
    return run_in_halves(work, items[:half]) + run_in_halves(work, items[half:])


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield batches of indexes, longest first. The number of rows times the longest length is at
    most the budget, or the batch has a single row.
    """
    order = sorted(range(len(lengths)), key=lambda number: -lengths[number])
    start = 0
    while start < len(order):
        rows = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + rows]
        start += rows


# -- files


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


ONNX_FILES: Final = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx")
"""Where the folder of an ONNX model has its weights."""
NOT_FETCHED: Final = (
    "The model {} is not in the cache of the hub, and it could not be fetched: is the name right, "
    "and is there a network?"
)


@contextmanager
def loading(
    path: Path | str, sentence: str = "The model in {} cannot be loaded."
) -> Iterator[None]:
    """Turn errors of the libraries into a ModelError of one sentence, and hide their progress
    bars. The sentence gets the path, and the reason in brackets.
    """
    try:
        with _LOADING, redirect_stderr(StringIO()):
            yield
    except Exception as error:  # the libraries raise anything on a bad file
        message = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise ModelError(
            f"{sentence.format(path)[:-1]} ({message.strip().rstrip('.')}){sentence[-1]}"
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
    sha256 = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.suffix in _SUFFIXES and path.is_file():
            sha256.update(f"{path.relative_to(folder).as_posix()}\0{_digest(path)}\n".encode())
    return sha256.hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
