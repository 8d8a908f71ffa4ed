"""What a walk over a story knows: a read-only environment, and the tiny state that crosses elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from lxml import etree

from docxchunk.model.issues import Issue, IssueCode
from docxchunk.model.objects import DrawingKind, NoteKind
from docxchunk.model.options import ParseOptions
from docxchunk.ooxml.names import M, W
from docxchunk.ooxml.number_fields import FieldNumbers
from docxchunk.ooxml.numbering import Counters, Numbering
from docxchunk.ooxml.package import Package
from docxchunk.ooxml.styles import ParagraphStyle, Styles
from docxchunk.reader.prescan import Marks, NoteKey, Shown

Out = list[str]  # pieces of raw text

# Inside raw text these characters, which XML cannot hold (XML 1.0, 2.2), stand for what we put in; `text.finish` writes them out.
BREAK = "\x0b"  # a line break
OPEN = "\x01"  # "<" of a tag of ours
OBJECT = "\x02"  # OBJECT index OBJECT: an equation or a drawing
NOTE = "\x05"  # "[^" of a note's mark
NUMBER = "\x06"  # NUMBER text NUMBER: a number that a field counts; its code, until the paragraph is whole


class Dropped:
    """Why text of the package does not stand in the output: the closed list of `report.json`."""

    DELETED = "deleted text"
    INSERTED = "inserted text"  # in the original view
    HIDDEN = "hidden text"
    STRUCK = "struck-through text"  # where it is not wanted
    FIELD_CODE = "field code"
    ALTERNATIVE = "alternative content"
    COMMENT = "comment"
    HEADER_FOOTER = "header or footer"
    BLANKS = "insignificant blanks"  # at the ends of a text without xml:space="preserve"
    MISPLACED = "text out of place"  # where Word shows none: among the properties of a section, say
    NOTE_UNUSED = "note without a reference"


class EquationObject(NamedTuple):
    latex: str


class DrawingObject(NamedTuple):
    kind: DrawingKind
    format: str
    asset: str  # file name below the assets folder, "" where there is none
    src: str
    alt: str
    name: str
    data: tuple[tuple[str, ...], ...] = ()
    floats: bool = False  # over the page, not in the line (20.4.2.3)
    height: float = 0.0  # in points, of one that stands in the line
    embedded: str = ""  # the name of the file that it shows


EmbeddedObject = EquationObject | DrawingObject


class Restart(Enum):
    """Where numbers of notes begin anew (17.18.58)."""

    NOWHERE = "continuous"
    SECTION = "eachSect"
    PAGE = "eachPage"


class NoteFormat(NamedTuple):
    """How notes of a kind are numbered in a section (17.11.17, 17.11.20, 17.11.19)."""

    show: Callable[[int], str]
    start: int
    prefix: str = ""
    restart: Restart = Restart.NOWHERE


class NotePlace(NamedTuple):
    """The number of a note, and where the text refers to it."""

    number: int
    section: int
    page: int


class Section(NamedTuple):
    """A section ends with this body element (17.6.18)."""

    element: int
    properties: etree._Element


@dataclass(slots=True)
class CommentRange:
    """An open range of text that a comment is about (17.13.4.4)."""

    begun: tuple[Out, int] | None = None  # the pieces of raw text of its first paragraph, and where among them it begins; None: with a paragraph
    paragraphs: list[str] = field(default_factory=list)  # raw text of those that have ended

    def take(self, out: Out) -> None:
        """The paragraph, or the range in it, ends here."""
        self.paragraphs.append("".join(out[self.begun[1] :] if self.begun is not None and self.begun[0] is out else out))
        self.begun = None


@dataclass(slots=True)
class Field:
    """An open complex field (17.16.18): its code is read, then its result."""

    closes: bool  # False: it has no end, and is open to doubt beyond its paragraph
    in_code: bool = True
    code: str = ""
    is_toc: bool = False
    choice: str = ""  # of a form's list
    begun: tuple[Out, int] | None = None  # the pieces of raw text, and where among them its result begins


@dataclass(frozen=True, slots=True)
class Environment:
    """What does not change while a document is read."""

    package: Package
    part: str  # the part being read: relationships are looked up there
    styles: Styles
    numbering: Numbering
    options: ParseOptions
    marks: Marks
    note_formats: Mapping[NoteKind, Sequence[NoteFormat]]  # of each section; the last one is that of all that follow

    def inside(self, identifier: str | None) -> str | None:
        """The part that a relationship of the part being read leads to; None where there is none."""
        found = self.package.relationships(self.part).get(identifier or "")
        return None if found is None else found.part

    def outside(self, identifier: str | None) -> str:
        """The address outside the package that a relationship leads to, never fetched; "" where there is none."""
        found = self.package.relationships(self.part).get(identifier or "")
        return found.target if found is not None and found.external else ""


@dataclass(slots=True)
class Flow:
    """What one element hands to the next."""

    env: Environment
    counters: Counters
    issues: list[Issue]
    default_style: ParagraphStyle
    marked: Mapping[etree._Element, Shown] = field(default_factory=dict)  # of the environment, one step nearer: it is asked of every run

    # of the document, in all its stories
    objects: list[EmbeddedObject] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    note_labels: dict[NoteKey, str] = field(default_factory=dict)  # of all notes that the text has referred to, in order
    bookmarks: dict[str, int] = field(default_factory=dict)  # by their names in lower case: the `place` at which each begins
    references: list[tuple[int, str]] = field(default_factory=list)  # to bookmarks, each with its own `place`
    anchors: dict[str, str] = field(default_factory=dict)  # raw text that comments are about, by their ids
    last_notes: dict[NoteKind, NotePlace] = field(default_factory=dict)  # that have a number
    lists: dict[tuple[str | None, str | None, str], tuple[str, int] | None] = field(default_factory=dict)  # answers to "which list, which level"
    dropped: Counter[str] = field(default_factory=Counter)
    emitted: int = 0
    reported: set[object] = field(default_factory=set)  # what is said only once
    page: int = 1
    turn_page: bool = False  # the next paragraph begins a page
    toc: int = 0  # open tables of contents
    tables: int = 0
    element: int = 0  # of the body element being read
    place: int = 0  # of the body's paragraphs and tables, empty ones too, so many have begun: what stands inside the last one has the same
    field_numbers: FieldNumbers = field(init=False)
    is_imported: bool = False  # the story of a document inside the document

    # of the story being read
    fields: list[Field] = field(default_factory=list)
    ranges: dict[str, CommentRange] = field(default_factory=dict)  # by the ids of their comments, where comments are read
    muted: str = ""  # why text is not shown just now
    in_cell: int = 0

    # of the open paragraph
    in_toc: bool = False  # it is a line of a table of contents
    first_page: int = 1  # that it has text on
    hides: bool = False  # its style does
    runs: list[tuple[etree._Element | None, int]] = field(default_factory=list)  # its runs that have text: their w:rPr, and how many letters
    is_simple: bool = True  # all its text is in runs that stand in it directly, with nothing inside them
    has_sequence: bool = False  # a SEQ field stands in it
    custom_mark: str = ""  # of a note: shown as its label, not again as text
    links: list[str] = field(default_factory=list)
    notes: list[NoteKey] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)  # stories anchored in it, read after it
    after: list[str] = field(default_factory=list)  # texts of its charts and diagrams

    def __post_init__(self) -> None:
        self.count_from(self.counters)

    def count_from(self, counters: Counters) -> None:
        """Lists and fields go on from these numbers."""
        self.counters, self.field_numbers = counters, FieldNumbers(counters)

    def turn_to(self, env: Environment) -> None:
        """What comes next is read in another part, or with other marks."""
        self.env, self.marked = env, env.marks.runs

    def open_paragraph(self) -> None:
        """A paragraph begins: on which page, and whether in a table of contents."""
        if self.turn_page:
            self.page, self.turn_page = self.page + 1, False
        self.first_page = self.page
        self.in_toc = self.toc > 0
        self.runs, self.is_simple = [], True

    def mute(self) -> None:
        """Say why text is not shown from here on: in the code of a field, or in a paragraph whose style hides."""
        self.muted = Dropped.FIELD_CODE if any(field.in_code for field in self.fields) else Dropped.HIDDEN if self.hides else ""

    def drop(self, reason: str, element: etree._Element) -> None:
        """Account for the text below an element that is not read."""
        if count := letters(element):
            self.dropped[reason] += count

    def refer_to(self, bookmark: str) -> None:
        """A link or cross-reference to a bookmark stands here."""
        self.references.append((self.place, bookmark.lower()))

    def note_number(self, kind: NoteKind) -> str:
        """The number of the next note of that kind."""
        section = len(self.sections) - (bool(self.sections) and self.sections[-1].element == self.element)
        formats = self.env.note_formats[kind]
        form = formats[min(section, len(formats) - 1)]
        if form.restart is Restart.PAGE and not self.env.marks.rendered_breaks:
            self.report_once(
                IssueCode.NUMBER_UNKNOWN, "Notes are numbered anew on each page, and Word has not marked where pages begin: some numbers may be wrong."
            )
        last = self.last_notes.get(kind)
        anew = last is None or (form.restart is Restart.SECTION and last.section != section) or (form.restart is Restart.PAGE and last.page != self.page)
        number = form.start if anew or last is None else last.number + 1
        self.last_notes[kind] = NotePlace(number, section, self.page)
        return form.prefix + form.show(number)

    def report_once(self, code: IssueCode, message: str) -> None:
        """What would only tire if it were said of every element."""
        if (code, message) not in self.reported:
            self.reported.add((code, message))
            self.report(code, message)

    def report(self, code: IssueCode, message: str, place: str | None = None) -> None:
        self.issues.append(Issue(code, self.env.part if place is None else place, message))


_TEXT_TAGS = (W + "t", W + "delText", M + "t", W + "instrText", W + "delInstrText")


def letters(element: etree._Element) -> int:
    """Characters of text at any depth."""
    if not etree.tostring(element, encoding="unicode", method="text", with_tail=False):  # so it is with most, and this is the quick way to tell
        return 0
    return sum(len(text.text) for text in element.iter(*_TEXT_TAGS) if text.text)
