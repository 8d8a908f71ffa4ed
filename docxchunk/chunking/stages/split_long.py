"""Stage C: pieces over the cap, split at short paragraphs that read like headings or, where there are none, packed full (seed 002, 8)."""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from docxchunk.chunking.cutting import Break
from docxchunk.chunking.lines import is_list_item
from docxchunk.chunking.packing import Strip, pack
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.markup.spans import inline_tags
from docxchunk.markup.tags import plain
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Heading, SliceRole, TableRole

log = logging.getLogger("docxchunk.chunking")

_RUNS_ON: Final = (",", ";", "，", "；", "、")
_LIKE_HEADING = re.compile(r"(?:第\s*[\d一二三四五六七八九十百千零〇]+\s*[章节節条條款项]|附录|附件|(?:Article|Section|Chapter|Part|Step|Appendix|Annex)\s+\w+)|.*[:：]$", re.IGNORECASE)


class Anchors(StrEnum):
    """Which anchors a long piece is split at."""

    NEAREST = "nearest"  # those that balance the sizes (seed 002, 8.2)
    FURTHEST = "furthest"  # those that fill the chunks


@dataclass(frozen=True, slots=True)
class AnchorRule:
    longest: int = 100  # characters
    choice: Anchors = Anchors.NEAREST


def split_long(services: Services, rule: AnchorRule, pieces: list[Piece]) -> list[Piece]:
    done: list[Piece] = []
    for piece in pieces:
        done += _split(services, rule, piece)
    return done


def _split(services: Services, rule: AnchorRule, piece: Piece) -> list[Piece]:
    cap = services.cap(piece.parents, piece.heading)
    if piece.tokens <= cap:
        return [piece]
    strip = Strip(services, piece.spans)
    anchors = [number for number in range(1, len(strip) - 1) if _is_anchor(strip, number, rule.longest)]
    chosen = _nearest(strip, anchors, piece.tokens, cap) if rule.choice is Anchors.NEAREST else _furthest(strip, anchors, cap)
    if not chosen:
        log.debug("anchor: none in %r, its %d tokens are packed", piece.heading, piece.tokens)
        return _packed(services, strip, piece, cap)
    log.debug("anchor: %d of %d candidates in %r", len(chosen), len(anchors), piece.heading)
    done: list[Piece] = []
    for first, last in pairwise([0, *chosen, len(strip)]):
        like = piece if first == 0 else _promoted(services, strip, first, piece)
        done += _split(services, rule, _with_role(services.piece(strip.between(first, last), like), piece.role))
    return done


def _packed(services: Services, strip: Strip, piece: Piece, cap: int) -> list[Piece]:
    packed = pack(strip, cap, services.limits.overlap)
    rest = services.rest(piece)
    return [_with_role(services.piece(spans, rest if i else piece), piece.role) for i, spans in enumerate(packed)]


def _with_role(piece: Piece, role: TableRole) -> Piece:
    """A role stays with the piece that holds the slice."""
    held = any(span.rows for span in piece.spans)
    return piece._replace(role=role if held else TableRole.NONE)


def _promoted(services: Services, strip: Strip, number: int, piece: Piece) -> Piece:
    """The identity of what an anchor opens: the level of the block, and the block's heading among the parents (seed 002, 8.2).

    Text under no heading gets none: it stays what stands before the first heading.
    """
    block = services.document.blocks[piece.block]
    if not block.heading:
        return services.rest(piece)
    heading = plain(_text(strip, number)).strip()
    parents = (*block.parent_headings, block.heading)
    return piece._replace(heading=heading, parents=parents, level=block.level, headings=(Heading(block.level, heading),))


def _text(strip: Strip, number: int) -> str:
    unit = strip.units[number]
    return strip.services.contents[strip.spans[unit.span].block][unit.start : unit.end]


def _is_anchor(strip: Strip, number: int, longest: int) -> bool:
    """Could this line be a heading of what follows? (seed 002, 8.1; p-strategy.md, 3.C)"""
    unit = strip.units[number]
    if unit.end - unit.start > longest or unit.kind is not LineKind.TEXT or strip.spans[unit.span].role is not SliceRole.TEXT:
        return False
    if strip.units[number - 1].kind is LineKind.HEADING or strip.units[number - 1].after < Break.LINE:
        return False
    text = _text(strip, number).strip()
    if inline_tags(text):
        return False
    return not text.endswith(_RUNS_ON) and any(map(str.isalpha, text)) and not is_list_item(text + " ")


def _is_strong(strip: Strip, number: int) -> bool:
    """Is it bold, or worded like a heading?"""
    unit = strip.units[number]
    record = strip.services.lines(strip.spans[unit.span].block).record(unit.start)
    return record.bold or _LIKE_HEADING.match(_text(strip, number).strip()) is not None


def _nearest(strip: Strip, anchors: list[int], tokens: int, cap: int) -> list[int]:
    """For each ideal place to split, the anchor nearest to it; among those within a tenth of a sub-chunk a strong one is preferred."""
    count = -(-tokens // cap)
    places = [strip.about(strip.units[number]) for number in anchors]
    chosen: set[int] = set()
    for n in range(1, count) if anchors else ():
        ideal = tokens * n / count
        within = tokens / count / 10
        low = bisect_left(places, ideal - within)
        high = bisect_left(places, ideal + within)
        near = [i for i in range(low, high) if _is_strong(strip, anchors[i])] or range(max(low - 1, 0), min(high + 1, len(anchors)))
        chosen.add(anchors[min(near, key=lambda i: abs(places[i] - ideal))])
    return sorted(chosen)


def _furthest(strip: Strip, anchors: list[int], cap: int) -> list[int]:
    """From the beginning on, the last anchor that leaves a chunk within the cap."""
    chosen: list[int] = []
    first = 0
    for number, following in zip(anchors, [*anchors[1:], len(strip)], strict=False):
        if strip.size(first, following) > cap:
            chosen.append(number)
            first = number
    return chosen


