"""Compute the text area of the pages of a section (ECMA-376 Part 1, 17.6)."""

from __future__ import annotations

from typing import Final, NamedTuple

from lxml import etree

from docxchunk.ooxml.formatting import whole_number
from docxchunk.ooxml.names import W

_LETTER: Final = (12240, 15840)  # default paper size of Word, in twentieths of a point
_MARGIN: Final = 1440
_MOST_COLUMNS: Final = 45  # the limit of Word


class TextArea(NamedTuple):
    """The area for text on a page, in points. `pitch` is the line height of the document grid; 0
    without a grid (17.6.5).
    """

    width: float  # of one column
    height: float  # sum over all columns of a page
    pitch: float = 0.0
    paper: tuple[float, float] = (0.0, 0.0)  # width and height
    begins_page: bool = True  # the section begins on a new page (17.6.22)


def text_area(section: etree._Element | None) -> TextArea:
    """Return the text area from w:pgSz (17.6.13), w:pgMar (17.6.11), w:cols (17.6.4) and w:docGrid
    (17.6.5) of a w:sectPr.
    """
    said = {} if section is None else {child.tag: child for child in section}

    def measure(element: str, name: str, default: float) -> float:
        found = said.get(W + element)
        value = None if found is None else whole_number(found.get(W + name))
        return (default if value is None else abs(value)) / 20

    paper = (measure("pgSz", "w", _LETTER[0]), measure("pgSz", "h", _LETTER[1]))
    width = (
        paper[0]
        - measure("pgMar", "left", _MARGIN)
        - measure("pgMar", "right", _MARGIN)
        - measure("pgMar", "gutter", 0)
    )
    height = paper[1] - measure("pgMar", "top", _MARGIN) - measure("pgMar", "bottom", _MARGIN)
    columns = min(max(round(20 * measure("cols", "num", 1)), 1), _MOST_COLUMNS)
    gap = measure("cols", "space", 720)
    grid = said.get(W + "docGrid")
    pitch = (
        measure("docGrid", "linePitch", 0)
        if grid is not None and grid.get(W + "type") in ("lines", "linesAndChars")
        else 0.0
    )
    kind = said.get(W + "type")
    # a new column of a single one is a new page
    kept = ("continuous",) if columns == 1 else ("continuous", "nextColumn")
    begins_page = kind is None or kind.get(W + "val") not in kept
    return TextArea(
        max((width - gap * (columns - 1)) / columns, 36.0),
        max(height, 72.0) * columns,
        pitch,
        paper,
        begins_page,
    )
