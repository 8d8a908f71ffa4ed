"""The lines of a block: where they are, what they are, and what they weigh."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final

from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.markup.spans import inline_tags
from docxchunk.markup.tables import Range, TableTag, rows, tables
from docxchunk.model.blocks import Block, Line, LineKind
from docxchunk.model.objects import TableFormat

_HEADING = re.compile(r"#{1,6} ")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•▪●○■□◦‣–]|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|[(（][\d一二三四五六七八九十]{1,3}[)）])\s")
_ONE_TAG: Final = {LineKind.EQUATION: re.compile(r"<equation\b[^>]*>.*</equation>", re.DOTALL), LineKind.DRAWING: re.compile(r"<drawing\b[^>]*/>")}


class Lines:
    """A block's lines without the blank ones, as ranges of its content. A table is one line, wherever it stands; so is a tag over several lines."""

    def __init__(self, block: Block, meter: Meter, long_table: int) -> None:
        self.block = block
        content = block.content
        self.tables: dict[int, TableTag] = {table.start: table for table in tables(content)}
        self._rows: dict[int, tuple[TableFormat, list[Range]] | None] = {}  # by the start of their table
        self.ranges = [*_ranges(content, self.tables)]
        places = [start for start, _ in self.ranges]
        for table in self.tables.values():
            if table.end - table.start > long_table:
                places += self._row_places(table)
        self.ruler = Ruler(meter, content, sorted(places) if self._rows else places)

    def rows_of(self, table: TableTag) -> tuple[TableFormat, list[Range]] | None:
        """The rows of a table; None where it has none that can be told apart."""
        if table.start not in self._rows:
            self.ruler.refine(table.start, table.end, self._row_places(table))
        return self._rows[table.start]

    def _row_places(self, table: TableTag) -> list[int]:
        found = self._rows[table.start] = rows(self.block.content, table)
        return [*(start for start, _ in found[1]), found[1][-1][1]] if found else []

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self.block.content)

    @cached_property
    def _records(self) -> dict[int, Line]:
        """What Word knows of the line that starts at a place."""
        known = self.block.lines
        return dict(zip(self._starts, known, strict=True)) if len(self._starts) == len(known) else {}

    def records(self, start: int, end: int) -> list[Line]:
        """What Word knows of the lines in a range; nothing where that is not known."""
        starts = self._starts
        first = max(bisect_right(starts, start) - 1, 0)
        return list(self.block.lines[first : bisect_left(starts, end)]) if self._records else []

    def record(self, start: int) -> Line:
        """What Word knows of the line that starts here; for a block of another parser, what can be seen in the text."""
        return self._records.get(start) or Line(kind=_kind_of(self.block, start, self.tables))


def line_starts(content: str) -> list[int]:
    """Where each of `content.split("\\n")` begins."""
    return list(accumulate((len(line) + 1 for line in content.split("\n")[:-1]), initial=0))


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


def _ranges(content: str, found: dict[int, TableTag]) -> Iterator[Range]:
    """Lines, trimmed of nothing but their breaks; tables apart from text on the same line."""
    whole = [(table.start, table.end) for table in found.values()]
    if "\n" in content and "<equation" in content:
        whole += [tag for tag in inline_tags(content) if "\n" in content[tag[0] : tag[1]] and not any(a <= tag[0] < b for a, b in whole)]
        whole.sort()
    cuts: list[Range] = []
    at = 0
    for start, end in [*whole, (len(content), len(content))]:
        cuts += _breaks(content, at, start)
        if start in found:
            cuts += [(start, start), (end, end)]
        at = end
    for (_, start), (end, _) in pairwise([(0, 0), *cuts, (len(content), len(content))]):
        if start < end and not content[start:end].isspace():
            yield start, end


def _breaks(content: str, start: int, end: int) -> Iterator[Range]:
    at = content.find("\n", start, end)
    while at >= 0:
        yield at, at + 1
        at = content.find("\n", at + 1, end)
