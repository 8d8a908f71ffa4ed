"""The lines of blocks: where they start, their kinds, and their places in the Word file."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, zip_longest
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.content.tags import DRAWING, EQUATION
from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import Range
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.objects import Table

HEADING_MARKS = pattern(r"#{1,6} ")
_ONE_TAG: Final = {
    LineKind.EQUATION: pattern(EQUATION),
    LineKind.DRAWING: pattern(DRAWING),
}


def line_starts(content: str) -> list[int]:
    """Return the start offsets of the lines of a text, including blank ones."""
    return list(accumulate([len(line) + 1 for line in content.split("\n")[:-1]], initial=0))


def is_heading_line(block: Block) -> bool:
    """Return whether the first line of the block is its heading."""
    if block.lines:
        return block.lines[0].kind is LineKind.HEADING
    return block.level > 0 and HEADING_MARKS.match(block.content) is not None


def kind_of(block: Block, start: int, tables: Container[int]) -> LineKind:
    """Return the kind of the line that starts at `start`; `tables` are the start offsets of
    tables.
    """
    if start in tables:
        return LineKind.TABLE
    if start == 0 and is_heading_line(block):
        return LineKind.HEADING
    end = block.content.find("\n", start)
    text = block.content[start : end if end >= 0 else len(block.content)]
    if text.startswith("<"):
        for kind, pattern in _ONE_TAG.items():
            if pattern.fullmatch(text.strip()):
                return kind
    return LineKind.TEXT


def broken_equations(content: str) -> Iterator[Range]:
    """Yield the ranges of equations that span several lines."""
    if "<" in content:
        yield from (
            equation.span()
            for equation in _ONE_TAG[LineKind.EQUATION].finditer(content)
            if "\n" in equation[0]
        )


_PAGE: Final = attrgetter("page", "page_is_estimate")
_PARAGRAPH, _ELEMENT, _TURNS = map(attrgetter, ("paragraph", "element", "turns"))


class Placement(NamedTuple):
    """The place of a text in a Word file. `pages` are the pages of the text, and those on which its
    table rows begin, ascending. `page_is_estimate`: some of them are estimates.
    """

    positions: tuple[Position, ...]
    pages: tuple[int, ...]
    page_is_estimate: bool


def placement(shown: Iterable[tuple[Block, Sequence[Line]]]) -> Placement:
    """Return the positions and pages of some lines of blocks, in reading order.

    Consecutive paragraphs of a block have one position. The lines of blocks of other parsers have
    no positions. Then the result is the position of the block, with the paraIds of the lines if
    known.
    """
    positions: list[Position] = []
    pages: set[tuple[int | None, bool]] = set()  # and whether they are estimates
    for block, lines in shown:
        positions += _positions_of(block, lines)
        pages.update(map(_PAGE, lines))
    known = sorted(page for page in pages if page[0] is not None)
    numbers = dict.fromkeys(page for page, _ in known if page is not None)
    return Placement(tuple(positions), tuple(numbers), any(is_estimate for _, is_estimate in known))


def _positions_of(block: Block, lines: Sequence[Line]) -> Iterable[Position]:
    if block.position is None:
        return ()
    is_placed = lines and all(None not in map(get, lines) for get in (_PARAGRAPH, _ELEMENT))
    return _ranges(lines) if is_placed else (_narrowed(block.position, lines),)


def lines_shown(
    line: Line, start: int, end: int, table: Table | None, rows: Range | None
) -> Iterator[Line]:
    """Yield the record of a line once for each page on which characters [start, end) of it are.

    For a table, yield records for the rows from the first to the last of `rows`; None: all.
    Together they have the first and the last known paraId of the rows, and all of their pages.
    """
    if table is not None:
        yield from _rows(line, table, rows or (0, table.row_count - 1))
    elif line.turns:
        first, last = bisect_right(line.turns, start), bisect_left(line.turns, end)
        for turned in range(first, max(first, last) + 1):
            yield line._replace(page=None if line.page is None else line.page + turned)
    else:
        yield line


def _rows(line: Line, table: Table, rows: Range) -> Iterator[Line]:
    at = slice(rows[0], rows[1] + 1)
    ids: list[str | None] = [para_id for para_id in table.para_ids[at] if para_id] or [line.para_id]
    pages = dict.fromkeys(table.pages[at] or (line.page,))
    is_estimate = table.page_is_estimate if table.pages else line.page_is_estimate
    for para_id, page in zip_longest(dict.fromkeys((ids[0], ids[-1])), pages):
        yield Line(
            para_id=para_id,
            page=page,
            element=line.element,
            paragraph=line.paragraph,
            page_is_estimate=is_estimate,
        )


def _ranges(lines: Sequence[Line]) -> Iterator[Position]:
    """Yield one position for each run of consecutive paragraphs."""
    ordered = sorted(lines, key=attrgetter("paragraph"))
    numbers = [line.paragraph or 0 for line in ordered]
    starts = [at for at, number in enumerate(numbers) if not at or number > numbers[at - 1] + 1]
    for start, end in pairwise((*starts, len(ordered))):
        first, last = ordered[start], ordered[end - 1]
        yield Position(
            *_ids(ordered[start:end]),
            (first.element or 0, last.element or 0),
            (numbers[start], numbers[end - 1]),
        )


def _narrowed(position: Position, lines: Sequence[Line]) -> Position:
    first, last = _ids(lines)
    return position._replace(first=first, last=last) if first else position


def _ids(lines: Sequence[Line]) -> tuple[str | None, str | None]:
    """Return the first and the last known paraId."""
    para_ids = [line.para_id for line in lines if line.para_id]
    return (para_ids[0], para_ids[-1]) if para_ids else (None, None)


class BlockLines:
    """The lines of a block, including blank ones.

    - `starts`: the offset of each line in the content.
    - `records`: what the parser recorded of each line; empty records if `are_known` is False.
    """

    def __init__(self, block: Block) -> None:
        self.starts = line_starts(block.content)
        self.are_known = len(block.lines) == len(self.starts)
        self.records = block.lines if self.are_known else (Line(),) * len(self.starts)

    def at(self, start: int) -> Line:
        """Return the record of the line that has a character."""
        return self.records[bisect_right(self.starts, start) - 1]

    def shown(
        self, start: int, end: int, table: Table | None = None, rows: Range = (0, 0)
    ) -> list[Line]:
        """Return the records of the lines that have characters [start, end), or of `rows` of a
        table, for each of their pages.
        """
        at = slice(bisect_right(self.starts, start) - 1, bisect_left(self.starts, end))
        return [
            record
            for first, line in zip(self.starts[at], self.records[at], strict=True)
            for record in lines_shown(line, start - first, end - first, table, rows)
        ]
