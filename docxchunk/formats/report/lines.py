"""Split the text of a chunk into headings, paragraphs, list items and tables."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from docxchunk.formats.report.chunk_text import BlockPosition, ChunkText
from docxchunk.formats.report.inline import text_runs
from docxchunk.formats.report.tables import table_view
from docxchunk.formats.report.values import RenderContext
from docxchunk.formats.report.views import CardBody, LineView, TableSliceView
from docxchunk.markup.tables import TableTag, tables
from docxchunk.model.blocks import Line, LineKind
from docxchunk.model.chunks import Added, AddedRole, Chunk, SliceRole

_HEADING: Final = re.compile(r"#{1,6} +")
_RAW: Final = frozenset({SliceRole.TEXT, SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.WRAPPER})


def body(text: ChunkText, chunk: Chunk, setting: RenderContext) -> CardBody:
    """Return the lines and tables in order, without empty lines."""
    return tuple(_body(text, chunk, setting))


def _body(
    text: ChunkText, chunk: Chunk, setting: RenderContext
) -> Iterator[LineView | TableSliceView]:
    at = 0
    for tag in _tables(text):
        yield from _lines(text, at, tag.start, chunk, setting)
        yield table_view(text, tag, chunk, setting)
        at = tag.end
    yield from _lines(text, at, len(text.text), chunk, setting)


def _tables(text: ChunkText) -> Iterator[TableTag]:
    """Yield the table tags. Decoded cell text that looks like a tag is skipped."""
    return (tag for tag in tables(text.text) if text.part_at(tag.start).role in _RAW)


def _lines(
    text: ChunkText, start: int, end: int, chunk: Chunk, setting: RenderContext
) -> Iterator[LineView]:
    while start < end:
        stop = text.text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if not text.text[start:stop].isspace() and start < stop:
            yield _line(text, start, stop, chunk, setting)
        start = stop + 1


def _line(text: ChunkText, start: int, end: int, chunk: Chunk, setting: RenderContext) -> LineView:
    """Return a line: a heading at the start of its block, else a paragraph."""
    place = text.place(start, setting)
    mark = (
        _HEADING.match(text.text, start, end)
        if place and place.at == 0 and place.block.level
        else None
    )
    if place and mark:
        # the card's own heading is of level 3
        rank = min(max(place.block.level - max(chunk.level, 1), 0), 2) + 4
        anchor = "" if _is_again(text, start) else f"{setting.key}-b{place.block.number}"
        confidence = setting.document.blocks[place.block.number].confidence
        return LineView(
            text_runs(text, mark.end(), end, setting),
            level=min(place.block.level, 4),
            rank=rank,
            anchor=anchor,
            confidence=confidence,
        )
    known = _line_of(place, setting)
    return LineView(
        text_runs(text, start, end, setting),
        kind="" if known.kind is LineKind.TEXT else known.kind,
        depth=min(known.depth, 8) if known.kind is LineKind.LIST else None,
        bold=known.bold,
        goes_on=bool(place and place.at and place.block.content[place.at - 1] != "\n"),
    )


def _line_of(place: BlockPosition | None, setting: RenderContext) -> Line:
    """Return the block's record of the line at a position."""
    if place is None:
        return Line()
    lines, number = (
        setting.document.blocks[place.block.number].lines,
        bisect_right(place.block.lines, place.at) - 1,
    )
    return lines[number] if len(lines) == len(place.block.lines) else Line()


def _is_again(text: ChunkText, at: int) -> bool:
    part = text.part_at(at)
    return isinstance(part, Added) or part.role is not SliceRole.TEXT
