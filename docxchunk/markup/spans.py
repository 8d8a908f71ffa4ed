"""Find inline tags, which should not be cut."""

from __future__ import annotations

import re

# Text of the author that looks like a tag is escaped, so it does not match. `[^>]*` also accepts the escaped quotes of tags inside JSON strings.
_OBJECT = r"<equation\b[^>]*>.*?</equation>|<drawing\b[^>]*/>"
_FORMATTED = r"<su([bp])>[^<]*</su\1>|<del>(?:(?!</?del>).)*</del>"
_CHANGED = r"\{(?P<change>\+\+|--)(?:(?!\{\+\+|\{--|\+\+\}|--\})[^\n])+(?P=change)\}"  # CriticMarkup
_WHOLE = re.compile(rf"{_OBJECT}|{_FORMATTED}|{_CHANGED}|\[\^[^\]\s]{{1,12}}\]", re.DOTALL)


def inline_tags(text: str) -> list[tuple[int, int]]:
    """Return the ranges of equations, drawings, superscripts, subscripts, struck text, tracked changes and note marks, in order."""
    if "<" not in text and "[" not in text and "{" not in text:
        return []
    return [found.span() for found in _WHOLE.finditer(text)]
