"""Find inline tags, which should not be cut."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

# Text of the author that looks like a tag is escaped, so it does not match. `[^>]*` also accepts
# the escaped quotes of tags inside JSON strings.
_OBJECT = r"<equation\b[^>]*>.*?</equation>|<drawing\b[^>]*/>"
_FORMATTED = (
    r"<su([bp])>[^<]*</su\1>|<del>(?:(?!</?del>).)*</del>"
    r"|<(?P<name>strong|em|u|mark|a)(?:>| (?:color|href)=)(?:(?!</?(?P=name)[ >]).)*</(?P=name)>"
)
# CriticMarkup
_CHANGED = r"\{(?P<change>\+\+|--)(?:(?!\{\+\+|\{--|\+\+\}|--\})[^\n])+(?P=change)\}"
_WHOLE = re.compile(rf"{_OBJECT}|{_FORMATTED}|{_CHANGED}|\[\^[^\]\s]{{1,12}}\]", re.DOTALL)


def inline_tags(text: str) -> list[tuple[int, int]]:
    """Return the ranges of equations, drawings, superscripts, subscripts, struck text, emphasis,
    links, tracked changes and note marks, in order.
    """
    if "<" not in text and "[" not in text and "{" not in text:
        return []
    return [tag.span() for tag in _WHOLE.finditer(text)]


def outermost(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, with overlapping ones merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def is_inside(offset: int, ranges: Sequence[tuple[int, int]]) -> bool:
    """Return whether an offset is inside one of some ranges, not at its edge. The ranges are in
    order and do not overlap; see `outermost`.
    """
    at = bisect_left(ranges, (offset, -1)) - 1
    return at >= 0 and offset < ranges[at][1]
