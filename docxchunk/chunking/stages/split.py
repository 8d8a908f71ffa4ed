"""Split pieces over the limit at anchors (short lines that can act as headings) or pack them
(docs/design/staged-chunking.md, stage C).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise
from math import inf
from typing import Final

from docxchunk.chunking.cutting import Break
from docxchunk.chunking.line_kinds import is_list_item
from docxchunk.chunking.packing import pack
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.services import Services
from docxchunk.chunking.stages.divide import parts_of_section, with_role
from docxchunk.chunking.units import UnitSequence
from docxchunk.markup.tags import plain
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Heading, SliceRole
from docxchunk.model.fields import check_fields

log = logging.getLogger("docxchunk.chunking")

_ESTIMATE_ERROR: Final = 1.05  # maximum ratio of the exact token count to the estimate
_RUNS_ON: Final = (",", ";", "，", "；", "、")
_LIKE_HEADING = re.compile(
    r"第\s*[\d一二三四五六七八九十百千零〇]+\s*[章节節条條款项]|附录|附件|(?:Article|Section|Chapter|Part|Step"
    r"|Appendix|Annex)\s+\w+|.*[:：]$",
    re.IGNORECASE,
)


class Anchors(StrEnum):
    """Which anchors are used."""

    NEAREST = "nearest"  # those that balance the sizes
    FURTHEST = "furthest"  # those that fill the chunks


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """The maximum length of an anchor, and which anchors are used."""

    longest: int = 100  # characters
    choice: Anchors = Anchors.NEAREST

    def __post_init__(self) -> None:
        check_fields(self)


def split_long(services: Services, rule: AnchorRule, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces, with those over the limit split."""
    done: list[Piece] = []
    for piece in pieces:
        done += _split(services, rule, piece)
    return done


def _split(services: Services, rule: AnchorRule, piece: Piece) -> list[Piece]:
    cap = services.cap(piece.parents, piece.source_heading)
    if piece.tokens <= cap:
        return [piece]
    sequence = UnitSequence(services, piece.spans)
    anchors = (_furthest if rule.choice is Anchors.FURTHEST else _nearest)(
        sequence, rule.longest, cap
    )
    if not anchors:
        log.debug("anchor: none in %r, its %d tokens are packed", piece.heading, piece.tokens)
        return _packed(services, sequence, piece, cap)
    log.debug("anchor: %d in %r", len(anchors), piece.heading)
    done: list[Piece] = []
    for first, last in pairwise([0, *anchors, len(sequence)]):
        like = piece if first == 0 else _promoted(services, sequence, first, piece)
        done += _split(
            services,
            rule,
            with_role(services.piece(sequence.between(first, last), like), piece.role),
        )
    return done


def _packed(services: Services, sequence: UnitSequence, piece: Piece, cap: int) -> list[Piece]:
    return parts_of_section(services, pack(sequence, cap, services.limits.overlap), piece)


def _promoted(services: Services, sequence: UnitSequence, number: int, piece: Piece) -> Piece:
    """Return a piece whose heading is the anchor, with the level of its block and the heading of
    the block as the last parent.

    Text before the first heading of the document gets no heading.
    """
    block = services.document.blocks[piece.block]
    if not block.heading:
        return services.rest(piece)
    heading = plain(_text(sequence, number)).strip()
    parents = (*block.parent_headings, block.heading)
    # only headings of the document: an anchor is not one
    headings = (Heading(block.level, block.heading),)
    return piece._replace(
        heading=heading,
        parents=parents,
        level=block.level,
        headings=headings,
        label=heading,
        promoted=True,
    )


def _text(sequence: UnitSequence, number: int) -> str:
    unit = sequence.units[number]
    return sequence.services.contents[sequence.spans[unit.span].block][unit.start : unit.end]


def _is_anchor(sequence: UnitSequence, number: int, longest: int) -> bool:
    """Return whether this line can act as a heading of the text after it."""
    if not 0 < number < len(sequence) - 1:
        return False
    unit = sequence.units[number]
    if (
        unit.end - unit.start > longest
        or unit.kind is not LineKind.TEXT
        or sequence.spans[unit.span].role is not SliceRole.TEXT
    ):
        return False
    if (
        sequence.units[number - 1].kind is LineKind.HEADING
        or sequence.units[number - 1].after < Break.LINE
    ):
        return False
    text = _text(sequence, number).strip()
    if sequence.services.text(sequence.spans[unit.span].block).tags(unit.start, unit.end):
        return False
    return (
        not text.endswith(_RUNS_ON) and any(map(str.isalpha, text)) and not is_list_item(text + " ")
    )


def _is_strong(sequence: UnitSequence, number: int) -> bool:
    """Return whether the anchor is bold or worded like a heading."""
    unit = sequence.units[number]
    lines = sequence.services.lines(sequence.spans[unit.span].block)
    return (
        lines.records[lines.between(unit.start, unit.end)][0].bold
        or _LIKE_HEADING.match(_text(sequence, number).strip()) is not None
    )


def _nearest(sequence: UnitSequence, longest: int, cap: int) -> list[int]:
    """Return the anchors nearest to an even split. The targets are recomputed after each anchor.

    An anchor that keeps its part within the limit is preferred to one that does not, and a strong
    one within a tenth of a part to a nearer one.
    """
    chosen: list[int] = []
    number = 0
    while (left := sequence.total - sequence.before[number]) > cap:
        part = left / -(-left // cap)
        goal = sequence.before[number] + part
        fitting = range(
            number + 1,
            sequence.first_after(sequence.before[number] + _ESTIMATE_ERROR * cap, number + 1),
        )
        tenth = range(
            sequence.first_after(goal - part / 10, fitting.start),
            min(sequence.first_after(goal + part / 10, fitting.start), fitting.stop),
        )
        strong = (
            i
            for i in _outward(sequence, tenth, goal)
            if _is_anchor(sequence, i, longest) and _is_strong(sequence, i)
        )
        near = (i for i in _outward(sequence, fitting, goal) if _is_anchor(sequence, i, longest))
        far = (i for i in range(fitting.stop, len(sequence)) if _is_anchor(sequence, i, longest))
        found = next(
            (i for i in chain(strong, near) if sequence.size(number, i) <= cap), None
        ) or next(far, None)
        if found is None:
            break
        chosen.append(found)
        number = found
    return chosen


def _outward(sequence: UnitSequence, numbers: range, goal: float) -> Iterator[int]:
    """Yield the units in the order of their distance from a position in tokens."""
    after = min(sequence.first_after(goal, numbers.start), numbers.stop)
    before = after - 1
    while before >= numbers.start or after < numbers.stop:
        below = goal - sequence.before[before] if before >= numbers.start else inf
        above = sequence.before[after] - goal if after < numbers.stop else inf
        if below <= above:
            yield before
            before -= 1
        else:
            yield after
            after += 1


def _furthest(sequence: UnitSequence, longest: int, cap: int) -> list[int]:
    """Return the anchors chosen from the start on: each is the last one within the limit or,
    failing that, the next one.
    """
    chosen: list[int] = []
    number = 0
    while sequence.total - sequence.before[number] > cap:
        last = sequence.furthest(number, cap)
        found = next(
            (
                i
                for i in (*range(last, number, -1), *range(last + 1, len(sequence)))
                if _is_anchor(sequence, i, longest)
            ),
            None,
        )
        if found is None:
            break
        chosen.append(found)
        number = found
    return chosen
