"""Turn finished pieces into chunks with ids, positions, tables and neighbours
(docs/design/chunking.md, Finished chunks).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.chunking.context import AFTER, context_path
from docxchunk.chunking.ids import ChunkIds
from docxchunk.chunking.line_kinds import is_heading_line
from docxchunk.chunking.pieces import Piece, Span, parts_of
from docxchunk.chunking.services import Services
from docxchunk.chunking.source_positions import sources_of
from docxchunk.model.chunks import Added, AddedRole, Chunk, Part, SliceRole, TableRole, TableRows

_OLDER_PART: Final = re.compile(r"\s*\[表格片段\s*(\d{1,6})\]\s*$")
_TEXT: Final = SliceRole.TEXT


class _Node(NamedTuple):
    """A piece in the tree of pieces, with the number of its parent and its depth."""

    piece: Piece
    parent: int | None
    depth: int


class _Ids(NamedTuple):
    """The ids of a chunk, of its neighbours at the same depth, of its parent and of its
    children.
    """

    own: str
    prev: str | None
    next: str | None
    parent: str | None
    children: tuple[str, ...]


def chunks_of(services: Services, pieces: Sequence[Piece], settings_hash: str) -> tuple[Chunk, ...]:
    """Return a chunk for each piece, children right after their parent."""
    nodes: list[_Node] = []
    for piece in pieces:
        _flatten(piece, None, 0, nodes)
    ids = ChunkIds(services, settings_hash)
    parts = [parts_of(node.piece.spans, services.text) for node in nodes]
    names = [ids.of(node.piece.path, made_of) for node, made_of in zip(nodes, parts, strict=True)]
    around = _linked(nodes, names)
    return tuple(
        _chunk(services, *each)
        for each in zip(
            range(len(nodes)), (node.piece for node in nodes), parts, around, strict=True
        )
    )


def _flatten(piece: Piece, parent: int | None, depth: int, into: list[_Node]) -> None:
    number = len(into)
    into.append(_Node(piece, parent, depth))
    for child in piece.children:
        _flatten(child, number, depth + 1, into)


def _linked(nodes: Sequence[_Node], names: Sequence[str]) -> list[_Ids]:
    before: list[str | None] = [None] * len(nodes)
    after = before.copy()
    children: list[tuple[str, ...]] = [()] * len(nodes)
    last: dict[int, int] = {}  # by depth
    for number, node in enumerate(nodes):
        if node.depth in last:
            before[number], after[last[node.depth]] = names[last[node.depth]], names[number]
        last[node.depth] = number
        if node.parent is not None:
            children[node.parent] = (*children[node.parent], names[number])
    parents = (None if node.parent is None else names[node.parent] for node in nodes)
    return list(map(_Ids, names, before, after, parents, children))


def _chunk(
    services: Services, number: int, piece: Piece, parts: tuple[Part, ...], ids: _Ids
) -> Chunk:
    content, tokens = piece.text, piece.tokens
    if context := services.context(piece.parents, piece.source_heading):
        parts, content, tokens = _with_context(services, context, parts, piece)
    own = [span for span in piece.spans if not span.is_repeat]
    blocks = services.document.blocks
    opens = own[0].start == 0 and is_heading_line(blocks[own[0].block])
    sources = sources_of(services, own)
    header = services.embed_header(
        piece.parents if opens else (*piece.parents, piece.source_heading)
    )
    return Chunk(
        tokens=tokens,
        content=content,
        chunk_order_index=number,
        heading=_numbered(piece),
        label=piece.label,
        parent_headings=piece.parents,
        level=piece.level,
        chunk_id=ids.own,
        doc_id=services.document.doc_id,
        headings=piece.headings,
        context=context_path(piece.parents, piece.source_heading),
        blocks=tuple(dict.fromkeys(blocks[span.block].id for span in own)),
        parts=parts,
        positions=sources.positions,
        pages=sources.pages,
        page_is_estimate=sources.pages_are_estimates,
        tables=tuple(_tables(services, own)),
        prev=ids.prev,
        next=ids.next,
        parent=ids.parent,
        children=ids.children,
        propositions=piece.propositions,
        relevance=piece.relevance,
        embed_header=_fitting(services, header, content, tokens),
    )


def _fitting(services: Services, header: str, content: str, tokens: int) -> str:
    """Return the header if header and content fit into the limit or nothing is reserved for the
    header, else "".
    """
    if not header or services.whole_limit == services.limits.max_tokens:
        return header
    total = services.meter.joined(header, services.meter.count(header), AFTER, content, tokens)
    return header if total <= services.whole_limit else ""


def _with_context(
    services: Services, context: str, parts: tuple[Part, ...], piece: Piece
) -> tuple[tuple[Part, ...], str, int]:
    content = context + AFTER + piece.text
    tokens = services.meter.joined(
        context, services.meter.count(context), AFTER, piece.text, piece.tokens
    )
    # only if the first token of the text includes line breaks before it
    if tokens > services.limits.max_tokens:
        return parts, piece.text, piece.tokens
    return (
        (Added(context, AddedRole.CONTEXT), Added(AFTER, AddedRole.JOIN), *parts),
        content,
        tokens,
    )


def _numbered(piece: Piece) -> str:
    """Return the heading, with "[part n]" if the block was split. An existing part suffix is
    replaced.
    """
    older = _OLDER_PART.search(piece.heading) if "[" in piece.heading else None
    heading = piece.heading[: older.start()] if older else piece.heading
    part = piece.part or (int(older[1]) if older else 0)
    return f"{heading} [part {part}]".strip() if part else heading


def _tables(services: Services, spans: Iterable[Span]) -> Iterator[TableRows]:
    last: TableRows | None = None
    for span in spans:
        if span.rows:
            if span.rows != last:
                yield span.rows
            last = span.rows
        elif span.role is _TEXT:
            for table in services.tables_between(span.block, span.start, span.end):
                if item := services.document.tables.get(table.id):
                    yield TableRows(item.id, (0, max(item.row_count - 1, 0)), TableRole.NONE)
