"""A chunk as a card: its number, heading path, size, text, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from docxchunk.formats.report.chunk_text import chunk_text
from docxchunk.formats.report.escaping import escaped
from docxchunk.formats.report.lines import body_html
from docxchunk.formats.report.tables import table_label
from docxchunk.formats.report.values import ChunkSet, Setting
from docxchunk.markup.languages import language_of
from docxchunk.markup.tables import tables
from docxchunk.model.blocks import Position
from docxchunk.model.chunks import AddedRole, Chunk, Slice, SliceRole, TableRole

_COLOURS = 6
_REPEATS = (SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER)


def card(chunk: Chunk, chunk_set: ChunkSet, setting: Setting) -> str:
    number = chunk.chunk_order_index + 1
    key = f"{setting.key}-{number}"
    language = language_of(chunk.content)
    return (
        f'<article class="chunk colour-{number % _COLOURS} tall-{_height(chunk)}" id="{key}" tabindex="-1" aria-labelledby="{key}-h" '
        f'data-set="{setting.key}" data-number="{number}" data-kinds="{" ".join(kinds(chunk, chunk_set.cap))}">'
        f'<header><h3 id="{key}-h"><a href="#{key}">{escaped(chunk_set.name)}&#8239;{number}</a> {path_html(chunk)}</h3>'
        f"{size_html(chunk, chunk_set)}</header>{_rows(chunk, setting)}"
        f'<div class="text"{f" lang={chr(34)}{language}{chr(34)}" if language else ""}>{body_html(chunk_text(chunk, setting), chunk, setting)}</div>'
        f"<details><summary>Where from</summary><p>{escaped(' · '.join(_origin(chunk)))}</p></details></article>\n"
    )


def kinds(chunk: Chunk, cap: int) -> Iterator[str]:
    """What a chunk can be filtered by."""
    if chunk.tokens > cap:
        yield "over"
    if chunk.tokens < cap / 8:
        yield "small"
    if any(table.role is not TableRole.NONE for table in chunk.tables):
        yield "slice"
    if any(part.role in _REPEATS for part in chunk.parts):
        yield "repeat"


def _height(chunk: Chunk) -> int:
    """A guess in steps of about 200 px, so that the scroll bar is right before the text is laid out."""
    lines = (
        chunk.content.count("\n") + chunk.content.count("</tr>") + chunk.content.count("],[") + sum(2 if ord(c) > 0x2E80 else 1 for c in chunk.content) // 90
    )
    return min(1 + lines // 7, 20)


def path_html(chunk: Chunk) -> str:
    above = "".join(f'<span class="above" dir="auto">{escaped(heading)}</span> <span class="then">›</span> ' for heading in chunk.parent_headings)
    label = f' <span class="then">·</span> <i class="label" dir="auto">{escaped(chunk.label)}</i>' if chunk.label and chunk.label not in chunk.heading else ""
    return f'{above}<b dir="auto">{escaped(chunk.heading) or "(before the first heading)"}</b>{label}'


def size_html(chunk: Chunk, chunk_set: ChunkSet, more: str = "") -> str:
    share = min(100, round(100 * chunk.tokens / max(1, chunk_set.cap)))
    level = "over" if chunk.tokens > chunk_set.cap else "ideal" if share >= 75 else "small" if share < 12.5 else "usual"
    pages = f" · p. {_span(chunk.pages[0], chunk.pages[-1])}" if chunk.pages else ""
    return (
        f'<p class="size"><svg class="{level}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="cap" width="100" height="6"/>'
        f'<rect width="{share}" height="6"/></svg> {chunk.tokens:,} of {chunk_set.cap:,} tokens{pages}{more and f" · {more}"}</p>'
    )


def _rows(chunk: Chunk, setting: Setting) -> str:
    """The rows that a chunk holds of a table without being one: a long row is cut into pieces of text."""
    shown = {table.id for table in tables(chunk.content)}
    pieces = [table for table in chunk.tables if table.role is not TableRole.NONE and table.id not in shown]
    return "".join(f'<p class="rows">{escaped(table_label(table.id, table, setting))}</p>' for table in pieces)


def _origin(chunk: Chunk) -> Iterator[str]:
    yield chunk.chunk_id
    for position in chunk.positions:
        yield _where(position)
    if chunk.parent:
        yield f"part of {chunk.parent}"
    yield f"{sum(isinstance(part, Slice) for part in chunk.parts)} slices of {len(chunk.blocks)} blocks"


def _where(position: Position) -> str:
    paragraphs = f" (paragraphs {_span(position.first, position.last)})" if position.first and position.last else ""
    return f"body elements {_span(*position.elements)}{paragraphs}"


def _span(first: int | str, last: int | str) -> str:
    return f"{first}" if first == last else f"{first}–{last}"
