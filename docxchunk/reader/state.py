"""The context of reading a story: a read-only environment, and the state that elements share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from docxchunk.model.document import Dropped, Issue, IssueCode, Property
from docxchunk.model.objects import DrawingKind, NoteKind
from docxchunk.model.options import ParseOptions, Strikethrough, TrackChanges
from docxchunk.ooxml.field_codes import FieldNumbers, Sequences
from docxchunk.ooxml.formatting import Look, ParagraphLayout, Signature, run_signature
from docxchunk.ooxml.incremental import REFERENCE
from docxchunk.ooxml.numbering import Counters, Numbering
from docxchunk.ooxml.package import Package
from docxchunk.ooxml.styles import OutlineLevel, ParagraphStyle, Styles
from docxchunk.ooxml.xml import W14, W, chosen_branch, letters
from docxchunk.reader.prescan import Marks, NoteKey
from docxchunk.reader.revisions import RevisionCollector
from docxchunk.reader.text import OBJECT, TURN, Out

if TYPE_CHECKING:
    from docxchunk.reader.bound_controls import BoundData
    from docxchunk.reader.notes import NoteStory

_PPR, _RPR = W + "pPr", W + "rPr"

RunLetters = tuple["etree._Element | None", int, int]
"""The w:rPr of a run with text, its number of characters (0 for blanks only), and the number of
pieces of raw text up to its end.
"""


RawSpan = tuple[Out, int, int, "etree._Element | str | None"]
"""A list of pieces of raw text, the first piece and the one after the last, and what they belong
to: the w:rPr of a run (None without one), or the target of a link.
"""


INSERTIONS = frozenset((W + "ins", W + "moveTo", W14 + "conflictIns"))  # 17.13.5
DELETIONS = frozenset((W + "del", W + "moveFrom", W14 + "conflictDel"))
_TRACKED = (Dropped.DELETED, Dropped.INSERTED)
_GONE = {  # the tracked changes that are not in a view, and the reason
    TrackChanges.FINAL: (DELETIONS, Dropped.DELETED),
    TrackChanges.ORIGINAL: (INSERTIONS, Dropped.INSERTED),
    TrackChanges.ALL: (frozenset[str](), ""),
}
_RENDERED = W + "lastRenderedPageBreak"


class EquationObject(NamedTuple):
    latex: str


class DrawingObject(NamedTuple):
    kind: DrawingKind
    format: str
    asset: str  # the part of the picture; "" if there is none
    src: str
    alt: str
    name: str
    data: tuple[tuple[str, ...], ...] = ()
    floats: bool = False  # anchored (20.4.2.3), not inline
    height: float = 0.0  # points; of inline drawings only
    embedded: str = ""  # file name of the embedded object whose preview it is


EmbeddedObject = EquationObject | DrawingObject


class Restart(Enum):
    """Where the numbers of notes restart (17.18.58)."""

    NOWHERE = "continuous"
    SECTION = "eachSect"
    PAGE = "eachPage"


class NoteFormat(NamedTuple):
    """The numbering of notes of one kind in a section (17.11.17, 17.11.20, 17.11.19)."""

    show: Callable[[int], str]
    start: int
    prefix: str = ""
    restart: Restart = Restart.NOWHERE


class NotePlace(NamedTuple):
    """The number of a note, the section of its reference, and the page turns before it."""

    number: int
    section: int
    turns: int


class SectionEnd(NamedTuple):
    """The index of the body element that ends a section, and the properties of the section
    (17.6.18).
    """

    element: int
    properties: etree._Element


@dataclass(slots=True)
class Field:
    """An open complex field (17.16.18)."""

    closes: bool  # False: it has no end mark, and ends with its paragraph
    in_code: bool = True
    code: str = ""
    is_toc: bool = False
    choice: str = ""  # the selected entry of a form list
    # the raw text of the paragraph, and the index at which the result begins
    begun: tuple[Out, int] | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """The values that are constant while a part is read."""

    package: Package
    part: str  # the part being read, whose relationships are used
    styles: Styles
    numbering: Numbering
    options: ParseOptions
    marks: Marks
    # by section; the last one applies to all later sections
    note_formats: Mapping[NoteKind, Sequence[NoteFormat]]
    source: str = ""  # of a document inside the document: the part that has it

    def inside(self, identifier: str | None) -> str | None:
        """Return the part that a relationship of the current part leads to, or None."""
        related = self.package.relationships(self.part).get(identifier or "")
        return None if related is None else related.part

    def outside(self, identifier: str | None) -> str:
        """Return the external address that a relationship of the current part leads to, or "". It
        is never fetched.
        """
        related = self.package.relationships(self.part).get(identifier or "")
        return related.target if related is not None and related.external else ""


@dataclass(slots=True)
class DocumentState:
    """The totals over all stories of a document, and the position of the reader."""

    counters: Counters
    field_numbers: FieldNumbers = field(init=False)
    # the same of the text boxes, which are a story of their own
    box_numbers: tuple[Counters, FieldNumbers] = field(init=False)
    issues: list[Issue] = field(default_factory=list)
    reported: set[object] = field(default_factory=set)  # issues that are reported only once
    objects: list[EmbeddedObject] = field(default_factory=list)
    sections: list[SectionEnd] = field(default_factory=list)
    # of all notes referred to so far, in text order
    note_labels: dict[NoteKey, str] = field(default_factory=dict)
    # the last numbered note of each kind
    last_notes: dict[NoteKind, NotePlace] = field(default_factory=dict)
    # those of documents inside the document
    inner_notes: dict[NoteKey, NoteStory] = field(default_factory=dict)
    sequences: Sequences = field(default_factory=Sequences)  # SEQ fields
    headings: list[int] = field(default_factory=lambda: [0] * 9)  # how many so far, by level
    # by lower-case name, once a field has asked for one
    properties: dict[str, Property] | None = None
    bound: BoundData | None = None  # the values of bound content controls, once there is one
    revisions: RevisionCollector = field(default_factory=RevisionCollector)
    # by lower-case name: the `Paragraph.position` at which each begins
    bookmarks: dict[str, int] = field(default_factory=dict)
    # the `Paragraph.position` of each link to a bookmark, and the name of the bookmark
    references: list[tuple[int, str]] = field(default_factory=list)
    emitted: int = 0  # characters of text
    dropped: Counter[str] = field(default_factory=Counter)  # characters of text, by reason
    imported: int = 0  # characters of the content in separate parts so far; see `Limits.imported`
    # the separate parts, charts and diagrams that have been read; see `State.reads`
    parts_read: set[str] = field(default_factory=set)
    # page turns in the file so far, some of which are there twice: the pages are counted in
    # `reader.pages`
    turns: int = 0
    turns_dropped: int = 0  # page marks in dropped text, which belong to the next paragraph
    toc: int = 0  # number of open tables of contents
    tables: int = 0  # number of tables
    element: int = 0  # index of the current element of the body
    # number of paragraphs and tables of the body so far, empty ones included: the
    # `Paragraph.position` of everything inside the current one
    position: int = 0

    def __post_init__(self) -> None:
        self.count_from(self.counters)

    def count_from(self, counters: Counters) -> None:
        """Continue the numbers of lists and fields from these counters. Those of text boxes begin
        anew.
        """
        self.counters, self.field_numbers = counters, FieldNumbers(counters)
        boxes = counters.anew()
        self.box_numbers = boxes, FieldNumbers(boxes)


@dataclass(slots=True)
class StoryState:
    """The state of the story being read."""

    fields: list[Field] = field(default_factory=list)  # open complex fields
    codes: int = 0  # number of these that are in their code
    muted: str = ""  # the reason to drop the current text; "" if it is shown
    in_cell: int = 0  # depth of nested tables
    is_covered: bool = False  # in a cell that continues the one above it
    is_running: bool = False  # a header or footer, whose page numbers differ on each page

    def inner(self) -> StoryState:
        """Return the state of a story inside this one: fields that are open here do not continue
        there.
        """
        return replace(self, fields=[], codes=0, muted="")


class Properties(NamedTuple):
    """The style of a paragraph, and its properties (w:pPr) after inheritance."""

    style: ParagraphStyle
    layout: ParagraphLayout  # in a table, if the paragraph is in one
    outline: OutlineLevel
    list_level: tuple[str, int] | None  # w:numId and level; None: in no list
    is_caption: bool  # by its style


_KnownProperties = dict["etree._Element | None", Properties]


class CellFormat(NamedTuple):
    """The properties of a cell (w:tcPr) in the view."""

    columns: int = 1  # grid columns (17.4.17)
    continues: bool = False  # the cell above (17.4.85)
    fill: str = ""  # colour of its shading (17.4.32); "": none


@dataclass(slots=True)
class ParagraphState:
    """The state of the open paragraph."""

    in_toc: bool = False  # it is a line of a table of contents
    hides: bool = False  # its style is hidden
    style: ParagraphStyle | None = None
    runs: list[RunLetters] = field(default_factory=list)
    # it has more than text in runs, which may have put marks into the raw text and values into the
    # fields below
    has_marks: bool = False
    has_sequence: bool = False  # it has a SEQ field
    # note marks chosen by the author, which are shown as labels of the notes, not again as text
    custom_marks: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    notes: list[NoteKey] = field(default_factory=list)
    # what has tags of its own, if such tags are asked for
    spans: list[RawSpan] = field(default_factory=list)
    # anchored stories, which are read after it
    boxes: list[etree._Element] = field(default_factory=list)
    after: list[str] = field(default_factory=list)  # texts of its charts and diagrams

    def clear_marks(self) -> None:
        """Forget the links, notes and other marks of the paragraph that ends here."""
        self.has_marks = self.has_sequence = False
        self.custom_marks.clear()
        self.links.clear()
        self.notes.clear()


class SharedProperties:
    """The w:pPr, w:rPr and w:tcPr that several elements of a part share (`Marks.shared`), by their
    references, and what is known about each after it was first read.
    """

    __slots__ = ("cell_formats", "elements", "in_cells", "looks", "paragraphs", "signatures")

    def __init__(self, elements: Mapping[str, etree._Element]) -> None:
        self.elements = elements
        self.signatures: dict[etree._Element, Signature] = {  # of the w:rPr
            properties: run_signature(properties)
            for properties in elements.values()
            if properties.tag == _RPR
        }
        self.looks: dict[tuple[str, etree._Element], Look] = {}  # by paragraph style and w:rPr
        self.cell_formats: dict[etree._Element, CellFormat] = {}
        # of paragraphs with a w:pPr, and without any: outside of tables, and in tables
        self.paragraphs: _KnownProperties = {}
        self.in_cells: _KnownProperties = {}


@dataclass(slots=True)
class State:
    """The context that is passed from element to element: the environment, and the states of
    document, story and paragraph.
    """

    env: Environment
    document: DocumentState
    story: StoryState = field(default_factory=StoryState)
    paragraph: ParagraphState = field(default_factory=ParagraphState)
    has_tags: bool = field(init=False)  # emphasis and links are put between tags
    texts: tuple[str, ...] = field(init=False)  # the elements with text in the view
    gone: frozenset[str] = field(init=False)  # the tracked changes that are not in the view
    gone_reason: str = field(init=False)
    shared: SharedProperties = field(init=False)
    has_symbols: bool = field(init=False)  # a run of the part may be in a symbol font

    def __post_init__(self) -> None:
        options = self.env.options
        self.has_tags = options.everything or options.strikethrough is Strikethrough.MARK
        self.gone, self.gone_reason = _GONE[options.track_changes]
        self.texts = (W + "t",) if self.gone is DELETIONS else (W + "t", W + "delText")
        self.shared = SharedProperties(self.env.marks.shared)
        self.turn_to(self.env)

    def turn_to(self, env: Environment) -> None:
        """Continue in another environment, for another part or with other marks."""
        self.env, self.shared.elements = env, env.marks.shared
        self.has_symbols = bool(env.marks.symbols) or env.styles.has_symbol_paragraphs

    @property
    def is_imported(self) -> bool:
        """Whether a document inside the document is read."""
        return self.env.source != ""

    def note_key(self, kind: NoteKind, element: etree._Element) -> NoteKey:
        """Return the key of the note or comment that the element is, or refers to (w:id)."""
        identifier, source = element.get(W + "id", ""), self.env.source
        return NoteKey(kind, f"{source}#{identifier}" if source else identifier)

    def shared_properties(self, element: etree._Element) -> etree._Element | None:
        """Return the w:pPr, w:rPr or w:tcPr that a paragraph, run or cell refers to; None if it has
        its own or none.
        """
        reference = element.get(REFERENCE)
        return None if reference is None else self.shared.elements.get(reference)

    def is_joined(self, paragraph: etree._Element) -> bool:
        """Return whether a paragraph continues in the next one."""
        joined = self.env.marks.joined
        return bool(joined) and (paragraph in joined or self.properties_of(paragraph) in joined)

    def properties_of(self, paragraph: etree._Element) -> etree._Element | None:
        """Return the w:pPr of a paragraph, its own or a shared one; None if it has none. If it has
        several, the last one counts.
        """
        own = next(paragraph.iterchildren(_PPR, reversed=True), None)
        return self.shared_properties(paragraph) if own is None else own

    def run_properties(self, run: etree._Element) -> etree._Element | None:
        """Return the w:rPr of a run, its own or a shared one; None if it has none."""
        shared = self.shared_properties(run)
        return next(run.iterchildren(_RPR), None) if shared is None else shared

    def mute(self) -> None:
        """Set the reason for which the text that follows is dropped, if any: it is in a field code,
        or in a paragraph with a hidden style.
        """
        story = self.story
        story.muted = (
            Dropped.FIELD_CODE if story.codes else Dropped.HIDDEN if self.paragraph.hides else ""
        )

    def drop(self, reason: str, element: etree._Element) -> None:
        """Count the text below an element as dropped. Text of tracked changes that are not in the
        view counts for the layout of pages.
        """
        if count := letters(element):
            self.document.dropped[reason] += count
        if reason in _TRACKED:
            self.document.turns_dropped += sum(1 for _ in element.iter(_RENDERED))

    def skip(self, element: etree._Element) -> None:
        """Skip properties or a mark, which have no visible content; what is in it is dropped."""
        if len(element):
            self.drop(Dropped.MISPLACED, element)

    def begin_bookmark(self, element: etree._Element, position: int) -> None:
        """Record w:bookmarkStart (17.13.6.2)."""
        self.document.bookmarks.setdefault(element.get(W + "name", "").lower(), position)
        self.skip(element)

    def drops(self, element: etree._Element) -> bool:
        """Return whether an element is a tracked change that is not in the view. Count its text as
        dropped then.
        """
        if element.tag not in self.gone:
            return False
        self.drop(self.gone_reason, element)
        return True

    def turn_page(self, out: Out, mark: str) -> None:
        """Append TURN or PAGE_BREAK to the raw text."""
        self.document.turns += 1
        out.append(mark)

    def put_dropped_turns(self, out: Out) -> None:
        """Append the page marks of the text that was dropped."""
        while self.document.turns_dropped:
            self.document.turns_dropped -= 1
            self.turn_page(out, TURN)

    def end_section(self, element: etree._Element) -> None:
        """Read w:sectPr (17.6.18): a section ends here, unless it is one of a document inside the
        document.
        """
        if not self.is_imported:
            self.document.sections.append(SectionEnd(self.document.element, element))
        self.drop(Dropped.MISPLACED, element)

    def put_object(self, out: Out, value: EmbeddedObject) -> None:
        """Append an equation or drawing to the objects of the document, and its mark to the raw
        text.
        """
        objects = self.document.objects
        out.append(f"{OBJECT}{len(objects)}{OBJECT}")
        objects.append(value)

    def refer_to(self, bookmark: str) -> None:
        """Record a link or cross-reference to a bookmark."""
        self.document.references.append((self.document.position, bookmark.lower()))

    def reads(self, part: str) -> bool:
        """Return whether the content of a part is read here: only where it is first referred to. It
        would otherwise be in the text as often as a small file can refer to it. Anywhere else, that
        is an issue.
        """
        if part in self.document.parts_read:
            self.report_once(
                IssueCode.UNSUPPORTED_OBJECT,
                f"{part} is referred to several times; its content was read where it is first "
                "referred to.",
            )
            return False
        self.document.parts_read.add(part)
        return True

    def report_once(self, code: IssueCode, message: str) -> None:
        """Report an issue unless the same one has been reported."""
        if (code, message) not in self.document.reported:
            self.document.reported.add((code, message))
            self.report(code, message)

    def report(self, code: IssueCode, message: str, part: str | None = None) -> None:
        """Report an issue in this part, by default the one that is read."""
        self.document.issues.append(Issue(code, self.env.part if part is None else part, message))


def read_branch(alternate: etree._Element, state: State) -> Iterator[etree._Element]:
    """Yield the chosen branch, if there is one; count the text of the others as dropped."""
    chosen = chosen_branch(alternate)
    for branch in alternate:
        if branch is not chosen:
            state.drop(Dropped.ALTERNATIVE, branch)
    if chosen is not None:
        yield chosen
