"""Choose the device and the dtype of models."""

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
"""Texts that a model is checked with after loading."""

_NEAR: Final = 1e-2  # largest difference of a component of unit vectors


class Device(StrEnum):
    """AUTO: the graphics card, if PyTorch finds one."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


def device_named(name: str) -> torch.device:
    """Return the device of that name. Raise UsageError for an unknown name, and for cuda without a usable graphics card."""
    import torch

    if name not in set(Device):
        raise UsageError(f"There is no device {name!r}; there are {', '.join(Device)}.")
    there = torch.cuda.is_available()
    if name == Device.CUDA and not there:
        raise UsageError('PyTorch finds no graphics card: leave out device="cuda", or install a PyTorch build that supports the card.')
    return torch.device("cuda" if there and name != Device.CPU else "cpu")


def precision(device: torch.device) -> torch.dtype:
    """Return the dtype of language models on a device: float32 on a CPU, bfloat16 on a GPU that supports it, else float16 (to be checked with `finite`)."""
    import torch

    if device.type == "cpu":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16


def halved(load: Callable[[], _M], vectors: Callable[[_M], NDArray[np.float32]]) -> _M:
    """Return the model in float16 if its unit vectors of the probes stay finite and within 0.01 of the original, else as it was loaded.

    float16 overflows beyond 65,504, which intermediate values may exceed.
    """
    import numpy as np

    model = load()
    exact = vectors(model)
    half = vectors(model.half())
    return model if np.isfinite(half).all() and np.abs(half - exact).max() < _NEAR else load()


def finite(load: Callable[[torch.dtype], _M], numbers: torch.dtype, answer: Callable[[_M], torch.Tensor]) -> _M:
    """Return the model in this dtype; in float32 if the dtype is float16 and `answer` is not finite."""
    import torch

    model = load(numbers)
    return model if numbers != torch.float16 or bool(torch.isfinite(answer(model)).all()) else load(torch.float32)
