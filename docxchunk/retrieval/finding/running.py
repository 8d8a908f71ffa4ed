"""The text of lines as one reads it aloud: the lines of a paragraph as one, without the marks of
notes and of tracked changes, and without the readings beside Chinese characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from docxchunk.language.patterns import pattern
from docxchunk.language.scripts import EAST_ASIAN, HAN

Span = tuple[int, int]

NOTE_MARK: Final = r"\[\^[^\[\]\s]+\]"
_TONES: Final = "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜ"
READING: Final = (  # as the reader writes it: 東京(とうきょう), 汉(hàn)
    rf"(?<=[{HAN}])\((?:[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f]+|[\u3105-\u312fˊˇˋ˙]+"
    rf"|(?=[a-zü]*[{_TONES}])[a-zü{_TONES}]{{1,7}})\)"
)
_UNREAD: Final = pattern(
    rf"{NOTE_MARK}(?::\s)?|{READING}|\{{--(?:(?!\{{--|--\}})[^\n])*--\}}|\{{\+\+|\+\+\}}"
    rf"|(?<=[{EAST_ASIAN}])\n(?=[{EAST_ASIAN}])"
)


def unmarked(text: str) -> str:
    """Return a text without the marks of notes and of tracked changes, and without readings."""
    return _UNREAD.sub("", text)


class Occurrence(NamedTuple):
    """Where a phrase or a reference is.

    - `place`: the index of its place.
    - `times`: how often the place has it.
    - `span`: the range of the first one, in characters from the start of the place.
    - `last`: the index of the place in which the first one ends, if that is a later place; else 0.
    """

    place: int
    times: int = 1
    span: Span = (0, 0)
    last: int = 0


class Running(NamedTuple):
    """The running text of one place or of several neighbouring ones.

    - `text`: the text as one reads it, on one line.
    - `lines`: the texts of the places, joined with line breaks.
    - `starts`: the start of each line in `lines`.
    - `first`: the index of the first place.
    - `offsets`: for each character of `text`, and its end, the offset in `lines`.
    """

    text: str
    lines: str
    starts: Sequence[int]
    first: int
    offsets: Sequence[int]

    def across(self, start: int, end: int) -> Occurrence | None:
        """Return where characters [start, end) of the text are; None if no mark or line break is
        inside them, so that the line has them as they are.
        """
        first, last = self.offsets[start], self.offsets[end - 1] + 1
        if last - first == end - start and "\n" not in self.lines[first:last]:
            return None
        line, last_line = (bisect_right(self.starts, at) - 1 for at in (first, last - 1))
        span = first - self.starts[line], last - self.starts[line]
        return Occurrence(self.first + line, 1, span, self.first + last_line)


def running(first: int, texts: Sequence[str]) -> Running | None:
    """Return the running text of the places from index `first` on, given their texts; None if it is
    the text of one place as it is.
    """
    lines = "\n".join(texts)
    parts: list[range] = []
    start = 0
    for mark in _UNREAD.finditer(lines):
        parts.append(range(start, mark.start()))
        start = mark.end()
    if not parts and len(texts) == 1:
        return None
    parts.append(range(start, len(lines)))
    text = "".join(lines[part.start : part.stop] for part in parts).replace("\n", " ")
    starts = list(accumulate((len(text) + 1 for text in texts[:-1]), initial=0))
    return Running(text, lines, starts, first, [*(at for part in parts for at in part), len(lines)])
