"""styles.xml: what a paragraph or character style says, its ancestors asked (ECMA-376 Part 1, 17.7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from lxml import etree

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.looks import (
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
_BODY_LEVEL = 9  # w:outlineLvl 9 means "body text" (17.3.1.20)


def is_on(element: etree._Element | None) -> bool:
    """A toggle property (17.7.3): absent is off, present without a value is on."""
    return element is not None and element.get(W + "val", "1") in ON


def value(element: etree._Element, path: str) -> str | None:
    """`w:val` of the element at the path; None where either is missing."""
    found = element.find(path)
    return None if found is None else found.get(W + "val")


class OutlineLevel(NamedTuple):
    """1 to 9 for a heading, 0 for body text, and the signal that said so."""

    level: int
    source: HeadingSource | None
    confidence: float | None = None  # of a guess
    signals: tuple[str, ...] = ()  # that spoke for a guess, strongest first


BODY = OutlineLevel(0, None)


class ParagraphStyle(NamedTuple):
    """A paragraph style with its ancestors folded in."""

    id: str
    name: str
    outline: OutlineLevel
    num_id: str | None  # of the nearest ancestor that has one
    lineage: tuple[tuple[str, str | None], ...]  # from the style to the one that has the numId: ids, and the w:ilvl that each says itself
    hidden: bool
    look: Look
    layout: Layout
    cell_layout: Layout  # of a paragraph in a table
    is_toc: bool
    is_caption: bool
    is_title: bool


class CharacterStyle(NamedTuple):
    """What of a character style can be seen in plain text; None: it does not say."""

    hidden: bool | None
    vertical: str | None  # superscript, subscript, baseline
    run: RunFormat


class _Said(NamedTuple):
    """What one style says itself (17.7.4.17), its ancestors not asked."""

    type: str
    is_default: bool
    name: str | None
    based_on: str | None
    outline: str | None
    num_id: str | None
    ilvl: str | None
    hidden: bool | None
    vertical: str | None
    strike: bool | None
    double_strike: bool | None
    run: RunFormat
    paragraph: ParagraphFormat
    formats_first_row: bool


class Styles:
    """The styles of a package; every answer is computed once. A missing part is `Styles(None)`: Word's defaults."""

    def __init__(self, root: etree._Element | None) -> None:
        self._styles: Mapping[str, _Said] = {} if root is None else {s.get(W + "styleId", ""): _read_style(s) for s in root.iter(W + "style")}
        self._run_defaults, self._paragraph_defaults = _read_defaults(root)
        self._default_outline = None if root is None else value(root, f"{W}docDefaults/{W}pPrDefault/{W}pPr/{W}outlineLvl")
        self._paragraphs: dict[str | None, ParagraphStyle] = {}
        self._characters: dict[str, CharacterStyle] = {}
        self._looks: dict[tuple[str, Signature], Look] = {}
        self._layouts: dict[tuple[str, LayoutSignature], Layout] = {}
        self._cell_layouts: dict[tuple[str, LayoutSignature], Layout] = {}
        self.cycles: list[str] = []

    @cached_property
    def default_paragraph(self) -> str | None:
        """The style of a paragraph that names none (17.7.4.17)."""
        return next((k for k, s in self._styles.items() if s.type == "paragraph" and s.is_default), None)

    def paragraph(self, identifier: str | None) -> ParagraphStyle:
        """The style of a paragraph; an unknown or absent id is the default style."""
        known = self._paragraphs.get(identifier)
        if known is None:
            known = self._fold(identifier if identifier in self._styles else self.default_paragraph)
            if identifier is not None and identifier not in self._styles and known.outline == BODY:
                known = known._replace(outline=_named_level([identifier]))  # a built-in style that the file forgot
            self._paragraphs[identifier] = known
        return known

    def character(self, identifier: str) -> CharacterStyle:
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
        """How a run looks: by its own properties, else its character style, else the paragraph's style and the document's defaults (17.7.2)."""
        known = self._looks.get((style.id, signature))
        if known is None:
            own = run_format(signature)
            named = self.character(own.style).run if own.style else NO_RUN_FORMAT
            known = self._looks[style.id, signature] = look(first_run_format((own, named, *self._run_formats(style.id))))
        return known

    def layout(self, style: ParagraphStyle, signature: LayoutSignature) -> Layout:
        """How a paragraph is laid out, by its own properties, else its style and the document's defaults."""
        known = self._layouts.get((style.id, signature))
        if known is None:
            said = (paragraph_format(signature), *self._paragraph_formats(style.id), self._paragraph_defaults)
            known = self._layouts[style.id, signature] = layout(first_paragraph_format(said))
        return known

    def cell_layout(self, style: ParagraphStyle, signature: LayoutSignature) -> Layout:
        """The same of a paragraph in a table: table styles go before the document's defaults (17.7.2)."""
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
        """Ids of the character styles that change what is read: hidden, raised or lowered text."""
        ids = (k for k, s in self._styles.items() if s.type == "character")
        return frozenset(k for k in ids if (c := self.character(k)).hidden or c.vertical in ("superscript", "subscript"))

    def formats_first_row(self, identifier: str | None) -> bool:
        """Does a table style give the first row a look of its own (w:tblStylePr, 17.7.6.6)?"""
        return any(style.formats_first_row for _, style in self._chain(identifier))

    def strikes(self, paragraph: str | None, character: str | None, own: Mapping[str, etree._Element]) -> bool:
        """Is a run struck through, once or twice, in a paragraph of this style? `own` are the children of its w:rPr.

        What the run says itself holds. Otherwise a paragraph style and a character style that both strike out cancel each other (17.7.3).
        """
        known = paragraph if paragraph in self._styles else self.default_paragraph
        for name, said in (("strike", lambda style: style.strike), ("dstrike", lambda style: style.double_strike)):
            direct = _toggled(own, name)
            if direct if direct is not None else self._toggles(known, said) != self._toggles(character, said):
                return True
        return False

    def _toggles(self, identifier: str | None, said: Callable[[_Said], bool | None]) -> bool:
        """What a style or the nearest of its ancestors says of a toggle property."""
        return next((value for _, style in self._chain(identifier) if (value := said(style)) is not None), False)

    def numbering_of_style(self, identifier: str) -> str | None:
        """The numId of a numbering style (w:numStyleLink, 17.9.21)."""
        return next((s.num_id for _, s in self._chain(identifier) if s.num_id), None)

    def _chain(self, identifier: str | None) -> Iterator[tuple[str, _Said]]:
        """The style and its ancestors (w:basedOn, 17.7.4.3); a circle ends where it closes."""
        seen: set[str] = set()
        while identifier is not None and identifier in self._styles:
            if identifier in seen:
                self.cycles.append(identifier)
                return
            seen.add(identifier)
            style = self._styles[identifier]
            yield identifier, style
            identifier = style.based_on

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

    def _outline(self, chain: list[tuple[str, _Said]], names: list[str]) -> OutlineLevel:
        """w:outlineLvl of the style or an ancestor, else of docDefaults, else the level in a built-in name or id (17.3.1.20, 17.7.4.9)."""
        said = next((s.outline for _, s in chain if s.outline is not None), None)
        if said is not None:
            return outline_level(said, HeadingSource.STYLE)
        if self._default_outline is not None:
            return outline_level(self._default_outline, HeadingSource.OUTLINE)
        return _named_level(names)


def _read_style(element: etree._Element) -> _Said:
    own = {child.tag: child for child in element}
    paragraph = _children(own.get(W + "pPr"))
    run = _children(own.get(W + "rPr"))
    number = _children(paragraph.get(W + "numPr"))
    return _Said(
        type=element.get(W + "type", ""),
        is_default=element.get(W + "default") in ON,
        name=_said(own, "name"),
        based_on=_said(own, "basedOn"),
        outline=_said(paragraph, "outlineLvl"),
        num_id=_said(number, "numId"),
        ilvl=_said(number, "ilvl"),
        hidden=_toggled(run, "vanish"),
        vertical=_said(run, "vertAlign"),
        strike=_toggled(run, "strike"),
        double_strike=_toggled(run, "dstrike"),
        run=NO_RUN_FORMAT if not run else run_format(run_signature(own[W + "rPr"])),
        paragraph=paragraph_format(layout_signature(paragraph.values())) if paragraph else NO_PARAGRAPH_FORMAT,
        formats_first_row=any(_is_of_first_row(child) for child in element.iterchildren(W + "tblStylePr")),
    )


def _is_of_first_row(formatting: etree._Element) -> bool:
    """Conditional formatting of the first row that can be seen: bold type or shading."""
    if formatting.get(W + "type") != "firstRow":
        return False
    return is_on(formatting.find(f"{W}rPr/{W}b")) or formatting.find(f"{W}tcPr/{W}shd") is not None


def _read_defaults(root: etree._Element | None) -> tuple[RunFormat, ParagraphFormat]:
    """w:docDefaults (17.7.5.1)."""
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
    """A toggle property among the children of a w:rPr; None where it is absent."""
    found = children.get(W + name)
    return None if found is None else is_on(found)


def _named_level(names: list[str]) -> OutlineLevel:
    named = next((m for n in names if (m := _HEADING_NAME.fullmatch(n))), None)
    return OutlineLevel(int(named[1]), HeadingSource.NAME) if named else BODY


def outline_level(text: str, source: HeadingSource) -> OutlineLevel:
    """The level that a `w:outlineLvl` of this value gives; a value that makes no sense gives body text."""
    if text.isascii() and text.isdigit() and len(text) < _BODY_LEVEL and int(text) < _BODY_LEVEL:
        return OutlineLevel(int(text) + 1, source)
    return BODY
