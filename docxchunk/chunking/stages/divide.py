"""Strategies that group units, and their stages: split all text into units, group them by a rule,
keep each group within the limit, repeat the ends of chunks, and add smaller chunks inside chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain, pairwise

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.packing import pack
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.tokens import fill
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Slice, SliceRole, TableRole
from docxchunk.model.fields import check_fields
from docxchunk.model.options import ChunkLimits

Groups = list[list[int]]
"""Groups of units: the indices of the units of each group, in ascending order. Each unit is in
exactly one group, and the groups are in the order of their first units.
"""

Divide = Callable[[UnitSequence], Groups]
"""The rule of a strategy: group the units of a sequence."""


@dataclass(frozen=True, slots=True)
class DividingStrategy:
    """A strategy that groups the units of a document by a rule; P can use it for `inner`. A
    subclass implements `cuts`, or `groups` if the units of a group need not be adjacent.

    Tables over the limit are cut between rows before the units are grouped. Groups over the limit
    are then packed as by R.
    """

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def unit_type(self) -> UnitType:
        """The type of the units that are grouped."""
        return UnitType.SENTENCE

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        rule = self.rule(assembler)
        stages = dividing_stages(assembler, rule, self.unit_type)
        return (*stages, *self.later_stages(assembler))

    def later_stages(self, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - for subclasses
        """Return the stages that run after the units are grouped."""
        return ()

    def rule(self, assembler: Assembler) -> Divide:
        """Return the rule of the strategy: a function that groups the units of a sequence."""
        return partial(self.groups, assembler)

    def groups(self, assembler: Assembler, sequence: UnitSequence) -> Groups:
        """Return the units in groups. A heading is in the group of the unit below it."""
        cuts = self.cuts(assembler, sequence) if len(sequence) > 1 else ()
        return groups_between(with_headings(sequence, cuts), len(sequence))

    def cuts(self, assembler: Assembler, sequence: UnitSequence) -> Sequence[int]:
        """Return the indices of the units before which a group begins, for two or more units. 0 is
        ignored.
        """
        raise NotImplementedError


def dividing_stages(
    assembler: Assembler, rule: Divide, unit_type: UnitType = UnitType.SENTENCE
) -> tuple[Stage, ...]:
    """Return the stages of a strategy that groups units by a rule: slice the tables over the limit,
    then divide.
    """
    return (
        *slicing_stages(assembler),
        Stage("divide", partial(divide, assembler, rule, unit_type=unit_type)),
    )


def slicing_stages(assembler: Assembler) -> tuple[Stage, ...]:
    """Return the stage that cuts tables over the limit between rows."""
    return (
        Stage(
            "slice_tables",
            partial(slice_tables, assembler, TableSizes.filling(assembler.smallest_limit)),
        ),
    )


def fill_up_stages(assembler: Assembler, share: float) -> tuple[Stage, ...]:
    """Return the stage that merges neighbours up to a share of the limit."""
    return (Stage("fill_up", partial(fill_up, assembler, share)),)


def divide(
    assembler: Assembler, rule: Divide, pieces: list[Piece], unit_type: UnitType = UnitType.SENTENCE
) -> list[Piece]:
    """Group the units of all pieces by a rule. A group over the limit is packed as by R."""
    if not pieces:
        return []
    spans = [span for piece in pieces for span in piece.spans]
    like = pieces[0]._replace(cut=None)
    return [
        assembler.opening(group, like)
        for group in divided(assembler, rule, spans, assembler.smallest_limit, unit_type)
    ]


def divided(
    assembler: Assembler,
    rule: Divide,
    spans: Sequence[Span],
    cap: int,
    unit_type: UnitType = UnitType.SENTENCE,
) -> list[list[Span]]:
    """Return the spans in groups of at most `cap` tokens, in the order of their starts."""
    sequence = UnitSequence(assembler, spans, unit_type)
    groups = (list(sequence.runs(group)) for group in rule(sequence))
    parts = [part for group in groups for part in capped(assembler, group, cap)]
    return sorted(parts, key=lambda part: _document_order(part[0]))


def _document_order(span: Span) -> tuple[int, int, int]:
    """Return the sort key of a span: its start, down to the cell of a table row."""
    return (
        span.block,
        span.start,
        next((part.start for part in span.parts if isinstance(part, Slice)), 0),
    )


def capped(assembler: Assembler, spans: list[Span], cap: int) -> list[list[Span]]:
    """Return the spans as one group, or packed as by R if they are over `cap` tokens."""
    if assembler.join(spans)[1] <= cap:
        return [spans]
    return [part.spans for part in pack(UnitSequence(assembler, spans), cap, 0)]


def fill_up(assembler: Assembler, share: float, pieces: list[Piece]) -> list[Piece]:
    """Merge neighbours from left to right while they fit into a share of the limit; a share of 0
    merges nothing.
    """
    max_tokens = int(share * assembler.smallest_limit)

    def merged(first: int, last: int) -> Piece:
        return reduce(assembler.merged, pieces[first:last])

    ranges = fill(len(pieces), lambda first, last: merged(first, last).tokens <= max_tokens)
    return [merged(members.start, members.stop) for members in ranges]


def fill_up_groups(
    assembler: Assembler, share: float, sequence: UnitSequence, groups: Groups
) -> Groups:
    """Merge groups of units that need not be contiguous, like `fill_up`. Merged units are in
    document order.
    """
    max_tokens = int(share * assembler.smallest_limit)

    def merged(first: int, last: int) -> list[int]:
        return sorted(chain.from_iterable(groups[first:last]))

    def fits(first: int, last: int) -> bool:
        return assembler.join([*sequence.runs(merged(first, last))])[1] <= max_tokens

    return [merged(members.start, members.stop) for members in fill(len(groups), fits)]


def groups_between(cuts: Sequence[int], count: int) -> Groups:
    """Return units [0, count) in contiguous groups; a cut at i separates unit i - 1 from unit i."""
    return [list(range(first, last)) for first, last in pairwise([0, *cuts, count]) if first < last]


def with_headings(sequence: UnitSequence, cuts: Sequence[int]) -> list[int]:
    """Return the cuts, with those after a heading moved before it. A cut at 0 is dropped."""
    return sorted({_before_headings(sequence, cut) for cut in cuts} - {0})


def _before_headings(sequence: UnitSequence, cut: int) -> int:
    while cut and sequence.kinds[cut - 1] is LineKind.HEADING:
        cut -= 1
    return cut


def divide_long(assembler: Assembler, rule: Divide, pieces: list[Piece]) -> list[Piece]:
    """Divide the pieces over the limit. The parts keep the heading of the section."""
    result: list[Piece] = []
    for piece in pieces:
        cap = assembler.cap(piece.parents, piece.heading)
        result += (
            [piece]
            if piece.tokens <= cap
            else parts_of_section(assembler, divided(assembler, rule, piece.spans, cap), piece)
        )
    return result


def parts_of_section(assembler: Assembler, groups: list[list[Span]], piece: Piece) -> list[Piece]:
    """Return one piece per group, all under the heading of `piece`."""
    later_part = assembler.later_part(piece)._replace(cut=None)
    return [
        with_role(assembler.piece(spans, later_part if i else piece), piece.role)
        for i, spans in enumerate(groups)
    ]


def with_role(piece: Piece, role: TableRole) -> Piece:
    """Return the piece. It gets the role if it holds a slice of a table, and otherwise the role
    `none`.
    """
    has_slice = any(span.rows for span in piece.spans)
    return piece._replace(role=role if has_slice else TableRole.NONE)


def pack_all(assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
    """Return full chunks regardless of block boundaries. Each has the heading of the block that it
    starts in.
    """
    if not pieces:
        return []
    sequence = UnitSequence(assembler, [span for piece in pieces for span in piece.spans])
    return [
        assembler.opening(spans, pieces[0])._replace(cut=cut)
        for spans, cut in pack(
            sequence, assembler.smallest_limit, assembler.limits.overlap, across_lines=True
        )
    ]


FirstRepeated = Callable[[UnitSequence], int]
"""Return the first of the last units of a sequence that are repeated."""


def repeat_ends(
    assembler: Assembler, first_repeated: FirstRepeated, unit_type: UnitType, pieces: list[Piece]
) -> list[Piece]:
    """Repeat the end of each piece at the start of the next one, where both are in the same block.

    The repeated text is at most the overlap, a quarter of the limit and half of the next piece.
    Headings and tables are not repeated.
    """
    return pieces[:1] + [
        _with_lead(assembler, first_repeated, unit_type, before, piece)
        for before, piece in pairwise(pieces)
    ]


def last_unit(sequence: UnitSequence) -> int:
    """Return the index of the last unit."""
    return len(sequence) - 1


def _with_lead(
    assembler: Assembler,
    first_repeated: FirstRepeated,
    unit_type: UnitType,
    before: Piece,
    piece: Piece,
) -> Piece:
    cap = assembler.cap(piece.parents, piece.heading)
    max_overlap = min(assembler.limits.overlap, cap // 4, piece.tokens // 2)
    for lead in _ends(assembler, first_repeated, unit_type, before.spans[-1], piece.spans[0]):
        if (
            lead.tokens <= max_overlap
            and (led := assembler.piece([lead, *piece.spans], piece)).tokens <= cap
        ):
            return led
    return piece


def _ends(
    assembler: Assembler,
    first_repeated: FirstRepeated,
    unit_type: UnitType,
    left: Span,
    right: Span,
) -> Iterator[Span]:
    """Yield candidates for the overlap between two neighbouring spans: first all units to repeat,
    then one unit less, and so on. Yield nothing unless both spans are text of one block.
    """
    if (
        left.role is not SliceRole.TEXT
        or right.role is not SliceRole.TEXT
        or left.block != right.block
    ):
        return
    sequence = UnitSequence(assembler, [left], unit_type)
    first = max(
        first_repeated(sequence),
        1
        + max(
            (
                n
                for n, kind in enumerate(sequence.kinds)
                if kind in (LineKind.TABLE, LineKind.HEADING)
            ),
            default=-1,
        ),
    )
    for start in sequence.starts[first:]:
        yield assembler.slice(left.block, start, right.start, SliceRole.OVERLAP)


def add_children(assembler: Assembler, sizes: Sequence[int], pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with children of at most `sizes[0]` tokens, which have children of at most
    `sizes[1]`, and so on.

    A piece that is small enough has no children of that size. Children leave out repeated text such
    as overlap. Table rows stay whole, even over the size.
    """
    return [piece._replace(children=_children(assembler, sizes, piece)) for piece in pieces]


def _children(assembler: Assembler, sizes: Sequence[int], piece: Piece) -> tuple[Piece, ...]:
    if not sizes:
        return ()
    groups = [
        group
        for part in _rows_apart(assembler, sizes[0], piece)
        for group, _ in pack(UnitSequence(assembler, part.spans), sizes[0], 0)
    ]
    if len(groups) == 1:
        return _children(assembler, sizes[1:], piece)
    return tuple(
        add_children(assembler, sizes[1:], [_child(assembler, spans, piece) for spans in groups])
    )


def _rows_apart(assembler: Assembler, size: int, piece: Piece) -> list[Piece]:
    unrepeated = assembler.piece([span for span in piece.spans if not span.is_repeat], piece)
    return slice_tables(
        assembler, TableSizes.filling(size, longest_row=assembler.smallest_limit), [unrepeated]
    )


def _child(assembler: Assembler, spans: Sequence[Span], piece: Piece) -> Piece:
    """Return a child under the heading of the block in which it starts. If its parent starts in the
    same block, or if the heading path of the block is too long, the child gets the heading of its
    parent.
    """
    # these describe the whole parent
    child = assembler.opening(spans, piece)._replace(propositions=(), relevance=None)
    if spans[0].block in (piece.block, piece.spans[0].block) or child.tokens > assembler.cap(
        child.parents, child.heading
    ):
        return child._replace(
            block=piece.block, heading=piece.heading, parents=piece.parents, level=piece.level
        )
    return child._replace(part=0)
