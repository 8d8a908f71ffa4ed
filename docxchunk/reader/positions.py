"""Where lines come from: their body element, their page, and an ordinal that a reader can count."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from docxchunk.reader.pages import Pages


class Placed(Protocol):
    """A paragraph or a table as read."""

    @property
    def element(self) -> int: ...
    @property
    def place(self) -> int: ...
    @property
    def page(self) -> int: ...


class Place(NamedTuple):
    """As `model.blocks.Line` has it."""

    page: int | None
    element: int
    paragraph: int


class Places:
    """Counts the paragraphs of the body that show something.

    Ask in reading order, once for each item that gives a line. What has one `place` has one number: cells and text boxes have that of their paragraph.
    """

    __slots__ = ("_count", "_last", "_pages")

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._count = 0
        self._last = -1

    def of(self, item: Placed) -> Place:
        if item.place != self._last:
            self._last = item.place
            self._count += 1
        return Place(self._pages.of(item.page, item.place), item.element, self._count)
