"""The kinds of places where a text can be cut."""

from __future__ import annotations

from enum import IntEnum


class Break(IntEnum):
    """The quality of a place to cut, from worst to best."""

    CODE_POINT = 0
    GRAPHEME = 1
    SPACE = 2
    CLAUSE = 3
    SENTENCE = 4
    LINE = 5
    PARAGRAPH = 6
    NEVER = 7  # above all others; only for comparisons
