"""The places of a document: what stands where. A place is a line or a row of a table."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Final, NamedTuple

from docxchunk.content.lines import BlockLines
from docxchunk.content.table_texts import cell_texts, header_row_count
from docxchunk.content.tables import TableContent, tables
from docxchunk.content.tags import plain
from docxchunk.language.patterns import pattern
from docxchunk.model.blocks import Block, Line, LineKind, SessionType
from docxchunk.model.document import Document
from docxchunk.retrieval.finding.numbers import (
    ItemNumbers,
    is_next,
    is_title_of,
    numbered,
    own_number,
    typed_number,
)
from docxchunk.retrieval.finding.running import NOTE_MARK, Running, running

_NOTE_MARK: Final = re.compile(NOTE_MARK)
_NOTE: Final = re.compile(rf"({NOTE_MARK}):\s")
_PAGE: Final = re.compile(  # of an entry
    r"(?<![\s.·…_])(?=[\s.·…_]*?(?:\t|[.·…_]{2}|\s{2}))[\s.·…_]++\d++\s*+$"
)
_MAY_BE_HEADING: Final = (LineKind.HEADING, LineKind.TEXT)
_WORD: Final = pattern(r"[^\W\d_]{2}")  # but not (a), 2.1
_ITEM: Final = 9  # the depth of a line without a number


class Place(NamedTuple):
    """A line of a document, or a row of a table: characters [start, end) of the content of a block.

    - `text`: what a reader sees.
    - `number`: its full number: "8.2(a)"; "" if it has none.
    - `depth`: 0 for a heading; larger for items that are further in.
    - `label`: its own number: "(a)".
    - `table`, `row`: for a row, the id of its table and its index.
    - `head`: for a row with several cells with words, the first line of the first one.
    """

    block: int
    start: int
    end: int
    text: str
    number: str
    depth: int
    label: str = ""
    table: str = ""
    row: int = 0
    head: str = ""


class Places:
    """All lines and rows of tables of a document, in order."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = document.blocks
        self.lines = list(map(BlockLines, self.blocks))
        self.parents, self.numbers = numbered(self.blocks)
        """For each block, the number of the block that it is below, -1 without one; and its full
        number, "2.1(a)", "" without one."""
        self.all = [
            place
            for number, block in enumerate(self.blocks)
            for place in _places_of(
                number, block, self._number_of_items(number), self.lines[number]
            )
        ]

    def _number_of_items(self, block: int) -> str:
        """Return the number that the items of a block are below: that of "Article 2" for the title
        "Scope" after it.
        """
        if block and is_title_of(self.blocks[block - 1], self.blocks[block]):
            return self.numbers[block - 1]
        return self.numbers[block]

    def line(self, place: Place) -> Line:
        """Return the record of the line of a place."""
        return self.lines[place.block].at(place.start)

    @cached_property
    def numbers_by_id(self) -> dict[str, int]:
        """The index of each block by its id."""
        return {block.id: number for number, block in enumerate(self.blocks)}

    @cached_property
    def heads(self) -> dict[int, int]:
        """The index of the first place of each block that has one."""
        heads: dict[int, int] = {}
        for index, place in enumerate(self.all):
            heads.setdefault(place.block, index)
        return heads

    @cached_property
    def ends(self) -> list[int]:
        """For each block, the index of the first block after it that is not below it."""
        ends = list(range(1, len(self.blocks) + 1))
        for number in range(len(self.blocks) - 1, -1, -1):
            if (parent := self.parents[number]) >= 0:
                ends[parent] = max(ends[parent], ends[number])
        return ends

    @cached_property
    def _starts(self) -> list[tuple[int, int]]:
        return [(place.block, place.start) for place in self.all]

    def at(self, block: int, start: int) -> int:
        """Return the index of the place at a character of a block."""
        return max(bisect_right(self._starts, (block, start)) - 1, 0)

    def of_blocks(self, first: int, end: int) -> range:
        """Return the places of blocks [first, end)."""
        return range(bisect_left(self._starts, (first, 0)), bisect_left(self._starts, (end, 0)))

    def region(self, at: int) -> range:
        """Return the place `at` and the places below it. The notes at the end of a section do not
        belong to its last clause.
        """
        first = self.all[at]
        if first.depth == 0:
            end = self.of_blocks(first.block, self.ends[first.block]).stop
            return range(at, self._next_clauses.get(first.block, end))
        end = at + 1
        while end < len(self.all) and (place := self.all[end]).block == first.block:
            is_after = place.number and place.depth <= first.depth
            if not first.number or is_after or end in self.anchors:
                break
            end += 1
        return range(at, end)

    @cached_property
    def _next_clauses(self) -> dict[int, int]:
        """The index of the next clause, by block, for each block that also contains the clause
        after its own. The block of "10.1" contains "10.2" if only some clauses are headings in the
        file.
        """
        following: dict[int, int] = {}
        for index, place in enumerate(self.all):
            if place.depth and place.number and is_next(place.number, self.numbers[place.block]):
                following.setdefault(place.block, index)
        return following

    def is_header(self, place: Place) -> bool:
        """Return whether a place is a header row of a table."""
        return place.row < self._header_rows.get(place.table, 0)

    @cached_property
    def _header_rows(self) -> dict[str, int]:
        """The number of header rows of each table, by its id."""
        return {table.id: header_row_count(table) for table in self.document.tables.values()}

    @cached_property
    def anchors(self) -> dict[int, int]:
        """For each footnote or endnote, the place that has its mark, in the same block."""
        anchors: dict[int, int] = {}
        marks: dict[tuple[int, str], int] = {}
        for index, place in enumerate(self.all):
            note = _NOTE.match(place.text)
            if note and (place.block, note[1]) in marks:
                anchors[index] = marks[place.block, note[1]]
            else:
                for mark in _NOTE_MARK.findall(place.text):
                    marks.setdefault((place.block, mark), index)
        return anchors

    def is_entry(self, index: int) -> bool:
        """Return whether a place is an entry of a table of contents: it is in a block of one, or it
        has the text of a heading after it, maybe with a page number.
        """
        place = self.all[index]
        if self.blocks[place.block].session_type is SessionType.TOC:
            return True
        if not place.depth:
            return False
        texts = {_comparable(place.text), _comparable(_PAGE.sub("", place.text))}
        return any(self._last_headings.get(text, -1) > index for text in texts)

    @cached_property
    def _last_headings(self) -> dict[str, int]:
        """The last place of each heading."""
        return {_comparable(at.text): index for index, at in enumerate(self.all) if not at.depth}

    @cached_property
    def running(self) -> list[Running]:
        """The running texts of the places that have marks, and of those that are one paragraph with
        line breaks.
        """
        groups = (list(group) for _, group in groupby(range(len(self.all)), self._paragraph_of))
        texts = (running(group[0], [self.all[at].text for at in group]) for group in groups)
        return [text for text in texts if text]

    def _paragraph_of(self, index: int) -> tuple[object, ...]:
        """Return a key that all places of a paragraph have, or all of a text box beside it."""
        place = self.all[index]
        line = self.line(place)
        if place.table or line.element is None or line.kind is LineKind.NOTE:
            return (index,)
        return place.block, line.element, line.kind, line.para_id

    def with_notes(self, indexes: Iterable[int]) -> list[int]:
        """Return some places with the notes that they refer to, without other notes."""
        included = set(indexes)
        without_others = {index for index in included if self.anchors.get(index, index) in included}
        return sorted(
            without_others | {note for note, anchor in self.anchors.items() if anchor in included}
        )

    def ancestors(self, block: int) -> Iterator[int]:
        """Yield the indices of the blocks above a block, the nearest first."""
        while (block := self.parents[block]) >= 0:
            yield block

    def in_paragraphs(self, paragraphs: Sequence[tuple[int, int]]) -> list[int]:
        """Return the places of some ranges of paragraphs."""
        numbers = self._paragraphs
        return [
            index
            for start, end in paragraphs
            for index in range(bisect_left(numbers, start), bisect_right(numbers, end))
        ]

    @cached_property
    def _paragraphs(self) -> list[int]:
        """The paragraph number of each place. If it is unknown, the number of the previous place is
        used.
        """
        numbers: list[int] = []
        for place in self.all:
            before = numbers[-1] if numbers else 0
            numbers.append(max(self.line(place).paragraph or before, before))
        return numbers


def _comparable(text: str) -> str:
    return " ".join(text.split()).casefold()


# -- of blocks


def _places_of(
    number: int, block: Block, heading_number: str, lines: BlockLines
) -> Iterator[Place]:
    """Yield the lines of a block, and the rows of its tables, with their full numbers.
    `heading_number` is the full number of the heading of the block, which the numbers of items
    follow.
    """
    content, starts = block.content, lines.starts
    table_at = {table.start: table for table in tables(content)}
    item_numbers = ItemNumbers(heading_number)
    ends = [start - 1 for start in starts[1:]] + [len(content)]
    may_be_typed = block.session_type is not SessionType.TOC
    texts = [
        "" if start in table_at else plain(content[start:end])
        for start, end in zip(starts, ends, strict=True)
    ]
    labels = [
        record.number or (may_be_typed and typed_number(text)) or ""
        for record, text in zip(lines.records, texts, strict=True)
    ]
    for at, (record, start, end) in enumerate(zip(lines.records, starts, ends, strict=True)):
        if not content[start:end].strip():
            continue
        if table := table_at.get(start):
            yield from _rows_of(number, table)
            continue
        is_heading = start == 0 and block.heading and record.kind in _MAY_BE_HEADING
        if is_heading and content.startswith("#"):
            label = own_number(block)
            place_number = heading_number if label else ""
            yield Place(number, start, end, block.heading, place_number, 0, label)
            continue
        text, label, depth = texts[at], labels[at], record.depth + 1
        following = filter(None, map(labels.__getitem__, range(at + 1, len(labels))))
        if record.number:
            depth = item_numbers.depth_in_list(label, depth, following)
        elif label:
            depth = item_numbers.depth_of(label, following)
        if full_number := item_numbers.number_of(label, depth) if label else "":
            yield Place(number, start, end, text, full_number, depth, label)
        else:
            yield Place(number, start, end, text, "", _ITEM)


def _rows_of(number: int, table: TableContent) -> Iterator[Place]:
    """Yield the rows of a table in block `number`."""
    for row, (start, end) in enumerate(table.rows):
        cells = cell_texts(table, row)
        text = " | ".join(filter(None, (" ".join(cell.split()) for cell in cells)))
        yield Place(number, start, end, text, "", _ITEM, table=table.id, row=row, head=_head(cells))


def _head(cells: list[str]) -> str:
    """Return the first line of the first cell with words, if a row has several such cells; ""
    otherwise.
    """
    cells = [text.strip() for text in cells if _WORD.search(text)]
    return cells[0].splitlines()[0] if len(cells) > 1 else ""
