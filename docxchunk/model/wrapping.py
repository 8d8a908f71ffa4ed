"""A base class for wrappers of models, such as caches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable


class Windowed(ABC):
    """A wrapper with the `window` and `count` of the wrapped model."""

    @abstractmethod
    def _wrapped(self) -> object:
        """Return the wrapped model."""

    @property
    def window(self) -> int | None:
        """The context window of the model, in tokens; None if unknown."""
        return getattr(self._wrapped(), "window", None)

    @property
    def count(self) -> Callable[[str], int] | None:
        """The function that counts tokens as the model does; None if unknown."""
        return getattr(self._wrapped(), "count", None)
