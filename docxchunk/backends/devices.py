"""Where models compute, and in which numbers."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar

from docxchunk.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

_M = TypeVar("_M", bound="torch.nn.Module")

PROBES: Final = ("The pump brings 10,000 litres of water to the roof of the school.", "1", "水箱可以容纳十立方米的水。")
"""Texts that a model is tried with after it was loaded."""

_NEAR: Final = 1e-2  # of vectors of length 1


class Device(StrEnum):
    """AUTO is the graphics card where there is one."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


def device_named(name: str) -> torch.device:
    """Raises UsageError for a name that there is not, and where cuda is asked for and missing."""
    import torch

    if name not in set(Device):
        raise UsageError(f"There is no device {name!r}; there are {', '.join(Device)}.")
    there = torch.cuda.is_available()
    if name == Device.CUDA and not there:
        raise UsageError('There is no graphics card that PyTorch can use: leave device="cuda" out, or install a PyTorch for it.')
    return torch.device("cuda" if there and name != Device.CPU else "cpu")


def precision(device: torch.device) -> torch.dtype:
    """Of a language model: float32 on a processor, where answers are to be exact, bfloat16 on a graphics card that has it, else float16, to be checked."""
    import torch

    if device.type == "cpu":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16


def halved(load: Callable[[], _M], vectors: Callable[[_M], NDArray[np.float32]]) -> _M:
    """The model in float16 where its vectors of the probes, each of length 1, stay finite and where they were, else as it was loaded.

    float16 ends at 65,504: what a model computes on the way may be more.
    """
    import numpy as np

    model = load()
    exact = vectors(model)
    half = vectors(model.half())
    return model if np.isfinite(half).all() and np.abs(half - exact).max() < _NEAR else load()


def finite(load: Callable[[torch.dtype], _M], numbers: torch.dtype, answer: Callable[[_M], torch.Tensor]) -> _M:
    """The model in these numbers; in float32 where they are float16 and its answer is not finite."""
    import torch

    model = load(numbers)
    return model if numbers != torch.float16 or bool(torch.isfinite(answer(model)).all()) else load(torch.float32)
