"""A paragraph: its properties (ECMA-376 Part 1, 17.3.1) and its text."""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from docxchunk.model.blocks import HeadingSource
from docxchunk.model.issues import IssueCode
from docxchunk.ooxml.names import W14, W
from docxchunk.ooxml.numbering import Numbering
from docxchunk.ooxml.styles import BODY, OutlineLevel, ParagraphStyle, is_on, outline_level
from docxchunk.ooxml.symbols import is_symbol_font, unicode_of
from docxchunk.reader.flow import Dropped, Flow, Section
from docxchunk.reader.inline import INLINE, read_run, read_unknown
from docxchunk.reader.marks import NoteKey

_RUN, _PPR, _TEXT, _RPR = W + "r", W + "pPr", W + "t", W + "rPr"
_VAL, _PARA_ID = W + "val", W14 + "paraId"
_PAGE_BREAK, _SECTION = W + "pageBreakBefore", W + "sectPr"
_BOLD, _RSTYLE = W + "b", W + "rStyle"
_STYLE, _OUTLINE, _NUMBERING = W + "pStyle", W + "outlineLvl", W + "numPr"
_BOLD_LENGTH = 100  # only short lines can be anchors, so only they are asked


class Paragraph(NamedTuple):
    """A paragraph as read: `raw` text with our marks in it, see `flow`."""

    raw: str
    style: ParagraphStyle
    outline: OutlineLevel
    label: str  # the automatic number or bullet, "" where there is none
    depth: int  # level of its list, from 0; -1 where it is in none
    para_id: str | None
    page: int
    bold: bool
    links: tuple[str, ...]
    notes: tuple[NoteKey, ...]
    is_toc: bool
    is_caption: bool
    element: int  # number of its body element


class Properties(NamedTuple):
    """What w:pPr says itself."""

    style: str | None = None
    outline: str | None = None
    num_id: str | None = None
    ilvl: str | None = None
    joined: bool = False  # the paragraph mark is gone
    page_break: bool = False


_SYMBOL = re.compile("[\uf020-\uf0ff]")  # where symbol fonts have their characters
_PLAIN = Properties()
_NOWHERE = etree.Element(W + "p")


def read_properties(element: etree._Element, flow: Flow) -> Properties:
    style = outline = num_id = ilvl = None
    page_break = False
    for child in element:
        tag = child.tag
        if tag == _STYLE:
            style = child.get(_VAL)
        elif tag == _NUMBERING:
            for item in child:
                if item.tag == W + "numId":
                    num_id = item.get(_VAL)
                elif item.tag == W + "ilvl":
                    ilvl = item.get(_VAL)
        elif tag == _OUTLINE:
            outline = child.get(_VAL)
        elif tag == _PAGE_BREAK:
            page_break = is_on(child)
        elif tag == _SECTION:
            flow.sections.append(Section(flow.element, child))
    return Properties(style, outline, num_id, ilvl, element in flow.env.marks.joined, page_break)


def _list_level(properties: Properties, style: ParagraphStyle, numbering: Numbering) -> tuple[str, int] | None:
    """w:numId and level (17.3.1.19): of the paragraph, else of its style, whose level may be the one linked to it (17.9.23)."""
    num_id = properties.num_id if properties.num_id is not None else style.numbering[0]
    if num_id is None:
        return None
    ilvl = properties.ilvl
    if ilvl is None:
        linked = numbering.level_of_style(num_id, style.id if properties.num_id is not None else style.numbering_owner)
        if linked is not None:
            return num_id, linked
        ilvl = style.numbering[1]
    return num_id, int(ilvl) if ilvl and len(ilvl) == 1 and ilvl in "012345678" else 0


class Half(NamedTuple):
    """The text of a paragraph whose mark is gone: it runs on into the next one."""

    out: list[str]
    outline: OutlineLevel
    para_id: str | None


def read_paragraph(element: etree._Element, flow: Flow, begun: Half | None) -> Paragraph | Half:
    """w:p (17.3.1.22), its text put behind what was begun before it."""
    out = [] if begun is None else begun.out
    had_text = begun is not None and bool("".join(out).strip())
    properties, style = _PLAIN, flow.default_style
    flow.first_page = flow.page
    muted, in_toc = flow.muted, flow.toc > 0
    for child in element:
        tag = child.tag
        if tag == _RUN:
            read_run(child, out, flow)
        elif tag == _PPR:
            properties = read_properties(child, flow)
            if properties.style is not None:
                style = flow.env.styles.paragraph(properties.style)
            if properties.page_break or style.hidden:
                _begin(properties, style, flow)
        else:
            INLINE.get(tag, read_unknown)(child, out, flow)
    if flow.muted == Dropped.HIDDEN:
        flow.muted = muted
    if flow.fields:
        _end_fields(flow)
    outline = style.outline if properties.outline is None else outline_level(properties.outline, HeadingSource.PARAGRAPH)
    para_id = element.get(_PARA_ID)
    if begun is not None:
        outline, para_id = (begun.outline if had_text else outline), begun.para_id or para_id
    if properties.joined:
        return Half(out, outline, para_id)
    return _close(element, flow, "".join(out), properties, style, outline, para_id, in_toc)


def _begin(properties: Properties, style: ParagraphStyle, flow: Flow) -> None:
    """What a paragraph does before its text: begin a page, or hide by its style."""
    if properties.page_break and not flow.env.marks.rendered_breaks:
        flow.page += 1
        flow.first_page = flow.page
    if style.hidden and not flow.muted and not flow.env.options.hidden_text:
        flow.muted = Dropped.HIDDEN


def _close(  # noqa: PLR0913, PLR0917 - called for every paragraph: a value to carry these would cost as much as the rest
    element: etree._Element,
    flow: Flow,
    raw: str,
    properties: Properties,
    style: ParagraphStyle,
    outline: OutlineLevel,
    para_id: str | None,
    in_toc: bool,  # noqa: FBT001
) -> Paragraph:
    """The paragraph is whole: give it its number, and take from the flow what belongs to it."""
    if not raw.isascii() and _SYMBOL.search(raw):
        font = _symbol_font(element)
        raw = _SYMBOL.sub(lambda letter: unicode_of(font, ord(letter[0])), raw) if font else raw.replace("\uf0b7", "•")
    label, depth = "", -1
    if properties.num_id is not None or style.numbering[0] is not None:
        label, depth = _number(properties, style, flow)
    links: tuple[str, ...] = ()
    notes: tuple[NoteKey, ...] = ()
    if flow.links:
        links = tuple(flow.links)
        flow.links.clear()
    if flow.notes:
        notes = tuple(flow.notes)
        flow.notes.clear()
    is_caption, flow.has_sequence = (style.is_caption or flow.has_sequence) and outline.level == 0, False
    bold = len(raw) <= _BOLD_LENGTH and not flow.in_cell and outline.level == 0 and _is_bold(element, style, flow)
    return Paragraph(
        raw, style, outline, label, depth, para_id, flow.first_page, bold, links, notes, style.is_toc or in_toc or flow.toc > 0, is_caption, flow.element
    )


def _symbol_font(element: etree._Element) -> str:
    """The symbol font that a paragraph's private characters are meant in (17.3.2.26); "" where none is named."""
    fonts = (font for fonts in element.iter(W + "rFonts") for font in (fonts.get(W + "ascii"), fonts.get(W + "hAnsi")) if font)
    return next(filter(is_symbol_font, fonts), "")


def _number(properties: Properties, style: ParagraphStyle, flow: Flow) -> tuple[str, int]:
    """The label that Word prints, and the level of the list; -1 where there is no list."""
    key = (properties.num_id, properties.ilvl, style.id)
    if key not in flow.lists:
        flow.lists[key] = _list_level(properties, style, flow.env.numbering)
    found = flow.lists[key]
    if found is None or found[0] == "0":
        return "", -1
    label = flow.counters.next(*found)
    if label is None and flow.env.numbering.list(found[0]) is None:
        if ("list", found[0]) not in flow.reported:
            flow.reported.add(("list", found[0]))
            flow.report(IssueCode.NUMBER_UNKNOWN, f"The list {found[0][:20]!r} is not defined; its paragraphs have no numbers.")
        return "", -1
    return ("" if label is None else label.text), found[1]


def loose_paragraph(raw: str, flow: Flow) -> Paragraph:
    """Text that stands in no paragraph."""
    return _close(_NOWHERE, flow, raw, _PLAIN, flow.default_style, BODY, None, in_toc=False)


def close_half(half: Half, flow: Flow) -> Paragraph:
    """A paragraph whose mark is gone, and nothing came after it."""
    return loose_paragraph("".join(half.out), flow)._replace(outline=half.outline, para_id=half.para_id)


def _end_fields(flow: Flow) -> None:
    """A field without an end does not reach beyond its paragraph."""
    flow.fields = [f for f in flow.fields if f.closes]
    flow.muted = Dropped.FIELD_CODE if any(f.in_code for f in flow.fields) else ""


def _is_bold(element: etree._Element, style: ParagraphStyle, flow: Flow) -> bool:
    """Is every run that has text bold?"""
    found = False
    for run in element.iterchildren(_RUN):
        if any(text.text and not text.text.isspace() for text in run.iterchildren(_TEXT)):
            if not _run_is_bold(run, style, flow):
                return False
            found = True
    return found


def _run_is_bold(run: etree._Element, style: ParagraphStyle, flow: Flow) -> bool:
    """By its own properties, else its character style, else the paragraph's style (17.7.2)."""
    named = None
    for properties in run.iterchildren(_RPR):
        for item in properties.iterchildren(_BOLD, _RSTYLE):
            if item.tag == _BOLD:
                return is_on(item)
            named = item.get(_VAL, "")
    by_style = flow.env.styles.character(named).bold if named else None
    return style.bold if by_style is None else by_style
