"""Check invariants of documents and chunks, whichever program wrote them. Each function yields one
sentence per violation.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, pairwise

from docxchunk.content.tables import TableContent, decoded_cell, tables
from docxchunk.language.patterns import pattern
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Added, Chunk, Part, Slice, SliceRole
from docxchunk.model.document import Document
from docxchunk.model.objects import Drawing, Equation, Table
from docxchunk.model.ports import Count

_OBJECT = pattern(r'<(table|equation|drawing) id="([^"]*)"')
_MARKUP = pattern(r"<[^<>]*>")
_ESCAPE = pattern(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)  # in a JSON string
SHOWN = (SliceRole.TEXT, SliceRole.CELL)  # the roles of slices that show text for the first time


def document_faults(document: Document) -> Iterator[str]:
    """Check that ids are unique and resolve, headings have the right parents, `lines` match the
    content, and pictures exist.
    """
    yield from repeated("blockid", (block.id for block in document.blocks))
    yield from _heading_faults(document.blocks)
    for block in document.blocks:
        if block.lines and len(block.lines) != block.content.count("\n") + 1:
            yield (
                f"block {block.id} has {len(block.lines)} lines for "
                f"{block.content.count(chr(10)) + 1} lines of content"
            )
    yield from _object_faults(document)


def chunk_faults(
    document: Document, chunks: Sequence[Chunk], cap: int, count: Count | None
) -> Iterator[str]:
    """Check the laws of chunks that need nothing but the document (docs/concepts/laws.md): 1, 2, 3,
    10 and unique ids.

    No text is lost, repeated or out of order. Each chunk consists of its parts and has at most
    `cap` tokens. `count` counts tokens; with None, the token numbers of the chunks are not checked.
    The chunks of clusters may consist of separate passages; `order_faults` checks those of all
    other strategies.
    """
    yield from repeated("chunk_id", (chunk.chunk_id for chunk in chunks))
    contents = {block.id: block.content for block in document.blocks}
    for number, chunk in enumerate(chunks):
        if chunk.chunk_order_index != number:
            yield f"chunk {number}: its chunk_order_index is {chunk.chunk_order_index}"
        for fault in chain(size_faults(chunk, cap, count), _part_faults(chunk, contents)):
            yield f"chunk {number}: {fault}"
    yield from _position_faults(document, chunks)
    leaves = [chunk for chunk in chunks if not chunk.children]
    yield from _coverage_faults(document.blocks, leaves)


def _position_faults(document: Document, chunks: Iterable[Chunk]) -> Iterator[str]:
    """Check that a chunk has positions if its blocks have them."""
    placed = {block.id: block.position for block in document.blocks if block.position}
    for number, chunk in enumerate(chunks):
        positions = [placed[block] for block in chunk.blocks if block in placed]
        if positions and not chunk.positions:
            yield f"chunk {number}: it has no position"
        elif any(position.paragraphs for position in positions) and not any(
            position.paragraphs for position in chunk.positions
        ):
            yield f"chunk {number}: its positions name no paragraph"


def shown(part: Part, contents: Mapping[str, str]) -> str:
    """Return the text that a part contributes to its chunk. `contents` maps block ids to
    contents.
    """
    if isinstance(part, Added):
        return part.text
    if part.shown is not None:
        return part.shown
    content = contents.get(part.block, "")
    return (
        decoded_cell(content, part.start, part.end)
        if part.role is SliceRole.CELL
        else content[part.start : part.end]
    )


def repeated(name: str, values: Iterable[str]) -> Iterator[str]:
    """Yield a message for each repeated value of a key, such as "blockid 'x' occurs 2 times"."""
    for value, times in Counter(values).items():
        if times > 1:
            yield f"{name} {value!r} occurs {times} times"


def _heading_faults(blocks: Iterable[Block]) -> Iterator[str]:
    above: list[Block] = []
    for block in blocks:
        # as after a table of contents
        repeats_last = above and _path(block) == _path(above[-1])
        if block.level == 0 or repeats_last:
            continue
        while above and above[-1].level >= block.level:
            above.pop()
        if block.parent_headings != tuple(parent.heading for parent in above):
            yield (
                f"block {block.id} ({block.heading!r}) has parent_headings that differ from "
                "the headings above it"
            )
        if not block.content.startswith("#" * min(block.level, 6) + " "):
            yield f"block {block.id} ({block.heading!r}) does not begin with its heading"
        above.append(block)


def _path(block: Block) -> tuple[object, ...]:
    return block.parent_headings, block.heading, block.level


def _object_faults(document: Document) -> Iterator[str]:
    items: dict[str, Iterable[Table | Equation | Drawing]] = {
        "table": document.tables,
        "equation": document.equations,
        "drawing": document.drawings,
    }
    ids = {kind: {item.id for item in of_kind} for kind, of_kind in items.items()}
    block_ids = {block.id for block in document.blocks}
    for block in document.blocks:
        for kind, identifier in _OBJECT.findall(block.content):
            if identifier not in ids[kind]:
                yield f"block {block.id} contains the {kind} {identifier}, which has no item"
    for item in chain.from_iterable(items.values()):
        if item.block_id and item.block_id not in block_ids:
            yield f"{item.id} belongs to block {item.block_id}, which does not exist"
    for drawing in document.drawings:
        if drawing.path and drawing.path.rpartition("/")[2] not in document.assets:
            yield f"{drawing.id} has the picture {drawing.path}, which does not exist"


def size_faults(chunk: Chunk, cap: int, count: Count | None) -> Iterator[str]:
    """Check that a chunk is not empty, has at most `cap` tokens, and declares the number of tokens
    that `count` returns. With `count` None, that number is not checked.
    """
    if chunk.tokens > cap:
        yield f"its {chunk.tokens} tokens exceed the limit of {cap}"
    if count is not None and (tokens := count(chunk.content)) != chunk.tokens:
        yield f"it declares {chunk.tokens} tokens but has {tokens}"
    if not chunk.content.strip():
        yield "it is empty"


def _part_faults(chunk: Chunk, contents: Mapping[str, str]) -> Iterator[str]:
    slices = [part for part in chunk.parts if isinstance(part, Slice)]
    unknown = {part.block for part in slices} - contents.keys()
    if unknown:
        yield f"it refers to blocks that do not exist ({', '.join(sorted(unknown))})"
    elif any(not 0 <= part.start <= part.end <= len(contents[part.block]) for part in slices):
        yield "one of its parts is not within its block"
    elif (
        not chunk.children
        and "".join(shown(part, contents) for part in chunk.parts) != chunk.content
    ):
        yield "its content is not the concatenation of its parts"


def order_faults(document: Document, chunks: Iterable[Chunk]) -> Iterator[str]:
    """Check that the text of each chunk follows the text of the chunk before. This does not hold
    for clusters.
    """
    numbers = {block.id: number for number, block in enumerate(document.blocks)}
    leaves = (chunk for chunk in chunks if not chunk.children)
    ranges = [shown for chunk in leaves for shown in _shown_ranges(chunk, numbers)]
    if ranges != sorted(ranges):
        yield "the chunks are not contiguous"


def _coverage_faults(blocks: Sequence[Block], chunks: Iterable[Chunk]) -> Iterator[str]:
    """Check that each character, except blanks and table syntax, is in exactly one chunk, in order.

    The chunks of clusters may consist of separate passages: each chunk is in order, and so are the
    beginnings of the chunks.
    """
    numbers = {block.id: number for number, block in enumerate(blocks)}
    chunk_ranges = [ranges for chunk in chunks if (ranges := _shown_ranges(chunk, numbers))]
    in_order = sorted(chain.from_iterable(chunk_ranges))
    if (
        any(ranges != sorted(ranges) for ranges in chunk_ranges)
        or chunk_ranges != sorted(chunk_ranges)
        or any(a == b and end > start for (a, _, end), (b, start, _) in pairwise(in_order))
    ):
        yield "text is out of order or repeated"
    ranges_of: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, start, end in in_order:
        ranges_of[number].append((start, end))
    for number, block in enumerate(blocks):
        missing = required_characters(block.content)
        for start, end in ranges_of[number]:
            missing[start:end] = bytes(len(missing[start:end]))
        if any(missing):
            lost = "".join(compress(block.content, missing))
            yield f"{len(lost)} characters of block {block.id} are in no chunk: {lost[:60]!r}"


def _shown_ranges(chunk: Chunk, numbers: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Return (block number, start, end) of each slice that a chunk shows."""
    parts = (
        part
        for part in chunk.parts
        if isinstance(part, Slice) and part.role in SHOWN and part.block in numbers
    )
    return [(numbers[part.block], part.start, part.end) for part in parts if part.start < part.end]


def required_characters(content: str) -> bytearray:
    """Return 1 for each character that must be in a chunk, 0 for blanks and table syntax.

    The syntax of a table is its tags and all characters but letters and digits. In JSON, the
    escapes of blanks and control characters are syntax, too.
    """
    mask = bytearray(not character.isspace() for character in content)
    for table in tables(content):
        mask[table.start : table.end] = bytes(
            character.isalnum() for character in content[table.start : table.end]
        )
        for start, end in _syntax(table):
            mask[start:end] = bytes(end - start)
    return mask


def _syntax(table: TableContent) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a table whose letters and digits are syntax."""
    yield table.start, table.body
    yield table.body_end, table.end
    content = table.content
    if table.text.lstrip().startswith("["):
        yield from (
            escape.span()
            for escape in _ESCAPE.finditer(content, table.body, table.body_end)
            if _is_syntax(escape)
        )
    else:
        yield from (tag.span() for tag in _MARKUP.finditer(content, table.body, table.body_end))


def _is_syntax(escape: re.Match[str]) -> bool:
    return escape[1] is None or chr(int(escape[1], 16)).isspace()
