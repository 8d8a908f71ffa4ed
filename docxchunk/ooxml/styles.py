"""Resolve paragraph and character styles with their base styles (ECMA-376 Part 1, 17.7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

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
from docxchunk.ooxml.names import ON, W

_HEADING_NAME = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_TOC_NAME = re.compile(r"toc ?(?:[1-9]|heading)|table of (?:figures|authorities)", re.IGNORECASE)
_BODY_LEVEL = 9  # w:outlineLvl 9 is body text (17.3.1.20)


def is_on(element: etree._Element | None) -> bool:
    """Return the value of a toggle property (17.7.3): off if absent, on if present without a value."""
    return element is not None and element.get(W + "val", "1") in ON


def value(element: etree._Element, path: str) -> str | None:
    """Return `w:val` of the element at a path; None if either is missing."""
    found = element.find(path)
    return None if found is None else found.get(W + "val")


class OutlineLevel(NamedTuple):
    """An outline level, 1 to 9 for a heading and 0 for body text, with the source of this information."""

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
    lineage: tuple[tuple[str, str | None], ...]  # from the style to the base style that has the numId: ids and their own w:ilvl
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


class _OwnProperties(NamedTuple):
    """The properties of a single style (17.7.4.17), before inheritance."""

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


class Styles:
    """The styles of a package. Each style is read when it is first used. `root` is None if there is no styles part; the defaults of Word apply then."""

    def __init__(self, root: etree._Element | None) -> None:
        self._elements = {} if root is None else {element.get(W + "styleId", ""): element for element in root.iter(W + "style")}
        self._styles: dict[str, _OwnProperties] = {}
        self._run_defaults, self._paragraph_defaults = _read_defaults(root)
        self._default_outline = None if root is None else value(root, f"{W}docDefaults/{W}pPrDefault/{W}pPr/{W}outlineLvl")
        self._default_language = None if root is None else value(root, f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}lang")
        self._paragraphs: dict[str | None, ParagraphStyle] = {}
        self._characters: dict[str, CharacterStyle] = {}
        self._looks: dict[tuple[str, Signature], Look] = {}
        self._layouts: dict[tuple[str, LayoutSignature], Layout] = {}
        self._cell_layouts: dict[tuple[str, LayoutSignature], Layout] = {}
        self.cycles: list[str] = []

    @cached_property
    def default_paragraph(self) -> str | None:
        """The id of the default paragraph style (17.7.4.17); None if there is none."""
        return next((k for k in self._ids("paragraph") if self._elements[k].get(W + "default") in ON), None)

    def paragraph(self, identifier: str | None) -> ParagraphStyle:
        """Return a paragraph style; the default style if the id is unknown or None."""
        known = self._paragraphs.get(identifier)
        if known is None:
            known = self._fold(identifier if identifier in self._elements else self.default_paragraph)
            if identifier is not None and identifier not in self._elements and known.outline == BODY:
                known = known._replace(outline=_named_level([identifier]))  # a built-in style without a definition
            self._paragraphs[identifier] = known
        return known

    def character(self, identifier: str) -> CharacterStyle:
        """Return a character style; without any properties if the id is unknown."""
        known = self._characters.get(identifier)
        if known is None:
            chain = [style for _, style in self._chain(identifier)]
            known = self._characters[identifier] = CharacterStyle(
                hidden=next((s.hidden for s in chain if s.hidden is not None), None),
                vertical=next((s.vertical for s in chain if s.vertical), None),
                run=first_run_format(s.run for s in chain),
            )
        return known

    def look(self, style: ParagraphStyle, signature: Signature) -> Look:
        """Return the effective formatting of a run: its own properties, its character style, the paragraph style, the document defaults (17.7.2)."""
        known = self._looks.get((style.id, signature))
        if known is None:
            own = run_format(signature)
            named = self.character(own.style).run if own.style else NO_RUN_FORMAT
            known = self._looks[style.id, signature] = look(first_run_format((own, named, *self._run_formats(style.id))))
        return known

    def layout(self, style: ParagraphStyle, signature: LayoutSignature) -> Layout:
        """Return the effective formatting of a paragraph: its own properties, its style, the document defaults."""
        known = self._layouts.get((style.id, signature))
        if known is None:
            said = (paragraph_format(signature), *self._paragraph_formats(style.id), self._paragraph_defaults)
            known = self._layouts[style.id, signature] = layout(first_paragraph_format(said))
        return known

    def cell_layout(self, style: ParagraphStyle, signature: LayoutSignature) -> Layout:
        """Return the same for a paragraph in a table, where table styles override the document defaults (17.7.2)."""
        known = self._cell_layouts.get((style.id, signature))
        if known is None:
            said = (paragraph_format(signature), *self._paragraph_formats(style.id), TABLE_FORMAT, self._paragraph_defaults)
            known = self._cell_layouts[style.id, signature] = layout(first_paragraph_format(said))
        return known

    def _run_formats(self, identifier: str) -> Iterator[RunFormat]:
        yield from (s.run for _, s in self._chain(identifier))
        yield self._run_defaults

    def _paragraph_formats(self, identifier: str) -> Iterator[ParagraphFormat]:
        return (s.paragraph for _, s in self._chain(identifier))

    @cached_property
    def visible_characters(self) -> frozenset[str]:
        """Ids of the character styles that affect the text read: hidden, superscript and subscript ones."""
        return frozenset(k for k in self._ids("character") if (c := self.character(k)).hidden or c.vertical in ("superscript", "subscript"))

    def formats_first_row(self, identifier: str | None) -> bool:
        """Return whether a table style formats the first row differently (w:tblStylePr, 17.7.6.6)."""
        return any(style.formats_first_row for _, style in self._chain(identifier))

    def strikes(self, paragraph: str | None, character: str | None, own: Mapping[str, etree._Element]) -> bool:
        """Return whether a run has single or double strikethrough. `own` are the children of its w:rPr by tag.

        A property of the run itself takes precedence. Otherwise, the toggles of the paragraph style and the character style cancel out (17.7.3).
        """
        known = paragraph if paragraph in self._elements else self.default_paragraph
        for name, said in (("strike", lambda style: style.strike), ("dstrike", lambda style: style.double_strike)):
            direct = _toggled(own, name)
            if direct if direct is not None else self._toggles(known, said) != self._toggles(character, said):
                return True
        return False

    def _toggles(self, identifier: str | None, said: Callable[[_OwnProperties], bool | None]) -> bool:
        """Return a toggle property of a style or its nearest base style that has it."""
        return next((value for _, style in self._chain(identifier) if (value := said(style)) is not None), False)

    def language(self, *identifiers: str | None) -> str:
        """Return the language (w:lang, 17.3.2.20) of the first of these styles that has one, else of the document defaults; "" if there is none."""
        chains = (style.language for identifier in identifiers for _, style in self._chain(identifier))
        return next(filter(None, chains), None) or self._default_language or ""

    def numbering_of_style(self, identifier: str) -> str | None:
        """Return the numId of a numbering style (w:numStyleLink, 17.9.21); None if it has none."""
        return next((s.num_id for _, s in self._chain(identifier) if s.num_id), None)

    def _chain(self, identifier: str | None) -> Iterator[tuple[str, _OwnProperties]]:
        """Yield a style and its base styles (w:basedOn, 17.7.4.3), each once even if they are circular."""
        seen: set[str] = set()
        while identifier is not None and identifier in self._elements:
            if identifier in seen:
                self.cycles.append(identifier)
                return
            seen.add(identifier)
            style = self._style(identifier)
            yield identifier, style
            identifier = style.based_on

    def _ids(self, kind: str) -> Iterator[str]:
        """Yield the ids of the paragraph or character styles."""
        return (identifier for identifier, element in self._elements.items() if element.get(W + "type") == kind)

    def _style(self, identifier: str) -> _OwnProperties:
        known = self._styles.get(identifier)
        if known is None:
            known = self._styles[identifier] = _read_style(self._elements[identifier])
        return known

    def _fold(self, identifier: str | None) -> ParagraphStyle:
        chain = list(self._chain(identifier))
        names = [n for key, s in chain for n in (s.name, key) if n]
        paragraphs = [s.paragraph for _, s in chain]
        owner = next((i for i, (_, s) in enumerate(chain) if s.num_id is not None), None)
        return ParagraphStyle(
            id=identifier or "",
            name=next((s.name for _, s in chain[:1] if s.name), identifier or ""),
            outline=self._outline(chain, names),
            num_id=None if owner is None else chain[owner][1].num_id,
            lineage=tuple((key, s.ilvl) for key, s in (chain if owner is None else chain[: owner + 1])),
            hidden=next((s.hidden for _, s in chain if s.hidden is not None), False),
            look=look(first_run_format((*(s.run for _, s in chain), self._run_defaults))),
            layout=layout(first_paragraph_format((*paragraphs, self._paragraph_defaults))),
            cell_layout=layout(first_paragraph_format((*paragraphs, TABLE_FORMAT, self._paragraph_defaults))),
            is_toc=any(_TOC_NAME.fullmatch(n) for n in names),
            is_caption=any(n.lower() == "caption" for n in names),
            is_title=any(n.lower() == "title" for n in names),
        )

    def _outline(self, chain: list[tuple[str, _OwnProperties]], names: list[str]) -> OutlineLevel:
        """Return w:outlineLvl of the style or a base style, or else of docDefaults, or else the level in a built-in name or id (17.3.1.20, 17.7.4.9)."""
        said = next((s.outline for _, s in chain if s.outline is not None), None)
        if said is not None:
            return outline_level(said, HeadingSource.STYLE)
        if self._default_outline is not None:
            return outline_level(self._default_outline, HeadingSource.OUTLINE)
        return _named_level(names)


def _read_style(element: etree._Element) -> _OwnProperties:
    own = {child.tag: child for child in element}
    paragraph = _children(own.get(W + "pPr"))
    run = _children(own.get(W + "rPr"))
    number = _children(paragraph.get(W + "numPr"))
    return _OwnProperties(
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
        paragraph=paragraph_format(layout_signature(paragraph.values())) if paragraph else NO_PARAGRAPH_FORMAT,
        formats_first_row=any(_is_of_first_row(child) for child in element.iterchildren(W + "tblStylePr")),
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
    return run_said, NO_PARAGRAPH_FORMAT if paragraph is None else paragraph_format(layout_signature(paragraph))


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
