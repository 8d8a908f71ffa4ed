"""Resolve paragraph and character styles with their base styles (ECMA-376 Part 1, 17.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.formatting import (
    NO_PARAGRAPH_FORMAT,
    NO_RUN_FORMAT,
    TABLE_FORMAT,
    Layout,
    LayoutSignature,
    Look,
    ParagraphFormat,
    RunFormat,
    Signature,
    first_paragraph_format,
    first_run_format,
    layout,
    layout_signature,
    look,
    paragraph_format,
    run_format,
    run_signature,
)
from docxchunk.ooxml.xml import ON, W, is_on, value

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
    layout: Layout
    cell_layout: Layout  # of a paragraph in a table
    is_toc: bool
    is_caption: bool
    is_title: bool


class CharacterStyle(NamedTuple):
    """The properties of a character style after inheritance; None: not specified."""

    hidden: bool | None
    vertical: str | None  # superscript, subscript, baseline
    run: RunFormat


class _Properties(NamedTuple):
    """The properties of a single style (17.7.4.17); after inheritance, also those of its base
    styles.
    """

    name: str | None
    based_on: str | None
    outline: str | None
    num_id: str | None
    ilvl: str | None
    hidden: bool | None
    vertical: str | None
    strike: bool | None
    double_strike: bool | None
    language: str | None
    run: RunFormat
    paragraph: ParagraphFormat
    formats_first_row: bool
    named: OutlineLevel = BODY  # level in a built-in name or id
    is_toc: bool = False
    is_caption: bool = False
    is_title: bool = False


_NONE: Final = _Properties(
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    None,
    NO_RUN_FORMAT,
    NO_PARAGRAPH_FORMAT,
    formats_first_row=False,
)


class Styles:
    """The styles of a package. Each style is read when it is first used. `root` is None if there is
    no styles part; the defaults of Word apply then.
    """

    def __init__(self, root: etree._Element | None) -> None:
        self._elements = (
            {}
            if root is None
            else {element.get(W + "styleId", ""): element for element in root.iter(W + "style")}
        )
        self._styles: dict[str, _Properties] = {}  # before inheritance
        self._resolved: dict[str, _Properties] = {}  # after inheritance
        self._run_defaults, self._paragraph_defaults = _read_defaults(root)
        self._default_outline = (
            None
            if root is None
            else value(root, f"{W}docDefaults/{W}pPrDefault/{W}pPr/{W}outlineLvl")
        )
        self._default_language = (
            None if root is None else value(root, f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}lang")
        )
        self._paragraphs: dict[str | None, ParagraphStyle] = {}
        self._characters: dict[str, CharacterStyle] = {}
        self._looks: dict[tuple[str, Signature], Look] = {}
        self._layouts: dict[tuple[str, LayoutSignature], Layout] = {}
        self._cell_layouts: dict[tuple[str, LayoutSignature], Layout] = {}
        self.cycles: list[str] = []

    @cached_property
    def default_paragraph(self) -> str | None:
        """The id of the default paragraph style (17.7.4.17); None if there is none."""
        return next(
            (k for k in self._ids("paragraph") if self._elements[k].get(W + "default") in ON), None
        )

    def paragraph(self, identifier: str | None) -> ParagraphStyle:
        """Return a paragraph style; the default style if the id is unknown or None."""
        known = self._paragraphs.get(identifier)
        if known is None:
            known = self._fold(
                identifier if identifier in self._elements else self.default_paragraph
            )
            if (
                identifier is not None
                and identifier not in self._elements
                and known.outline == BODY
            ):
                # a built-in style without a definition
                known = known._replace(outline=_named_level([identifier]))
            self._paragraphs[identifier] = known
        return known

    def character(self, identifier: str) -> CharacterStyle:
        """Return a character style; without any properties if the id is unknown."""
        known = self._characters.get(identifier)
        if known is None:
            said = self._all_of(identifier)
            known = self._characters[identifier] = CharacterStyle(
                hidden=said.hidden, vertical=said.vertical, run=said.run
            )
        return known

    def look(self, style: ParagraphStyle, signature: Signature) -> Look:
        """Return the effective formatting of a run: its own properties, its character style, the
        paragraph style, the document defaults (17.7.2).
        """
        known = self._looks.get((style.id, signature))
        if known is None:
            own = run_format(signature)
            named = self.character(own.style).run if own.style else NO_RUN_FORMAT
            known = self._looks[style.id, signature] = look(
                first_run_format((own, named, self._all_of(style.id).run, self._run_defaults))
            )
        return known

    def layout(self, style: ParagraphStyle, signature: LayoutSignature) -> Layout:
        """Return the effective formatting of a paragraph: its own properties, its style, the
        document defaults.
        """
        known = self._layouts.get((style.id, signature))
        if known is None:
            said = (
                paragraph_format(signature),
                self._all_of(style.id).paragraph,
                self._paragraph_defaults,
            )
            known = self._layouts[style.id, signature] = layout(first_paragraph_format(said))
        return known

    def cell_layout(self, style: ParagraphStyle, signature: LayoutSignature) -> Layout:
        """Return the same for a paragraph in a table, where table styles override the document
        defaults (17.7.2).
        """
        known = self._cell_layouts.get((style.id, signature))
        if known is None:
            said = (
                paragraph_format(signature),
                self._all_of(style.id).paragraph,
                TABLE_FORMAT,
                self._paragraph_defaults,
            )
            known = self._cell_layouts[style.id, signature] = layout(first_paragraph_format(said))
        return known

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
        return self._all_of(identifier).formats_first_row

    def strikes(
        self, paragraph: str | None, character: str | None, own: Mapping[str, etree._Element]
    ) -> bool:
        """Return whether a run has single or double strikethrough. `own` are the children of its
        w:rPr by tag.

        A property of the run itself takes precedence. Otherwise, the toggles of the paragraph style
        and the character style cancel out (17.7.3).
        """
        styles = (
            self._all_of(paragraph if paragraph in self._elements else self.default_paragraph),
            self._all_of(character),
        )
        for name, (one, other) in (
            ("strike", [style.strike for style in styles]),
            ("dstrike", [style.double_strike for style in styles]),
        ):
            direct = _toggled(own, name)
            if direct if direct is not None else bool(one) != bool(other):
                return True
        return False

    def language(self, *identifiers: str | None) -> str:
        """Return the language (w:lang, 17.3.2.20) of the first of these styles that has one, else
        of the document defaults; "" if there is none.
        """
        return (
            next(
                filter(None, (self._all_of(identifier).language for identifier in identifiers)),
                None,
            )
            or self._default_language
            or ""
        )

    def numbering_of_style(self, identifier: str) -> str | None:
        """Return the numId of a numbering style (w:numStyleLink, 17.9.21); None if it has none."""
        return self._all_of(identifier).num_id or None

    def lineage(self, identifier: str | None) -> Iterator[tuple[str, str | None]]:
        """Yield the ids of a style and its base styles up to the one that has the numId, each with
        its own w:ilvl.
        """
        self._all_of(identifier)
        while identifier is not None and identifier in self._elements:
            style = self._style(identifier)
            yield identifier, style.ilvl
            identifier = style.based_on if style.num_id is None else None

    def _all_of(self, identifier: str | None) -> _Properties:
        """Return the properties of a style and its base styles (w:basedOn, 17.7.4.3). Of circular
        styles, the one that closes the circle gets no base.
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
        known = _NONE if identifier is None else self._resolved.get(identifier, _NONE)
        for each in reversed(path):
            known = self._resolved[each] = _inherited(self._styles[each], known)
        return known

    def _ids(self, kind: str) -> Iterator[str]:
        """Yield the ids of the paragraph or character styles."""
        return (
            identifier
            for identifier, element in self._elements.items()
            if element.get(W + "type") == kind
        )

    def _style(self, identifier: str) -> _Properties:
        known = self._styles.get(identifier)
        if known is None:
            known = self._styles[identifier] = _read_style(self._elements[identifier])
        return known

    def _fold(self, identifier: str | None) -> ParagraphStyle:
        said = self._all_of(identifier)
        return ParagraphStyle(
            id=identifier or "",
            name=said.name or identifier or "",
            outline=self._outline(said),
            num_id=said.num_id,
            hidden=bool(said.hidden),
            look=look(first_run_format((said.run, self._run_defaults))),
            layout=layout(first_paragraph_format((said.paragraph, self._paragraph_defaults))),
            cell_layout=layout(
                first_paragraph_format((said.paragraph, TABLE_FORMAT, self._paragraph_defaults))
            ),
            is_toc=said.is_toc,
            is_caption=said.is_caption,
            is_title=said.is_title,
        )

    def _outline(self, said: _Properties) -> OutlineLevel:
        """Return w:outlineLvl of the style or a base style, or else of docDefaults, or else the
        level in a built-in name or id (17.3.1.20, 17.7.4.9).
        """
        if said.outline is not None:
            return outline_level(said.outline, HeadingSource.STYLE)
        if self._default_outline is not None:
            return outline_level(self._default_outline, HeadingSource.OUTLINE)
        return said.named


def _inherited(own: _Properties, base: _Properties) -> _Properties:
    """Return the properties of a style with those of its base style that it does not specify."""
    if base is _NONE:
        return own
    return _Properties(
        name=own.name,
        based_on=own.based_on,
        outline=base.outline if own.outline is None else own.outline,
        num_id=base.num_id if own.num_id is None else own.num_id,
        ilvl=own.ilvl,
        hidden=base.hidden if own.hidden is None else own.hidden,
        vertical=own.vertical or base.vertical,
        strike=base.strike if own.strike is None else own.strike,
        double_strike=base.double_strike if own.double_strike is None else own.double_strike,
        language=own.language or base.language,
        run=first_run_format((own.run, base.run)),
        paragraph=first_paragraph_format((own.paragraph, base.paragraph)),
        formats_first_row=own.formats_first_row or base.formats_first_row,
        named=base.named if own.named is BODY else own.named,
        is_toc=own.is_toc or base.is_toc,
        is_caption=own.is_caption or base.is_caption,
        is_title=own.is_title or base.is_title,
    )


def _read_style(element: etree._Element) -> _Properties:
    own = {child.tag: child for child in element}
    paragraph = _children(own.get(W + "pPr"))
    run = _children(own.get(W + "rPr"))
    number = _children(paragraph.get(W + "numPr"))
    names = [name for name in (_said(own, "name"), element.get(W + "styleId")) if name]
    return _Properties(
        name=_said(own, "name"),
        based_on=_said(own, "basedOn"),
        outline=_said(paragraph, "outlineLvl"),
        num_id=_said(number, "numId"),
        ilvl=_said(number, "ilvl"),
        hidden=_toggled(run, "vanish"),
        vertical=_said(run, "vertAlign"),
        strike=_toggled(run, "strike"),
        double_strike=_toggled(run, "dstrike"),
        language=_said(run, "lang"),
        run=NO_RUN_FORMAT if not run else run_format(run_signature(own[W + "rPr"])),
        paragraph=paragraph_format(layout_signature(paragraph.values()))
        if paragraph
        else NO_PARAGRAPH_FORMAT,
        formats_first_row=any(
            _is_of_first_row(child) for child in element.iterchildren(W + "tblStylePr")
        ),
        named=_named_level(names),
        is_toc=any(_TOC_NAME.fullmatch(name) for name in names),
        is_caption=any(name.lower() == "caption" for name in names),
        is_title=any(name.lower() == "title" for name in names),
    )


def _is_of_first_row(formatting: etree._Element) -> bool:
    """Return whether conditional formatting makes the first row bold or shaded."""
    if formatting.get(W + "type") != "firstRow":
        return False
    return is_on(formatting.find(f"{W}rPr/{W}b")) or formatting.find(f"{W}tcPr/{W}shd") is not None


def _read_defaults(root: etree._Element | None) -> tuple[RunFormat, ParagraphFormat]:
    """Return the run and paragraph properties in w:docDefaults (17.7.5.1)."""
    run = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
    paragraph = None if root is None else root.find(f"{W}docDefaults/{W}pPrDefault/{W}pPr")
    run_said = NO_RUN_FORMAT if run is None else run_format(run_signature(run))
    return run_said, NO_PARAGRAPH_FORMAT if paragraph is None else paragraph_format(
        layout_signature(paragraph)
    )


def _children(element: etree._Element | None) -> dict[str, etree._Element]:
    return {} if element is None else {child.tag: child for child in element}


def _said(children: Mapping[str, etree._Element], name: str) -> str | None:
    found = children.get(W + name)
    return None if found is None else found.get(W + "val")


def _toggled(children: Mapping[str, etree._Element], name: str) -> bool | None:
    """Return a toggle property among the children of a w:rPr; None if absent."""
    found = children.get(W + name)
    return None if found is None else is_on(found)


def _named_level(names: list[str]) -> OutlineLevel:
    named = next((m for n in names if (m := _HEADING_NAME.fullmatch(n))), None)
    return OutlineLevel(int(named[1]), HeadingSource.NAME) if named else BODY


def outline_level(text: str, source: HeadingSource) -> OutlineLevel:
    """Return the level for a value of `w:outlineLvl`; body text for an invalid value."""
    if text.isascii() and text.isdigit() and len(text) < _BODY_LEVEL and int(text) < _BODY_LEVEL:
        return OutlineLevel(int(text) + 1, source)
    return BODY
