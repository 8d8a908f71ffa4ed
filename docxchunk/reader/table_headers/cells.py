"""How a cell looks, as far as it tells a header from the rows below it."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from docxchunk.ooxml.names import W
from docxchunk.reader.flow import Flow
from docxchunk.reader.looks import look_of_end, look_of_start

_P, _PPR, _STYLE, _ALIGNMENT, _VAL = W + "p", W + "pPr", W + "pStyle", W + "jc", W + "val"
_TCPR, _SHADING, _FILL = W + "tcPr", W + "shd", W + "fill"
_NO_FILL = frozenset({"", "auto", "FFFFFF", "ffffff"})


class CellLook(NamedTuple):
    """The look of a cell; `bold` and `centred` are those of its first paragraph that has text: it is bold where it begins and ends so."""

    bold: bool | None  # None: no text
    centred: bool
    fill: str  # colour of its shading (17.4.32), "" where it has none


def cell_look(cell: etree._Element, flow: Flow) -> CellLook:
    """What its own properties and those of its paragraphs say; a table style is not asked."""
    fill = ""
    styles = flow.env.styles
    for child in cell:
        tag = child.tag
        if tag == _TCPR:
            fill = _fill(child)
        elif tag == _P:
            style, alignment = _style_and_alignment(child)
            named = styles.paragraph(style)
            begin = look_of_start(child, named, styles)
            if begin is not None:
                bold = begin.bold and (look_of_end(child, named, styles) or begin).bold
                return CellLook(bold, (alignment or named.layout.align) == "center", fill)
    return CellLook(None, centred=False, fill=fill)


def _fill(properties: etree._Element) -> str:
    shading = properties.find(_SHADING)
    fill = "" if shading is None else shading.get(_FILL, "")
    return "" if fill in _NO_FILL else fill


def _style_and_alignment(paragraph: etree._Element) -> tuple[str | None, str | None]:
    """The id of its style and its own w:jc (17.3.1.13)."""
    properties = paragraph[0] if len(paragraph) else paragraph
    style = alignment = None
    for child in properties if properties.tag == _PPR else ():
        if child.tag == _STYLE:
            style = child.get(_VAL)
        elif child.tag == _ALIGNMENT:
            alignment = child.get(_VAL)
    return style, alignment
