"""Check invariants of documents and chunks, whichever program wrote them. Each function yields one sentence per violation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from docxchunk.markup.tables import decoded_cell, tables
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Added, Chunk, Part, Slice, SliceRole
from docxchunk.model.document import Document
from docxchunk.model.objects import Drawing, Equation, Table

_OBJECT = re.compile(r'<(table|equation|drawing) id="([^"]*)"')
_MARKS = re.compile(r"<[^<>]*>|\\[^<]")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)  # in a JSON string
_SHOWN = (SliceRole.TEXT, SliceRole.CELL)


def document_faults(document: Document) -> Iterator[str]:
    """Check that ids are unique and resolve, headings have the right parents, `lines` match the content, and pictures exist."""
    yield from _repeated("blockid", (block.id for block in document.blocks))
    yield from _heading_faults(document.blocks)
    for block in document.blocks:
        if block.lines and len(block.lines) != block.content.count("\n") + 1:
            yield f"block {block.id} has {len(block.lines)} lines for {block.content.count(chr(10)) + 1} lines of content"
    yield from _object_faults(document)


def chunk_faults(document: Document, chunks: Sequence[Chunk], cap: int, count: Callable[[str], int] | None) -> Iterator[str]:
    """Check that no text is lost, repeated or out of order, and that each chunk consists of its parts and has at most `cap` tokens.

    `count` counts tokens; with None, the token numbers of the chunks are not checked.
    """
    yield from _repeated("chunk_id", (chunk.chunk_id for chunk in chunks))
    contents = {block.id: block.content for block in document.blocks}
    for number, chunk in enumerate(chunks):
        for fault in _single_faults(chunk, number, contents, cap, count):
            yield f"chunk {number}: {fault}"
    yield from _position_faults(document, chunks)
    leaves = [chunk for chunk in chunks if not chunk.children]
    yield from _coverage_faults(document.blocks, leaves)


def _position_faults(document: Document, chunks: Iterable[Chunk]) -> Iterator[str]:
    """Check that chunks have positions if their blocks have."""
    placed = {block.id for block in document.blocks if block.position is not None}
    counted = {block.id for block in document.blocks if block.position is not None and block.position.paragraphs}
    for number, chunk in enumerate(chunks):
        if not chunk.positions and placed.intersection(chunk.blocks):
            yield f"chunk {number}: it has no position"
        elif counted.intersection(chunk.blocks) and not any(position.paragraphs for position in chunk.positions):
            yield f"chunk {number}: its positions name no paragraph"


def shown(part: Part, contents: Mapping[str, str]) -> str:
    """Return the text that a part contributes to its chunk. `contents` maps block ids to contents."""
    if isinstance(part, Added):
        return part.text
    if part.shown is not None:
        return part.shown
    content = contents.get(part.block, "")
    return decoded_cell(content, part.start, part.end) if part.role is SliceRole.CELL else content[part.start : part.end]


def _repeated(name: str, values: Iterable[str]) -> Iterator[str]:
    for value, times in Counter(values).items():
        if times > 1:
            yield f"{name} {value!r} occurs {times} times"


def _heading_faults(blocks: Iterable[Block]) -> Iterator[str]:
    above: list[Block] = []
    for block in blocks:
        repeats_last = above and (_path(block), block.level) == (_path(above[-1]), above[-1].level)  # as after a table of contents
        if block.level == 0 or repeats_last:
            continue
        while above and above[-1].level >= block.level:
            above.pop()
        if block.parent_headings != tuple(parent.heading for parent in above):
            yield f"block {block.id} ({block.heading!r}) has parent_headings that differ from the headings above it"
        if not block.content.startswith("#" * min(block.level, 6) + " "):
            yield f"block {block.id} ({block.heading!r}) does not begin with its heading"
        above.append(block)


def _path(block: Block) -> tuple[str, ...]:
    return (*block.parent_headings, block.heading)


def _object_faults(document: Document) -> Iterator[str]:
    kinds = {"table": document.tables.keys(), "equation": document.equations.keys(), "drawing": document.drawings.keys()}
    known = {block.id for block in document.blocks}
    for block in document.blocks:
        for kind, identifier in _OBJECT.findall(block.content):
            if identifier not in kinds[kind]:
                yield f"block {block.id} contains the {kind} {identifier}, which has no item"
    items: tuple[Table | Equation | Drawing, ...] = (*document.tables.values(), *document.equations.values(), *document.drawings.values())
    for item in items:
        if item.block_id and item.block_id not in known:
            yield f"{item.id} belongs to block {item.block_id}, which does not exist"
    for drawing in document.drawings.values():
        if drawing.path and drawing.path.rpartition("/")[2] not in document.assets:
            yield f"{drawing.id} has the picture {drawing.path}, which does not exist"


def _single_faults(chunk: Chunk, number: int, contents: Mapping[str, str], cap: int, count: Callable[[str], int] | None) -> Iterator[str]:
    if chunk.chunk_order_index != number:
        yield f"its chunk_order_index is {chunk.chunk_order_index}"
    if chunk.tokens > cap:
        yield f"its {chunk.tokens} tokens exceed the limit of {cap}"
    if count is not None and count(chunk.content) != chunk.tokens:
        yield f"it declares {chunk.tokens} tokens but has {count(chunk.content)}"
    if not chunk.content.strip():
        yield "it is empty"
    unknown = {part.block for part in chunk.parts if isinstance(part, Slice)} - contents.keys()
    if unknown:
        yield f"it refers to blocks that do not exist ({', '.join(sorted(unknown))})"
    elif not chunk.children and "".join(shown(part, contents) for part in chunk.parts) != chunk.content:
        yield "its content is not the concatenation of its parts"


def _coverage_faults(blocks: Sequence[Block], chunks: Iterable[Chunk]) -> Iterator[str]:
    """Check that each character, except blanks and table syntax, is in exactly one chunk, in order.

    The chunks of clusters may consist of separate passages: each chunk is in order, and so are the beginnings of the chunks.
    """
    place = {block.id: number for number, block in enumerate(blocks)}
    shown = [own for chunk in chunks if (own := _places(chunk, place))]
    order = sorted(each for own in shown for each in own)
    if any(own != sorted(own) for own in shown) or shown != sorted(shown) or any(left[:1] + left[2:] > right[:2] for left, right in pairwise(order)):
        yield "text is out of order or repeated"
    covered: dict[int, bytearray] = {}
    for number, start, end in order:
        if number not in covered:
            covered[number] = _required(blocks[number].content)
        covered[number][start:end] = bytes(end - start)
    for number, block in enumerate(blocks):
        missing = covered.get(number) or _required(block.content)
        if any(missing):
            lost = "".join(character for character, wanted in zip(block.content, missing, strict=True) if wanted)
            yield f"{len(lost)} characters of block {block.id} are in no chunk: {lost[:60]!r}"


def _places(chunk: Chunk, place: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Return (block number, start, end) of each slice that a chunk shows."""
    parts = (part for part in chunk.parts if isinstance(part, Slice) and part.role in _SHOWN and part.block in place)
    return [(place[part.block], part.start, part.end) for part in parts if part.start < part.end]


def _required(content: str) -> bytearray:
    """Return 1 for each character that must be in a chunk, 0 for blanks and table syntax."""
    mask = bytearray(not character.isspace() for character in content)
    for table in tables(content):
        inside = content[table.start : table.end]
        mask[table.start : table.end] = bytes(character.isalnum() for character in inside)
        for mark in _MARKS.finditer(inside):
            mask[table.start + mark.start() : table.start + mark.end()] = bytes(len(mark[0]))
        if content[table.body : table.body_end].lstrip().startswith("["):
            for blank in filter(_is_blank, _ESCAPE.finditer(content, table.body, table.body_end)):
                mask[blank.start() : blank.end()] = bytes(len(blank[0]))
    return mask


def _is_blank(escape: re.Match[str]) -> bool:
    return escape[1] is not None and chr(int(escape[1], 16)).isspace()
