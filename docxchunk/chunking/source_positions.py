"""Find the positions and pages in the source file that a chunk was made from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.chunking.pieces import Span
from docxchunk.chunking.services import Services
from docxchunk.markup.tables import TableTag
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.chunks import TableRows

_TABLE: Final = LineKind.TABLE
_PARAGRAPH: Final = attrgetter("paragraph")
_Page = tuple[int | None, bool]  # a page, and whether it is an estimate


class Sources(NamedTuple):
    """The positions and pages of a chunk in its source file. `pages` are the pages of its text, and
    those on which its table rows begin, ascending.
    """

    positions: tuple[Position, ...]
    pages: tuple[int, ...]
    pages_are_estimates: bool  # some of them


def sources_of(services: Services, spans: Iterable[Span]) -> Sources:
    """Return the positions of the lines that the spans show, in reading order, and their pages.

    There is one position for each run of consecutive paragraphs of a block. Blocks of other parsers
    have no position for each line: the position is that of the whole block, with the paraIds of the
    lines if known.
    """
    positions: list[Position] = []
    pages: set[_Page] = set()
    for number, stretch in _stretches(spans):
        block = services.document.blocks[number]
        if _is_whole(stretch, block):
            positions += () if block.position is None else (block.position,)
            pages.update(_pages_of_block(services, number))
            continue
        shown = _shown(services, number, stretch)
        positions += positions_of(block, shown)
        pages.update(
            [(line.page, line.page_is_estimate) for line in shown]
            if block.lines
            else _pages_of_block(services, number)
        )
    known = {page for page, _ in pages if page is not None}
    return Sources(
        tuple(positions),
        tuple(sorted(known)),
        any(is_estimate for page, is_estimate in pages if page is not None),
    )


def positions_of(block: Block, lines: Sequence[Line]) -> tuple[Position, ...]:
    """Return the positions of some lines of a block, one for each run of consecutive paragraphs; ()
    if the position of the block is unknown.
    """
    if block.position is None:
        return ()
    placed = all(line.paragraph is not None and line.element is not None for line in lines)
    return tuple(_ranges(lines)) if placed else (_narrowed(block.position, lines),)


def _pages_of_block(services: Services, number: int) -> set[_Page]:
    block, tables = services.document.blocks[number], services.document.tables
    if not block.lines:
        return {(block.page, block.page_is_estimate)}
    found: set[_Page] = {(line.page, line.page_is_estimate) for line in block.lines}
    for line in block.lines:
        if line.turns and line.page is not None:
            found.update(
                (line.page + turned, line.page_is_estimate)
                for turned in range(1, len(line.turns) + 1)
            )
    for tag in services.tables(number).values():
        if table := tables.get(tag.id):
            found.update((page, table.page_is_estimate) for page in table.pages)
    return found


def _stretches(spans: Iterable[Span]) -> list[tuple[int, list[Span]]]:
    """Group neighbouring spans by block; each group comes with the number of the block."""
    found: list[tuple[int, list[Span]]] = []
    for span in spans:
        if found and found[-1][0] == span.block:
            found[-1][1].append(span)
        else:
            found.append((span.block, [span]))
    return found


def _is_whole(spans: Sequence[Span], block: Block) -> bool:
    return len(spans) == 1 and spans[0].end - spans[0].start == len(block.content)


def _shown(services: Services, number: int, spans: Sequence[Span]) -> list[Line]:
    """Return the lines that the spans show, with rows instead of tables. A line that was cut may be
    there twice.
    """
    lines = services.lines(number)
    if not lines.tables:
        shown = [
            line for span in spans for line in lines.records[lines.between(span.start, span.end)]
        ]
        if not any(line.turns for line in shown):
            return shown
    found: list[Line] = []
    for span in spans:
        at = lines.between(span.start, span.end)
        for line, start in zip(lines.records[at], lines.starts[at], strict=True):
            if line.kind is _TABLE:
                found += _rows(services, line, span.rows, lines.tables.get(start))
            else:
                found += (
                    _turned(line, span.start - start, span.end - start) if line.turns else (line,)
                )
    return found


def _turned(line: Line, start: int, end: int) -> Iterator[Line]:
    """Yield the line once for each page on which characters [start, end) of it are."""
    first, last = bisect_right(line.turns, start), bisect_left(line.turns, end)
    for turned in range(first, max(first, last) + 1):
        yield line._replace(page=None if line.page is None else line.page + turned)


def _rows(
    services: Services, line: Line, rows: TableRows | None, tag: TableTag | None
) -> Iterator[Line]:
    """Yield the rows of a table, or those that a slice holds, as lines: the first and the last
    known paraId, and each page.
    """
    table = services.document.tables.get(rows.id if rows else tag.id if tag else "")
    if table is None:
        yield line
        return
    first, last = rows.rows if rows else (0, table.row_count - 1)
    ids: list[str | None] = [known for known in table.para_ids[first : last + 1] if known] or [
        line.para_id
    ]
    pages = dict.fromkeys(table.pages[first : last + 1] or (line.page,))
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
    ordered = sorted(lines, key=_PARAGRAPH)
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
    known = [line.para_id for line in lines if line.para_id]
    return (known[0], known[-1]) if known else (None, None)
