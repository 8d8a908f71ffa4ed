"""What the outside must bring: protocols of one method."""

from __future__ import annotations

from typing import Protocol


class Tokenizer(Protocol):
    r"""Counts tokens.

    `additive_over_newlines` promises two things of where a token never runs on, so that counts can be added instead of measured again:

    - over a newline into a line that starts neither with white space nor with "/":
      `count("\n".join(lines)) == sum(count(line + "\n") for line in lines[:-1]) + count(lines[-1])`, and the same with a blank line between;
    - from a letter or digit into white space or punctuation other than an apostrophe: `count("end. Next") == count("end") + count(". Next")`.

    Byte pair encodings that first split a text into words as GPT-2 and its successors do keep both. Without the promise every text is measured whole.
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
