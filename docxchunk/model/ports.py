"""What the outside must bring: protocols of one method."""

from __future__ import annotations

from typing import Protocol


class Tokenizer(Protocol):
    """Counts tokens.

    `additive_over_newlines` promises that, for lines that do not start with white space or "/",
    `count("\\n".join(lines)) == sum(count(line + "\\n") for line in lines[:-1]) + count(lines[-1])`, and the same with a blank line between.
    """

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """A hash of the vocabulary: two tokenizers that count differently differ here."""
        ...

    @property
    def additive_over_newlines(self) -> bool: ...

    def count(self, text: str) -> int: ...
