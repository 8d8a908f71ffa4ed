"""Places to cut a text at, the weakest first."""

from __future__ import annotations

from enum import IntEnum


class Break(IntEnum):
    """How good a place is to cut at."""

    CODE_POINT = 0
    GRAPHEME = 1
    SPACE = 2
    CLAUSE = 3
    SENTENCE = 4
    LINE = 5
    PARAGRAPH = 6
    NEVER = 7  # stronger than all: only to compare with
