"""Resolve paragraph and character styles with their base styles (ECMA-376 Part 1, 17.7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.model.blocks import HeadingSource
from docxchunk.model.caching import cached_method
from docxchunk.ooxml.formatting import (
    NO_PARAGRAPH_FORMAT,
    NO_RUN_FORMAT,
    TABLE_FORMAT,
    Emphasis,
    LayoutSignature,
    Look,
    ParagraphFormat,
    ParagraphLayout,
    RunFormat,
    Signature,
    effective_format,
    emphasis_of,
    layout,
    layout_signature,
    look_of,
    merged,
    paragraph_format,
    run_format,
    run_signature,
)
from docxchunk.ooxml.symbols import (
    NO_FONT_FORMAT,
    FontFormat,
    font_format,
    names_symbol_font,
    symbols_in,
)
from docxchunk.ooxml.xml import ON, W, children_of, is_on, natural_number, value_of

_HEADING_NAME = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_TOC_NAME = re.compile(r"toc ?(?:[1-9]|heading)|table of (?:figures|authorities)", re.IGNORECASE)
_BODY_LEVEL = 9  # w:outlineLvl 9 is body text (17.3.1.20)


class OutlineLevel(NamedTuple):
    """An outline level, 1 to 9 for a heading and 0 for body text, with the source of this
    information.
    """

    level: int
    source: HeadingSource | None
    confidence: float | None = None  # of an inferred heading
    signals: tuple[str, ...] = ()  # that support an inferred heading, strongest first


BODY = OutlineLevel(0, None)


class ParagraphStyle(NamedTuple):
    """A paragraph style after inheritance."""

    id: str
    name: str
    outline: OutlineLevel
    num_id: str | None  # of the style or its nearest base style that has one
    hidden: bool
    look: Look
    layout: ParagraphLayout
    cell_layout: ParagraphLayout  # of a paragraph in a table
    is_toc: bool
    is_caption: bool
    is_title: bool


class CharacterStyle(NamedTuple):
    """The properties of a character style after inheritance; None: not specified."""

    hidden: bool | None
    vertical: str | None  # superscript, subscript, baseline
    run: RunFormat


class _StyleProperties(NamedTuple):
    """The properties of a style (17.7.4.17) that other styles inherit; None: not specified."""

    run: RunFormat = NO_RUN_FORMAT
    paragraph: ParagraphFormat = NO_PARAGRAPH_FORMAT
    fonts: FontFormat = NO_FONT_FORMAT
    outline: str | None = None
    num_id: str | None = None
    hidden: bool | None = None
    vertical: str | None = None
    language: str | None = None
    formats_first_row: bool | None = None
    named: OutlineLevel | None = None  # level in a built-in name or id
    is_toc: bool | None = None
    is_caption: bool | None = None
    is_title: bool | None = None


_NONE: Final = _StyleProperties()


class _Style(NamedTuple):
    """A style with its own properties. Properties of base styles are left out."""

    name: str | None
    based_on: str | None
    ilvl: str | None
    properties: _StyleProperties


class Styles:
    """The styles of a package. Each style is read when it is first used. `root` is None if there is
    no styles part; the defaults of Word apply then.
    """

    def __init__(self, root: etree._Element | None) -> None:
        self._elements: dict[str, etree._Element] = {}
        for element in () if root is None else root.iter(W + "style"):
            # if two styles have the same id, the first one counts (17.7.4.17)
            self._elements.setdefault(element.get(W + "styleId", ""), element)
        self._styles: dict[str, _Style] = {}
        self._resolved: dict[str, _StyleProperties] = {}  # after inheritance
        self._defaults = _of_defaults(root)
        self._name_symbol_fonts = root is not None and any(
            map(names_symbol_font, root.iter(W + "rFonts"))
        )
        self._paragraphs: dict[str | None, ParagraphStyle] = {}
        self._looks: dict[tuple[str, Signature], Look] = {}
        self._emphases: dict[tuple[str | None, Signature], Emphasis] = {}
        self._symbols: dict[tuple[str | None, str | None, FontFormat], dict[int, str]] = {}
        self._formats: dict[LayoutSignature, ParagraphFormat] = {}
        self._layouts: dict[tuple[str, LayoutSignature, bool], ParagraphLayout] = {}
        self.cycles: list[str] = []

    @cached_property
    def default_paragraph(self) -> str | None:
        """The id of the default paragraph style, or None. If there are several, the last one counts
        (17.7.4.17).
        """
        defaults = [k for k in self._ids("paragraph") if self._elements[k].get(W + "default") in ON]
        return defaults[-1] if defaults else None

    def paragraph(self, identifier: str | None) -> ParagraphStyle:
        """Return a paragraph style; the default style if the id is unknown or None."""
        style = self._paragraphs.get(identifier)
        if style is None:
            style = self._paragraph_style(
                identifier if identifier in self._elements else self.default_paragraph
            )
            if (
                identifier is not None
                and identifier not in self._elements
                and style.outline == BODY
            ):
                # a built-in style without a definition
                style = style._replace(outline=_named_level([identifier]) or BODY)
            self._paragraphs[identifier] = style
        return style

    @cached_method
    def character(self, identifier: str) -> CharacterStyle:
        """Return a character style; without any properties if the id is unknown."""
        properties = self._all_of(identifier)
        return CharacterStyle(properties.hidden, properties.vertical, properties.run)

    def hides(self, identifier: str) -> bool:
        """Return whether a character style is hidden."""
        return bool(self.character(identifier).hidden)

    def look(self, identifier: str, signature: Signature) -> Look:
        """Return the look of a run with these properties of its own, in a paragraph style."""
        look = self._looks.get((identifier, signature))
        if look is None:
            look = self._looks[identifier, signature] = look_of(
                self._effective(identifier, signature)
            )
        return look

    def _effective(self, identifier: str | None, signature: Signature) -> RunFormat:
        """Return the effective formatting of a run: its own properties, its character style, the
        paragraph style, the document defaults (17.7.2).
        """
        own = run_format(signature)
        return effective_format(
            own, self._all_of(own.style).run, self._all_of(identifier).run, self._defaults.run
        )

    def layout(
        self, identifier: str, signature: LayoutSignature, *, in_table: bool
    ) -> ParagraphLayout:
        """Return the effective formatting of a paragraph: its own properties, its style, the
        document defaults, which table styles override (17.7.2).
        """
        key = (identifier, signature, in_table)
        if key not in self._layouts:
            if signature not in self._formats:
                self._formats[signature] = paragraph_format(signature)
            self._layouts[key] = layout(
                (
                    self._formats[signature],
                    self._all_of(identifier).paragraph,
                    TABLE_FORMAT if in_table else NO_PARAGRAPH_FORMAT,
                    self._defaults.paragraph,
                )
            )
        return self._layouts[key]

    @cached_property
    def visible_characters(self) -> frozenset[str]:
        """Ids of the character styles that affect the text read: hidden, superscript and subscript
        ones.
        """
        return frozenset(
            k
            for k in self._ids("character")
            if (c := self.character(k)).hidden or c.vertical in ("superscript", "subscript")
        )

    def formats_first_row(self, identifier: str | None) -> bool:
        """Return whether a table style formats the first row differently (w:tblStylePr,
        17.7.6.6).
        """
        return bool(self._all_of(identifier).formats_first_row)

    def emphasis(self, paragraph: str | None, signature: Signature) -> Emphasis:
        """Return the emphasis of a run with these properties of its own, in a paragraph style."""
        emphasis = self._emphases.get((paragraph, signature))
        if emphasis is None:
            around = paragraph if paragraph in self._elements else self.default_paragraph
            emphasis = self._emphases[paragraph, signature] = emphasis_of(
                self._effective(around, signature)
            )
        return emphasis

    @cached_property
    def symbol_characters(self) -> frozenset[str]:
        """Ids of the character styles with a symbol font."""
        return frozenset(self._with_symbols("character"))

    @cached_property
    def has_symbol_paragraphs(self) -> bool:
        """Whether a paragraph style or the document defaults have a symbol font."""
        return bool(symbols_in(self._defaults.fonts)) or any(self._with_symbols("paragraph"))

    def _with_symbols(self, kind: str) -> Iterator[str]:
        return (
            identifier
            for identifier in (self._ids(kind) if self._name_symbol_fonts else ())
            if symbols_in(self._all_of(identifier).fonts)
        )

    def symbols(
        self, paragraph: str | None, character: str | None, own: FontFormat
    ) -> Mapping[int, str]:
        """Return the characters in a symbol font (see `symbols.symbols_in`) of a run with its own
        fonts, in a paragraph style and a character style.
        """
        key = paragraph, character, own
        if key not in self._symbols:
            around = paragraph if paragraph in self._elements else self.default_paragraph
            of_styles = self._all_of(character).fonts, self._all_of(around).fonts
            self._symbols[key] = symbols_in(merged((own, *of_styles, self._defaults.fonts)))
        return self._symbols[key]

    def language(self, *identifiers: str | None) -> str:
        """Return the language (w:lang, 17.3.2.20) of the first of these styles that has one, else
        of the document defaults; "" if there is none.
        """
        return (
            next(
                filter(None, (self._all_of(identifier).language for identifier in identifiers)),
                None,
            )
            or self._defaults.language
            or ""
        )

    def numbering_of_style(self, identifier: str) -> str | None:
        """Return the numId of a numbering style (w:numStyleLink, 17.9.21), or None."""
        return self._all_of(identifier).num_id

    def lineage(self, identifier: str | None) -> Iterator[tuple[str, str | None]]:
        """Yield the ids of a style and of its base styles, each with its own w:ilvl. End with the
        first style that sets the numId.
        """
        self._all_of(identifier)
        while identifier is not None and identifier in self._elements:
            style = self._style(identifier)
            yield identifier, style.ilvl
            identifier = style.based_on if style.properties.num_id is None else None

    def _all_of(self, identifier: str | None) -> _StyleProperties:
        """Return the properties of a style with those of its base styles (w:basedOn, 17.7.4.3). In
        a circle, the style that closes it has no base.
        """
        path: dict[str, None] = {}
        while (
            identifier is not None
            and identifier in self._elements
            and identifier not in self._resolved
        ):
            if identifier in path:
                self.cycles.append(identifier)
                last = next(reversed(path))
                self._styles[last] = self._styles[last]._replace(based_on=None)
                identifier = None
            else:
                path[identifier] = None
                identifier = self._style(identifier).based_on
        properties = _NONE if identifier is None else self._resolved.get(identifier, _NONE)
        for key in reversed(path):
            properties = self._resolved[key] = _inherited(self._styles[key].properties, properties)
        return properties

    def _ids(self, kind: str) -> Iterator[str]:
        """Yield the ids of the paragraph or character styles."""
        return (
            identifier
            for identifier, element in self._elements.items()
            if element.get(W + "type") == kind
        )

    def _style(self, identifier: str) -> _Style:
        if identifier not in self._styles:
            self._styles[identifier] = _read_style(self._elements[identifier])
        return self._styles[identifier]

    def _paragraph_style(self, identifier: str | None) -> ParagraphStyle:
        properties = self._all_of(identifier)
        key = identifier or ""
        return ParagraphStyle(
            id=key,
            name=(self._style(key).name if key in self._elements else None) or key,
            outline=self._outline(properties),
            num_id=properties.num_id,
            hidden=bool(properties.hidden),
            look=self.look(key, ()),
            layout=self.layout(key, (), in_table=False),
            cell_layout=self.layout(key, (), in_table=True),
            is_toc=bool(properties.is_toc),
            is_caption=bool(properties.is_caption),
            is_title=bool(properties.is_title),
        )

    def _outline(self, properties: _StyleProperties) -> OutlineLevel:
        """Return the level from w:outlineLvl of the style or a base style, else from docDefaults,
        else from a built-in name or id (17.3.1.20, 17.7.4.9).
        """
        if properties.outline is not None:
            return outline_level(properties.outline, HeadingSource.STYLE)
        if self._defaults.outline is not None:
            return outline_level(self._defaults.outline, HeadingSource.OUTLINE)
        return properties.named or BODY


def _inherited(own: _StyleProperties, base: _StyleProperties) -> _StyleProperties:
    """Return the properties of a style. It has the properties of its base style that it does not
    specify itself.
    """
    if base is _NONE:
        return own
    formats = (
        merged((own.run, base.run)),
        merged((own.paragraph, base.paragraph)),
        merged((own.fonts, base.fonts)),
    )
    pairs = zip(own[3:], base[3:], strict=True)
    return _StyleProperties._make((*formats, *(b if a is None else a for a, b in pairs)))


def _read_style(element: etree._Element) -> _Style:
    style_children = children_of(element)
    paragraph = children_of(style_children.get(W + "pPr"))
    run = children_of(style_children.get(W + "rPr"))
    number = children_of(paragraph.get(W + "numPr"))
    name = value_of(style_children, "name")
    names = [name_or_id for name_or_id in (name, element.get(W + "styleId")) if name_or_id]
    lowered = {name_or_id.lower() for name_or_id in names}
    firsts = map(_is_of_first_row, element.iterchildren(W + "tblStylePr"))
    return _Style(
        name,
        value_of(style_children, "basedOn"),
        value_of(number, "ilvl"),
        _formats(run, paragraph)._replace(
            num_id=value_of(number, "numId"),
            hidden=_toggled(run, "vanish"),
            vertical=value_of(run, "vertAlign") or None,
            formats_first_row=any(firsts) or None,
            named=_named_level(names),
            is_toc=any(map(_TOC_NAME.fullmatch, names)) or None,
            is_caption="caption" in lowered or None,
            is_title="title" in lowered or None,
        ),
    )


def _is_of_first_row(formatting: etree._Element) -> bool:
    """Return whether conditional formatting makes the first row bold or shaded."""
    if formatting.get(W + "type") != "firstRow":
        return False
    is_bold = any(is_on(formatting.find(f"{W}rPr/{W}{name}")) for name in ("b", "bCs"))
    return is_bold or formatting.find(f"{W}tcPr/{W}shd") is not None


def _of_defaults(root: etree._Element | None) -> _StyleProperties:
    """Return the run and paragraph properties in w:docDefaults (17.7.5.1)."""
    run, paragraph = (
        children_of(
            None if root is None else root.find(f"{W}docDefaults/{W}{name}Default/{W}{name}")
        )
        for name in ("rPr", "pPr")
    )
    return _formats(run, paragraph)


def _formats(
    run: Mapping[str, etree._Element], paragraph: Mapping[str, etree._Element]
) -> _StyleProperties:
    """Return the properties that these children of a w:rPr and of a w:pPr set."""
    return _StyleProperties(
        run_format(run_signature(run.values())),
        paragraph_format(layout_signature(paragraph.values())),
        font_format(run),
        outline=value_of(paragraph, "outlineLvl"),
        language=value_of(run, "lang") or None,
    )


def _toggled(children: Mapping[str, etree._Element], name: str) -> bool | None:
    """Return a toggle property among the children of a w:rPr; None if absent."""
    child = children.get(W + name)
    return None if child is None else is_on(child)


def _named_level(names: Iterable[str]) -> OutlineLevel | None:
    match = next(filter(None, map(_HEADING_NAME.fullmatch, names)), None)
    return OutlineLevel(int(match[1]), HeadingSource.NAME) if match else None


def outline_level(text: str, source: HeadingSource) -> OutlineLevel:
    """Return the level for a value of `w:outlineLvl`; body text for an invalid value."""
    level = natural_number(text)
    return BODY if level is None or level >= _BODY_LEVEL else OutlineLevel(level + 1, source)
