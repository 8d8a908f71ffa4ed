"""Read paragraphs: their properties (ECMA-376 Part 1, 17.3.1) and text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from lxml import etree

from docxchunk.language.patterns import pattern
from docxchunk.model.document import IssueCode
from docxchunk.ooxml.formatting import Look, ParagraphLayout
from docxchunk.ooxml.incremental import REFERENCE
from docxchunk.ooxml.numbering import Label, Suffix
from docxchunk.ooxml.styles import OutlineLevel, ParagraphStyle
from docxchunk.ooxml.xml import W14, W, value
from docxchunk.reader.fields import insert_numbers
from docxchunk.reader.inline import INLINE, read_run, read_unknown
from docxchunk.reader.looks import (
    Stretch,
    known_properties,
    look_of_paragraph,
    read_properties,
    stretches_of,
)
from docxchunk.reader.prescan import NoteKey, is_drop_cap
from docxchunk.reader.run_content import LONGEST_MARK
from docxchunk.reader.run_tags import InlineTag, tags_of, with_tags
from docxchunk.reader.state import (
    DrawingObject,
    EmbeddedObject,
    EquationObject,
    Properties,
    State,
)
from docxchunk.reader.text import (
    BREAK,
    NOTE,
    NUMBER,
    OBJECT,
    PAGE_BREAK,
    TURN,
    Out,
    objects_in,
    only_objects,
    without_turns,
)

_RUN, _PPR = W + "r", W + "pPr"
_PARA_ID = W14 + "paraId"
_OF_NUMBERS = frozenset("0123456789.:)§第제、．：）")  # one of them is in almost every typed number
_NUMBER = 16  # characters of a typed number


class TurnSource(Enum):
    """What tells that a page begins."""

    MARK = TURN  # a page began here in Word's last layout
    BREAK = PAGE_BREAK
    BEFORE = "w:pageBreakBefore"  # 17.3.1.23


class Turn(NamedTuple):
    """A page turn in a paragraph: a page begins before character `at` of its raw text."""

    at: int
    source: TurnSource


class Paragraph(NamedTuple):
    """A paragraph as read. `raw` is text with the marks of `reader.text` in it."""

    raw: str
    style: ParagraphStyle
    outline: OutlineLevel
    label: str  # the automatic number or bullet with the gap after it; "" if there is none
    depth: int  # list level from 0; -1: not in a list
    para_id: str | None
    turns: tuple[Turn, ...]  # the page turns in it
    bold: bool  # short, and bold throughout
    # of most letters, or of the end of longer text; None without letters and in text boxes
    look: Look | None
    layout: ParagraphLayout
    links: tuple[str, ...]
    notes: tuple[NoteKey, ...]
    is_toc: bool
    is_caption: bool
    element: int  # number of its body element
    position: int  # see `DocumentState.position`
    # of different looks at its start, if it may have a number or is a heading; () for one look, and
    # in cells
    stretches: tuple[Stretch, ...]
    start: int = 0  # offset of `raw` in the whole paragraph: that of a clause follows its title
    # it is the title of a clause, whose text is the next item (see `headings.clauses`)
    opens_clause: bool = False
    is_headline: bool = False  # almost a heading, by `headings`
    tags: tuple[InlineTag, ...] = ()  # in the whole paragraph

    @property
    def is_blank(self) -> bool:
        """Whether it shows nothing. A clause without a title shows its number."""
        return not self.opens_clause and (not self.raw or self.raw.isspace())

    def tagged(self, turns: Sequence[int] = ()) -> str:
        """Return the raw text with its tags, and with TURN at the offsets `turns` in `raw`."""
        return with_tags(self.raw, self.tags, self.start, turns) if self.tags or turns else self.raw


_WITHOUT_TEXT = frozenset(  # they leave no mark in the raw text
    W + name for name in ("bookmarkStart", "bookmarkEnd", "proofErr", "permStart", "permEnd")
)
_IN_WORD = pattern(f"(?<=[^\\W\\d_])((?:{OBJECT}\\d+{OBJECT})+)([^\\W\\d_]+)")
_MARKED_TWICE = pattern(f"{NOTE}(.{{1,{LONGEST_MARK}}}?)\\]\\1")
_TURN = pattern(f"([{TURN}{PAGE_BREAK}])")
_BEFORE = Turn(0, TurnSource.BEFORE)
_EMPTY_PARAGRAPH = etree.Element(W + "p")


def read_paragraph(element: etree._Element, state: State) -> Paragraph:
    """Read w:p (17.3.1.22)."""
    paragraph, out = state.paragraph, Out()
    _begin(out, state)
    shared = state.shared.elements.get(element.get(REFERENCE, ""))
    properties = known_properties(shared, state)
    paragraph.style = properties.style
    if shared is not None and (properties.layout.page_break or properties.style.hidden):
        _apply_before_text(properties, state)
    for child in element:
        tag = child.tag
        if tag == _RUN:
            read_run(child, out, state)
        elif tag == _PPR:
            properties = read_properties(child, state)
            paragraph.style = properties.style
            _apply_before_text(properties, state)
        else:
            if tag not in _WITHOUT_TEXT:
                paragraph.has_marks = True
            INLINE.get(tag, read_unknown)(child, out, state)
    _end(state)
    return _close(element, state, out, properties)


def read_joined(elements: Sequence[etree._Element], state: State) -> Paragraph:
    """Read several paragraphs as one; its mark is that of the last one. The others are
    drop caps, or their marks are not in the view.

    If nothing follows the paragraphs, the mark of the last one is not in the view either. It still
    ends them, unless they have no content: then they are gone, and take no number.
    """
    last = elements[-1]
    own = state.properties_of(last)
    properties = known_properties(None, state) if own is None else read_properties(own, state)
    out: Out = []
    _begin(out, state)
    state.paragraph.style, state.paragraph.has_marks = properties.style, True
    _apply_before_text(properties, state)
    for element in elements:
        for child in element:
            if child.tag != _PPR:
                INLINE.get(child.tag, read_unknown)(child, out, state)
        _end_fields(state)
        if is_drop_cap(state.properties_of(element)):
            state.paragraph.runs = []  # the paragraph does not look like it
    _end(state)
    if state.is_joined(last) and not without_turns("".join(out)).strip():
        properties = properties._replace(list_level=None)
    return _close(last, state, out, properties)


def _begin(out: Out, state: State) -> None:
    """Begin a paragraph, with the page marks of dropped text before it."""
    paragraph = state.paragraph
    paragraph.in_toc, paragraph.runs = state.document.toc > 0, []
    if state.document.turns_dropped:
        paragraph.has_marks = True
        state.put_dropped_turns(out)


def _end(state: State) -> None:
    """End unclosed fields and the hiding of a paragraph."""
    if state.story.fields:
        _end_fields(state)
    if state.paragraph.hides:
        state.paragraph.hides = False
        state.mute()


def _apply_before_text(properties: Properties, state: State) -> None:
    """Apply the properties that take effect before the text: begin a page, or hide the text."""
    if properties.layout.page_break:
        state.document.turns += 1
    if properties.style.hidden and not state.env.options.hidden_text:
        state.paragraph.hides = True
        state.mute()


def _close(element: etree._Element, state: State, out: Out, properties: Properties) -> Paragraph:
    """Return the complete paragraph: numbered, with the links, notes and look of its runs."""
    style, outline = properties.style, properties.outline
    document, paragraph, in_cell = state.document, state.paragraph, state.story.in_cell
    has_marks, texts = paragraph.has_marks, out
    read = "".join(out)
    turns: tuple[Turn, ...] = (_BEFORE,) if properties.layout.page_break else ()
    if has_marks and (TURN in read or PAGE_BREAK in read):
        read, turns = _take_turns(read, turns)
        texts = list(map(without_turns, out))
    raw = read
    if not raw.isascii():
        raw = raw.replace("\uf0b7", "•")  # in no symbol font
    if has_marks:
        raw = _clean_marks(raw, state)
    label, depth = "", -1
    if properties.list_level is not None or NUMBER in raw:
        raw, label, depth = _numbered(element, raw, properties, state)
    if outline.level:
        document.headings[outline.level - 1] += 1
    tags: tuple[InlineTag, ...] = ()
    if paragraph.spans:
        tags = tags_of(out, texts, raw, style, state)
        paragraph.spans.clear()
    links: tuple[str, ...] = ()
    notes: tuple[NoteKey, ...] = ()
    is_caption = properties.is_caption
    if has_marks:
        links, notes = tuple(paragraph.links), tuple(paragraph.notes)
        is_caption = is_caption or (paragraph.has_sequence and not _has_equation(raw, state))
        paragraph.clear_marks()
    look, bold = look_of_paragraph(raw, style, state)
    may_be_heading = (
        len(paragraph.runs) > 1
        and not in_cell
        and (label or outline.level or not _OF_NUMBERS.isdisjoint(raw[:_NUMBER]) or BREAK in raw)
    )
    return Paragraph(
        raw=raw,
        style=style,
        outline=outline,
        label=label,
        depth=depth,
        para_id=element.get(_PARA_ID),
        turns=turns,
        bold=bold and outline.level == 0,
        look=look,
        layout=properties.layout,
        links=links,
        notes=notes,
        is_toc=style.is_toc or paragraph.in_toc,
        is_caption=is_caption and outline.level == 0 and not only_objects(raw),
        element=document.element,
        position=document.position,
        stretches=stretches_of(texts, read, raw, style, state) if may_be_heading else (),
        tags=tags,
    )


def _numbered(
    element: etree._Element, raw: str, properties: Properties, state: State
) -> tuple[str, str, int]:
    """Return the raw text with results in place of field codes, the label of the paragraph, and its
    list level; -1 if it is in no list.
    """
    label, depth = "", -1
    if properties.list_level is not None and not _is_unseen(element, raw, state):
        label, depth = _number(element, raw, properties, properties.list_level, state)
    if state.paragraph.has_marks and NUMBER in raw:
        raw, label, depth = insert_numbers(raw, label, depth, properties.outline.level, state)
    return raw, label, depth


def _has_equation(raw: str, state: State) -> bool:
    """Return whether a paragraph has an equation. If it has, a SEQ field (17.16.5.56) in it gives
    the number of the equation, and the paragraph is no caption.
    """
    objects = state.document.objects
    return any(isinstance(objects[index], EquationObject) for index in objects_in(raw))


def _take_turns(raw: str, turns: tuple[Turn, ...]) -> tuple[str, tuple[Turn, ...]]:
    """Return the raw text without its marks of page turns, and the turns."""
    texts, marks = _TURN.split(raw)[::2], _TURN.findall(raw)
    offsets = accumulate(map(len, texts))
    return "".join(texts), (
        *turns,
        *(Turn(at, TurnSource(mark)) for at, mark in zip(offsets, marks, strict=False)),
    )


def _is_unseen(element: etree._Element, raw: str, state: State) -> bool:
    """Return whether Word does not number the paragraph: it is in a cell that continues the one
    above (17.4.85), or only ends a section (17.6.18).
    """
    paragraph = state.paragraph
    return state.story.is_covered or (
        not (raw or paragraph.boxes or paragraph.after)
        and element.find(f"{W}pPr/{W}sectPr") is not None
    )


def _clean_marks(raw: str, state: State) -> str:
    """Return the text with drawings moved out of words, and custom note marks shown once."""
    if OBJECT in raw:
        raw = whole_words(raw, state.document.objects)
    if marks := state.paragraph.custom_marks:
        raw = _MARKED_TWICE.sub(
            lambda mark: f"{NOTE}{mark[1]}]" if mark[1] in marks else mark[0], raw
        )
    return raw


def whole_words(raw: str, objects: Sequence[EmbeddedObject]) -> str:
    """Return the raw text with floating drawings moved behind the word they are anchored in, so
    that the word can be found.
    """

    def float_behind(match: re.Match[str]) -> str:
        anchored = (objects[index] for index in objects_in(match[1]))
        return (
            match[2] + match[1]
            if all(isinstance(item, DrawingObject) and item.floats for item in anchored)
            else match[0]
        )

    return _IN_WORD.sub(float_behind, raw)


def _number(
    element: etree._Element,
    raw: str,
    properties: Properties,
    list_level: tuple[str, int],
    state: State,
) -> tuple[str, int]:
    """Return the label that Word prints, with the blank after it, and the list level; -1 if the
    paragraph is in no list. If the level has no blank after the label, the text may begin with one.
    """
    num_id, level = list_level
    label = state.document.counters.next(
        num_id, level, language=partial(_language, element, properties.style, state)
    )
    if label is None and state.env.numbering.list(num_id) is None:
        state.report_once(
            IssueCode.NUMBER_UNKNOWN,
            f"The list {num_id[:20]!r} is not defined; its paragraphs have no numbers.",
        )
        return "", -1
    if label is None or not label.text.strip() or _is_hidden(label, state):
        return "", level
    touches = label.suffix is Suffix.NOTHING and not raw[:1].isspace()
    return label.text if touches else f"{label.text} ", level


def _is_hidden(label: Label, state: State) -> bool:
    return label.hidden and not state.env.options.hidden_text


def _language(element: etree._Element, style: ParagraphStyle, state: State) -> str:
    """Return the language of the paragraph mark (17.3.2.20). If it has none of its own, its
    character style, the paragraph style or the document defaults decide, in this order.
    """
    properties = state.properties_of(element)
    mark = None if properties is None else properties.find(W + "rPr")
    mark_language, named = (
        (None, None) if mark is None else (value(mark, W + "lang"), value(mark, W + "rStyle"))
    )
    return mark_language or state.env.styles.language(named, style.id)


def loose_paragraph(raw: str, state: State) -> Paragraph:
    """Return a paragraph of the default style for text outside any paragraph."""
    state.paragraph.runs, state.paragraph.has_marks = [], True
    return _close(_EMPTY_PARAGRAPH, state, [raw], known_properties(None, state))


def _end_fields(state: State) -> None:
    """End the fields without an end mark, which end with their w:p."""
    for ended in [field for field in state.story.fields if not field.closes]:
        state.document.toc -= ended.is_toc
        state.story.codes -= ended.in_code
        state.report(
            IssueCode.FIELD_UNCLOSED, "A field has no end; it was read to the end of its paragraph."
        )
    state.story.fields = [field for field in state.story.fields if field.closes]
    state.mute()
