"""Find the positions and pages in the source file that a chunk was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from docxchunk.chunking.pieces import Span
from docxchunk.chunking.services import Services
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.chunks import TableRows


class _Origin(NamedTuple):
    """The source of a line, or of some rows of a table."""

    first: str | None  # w14:paraId
    last: str | None
    element: int | None
    paragraph: int | None
    pages: tuple[int | None, ...]


class Sources(NamedTuple):
    """The positions and pages of a chunk in its source file. `pages` are the pages on which its lines and table rows begin, ascending."""

    positions: tuple[Position, ...]
    pages: tuple[int, ...]


def sources_of(services: Services, spans: Iterable[Span]) -> Sources:
    """Return the positions of the lines that the spans show, in reading order, and their pages.

    There is one position for each run of consecutive paragraphs of a block. Blocks of other parsers have no position for each line: the position is that of
    the whole block, with the paraIds of the lines if known.
    """
    positions: list[Position] = []
    pages: set[int | None] = set()
    for number, stretch in _stretches(spans):
        block = services.document.blocks[number]
        if _is_whole(stretch, block):
            positions += () if block.position is None else (block.position,)
            pages.update(_pages_of_block(services, number))
            continue
        origins = list(_origins(services, number, stretch))
        if block.position is not None:
            placed = all(origin.paragraph is not None and origin.element is not None for origin in origins)
            positions += _ranges(origins) if placed else (_narrowed(block.position, origins),)
        pages.update(page for origin in origins for page in origin.pages) if block.lines else pages.add(block.page)
    return Sources(tuple(positions), tuple(sorted(page for page in pages if page is not None)))


def _pages_of_block(services: Services, number: int) -> set[int | None]:
    block, tables = services.document.blocks[number], services.document.tables
    if not block.lines:
        return {block.page}
    found = {line.page for line in block.lines}
    for tag in services.tables(number).values():
        table = tables.get(tag.id)
        found.update(table.pages if table else ())
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


def _origins(services: Services, number: int, spans: Sequence[Span]) -> Iterator[_Origin]:
    """Yield the origin of each line that the spans show, once."""
    lines = services.lines(number)
    seen = -1  # a line that was cut is in two spans
    for span in spans:
        for i in range(*lines.between(span.start, span.end).indices(len(lines.starts))):
            line = lines.records[i]
            if line.kind is LineKind.TABLE:
                tag = lines.tables.get(lines.starts[i])
                yield _of_rows(services, line, span.rows, "" if tag is None else tag.id)
            elif i != seen:
                yield _of_line(line)
            seen = i


def _of_line(line: Line) -> _Origin:
    return _Origin(line.para_id, line.para_id, line.element, line.paragraph, (line.page,))


def _of_rows(services: Services, line: Line, rows: TableRows | None, identifier: str) -> _Origin:
    """Return the origin of a table, or of the rows that a slice holds."""
    table = services.document.tables.get(rows.id if rows else identifier)
    if table is None:
        return _of_line(line)
    first, last = rows.rows if rows else (0, table.row_count - 1)
    ids = [known for known in table.para_ids[first : last + 1] if known]
    pages = table.pages[first : last + 1] or (line.page,)
    return _Origin(ids[0] if ids else line.para_id, ids[-1] if ids else line.para_id, line.element, line.paragraph, pages)


def _ranges(origins: Iterable[_Origin]) -> Iterator[Position]:
    """Yield one position for each run of consecutive paragraphs."""
    stretch: list[_Origin] = []
    for origin in sorted(origins, key=attrgetter("paragraph")):
        if stretch and (origin.paragraph or 0) > (stretch[-1].paragraph or 0) + 1:
            yield _range(stretch)
            stretch = []
        stretch.append(origin)
    if stretch:
        yield _range(stretch)


def _range(origins: Sequence[_Origin]) -> Position:
    first, last = origins[0], origins[-1]
    start, end = _ids(origins)
    return Position(start, end, (first.element or 0, last.element or 0), (first.paragraph or 0, last.paragraph or 0))


def _narrowed(position: Position, origins: Sequence[_Origin]) -> Position:
    first, last = _ids(origins)
    return position._replace(first=first, last=last) if first else position


def _ids(origins: Sequence[_Origin]) -> tuple[str | None, str | None]:
    """Return the first and the last known paraId."""
    return next((o.first for o in origins if o.first), None), next((o.last for o in reversed(origins) if o.last), None)
