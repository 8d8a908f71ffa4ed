"""Find tracked changes (ECMA-376 Part 1, 17.13.5) and the text that comments are about (17.13.4),
whatever the view is.

The stories are read for their text elsewhere. Here, the tree of a body element is walked once more,
only if it has one of the elements in `_RARE`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.model.objects import Change, ChangedPart, Comment, RevisionKind, Spot
from docxchunk.ooxml.symbols import symbol_of
from docxchunk.ooxml.xml import MC, W14, M, W, around, chosen_branch
from docxchunk.reader.text import shortened

_AROUND: Final = 120  # characters beside a change
_LONGEST_ANCHOR: Final = 400
_MOST_PIECES: Final = 512  # of the text that a comment is about, from each end
_CELL_END: Final = "\x1f"  # XML cannot contain it
_INSERTED, _DELETED = 1, 2  # of a piece of text

_KINDS: Final = {
    W + "ins": RevisionKind.INSERTED,
    W + "del": RevisionKind.DELETED,
    W + "moveFrom": RevisionKind.MOVED_FROM,
    W + "moveTo": RevisionKind.MOVED_TO,
    W14 + "conflictIns": RevisionKind.INSERTED,
    W14 + "conflictDel": RevisionKind.DELETED,
    W + "cellIns": RevisionKind.INSERTED,
    W + "cellDel": RevisionKind.DELETED,
    **dict.fromkeys(
        (
            *(W + name for name in ("rPrChange", "pPrChange", "numberingChange", "cellMerge")),
            *(W + f"{name}Change" for name in ("sectPr", "tblPr", "tblPrEx", "trPr", "tcPr")),
        ),
        RevisionKind.FORMATTED,
    ),
}
"""The kind of each tracked change. w:tblGridChange (17.13.5.33) has no author and is not listed."""
_FLAGS: Final = {
    RevisionKind.INSERTED: _INSERTED,
    RevisionKind.MOVED_TO: _INSERTED,
    RevisionKind.DELETED: _DELETED,
    RevisionKind.MOVED_FROM: _DELETED,
}
_P, _R, _TR, _TC, _TBL = W + "p", W + "r", W + "tr", W + "tc", W + "tbl"
_RPR, _PPR, _TRPR, _CONTROL = W + "rPr", W + "pPr", W + "trPr", M + "ctrlPr"
_OWNERS: Final = {  # by the parent of a property: what has it, and what it is about
    _PPR: (_P, ChangedPart.PARAGRAPH),
    W + "numPr": (_P, ChangedPart.NUMBER),
    _TRPR: (_TR, ChangedPart.ROW),
    W + "tcPr": (_TC, ChangedPart.CELL),
    W + "tblPrEx": (_TR, ChangedPart.ROW),
    W + "tblPr": ("", ChangedPart.TABLE),
    W + "sectPr": ("", ChangedPart.SECTION),
}
_RUNS: Final = (_R, M + "r")
_PLACED: Final = frozenset((_P, _TBL))
_OPENING: Final = frozenset((_P, *_RUNS, _TR, _TC))
_TEXTS: Final = frozenset((W + "t", W + "delText", M + "t"))
_CHARACTERS: Final = {
    W + "tab": "\t",
    W + "ptab": "\t",
    W + "br": "\n",
    W + "cr": "\n",
    W + "noBreakHyphen": "-",
}
_SYMBOL, _BOX = W + "sym", W + "txbxContent"
_BRANCHES: Final = (MC + "Choice", MC + "Fallback")
_RANGE_START, _RANGE_END = W + "commentRangeStart", W + "commentRangeEnd"
_REFERENCE: Final = W + "commentReference"
_MOVES: Final = {
    W + "moveFromRangeStart": RevisionKind.MOVED_FROM,
    W + "moveToRangeStart": RevisionKind.MOVED_TO,
}
_MOVE_ENDS: Final = {
    W + "moveFromRangeEnd": RevisionKind.MOVED_FROM,
    W + "moveToRangeEnd": RevisionKind.MOVED_TO,
}
_MARKS: Final = frozenset((_RANGE_START, _RANGE_END, _REFERENCE, *_MOVES, *_MOVE_ENDS))
_RARE: Final = (*_KINDS, _RANGE_START, _REFERENCE)
_WALKED: Final = (
    *_RARE,
    *_OPENING,
    *_TEXTS,
    *_CHARACTERS,
    *_BRANCHES,
    *_MARKS,
    _TBL,
    _SYMBOL,
    _BOX,
)
_WITHOUT_WORDS: Final = {  # what a change without words is about, by an element in it
    **dict.fromkeys((W + "drawing", W + "pict", W + "object"), ChangedPart.PICTURE),
    **dict.fromkeys((W + "footnoteReference", W + "endnoteReference"), ChangedPart.NOTE),
    **dict.fromkeys((W + "fldChar", W + "instrText", W + "delInstrText"), ChangedPart.FIELD),
    **dict.fromkeys((W + "fldSimple", W + "sdt"), ChangedPart.FIELD),
    M + "oMath": ChangedPart.EQUATION,
}
AHEAD: Final = (b"author=", b"commentR")
"""One of these is in a part with changes or comments: the attribute of all changes, or the
beginning of the names of the marks of comments."""


def is_revised(root: etree._Element) -> bool:
    """Return whether a tree has tracked changes or marks of comments."""
    return next(root.iter(*_RARE), None) is not None


class FoundChange(NamedTuple):
    """A change whose block is not known yet: `spot.paragraph` is the `DocumentState.position`.
    `note` is the key of the note that has it. `is_whole` says whether changes inserted or deleted
    all text of its paragraph.
    """

    change: Change
    note: object
    is_whole: bool


class Anchor(NamedTuple):
    """The text that a comment is about, and its place, as in `FoundChange`."""

    text: str
    spot: Spot
    note: object


@dataclass(slots=True)
class _OpenElement:
    """An element that is walked.

    - `start`: the index of its first piece of text.
    - `drafts`: the changes that it owns.
    - `end`: the index after its last piece, for a paragraph that has ended.
    - `is_changed`: whether changes inserted or deleted all of its text, for such a paragraph.
    """

    element: etree._Element
    start: int
    drafts: list[_OpenChange] = field(default_factory=list)
    end: int = -1
    is_changed: bool = False


@dataclass(slots=True)
class _OpenChange:
    """A change that is walked: `start` and `end` are the indices of its pieces of text."""

    kind: RevisionKind
    part: ChangedPart
    author: str
    date: str
    move: str
    spot: Spot
    element: etree._Element
    start: int
    paragraph: _OpenElement | None
    end: int = -1
    text: str = ""  # of an equation

    @property
    def key(self) -> tuple[object, ...]:
        return self.kind, self.author, self.date

    def extend(self, after: _OpenChange) -> None:
        """Add a change that follows without a gap."""
        if self.start == self.end and _part_of(self.element, has_words=False) is None:
            self.element = after.element
        self.end = after.end
        self.move = self.move or after.move


class _CommentStart(NamedTuple):
    """The beginning of the text that a comment is about."""

    start: int
    spot: Spot


@dataclass(slots=True)
class RevisionCollector:
    """Collects the changes and comments of a document, story by story. Pieces of text are kept
    while a comment is open.
    """

    changes: list[FoundChange] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    anchors: dict[str, Anchor] = field(default_factory=dict)  # by the id of the comment
    _positions: dict[etree._Element, int] = field(default_factory=dict)
    _ranges: dict[str, _CommentStart] = field(default_factory=dict)
    _pieces: list[str] = field(default_factory=list)
    _flags: list[int] = field(default_factory=list)
    _drafts: list[_OpenChange] = field(default_factory=list)
    _owners: list[_OpenElement] = field(default_factory=list)
    _paragraphs: list[_OpenElement] = field(default_factory=list)  # those of the owners
    _moves: dict[RevisionKind, str] = field(default_factory=dict)
    _spot: Spot = field(default_factory=Spot)
    _note: object = None  # the key of the note that is walked
    _within: str = ""  # outside of text boxes
    _boxes: int = 0  # open text boxes
    _around: Counter[int] = field(default_factory=Counter)  # open changes, by flag
    _tables: int = 0
    _rows: int = 0  # of the outermost table, so far
    _first: int = 0  # draft of the outermost table

    def place(self, element: etree._Element, position: int) -> None:
        """Note the position of a paragraph or table, see `DocumentState.position`."""
        self._positions[element] = position

    def read(
        self,
        root: etree._Element,
        removed: Collection[etree._Element],
        spot: Spot,
        note: object = None,
        source: str = "",
    ) -> None:
        """Collect from a body element, a note or a part. `removed` are the properties of rows that
        are not in the view. `spot` is the place, unless a position was noted. `source` is the part
        that has the document, if it is one inside the document.
        """
        if is_revised(root) or self._ranges:
            if not self._ranges:
                self._pieces.clear()
                self._flags.clear()
            self._spot, self._note, self._within, self._boxes = spot, note, spot.within, 0
            self._walk(root, removed, source)
            self.changes += self._merged()
        self._positions.clear()

    def add_comment(self, element: etree._Element, thread: tuple[str, bool], key: str) -> None:
        """Collect a w:comment (17.13.4.2); `thread` is the id of the comment that it replies to,
        and whether it is resolved.
        """
        paragraphs = (_text_of(paragraph) for paragraph in element.iter(_P))
        text = "\n".join(filter(None, map(str.strip, paragraphs)))
        author, date = element.get(W + "author", ""), element.get(W + "date", "")
        self.comments.append(Comment(key, author, date, text, "", *thread))

    def placed(
        self, resolved: Callable[[Spot, object, bool], Spot]
    ) -> tuple[tuple[Change, ...], tuple[Comment, ...]]:
        """Return the changes and the comments with their places. `resolved` returns the place in
        the blocks for a place that was found, the key of its note, and whether all text of its
        paragraph was changed.
        """
        changes = (
            replace(change, spot=resolved(change.spot, note, is_whole))
            for change, note, is_whole in self.changes
        )
        comments = (self._with_anchor(comment, resolved) for comment in self.comments)
        return tuple(changes), tuple(comments)

    def _with_anchor(
        self, comment: Comment, resolved: Callable[[Spot, object, bool], Spot]
    ) -> Comment:
        """Return a comment with its text and place. A reply without a mark of its own is where the
        comment is that it replies to.
        """
        if comment.id not in self.anchors and comment.parent in self.anchors:
            self.anchors[comment.id] = Anchor("", *self.anchors[comment.parent][1:])
        if comment.id not in self.anchors:
            return comment
        text, spot, note = self.anchors[comment.id]
        return replace(comment, anchor=text, spot=resolved(spot, note, False))

    def _walk(self, root: etree._Element, removed: Collection[etree._Element], source: str) -> None:
        walk = etree.iterwalk(root, events=("start", "end"), tag=_WALKED)
        for event, element in walk:
            tag = element.tag
            if event == "end":
                self._end(element, tag)
            elif tag in _TEXTS:
                self._put(element.text or "")
            elif tag in _KINDS:
                self._begin_change(element, tag)
                if _KINDS[tag] is RevisionKind.FORMATTED:
                    walk.skip_subtree()  # the former properties
            elif tag in _MARKS:
                self._mark(element, tag, source)
            elif tag in _BRANCHES:
                if chosen_branch(around(element)) is not element:
                    walk.skip_subtree()
            else:
                self._begin(element, tag, removed)

    def _put(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            self._flags.append(sum(flag for flag, number in self._around.items() if number))

    def _begin(
        self,
        element: etree._Element,
        tag: str,
        removed: Collection[etree._Element],
    ) -> None:
        if tag in _PLACED and element in self._positions:
            self._spot = replace(self._spot, paragraph=self._positions[element], row=None)
        if tag == _TBL:
            self._tables += 1
            if self._tables == 1:
                self._rows, self._first = 0, len(self._drafts)
        elif tag == _TR and self._tables == 1:
            self._spot = replace(self._spot, row=self._rows)
            self._rows += not any(child in removed for child in element.iterchildren(_TRPR))
        elif tag == _BOX:
            self._count_box(1)
        elif tag == _SYMBOL:
            self._put(symbol_of(element) or "")
        elif tag in _CHARACTERS and around(element).tag in _RUNS:  # w:tab is also a tab stop
            self._put(_CHARACTERS[tag])
        if tag in _OPENING:
            opened = _OpenElement(element, len(self._pieces))
            self._owners.append(opened)
            if tag == _P:
                self._paragraphs.append(opened)

    def _count_box(self, number: int) -> None:
        """Begin or end a text box."""
        self._boxes += number
        self._spot = replace(self._spot, within="text box" if self._boxes else self._within)

    def _mark(self, element: etree._Element, tag: str, source: str) -> None:
        """Begin or end a move or the text that a comment is about, or refer to the comment."""
        key = element.get(W + "id", "")
        key = f"{source}#{key}" if source else key
        if tag in _MOVES:
            self._moves[_MOVES[tag]] = element.get(W + "name", "")
        elif tag in _MOVE_ENDS:
            self._moves.pop(_MOVE_ENDS[tag], None)
        elif tag == _RANGE_START:
            is_between = not (self._paragraphs or self._tables)  # it belongs to the next paragraph
            spot = replace(self._spot, paragraph=self._spot.paragraph + is_between)
            self._ranges[key] = _CommentStart(len(self._pieces), spot)
        elif tag == _REFERENCE:
            self.anchors.setdefault(key, Anchor("", self._spot, self._note))
        elif begun := self._ranges.pop(key, None):
            self.anchors[key] = Anchor(self._anchor(begun.start), begun.spot, self._note)

    def _anchor(self, start: int) -> str:
        """Return the text from a piece on, without deleted text, unless there is no other. Of a
        long text, return the start and the end.
        """
        indexes: Sequence[int] = range(start, len(self._pieces))
        if len(indexes) > 2 * _MOST_PIECES:
            indexes = (*indexes[:_MOST_PIECES], *indexes[-_MOST_PIECES:])
        shown = [at for at in indexes if not self._flags[at] & _DELETED] or indexes
        text = "".join(self._pieces[at] for at in shown).replace(_CELL_END, " ")
        return shortened(" ".join(text.split()), _LONGEST_ANCHOR)

    def _begin_change(self, element: etree._Element, tag: str) -> None:
        """Open a change of content, or add one of properties to the element that has them."""
        kind, parent = _KINDS[tag], around(element)
        owner, part = _OWNERS.get(parent.tag, (None, ChangedPart.TEXT))
        if parent.tag == _RPR:
            of = around(parent).tag
            owner, part = (_P, ChangedPart.MARK) if of == _PPR else (of, ChangedPart.TEXT)
        elif parent.tag == _CONTROL:
            owner, part = "", ChangedPart.EQUATION
        elif owner is None and next(element.iterchildren(_TR), None) is not None:
            part = ChangedPart.ROW
        draft = _OpenChange(
            kind,
            part,
            element.get(W + "author", ""),
            element.get(W + "date", ""),
            self._moves.get(kind, ""),
            self._spot,
            element,
            len(self._pieces),
            self._paragraphs[-1] if self._paragraphs and owner not in ("", _TR, _TC) else None,
        )
        self._drafts.append(draft)
        if owner is None:
            self._owners.append(_OpenElement(element, draft.start, [draft]))
            self._around[_FLAGS.get(kind, 0)] += 1
            return
        if part is ChangedPart.EQUATION:
            texts = around(around(parent)).iter(M + "t")
            draft.text = "".join(text.text or "" for text in texts)
        draft.end = draft.start
        for opened in reversed(self._owners):
            if opened.element.tag == owner:
                draft.start = opened.start
                opened.drafts.append(draft)
                break

    def _end(self, element: etree._Element, tag: str) -> None:
        if self._owners and self._owners[-1].element is element:
            self._end_owner(tag)
        if tag == _P:
            ended = self._paragraphs.pop()
            ended.end = len(self._pieces)
            ended.is_changed = all(self._flags[ended.start :])
            self._put("\n")
        elif tag == _TC:
            self._put(_CELL_END)
        elif tag == _BOX:
            self._count_box(-1)
        elif tag == _TBL:
            self._tables -= 1
            if not self._tables:
                self._end_table()

    def _end_owner(self, tag: str) -> None:
        """End an element that has changes, or a change of content."""
        for draft in self._owners.pop().drafts:
            draft.end = len(self._pieces)
            if draft.part is ChangedPart.MARK:
                draft.start = draft.end
        if tag in _KINDS:
            self._around[_FLAGS.get(_KINDS[tag], 0)] -= 1

    def _end_table(self) -> None:
        """End an outermost table. The rows at its end may not be in the view."""
        last = self._rows - 1 if self._rows else None
        for draft in self._drafts[self._first :]:
            if draft.spot.row == self._rows:
                draft.spot = replace(draft.spot, row=last)
        self._spot = replace(self._spot, row=None)

    def _merged(self) -> Iterator[FoundChange]:
        """Yield the changes. Neighbours of one kind, author and date in a paragraph are one, and so
        are a row and the changes of its text.
        """
        drafts: list[_OpenChange] = []
        last: dict[tuple[object, ...], _OpenChange] = {}
        for draft in sorted(self._drafts, key=attrgetter("start")):
            before = last.get(draft.key)
            if before is not None and _covers(before, draft):
                continue
            if before is not None and _are_neighbours(before, draft):
                before.extend(draft)
                continue
            last[draft.key] = draft
            drafts.append(draft)
        self._drafts.clear()
        for draft in drafts:
            if (change := self._finished(draft)) is not None:
                is_whole = draft.paragraph is not None and draft.paragraph.is_changed
                yield FoundChange(change, self._note, is_whole)

    def _finished(self, draft: _OpenChange) -> Change | None:
        """Return a change with its words and those beside it; None if it is empty."""
        text = draft.text or "".join(self._pieces[draft.start : draft.end])
        if draft.part is ChangedPart.SECTION:
            text = ""
        if _CELL_END in text:
            cells = text.rstrip(_CELL_END).split(_CELL_END)
            text = " | ".join(" ".join(cell.split("\n")).strip() for cell in cells)
        text = text.strip("\n") or (text and "\n")
        part: ChangedPart | None = draft.part
        if part is ChangedPart.TEXT:
            part = _part_of(draft.element, has_words=bool(text))
        if part is None:
            return None
        before = after = ""
        if draft.paragraph is not None and draft.kind is not RevisionKind.FORMATTED:
            hidden = _INSERTED if _FLAGS[draft.kind] == _DELETED else _DELETED
            ahead = range(draft.start - 1, draft.paragraph.start - 1, -1)
            before = "".join(self._text_beside(ahead, hidden)[::-1])[-_AROUND:]
            behind = range(draft.end, draft.paragraph.end)
            after = "".join(self._text_beside(behind, hidden))[:_AROUND]
        return Change(
            draft.kind, part, draft.author, draft.date, text=text, before=before, after=after,
            move=draft.move, spot=draft.spot,
        )  # fmt: skip

    def _text_beside(self, indexes: range, hidden: int) -> list[str]:
        """Return pieces of text beside a change, without those that are inserted or deleted."""
        pieces: list[str] = []
        size = 0
        for index in indexes:
            if size >= _AROUND:
                break
            if not self._flags[index] & hidden:
                pieces.append(self._pieces[index])
                size += len(pieces[-1])
        return pieces


def _text_of(paragraph: etree._Element) -> str:
    """Return the text of a paragraph of a comment, without deleted text."""
    return "".join(
        _CHARACTERS.get(part.tag) or part.text or symbol_of(part) or ""
        for part in paragraph.iter(W + "t", M + "t", _SYMBOL, *_CHARACTERS)
    )


def _covers(outer: _OpenChange, inner: _OpenChange) -> bool:
    """Return whether a change has another one of its kind, author and date in it."""
    return (
        outer.kind is not RevisionKind.FORMATTED
        and outer.part in (ChangedPart.TEXT, ChangedPart.ROW, ChangedPart.CELL)
        and inner.part is not ChangedPart.NUMBER
        and outer.start <= inner.start
        and inner.end <= outer.end
        and outer.start < outer.end
    )


def _are_neighbours(before: _OpenChange, after: _OpenChange) -> bool:
    """Return whether nothing stands between two changes of the text of a paragraph."""
    of_text = (ChangedPart.TEXT, ChangedPart.MARK)
    return (
        before.paragraph is after.paragraph
        and after.paragraph is not None
        and before.end == after.start
        and before.part in of_text
        and after.part in of_text
    )


def _part_of(element: etree._Element, *, has_words: bool) -> ChangedPart | None:
    """Return what a change of content is about; None if it has nothing that is seen."""
    parent = around(element)
    owner = around(parent) if parent.tag == _RPR else element
    if has_words:
        is_math = next(owner.iter(M + "t"), None) is not None
        return (
            ChangedPart.EQUATION
            if is_math and next(owner.iter(W + "t", W + "delText"), None) is None
            else ChangedPart.TEXT
        )
    inside = next(owner.iter(*_WITHOUT_WORDS), None)
    return None if inside is None else _WITHOUT_WORDS[inside.tag]
