"""Read the look of a table cell: bold, centred, shaded."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from docxchunk.ooxml.xml import W
from docxchunk.reader.flow import Flow
from docxchunk.reader.looks import look_of_end, look_of_start

_P, _PPR, _STYLE, _ALIGNMENT, _VAL = W + "p", W + "pPr", W + "pStyle", W + "jc", W + "val"
_TCPR, _SHADING, _FILL = W + "tcPr", W + "shd", W + "fill"
_NO_FILL = frozenset({"", "auto", "FFFFFF", "ffffff"})


class CellLook(NamedTuple):
    """The look of a cell. `bold` and `centred` are those of its first paragraph with text; bold if
    both its first and its last run are.
    """

    bold: bool | None  # None: no text
    centred: bool
    fill: str  # colour of its shading (ECMA-376 Part 1, 17.4.32); "": none


def cell_look(cell: etree._Element, flow: Flow) -> CellLook:
    """Return the look from the properties of the cell and its paragraphs. The table style is not
    considered.
    """
    fill = ""
    for child in cell:
        tag = child.tag
        if tag == _TCPR:
            fill = _fill(child)
        elif tag == _P:
            style, alignment = _style_and_alignment(child, flow)
            named = flow.env.styles.paragraph(style)
            begin = look_of_start(child, named, flow)
            if begin is not None:
                bold = begin.bold and (look_of_end(child, named, flow) or begin).bold
                return CellLook(bold, (alignment or named.layout.align) == "center", fill)
    return CellLook(None, centred=False, fill=fill)


def _fill(properties: etree._Element) -> str:
    shading = next(properties.iterchildren(_SHADING), None)
    fill = "" if shading is None else shading.get(_FILL, "")
    return "" if fill in _NO_FILL else fill


def _style_and_alignment(paragraph: etree._Element, flow: Flow) -> tuple[str | None, str | None]:
    """Return the id of the paragraph style and the paragraph's own w:jc (17.3.1.13)."""
    properties = flow.shared_properties(paragraph)
    if properties is None:
        properties = paragraph[0] if len(paragraph) else paragraph
    style = alignment = None
    for child in properties if properties.tag == _PPR else ():
        if child.tag == _STYLE:
            style = child.get(_VAL)
        elif child.tag == _ALIGNMENT:
            alignment = child.get(_VAL)
    return style, alignment
