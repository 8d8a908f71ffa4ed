"""Patterns that are compiled when they are first used. Long ones would take most of the time in
which a command starts, even if it does not use them.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` does, but compile it on first use."""
    return cast("re.Pattern[str]", Later(source, flags))


class Later:
    """A pattern that becomes one of `re` on first use."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern = source
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern of `re`."""
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for by `copy` and `pickle`
            raise AttributeError(name)
        value = getattr(self.compiled, name)
        setattr(self, name, value)
        return value
