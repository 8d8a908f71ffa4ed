"""Values in a few words, for the `repr` of what may be megabytes long."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 46


def quoted(text: str) -> str:
    """The beginning of a text between quotes, on one line."""
    shown = repr(" ".join(text[: 4 * _LONGEST].split()))
    return shown if len(shown) <= _LONGEST and len(text) <= 4 * _LONGEST else f"{shown[: _LONGEST - 2].rstrip(shown[0])}…{shown[0]}"


def counted(number: int, word: str) -> str:
    """1 block, 1,200 blocks"""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
