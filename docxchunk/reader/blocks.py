"""Build blocks from items: one block per heading, with the content below it
(docs/design/blocks-and-files.md).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from docxchunk.markup.tags import plain, table_tag
from docxchunk.model.blocks import Block, HeadingSource, Line, LineKind, Position, SessionType
from docxchunk.model.issues import IssueCode
from docxchunk.model.objects import Drawing, Equation, Note, Table
from docxchunk.ooxml.styles import BODY, OutlineLevel
from docxchunk.reader.block_ids import BlockIds, object_id
from docxchunk.reader.captions import Captions
from docxchunk.reader.flow import OBJECT, TURN
from docxchunk.reader.headings.clauses import CLAUSE_CONFIDENCE
from docxchunk.reader.headings.contents import is_contents
from docxchunk.reader.headings.lines import LONGEST_HEADING
from docxchunk.reader.notes import ReadNote
from docxchunk.reader.pages import Pages
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.positions import Places
from docxchunk.reader.prescan import NoteKey
from docxchunk.reader.table_headers import NO_HEADER, Header
from docxchunk.reader.table_text import TableText, write_table
from docxchunk.reader.tables import GridTable, Item
from docxchunk.reader.text import (
    finish,
    finish_cell,
    is_fleeting,
    lasting,
    objects_in,
    only_objects,
    without_notes,
)

_TITLE_END = " .:。：．–—―-"  # of a clause
LONGEST_TITLE = 40  # of a table of contents
_SAYS_MORE = re.compile(r"[.:;,。：；，]")
_MOST_MARKS = 6
_REFERENCES = re.compile(
    r"(?:references|bibliography|works cited|literatur(?:verzeichnis)?"
    r"|参考文献|список литературы)\s*",
    re.IGNORECASE,
)
_APPENDIX = re.compile(
    r"(?:appendix|annex|anhang|annexe|приложение)(?!\w)|附录|附件", re.IGNORECASE
)

Report = Callable[[IssueCode, str], None]
Embedded = Equation | Drawing


class Content(NamedTuple):
    """The blocks of a document and the objects that their tags refer to."""

    blocks: tuple[Block, ...]
    tables: dict[str, Table]
    equations: dict[str, Equation]
    drawings: dict[str, Drawing]
    notes: tuple[Note, ...]
    # block id of an inferred heading -> the signals in its favour
    guesses: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Material:
    """The inputs of `build_blocks`, except the items."""

    doc_id: str
    tags: Sequence[str]  # the tag of each embedded object, by its index
    embedded: Mapping[int, Embedded]  # the objects that have a sidecar record, by the same index
    captions: Captions
    headers: Mapping[int, Header]  # by the ordinal of the table
    notes: Mapping[NoteKey, ReadNote]
    notes_inline: bool
    places: Places
    pages: Pages
    # (source, target) of each link, as values of `Paragraph.place`
    references: Sequence[tuple[int, int]]
    clause_numbers: bool  # infer headings from the numbers of overlong headings
    report: Report

    def show(self, index: int) -> str:
        return self.tags[index]


class _PathHeading(NamedTuple):
    level: int
    text: str
    bare: str  # without its automatic number
    is_appendix: bool


class _HeadingText(NamedTuple):
    """The text of a heading in its forms."""

    number: str  # automatic; "" without one
    text: str
    line: str  # as in the content of the block
    bare: str  # as a line, without the automatic number


@dataclass(slots=True)
class _OpenBlock:
    """The block being filled."""

    path: tuple[_PathHeading, ...] = ()
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
    place: int = 0  # `Paragraph.place` of the first item

    @property
    def is_heading_only(self) -> bool:
        return len(self.records) == 1 and self.records[0].kind is LineKind.HEADING

    def put(self, text: str, bare: str, record: Line, last: str | None = None) -> None:
        """Add a paragraph or table. `last` is the paraId of its last paragraph, if it has several
        (a table). `record.turns` are offsets in the whole text.
        """
        if record.kind is not LineKind.NOTE:
            self.last = last or record.para_id
        self.lines.append(text)
        self.bare.append(bare)
        if "\n" in text:
            self.records += _records_of_lines(text, record)
        else:
            self.records.append(record)

    @property
    def position(self) -> Position:
        first, last = self.records[0], self.records[-1]
        if last.kind is LineKind.NOTE:
            last = next(
                record for record in reversed(self.records) if record.kind is not LineKind.NOTE
            )
        return Position(
            first.para_id,
            self.last,
            _range(first.element, last.element),
            _range(first.paragraph, last.paragraph),
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
            number=number, page=page, turns=tuple(turn - start for turn in inside)
        )
        start, number = end + 1, None


def build_blocks(items: Sequence[Item], material: Material) -> Content:
    """Return the blocks and objects of a document, from its items in reading order.

    Problems (empty or overlong headings) go to `material.report`.
    """
    content = Content((), {}, {}, {}, (), {})
    ids = BlockIds(material.doc_id)
    blocks: list[Block] = []
    places: list[int] = []
    notes: dict[NoteKey, Note] = {}
    for opened in _filled(items, material):
        block = _block(opened, ids, material, notes)
        blocks.append(block)
        places.append(opened.place)
        _store_objects(opened, block, content)
    if not any(block.level for block in blocks):
        blocks = [
            replace(b, session_type=SessionType.BODY)
            if b.session_type is SessionType.PREFACE
            else b
            for b in blocks
        ]
    if material.references:
        blocks = _linked(blocks, places, material.references)
    unused = (note for key, (note, _) in material.notes.items() if key not in notes)
    return content._replace(blocks=tuple(blocks), notes=(*notes.values(), *unused))


def _linked(
    blocks: list[Block], places: list[int], references: Iterable[tuple[int, int]]
) -> list[Block]:
    """Return the blocks with `refers_to` set. `places` holds the `Paragraph.place` at which each
    block begins, in order.
    """
    targets: dict[int, dict[str, None]] = {}
    for source, target in references:
        here, there = bisect_right(places, source) - 1, bisect_right(places, target) - 1
        if here != there and min(here, there) >= 0:
            targets.setdefault(here, {})[blocks[there].id] = None
    return [
        replace(block, refers_to=tuple(targets[i])) if i in targets else block
        for i, block in enumerate(blocks)
    ]


def _filled(items: Sequence[Item], material: Material) -> Iterator[_OpenBlock]:
    """Group the items into blocks; yield each block when it is complete."""
    opened = section = _OpenBlock()
    for item in _with_contents_titles(items):
        if isinstance(item, GridTable):
            _put_table(opened, item, material)
            continue
        # a clause without a title shows its number
        if not item.is_title and (not item.raw or item.raw.isspace()):
            if item.outline.level:
                material.report(
                    IssueCode.HEADING_EMPTY, "A heading has no text; it opens no block."
                )
            continue
        if item.outline.level and (heading := _as_heading(item, section.path, material)):
            if opened.records:
                yield opened
            opened = section = heading
        else:
            if item.is_toc != opened.toc:
                if opened.records and not (item.is_toc and opened.is_heading_only):
                    yield opened
                    opened = (
                        _OpenBlock(place=item.place)
                        if item.is_toc
                        else _OpenBlock(
                            section.path, section.outline, section.number, place=item.place
                        )
                    )
                opened.toc = item.is_toc
            _put_paragraph(opened, item, material)
    if opened.records:
        yield opened


def _with_contents_titles(items: Sequence[Item]) -> Iterable[Item]:
    """Return the items; a short line right before a table of contents is marked as part of it:
    "Contents", "List of figures".
    """
    has_contents = any(isinstance(item, Paragraph) and item.is_toc for item in items)
    return _marked_contents_titles(items) if has_contents else items


def _marked_contents_titles(items: Iterable[Item]) -> Iterator[Item]:
    held: Paragraph | None = None
    for item in items:
        if (
            isinstance(item, Paragraph)
            and not item.is_title
            and (not item.raw or item.raw.isspace())
        ):
            yield item
            continue
        if held is not None:
            yield (
                held._replace(is_toc=True) if isinstance(item, Paragraph) and item.is_toc else held
            )
        held = item if isinstance(item, Paragraph) and _may_be_title(item) else None
        if held is None:
            yield item
    if held is not None:
        yield held


def _may_be_title(item: Paragraph) -> bool:
    if (
        len(item.raw) > LONGEST_TITLE
        or item.is_toc
        or item.outline.level
        or item.label
        or OBJECT in item.raw
    ):
        return False
    return not _SAYS_MORE.search(item.raw)


def _as_heading(
    item: Paragraph, path: tuple[_PathHeading, ...], material: Material
) -> _OpenBlock | None:
    """Open a block if the paragraph can be a heading: it has text, and is not a line of a table of
    contents.

    An overlong paragraph is body text. If it has an automatic number, the number is the inferred
    heading of a block with this text.
    """
    text = bare = line = finish_cell(item.raw, material.show)
    if is_fleeting(item.raw):
        text, bare = (
            finish_cell(without_notes(item.raw), material.show),
            finish_cell(lasting(item.raw), material.show),
        )
    text = plain(text)
    if item.is_toc or not (text or item.is_title):
        return None
    label, gap = _label(item, material) if item.label else ("", "")
    if item.is_title:
        text, gap = text.rstrip(_TITLE_END), gap if text else ""
    if len(text) > LONGEST_HEADING:
        material.report(
            IssueCode.HEADING_TOO_LONG,
            f"A paragraph of heading level {item.outline.level} has {len(text)} "
            f"characters; it was read as body text ({text[:40]!r}).",
        )
        if not material.clause_numbers or not any(map(str.isalnum, label)):
            return None
        inferred = OutlineLevel(
            item.outline.level, HeadingSource.GUESS, CLAUSE_CONFIDENCE, ("clause", "heading_level")
        )
        opened = _opened(
            item._replace(raw="", links=(), outline=inferred),
            path,
            _HeadingText(label, label, label, ""),
            material,
        )
        _put_paragraph(opened, item._replace(label="", depth=-1), material)
        return opened
    opened = _opened(
        item,
        path,
        _HeadingText(label, f"{label}{gap}{text}", f"{label}{gap}{line}", bare),
        material,
    )
    _note_objects(opened, item, opened.records[0], material)
    return opened


def _opened(
    item: Paragraph, path: tuple[_PathHeading, ...], heading: _HeadingText, material: Material
) -> _OpenBlock:
    """Return a block that has only its heading line."""
    level = item.outline.level
    above = tuple(h for h in path if h.level < level)
    number = heading.number or None
    opened = _OpenBlock(
        (*above, _heading(level, heading.text, plain(heading.bare))),
        item.outline,
        number,
        place=item.place,
    )
    marks = "#" * min(level, _MOST_MARKS)
    page, element, paragraph = material.places.of(item, item.start)
    turns: tuple[int, ...] = ()
    if page.turns:
        end = len(marks) + 1 + len(heading.line)
        turns = _turns(
            finish_cell(_with_turns(item.raw, page.turns), material.show),
            end - len(finish_cell(item.raw, material.show)),
            end,
        )
    record = Line(
        LineKind.HEADING,
        item.para_id,
        item.style.name or None,
        number,
        0,
        False,
        page.page,
        item.links,
        element,
        paragraph,
        page.is_estimate,
        turns,
    )
    opened.put(f"{marks} {heading.line}", f"{marks} {heading.bare}", record)
    return opened


def _heading(level: int, text: str, bare: str) -> _PathHeading:
    return _PathHeading(
        level,
        text,
        bare,
        is_appendix=_APPENDIX.match(bare) is not None
        or (text != bare and _APPENDIX.match(text) is not None),
    )


def _put_paragraph(opened: _OpenBlock, item: Paragraph, material: Material) -> None:
    text = finish(item.raw, material.show)
    if not text:
        return
    bare = finish(lasting(item.raw), material.show) if is_fleeting(item.raw) else text
    label, gap = _label(item, material) if item.label else ("", "")
    page, element, paragraph = material.places.of(item, item.start)
    whole = f"{label}{gap}{text}" if label else text
    record = Line(
        _kind(item, material),
        item.para_id,
        item.style.name or None,
        label or None,
        max(item.depth, 0),
        item.bold,
        page.page,
        item.links,
        element,
        paragraph,
        page.is_estimate,
        _turns(
            finish(_with_turns(item.raw, page.turns), material.show),
            len(whole) - len(text),
            len(whole),
        )
        if page.turns
        else (),
    )
    opened.put(whole, bare, record)
    _note_objects(opened, item, record, material)


def _with_turns(raw: str, turns: Sequence[int]) -> str:
    """Return the raw text with a mark before the first character of each page that begins in it."""
    marked = raw[: turns[0]]
    for start, end in pairwise((*turns, None)):
        text = raw[start:end].lstrip()
        marked += raw[start : len(raw[:end]) - len(text)] + TURN + text
    return marked


def _turns(marked: str, start: int, end: int) -> tuple[int, ...]:
    """Return the offsets of page turns in a content line, in which the text with their marks takes
    the place from `start` to `end`.
    """
    places = accumulate(map(len, marked.split(TURN)[:-1]), initial=start)
    return tuple(at for at in islice(places, 1, None) if at < end)


def _label(item: Paragraph, material: Material) -> tuple[str, str]:
    """Return the automatic number or bullet, and the gap between it and the text (w:suff,
    17.9.28).
    """
    return finish_cell(item.label, material.show), " " if item.label.endswith(" ") else ""


def _kind(item: Paragraph, material: Material) -> LineKind:
    if OBJECT in item.raw and only_objects(item.raw):
        return (
            LineKind.EQUATION
            if all(isinstance(material.embedded.get(k), Equation) for k in objects_in(item.raw))
            else LineKind.DRAWING
        )
    return LineKind.LIST if item.depth >= 0 else LineKind.TEXT


def _note_objects(opened: _OpenBlock, item: Paragraph, line: Line, material: Material) -> None:
    """Collect the equations, drawings and notes of a paragraph."""
    if item.notes:
        opened.notes += [(key, line) for key in item.notes]
    if OBJECT in item.raw:
        opened.embedded += [
            material.embedded[k] for k in objects_in(item.raw) if k in material.embedded
        ]


def _put_table(opened: _OpenBlock, item: GridTable, material: Material) -> None:
    page, element, paragraph = material.places.of(item)
    first = next((row.para_id for row in item.rows if row.para_id), None)
    record = Line(
        LineKind.TABLE,
        first,
        page=page.page,
        element=element,
        paragraph=paragraph,
        page_is_estimate=page.is_estimate,
    )
    written = _keep_table(opened, item, record, material)
    tag = table_tag(object_id("tb", material.doc_id, item.ordinal), written.format, written.content)
    inside = [paragraph for paragraph in item.paragraphs() if isinstance(paragraph, Paragraph)]
    opened.put(tag, written.stable, record, inside[-1].para_id if inside else None)


def _keep_table(opened: _OpenBlock, item: GridTable, line: Line, material: Material) -> TableText:
    """Collect the table, the objects in its cells and nested tables; return the text of the
    table.
    """
    header = material.headers.get(item.ordinal, NO_HEADER)
    written = write_table(item, header.rows, material.show)
    pages = material.pages.of_rows(item)
    inner = [t for t in item.paragraphs() if isinstance(t, GridTable)]
    caption = material.captions.tables.get(item.ordinal, "") or item.caption
    opened.tables.append(
        Table(
            id=object_id("tb", material.doc_id, item.ordinal),
            block_id="",
            heading="",
            parent_headings=(),
            row_count=len(item.rows),
            column_count=item.columns,
            format=written.format,
            content=written.content,
            header=written.header if header.is_marked else None,
            header_guess=None if header.is_marked else written.header,
            header_confidence=header.confidence if header.rows and not header.is_marked else None,
            header_signals=header.signals,
            header_columns=header.columns,
            caption=caption,
            merged=item.merged,
            nested=tuple(object_id("tb", material.doc_id, t.ordinal) for t in inner),
            para_ids=tuple(row.para_id for row in item.rows),
            pages=pages.pages,
            page_is_estimate=pages.is_estimate,
        )
    )
    for paragraph in item.paragraphs():
        if isinstance(paragraph, GridTable):
            _keep_table(opened, paragraph, line, material)
        else:
            _note_objects(opened, paragraph, line, material)
    return written


def _block(
    opened: _OpenBlock, ids: BlockIds, material: Material, noted: dict[NoteKey, Note]
) -> Block:
    """Build the block record, with its notes at the end."""
    headings = tuple([h.text for h in opened.path])
    fresh = _put_notes(opened, material, noted) if opened.notes else {}
    identifier = ids.of(tuple([h.bare for h in opened.path]), "\n".join(opened.bare))
    noted.update({key: replace(note, block_id=identifier) for key, note in fresh.items()})
    return Block(
        id=identifier,
        content="\n".join(opened.lines),
        heading=headings[-1] if headings else "",
        parent_headings=headings[:-1],
        level=opened.path[-1].level if opened.path else 0,
        session_type=_session(opened),
        number=opened.number,
        heading_source=opened.outline.source,
        confidence=opened.outline.confidence,
        page=opened.records[0].page,
        lines=tuple(opened.records),
        page_is_estimate=opened.records[0].page_is_estimate,
        position=opened.position,
    )


def _put_notes(
    opened: _OpenBlock, material: Material, noted: Mapping[NoteKey, Note]
) -> dict[NoteKey, Note]:
    """Append the notes that no earlier block refers to; return them."""
    fresh: dict[NoteKey, tuple[ReadNote, Line]] = {}
    for key, line in opened.notes:
        if key in material.notes and key not in noted:
            fresh.setdefault(key, (material.notes[key], line))
    for (note, objects), line in fresh.values():
        opened.embedded += [material.embedded[k] for k in objects if k in material.embedded]
        if material.notes_inline:
            opened.put(f"[^{note.number}]: {note.text}".rstrip(), note.text, _note_line(line))
    return {key: note for key, ((note, _), _) in fresh.items()}


def _note_line(referring: Line) -> Line:
    """Return the line record of a note: it has the position of the line that refers to it."""
    return referring._replace(
        kind=LineKind.NOTE, style=None, number=None, depth=0, bold=False, links=(), turns=()
    )


def _range(first: int | None, last: int | None) -> tuple[int, int]:
    return first or 0, last or 0


def _session(opened: _OpenBlock) -> SessionType:
    if opened.toc:
        return SessionType.TOC
    if not opened.path:
        return SessionType.PREFACE
    if opened.records[0].kind is LineKind.HEADING and is_contents(
        opened.path[-1].bare, opened.lines[1:]
    ):
        return SessionType.TOC
    if _REFERENCES.fullmatch(opened.path[-1].bare):
        return SessionType.REFERENCES
    return (
        SessionType.APPENDIX
        if any(heading.is_appendix for heading in opened.path)
        else SessionType.BODY
    )


def _store_objects(opened: _OpenBlock, block: Block, content: Content) -> None:
    """Add the objects of the block to the sidecars, with the id and headings of the block."""
    if opened.outline.signals and opened.records[0].kind is LineKind.HEADING:
        content.guesses[block.id] = opened.outline.signals
    for table in opened.tables:
        content.tables[table.id] = replace(
            table, block_id=block.id, heading=block.heading, parent_headings=block.parent_headings
        )
    for item in opened.embedded:
        placed = replace(
            item, block_id=block.id, heading=block.heading, parent_headings=block.parent_headings
        )
        if isinstance(placed, Equation):
            content.equations[placed.id] = placed
        else:
            content.drawings[placed.id] = placed
