"""Turn finished pieces into chunks with ids, positions, pages, tables and neighbours
(docs/design/chunking.md, Finished chunks).
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from docxchunk.chunking.assembler import AFTER_CONTEXT, Assembler, context_path
from docxchunk.chunking.pieces import Piece, Span, parts_of
from docxchunk.content.lines import (
    HEADING_MARKS,
    Placement,
    is_heading_line,
    line_starts,
    lines_shown,
    placement,
)
from docxchunk.content.pipe_tables import readable
from docxchunk.language.patterns import pattern
from docxchunk.language.ranges import Range
from docxchunk.model.blocks import Block, Line
from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Part,
    Slice,
    TableForm,
    TableRole,
    TableRows,
)
from docxchunk.model.document import Document

_TAG = pattern(r"<(?:table|equation|drawing)\b[^<>]*>")
# quotes are escaped inside the cells of a JSON table
_FLEETING = pattern(r' (?:id|path)=\\?"[^"\\]*\\?"')
_NOTE_MARK = pattern(r"\[\^[^\]\s]{1,12}\]")
_NUMBER: Final = attrgetter("number")


class _Node(NamedTuple):
    """A piece in the tree of pieces, with the number of its parent and its depth."""

    piece: Piece
    parent: int | None
    depth: int


class _Links(NamedTuple):
    """The ids of a chunk, of its neighbours at the same depth, of its parent and of its children:
    fields of Chunk.
    """

    chunk_id: str
    prev: str | None
    next: str | None
    parent: str | None
    children: tuple[str, ...]


def chunks_of(
    assembler: Assembler, pieces: Sequence[Piece], settings_hash: str
) -> tuple[Chunk, ...]:
    """Return a chunk for each piece, children right after their parent."""
    nodes = _flattened(pieces)
    chunk_ids = ChunkIds(assembler.stored, settings_hash)
    parts = [parts_of(node.piece.spans, assembler.text) for node in nodes]
    ids = [
        chunk_ids.of(node.piece.path, node_parts)
        for node, node_parts in zip(nodes, parts, strict=True)
    ]
    return tuple(
        _chunk(assembler, number, nodes[number].piece, parts[number], links)
        for number, links in enumerate(_linked(nodes, ids))
    )


def _flattened(pieces: Sequence[Piece]) -> list[_Node]:
    """Return the pieces, each followed by its children and theirs."""
    nodes: list[_Node] = []
    waiting = [_Node(piece, None, 0) for piece in reversed(pieces)]
    while waiting:
        node = waiting.pop()
        waiting += (
            _Node(child, len(nodes), node.depth + 1) for child in reversed(node.piece.children)
        )
        nodes.append(node)
    return nodes


def _linked(nodes: Sequence[_Node], ids: Sequence[str]) -> list[_Links]:
    before: list[str | None] = [None] * len(nodes)
    after = before.copy()
    children: list[list[str]] = [[] for _ in nodes]
    last: dict[int, int] = {}  # by depth
    for number, node in enumerate(nodes):
        if node.depth in last:
            before[number], after[last[node.depth]] = ids[last[node.depth]], ids[number]
        last[node.depth] = number
        if node.parent is not None:
            children[node.parent].append(ids[number])
    parents = (None if node.parent is None else ids[node.parent] for node in nodes)
    return list(map(_Links, ids, before, after, parents, map(tuple, children)))


def _chunk(
    assembler: Assembler, number: int, piece: Piece, parts: tuple[Part, ...], links: _Links
) -> Chunk:
    content, tokens = piece.text, piece.tokens
    if context := assembler.context(piece.parents, piece.source_heading):
        parts, content, tokens = _with_context(assembler, context, parts, piece)
    blocks = assembler.document.blocks
    unrepeated = [span for span in piece.spans if not span.is_repeat]
    sources = sources_of(assembler, unrepeated)
    tables, heads = _tables(assembler, unrepeated)
    first = unrepeated[0]
    shows_heading = first.start == 0 and is_heading_line(blocks[first.block])
    path = piece.parents if shows_heading else (*piece.parents, piece.source_heading)
    header = assembler.embed_header(path)
    names = "\n".join(filter(None, (header, first.left_out)))
    if assembler.whole_limit > assembler.limits.max_tokens:
        heads, text, size = _fitting_text(assembler, content, tokens, heads, parts)
        names = _fitting_header(assembler, names, text, size)
        names = names or _fitting_header(assembler, header, text, size)
    return Chunk(
        tokens=tokens,
        content=content,
        chunk_order_index=number,
        heading=_numbered(piece),
        label=piece.label,
        parent_headings=piece.parents,
        level=piece.level,
        doc_id=assembler.document.doc_id,
        headings=piece.headings,
        context=context_path(piece.parents, piece.source_heading),
        blocks=tuple(dict.fromkeys(blocks[span.block].id for span in unrepeated)),
        parts=parts,
        positions=sources.positions,
        pages=sources.pages,
        page_is_estimate=sources.page_is_estimate,
        tables=tables,
        propositions=piece.propositions,
        relevance=piece.relevance,
        embed_header=names,
        table_heads=heads,
        **links._asdict(),
    )


def _tables(
    assembler: Assembler, spans: Iterable[Span]
) -> tuple[tuple[TableRows, ...], tuple[int, ...]]:
    """Return the rows of tables that the spans show, and for each table its number of header rows:
    the `table_heads` of the chunk.
    """
    rows: list[TableRows] = []
    heads: list[int] = []
    last: TableRows | None = None
    for span in spans:
        if span.is_text:
            for table in assembler.tables_between(span.block, span.start, span.end):
                heads.append(assembler.heads(table))
                if item := assembler.document.tables.get(table.id):
                    shown = 0, max(item.row_count - 1, 0)
                    rows.append(TableRows(item.id, shown, TableRole.NONE))
            continue
        if span.heads is not None:
            heads.append(span.heads)
        if span.rows and span.rows != last:
            rows.append(span.rows)
        last = span.rows or last
    return tuple(rows), _table_heads(assembler, heads)


def _table_heads(assembler: Assembler, heads: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of header rows, one for each table; () if all are 0. With pipe tables,
    return the zeros, too: `embed_text` leaves pipe tables without a number as they are.
    """
    reads_pipes = assembler.limits.tables is TableForm.MARKDOWN
    return tuple(heads) if reads_pipes or any(heads) else ()


def _fitting_text(
    assembler: Assembler,
    content: str,
    tokens: int,
    heads: tuple[int, ...],
    parts: Sequence[Part],
) -> tuple[tuple[int, ...], str, int]:
    """Return the `table_heads` of a chunk, its readable text and the number of tokens of that.
    `tokens` is the number for the content.

    If the text with the names of the columns uses reserved tokens, the names are left out. Pipe
    tables stay as they are if even this is longer than the content.
    """
    without_names = _table_heads(assembler, [0] * len(heads))
    for shown in dict.fromkeys((heads, without_names, ())):
        text = readable(content, shown, parts)
        size = tokens if text is content else assembler.meter.count(text)
        if size <= assembler.limits.max_tokens:
            break
    return shown, text, size


def _fitting_header(assembler: Assembler, header: str, text: str, tokens: int) -> str:
    """Return the text before the readable text in `embed_text`; "" if both exceed the limit."""
    meter = assembler.meter
    if (
        header
        and text  # "" for a table without rows
        and meter.joined(header, meter.count(header), AFTER_CONTEXT, text, tokens)
        > assembler.whole_limit
    ):
        return ""
    return header


def _with_context(
    assembler: Assembler, context: str, parts: tuple[Part, ...], piece: Piece
) -> tuple[tuple[Part, ...], str, int]:
    content = context + AFTER_CONTEXT + piece.text
    tokens = assembler.meter.joined(
        context, assembler.meter.count(context), AFTER_CONTEXT, piece.text, piece.tokens
    )
    # only if the first token of the text includes line breaks before it
    if tokens > assembler.limits.max_tokens:
        return parts, piece.text, piece.tokens
    return (
        (Added(context, AddedRole.CONTEXT), Added(AFTER_CONTEXT, AddedRole.JOIN), *parts),
        content,
        tokens,
    )


def _numbered(piece: Piece) -> str:
    """Return the heading, with "[part n]" if the block was split."""
    return f"{piece.heading} [part {piece.part}]".strip() if piece.part else piece.heading


# -- places


def sources_of(assembler: Assembler, spans: Iterable[Span]) -> Placement:
    """Return the place of the lines that some spans show."""
    blocks = assembler.document.blocks
    return placement(
        (blocks[number], [line for span in group for line in _lines_of(assembler, span)])
        for number, group in groupby(spans, attrgetter("block"))
    )


def _lines_of(assembler: Assembler, span: Span) -> Iterable[Line]:
    """Return the lines that a span shows, and rows of tables instead of their lines."""
    block, tables = assembler.document.blocks[span.block], assembler.document.tables
    is_whole = span.end - span.start == len(block.content)
    has_turns = any(line.turns for line in block.lines)
    if is_whole and not has_turns and not assembler.tables(span.block):
        return block.lines  # usual: the lines need not be found
    lines = assembler.lines(span.block)
    in_span = lines.between(span.start, span.end)
    rows = span.rows.rows if span.rows else None
    shown: list[Line] = []
    for line, start in zip(lines.records[in_span], lines.starts[in_span], strict=True):
        tag = lines.tables.get(start)
        table = tables.get(tag.id) if tag else None
        shown += lines_shown(line, span.start - start, span.end - start, table, rows)
    return shown


# -- ids


class ChunkIds:
    """Makes the ids of chunks. An id is a hash of the heading path without automatic labels, and of
    the text without automatic labels, object ids, asset paths and note numbers.
    """

    def __init__(self, document: Document, settings_hash: str) -> None:
        blocks = document.blocks
        self._blocks = {block.id: block for block in blocks}
        self._bare = {
            block.heading: block.heading.removeprefix(block.number).lstrip()
            for block in blocks
            if block.number
        }
        self._labels: dict[str, list[Range]] = {}  # by the id of their block
        self._salt = f"{document.doc_id}\x1f{settings_hash}"
        self._seen: Counter[str] = Counter()

    def of(self, path: Sequence[str], parts: Sequence[Part]) -> str:
        """Return the id of the next chunk of the document, which has this heading path and these
        parts.
        """
        headings = (self._bare.get(name, name) for name in path)
        texts = (self._stable(part) for part in parts if isinstance(part, Slice))
        digest = _hash("\x1f".join((self._salt, *headings, "", *texts)))
        self._seen[digest] += 1
        return digest if self._seen[digest] == 1 else _hash(f"{digest}\x1f{self._seen[digest]}")

    def _stable(self, part: Slice) -> str:
        """Return the text of a slice without automatic numbers, ids of objects and numbers of
        notes: an edit elsewhere in the document may change them.
        """
        block = self._blocks[part.block]
        labels = self._labels.get(block.id)
        if labels is None:
            labels = self._labels[block.id] = list(_labels_of(block))
        text, offset = "", part.start
        for start, end in labels[
            bisect_left(labels, (part.start, 0)) : bisect_left(labels, (part.end, 0))
        ]:
            text += block.content[offset:start]
            offset = end
        text += block.content[offset : part.end]
        if "<" in text:
            text = _without_object_ids(text)
        return _NOTE_MARK.sub("", text) if "[^" in text else text


def _labels_of(block: Block) -> Iterator[Range]:
    """Yield the ranges of the automatic labels of headings and list items in a block."""
    numbers = list(map(_NUMBER, block.lines))
    if not any(numbers):
        return
    # in a file by another program, the number of records may differ from that of lines
    for line_start, label in zip(line_starts(block.content), numbers, strict=False):
        if label:
            marks = HEADING_MARKS.match(block.content, line_start)
            start = marks.end() if marks else line_start
            if block.content.startswith(label, start):
                yield start, start + len(label)


def _without_object_ids(text: str) -> str:
    """Return the text without the ids and picture paths in its tags. These depend on the rest of
    the document and on its name.
    """
    return _TAG.sub(lambda tag: _FLEETING.sub("", tag[0]), text)


def _hash(text: str) -> str:
    return "chunk-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
