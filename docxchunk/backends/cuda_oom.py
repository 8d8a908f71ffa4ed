"""Batches on a graphics card, whose memory ends somewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import torch

from docxchunk.errors import ModelError

_T = TypeVar("_T")
_R = TypeVar("_R")


def in_halves(work: Callable[[Sequence[_T]], Sequence[_R]], items: Sequence[_T]) -> list[_R]:
    """What `work` makes of all items at once or, where that does not fit into the memory, of one half and then the other.

    Raises ModelError where one item alone does not fit.
    """
    try:
        return list(work(items))
    except torch.cuda.OutOfMemoryError as error:
        if len(items) == 1:
            raise ModelError('The memory of the graphics card does not even hold one text with this model: take a smaller one, or device="cpu".') from error
    torch.cuda.empty_cache()  # outside of the handler, whose error holds on to what did not fit
    half = len(items) // 2
    return in_halves(work, items[:half]) + in_halves(work, items[half:])
