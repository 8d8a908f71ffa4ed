"""A paragraph: its properties (ECMA-376 Part 1, 17.3.1) and its text."""

from __future__ import annotations

from typing import NamedTuple

from lxml import etree

from docxchunk.model.blocks import HeadingSource
from docxchunk.model.issues import IssueCode
from docxchunk.ooxml.names import W14, W
from docxchunk.ooxml.numbering import Numbering
from docxchunk.ooxml.styles import BODY, OutlineLevel, ParagraphStyle, is_on, outline_level
from docxchunk.reader.flow import Dropped, Flow, NoteKey
from docxchunk.reader.inline import INLINE, read_run, read_unknown

_RUN, _PPR, _TEXT, _RPR = W + "r", W + "pPr", W + "t", W + "rPr"
_VAL, _PARA_ID = W + "val", W14 + "paraId"
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
    index: int  # of its body element


class Properties(NamedTuple):
    """What w:pPr says itself."""

    style: str | None = None
    outline: str | None = None
    num_id: str | None = None
    ilvl: str | None = None
    joined: bool = False  # the paragraph mark is gone
    page_break: bool = False


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
        elif tag == W + "pageBreakBefore":
            page_break = is_on(child)
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


class Text(NamedTuple):
    """The text of a paragraph and what was known when it began."""

    raw: str
    outline: OutlineLevel
    para_id: str | None
    page: int
    in_toc: bool


class Half(NamedTuple):
    """The text of a paragraph whose mark is gone: it runs on into the next one."""

    out: list[str]
    outline: OutlineLevel
    para_id: str | None


def read_paragraph(element: etree._Element, flow: Flow, begun: Half | None) -> Paragraph | Half:
    """w:p (17.3.1.22), its text put behind what was begun before it."""
    out = [] if begun is None else begun.out
    had_text = begun is not None and bool("".join(out).strip())
    properties = _PLAIN
    page = flow.page
    muted = flow.muted
    in_toc = flow.toc > 0
    for child in element:
        tag = child.tag
        if tag == _RUN:
            read_run(child, out, flow)
        elif tag == _PPR:
            properties = read_properties(child, flow)
            if properties.page_break and not flow.env.has_rendered_breaks:
                flow.page += 1
            if flow.env.styles.paragraph(properties.style).hidden and not flow.env.options.hidden_text and not muted:
                flow.muted = Dropped.HIDDEN
        else:
            INLINE.get(tag, read_unknown)(child, out, flow)
        if page != flow.page and not out:
            page = flow.page
    if flow.muted == Dropped.HIDDEN:
        flow.muted = muted
    if flow.fields:
        _end_fields(flow)
    outline = flow.env.styles.paragraph(properties.style).outline if properties.outline is None else outline_level(properties.outline, HeadingSource.PARAGRAPH)
    para_id = element.get(_PARA_ID)
    if begun is not None:
        outline, para_id = (begun.outline if had_text else outline), begun.para_id or para_id
    if properties.joined:
        return Half(out, outline, para_id)
    return _close(element, flow, Text("".join(out), outline, para_id, page, in_toc), properties)


def _close(element: etree._Element, flow: Flow, text: Text, properties: Properties) -> Paragraph:
    """The paragraph is whole: give it its number, and take from the flow what belongs to it."""
    style = flow.env.styles.paragraph(properties.style)
    label, depth = "", -1
    if properties.num_id is not None or style.numbering[0] is not None:
        label, depth = _number(properties, style, flow)
    links, notes = tuple(flow.links), tuple(flow.notes)
    flow.links.clear()
    flow.notes.clear()
    sequence, flow.has_sequence = flow.has_sequence, False
    heading = text.outline.level > 0
    return Paragraph(
        raw=text.raw,
        style=style,
        outline=text.outline,
        label=label,
        depth=depth,
        para_id=text.para_id,
        page=text.page,
        bold=len(text.raw) <= _BOLD_LENGTH and not heading and not flow.in_cell and _is_bold(element, style, flow),
        links=links,
        notes=notes,
        is_toc=style.is_toc or text.in_toc or flow.toc > 0,
        is_caption=style.is_caption or (sequence and not heading),
        index=flow.index,
    )


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
    return _close(_NOWHERE, flow, Text(raw, BODY, None, flow.page, in_toc=False), _PLAIN)


def close_half(half: Half, flow: Flow) -> Paragraph:
    """A paragraph whose mark is gone, and nothing came after it."""
    return loose_paragraph("".join(half.out), flow)._replace(outline=half.outline, para_id=half.para_id)


def _end_fields(flow: Flow) -> None:
    """A field without an end does not reach beyond its paragraph."""
    flow.fields = [f for f in flow.fields if f.closes]
    flow.muted = Dropped.FIELD_CODE if any(f.in_code for f in flow.fields) else ""


def _is_bold(element: etree._Element, style: ParagraphStyle, flow: Flow) -> bool:
    """Is every run that has text bold?"""
    runs = [run for run in element.iter(_RUN) if any(t.text and t.text.strip() for t in run.iterchildren(_TEXT))]
    return bool(runs) and all(_run_is_bold(run, style, flow) for run in runs)


def _run_is_bold(run: etree._Element, style: ParagraphStyle, flow: Flow) -> bool:
    own = run.find(f"{_RPR}/{W}b")
    if own is not None:
        return is_on(own)
    named = run.find(f"{_RPR}/{W}rStyle")
    by_style = None if named is None else flow.env.styles.character(named.get(_VAL, "")).bold
    return style.bold if by_style is None else by_style
