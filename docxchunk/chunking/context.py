"""Context lines: the heading path of a chunk as one line, "Chapter > Section > Clause"
(docs/design/chunking.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from docxchunk.chunking.text.tokens import Meter, furthest

BETWEEN: Final = " > "
AFTER: Final = "\n\n"


_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
    r"|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+"
)


class Context(NamedTuple):
    text: str
    cost: int  # in tokens, including the blank line after it


NONE: Final = Context("", 0)


class ContextLines:
    """Makes context lines of at most `most` tokens. The outermost headings are left out first; a
    single heading that is too long is shortened.
    """

    def __init__(self, meter: Meter, most: int) -> None:
        self._meter = meter
        self._most = most
        self._known: dict[tuple[str, ...], Context] = {}

    def of(self, path: tuple[str, ...]) -> Context:
        """Return the line for a heading path, with its cost in tokens."""
        if path not in self._known:
            self._known[path] = self._fitting_line([name for name in path if name.strip()])
        return self._known[path]

    def text_of(self, path: tuple[str, ...]) -> str:
        """Return the line without its cost. A line of at most `most` bytes is not counted: a token
        has at least one byte.
        """
        text = BETWEEN.join(filter(str.strip, path))
        if (
            self._meter.additive
            and len(text.encode("utf-8", "surrogatepass")) + len(AFTER) <= self._most
        ):
            return text
        return self.of(path).text

    def _fitting_line(self, path: list[str]) -> Context:
        while len(path) > 1 and self._cost(BETWEEN.join(path)) > self._most:
            path = path[1:]
        text = BETWEEN.join(path)
        if len(path) == 1:
            text = shortened(text, lambda part: self._cost(part) <= self._most, self._most)
        return Context(text, self._cost(text)) if text else NONE

    def _cost(self, text: str) -> int:
        return self._meter.count(text + AFTER)


def shortened(text: str, fits: Callable[[str], bool], guess: int) -> str:
    """Return the text if it fits, else as many of its first words as fit with an ellipsis; "" if
    none does. `guess` is the probable number of words.
    """
    if fits(text):
        return text
    ends = [match.end() for match in _WORD.finditer(text)]
    count = furthest(lambda n: fits(text[: ends[n - 1]] + "…"), 1, len(ends), guess) if ends else 0
    return text[: ends[count - 1]] + "…" if count else ""


def context_path(parents: tuple[str, ...], heading: str) -> str:
    """Return the whole path, whatever its length, for `Chunk.context`."""
    return BETWEEN.join(name for name in (*parents, heading) if name.strip())
