"""Stage B.1: share the text between two sliced tables between their slices
(docs/design/staged-chunking.md).
"""

from __future__ import annotations

import logging
import re
from typing import Final

from docxchunk.chunking.cutting import is_grapheme_start
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.text.tokens import Ruler, furthest
from docxchunk.model.chunks import SliceRole, TableRole

log = logging.getLogger("docxchunk.chunking")

_JOIN_TOKENS: Final = 2  # maximum number of tokens of the line break between table and text
_SENTENCE_END = re.compile(r"""[。！？；…]+["'”’」』）)]*|[.!?]+["'”’)\]]*(?=\s)|\n""")
_WORD_END = re.compile(r"\s+")


def bridge(services: Services, pieces: list[Piece]) -> list[Piece]:
    """Add the start of the text between two tables to the last slice of the first table, and its
    end to the first slice of the second table.

    Each takes as much as its budget allows. Text that fits into both is text of the first and
    repeated in the second. Text that fits into neither, and any table in it, stays a separate
    piece.
    """
    done: list[Piece] = []
    for piece in pieces:
        if len(done) > 1 and _is_bridge(done[-2], done[-1], piece):
            log.debug("bridge: %d tokens between two tables of %r", done[-1].tokens, piece.heading)
            done[-2:] = _bridged(services, done[-2], done[-1], piece)
        else:
            done.append(piece)
    return done


def _is_bridge(left: Piece, middle: Piece, right: Piece) -> bool:
    if not (
        left.role is TableRole.LAST
        and middle.role is TableRole.NONE
        and right.role is TableRole.FIRST
    ):
        return False
    return (
        left.block == middle.block == right.block
        and len(middle.spans) == 1
        and middle.spans[0].role is SliceRole.TEXT
    )


def _bridged(services: Services, left: Piece, middle: Piece, right: Piece) -> list[Piece]:
    text = middle.spans[0]
    ruler = services.lines(text.block).ruler
    inner = [
        (table.start, table.end)
        for table in services.tables(text.block).values()
        if text.start <= table.start < text.end
    ]
    whole = inner + services.text(text.block).tags(text.start, text.end)
    head = min(
        _prefix(ruler, text, _budget(services, left), whole),
        *(start for start, _ in inner[:1]),
        text.end,
    )
    tail = max(
        _suffix(ruler, text, _budget(services, right), whole),
        *(end for _, end in inner[-1:]),
        text.start,
    )
    shown_twice = (
        [services.slice(text.block, tail, max(tail, head), SliceRole.BRIDGE)] if tail < head else []
    )
    return [
        services.piece([*left.spans, *services.text_between(text.block, text.start, head)], left),
        *(services.piece([span], middle) for span in services.text_between(text.block, head, tail)),
        services.piece(
            [
                *shown_twice,
                *services.text_between(text.block, max(head, tail), text.end),
                *right.spans,
            ],
            right,
        ),
    ]


def _budget(services: Services, piece: Piece) -> int:
    cap = services.cap(piece.parents, piece.heading)
    return max(
        0,
        min(
            services.limits.overlap,
            cap - piece.tokens - _JOIN_TOKENS,
            services.limits.max_tokens // 2,
        ),
    )


def _prefix(ruler: Ruler, text: Span, budget: int, whole: list[tuple[int, int]]) -> int:
    """Return the end of the text that the table before it takes: the end of a sentence or word if
    there is one in the last fifth of the budget.
    """
    if text.tokens <= budget:
        return text.end
    place = furthest(
        lambda end: ruler.measure(text.start, end) <= budget,
        text.start,
        text.end,
        text.start + 4 * budget,
    )
    late = place - (place - text.start) // 5
    for pattern in (_SENTENCE_END, _WORD_END):
        found = [match.end() for match in pattern.finditer(ruler.text, late, place)]
        if found:
            place = found[-1]
            break
    place = min((a for a, b in whole if a < place < b), default=place)
    while place > text.start and not is_grapheme_start(ruler.text, place):
        place -= 1
    return max(place, text.start)


def _suffix(ruler: Ruler, text: Span, budget: int, whole: list[tuple[int, int]]) -> int:
    """Return the start of the text that the table after it takes; the counterpart of `_prefix`."""
    if text.tokens <= budget:
        return text.start
    size = furthest(
        lambda size: ruler.measure(text.end - size, text.end) <= budget,
        0,
        text.end - text.start,
        4 * budget,
    )
    place = text.end - max(size, 0)
    early = place + (text.end - place) // 5
    for pattern in (_SENTENCE_END, _WORD_END):
        found = pattern.search(ruler.text, place, early)
        if found:
            place = found.end()
            break
    place = max((b for a, b in whole if a < place < b), default=place)
    while place < text.end and not is_grapheme_start(ruler.text, place):
        place += 1
    return place
