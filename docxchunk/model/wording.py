"""Short texts for messages and for the `repr` of large values."""

from __future__ import annotations

from itertools import accumulate
from typing import Final

_LONGEST: Final = 46
_FIRST: Final = 70


def quoted(text: str) -> str:
    """Return the beginning of a text in quotes, on one line."""
    shown = repr(" ".join(text[: 4 * _LONGEST].split()))
    return (
        shown
        if len(shown) <= _LONGEST and len(text) <= 4 * _LONGEST
        else f"{shown[: _LONGEST - 2].rstrip(shown[0])}…{shown[0]}"
    )


def first_words(text: str) -> str:
    """Return the words in the first 70 characters, on one line, and "…" if there are more. A
    Chinese or Japanese character counts as two.
    """
    text = " ".join(text.split())
    room = next(
        (
            number
            for number, width in enumerate(accumulate(2 if ord(c) > 0x2E80 else 1 for c in text))
            if width > _FIRST
        ),
        None,
    )
    if room is None:
        return text
    words = text[:room].rpartition(" ")[0]
    return f"{words if len(words) > room / 2 else text[:room]} …"


def shortened(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters and "…", cut after a word if it has blanks."""
    if len(text) <= longest:
        return text
    end = text.rfind(" ", longest // 2, longest)
    return f"{text[: end if end > 0 else longest].rstrip()} …"


def counted(number: int, word: str) -> str:
    """Return a number with a noun: "1 block", "1,200 blocks"."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def times(number: float) -> str:
    """Return "once", "twice" or e.g. "1.5 times"."""
    return "once" if number == 1 else "twice" if number == 2 else f"{number:g} times"
