"""A base class for wrappers of models, such as caches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class Named(Protocol):
    """What all models have in common."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...


_N = TypeVar("_N", bound=Named)


class Wrapper(Generic[_N]):
    """A model with the name, fingerprint, context window and token count of the one that it
    wraps.
    """

    def __init__(self, inner: _N) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    @property
    def window(self) -> int | None:
        """The context window of the model, in tokens; None if unknown."""
        return getattr(self._wrapped(), "window", None)

    @property
    def count(self) -> Callable[[str], int] | None:
        """The function that counts tokens as the model does; None if unknown."""
        return getattr(self._wrapped(), "count", None)

    def _wrapped(self) -> object:
        """Return the model that has the `window` and `count`."""
        return self._inner
