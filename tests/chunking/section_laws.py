"""The laws of the strategies that follow the structure of a document, P and P-staged: chunks of
sections that are related, and headings that stay with their text (docs/concepts/laws.md, 7 and 8).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import chunk_laws as laws
from chunk_laws import slices

from docxchunk.chunking import Chunking, ChunkLimits
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Added, AddedRole, Chunk, TableRole
from docxchunk.model.document import Document
from docxchunk.model.ports import Tokenizer
from docxchunk.records.laws import SHOWN

PART = re.compile(r" ?\[part (\d+)\]$")


def all_laws(
    document: Document, result: Chunking, limits: ChunkLimits, tokenizer: Tokenizer, strategy: str
) -> None:
    """Assert the laws of every strategy, and those of P and P-staged if it is one of them."""
    laws.all_laws(document, result, limits, tokenizer, strategy)
    if strategy in ("P", "P-staged"):
        merges(document, result)
        headings_known(document, result)
        parts_numbered(result)
        headings_with_body(document, result, limits.of_text(), tokenizer)


def headings_with_body(
    document: Document, result: Chunking, limits: ChunkLimits, tokenizer: Tokenizer
) -> None:
    """Law 7: a chunk has headings alone only if no text that follows in the section could be joined
    to them.
    """
    blocks = {block.id: block for block in document.blocks}
    for chunk, following in zip(result.chunks, result.chunks[1:], strict=False):
        last, first = blocks[chunk.blocks[-1]], blocks[following.blocks[0]]
        if (
            _is_headings_alone(chunk, blocks)
            and tokenizer.count(_first_line(last)) <= limits.max_tokens // 2
            and (first is last or (first.level > last.level and _is_below(first, last)))
            and chunk.tokens <= limits.max_tokens // 4
        ):
            joined = chunk.tokens + _least_text_tokens(following, tokenizer)
            assert joined > limits.max_tokens * 0.6, (
                f"{chunk.content!r} before {following.content[:200]!r}"
            )


def _first_line(block: Block) -> str:
    return block.content.split("\n")[0]


def _is_headings_alone(chunk: Chunk, blocks: Mapping[str, Block]) -> bool:
    firsts = [(part, blocks[part.block]) for part in slices(chunk, *SHOWN)]
    return bool(firsts) and all(
        part.start == 0
        and part.end <= len(_first_line(block))
        and block.level > 0
        and block.content.startswith("#")
        for part, block in firsts
    )


def _is_below(block: Block, above: Block) -> bool:
    path = (*above.parent_headings, above.heading)
    return block.parent_headings[: len(path)] == path


def _least_text_tokens(chunk: Chunk, tokenizer: Tokenizer) -> int:
    """Return the number of tokens of the shortest beginning of a chunk that has text: its heading,
    and a line that begins with a tag.
    """
    context = "".join(
        part.text
        for part in chunk.parts[:2]
        if isinstance(part, Added) and part.role is not AddedRole.WRAPPER
    )
    text = chunk.content.removeprefix(context)
    heading = tokenizer.count(text.split("\n")[0]) if text.startswith("#") else 0
    line = re.sub(r"^#+ .*\n", "", text).split("\n")[0]
    return heading + (tokenizer.count(line) if line.startswith("<") else 0)


def merges(document: Document, result: Chunking) -> None:
    """Law 8: the heading is that of the first block, or a label in it. The other blocks of a chunk
    are its peers or below them.
    """
    blocks = {block.id: block for block in document.blocks}
    for chunk in result.chunks:
        shown_blocks = [blocks[key] for key in chunk.blocks]
        first = shown_blocks[0]
        heading = PART.sub("", chunk.heading)
        is_first_heading = (heading, chunk.parent_headings, chunk.level) == (
            first.heading,
            first.parent_headings,
            first.level,
        )
        path = (*first.parent_headings, first.heading) if first.heading else first.parent_headings
        assert is_first_heading or (chunk.parent_headings == path and heading), chunk.heading
        for number, block in enumerate(shown_blocks[1:], 1):
            assert block.level >= first.level > 0
            assert any(
                block.parent_headings == other.parent_headings or _is_below(block, other)
                for other in shown_blocks[:number]
            )
        roles = [sliced for sliced in chunk.tables if sliced.role is not TableRole.NONE]
        pairs = {(sliced.id, sliced.role) for sliced in roles}
        assert len({key for key, _ in pairs}) == len(pairs), "two slices of one table"


def headings_known(document: Document, result: Chunking) -> None:
    """Headings of chunks are headings of the document. Only with P-staged, `heading` may be a
    label.
    """
    paths = {(*block.parent_headings, block.heading) for block in document.blocks} | {
        block.parent_headings for block in document.blocks
    }
    titles = {name for path in paths for name in path}
    for chunk in result.chunks:
        assert {heading.heading for heading in chunk.headings} <= titles
        assert chunk.context in {
            " > ".join(name for name in path if name.strip()) for path in paths
        }
        assert PART.sub("", chunk.heading) in titles | {"", chunk.label}
        assert set(chunk.parent_headings) <= titles
        if result.settings.get("strategy") == "P":
            first = next(block for block in document.blocks if block.id == chunk.blocks[0])
            assert (PART.sub("", chunk.heading), chunk.parent_headings, chunk.level) == (
                first.heading,
                first.parent_headings,
                first.level,
            )


def parts_numbered(result: Chunking) -> None:
    """Law 8: part numbers increase within a block."""
    last: dict[str, int] = {}
    for chunk in result.chunks:
        if part := PART.search(chunk.heading):
            assert int(part[1]) > last.get(chunk.blocks[0], 0)
            last[chunk.blocks[0]] = int(part[1])
