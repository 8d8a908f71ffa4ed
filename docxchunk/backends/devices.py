"""Choose the device and the dtype of models, halve batches that do not fit into its memory, and
estimate its peak speed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeVar

from docxchunk.errors import ModelError, UsageError

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer
    from transformers import PreTrainedModel


_M = TypeVar("_M", bound="torch.nn.Module")
_T = TypeVar("_T")
_R = TypeVar("_R")

PROBES: Final = (
    "The pump brings 10,000 litres of water to the roof of the school.",
    "1",
    "水箱可以容纳十立方米的水。",
)
"""Texts that a model is checked with after loading."""

_NEAR: Final = 1e-2  # largest difference of a component of unit vectors
_MATRIX: Final = {"cpu": 1024, "cuda": 8192}  # rows of the matrices that are multiplied
_ROUNDS: Final = 5


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


def precision(device: torch.device) -> torch.dtype:
    """Return the dtype of language models on a device: float32 on a CPU, bfloat16 on a GPU that
    supports it, else float16 (to be checked with `finite`).
    """
    import torch

    if device.type == "cpu":
        return torch.float32
    return (
        torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    )


def halved(load: Callable[[], _M], vectors: Callable[[_M], NDArray[np.float32]]) -> _M:
    """Return the model in float16 if this changes its vectors of some probes by less than 0.01.
    Otherwise return the model as it was loaded.

    float16 overflows beyond 65,504, which intermediate values may exceed: the vectors must be
    finite.
    """
    import numpy as np

    model = load()
    exact = vectors(model)
    half = vectors(model.half())
    return model if np.isfinite(half).all() and np.abs(half - exact).max() < _NEAR else load()


def finite(
    load: Callable[[torch.dtype], _M], numbers: torch.dtype, answer: Callable[[_M], torch.Tensor]
) -> _M:
    """Return the model in the dtype `numbers`, or in float32 if that is float16 and `answer`, a
    tensor that the model computes, is not finite.
    """
    import torch

    model = load(numbers)
    return (
        model
        if numbers != torch.float16 or bool(torch.isfinite(answer(model)).all())
        else load(torch.float32)
    )


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


@lru_cache
def matmul_rate(device: str, numbers: str) -> float:
    """Return FLOP/s of a square matrix product in a dtype such as "float32", the best of several
    runs.
    """
    import torch

    where = device_named(device)
    size = _MATRIX[where.type]
    left, right = (
        torch.randn(size, size, device=where, dtype=getattr(torch, numbers)) for _ in range(2)
    )
    return float(2 * size**3 / min(_product_seconds(left, right) for _ in range(_ROUNDS)))


def peak_rate(model: PreTrainedModel | SentenceTransformer) -> float:
    """Return the peak FLOP/s of the device of a model, in the dtype of the model."""
    return matmul_rate(model.device.type, str(model.dtype).removeprefix("torch."))


def operations_a_token(model: PreTrainedModel) -> int:
    """Return the FLOPs for each token of a forward pass: two for each weight. The embedding tables
    and the attention scores are left out.
    """
    import torch

    tables = {
        id(module.weight) for module in model.modules() if isinstance(module, torch.nn.Embedding)
    }
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    tied = head.weight.numel() if head is not None and id(head.weight) in tables else 0
    multiplied: int = 2 * (
        tied + sum(weight.numel() for weight in model.parameters() if id(weight) not in tables)
    )
    return multiplied


def _product_seconds(left: torch.Tensor, right: torch.Tensor) -> float:
    import torch

    start = perf_counter()
    torch.mm(left, right)  # no gradients: neither requires them
    if left.is_cuda:
        torch.cuda.synchronize()
    return perf_counter() - start
