"""Import functions of other packages by name, as "package.module:function"."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from docxchunk.errors import UsageError
from docxchunk.evaluation.chunkers import Cut
from docxchunk.model.ports import Embedder


def cutter(target: str) -> Cut:
    """Return a chunker: a function from a text and the maximum tokens to character ranges. Raise UsageError if it cannot be imported."""
    return cast("Cut", _function(target))


def embedder(target: str) -> Embedder:
    """Return the embedder that a function without arguments makes. Raise UsageError if it cannot be imported."""
    return cast("Callable[[], Embedder]", _function(target))()


def _function(target: str) -> object:
    module, colon, name = target.partition(":")
    if not colon:
        raise UsageError(f"{target!r} does not name a function: write module:function.")
    try:
        found: object = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{target} cannot be imported ({error}); is its folder on PYTHONPATH?") from error
    if not callable(found):
        raise UsageError(f"{target} is not a function.")
    return found
