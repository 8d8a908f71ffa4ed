"""Build blocks from items: one block per heading, with the content below it
(docs/design/blocks-and-files.md).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from docxchunk.content.tags import plain
from docxchunk.language.patterns import pattern
from docxchunk.model.blocks import Block, HeadingSource, SessionType
from docxchunk.model.document import IssueCode
from docxchunk.model.objects import Change, Comment, Drawing, Equation, Note, NoteKind, Spot, Table
from docxchunk.model.options import Headings
from docxchunk.ooxml.styles import OutlineLevel
from docxchunk.reader.content import (
    HeadingText,
    Material,
    OpenBlock,
    PathHeading,
    is_number,
    label_of,
    open_block,
    put_notes,
    put_paragraph,
    put_table,
)
from docxchunk.reader.headings.clauses import CLAUSE_CONFIDENCE
from docxchunk.reader.headings.contents import is_contents
from docxchunk.reader.headings.lines import LONGEST_HEADING
from docxchunk.reader.ids import BlockIds
from docxchunk.reader.paragraphs import Paragraph
from docxchunk.reader.prescan import NoteKey
from docxchunk.reader.revisions import RevisionCollector
from docxchunk.reader.run_tags import of_heading
from docxchunk.reader.tables import GridTable, Item
from docxchunk.reader.text import (
    OBJECT,
    finish_cell,
    is_fleeting,
    lasting,
    without_notes,
)

_TITLE_END = " .:。：．–—―-"  # of a clause
LONGEST_TITLE = 40  # of a table of contents
_RUNNING = (NoteKind.HEADER, NoteKind.FOOTER)
_SAYS_MORE = pattern(r"[.:;,。：；，]")
_REFERENCES = re.compile(
    r"(?=[rbwl参с])(?:references|bibliography|works cited|literatur(?:verzeichnis)?"
    r"|参考文献|список литературы)\s*",
    re.IGNORECASE,
)


class Content(NamedTuple):
    """The blocks of a document and the objects that their tags refer to."""

    blocks: tuple[Block, ...]
    tables: dict[str, Table]
    equations: dict[str, Equation]
    drawings: dict[str, Drawing]
    notes: tuple[Note, ...]
    # block id of an inferred heading -> the signals in its favour
    guesses: dict[str, tuple[str, ...]]


def build_blocks(items: Sequence[Item], material: Material) -> Content:
    """Return the blocks and objects of a document, from its items in reading order.

    Problems (empty or overlong headings) go to `material.report`.
    """
    content = Content((), {}, {}, {}, (), {})
    ids = BlockIds(material.doc_id)
    blocks: list[Block] = []
    positions: list[int] = []
    notes: dict[NoteKey, Note] = {}
    for opened in _filled(items, material):
        block = _block(opened, ids, material, notes)
        blocks.append(block)
        positions.append(opened.begins_at)
        _store_objects(opened, block, content)
    if not any(block.level for block in blocks):
        blocks = [
            replace(b, session_type=SessionType.BODY)
            if b.session_type is SessionType.PREFACE
            else b
            for b in blocks
        ]
    if material.references:
        blocks = _linked(blocks, positions, material.references)
    unused = (note for key, (note, _) in material.notes.items() if key not in notes)
    return content._replace(blocks=tuple(blocks), notes=(*notes.values(), *unused))


def placed_revisions(
    revisions: RevisionCollector, content: Content, material: Material
) -> tuple[tuple[Change, ...], tuple[Comment, ...]]:
    """Return the tracked changes and the comments, each with its block and paragraph. Those of a
    note are at the text that refers to the note.
    """
    blocks: dict[int, str] = {}
    for block in content.blocks:
        for line in block.lines:
            blocks.setdefault(line.paragraph or 0, block.id)
    by_id = {block.id: block for block in content.blocks}
    notes = {
        NoteKey(note.kind, note.id): _referred_to(note, by_id[note.block_id])
        for note in content.notes
        if note.block_id in by_id and note.kind is not NoteKind.COMMENT
    }

    def resolved(spot: Spot, note: object, is_whole: bool) -> Spot:  # noqa: FBT001 - a callback
        within = spot.within
        if isinstance(note, NoteKey) and note.kind is NoteKind.COMMENT:
            _, spot, note = revisions.anchors.get(note.id, ("", spot, note))
        if isinstance(note, NoteKey):  # a comment has no place if it is in a comment
            block_id, number = notes.get(note, ("", 0))
        elif within in _RUNNING:
            return spot
        else:
            number = material.positions.number_at(spot.paragraph, before=is_whole)
            block_id = blocks.get(number, "")
        return replace(spot, block_id=block_id, paragraph=number, within=within)

    return revisions.placed(resolved)


def _referred_to(note: Note, block: Block) -> tuple[str, int]:
    """Return the id of a block that refers to a note, and the number of the paragraph."""
    before = block.content.partition(f"[^{note.number}]")[0].count("\n")
    line = block.lines[min(before, len(block.lines) - 1)]
    return block.id, line.paragraph or 0


def _linked(
    blocks: list[Block], positions: list[int], references: Iterable[tuple[int, int]]
) -> list[Block]:
    """Return the blocks with `refers_to`. `positions` are the `Paragraph.position` at which the
    blocks begin.
    """
    targets: dict[int, dict[str, None]] = {}
    for source, target in references:
        linking, linked = bisect_right(positions, source) - 1, bisect_right(positions, target) - 1
        if linking != linked and min(linking, linked) >= 0:
            targets.setdefault(linking, {})[blocks[linked].id] = None
    return [
        replace(block, refers_to=tuple(targets[i])) if i in targets else block
        for i, block in enumerate(blocks)
    ]


def _filled(items: Sequence[Item], material: Material) -> Iterator[OpenBlock]:
    """Group the items into blocks; yield each block when it is complete."""
    opened = section = OpenBlock()
    for item in items:
        if isinstance(item, GridTable):
            put_table(opened, item, material)
        elif item.is_blank:
            if item.outline.level:
                material.report(
                    IssueCode.HEADING_EMPTY, "A heading has no text; it opens no block."
                )
        elif item.outline.level and (heading := _as_heading(item, section.path, material)):
            if opened.records:
                yield opened
            opened = section = heading
        else:
            if item.is_toc != opened.toc:
                # a table of contents stays below a heading of its own
                if opened.records and not (item.is_toc and opened.is_heading_only):
                    yield opened
                    above = OpenBlock() if item.is_toc else section
                    opened = OpenBlock(
                        above.path, above.outline, above.number, begins_at=item.position
                    )
                opened.toc = item.is_toc
            put_paragraph(opened, item, material)
    if opened.records:
        yield opened


def with_contents_titles(items: Sequence[Item]) -> list[Item]:
    """Return the items; a short line right before a table of contents is marked as part of it:
    "Contents", "List of figures".
    """
    marked = list(items)
    if not any(isinstance(item, Paragraph) and item.is_toc for item in items):
        return marked  # only for speed
    title: tuple[int, Paragraph] | None = None  # the last line, if it may be a title
    for index, item in enumerate(items):
        if not isinstance(item, Paragraph):
            title = None
        elif not item.is_blank:
            if item.is_toc and title is not None:
                marked[title[0]] = title[1]._replace(is_toc=True)
            title = (index, item) if _may_be_title(item) else None
    return marked


def _may_be_title(item: Paragraph) -> bool:
    return not (
        len(item.raw) > LONGEST_TITLE
        or item.is_toc
        or item.outline.level
        or item.label
        or OBJECT in item.raw
        or _SAYS_MORE.search(item.raw)
    )


def _as_heading(
    item: Paragraph, path: tuple[PathHeading, ...], material: Material
) -> OpenBlock | None:
    """Open a block if the paragraph can be a heading: it has text, and is not a line of a table of
    contents.

    An overlong paragraph is body text; see `_overlong`.
    """
    if item.tags:
        item = item._replace(tags=of_heading(item.raw, item.tags, item.start))
    line = bare = finish_cell(item.tagged(), material.show)
    text = finish_cell(item.raw, material.show) if item.tags else line
    if is_fleeting(item.raw):  # only for speed
        text = finish_cell(without_notes(item.raw), material.show)
        bare = finish_cell(lasting(item.tagged()), material.show)
    text = plain(text)
    if item.is_toc or not (text or item.opens_clause):
        return None
    label, gap = label_of(item, material) if item.label else ("", "")
    if item.opens_clause:
        text, gap = text.rstrip(_TITLE_END), gap if text else ""
    if len(text) > LONGEST_HEADING:
        material.report(
            IssueCode.HEADING_TOO_LONG,
            f"A paragraph of heading level {item.outline.level} has {len(text)} "
            f"characters; it was read as body text ({text[:40]!r}).",
        )
        return _overlong(item, label, path, material)
    name = f"{label}{gap}{text}" if is_number(label) else text
    heading = HeadingText(label, name, f"{label}{gap}{line}", bare)
    opened = open_block(item, path, heading, material)
    opened.put_objects(item, opened.records[0], material)
    return opened


def _overlong(
    item: Paragraph, label: str, path: tuple[PathHeading, ...], material: Material
) -> OpenBlock | None:
    """Open a block for a marked heading that is too long: its automatic number is the inferred
    heading, and its text is body text. Return None if it has no number.
    """
    if material.options.headings is Headings.MARKED or not is_number(label):
        return None
    inferred = OutlineLevel(
        item.outline.level, HeadingSource.GUESS, CLAUSE_CONFIDENCE, ("clause", "heading_level")
    )
    number = item._replace(raw="", links=(), outline=inferred)
    opened = open_block(number, path, HeadingText(label, label, label, ""), material)
    put_paragraph(opened, item._replace(label="", depth=-1), material)
    return opened


def _block(
    opened: OpenBlock, ids: BlockIds, material: Material, noted: dict[NoteKey, Note]
) -> Block:
    """Build the block record, with its notes at the end."""
    headings = tuple([h.text for h in opened.path])
    fresh = put_notes(opened, material, noted) if opened.notes else {}
    identifier = ids.of(tuple([h.bare for h in opened.path]), "\n".join(opened.bare))
    for key, note in fresh.items():
        noted[key] = replace(note, block_id=identifier)
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
        lines=tuple(opened.records),
        position=opened.position,
    )


def _session(opened: OpenBlock) -> SessionType:
    if opened.toc:
        return SessionType.TOC
    if not opened.path:
        return SessionType.PREFACE
    if opened.has_heading and is_contents(opened.path[-1].bare, opened.lines[1:]):
        return SessionType.TOC
    if _REFERENCES.fullmatch(opened.path[-1].bare):
        return SessionType.REFERENCES
    return SessionType.APPENDIX if opened.path[-1].is_appendix else SessionType.BODY


def _store_objects(opened: OpenBlock, block: Block, content: Content) -> None:
    """Add the objects of the block to the sidecars, with the id and headings of the block."""
    if opened.outline.signals and opened.has_heading:
        content.guesses[block.id] = opened.outline.signals
    for table in opened.tables:
        content.tables[table.id] = _placed(table, block)
    for item in opened.embedded:
        if isinstance(item, Equation):
            content.equations[item.id] = _placed(item, block)
        else:
            content.drawings[item.id] = _placed(item, block)


_Object = TypeVar("_Object", Table, Equation, Drawing)


def _placed(item: _Object, block: Block) -> _Object:
    return replace(
        item, block_id=block.id, heading=block.heading, parent_headings=block.parent_headings
    )
