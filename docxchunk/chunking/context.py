"""The line that says where a chunk stands: "Chapter > Section > Clause" (docs/design/chunking.md)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from docxchunk.chunking.settings import Limits
from docxchunk.chunking.tokens import Meter, furthest

BETWEEN: Final = " > "
AFTER: Final = "\n\n"


_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")


class Context(NamedTuple):
    text: str
    cost: int  # in tokens, with the blank line after it


NONE: Final = Context("", 0)


class ContextLines:
    """Context lines by heading path. A line takes at most a quarter of N: the nearest headings are kept, a single longer one is shortened."""

    def __init__(self, meter: Meter, limits: Limits) -> None:
        self._count = meter.count
        self._most = limits.max_tokens // 4
        self._wanted = limits.contextualize
        self._known: dict[tuple[tuple[str, ...], str], Context] = {}

    def of(self, parents: tuple[str, ...], heading: str) -> Context:
        if not self._wanted:
            return NONE
        key = parents, heading
        if key not in self._known:
            self._known[key] = self._made([name for name in (*parents, heading) if name.strip()])
        return self._known[key]

    def _made(self, path: list[str]) -> Context:
        while len(path) > 1 and self._cost(BETWEEN.join(path)) > self._most:
            path = path[1:]
        text = self._shortened(path[0]) if len(path) == 1 else BETWEEN.join(path)
        return Context(text, self._cost(text)) if text else NONE

    def _shortened(self, text: str) -> str:
        """As many whole words as fit, and an ellipsis."""
        if self._cost(text) <= self._most:
            return text
        ends = [match.end() for match in _WORD.finditer(text)]
        count = furthest(lambda n: self._cost(text[: ends[n - 1]] + "…") <= self._most, 1, len(ends), self._most) if ends else 0
        return text[: ends[count - 1]] + "…" if count else ""

    def _cost(self, text: str) -> int:
        return self._count(text + AFTER)


def context_path(parents: tuple[str, ...], heading: str) -> str:
    """All of the path, whatever its length: what a chunk's `context` holds."""
    return BETWEEN.join(name for name in (*parents, heading) if name.strip())
