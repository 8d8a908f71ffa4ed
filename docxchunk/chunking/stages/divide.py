"""What every strategy that scores units is made of: all text as one row of units, divided into groups, each within the cap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from docxchunk.chunking.packing import pack
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.text.breaks import Break
from docxchunk.chunking.unit_sequence import Strip, UnitType
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Slice, TableRole

Groups = list[list[int]]
"""Numbers of units, rising within a group; every unit in one group, groups in the order of their first unit."""

Divide = Callable[[Strip], Groups]


def dividing_stages(services: Services, rule: Divide, unit_type: UnitType = UnitType.SENTENCE) -> tuple[Stage, ...]:
    """What a strategy that scores units does: tables over the cap are sliced, and all text is divided by its rule."""
    return (*slicing_stages(services), Stage("divide", partial(divide, services, rule, unit_type=unit_type)))


def slicing_stages(services: Services) -> tuple[Stage, ...]:
    """Tables over the cap, cut between their rows."""
    return (Stage("slice_tables", partial(slice_tables, services, TableSizes.filling(services.least_cap))),)


def fill_up_stages(services: Services, share: float) -> tuple[Stage, ...]:
    """The size policy after it: neighbours are merged up to that share of the cap."""
    return (Stage("fill_up", partial(fill_up, services, share)),)


def divide(services: Services, rule: Divide, pieces: list[Piece], unit_type: UnitType = UnitType.SENTENCE) -> list[Piece]:
    """The units of a document in the groups that a rule makes of them; a group over the cap is packed as R would."""
    if not pieces:
        return []
    spans = [span for piece in pieces for span in piece.spans]
    return [services.opening(group, pieces[0]) for group in divided(services, rule, spans, services.least_cap, unit_type)]


def divided(services: Services, rule: Divide, spans: Sequence[Span], cap: int, unit_type: UnitType = UnitType.SENTENCE) -> list[list[Span]]:
    """Some text in groups of at most `cap` tokens, in order of their beginnings."""
    strip = Strip(services, spans, unit_type)
    groups = (list(strip.runs(group)) for group in rule(strip))
    parts = [part for group in groups for part in capped(services, group, cap)]
    return sorted(parts, key=lambda part: _place(part[0]))


def _place(span: Span) -> tuple[int, int, int]:
    """Where a span begins: of cells of one row, each has its own place."""
    return span.block, span.start, next((part.start for part in span.parts if isinstance(part, Slice)), 0)


def capped(services: Services, spans: list[Span], cap: int) -> list[list[Span]]:
    """A group as it is, or packed as R would where it is over the cap."""
    if services.join(spans)[1] <= cap:
        return [spans]
    return pack(Strip(services, spans), cap, 0, Break.NEVER)


def fill_up(services: Services, share: float, pieces: list[Piece]) -> list[Piece]:
    """Neighbours put together, left to right, as long as they fit into that share of the cap; at 0 they stay as they are."""
    most = int(share * services.least_cap)
    done: list[Piece] = []
    for piece in pieces:
        if done and done[-1].tokens + piece.tokens <= most and (both := services.merged(done[-1], piece)).tokens <= most:
            done[-1] = both
        else:
            done.append(piece)
    return done


def fill_up_groups(services: Services, share: float, strip: Strip, groups: Groups) -> Groups:
    """As `fill_up`, for groups whose units lie apart: those of two groups stand in the order of the text when they are put together."""
    most = int(share * services.least_cap)
    if not most:
        return groups
    done: Groups = []
    for group in groups:
        both = sorted((*done[-1], *group)) if done else group
        if done and services.join(list(strip.runs(both)))[1] <= most:
            done[-1] = both
        else:
            done.append(group)
    return done


def groups_between(cuts: Sequence[int], count: int) -> Groups:
    """Units 0 to count in stretches; a cut at i parts unit i - 1 from unit i."""
    return [list(range(first, last)) for first, last in pairwise([0, *cuts, count]) if first < last]


def with_headings(strip: Strip, cuts: Sequence[int]) -> list[int]:
    """Cuts that would part headings from what stands under them, moved in front of the headings."""
    return sorted({_before_headings(strip, cut) for cut in cuts} - {0})


def _before_headings(strip: Strip, cut: int) -> int:
    while cut and strip.units[cut - 1].kind is LineKind.HEADING:
        cut -= 1
    return cut


def divide_long(services: Services, rule: Divide, pieces: list[Piece]) -> list[Piece]:
    """Only pieces over the cap are divided; their parts stay under the heading of the section."""
    done: list[Piece] = []
    for piece in pieces:
        cap = services.cap(piece.parents, piece.heading)
        done += [piece] if piece.tokens <= cap else parts_of_section(services, divided(services, rule, piece.spans, cap), piece)
    return done


def parts_of_section(services: Services, groups: list[list[Span]], piece: Piece) -> list[Piece]:
    rest = services.rest(piece)
    return [with_role(services.piece(spans, rest if i else piece), piece.role) for i, spans in enumerate(groups)]


def with_role(piece: Piece, role: TableRole) -> Piece:
    """A role stays with the piece that holds the slice."""
    held = any(span.rows for span in piece.spans)
    return piece._replace(role=role if held else TableRole.NONE)
