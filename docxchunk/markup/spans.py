"""Ranges of content that want to stay whole: inline tags."""

from __future__ import annotations

import re

# Our own tags only: what an author typed in their likeness is escaped. Escaped quotes: a tag inside a JSON string.
_WHOLE = re.compile(r"<equation\b[^>]*>.*?</equation>|<drawing\b[^>]*/>|<su([bp])>[^<]*</su\1>|\[\^[^\]\s]{1,12}\]", re.DOTALL)


def inline_tags(text: str) -> list[tuple[int, int]]:
    """The ranges of equations, drawings, super- and subscripts and marks of notes, in order."""
    if "<" not in text and "[" not in text:
        return []
    return [found.span() for found in _WHOLE.finditer(text)]
