"""Find the position of lines in the source: body element, page, and ordinal of the paragraph."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from docxchunk.reader.pages import PagePlace, Pages


class Placed(Protocol):
    """A paragraph or a table of the reader."""

    @property
    def element(self) -> int: ...
    @property
    def place(self) -> int: ...


class LineOrigin(NamedTuple):
    """The position of a line; the fields are those of `model.blocks.Line`."""

    page: PagePlace
    element: int
    paragraph: int


class Places:
    """Number the visible paragraphs of the body.

    Call `of` in reading order, once for each item that becomes a line. Items with the same `place` get the same number: the text boxes of a paragraph, say.
    """

    __slots__ = ("_count", "_last", "_pages")

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._count = 0
        self._last = -1

    def of(self, item: Placed) -> LineOrigin:
        if item.place != self._last:
            self._last = item.place
            self._count += 1
        return LineOrigin(self._pages.of(item.place), item.element, self._count)
