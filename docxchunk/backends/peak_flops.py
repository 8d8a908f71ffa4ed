"""Measure the peak matmul throughput of a device, the yardstick for model speed."""

from __future__ import annotations

from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Final

import torch

from docxchunk.backends.devices import device_named

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_SIZE: Final = {"cpu": 1024, "cuda": 8192}
_ROUNDS: Final = 5


@lru_cache
def matmul_rate(device: str, numbers: str) -> float:
    """Return FLOP/s of a square matrix product in a dtype such as "float32", the best of several runs."""
    where = device_named(device)
    size = _SIZE[where.type]
    left, right = (torch.randn(size, size, device=where, dtype=getattr(torch, numbers)) for _ in range(2))
    return float(2 * size**3 / min(_product_seconds(left, right) for _ in range(_ROUNDS)))


def operations_a_token(model: PreTrainedModel) -> int:
    """Return the FLOPs for each token of a forward pass: two for each weight but the embedding tables; attention scores are left out."""
    tables = {id(module.weight) for module in model.modules() if isinstance(module, torch.nn.Embedding)}
    head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    tied = head.weight.numel() if head is not None and id(head.weight) in tables else 0
    multiplied: int = 2 * (tied + sum(weight.numel() for weight in model.parameters() if id(weight) not in tables))
    return multiplied


def _product_seconds(left: torch.Tensor, right: torch.Tensor) -> float:
    start = perf_counter()
    torch.mm(left, right)  # no gradients: neither requires them
    if left.is_cuda:
        torch.cuda.synchronize()
    return perf_counter() - start
