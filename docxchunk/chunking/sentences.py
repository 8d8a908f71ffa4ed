"""Where sentences end, in scripts that put a space after them and in those that do not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from docxchunk.markup.tables import Range

SENTENCE_END = re.compile(r"""[。！？；…]+["'”’」』）)\]]*|[.!?]+["'”’)\]]*(?=\s)""")


def sentences(text: str, start: int, end: int, whole: Sequence[Range] = ()) -> list[Range]:
    """The sentences of `text[start:end]` without the white space around them; none ends inside one of the ranges `whole`."""
    ends = [found.end() for found in SENTENCE_END.finditer(text, start, end)]
    kept = [place for place in ends if not any(a < place < b for a, b in whole)]
    pieces = pairwise([start, *kept, end])
    return [found for found in (trimmed(text, *piece) for piece in pieces) if found[0] < found[1]]


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
