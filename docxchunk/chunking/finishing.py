"""Finished pieces as chunks: headings, context, places, tables, neighbours (sidecar.md, 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from docxchunk.chunking.context import AFTER, context_path
from docxchunk.chunking.ids import ChunkIds
from docxchunk.chunking.pieces import Piece, Span, parts_of
from docxchunk.chunking.services import Services
from docxchunk.markup.tables import tables
from docxchunk.model.blocks import Line, Position
from docxchunk.model.chunks import Added, AddedRole, Chunk, Part, SliceRole, TableRole, TableRows


def chunks_of(services: Services, pieces: Sequence[Piece], settings_hash: str) -> tuple[Chunk, ...]:
    ids = ChunkIds(services.document, settings_hash)
    return tuple(_linked([_chunk(services, ids, number, piece) for number, piece in enumerate(pieces)]))


def _chunk(services: Services, ids: ChunkIds, number: int, piece: Piece) -> Chunk:
    parts, content, tokens = parts_of(piece.spans, services.contents), piece.text, piece.tokens
    chunk_id = ids.of(piece.path, parts)
    if context := services.context(piece.parents, piece.heading):
        parts, content, tokens = _with_context(services, context, parts, piece)
    own = [span for span in piece.spans if not span.is_repeat]
    blocks = services.document.blocks
    return Chunk(
        tokens=tokens,
        content=content,
        chunk_order_index=number,
        heading=_numbered(piece),
        parent_headings=piece.parents,
        level=piece.level,
        chunk_id=chunk_id,
        doc_id=services.document.doc_id,
        headings=piece.headings,
        context=context_path(piece.parents, piece.heading),
        blocks=tuple(dict.fromkeys(blocks[span.block].id for span in own)),
        parts=parts,
        positions=tuple(_positions(services, own)),
        pages=tuple(_pages(services, own)),
        tables=tuple(_tables(services, own)),
    )


def _with_context(services: Services, context: str, parts: tuple[Part, ...], piece: Piece) -> tuple[tuple[Part, ...], str, int]:
    content = context + AFTER + piece.text
    tokens = services.meter.joined(context, services.meter.count(context), AFTER, piece.text, piece.tokens)
    if tokens > services.limits.max_tokens:  # only where the text's first token runs on from a blank line
        return parts, piece.text, piece.tokens
    return (Added(context, AddedRole.CONTEXT), Added(AFTER, AddedRole.JOIN), *parts), content, tokens


def _numbered(piece: Piece) -> str:
    """The heading, with its part number where it is that of a content line that was split (seed 002, 3.4)."""
    if not piece.part or piece.spans[0].block != piece.block:
        return piece.heading
    return f"{piece.heading} [part {piece.part}]".strip()


def _linked(chunks: list[Chunk]) -> Iterator[Chunk]:
    ids = [None, *(chunk.chunk_id for chunk in chunks), None]
    for number, chunk in enumerate(chunks):
        yield replace(chunk, prev=ids[number], next=ids[number + 2])


def _positions(services: Services, spans: Iterable[Span]) -> Iterator[Position]:
    """One position for each stretch of a block: the whole block's, or the paragraphs that are shown."""
    for number, start, end in _stretches(spans):
        position = services.document.blocks[number].position
        if position is not None:
            named = [line.para_id for line in _shown(services, number, start, end) if line.para_id]
            yield position._replace(first=named[0], last=named[-1]) if named and end - start < len(services.contents[number]) else position


def _pages(services: Services, spans: Iterable[Span]) -> list[int]:
    found: set[int] = set()
    for number, start, end in _stretches(spans):
        block = services.document.blocks[number]
        found.update(line.page for line in _shown(services, number, start, end) if line.page is not None)
        if not block.lines and block.page is not None:
            found.add(block.page)
    return sorted(found)


def _shown(services: Services, number: int, start: int, end: int) -> Sequence[Line]:
    """What Word knows of the lines in a range of a block."""
    block = services.document.blocks[number]
    if end - start == len(block.content) or not block.lines:
        return block.lines
    lines = services.lines(number)
    return lines.records[lines.between(start, end)]


def _stretches(spans: Iterable[Span]) -> list[tuple[int, int, int]]:
    """Block, start and end; neighbouring spans of a block as one."""
    found: list[tuple[int, int, int]] = []
    for span in spans:
        if found and found[-1][0] == span.block:
            found[-1] = (span.block, found[-1][1], max(found[-1][2], span.end))
        else:
            found.append((span.block, span.start, span.end))
    return found


def _tables(services: Services, spans: Iterable[Span]) -> Iterator[TableRows]:
    last: TableRows | None = None
    for span in spans:
        if span.rows:
            if span.rows != last:
                yield span.rows
            last = span.rows
        elif span.role is SliceRole.TEXT and "<table" in span.text:
            for table in tables(span.text):
                item = services.document.tables.get(table.id)
                if item:
                    yield TableRows(item.id, (0, max(item.rows - 1, 0)), TableRole.NONE)
