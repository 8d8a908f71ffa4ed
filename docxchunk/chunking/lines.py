"""The lines of a block: where they are, what they are, and what they weigh."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Final

from docxchunk.chunking.breaks import Break
from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.markup.tables import Range, TableTag, rows
from docxchunk.model.blocks import Block, Line, LineKind
from docxchunk.model.objects import TableFormat

_HEADING = re.compile(r"#{1,6} ")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•▪●○■□◦‣–]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|[(（][\d一二三四五六七八九十]{1,3}[)）])\s")
_ONE_TAG: Final = {LineKind.EQUATION: re.compile(r"<equation\b[^>]*>.*?</equation>", re.DOTALL), LineKind.DRAWING: re.compile(r"<drawing\b[^>]*/>")}


class Lines:
    """A block's lines without the blank ones: line i is `content[starts[i]:ends[i]]`. A table is one line, wherever it stands; so is a tag over several lines.

    `apart` is the least number of characters between stations of the ruler; tables of over `long_table` characters get stations at their rows.
    """

    def __init__(self, block: Block, tables: dict[int, TableTag], meter: Meter, apart: int, long_table: int) -> None:
        self.block = block
        self.tables = tables
        self.starts, self.ends = _line_ranges(block.content, self.tables)
        self._rows: dict[int, tuple[TableFormat, list[Range]] | None] = {}  # by the start of their table
        places = self.starts
        for table in tables.values():
            if table.end - table.start > long_table:
                places = places + self._row_places(table)
        self.ruler = Ruler(meter, block.content, sorted(places) if self._rows else places, apart)

    def rows_of(self, table: TableTag) -> tuple[TableFormat, list[Range]] | None:
        """The rows of a table; None where it has none that can be told apart."""
        if table.start not in self._rows:
            self.ruler.refine(table.start, table.end, self._row_places(table))
        return self._rows[table.start]

    def _row_places(self, table: TableTag) -> list[int]:
        found = self._rows[table.start] = rows(self.block.content, table)
        return [*(start for start, _ in found[1]), found[1][-1][1]] if found else []

    def between(self, start: int, end: int) -> slice:
        """The numbers of the lines that have text in a range of the block."""
        first = bisect_right(self.starts, start) - 1
        return slice(first if first >= 0 and self.ends[first] > start else first + 1, bisect_left(self.starts, end))

    @cached_property
    def records(self) -> list[Line]:
        """What Word knows of each line; for a block of another parser, what can be seen in the text."""
        known, places = self.block.lines, line_starts(self.block.content)
        if places == self.starts and len(places) == len(known):
            return list(known)
        by_place = dict(zip(places, known, strict=True)) if len(places) == len(known) else {}
        return [by_place.get(start) or Line(kind=_kind_of(self.block, start, self.tables)) for start in self.starts]

    @cached_property
    def kinds(self) -> list[LineKind]:
        return [record.kind for record in self.records]

    @cached_property
    def breaks(self) -> list[Break]:
        """How good a place the end of each line is to cut at."""
        follows = [*self.starts[1:], len(self.block.content)]
        return [Break.PARAGRAPH if start - end > 1 else Break.LINE for start, end in zip(follows, self.ends, strict=True)]


def line_starts(content: str) -> list[int]:
    """Where each of the lines of a text begins, blank ones too."""
    return list(accumulate([len(line) + 1 for line in content.split("\n")[:-1]], initial=0))


def is_heading_line(block: Block) -> bool:
    """Does the block open with its own heading?"""
    if block.lines:
        return block.lines[0].kind is LineKind.HEADING
    return block.level > 0 and _HEADING.match(block.content) is not None


def is_list_item(text: str) -> bool:
    return _LIST_ITEM.match(text) is not None


def _kind_of(block: Block, start: int, found: dict[int, TableTag]) -> LineKind:
    if start in found:
        return LineKind.TABLE
    if start == 0 and is_heading_line(block):
        return LineKind.HEADING
    end = block.content.find("\n", start)
    text = block.content[start : end if end >= 0 else len(block.content)]
    if text.startswith("<"):
        for kind, pattern in _ONE_TAG.items():
            if pattern.fullmatch(text.strip()):
                return kind
    return LineKind.LIST if is_list_item(text) else LineKind.TEXT


def _line_ranges(content: str, found: dict[int, TableTag]) -> tuple[list[int], list[int]]:
    """Where lines begin and end, up to their breaks; tables apart from text on the same line."""
    starts: list[int] = []
    ends: list[int] = []

    def add(start: int, end: int) -> None:
        for line in content[start:end].split("\n"):
            if line and not line.isspace():
                starts.append(start)
                ends.append(start + len(line))
            start += len(line) + 1

    at = 0
    for start, end in _whole(content, found):
        add(at, start)
        if start in found or not (starts and ends[-1] == start):
            starts.append(start)
            ends.append(end)
        else:
            ends[-1] = end
        at = end
    add(at, len(content))
    return starts, ends


def _whole(content: str, found: dict[int, TableTag]) -> list[Range]:
    """What line breaks do not part: tables, and equations written over several lines; one that holds a table, or a part of it, is no equation."""
    whole = [(table.start, table.end) for table in found.values()]
    if "<" in content and (broken := [m.span() for m in _ONE_TAG[LineKind.EQUATION].finditer(content) if "\n" in m[0]]):
        whole += [tag for tag in broken if not any(tag[0] < end and start < tag[1] for start, end in whole)]
    return sorted(whole)
