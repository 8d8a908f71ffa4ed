"""Short texts for the `repr` of large values."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 46


def quoted(text: str) -> str:
    """Return the beginning of a text in quotes, on one line."""
    shown = repr(" ".join(text[: 4 * _LONGEST].split()))
    return shown if len(shown) <= _LONGEST and len(text) <= 4 * _LONGEST else f"{shown[: _LONGEST - 2].rstrip(shown[0])}…{shown[0]}"


def counted(number: int, word: str) -> str:
    """Return a number with a noun: "1 block", "1,200 blocks"."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
