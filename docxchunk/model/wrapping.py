"""What wrappers of models pass on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable


class Windowed(ABC):
    """A wrapper that says of its model how much that reads at once."""

    @abstractmethod
    def _wrapped(self) -> object:
        """The model itself."""

    @property
    def window(self) -> int | None:
        """The most tokens of one text or prompt that the model reads; None where it does not say."""
        return getattr(self._wrapped(), "window", None)

    @property
    def count(self) -> Callable[[str], int] | None:
        """What counts the tokens of the model; None where it does not say."""
        return getattr(self._wrapped(), "count", None)
