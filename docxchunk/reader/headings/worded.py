"""Find lines of words and a running number, such as "Questions for lecture 1:" and "UC 02 – Sign
in": the words can be in any language.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from docxchunk.content.roles import begins_like_caption
from docxchunk.language.numbers import Number, number_of
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.tables import Item
from docxchunk.reader.text import OBJECT

_LONGEST: Final = 80  # characters of a line
_LEAST: Final = 3  # lines of a series
_IN_ORDER: Final = 0.8  # least share of the lines that go on with the number before
_WORDED: Final = re.compile(
    r"\W{0,2}(?P<words>[^\W\d_][^\d:：;,.…_]{1,40}?)[\s№#-]*(?P<value>\d{1,3})"
    r"(?=\s*(?:[:.)\]–—-](?:.*[\w)\]”»?!]|\W?)|)$)"
)


def worded_numbers(items: Sequence[Item]) -> dict[int, Number]:
    """Return the numbers of the lines that have the same words before a number, by their indices.
    The numbers run in order, and text follows each line.
    """
    filled = [
        (index, item)
        for index, item in enumerate(items)
        if not isinstance(item, Paragraph) or item.raw.strip()
    ]
    numbers = {
        index: number
        for index, item in filled
        if isinstance(item, Paragraph) and (number := _number_of(item))
    }
    series: dict[str, dict[int, Number]] = defaultdict(dict)
    for (index, _), (below, following) in pairwise(filled):
        if (number := numbers.get(index)) and below not in numbers and _has_words(following):
            series[number.kind][index] = number
    return {
        index: number
        for members in series.values()
        if _run_in_order(members)
        for index, number in members.items()
    }


def _number_of(item: Paragraph) -> Number | None:
    text = item.raw.strip()
    if len(text) > _LONGEST or item.depth >= 0 or item.is_toc or item.is_caption:
        return None
    match = _WORDED.match(text)
    if match is None or OBJECT in text or number_of(text) or begins_like_caption(text):
        return None
    return Number(match["words"].casefold(), (int(match["value"]),), match.end())


def _has_words(item: Item) -> bool:
    """Return whether an item is more than an equation or a picture."""
    return not isinstance(item, Paragraph) or (
        OBJECT not in item.raw and any(map(str.isalpha, item.raw))
    )


def _run_in_order(members: Mapping[int, Number]) -> bool:
    values = [number.path[0] for number in members.values()]
    following = [after == before + 1 for before, after in pairwise(values)]
    return len(values) >= _LEAST and sum(following) >= _IN_ORDER * len(following)
