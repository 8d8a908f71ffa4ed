"""How much room text takes: sizes and spacing of paragraph styles, and the text area of sections (ECMA-376 Part 1, 17.3, 17.6, 17.7). Points all through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.ooxml.names import W
from docxchunk.ooxml.styles import is_on

_VAL: Final = W + "val"
_SIZE, _SPACING, _INDENT, _CLOSE = W + "sz", W + "spacing", W + "ind", W + "contextualSpacing"
_SINGLE: Final = 240  # w:line of single spacing
_EVERY: Final = 4  # of so many paragraphs of a style, one is asked for its look
_LETTER: Final = (12240, 15840)  # Word's paper where a section names none: twentieths of a point
_MARGIN: Final = 1440
_MOST_COLUMNS: Final = 45  # Word's own limit


class Look(NamedTuple):
    """What paragraph and run properties say of the room that text takes; None where they do not say.

    `line` is a multiple of the font's own line height, `exact` a height in points instead (17.3.1.33).
    """

    size: float | None = None
    before: float | None = None
    after: float | None = None
    line: float | None = None
    exact: float | None = None
    indent: float | None = None  # left and right together
    close: bool | None = None  # no space between paragraphs of one style (w:contextualSpacing, 17.3.1.9)

    def over(self, other: Look) -> Look:
        """These properties, and those of the other where these do not say."""
        line, exact = (other.line, other.exact) if self.line is None and self.exact is None else (self.line, self.exact)
        return Look(
            other.size if self.size is None else self.size,
            other.before if self.before is None else self.before,
            other.after if self.after is None else self.after,
            line,
            exact,
            other.indent if self.indent is None else self.indent,
            other.close if self.close is None else self.close,
        )


NO_LOOK: Final = Look()
_WORDS_OWN: Final = Look(10.0, 0.0, 0.0, 1.0, None, 0.0, close=False)  # where nothing says anything (17.7.5)
_TABLE: Final = Look(None, 0.0, 0.0, 1.0)  # as Word's table styles have it: they go before the document's defaults (17.7.2)


def read_look(paragraph: etree._Element | None, run: etree._Element | None) -> Look:
    """What a w:pPr and a w:rPr say: w:spacing (17.3.1.33) and w:sz (17.3.2.38)."""
    points = before = after = line = exact = indent = close = None
    for child in () if run is None else run:
        if child.tag == _SIZE:
            points = _number(child.get(_VAL), 2)
    for child in () if paragraph is None else paragraph:
        tag = child.tag
        if tag == _SPACING:
            before, after = _number(child.get(W + "before"), 20), _number(child.get(W + "after"), 20)
            if child.get(W + "lineRule", "auto") == "auto":
                line = _number(child.get(W + "line"), _SINGLE)
            else:
                exact = _number(child.get(W + "line"), 20)
        elif tag == _INDENT:
            sides = _number(child.get(W + "left") or child.get(W + "start"), 20), _number(child.get(W + "right") or child.get(W + "end"), 20)
            indent = None if sides == (None, None) else (sides[0] or 0.0) + (sides[1] or 0.0)
        elif tag == _CLOSE:
            close = is_on(child)
    said = (points, before, after, line, exact, indent, close)
    return NO_LOOK if said == NO_LOOK else Look(*said)


def _number(text: str | None, unit: int) -> float | None:
    """A measure in units of a point's parts; None where it is missing or makes no sense."""
    return int(text) / unit if text and text.isascii() and text.isdigit() and len(text) < 6 else None


class LookSample:
    """What paragraphs themselves say of their look: read of one in four of a style, for looks come in stretches and reading all would take too long.

    Equal looks are one object.
    """

    __slots__ = ("_known", "_last")

    def __init__(self) -> None:
        self._known: dict[Look, Look] = {NO_LOOK: NO_LOOK}
        self._last: dict[tuple[str | None, int], tuple[int, Look]] = {}

    def of(self, properties: etree._Element, style: str | None, depth: int) -> Look:
        """What a w:pPr says, or the one read before it of the same style and the same depth in tables."""
        number, look = self._last.get((style, depth), (0, NO_LOOK))
        if number % _EVERY == 0:
            look = read_look(properties, properties.find(W + "rPr"))
            look = self._known.setdefault(look, look)
        self._last[style, depth] = number + 1, look
        return look


class Typography:
    """The looks of the paragraph styles of a styles part; a missing part is `Typography(None)`."""

    def __init__(self, root: etree._Element | None) -> None:
        self._styles: Mapping[str, etree._Element] = {} if root is None else {s.get(W + "styleId", ""): s for s in root.iter(W + "style")}
        said = NO_LOOK if root is None else read_look(root.find(f"{W}docDefaults/{W}pPrDefault/{W}pPr"), root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr"))
        self._defaults = said.over(_WORDS_OWN)

    def of(self, style: str, own: Look) -> Look:
        """The look of a paragraph, its style, the ancestors of that and the defaults asked: every field is known but one of `line` and `exact`."""
        return self._folded(style, own).over(self._defaults)

    def in_table(self, style: str, own: Look) -> Look:
        """The same for a paragraph in a table."""
        return self._folded(style, own).over(_TABLE).over(self._defaults)

    def _folded(self, style: str, own: Look) -> Look:
        for element in self._lineage(style):
            own = own.over(read_look(element.find(W + "pPr"), element.find(W + "rPr")))
        return own

    def _lineage(self, style: str | None) -> Iterator[etree._Element]:
        """The style and its ancestors (17.7.4.3), each once."""
        seen: set[str] = set()
        while style is not None and style in self._styles and style not in seen:
            seen.add(style)
            yield self._styles[style]
            parent = self._styles[style].find(W + "basedOn")
            style = None if parent is None else parent.get(_VAL)


class TextArea(NamedTuple):
    """The room for text on a page of a section. `pitch` is the height of a line of its grid, 0 where it has none (17.6.5)."""

    width: float  # of a column
    height: float  # of all columns of a page, one below the other
    pitch: float = 0.0


def text_area(section: etree._Element | None) -> TextArea:
    """w:pgSz (17.6.13), w:pgMar (17.6.11), w:cols (17.6.4) and w:docGrid of a w:sectPr."""
    said = {} if section is None else {child.tag: child for child in section}

    def measure(element: str, name: str, default: float) -> float:
        found = said.get(W + element)
        value = None if found is None else _number((found.get(W + name) or "").lstrip("-"), 20)
        return default / 20 if value is None else value

    width = measure("pgSz", "w", _LETTER[0]) - measure("pgMar", "left", _MARGIN) - measure("pgMar", "right", _MARGIN) - measure("pgMar", "gutter", 0)
    height = measure("pgSz", "h", _LETTER[1]) - measure("pgMar", "top", _MARGIN) - measure("pgMar", "bottom", _MARGIN)
    columns = min(max(round(20 * measure("cols", "num", 1)), 1), _MOST_COLUMNS)
    gap = measure("cols", "space", 720)
    grid = said.get(W + "docGrid")
    pitch = measure("docGrid", "linePitch", 0) if grid is not None and grid.get(W + "type") in ("lines", "linesAndChars") else 0.0
    return TextArea(max((width - gap * (columns - 1)) / columns, 36.0), max(height, 72.0) * columns, pitch)
