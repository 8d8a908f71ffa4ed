"""Stage A: make one piece per block, and attach headings without a body to the next piece
(docs/design/staged-chunking.md).
"""

from __future__ import annotations

import logging
from collections import Counter
from itertools import chain, pairwise
from typing import Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.pieces import Cut, Piece, Span
from docxchunk.chunking.prices import SECTION
from docxchunk.content.lines import is_heading_line
from docxchunk.model.blocks import Block, SessionType
from docxchunk.model.chunks import Heading

log = logging.getLogger("docxchunk.chunking")

_SHORT: Final = 8_000  # characters; encoding a document as short as this takes no time
_BYTES: Final = 3.5  # UTF-8 bytes per token; most text has fewer


_SECTION_BEGINS: Final = Cut(SECTION)


def pieces_of(assembler: Assembler) -> list[Piece]:
    """Return the input of every strategy: one piece per non-empty block.

    The lines of a block that may be cut are counted one by one, so that they are encoded only once.
    A short document is counted in one call: a tokenizer may then load only the tokens that occur in
    it and in the breaks between its blocks.
    """
    contents = assembler.contents
    numbers = [
        number
        for number, block in enumerate(assembler.document.blocks)
        if _is_shown(assembler, block)
    ]
    if sum(len(contents[number]) for number in numbers) <= _SHORT:
        assembler.meter.count("\n\n".join(contents[number] for number in numbers))
    uncut = [n for n in numbers if not _may_be_cut(assembler, n, contents[n])]
    counts = assembler.meter.each_repeated([contents[number] for number in uncut])
    tokens = dict(zip(uncut, counts, strict=True))
    return [_piece(assembler, number, tokens.get(number)) for number in numbers]


def _is_shown(assembler: Assembler, block: Block) -> bool:
    return (
        bool(block.content)
        and not block.content.isspace()
        and not (assembler.limits.drop_toc and block.session_type is SessionType.TOC)
    )


def _piece(assembler: Assembler, number: int, tokens: int | None) -> Piece:
    """Return a block as a piece; `tokens` is None if it is to be measured by lines."""
    block = assembler.document.blocks[number]
    content = block.content
    if tokens is None:
        tokens = assembler.lines(number).ruler.measure(0, len(content))
    span = Span(content, tokens, number, 0, len(content))
    headings = (Heading(block.level, block.heading),) if block.heading else ()
    return Piece(
        (span,),
        content,
        tokens,
        number,
        block.heading,
        block.parent_headings,
        block.level,
        headings,
        cut=_SECTION_BEGINS,
    )


def _may_be_cut(assembler: Assembler, number: int, content: str) -> bool:
    """Return whether the block or one of its tables is probably over its limit. A wrong guess only
    costs time.
    """
    max_tokens, size = assembler.limits.max_tokens, len(content)
    if size < max_tokens:
        return False
    most = _BYTES * max_tokens
    if size > most or len(content.encode("utf-8", "surrogatepass")) > most:
        return True
    return any(
        table.end - table.start > max_tokens * 3 // 2 for table in assembler.tables(number).values()
    )


def glue_headings(assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
    """Merge each block that has only a heading into the next piece, if that is in the section of
    the heading. A chain of headings becomes one piece under the first of them.

    This is the first stage, so that later stages count the tokens of the headings. A chain of more
    than half of the limit stays separate and is logged.
    """
    blocks = assembler.document.blocks
    result: list[Piece] = []
    for piece in pieces:
        above = result[-1] if result else None
        if (
            above is None
            or not is_under(blocks[piece.block], blocks[above.block])
            or not is_heading_alone(blocks[above.block])
        ):
            result.append(piece)
        elif above.tokens > assembler.limits.max_tokens // 2:
            log.info(
                "paragraph_semantic: the headings down to %r take over half of a chunk "
                "and stay apart",
                blocks[above.block].heading,
            )
            result.append(piece)
        else:
            result[-1] = assembler.merged(above, piece)._replace(block=piece.block)
    return result


def is_under(block: Block, above: Block) -> bool:
    """Return whether `block` is in the section that `above` opens. The text before the first
    heading opens no section.
    """
    if not block.level > above.level > 0:
        return False
    path = (*above.parent_headings, above.heading)
    return block.parent_headings[: len(path)] == path


def is_heading_alone(block: Block) -> bool:
    """Return whether the block is a heading without a body."""
    return is_heading_line(block) and "\n" not in block.content.strip()


# -- numbers of parts


def number_parts(assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with `part` set, from 1, for each block that was cut. If the first piece of
    a block begins with headings above the block, it still counts as a part of this block.
    """
    blocks_of = [list(dict.fromkeys(span.block for span in piece.spans)) for piece in pieces]
    times = Counter(chain.from_iterable(blocks_of))
    seen = dict.fromkeys(times, 0)
    result: list[Piece] = []
    for piece, blocks in zip(pieces, blocks_of, strict=True):
        for block in blocks:
            seen[block] += 1
        opened = next(
            (a for a, b in pairwise(blocks) if times[a] > 1 or not _is_only_above(assembler, a, b)),
            blocks[-1],
        )
        result.append(
            piece._replace(block=opened, part=seen[opened]) if times[opened] > 1 else piece
        )
    return result


def _is_only_above(assembler: Assembler, block: int, below: int) -> bool:
    """Return whether a block is a heading without text, above the section of another block."""
    blocks = assembler.document.blocks
    return is_heading_alone(blocks[block]) and is_under(blocks[below], blocks[block])
