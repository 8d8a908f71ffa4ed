"""One search over a tree for what is rare: it tells the walk which runs and paragraph marks to look at twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import NamedTuple

from lxml import etree

from docxchunk.model.objects import NoteKind
from docxchunk.model.options import ParseOptions, TrackChanges
from docxchunk.ooxml.names import W
from docxchunk.ooxml.styles import Styles, is_on

_VAL = W + "val"
_VANISH, _VERTICAL, _STYLE, _FIELD = W + "vanish", W + "vertAlign", W + "rStyle", W + "fldChar"
_BOX, _TEXT = W + "txbxContent", W + "t"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_RENDERED = W + "lastRenderedPageBreak"
_DELETED = (W + "del", W + "moveFrom")
_INSERTED = (W + "ins", W + "moveTo")


class NoteKey(NamedTuple):
    """Which note: ids are counted apart for each kind."""

    kind: NoteKind
    id: str


class Shown(Enum):
    """How a run differs from plain text."""

    HIDDEN = "hidden"
    VISIBLE = "visible"  # although the paragraph's style hides
    SUPERSCRIPT = "sup"
    SUBSCRIPT = "sub"


@dataclass(frozen=True, slots=True)
class Marks:
    """Elements are kept, so that they are found again by identity (lxml hands out the same proxy while one is alive)."""

    runs: Mapping[etree._Element, Shown] = field(default_factory=dict)  # w:rPr of a run -> how it is shown
    joined: frozenset[etree._Element] = frozenset()  # w:pPr whose paragraph mark is gone: the paragraph runs on into the next
    gone: frozenset[etree._Element] = frozenset()  # w:trPr and w:tcPr of rows and cells that the view does not have
    unclosed: frozenset[etree._Element] = frozenset()  # w:fldChar that begin a field without an end
    rendered_breaks: bool = False  # Word has left where its pages began
    trims: bool = False  # blanks at the ends of a text count only where xml:space says so

    def __or__(self, other: Marks) -> Marks:
        return Marks(
            {**self.runs, **other.runs},
            self.joined | other.joined,
            self.gone | other.gone,
            self.unclosed | other.unclosed,
            self.rendered_breaks or other.rendered_breaks,
            self.trims or other.trims,
        )


def find_marks(root: etree._Element, styles: Styles, options: ParseOptions) -> Marks:
    """Everything of `Marks` from one pass over the tree."""
    telling = styles.visible_characters
    tags = [_FIELD, _VERTICAL, _RENDERED, _BOX, _VANISH, *_DELETED, *_INSERTED, W + "cellDel", W + "cellIns", *([_STYLE] if telling else [])]
    away = {TrackChanges.FINAL: (*_DELETED, W + "cellDel"), TrackChanges.ORIGINAL: (*_INSERTED, W + "cellIns"), TrackChanges.ALL: ()}[options.track_changes]
    runs: dict[etree._Element, Shown] = {}
    joined: set[etree._Element] = set()
    gone: set[etree._Element] = set()
    fields: dict[etree._Element | None, list[etree._Element]] = {}  # by the text box they stand in: those that are open
    boxed = rendered = False
    for element in root.iter(*tags):
        tag = element.tag
        if tag == _FIELD:
            _match(element, fields.setdefault(next(element.iterancestors(_BOX), None) if boxed else None, []))
        elif tag == _VERTICAL:
            _raise_or_lower(_parent(element), element.get(_VAL), runs)
        elif tag == _RENDERED:
            rendered = True
        elif tag == _BOX:
            boxed = True
        elif tag in away:
            _take_away(_parent(element), joined, gone)
        elif tag == _STYLE:
            _by_style(element, _parent(element), styles, telling, runs)
        elif tag == _VANISH:
            _hide(_parent(element), element, runs)
    if options.hidden_text:
        runs = {k: v for k, v in runs.items() if v is not Shown.HIDDEN}
    return Marks(runs, frozenset(joined), frozenset(gone), frozenset(chain.from_iterable(fields.values())), rendered, _trims(root))


def _trims(root: etree._Element) -> bool:
    """Does the writer of the part know of xml:space? Some never say it and mean their blanks all the same; some say it once, of all."""
    return root.getroottree().getroot().get(SPACE) is None and any(text.get(SPACE) == "preserve" for text in root.iter(_TEXT))


def _parent(element: etree._Element) -> etree._Element:
    parent = element.getparent()
    return element if parent is None else parent


def _match(mark: etree._Element, opened: list[etree._Element]) -> None:
    kind = mark.get(W + "fldCharType")
    if kind == "begin":
        opened.append(mark)
    elif kind == "end" and opened:
        opened.pop()


def _take_away(parent: etree._Element, joined: set[etree._Element], gone: set[etree._Element]) -> None:
    if parent.tag in (W + "trPr", W + "tcPr"):
        gone.add(parent)
    elif parent.tag == W + "rPr" and (owner := parent.getparent()) is not None and owner.tag == W + "pPr":
        joined.add(owner)


def _by_style(element: etree._Element, parent: etree._Element, styles: Styles, telling: frozenset[str], runs: dict[etree._Element, Shown]) -> None:
    identifier = element.get(_VAL)
    if identifier in telling:
        style = styles.character(identifier)
        if style.hidden:
            runs[parent] = Shown.HIDDEN
        else:
            _raise_or_lower(parent, style.vertical, runs)


def _raise_or_lower(parent: etree._Element, vertical: str | None, runs: dict[etree._Element, Shown]) -> None:
    if runs.get(parent) is Shown.HIDDEN:
        return
    if vertical == "superscript":
        runs[parent] = Shown.SUPERSCRIPT
    elif vertical == "subscript":
        runs[parent] = Shown.SUBSCRIPT
    else:
        runs.pop(parent, None)


def _hide(parent: etree._Element, element: etree._Element, runs: dict[etree._Element, Shown]) -> None:
    if is_on(element):
        runs[parent] = Shown.HIDDEN
    else:
        runs[parent] = Shown.VISIBLE
