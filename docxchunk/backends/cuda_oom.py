"""Halve the batch on CUDA out-of-memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch

from docxchunk.errors import ModelError

_T = TypeVar("_T")
_R = TypeVar("_R")


def run_in_halves(work: Callable[[Sequence[_T]], Sequence[_R]], items: Sequence[_T]) -> list[_R]:
    """Return `work` of all items, in one call if they fit into GPU memory, else of each half in turn.

    Raise ModelError if a single item does not fit.
    """
    try:
        return list(work(items))
    except torch.cuda.OutOfMemoryError as error:
        if len(items) == 1:
            raise ModelError('The memory of the graphics card cannot hold one text with this model: choose a smaller model, or device="cpu".') from error
    torch.cuda.empty_cache()  # after the handler: its traceback keeps the tensors alive
    half = len(items) // 2
    return run_in_halves(work, items[:half]) + run_in_halves(work, items[half:])
