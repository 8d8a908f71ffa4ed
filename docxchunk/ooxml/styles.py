"""styles.xml: what a paragraph or character style says, its ancestors asked (ECMA-376 Part 1, 17.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from lxml import etree

from docxchunk.model.blocks import HeadingSource
from docxchunk.ooxml.names import W

_ON = frozenset({"1", "true", "on"})
_HEADING_NAME = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_TOC_NAME = re.compile(r"toc ?(?:[1-9]|heading)|table of (?:figures|authorities)", re.IGNORECASE)
_BODY_LEVEL = 9  # w:outlineLvl 9 means "body text" (17.3.1.20)


def is_on(element: etree._Element | None) -> bool:
    """A toggle property (17.7.3): absent is off, present without a value is on."""
    return element is not None and element.get(W + "val", "1") in _ON


def value(element: etree._Element, path: str) -> str | None:
    """`w:val` of the element at the path; None where either is missing."""
    found = element.find(path)
    return None if found is None else found.get(W + "val")


class OutlineLevel(NamedTuple):
    """1 to 9 for a heading, 0 for body text, and the signal that said so."""

    level: int
    source: HeadingSource | None


BODY = OutlineLevel(0, None)


class ParagraphStyle(NamedTuple):
    """A paragraph style with its ancestors folded in."""

    id: str
    name: str
    outline: OutlineLevel
    num_id: str | None  # of the nearest ancestor that has one
    lineage: tuple[tuple[str, str | None], ...]  # from the style to the one that has the numId: ids, and the w:ilvl that each says itself
    hidden: bool
    bold: bool
    is_toc: bool
    is_caption: bool
    is_title: bool


class CharacterStyle(NamedTuple):
    """What of a character style can be seen in plain text; None: it does not say."""

    hidden: bool | None
    vertical: str | None  # superscript, subscript, baseline
    bold: bool | None


class Styles:
    """The styles of a package; every answer is computed once. A missing part is `Styles(None)`: Word's defaults."""

    def __init__(self, root: etree._Element | None) -> None:
        self._styles: Mapping[str, etree._Element] = {} if root is None else {s.get(W + "styleId", ""): s for s in root.iter(W + "style")}
        self._defaults = None if root is None else root.find(f"{W}docDefaults/{W}pPrDefault/{W}pPr")
        self._paragraphs: dict[str | None, ParagraphStyle] = {}
        self._characters: dict[str, CharacterStyle] = {}
        self.cycles: list[str] = []

    @cached_property
    def default_paragraph(self) -> str | None:
        """The style of a paragraph that names none (17.7.4.17)."""
        return next((k for k, s in self._styles.items() if s.get(W + "type") == "paragraph" and s.get(W + "default") in _ON), None)

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
            chain = list(self._chain(identifier))
            known = self._characters[identifier] = CharacterStyle(
                hidden=_toggle(chain, "vanish"),
                vertical=next((v for s in chain if (v := value(s, f"{W}rPr/{W}vertAlign"))), None),
                bold=_toggle(chain, "b"),
            )
        return known

    def visible_characters(self) -> frozenset[str]:
        """Ids of the character styles that change what is read: hidden, raised or lowered text."""
        ids = (k for k, s in self._styles.items() if s.get(W + "type") == "character")
        return frozenset(k for k in ids if (c := self.character(k)).hidden or c.vertical in ("superscript", "subscript"))

    def name(self, identifier: str | None) -> str | None:
        style = self._styles.get(identifier or "")
        return None if style is None else value(style, W + "name")

    def numbering_of_style(self, identifier: str) -> str | None:
        """The numId of a numbering style (w:numStyleLink, 17.9.21)."""
        return next((v for s in self._chain(identifier) if (v := value(s, f"{W}pPr/{W}numPr/{W}numId"))), None)

    def _chain(self, identifier: str | None) -> Iterator[etree._Element]:
        """The style and its ancestors (w:basedOn, 17.7.4.3); a circle ends where it closes."""
        seen: set[str] = set()
        while identifier is not None and identifier in self._styles:
            if identifier in seen:
                self.cycles.append(identifier)
                return
            seen.add(identifier)
            style = self._styles[identifier]
            yield style
            identifier = value(style, W + "basedOn")

    def _fold(self, identifier: str | None) -> ParagraphStyle:
        chain = list(self._chain(identifier))
        name = next((n for s in chain[:1] if (n := value(s, W + "name"))), identifier or "")
        names = [n for s in chain for n in (value(s, W + "name"), s.get(W + "styleId")) if n]
        owner = next((s for s in chain if value(s, f"{W}pPr/{W}numPr/{W}numId") is not None), None)
        return ParagraphStyle(
            id=identifier or "",
            name=name,
            outline=self._outline(chain, names),
            num_id=None if owner is None else value(owner, f"{W}pPr/{W}numPr/{W}numId"),
            lineage=tuple(
                (s.get(W + "styleId", ""), value(s, f"{W}pPr/{W}numPr/{W}ilvl")) for s in (chain if owner is None else chain[: chain.index(owner) + 1])
            ),
            hidden=bool(_toggle(chain, "vanish")),
            bold=bool(_toggle(chain, "b")),
            is_toc=any(_TOC_NAME.fullmatch(n) for n in names),
            is_caption=any(n.lower() == "caption" for n in names),
            is_title=any(n.lower() == "title" for n in names),
        )

    def _outline(self, chain: list[etree._Element], names: list[str]) -> OutlineLevel:
        """w:outlineLvl of the style or an ancestor, else of docDefaults, else the level in a built-in name or id (17.3.1.20, 17.7.4.9)."""
        said = next((v for s in chain if (v := value(s, f"{W}pPr/{W}outlineLvl")) is not None), None)
        if said is not None:
            return outline_level(said, HeadingSource.STYLE)
        if self._defaults is not None and (default := value(self._defaults, W + "outlineLvl")) is not None:
            return outline_level(default, HeadingSource.OUTLINE)
        return _named_level(names)


def _named_level(names: list[str]) -> OutlineLevel:
    named = next((m for n in names if (m := _HEADING_NAME.fullmatch(n))), None)
    return OutlineLevel(int(named[1]), HeadingSource.NAME) if named else BODY


def outline_level(text: str, source: HeadingSource) -> OutlineLevel:
    """The level that a `w:outlineLvl` of this value gives; a value that makes no sense gives body text."""
    if text.isascii() and text.isdigit() and len(text) < _BODY_LEVEL and int(text) < _BODY_LEVEL:
        return OutlineLevel(int(text) + 1, source)
    return BODY


def _toggle(chain: list[etree._Element], name: str) -> bool | None:
    found = next((e for s in chain if (e := s.find(f"{W}rPr/{W}{name}")) is not None), None)
    return None if found is None else is_on(found)
