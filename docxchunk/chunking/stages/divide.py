"""Building blocks of strategies that score units: split all text into units, group them by a rule,
and keep each group within the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from docxchunk.chunking.packing import pack
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.services import Services
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.text.breaks import Break
from docxchunk.chunking.unit_sequence import UnitSequence, UnitType
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Slice, TableRole

Groups = list[list[int]]
"""Unit indices, ascending within a group. Every unit is in exactly one group; groups are ordered by
their first unit.
"""

Divide = Callable[[UnitSequence], Groups]
"""The rule of a strategy: group the units of a sequence."""


def dividing_stages(
    services: Services, rule: Divide, unit_type: UnitType = UnitType.SENTENCE
) -> tuple[Stage, ...]:
    """Return the stages of a strategy that groups units by a rule: slice the tables over the limit,
    then divide.
    """
    return (
        *slicing_stages(services),
        Stage("divide", partial(divide, services, rule, unit_type=unit_type)),
    )


def slicing_stages(services: Services) -> tuple[Stage, ...]:
    """Return the stage that cuts tables over the limit between rows."""
    return (
        Stage(
            "slice_tables", partial(slice_tables, services, TableSizes.filling(services.least_cap))
        ),
    )


def fill_up_stages(services: Services, share: float) -> tuple[Stage, ...]:
    """Return the stage that merges neighbours up to a share of the limit."""
    return (Stage("fill_up", partial(fill_up, services, share)),)


def divide(
    services: Services, rule: Divide, pieces: list[Piece], unit_type: UnitType = UnitType.SENTENCE
) -> list[Piece]:
    """Group the units of all pieces by a rule. A group over the limit is packed as by R."""
    if not pieces:
        return []
    spans = [span for piece in pieces for span in piece.spans]
    return [
        services.opening(group, pieces[0])
        for group in divided(services, rule, spans, services.least_cap, unit_type)
    ]


def divided(
    services: Services,
    rule: Divide,
    spans: Sequence[Span],
    cap: int,
    unit_type: UnitType = UnitType.SENTENCE,
) -> list[list[Span]]:
    """Return the spans in groups of at most `cap` tokens, in the order of their starts."""
    sequence = UnitSequence(services, spans, unit_type)
    groups = (list(sequence.runs(group)) for group in rule(sequence))
    parts = [part for group in groups for part in capped(services, group, cap)]
    return sorted(parts, key=lambda part: _place(part[0]))


def _place(span: Span) -> tuple[int, int, int]:
    """Return the sort key of a span: its start, down to the cell of a table row."""
    return (
        span.block,
        span.start,
        next((part.start for part in span.parts if isinstance(part, Slice)), 0),
    )


def capped(services: Services, spans: list[Span], cap: int) -> list[list[Span]]:
    """Return the spans as one group, or packed as by R if they are over `cap` tokens."""
    if services.join(spans)[1] <= cap:
        return [spans]
    return pack(UnitSequence(services, spans), cap, 0, Break.NEVER)


def fill_up(services: Services, share: float, pieces: list[Piece]) -> list[Piece]:
    """Merge neighbours from left to right while they fit into a share of the limit; 0 merges
    nothing.
    """
    most = int(share * services.least_cap)
    done: list[Piece] = []
    for piece in pieces:
        if (
            done
            and done[-1].tokens + piece.tokens <= most
            and (both := services.merged(done[-1], piece)).tokens <= most
        ):
            done[-1] = both
        else:
            done.append(piece)
    return done


def fill_up_groups(
    services: Services, share: float, sequence: UnitSequence, groups: Groups
) -> Groups:
    """Merge groups of units that need not be contiguous, like `fill_up`. Merged units are in
    document order.
    """
    most = int(share * services.least_cap)
    if not most:
        return groups
    done: Groups = []
    for group in groups:
        both = sorted((*done[-1], *group)) if done else group
        if done and services.join(list(sequence.runs(both)))[1] <= most:
            done[-1] = both
        else:
            done.append(group)
    return done


def groups_between(cuts: Sequence[int], count: int) -> Groups:
    """Return units [0, count) in contiguous groups; a cut at i separates unit i - 1 from unit i."""
    return [list(range(first, last)) for first, last in pairwise([0, *cuts, count]) if first < last]


def with_headings(sequence: UnitSequence, cuts: Sequence[int]) -> list[int]:
    """Return the cuts, with those after a heading moved before it. A cut at 0 is dropped."""
    return sorted({_before_headings(sequence, cut) for cut in cuts} - {0})


def _before_headings(sequence: UnitSequence, cut: int) -> int:
    while cut and sequence.units[cut - 1].kind is LineKind.HEADING:
        cut -= 1
    return cut


def divide_long(services: Services, rule: Divide, pieces: list[Piece]) -> list[Piece]:
    """Divide the pieces over the limit. The parts keep the heading of the section."""
    done: list[Piece] = []
    for piece in pieces:
        cap = services.cap(piece.parents, piece.heading)
        done += (
            [piece]
            if piece.tokens <= cap
            else parts_of_section(services, divided(services, rule, piece.spans, cap), piece)
        )
    return done


def parts_of_section(services: Services, groups: list[list[Span]], piece: Piece) -> list[Piece]:
    """Return one piece per group, all under the heading of `piece`."""
    rest = services.rest(piece)
    return [
        with_role(services.piece(spans, rest if i else piece), piece.role)
        for i, spans in enumerate(groups)
    ]


def with_role(piece: Piece, role: TableRole) -> Piece:
    """Return the piece with the role if it holds a slice of a table, else with none."""
    held = any(span.rows for span in piece.spans)
    return piece._replace(role=role if held else TableRole.NONE)
