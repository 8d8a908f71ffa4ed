"""Stage B: slice tables over the limit between rows, and attach the slices to adjacent text
(docs/design/staged-chunking.md).
"""

from __future__ import annotations

import logging

from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.table_splitter import TableSizes, TableSlicer
from docxchunk.markup.tables import TableTag
from docxchunk.model.chunks import SliceRole, TableRole

log = logging.getLogger("docxchunk.chunking")


def slice_tables(services: Services, sizes: TableSizes, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with large tables sliced. The first slice ends a piece, the last one starts
    a piece, each slice between is a piece.

    Text between two sliced tables becomes a separate piece, which the stage `bridge` shares between
    them.
    """
    done: list[Piece] = []
    for piece in pieces:
        if piece.tokens > sizes.most and any(services.tables(span.block) for span in piece.spans):
            done += _sliced(services, sizes, piece)
        else:
            done.append(piece)
    return done


def _sliced(services: Services, sizes: TableSizes, piece: Piece) -> list[Piece]:
    groups: list[tuple[TableRole, list[Span]]] = [(TableRole.NONE, [])]
    for span in piece.spans:
        for item in _items(services, sizes, span):
            if isinstance(item, Span):
                groups[-1][1].append(item)
            else:
                _put_slices(groups, item)
    full = [(role, spans) for role, spans in groups if spans]
    if len(full) == 1 and piece.tokens <= sizes.unsliced:
        return [piece]
    log.debug("table_chunk_role: %s of %r", [role.value for role, _ in full], piece.heading)
    return [
        services.piece(spans, piece if i == 0 else services.rest(piece))._replace(role=role)
        for i, (role, spans) in enumerate(full)
    ]


def _items(services: Services, sizes: TableSizes, span: Span) -> list[Span | list[list[Span]]]:
    """Return a span as text spans and sliced tables, in order; only the span itself if none of its
    tables is over the limit.
    """
    over = _tables_over(services, sizes, span)
    if not over:
        return [span]
    found: list[Span | list[list[Span]]] = []
    at = span.start
    for table in over:
        found += services.text_between(span.block, at, table.start)
        found.append(TableSlicer(services, span.block, table, sizes).slices())
        at = table.end
    return [*found, *services.text_between(span.block, at, span.end)]


def _tables_over(services: Services, sizes: TableSizes, span: Span) -> list[TableTag]:
    if (
        span.role is not SliceRole.TEXT
        or span.tokens <= sizes.most
        or not services.tables(span.block)
    ):
        return []
    lines = services.lines(span.block)
    inside = (table for start, table in lines.tables.items() if span.start <= start < span.end)
    return [table for table in inside if lines.ruler.exceeds(table.start, table.end, sizes.most)]


def _put_slices(groups: list[tuple[TableRole, list[Span]]], slices: list[list[Span]]) -> None:
    """Append the first slice to the current group and start a new group with the last one (stage B,
    rule 6).
    """
    role, spans = groups[-1]
    if len(slices) < 2:
        spans += (span for group in slices for span in group)
        return
    # between two sliced tables: separate the last slice, the text and the first slice
    if role is TableRole.LAST:
        count = 1 + sum(span.rows is not None for span in spans[1:])
        groups[-1:] = [
            (role, spans[:count]),
            (TableRole.NONE, spans[count:]),
            (TableRole.FIRST, [*slices[0]]),
        ]
    else:
        groups[-1] = (TableRole.FIRST, [*spans, *slices[0]])
    groups += [(TableRole.MIDDLE, [*middle]) for middle in slices[1:-1]]
    groups.append((TableRole.LAST, [*slices[-1]]))
