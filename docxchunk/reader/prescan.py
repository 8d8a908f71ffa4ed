"""Find the runs, paragraph marks, rows and cells that need special treatment, in one pass over the
tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain, takewhile
from typing import NamedTuple

from lxml import etree

from docxchunk.model.objects import NoteKind
from docxchunk.model.options import ParseOptions, Strikethrough, TrackChanges
from docxchunk.ooxml.formatting import Emphasis, run_signature
from docxchunk.ooxml.styles import Styles
from docxchunk.ooxml.symbols import names_symbol_font
from docxchunk.ooxml.xml import W, around, is_on, value

_VAL = W + "val"
_VANISH, _VERTICAL, _STYLE, _FIELD = W + "vanish", W + "vertAlign", W + "rStyle", W + "fldChar"
_POSITION, _FONTS = W + "position", W + "rFonts"
_FRAME, _DROP_CAP = W + "framePr", W + "dropCap"  # 17.3.1.11
_BOX, _TEXT, _P, _RUN, _RPR = W + "txbxContent", W + "t", W + "p", W + "r", W + "rPr"
BINDING = W + "dataBinding"  # 17.5.2.6
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_RENDERED = W + "lastRenderedPageBreak"
_NOTED = (_RENDERED, BINDING)
_DELETED = (W + "del", W + "moveFrom", W + "cellDel")
_INSERTED = (W + "ins", W + "moveTo", W + "cellIns")
_CHANGES = (*_DELETED, *_INSERTED)
_REMOVED = {
    TrackChanges.FINAL: _DELETED,
    TrackChanges.ORIGINAL: _INSERTED,
    TrackChanges.ALL: (),
}
_OF_FONTS = (_FONTS, _STYLE)
_OF_RUNS = (_VERTICAL, _POSITION, _STYLE, _VANISH)


class NoteKey(NamedTuple):
    """The key of a note. An id is unique among the notes of a kind. The id of a note in an inner
    document begins with the name of its part and "#".
    """

    kind: NoteKind
    id: str


class Shown(Enum):
    """How a run differs from plain text."""

    HIDDEN = "hidden"
    TOGGLED = (
        "toggled"  # hidden by its character style, unless the paragraph's style is hidden, too
    )
    VISIBLE = "visible"  # although the paragraph's style is hidden
    SUPERSCRIPT = "sup"
    SUBSCRIPT = "sub"
    RAISED = "raised"  # superscript, if it is smaller than the text before it
    LOWERED = "lowered"  # likewise subscript
    LEFT_OUT = "left out"  # struck through, with the option `strikethrough=drop`


HIDING = (Shown.HIDDEN, Shown.TOGGLED)


@dataclass(frozen=True, slots=True)
class Marks:
    """The elements found by `find_marks`, and facts about the part. Elements are looked up by
    identity: lxml returns the same proxy while one is alive.
    """

    # w:rPr of a run -> how the run is shown
    runs: Mapping[etree._Element, Shown] = field(default_factory=dict)
    # w:rPr of a run that names a symbol font, or a character style with one
    symbols: frozenset[etree._Element] = frozenset()
    # paragraphs that continue in the next one, and the w:pPr of others: their marks are not in the
    # view (`track_changes`) or inside the code of a field, or they are drop caps
    joined: frozenset[etree._Element] = frozenset()
    # w:trPr and w:tcPr of rows and cells that are not in the view (`track_changes`)
    removed: frozenset[etree._Element] = frozenset()
    unclosed: frozenset[etree._Element] = frozenset()  # w:fldChar that begin a field without an end
    # the w:pPr, w:rPr and w:tcPr that elements of the part refer to
    shared: Mapping[str, etree._Element] = field(default_factory=dict)
    # the part has page marks of Word's layout (w:lastRenderedPageBreak)
    rendered_breaks: bool = False
    # blanks at the ends of a text are significant only with xml:space="preserve"
    trims: bool = False
    revised: bool = False  # the part has tracked changes or comments
    bound: bool = False  # the part has bound content controls

    def __or__(self, other: Marks) -> Marks:
        return Marks(
            {**self.runs, **other.runs},
            self.symbols | other.symbols,
            self.joined | other.joined,
            self.removed | other.removed,
            self.unclosed | other.unclosed,
            {**self.shared, **other.shared},
            self.rendered_breaks or other.rendered_breaks,
            self.trims or other.trims,
            self.revised or other.revised,
            self.bound or other.bound,
        )


def find_marks(root: etree._Element, styles: Styles, options: ParseOptions) -> Marks:
    """Return the marks of the tree below `root`, as `options` (tracked changes, hidden and
    struck-through text) ask for them.
    """
    tags = [
        _FIELD,
        _VERTICAL,
        _POSITION,
        _FONTS,
        _RENDERED,
        _VANISH,
        _FRAME,
        BINDING,
        *_CHANGES,
        *([_STYLE] if styles.visible_characters or styles.symbol_characters else []),
    ]
    removed_tags = _REMOVED[options.track_changes]
    runs: dict[etree._Element, Shown] = {}
    symbols: set[etree._Element] = set()
    joined: set[etree._Element] = set()
    removed: set[etree._Element] = set()
    # open fields, by the text box around them
    fields: dict[etree._Element | None, list[_OpenField]] = {}
    noted: set[str] = set()
    revised = False
    for element in root.iter(*tags):
        tag = element.tag
        if tag in _OF_FONTS and _is_of_symbols(element, styles):
            symbols.add(around(element))
        if tag == _FIELD:
            _match(
                element,
                fields.setdefault(next(element.iterancestors(_BOX), None), []),
                joined,
            )
        elif tag in _NOTED:
            noted.add(tag)
        elif tag == _FRAME:
            properties = around(element)
            if is_drop_cap(properties):
                joined.add(properties)
        elif tag in _CHANGES:
            revised = True
            if tag in removed_tags:
                _collect_removed(around(element), joined, removed)
        elif tag in _OF_RUNS:
            _mark_run(element, styles, runs)
    return Marks(
        _with_options(runs, root, styles, options),
        frozenset(symbols),
        frozenset(joined),
        frozenset(removed),
        frozenset(opened.begin for opened in chain.from_iterable(fields.values())),
        rendered_breaks=_RENDERED in noted,
        revised=revised,
        bound=BINDING in noted,
    )


def is_drop_cap(properties: etree._Element | None) -> bool:
    """Return whether a w:pPr is that of a drop cap (17.3.1.11)."""
    frame = None if properties is None else properties.find(_FRAME)
    return frame is not None and frame.get(_DROP_CAP, "none") != "none"


def has_mark(properties: etree._Element | None, options: ParseOptions) -> bool:
    """Return whether the paragraph mark of a w:pPr is in the view."""
    mark = None if properties is None else properties.find(_RPR)
    removed = _REMOVED[options.track_changes]
    return mark is None or not removed or next(mark.iterchildren(*removed), None) is None


def _is_of_symbols(element: etree._Element, styles: Styles) -> bool:
    """Return whether a w:rFonts or w:rStyle names a symbol font or a style with one."""
    if element.tag == _FONTS:
        return names_symbol_font(element)
    return element.get(_VAL) in styles.symbol_characters


def _mark_run(element: etree._Element, styles: Styles, runs: dict[etree._Element, Shown]) -> None:
    """Mark the run with this property as raised, lowered, hidden or visible."""
    tag, properties = element.tag, around(element)
    if tag == _VERTICAL:
        _raise_or_lower(properties, element.get(_VAL), runs)
    elif tag == _POSITION:
        _shift(properties, element.get(_VAL, ""), runs)
    elif tag == _STYLE:
        _by_style(element, properties, styles, styles.visible_characters, runs)
    elif tag == _VANISH:
        runs[properties] = Shown.HIDDEN if is_on(element) else Shown.VISIBLE


def _with_options(
    runs: dict[etree._Element, Shown], root: etree._Element, styles: Styles, options: ParseOptions
) -> dict[etree._Element, Shown]:
    """Return the runs that differ from plain text, as the options for hidden and struck-through
    text ask for them.
    """
    if options.hidden_text:
        runs = {k: v for k, v in runs.items() if v not in HIDING}
    if options.strikethrough is Strikethrough.DROP:
        _strike(root, styles, options, runs)
    return runs


def trims_blanks(root: etree._Element) -> bool:
    """Return whether the part marks significant blanks by xml:space, text by text. Some writers
    never do; some set it once, on the root.
    """
    return root.getroottree().getroot().get(SPACE) is None and any(
        text.get(SPACE) == "preserve" for text in root.iter(_TEXT)
    )


class _OpenField(NamedTuple):
    """The marks of a field without an end so far."""

    begin: etree._Element
    separator: etree._Element | None = None


def _match(mark: etree._Element, opened: list[_OpenField], joined: set[etree._Element]) -> None:
    """Add a w:fldChar to the open fields. If it ends a field whose code is in several paragraphs,
    they are joined.
    """
    kind = mark.get(W + "fldCharType")
    if kind == "begin":
        opened.append(_OpenField(mark))
    elif kind == "separate" and opened and opened[-1].separator is None:
        opened[-1] = opened[-1]._replace(separator=mark)
    elif kind == "end" and opened:
        begin, separator = opened.pop()
        joined.update(_paragraphs_before(mark if separator is None else separator, begin))


def _paragraphs_before(last: etree._Element, first: etree._Element) -> list[etree._Element]:
    """Return the paragraphs from that of the mark `first` to the one before that of `last`; none if
    they are in one paragraph, or not in the same story.
    """
    start, end = (next(mark.iterancestors(_P), None) for mark in (first, last))
    if start is None or end is None or start is end or start.getparent() is not end.getparent():
        return []
    following = takewhile(lambda element: element is not end, start.itersiblings())
    return [start, *(element for element in following if element.tag == _P)]


def _collect_removed(
    parent: etree._Element, joined: set[etree._Element], removed: set[etree._Element]
) -> None:
    if parent.tag in (W + "trPr", W + "tcPr"):
        removed.add(parent)
    elif (
        parent.tag == W + "rPr"
        and (owner := parent.getparent()) is not None
        and owner.tag == W + "pPr"
    ):
        joined.add(owner)


def _by_style(
    element: etree._Element,
    parent: etree._Element,
    styles: Styles,
    visible_styles: frozenset[str],
    runs: dict[etree._Element, Shown],
) -> None:
    identifier = element.get(_VAL)
    if identifier in visible_styles:
        style = styles.character(identifier)
        if style.hidden:
            runs[parent] = Shown.TOGGLED
        else:
            _raise_or_lower(parent, style.vertical, runs)


def _raise_or_lower(
    parent: etree._Element, vertical: str | None, runs: dict[etree._Element, Shown]
) -> None:
    if runs.get(parent) in HIDING:
        return
    if vertical == "superscript":
        runs[parent] = Shown.SUPERSCRIPT
    elif vertical == "subscript":
        runs[parent] = Shown.SUBSCRIPT
    else:
        runs.pop(parent, None)


def _shift(parent: etree._Element, position: str, runs: dict[etree._Element, Shown]) -> None:
    if parent not in runs and position.strip("+-0pt."):
        runs[parent] = Shown.LOWERED if position.startswith("-") else Shown.RAISED


def _strike(
    root: etree._Element, styles: Styles, options: ParseOptions, runs: dict[etree._Element, Shown]
) -> None:
    """Add the runs that are struck through. If a style strikes a run without w:rPr, an empty w:rPr
    is added to the run, to be its key in `runs`.
    """
    for run in root.iter(_RUN):
        if not len(run):
            continue
        properties = run[0] if run[0].tag == _RPR else None
        if not emphasis_of(properties, _style_around(run), styles, options).strike:
            continue
        if properties is None:
            properties = run.makeelement(_RPR)
            run.insert(0, properties)
        if runs.get(properties) not in HIDING:
            runs[properties] = Shown.LEFT_OUT


def emphasis_of(
    properties: etree._Element | None, style: str | None, styles: Styles, options: ParseOptions
) -> Emphasis:
    """Return the emphasis of a run with this w:rPr in a paragraph of this style."""
    properties = in_view(properties, options)
    return styles.emphasis(style, () if properties is None else run_signature(properties))


def in_view(properties: etree._Element | None, options: ParseOptions) -> etree._Element | None:
    """Return the w:rPr; in the original view, that before tracked changes of it (17.13.5.31)."""
    if (
        properties is not None
        and options.track_changes is TrackChanges.ORIGINAL
        and (former := properties.find(f"{W}rPrChange/{_RPR}")) is not None
    ):
        return former
    return properties


def _style_around(run: etree._Element) -> str | None:
    """Return the style id of the paragraph around a run."""
    paragraph = next(run.iterancestors(_P), None)
    return None if paragraph is None else value(paragraph, f"{W}pPr/{W}pStyle")
