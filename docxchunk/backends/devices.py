"""Where models compute, and in which numbers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from docxchunk.errors import UsageError

if TYPE_CHECKING:
    import torch


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
    """Of a language model: float32 on a processor, where answers are to be exact, bfloat16 on a graphics card that has it."""
    import torch

    if device.type == "cpu":
        return torch.float32
    return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
