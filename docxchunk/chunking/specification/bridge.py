"""Stage B.1: text between two sliced tables, shown with both (docs/design/staged-chunking.md)."""

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

_JOIN_TOKENS: Final = 2  # tokens that a line break between the table and the text may take
_SENTENCE_END = re.compile(r"""[。！？；…]+["'”’」』）)]*|[.!?]+["'”’)\]]*(?=\s)|\n""")
_WORD_END = re.compile(r"\s+")


def bridge(services: Services, pieces: list[Piece]) -> list[Piece]:
    """The last slice of the first table takes the beginning of the text, the first slice of the second its end, each within its budget.

    What both have room for is text in the first and a second showing in the second; what neither has room for stays a piece of its own, as does a table.
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
    if not (left.role is TableRole.LAST and middle.role is TableRole.NONE and right.role is TableRole.FIRST):
        return False
    return left.block == middle.block == right.block and len(middle.spans) == 1 and middle.spans[0].role is SliceRole.TEXT


def _bridged(services: Services, left: Piece, middle: Piece, right: Piece) -> list[Piece]:
    text = middle.spans[0]
    ruler = services.lines(text.block).ruler
    inner = [(table.start, table.end) for table in services.tables(text.block).values() if text.start <= table.start < text.end]
    whole = inner + services.text(text.block).tags(text.start, text.end)
    head = min(_prefix(ruler, text, _budget(services, left), whole), *(start for start, _ in inner[:1]), text.end)
    tail = max(_suffix(ruler, text, _budget(services, right), whole), *(end for _, end in inner[-1:]), text.start)
    shown_twice = [services.slice(text.block, tail, max(tail, head), SliceRole.BRIDGE)] if tail < head else []
    return [
        services.piece([*left.spans, *services.text_between(text.block, text.start, head)], left),
        *(services.piece([span], middle) for span in services.text_between(text.block, head, tail)),
        services.piece([*shown_twice, *services.text_between(text.block, max(head, tail), text.end), *right.spans], right),
    ]


def _budget(services: Services, piece: Piece) -> int:
    cap = services.cap(piece.parents, piece.heading)
    return max(0, min(services.limits.overlap, cap - piece.tokens - _JOIN_TOKENS, services.limits.max_tokens // 2))


def _prefix(ruler: Ruler, text: Span, budget: int, whole: list[tuple[int, int]]) -> int:
    """Where the part of the text ends that the table before it takes: at the end of a sentence or word, where one is within the last fifth."""
    if text.tokens <= budget:
        return text.end
    place = furthest(lambda end: ruler.measure(text.start, end) <= budget, text.start, text.end, text.start + 4 * budget)
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
    """Where the part of the text begins that the table after it takes."""
    if text.tokens <= budget:
        return text.start
    size = furthest(lambda size: ruler.measure(text.end - size, text.end) <= budget, 0, text.end - text.start, 4 * budget)
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
