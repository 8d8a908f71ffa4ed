"""Where the text of a chunk comes from: positions in the file, and pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from docxchunk.chunking.pieces import Span
from docxchunk.chunking.services import Services
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.chunks import TableRows


class _Origin(NamedTuple):
    """Where a line comes from, or some rows of a table."""

    first: str | None  # w14:paraId
    last: str | None
    element: int | None
    paragraph: int | None
    pages: tuple[int | None, ...]


def positions_of(services: Services, spans: Iterable[Span]) -> Iterator[Position]:
    """The positions of the lines that the spans show, in reading order: one for each stretch of paragraphs that follow one another in a block.

    Blocks of other parsers do not say where each line comes from: then it is the position of the whole block, with the paraIds of the lines if known.
    """
    for number, stretch in _stretches(spans):
        block = services.document.blocks[number]
        if block.position is None:
            continue
        if _is_whole(stretch, block):
            yield block.position
            continue
        origins = list(_origins(services, number, stretch))
        if any(origin.paragraph is None or origin.element is None for origin in origins):
            yield _narrowed(block.position, origins)
        else:
            yield from _ranges(origins)


def pages_of(services: Services, spans: Iterable[Span]) -> tuple[int, ...]:
    """The pages that the lines in the spans begin on, and those of table rows."""
    tables = services.document.tables
    found: set[int | None] = set()
    for number, stretch in _stretches(spans):
        block = services.document.blocks[number]
        if not block.lines:
            found.add(block.page)
        elif _is_whole(stretch, block):
            found.update(line.page for line in block.lines)
            known = (tables.get(tag.id) for tag in services.tables(number).values())
            found.update(page for table in known if table for page in table.pages)
        else:
            found.update(page for origin in _origins(services, number, stretch) for page in origin.pages)
    return tuple(sorted(page for page in found if page is not None))


def _stretches(spans: Iterable[Span]) -> list[tuple[int, list[Span]]]:
    """Neighbouring spans of a block, with its number."""
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
    """Of each line that the spans show, once."""
    lines = services.lines(number)
    seen = -1  # a line that is cut in a sentence stands in two spans
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
    """A table, or the rows of it that a slice holds."""
    table = services.document.tables.get(rows.id if rows else identifier)
    if table is None:
        return _of_line(line)
    first, last = rows.rows if rows else (0, table.row_count - 1)
    ids = [known for known in table.para_ids[first : last + 1] if known]
    pages = table.pages[first : last + 1] or (line.page,)
    return _Origin(ids[0] if ids else line.para_id, ids[-1] if ids else line.para_id, line.element, line.paragraph, pages)


def _ranges(origins: Iterable[_Origin]) -> Iterator[Position]:
    """Origins by the paragraphs that they are of; those that follow one another are one range."""
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
    """The first and the last paraId that is known."""
    return next((o.first for o in origins if o.first), None), next((o.last for o in reversed(origins) if o.last), None)
