"""Use any function str -> int as a tokenizer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import SupportsIndex

from docxchunk.errors import UsageError

_PROBES = (
    "",
    "a",
    "Hello, world!",
    "The quick brown fox\njumps over 13 lazy dogs.",
    "第一章 总则。",
    "Größe straße",
    "x² + y² ≤ 1\n\n",
    '<table id="tb-1">[["a","b"]]</table>',
)


class FunctionTokenizer:
    """A counting function as a tokenizer. Counts of lines cannot be added up, so texts are counted whole.

    Raise UsageError for a function that does not return a number of tokens, such as the `encode` of a tokenizer, which returns a list.
    """

    additive_over_newlines = False

    def __init__(self, count: Callable[[str], int]) -> None:
        self.name = getattr(count, "__qualname__", type(count).__qualname__)
        self.count = count
        if not isinstance(found := count(_PROBES[1]), SupportsIndex) or found < 0:
            raise UsageError(f"The tokenizer function {self.name} returned {found!r} for {_PROBES[1]!r}; it must return the number of tokens, an integer.")

    @property
    def fingerprint(self) -> str:
        """A hash of its counts of a few fixed texts."""
        counts = [self.count(text) for text in _PROBES]
        return f"sha256:{hashlib.sha256(repr(counts).encode()).hexdigest()}"

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name}>"
