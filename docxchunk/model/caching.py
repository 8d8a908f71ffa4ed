"""Methods that compute each result once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

_S = TypeVar("_S")
_K = TypeVar("_K")
_R = TypeVar("_R")


def cached_method(method: Callable[[_S, _K], _R]) -> Callable[[_S, _K], _R]:
    """Return a method of one argument whose results are kept in its object: like a
    `cached_property`, with a value for each argument.
    """
    name = f"_{method.__name__} results"

    @wraps(method)
    def cached(self: _S, argument: _K) -> _R:
        results: dict[_K, _R] = vars(self).setdefault(name, {})
        if argument not in results:
            results[argument] = method(self, argument)
        return results[argument]

    return cached
