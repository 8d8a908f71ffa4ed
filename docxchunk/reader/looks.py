"""Read the properties of paragraphs (ECMA-376 Part 1, 17.3.1), and find the look (effective
formatting) of paragraphs, of the stretches at their start, and of cells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lxml import etree

from docxchunk.content.roles import names_captions
from docxchunk.model.blocks import HeadingSource
from docxchunk.model.document import Dropped
from docxchunk.model.options import TrackChanges
from docxchunk.ooxml.formatting import LAYOUT_TAGS, Look, layout_signature, run_signature
from docxchunk.ooxml.styles import ParagraphStyle, outline_level
from docxchunk.ooxml.symbols import font_format
from docxchunk.ooxml.xml import W, children_of, value_of
from docxchunk.reader.prescan import in_view
from docxchunk.reader.state import Properties, RunLetters, State
from docxchunk.reader.text import Out

_RPR, _PPR, _VAL = W + "rPr", W + "pPr", W + "val"
_FORMER = W + "pPrChange"  # properties before a tracked change (17.13.5.29): the last child
_SECTION = W + "sectPr"
_P, _RUN, _ALIGNMENT = W + "p", W + "r", W + "jc"
_STYLE, _OUTLINE, _NUMBERING = W + "pStyle", W + "outlineLvl", W + "numPr"
_START = 120  # characters that a number and a title may take
_LINE_LENGTH = 200  # the look of a longer paragraph is that of its end
_BOLD_LENGTH = 100  # only shorter paragraphs are marked as bold
_NO_SYMBOLS: Mapping[int, str] = {}


# -- properties


def read_properties(element: etree._Element | None, state: State) -> Properties:
    """Read w:pPr, if there is one, as it is in the view that `track_changes` asks for; end the
    section if it has a w:sectPr.
    """
    named = outline = num_id = ilvl = None
    layout: list[etree._Element] = []
    for child in () if element is None else element:
        tag = child.tag
        if tag == _STYLE:
            named = child.get(_VAL)
        elif tag in LAYOUT_TAGS:
            layout.append(child)
        elif tag == _NUMBERING:
            num_id, ilvl = _list_of(child, state)
        elif tag == _OUTLINE:
            outline = child.get(_VAL)
        elif tag == _SECTION:
            if element in state.env.marks.joined:  # it is gone with the mark
                state.drop(Dropped.MISPLACED, child)
            else:
                state.end_section(child)
        elif tag == _FORMER and _is_original(state) and (former := child.find(_PPR)) is not None:
            return read_properties(former, state)
    styles, in_table = state.env.styles, state.story.in_cell > 0
    style, signature = styles.paragraph(named), layout_signature(layout)
    of_style = style.cell_layout if in_table else style.layout
    return Properties(
        style,
        styles.layout(style.id, signature, in_table=in_table) if signature else of_style,
        style.outline if outline is None else outline_level(outline, HeadingSource.PARAGRAPH),
        _list_level(style, num_id, ilvl, state),
        style.is_caption or names_captions(style.name),
    )


def known_properties(shared: etree._Element | None, state: State) -> Properties:
    """Return the properties of paragraphs that share this w:pPr. `shared` is None for paragraphs
    without a w:pPr.
    """
    known = state.shared.in_cells if state.story.in_cell else state.shared.paragraphs
    properties = known.get(shared)
    if properties is None:
        properties = known[shared] = read_properties(shared, state)
    return properties


def _is_original(state: State) -> bool:
    return state.env.options.track_changes is TrackChanges.ORIGINAL


def _list_of(element: etree._Element, state: State) -> tuple[str | None, str | None]:
    """Return w:numId and w:ilvl of a w:numPr (17.3.1.19); in the original view, none that was
    inserted (17.13.5.19).
    """
    if _is_original(state) and element.find(W + "ins") is not None:
        return None, None
    values = {child.tag: child.get(_VAL) for child in element}
    return values.get(W + "numId"), values.get(W + "ilvl")


def _list_level(
    style: ParagraphStyle, num_id: str | None, ilvl: str | None, state: State
) -> tuple[str, int] | None:
    """Return w:numId and the level (17.3.1.19) of a paragraph; None if it is in no list (w:numId is
    0), or at level 9 (17.9.3), which is body text in Word.

    A paragraph without a level of its own has the level of its style or, if that has none, of the
    nearest base style that has one. A style has a level if the list links one to it (17.9.23), or
    if it sets one.
    """
    num_id = style.num_id if num_id is None else num_id
    if num_id is None or num_id == "0":
        return None
    if ilvl is None:
        for identifier, style_level in state.env.styles.lineage(style.id):
            linked = state.env.numbering.level_of_style(num_id, identifier)
            if linked is not None:
                return num_id, linked
            if style_level is not None:
                ilvl = style_level
                break
    if ilvl == "9":
        return None
    # a level that makes no sense is 0
    return num_id, int(ilvl) if ilvl and len(ilvl) == 1 and ilvl in "012345678" else 0


# -- looks


class Stretch(NamedTuple):
    """Text of one look at the start of a paragraph."""

    end: int  # number of characters of raw text up to its end
    look: Look


def _stretches_of_runs(
    runs: Sequence[RunLetters], out: Out, style: ParagraphStyle, state: State
) -> tuple[Stretch, ...]:
    """Divide the first `_START` characters of a paragraph into stretches of different looks. Return
    these and the stretch after them; () if all have one look.

    `out` is the raw text of the paragraph. Blanks and text outside runs belong to the stretch
    before or after them.
    """
    stretches: list[Stretch] = []
    end = pieces = 0
    last: etree._Element | None = None
    look: Look | None = None
    for properties, letters, until in runs:
        if end > _START:
            break
        # the text of this run was put together apart, such as a reading in brackets
        if until < pieces:
            return ()
        begin, end = end, end + sum(map(len, out[pieces:until]))
        pieces = until
        if look is None or (letters and properties is not last):
            last, before, look = properties, look, look_of_run(properties, style, state)
            if before is not None and before != look:
                stretches.append(Stretch(begin, before))
    return (*stretches, Stretch(end, look)) if stretches and look is not None else ()


def look_of_run(properties: etree._Element | None, style: ParagraphStyle, state: State) -> Look:
    """Return the look of a run with this w:rPr in a paragraph of this style."""
    if properties is None:
        return style.look
    look = state.shared.looks.get((style.id, properties))
    if look is None:
        signature = state.shared.signatures.get(properties)
        look = state.env.styles.look(
            style.id, run_signature(properties) if signature is None else signature
        )
        if signature is not None:
            state.shared.looks[style.id, properties] = look
    return look


def symbols_of_run(run: etree._Element, state: State) -> Mapping[int, str]:
    """Return the characters of a run that are in a symbol font: see `Styles.symbols`."""
    if not state.has_symbols:
        return _NO_SYMBOLS
    properties = in_view(state.run_properties(run), state.env.options)
    styles, style = state.env.styles, state.paragraph.style
    if properties not in state.env.marks.symbols and not styles.has_symbol_paragraphs:
        return _NO_SYMBOLS
    own = children_of(properties)
    return styles.symbols(
        None if style is None else style.id, value_of(own, "rStyle"), font_format(own)
    )


def look_of_paragraph(raw: str, style: ParagraphStyle, state: State) -> tuple[Look | None, bool]:
    """Return the look that most letters of a paragraph with this raw text have, and whether it is
    short and bold throughout; None and False if it has no letters.
    """
    runs = state.paragraph.runs
    if not raw or not runs:
        return None, False
    if state.story.in_cell or len(raw) > _LINE_LENGTH:
        return look_of_run(runs[-1][0], style, state), False
    lengths: dict[etree._Element | None, int] = {}
    for properties, letters, _ in runs:
        if letters:
            lengths[properties] = lengths.get(properties, 0) + letters
    counts: dict[Look, int] = {}
    for properties, letters in lengths.items():
        look = look_of_run(properties, style, state)
        counts[look] = counts.get(look, 0) + letters
    if not counts:
        return None, False
    is_bold = len(raw) <= _BOLD_LENGTH and all(look.bold for look in counts)
    return max(zip(counts.values(), counts, strict=True))[1], is_bold


def stretches_of(
    out: Out, read: str, raw: str, style: ParagraphStyle, state: State
) -> tuple[Stretch, ...]:
    """Return the stretches of `raw`, the complete text. It may differ from `read`, the text as it
    was read: numbers are moved into the label, and so on.
    """
    stretches = _stretches_of_runs(state.paragraph.runs, out, style, state)
    if not stretches or read == raw:
        return stretches
    if read.endswith(raw):
        return tuple(
            [stretch._replace(end=stretch.end - len(read) + len(raw)) for stretch in stretches]
        )
    return stretches if read[: stretches[-1].end] == raw[: stretches[-1].end] else ()


# -- cells


class CellLook(NamedTuple):
    """The look of a cell. `bold` and `centred` are those of its first paragraph with text. The
    paragraph is bold if its first and its last run are bold.
    """

    bold: bool | None  # None: no text
    centred: bool
    fill: str  # colour of its shading (ECMA-376 Part 1, 17.4.32); "": none


def look_of_cell(cell: etree._Element, fill: str, state: State) -> CellLook:
    """Return the look of a cell from its paragraphs and its shading `fill`. The table style is not
    considered.
    """
    for child in cell:
        if child.tag == _P and (first := _first_with_text(child.iter(_RUN), state)) is not None:
            style, alignment = _style_and_alignment(child, state)
            named = state.env.styles.paragraph(style)
            # the first words of longer text often have a look of their own
            last = _first_with_text(child.iterchildren(_RUN, reversed=True), state)
            bold = all(
                look_of_run(state.run_properties(run), named, state).bold
                for run in (first, first if last is None else last)
            )
            return CellLook(bold, (alignment or named.layout.align) == "center", fill)
    return CellLook(None, centred=False, fill=fill)


def _first_with_text(runs: Iterable[etree._Element], state: State) -> etree._Element | None:
    return next(
        (run for run in runs if next(run.iterchildren(*state.texts), None) is not None), None
    )


def _style_and_alignment(paragraph: etree._Element, state: State) -> tuple[str | None, str | None]:
    """Return the id of the paragraph style and the own w:jc (17.3.1.13) of the paragraph, or of the
    one in the cell that ends it.
    """
    while (
        state.is_joined(paragraph) and (after := next(paragraph.itersiblings(_P), None)) is not None
    ):
        paragraph = after
    style = alignment = None
    properties = state.properties_of(paragraph)
    for child in () if properties is None else properties:
        if child.tag == _STYLE:
            style = child.get(_VAL)
        elif child.tag == _ALIGNMENT:
            alignment = child.get(_VAL)
    return style, alignment
