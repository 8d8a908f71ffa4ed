"""Make choices from bytes. Missing bytes are zeros, and the first choice is the simplest one, so
fewer bytes give simpler inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

WORDS = (
    "word",
    "",
    " ",
    "a\tb",
    "1.2 Terms",
    "第三条 供应商",
    "שלום abc",
    "\uf0b7\uf0a7",
    "e\u0301\u200d👩\u200d👩\u200d👧",
    "\u2028\x85\u00a0",
    "long " * 60,
    "x" * 300,
    '<table id="tb-0" format="json">[["x"]]</table>',
    "</table>",
    "<tr><td>",
    "&lt;table>",
    '<equation format="latex">x</equation>',
    '<drawing id="im-0" />',
    "<sup>2</sup>",
    "[^1]: x",
    '"\\" \\u0041 \\ud83d',
    "]]></w:t>",
    "%1.%2 %s %",
    "# Heading",
)
NUMBERS = (
    "0",
    "1",
    "2",
    "8",
    "9",
    "-1",
    "",
    "x",
    "on",
    "off",
    "32767",
    "65536",
    "99999999999",
    "0.5",
    "٣",
    " 1 ",
    "1e9",
)


class Source:
    """Fuzz data; each choice consumes bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> bool:
        return self._at < len(self._data)

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def number(self, most: int) -> int:
        """Return a number from 0 to `most`."""
        return (self.byte() if most < 256 else self.byte() << 8 | self.byte()) % (most + 1)

    def chance(self, of: int = 2) -> bool:
        """Return True once in `of` times."""
        return self.byte() % of == of - 1

    def pick(self, options: Sequence[T]) -> T:
        return options[self.number(len(options) - 1)]

    def some(self, most: int) -> range:
        """Return a range of less than `most` + 1 numbers, empty if no bytes are left."""
        return range(self.number(most))

    def take(self, most: int) -> bytes:
        return self._slice(self.number(most))

    def rest(self) -> bytes:
        return self._slice(len(self._data))

    def _slice(self, size: int) -> bytes:
        self._at += size
        return self._data[self._at - size : self._at]

    def text(self) -> str:
        """Return words that caused faults before, or any characters that XML allows."""
        if self.chance(4):
            points = [self.number(0xFFFF) for _ in self.some(8)]
            return "".join(
                chr(point)
                for point in points
                if point in (9, 10, 13) or 0x20 <= point < 0xD800 or 0xE000 <= point < 0xFFFE
            )
        return self.pick(WORDS)
