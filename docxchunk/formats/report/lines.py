"""The text of a chunk as headings, paragraphs, list items and tables."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from docxchunk.formats.report.chunk_text import ChunkText, Place
from docxchunk.formats.report.inline import text_html
from docxchunk.formats.report.tables import table_html
from docxchunk.formats.report.values import Setting
from docxchunk.markup.tables import TableTag, tables
from docxchunk.model.blocks import Block, Line, LineKind
from docxchunk.model.chunks import Added, AddedRole, Chunk, SliceRole

_HEADING: Final = re.compile(r"#{1,6} +")
_RAW: Final = frozenset({SliceRole.TEXT, SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.WRAPPER})


def body_html(text: ChunkText, chunk: Chunk, setting: Setting) -> str:
    return "".join(_body(text, chunk, setting))


def _body(text: ChunkText, chunk: Chunk, setting: Setting) -> Iterator[str]:
    at = 0
    for tag in _tables(text):
        yield from _lines(text, at, tag.start, chunk, setting)
        yield table_html(text, tag, chunk, setting)
        at = tag.end
    yield from _lines(text, at, len(text.text), chunk, setting)


def _tables(text: ChunkText) -> Iterator[TableTag]:
    """Those that are tables: what an author typed into a cell may look like one when it is shown decoded."""
    return (tag for tag in tables(text.text) if text.part_at(tag.start).role in _RAW)


def _lines(text: ChunkText, start: int, end: int, chunk: Chunk, setting: Setting) -> Iterator[str]:
    while start < end:
        stop = text.text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if not text.text[start:stop].isspace() and start < stop:
            yield _line(text, start, stop, chunk, setting)
        start = stop + 1


def _line(text: ChunkText, start: int, end: int, chunk: Chunk, setting: Setting) -> str:
    """One line: a heading where its block begins with it, else a paragraph."""
    place = text.place(start, setting)
    mark = _HEADING.match(text.text, start, end) if place and place.at == 0 and place.block.level else None
    if place and mark:
        level = min(max(place.block.level - max(chunk.level, 1), 0), 2) + 4  # the card's own heading is of level 3
        anchor = "" if _is_again(text, start) else f' id="{setting.key}-b{place.block.number}"'
        html = text_html(text, mark.end(), end, setting)
        return f'<h{level} class="level-{min(place.block.level, 4)}"{anchor} dir="auto">{html}{_guess(setting.document.blocks[place.block.number])}</h{level}>'
    name = " ".join(_names(place, _line_of(place, setting)))
    return f'<p{f" class={chr(34)}{name}{chr(34)}" if name else ""} dir="auto">{text_html(text, start, end, setting)}</p>'


def _guess(block: Block) -> str:
    """A small mark behind a heading that its author did not mark."""
    return "" if block.confidence is None else f' <small class="guess" title="A guess, {block.confidence:.0%} sure">≈</small>'


def _names(place: Place | None, line: Line) -> Iterator[str]:
    if place and place.at and place.block.content[place.at - 1] != "\n":
        yield "goes-on"
    if line.kind is not LineKind.TEXT:
        yield f"{line.kind}"
    if line.kind is LineKind.LIST:
        yield f"depth-{min(line.depth, 8)}"
    if line.bold:
        yield "bold"


def _line_of(place: Place | None, setting: Setting) -> Line:
    """What Word knows of the line at a place."""
    if place is None:
        return Line()
    lines, number = setting.document.blocks[place.block.number].lines, bisect_right(place.block.lines, place.at) - 1
    return lines[number] if len(lines) == len(place.block.lines) else Line()


def _is_again(text: ChunkText, at: int) -> bool:
    part = text.part_at(at)
    return isinstance(part, Added) or part.role is not SliceRole.TEXT
