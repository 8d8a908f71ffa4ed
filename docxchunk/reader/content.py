"""Write the content of a block: its lines, with a record for each, and the objects in them.

`OpenBlock` is the block that is being filled; `open_block`, `put_paragraph`, `put_table` and
`put_notes` add to it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from docxchunk.content.roles import roles_of, without_bullet
from docxchunk.content.tags import plain, table_tag
from docxchunk.model.blocks import Line, LineKind, LineRole, Position
from docxchunk.model.document import IssueCode
from docxchunk.model.objects import Drawing, Equation, Note, NoteKind, Table
from docxchunk.model.options import Footnotes, ParseOptions
from docxchunk.ooxml.formatting import is_monospaced
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.ids import object_id
from docxchunk.reader.notes import ReadNote, about_comment
from docxchunk.reader.objects import Captions, TaggedObjects
from docxchunk.reader.pages import Pages, PageStart
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.prescan import NoteKey
from docxchunk.reader.table_headers import NO_HEADER, Header
from docxchunk.reader.table_text import TableText, write_table
from docxchunk.reader.tables import GridTable, Item
from docxchunk.reader.text import (
    OBJECT,
    TURN,
    Show,
    finish,
    finish_cell,
    finish_code,
    is_fleeting,
    lasting,
    objects_in,
    only_objects,
)

_MOST_MARKS = 6  # "#" before a heading
# as in `content.roles`: the members themselves take longer to look up
_HEADING, _LIST = LineKind.HEADING, LineKind.LIST
_TEXT, _NOTE = LineKind.TEXT, LineKind.NOTE
_APPENDIX = re.compile(
    r"(?=[aп附])(?:(?:appendix|annex|anhang|annexe|приложение)(?!\w)|附录|附件)", re.IGNORECASE
)

ReportIssue = Callable[[IssueCode, str], None]
Embedded = Equation | Drawing


@dataclass(frozen=True, slots=True)
class Material:
    """What the blocks are built from, except the items."""

    doc_id: str
    options: ParseOptions
    objects: TaggedObjects
    captions: Captions
    headers: Mapping[int, Header]  # by the ordinal of the table
    notes: Mapping[NoteKey, ReadNote]
    has_code: bool  # paragraphs in a monospaced font are code
    positions: Positions
    # (source, target) of each link, as values of `Paragraph.position`
    references: Sequence[tuple[int, int]]
    report: ReportIssue

    def show(self, index: int) -> str:
        """Return the tag of an object."""
        return self.objects.tags[index]

    def recorded(self, indexes: Iterable[int]) -> list[Embedded]:
        """Return the sidecar records of some objects. Inline equations have none."""
        return [record for k in indexes if (record := self.objects.embedded.get(k)) is not None]


class Positions:
    """Numbers the visible paragraphs of the body.

    Call `of` in reading order, once for each item that becomes a line. Items with the same
    `position`, such as the text boxes of a paragraph, get the same number.
    """

    __slots__ = ("_numbered", "pages")

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self._numbered = [-1]  # the position of each numbered paragraph, from 1

    def number_at(self, position: int, *, before: bool) -> int:
        """Return the number of the paragraph at a position. If it is not visible, return that of
        the next visible paragraph or, with `before`, of the one before it. At the end, return the
        last number.
        """
        last = len(self._numbered) - 1
        number = bisect_left(self._numbered, position)
        if before and (number > last or self._numbered[number] != position):
            number = max(number - 1, 1)
        return min(number, last)

    def of(self, item: Item, start: int = 0) -> tuple[PageStart, int]:
        """Return the page on which an item begins, and the number of its paragraph. `start` is the
        offset of the item in the paragraph. It is 0, except for the text of a clause whose title is
        an item of its own.
        """
        page, is_first = self.pages.of(item.position), item.position != self._numbered[-1]
        if is_first:
            self._numbered.append(item.position)
        if page.turns and start:
            turned = bisect_right(page.turns, start)
            page = page._replace(
                page=page.page + turned, turns=tuple(turn - start for turn in page.turns[turned:])
            )
        elif page.turns and not is_first:  # the text of a text box
            page = page._replace(turns=())
        return page, len(self._numbered) - 1


class PathHeading(NamedTuple):
    """A heading in the path of a block."""

    level: int
    text: str
    bare: str  # without its automatic number
    is_appendix: bool  # or it is below one


class HeadingText(NamedTuple):
    """The text of a heading in its forms."""

    number: str  # automatic; "" without one
    text: str
    line: str  # as in the content of the block
    bare: str  # as a line, without the automatic number


@dataclass(slots=True)
class OpenBlock:
    """The block being filled."""

    path: tuple[PathHeading, ...] = ()
    outline: OutlineLevel = BODY
    number: str | None = None
    toc: bool = False
    lines: list[str] = field(default_factory=list)
    bare: list[str] = field(default_factory=list)  # the lines without automatic labels
    records: list[Line] = field(default_factory=list)
    # each note with the line that refers to it
    notes: list[tuple[NoteKey, Line]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    embedded: list[Embedded] = field(default_factory=list)
    last: str | None = None  # paraId of the last paragraph
    begins_at: int = 0  # `Paragraph.position` of the first item

    @property
    def has_heading(self) -> bool:
        return self.records[0].kind is _HEADING

    @property
    def is_heading_only(self) -> bool:
        return len(self.records) == 1 and self.has_heading

    def put(self, text: str, bare: str, record: Line, last: str | None = None) -> None:
        """Add a paragraph or table. `last` is the paraId of its last paragraph, if it has several
        (a table). `record.turns` are offsets in the whole text.
        """
        if record.kind is not _NOTE:
            self.last = last or record.para_id
        self.lines.append(text)
        self.bare.append(bare)
        if "\n" in text:
            self.records += _records_of_lines(text, record)
        else:
            self.records.append(record)

    def put_objects(self, item: Paragraph, line: Line, material: Material) -> None:
        """Add the equations, drawings and notes of a paragraph."""
        self.notes += [(key, line) for key in item.notes]
        if OBJECT in item.raw:  # only for speed
            self.embedded += material.recorded(objects_in(item.raw))

    @property
    def position(self) -> Position:
        first = self.records[0]
        last = next(line for line in reversed(self.records) if line.kind is not _NOTE)
        return Position(
            first.para_id,
            self.last,
            (first.element or 0, last.element or 0),
            (first.paragraph or 0, last.paragraph or 0),
        )


def _records_of_lines(text: str, record: Line) -> Iterator[Line]:
    """Yield a record for each line of a paragraph; a line begins on the page of its first
    character.
    """
    start, number = 0, record.number
    for line in text.split("\n"):
        end = start + len(line)
        turned = bisect_right(record.turns, start)
        page = None if record.page is None else record.page + turned
        inside = record.turns[turned : bisect_left(record.turns, end)]
        yield record._replace(
            number=number,
            page=page,
            turns=tuple(turn - start for turn in inside),
            roles=roles_of(
                record.kind, line, bold=record.bold, caption=LineRole.CAPTION in record.roles
            ),
        )
        start, number = end + 1, None


def is_number(label: str) -> bool:
    """Return whether an automatic label is a number, and no bullet."""
    return any(map(str.isalnum, label))


def open_block(
    item: Paragraph, path: tuple[PathHeading, ...], heading: HeadingText, material: Material
) -> OpenBlock:
    """Return a block that has only its heading line."""
    level = item.outline.level
    above = tuple([h for h in path if h.level < level])
    text, bare = without_bullet(heading.text), without_bullet(plain(heading.bare))
    is_appendix = (
        (bool(above) and above[-1].is_appendix)
        or _APPENDIX.match(bare) is not None
        or (text != bare and _APPENDIX.match(text) is not None)
    )
    opened = OpenBlock(
        (*above, PathHeading(level, text, bare, is_appendix)),
        item.outline,
        heading.number if is_number(heading.number) else None,
        begins_at=item.position,
    )
    marks = "#" * min(level, _MOST_MARKS)
    line = f"{marks} {heading.line}"
    opened.put(
        line,
        f"{marks} {heading.bare}",
        _record(_HEADING, item, heading.number or None, line, finish_cell, material),
    )
    return opened


def put_paragraph(opened: OpenBlock, item: Paragraph, material: Material) -> None:
    """Add a paragraph to the block, unless it has no text."""
    raw, write = item.tagged(), finish_code if _is_code(item, material) else finish
    text = write(raw, material.show)
    if not text:
        return
    # if the text has nothing fleeting, it is the same: only for speed
    bare = write(lasting(raw), material.show) if is_fleeting(raw) else text
    label, gap = label_of(item, material) if item.label else ("", "")
    line = f"{label}{gap}{text}" if label else text
    record = _record(_kind(item, material), item, label or None, line, write, material)
    opened.put(line, bare, record)
    opened.put_objects(item, record, material)


def _is_code(item: Paragraph, material: Material) -> bool:
    """Return whether a paragraph is code, in which the blanks at the start of a line count."""
    return (
        item.look is not None
        and is_monospaced(item.look.font)
        and material.has_code
        and not item.label
    )


def label_of(item: Paragraph, material: Material) -> tuple[str, str]:
    """Return the automatic number or bullet, and the gap between it and the text (w:suff,
    17.9.28).
    """
    return finish_cell(item.label, material.show), " " if item.label.endswith(" ") else ""


def _kind(item: Paragraph, material: Material) -> LineKind:
    if OBJECT in item.raw and only_objects(item.raw):  # the first is for speed
        return (
            LineKind.EQUATION
            if all(
                isinstance(material.objects.embedded.get(k), Equation) for k in objects_in(item.raw)
            )
            else LineKind.DRAWING
        )
    return _LIST if item.depth >= 0 else _TEXT


def _record(  # noqa: PLR0913, PLR0917 - called for every line
    kind: LineKind,
    item: Paragraph,
    number: str | None,
    text: str,
    write: Callable[[str, Show], str],
    material: Material,
) -> Line:
    """Return the record of the line `text` of a paragraph. `write` writes raw text for the line,
    without a label.
    """
    start, paragraph = material.positions.of(item, item.start)
    page, turns = start.page, tuple[int, ...]()
    if start.turns:
        written = write(item.tagged(), material.show)
        marked = write(item.tagged(_visible_turns(item.raw, start.turns)), material.show)
        turns = _turns(marked, len(text) - len(written), len(text))
        # the page of the line is the page of its first visible character
        passed = bisect_right(turns, len(text) - len(written.lstrip()))
        page, turns = page + passed, turns[passed:]
    is_heading = kind is _HEADING
    return Line(
        kind,
        item.para_id,
        item.style.name or None,
        number,
        0 if is_heading else max(item.depth, 0),
        item.bold and not is_heading,
        page,
        item.links,
        item.element,
        paragraph,
        start.is_estimate,
        turns,
        ()
        if is_heading
        else roles_of(
            kind, text, bold=item.bold, caption=item.is_caption, headline=item.is_headline
        ),
    )


def _visible_turns(raw: str, turns: Sequence[int]) -> list[int]:
    """Return, for each page that begins in a raw text, the offset of its first visible
    character.
    """
    pages = pairwise((*turns, len(raw)))
    return [len(raw[:end]) - len(raw[start:end].lstrip()) for start, end in pages]


def _turns(marked: str, start: int, end: int) -> tuple[int, ...]:
    """Return the offsets in a content line at which pages begin. `marked` is the text from `start`
    to `end`, with the marks of the page turns.
    """
    offsets = accumulate(map(len, marked.split(TURN)[:-1]), initial=start)
    return tuple(at for at in islice(offsets, 1, None) if at < end)


def put_table(opened: OpenBlock, item: GridTable, material: Material) -> None:
    page, paragraph = material.positions.of(item)
    record = Line(
        LineKind.TABLE,
        next((row.para_id for row in item.rows if row.para_id), None),
        page=page.page,
        element=item.element,
        paragraph=paragraph,
        page_is_estimate=page.is_estimate,
        roles=(),
    )
    text = _keep_table(opened, item, record, material)
    tag = table_tag(object_id("tb", material.doc_id, item.ordinal), text.format, text.content)
    inside = [inner for inner in item.paragraphs() if isinstance(inner, Paragraph)]
    opened.put(tag, text.stable, record, inside[-1].para_id if inside else None)


def _keep_table(opened: OpenBlock, item: GridTable, line: Line, material: Material) -> TableText:
    """Collect the table, the objects in its cells and its nested tables. Return its text."""
    header = material.headers.get(item.ordinal, NO_HEADER)
    text = write_table(item, header.rows, material.show)
    pages = material.positions.pages.of_rows(item)
    inner = [t for t in item.paragraphs() if isinstance(t, GridTable)]
    opened.tables.append(
        Table(
            id=object_id("tb", material.doc_id, item.ordinal),
            block_id="",
            heading="",
            parent_headings=(),
            row_count=len(item.rows),
            column_count=item.columns,
            format=text.format,
            content=text.content,
            header=text.header if header.is_marked else None,
            header_guess=None if header.is_marked else text.header,
            header_confidence=header.confidence,
            header_signals=header.signals,
            header_columns=header.columns,
            caption=material.captions.tables.get(item.ordinal, "") or item.caption,
            merged=item.merged(),
            nested=tuple(object_id("tb", material.doc_id, t.ordinal) for t in inner),
            para_ids=tuple(row.para_id for row in item.rows),
            pages=pages.pages,
            page_is_estimate=pages.is_estimate,
        )
    )
    for inside in item.paragraphs():
        if isinstance(inside, GridTable):
            _keep_table(opened, inside, line, material)
        else:
            opened.put_objects(inside, line, material)
    return text


def put_notes(
    opened: OpenBlock, material: Material, earlier: Mapping[NoteKey, Note]
) -> dict[NoteKey, Note]:
    """Add the notes that no earlier block refers to; return them."""
    fresh: dict[NoteKey, Line] = {}
    for key, line in opened.notes:
        if key in material.notes and key not in earlier:
            fresh.setdefault(key, line)
    for key, line in fresh.items():
        note, objects = material.notes[key]
        opened.embedded += material.recorded(objects)
        if material.options.footnotes is Footnotes.INLINE:
            # a note has the position of the line that refers to it
            record = line._replace(
                kind=_NOTE,
                style=None,
                number=None,
                depth=0,
                bold=False,
                links=(),
                turns=(),
                roles=(),
            )
            about = ""
            if material.options.everything and note.kind is NoteKind.COMMENT:
                about = about_comment(note, material.notes)
            opened.put(f"[^{note.number}]: {about}{note.text}".rstrip(), note.text, record)
    return {key: material.notes[key].note for key in fresh}
