"""Read the visible formatting of runs, paragraphs and sections, and compute the effective one
(ECMA-376 Part 1, 17.3.1, 17.3.2, 17.6).

`RunFormat` and `ParagraphFormat` hold the properties of one element; None means not specified. The
look of a run and the layout of a paragraph are their effective formatting, after styles and
document defaults are applied. The text area of a page is that of its section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar, cast

from lxml import etree

from docxchunk.ooxml.symbols import FontFormat
from docxchunk.ooxml.xml import ON, W, children_of, whole_number

_Value = TypeVar("_Value")
_Format = TypeVar("_Format", "RunFormat", "ParagraphFormat", FontFormat)
_VAL: Final = W + "val"
_DEFAULT_SIZE: Final = 20  # half points (17.3.2.38)
SINGLE: Final = 240  # w:line of single spacing (17.3.1.33)
_MONOSPACED: Final = re.compile(r"consol|courier|mono(?!type)|menlo|code", re.IGNORECASE)


class Look(NamedTuple):
    """The effective formatting of a run."""

    bold: bool = False
    italic: bool = False
    caps: bool = False  # all capitals or small capitals
    underline: bool = False
    color: str = ""  # "2E74B5"; "" for black and automatic
    size: int = _DEFAULT_SIZE  # half points
    font: str = ""
    font_asia: str = ""


@cache
def is_monospaced(font: str) -> bool:
    """Return whether a font with this name is monospaced."""
    return _MONOSPACED.search(font) is not None


class Emphasis(NamedTuple):
    """What sets the letters of a run apart from the text around them."""

    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False  # single or double
    highlight: str = ""  # the name of the colour (17.18.40); "" without one


class ParagraphLayout(NamedTuple):
    """The effective formatting of a paragraph; lengths in twentieths of a point."""

    align: str = "left"  # left, center, right or both
    left: int = 0
    right: int = 0
    first: int = 0  # indent of the first line relative to `left`; negative: hanging
    before: int = 0
    after: int = 0
    line: int = SINGLE  # 240ths of a single line, or a length; see `line_rule`
    line_rule: str = "auto"  # auto: `line` is a multiple; exact and atLeast: a length (17.18.48)
    keep_next: bool = False
    contextual: bool = False  # no space between paragraphs of the same style (17.3.1.9)
    page_break: bool = False  # begins a page (17.3.1.23)

    @property
    def indent(self) -> int:
        """The indent of the first line from the left margin."""
        return self.left + self.first


class RunFormat(NamedTuple):
    """The properties in a w:rPr (17.3.2.28). A run in a complex script has its own bold, italics,
    size and font: see `effective_format`.
    """

    bold: bool | None = None
    bold_complex: bool | None = None
    italic: bool | None = None
    italic_complex: bool | None = None
    caps: bool | None = None
    small_caps: bool | None = None
    strike: bool | None = None
    double_strike: bool | None = None
    is_complex: bool | None = None
    is_right_to_left: bool | None = None
    style: str | None = None
    underline: bool | None = None
    highlight: str | None = None
    color: str | None = None
    size: int | None = None
    size_complex: int | None = None
    font: str | None = None
    font_complex: str | None = None
    font_asia: str | None = None


class ParagraphFormat(NamedTuple):
    """The properties in a w:pPr (17.3.1.26)."""

    align: str | None = None
    left: int | None = None
    right: int | None = None
    first: int | None = None
    before: int | None = None
    after: int | None = None
    line: int | None = None
    line_rule: str | None = None
    keep_next: bool | None = None
    contextual: bool | None = None
    page_break: bool | None = None


NO_RUN_FORMAT: Final = RunFormat()
NO_PARAGRAPH_FORMAT: Final = ParagraphFormat()
_DEFAULT: Final = ParagraphFormat(*ParagraphLayout())
TABLE_FORMAT: Final = ParagraphFormat(before=0, after=0, line=SINGLE, line_rule="auto")
"""The formatting of paragraphs in tables by the built-in table styles of Word."""

_ALIGNMENTS: Final = {
    "center": "center",
    "right": "right",
    "end": "right",
    "both": "both",
    "distribute": "both",
}
_TOGGLES: Final = 8  # the first properties of a `RunFormat` are toggles (17.7.3)
_RUN_TAGS: Final = {
    W + name: name
    for name in (
        *("b", "bCs", "i", "iCs", "caps", "smallCaps", "strike", "dstrike", "cs", "rtl"),
        *("rStyle", "u", "highlight", "color", "sz", "szCs", "rFonts"),
    )
}
_ASCII, _ASCII_THEME, _ASIA, _ASIA_THEME, _COMPLEX, _COMPLEX_THEME = (
    W + name for name in ("ascii", "asciiTheme", "eastAsia", "eastAsiaTheme", "cs", "cstheme")
)
_RULES: Final = ("exact", "atLeast")
_JC, _IND, _SPACING, _KEEP, _CONTEXTUAL, _PAGE_BREAK = (
    W + name
    for name in ("jc", "ind", "spacing", "keepNext", "contextualSpacing", "pageBreakBefore")
)
LAYOUT_TAGS: Final = frozenset({_JC, _IND, _SPACING, _KEEP, _CONTEXTUAL, _PAGE_BREAK})

Signature = tuple[tuple[str, str | None, str | None], ...]
"""A hashable form of the visible properties of a w:rPr: name and values. Equal signatures give
equal formats.
"""

LayoutSignature = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""The same for a w:pPr: tags, each with its attributes."""


def run_signature(children: Iterable[etree._Element]) -> Signature:
    """Return the signature of the children of a w:rPr."""
    values: list[tuple[str, str | None, str | None]] = []
    for child in children:
        name = _RUN_TAGS.get(child.tag)
        if name is None:
            continue
        if name == "rFonts":
            values.append(
                (
                    name,
                    child.get(_ASCII) or child.get(_ASCII_THEME),
                    child.get(_ASIA) or child.get(_ASIA_THEME),
                )
            )
            if complex_font := child.get(_COMPLEX) or child.get(_COMPLEX_THEME):
                values.append((_COMPLEX, complex_font, None))
        else:
            values.append((name, child.get(_VAL), None))
    return tuple(values)


def run_format(signature: Signature) -> RunFormat:
    """Return the format that a w:rPr gives to a run; the signature lists its elements."""
    values = {name: (first, second) for name, first, second in signature}

    def text(name: str, index: int = 0) -> str | None:
        return values[name][index] if name in values else None

    color, underline, highlight = text("color"), text("u"), text("highlight")

    def switch(name: str) -> bool | None:
        return (text(name) or "1") in ON if name in values else None

    return RunFormat(
        bold=switch("b"),
        bold_complex=switch("bCs"),
        italic=switch("i"),
        italic_complex=switch("iCs"),
        caps=switch("caps"),
        small_caps=switch("smallCaps"),
        strike=switch("strike"),
        double_strike=switch("dstrike"),
        is_complex=switch("cs"),
        is_right_to_left=switch("rtl"),
        style=text("rStyle"),
        underline=None if "u" not in values else (underline or "none") != "none",
        highlight="" if highlight == "none" else highlight,
        color=None
        if color is None
        else ""
        if color.lower() in ("auto", "000000")
        else color.upper(),
        size=whole_number(text("sz")),
        size_complex=whole_number(text("szCs")),
        font=text("rFonts"),
        font_complex=text(_COMPLEX),
        font_asia=text("rFonts", 1),
    )


def layout_signature(children: Iterable[etree._Element]) -> LayoutSignature:
    """Return the signature of the children of a w:pPr."""
    return tuple(
        [
            (child.tag, tuple(cast("list[tuple[str, str]]", child.items())))
            for child in children
            if child.tag in LAYOUT_TAGS
        ]
    )


def paragraph_format(signature: LayoutSignature) -> ParagraphFormat:
    """Return the properties of a w:pPr with this signature."""
    attributes_of = {tag: dict(attributes) for tag, attributes in signature}
    indent, spacing = attributes_of.get(_IND, {}), attributes_of.get(_SPACING, {})
    align = attributes_of.get(_JC, {}).get(_VAL)
    line = whole_number(spacing.get(W + "line")) or None
    hanging = whole_number(indent.get(W + "hanging"))
    return ParagraphFormat(
        align=None if align is None else _ALIGNMENTS.get(align, "left"),
        left=_first_of(whole_number(indent.get(W + "left")), whole_number(indent.get(W + "start"))),
        right=_first_of(whole_number(indent.get(W + "right")), whole_number(indent.get(W + "end"))),
        first=whole_number(indent.get(W + "firstLine")) if hanging is None else -hanging,
        before=whole_number(spacing.get(W + "before")),
        after=whole_number(spacing.get(W + "after")),
        line=line,
        line_rule=None
        if line is None
        else rule
        if (rule := spacing.get(W + "lineRule")) in _RULES
        else "auto",
        keep_next=_toggle(attributes_of.get(_KEEP)),
        contextual=_toggle(attributes_of.get(_CONTEXTUAL)),
        page_break=_toggle(attributes_of.get(_PAGE_BREAK)),
    )


def _toggle(attributes: dict[str, str] | None) -> bool | None:
    """Return the value of a toggle property (17.7.3); None if absent."""
    return None if attributes is None else attributes.get(_VAL, "1") in ON


def merged(formats: Iterable[_Format]) -> _Format:
    """Merge formats: each property has the first value that is specified (17.7.2)."""
    first, *others = formats
    values: Iterable[object] = first
    for other in others:
        values = [b if a is None else a for a, b in zip(values, other, strict=True)]
    return type(first)._make(values)


def effective_format(
    own: RunFormat, character: RunFormat, paragraph: RunFormat, basis: RunFormat
) -> RunFormat:
    """Return the effective properties of a run. They come from the properties of the run, its
    character style, the paragraph style and the document defaults.

    If the run is in a complex script (w:cs, 17.3.2.7) or right to left (w:rtl, 17.3.2.30), `bold`,
    `italic`, `size` and `font` are those of complex scripts: Word decides by these two properties,
    not by the characters ([MS-OI29500] 2.1.71).
    """
    formats = own, character, paragraph, basis
    toggles = map(_effective, *(properties[:_TOGGLES] for properties in formats))
    effective = RunFormat._make((*toggles, *merged(formats)[_TOGGLES:]))
    if not (effective.is_complex or effective.is_right_to_left):
        return effective
    return effective._replace(
        bold=effective.bold_complex,
        italic=effective.italic_complex,
        size=effective.size_complex,
        font=effective.font_complex,
    )


def look_of(effective: RunFormat) -> Look:
    """Return the look of a run. Properties that are not specified have the defaults of Word."""
    return Look(
        bold=bool(effective.bold),
        italic=bool(effective.italic),
        caps=bool(effective.caps or effective.small_caps),
        underline=bool(effective.underline),
        color=effective.color or "",
        size=max(effective.size or _DEFAULT_SIZE, 1),
        font=effective.font or "",
        font_asia=effective.font_asia or "",
    )


def emphasis_of(effective: RunFormat) -> Emphasis:
    """Return the emphasis of a run."""
    return Emphasis(
        bool(effective.bold),
        bool(effective.italic),
        bool(effective.underline),
        bool(effective.strike or effective.double_strike),
        effective.highlight or "",
    )


def _effective(own: object, character: object, paragraph: object, basis: object) -> Any:
    """Return the effective value of a toggle property (17.7.3). The one of the run itself takes
    precedence. Otherwise the toggle is on if the defaults set it, or exactly one of the two styles
    does. Table styles do not count.
    """
    return own if own is not None else bool(basis) or bool(character) != bool(paragraph)


def layout(formats: Iterable[ParagraphFormat]) -> ParagraphLayout:
    """Return the effective formatting of a paragraph from formats in order of precedence, with the
    defaults of Word for unspecified properties.
    """
    return ParagraphLayout._make(merged((*formats, _DEFAULT)))


def _first_of(*values: _Value | None) -> _Value | None:
    return next((value for value in values if value is not None), None)


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
    children = children_of(section)

    def number(element: str, name: str, default: int) -> int:
        child = children.get(W + element)
        value = None if child is None else whole_number(child.get(W + name))
        return default if value is None else abs(value)

    def points(element: str, name: str, default: int) -> float:
        return number(element, name, default) / 20

    paper = (points("pgSz", "w", _LETTER[0]), points("pgSz", "h", _LETTER[1]))
    width = paper[0] - points("pgMar", "left", _MARGIN) - points("pgMar", "right", _MARGIN)
    width -= points("pgMar", "gutter", 0)
    height = paper[1] - points("pgMar", "top", _MARGIN) - points("pgMar", "bottom", _MARGIN)
    columns = min(max(number("cols", "num", 1), 1), _MOST_COLUMNS)
    gaps = points("cols", "space", 720) * (columns - 1)
    grid = children.get(W + "docGrid")
    has_pitch = grid is not None and grid.get(W + "type") in ("lines", "linesAndChars")
    kind = children.get(W + "type")
    # a new column of a single one is a new page
    on_same_page = ("continuous",) if columns == 1 else ("continuous", "nextColumn")
    return TextArea(
        width=max((width - gaps) / columns, 36.0),
        height=max(height, 72.0) * columns,
        pitch=points("docGrid", "linePitch", 0) if has_pitch else 0.0,
        paper=paper,
        begins_page=kind is None or kind.get(W + "val") not in on_same_page,
    )
