"""Stage A: one piece per content line, and headings without a body in front of what stands under them (docs/design/staged-chunking.md)."""

from __future__ import annotations

import logging
from typing import Final

from docxchunk.chunking.lines import is_heading_line
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services, whole_block
from docxchunk.model.blocks import Block, SessionType
from docxchunk.model.chunks import Heading

log = logging.getLogger("docxchunk.chunking")

_BYTES: Final = 3.5  # a token, at most, of most text in most languages


def pieces_of(services: Services) -> list[Piece]:
    """What every strategy starts from. Blocks that may have to be cut are measured by lines, so that nothing is encoded twice."""
    limits = services.limits
    return [
        _piece(services, number, block)
        for number, block in enumerate(services.document.blocks)
        if block.content and not block.content.isspace() and not (limits.drop_toc and block.session_type is SessionType.TOC)
    ]


def _piece(services: Services, number: int, block: Block) -> Piece:
    content = block.content
    long = _may_be_cut(services, number, content)
    tokens = services.lines(number).ruler.measure(0, len(content)) if long else services.meter.count(content)
    span = whole_block(number, block, tokens)
    headings = (Heading(block.level, block.heading),) if block.heading else ()
    return Piece((span,), content, tokens, number, block.heading, block.parent_headings, block.level, headings)


def _may_be_cut(services: Services, number: int, content: str) -> bool:
    """Is this block probably over the cap, or one of its tables over its own? Only so much the longer to measure where it is not."""
    max_tokens = services.limits.max_tokens
    if len(content) < max_tokens:
        return False
    if (len(content) if content.isascii() else len(content.encode("utf-8", "surrogatepass"))) > _BYTES * max_tokens:
        return True
    return any(table.end - table.start > max_tokens * 3 // 2 for table in services.tables(number).values())


def glue_headings(services: Services, pieces: list[Piece]) -> list[Piece]:
    """A block that is a heading alone goes in front of the next one, where that is under it. Chains come to one piece, which shows the shallowest heading.

    As this comes first, what the headings take is off the budget of all that follows. A chain of over half of N stays apart, and is reported.
    """
    blocks = services.document.blocks
    done: list[Piece] = []
    for piece in pieces:
        above = done[-1] if done else None
        if above is None or not is_under(blocks[piece.block], blocks[above.block]) or not is_heading_alone(blocks[above.block]):
            done.append(piece)
        elif above.tokens > services.limits.max_tokens // 2:
            log.info("paragraph_semantic: the headings down to %r take over half of a chunk and stay apart", blocks[above.block].heading)
            done.append(piece)
        else:
            done[-1] = services.merged(above, piece)._replace(block=piece.block)
    return done


def is_under(block: Block, above: Block) -> bool:
    """Does a block stand in the section that another opens? The text before the first heading opens none."""
    path = (*above.parent_headings, above.heading)
    return block.level > above.level > 0 and block.parent_headings[: len(path)] == path


def is_heading_alone(block: Block) -> bool:
    return is_heading_line(block) and "\n" not in block.content.strip()
