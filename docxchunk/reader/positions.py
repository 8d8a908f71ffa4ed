"""Find the position of lines in the source: body element, page, and ordinal of the paragraph."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple, Protocol

from docxchunk.reader.pages import PagePlace, Pages


class Placed(Protocol):
    """A paragraph or a table of the reader."""

    @property
    def element(self) -> int: ...
    @property
    def place(self) -> int: ...


class LineOrigin(NamedTuple):
    """The position of a line: `element` and `paragraph` are those of `model.blocks.Line`."""

    page: PagePlace
    element: int
    paragraph: int


class Places:
    """Number the visible paragraphs of the body.

    Call `of` in reading order, once for each item that becomes a line. Items with the same `place`
    get the same number: the text boxes of a paragraph, say.
    """

    __slots__ = ("_count", "_last", "_pages")

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._count = 0
        self._last = -1

    def of(self, item: Placed, start: int = 0) -> LineOrigin:
        """Return the position of an item. `start` is the offset of its text in the paragraph: that
        of a clause follows its title.
        """
        page, is_first = self._pages.of(item.place), item.place != self._last
        if is_first:
            self._last = item.place
            self._count += 1
        if page.turns and start:
            turned = bisect_right(page.turns, start)
            page = page._replace(
                page=page.page + turned, turns=tuple(turn - start for turn in page.turns[turned:])
            )
        elif page.turns and not is_first:  # the text of a text box
            page = page._replace(turns=())
        return LineOrigin(page, item.element, self._count)
