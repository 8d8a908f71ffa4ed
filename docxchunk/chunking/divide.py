"""Pack units into chunks from the first unit on, and group them by the rule of a strategy.

R packs all text. Every other strategy packs text over the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final, NamedTuple

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.cutting import Cutter
from docxchunk.chunking.pieces import Cut, Piece, Span
from docxchunk.chunking.prices import PARAGRAPH
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.table_stages import slice_tables
from docxchunk.chunking.texts import Lines
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.language.ranges import outermost
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Slice, TableRole
from docxchunk.model.fields import check_fields
from docxchunk.model.options import ChunkLimits

# -- packing

# share of the cap: cuts above this size are chosen by quality, cuts below it by size
_FULL: Final = 0.75
# a line is split to follow its heading if at least an eighth of the cap is left for it
_WORTH_FILLING: Final = 8
# overlap inside a sentence is cut into parts of at most an eighth of it
_ATOMS: Final = 8
_LEAST: Final = 4  # tokens of such a part


class Packed(NamedTuple):
    """The text of a chunk, and the cut before it."""

    spans: list[Span]
    cut: Cut


def pack(
    sequence: UnitSequence, cap: int, overlap: int, *, across_lines: bool = False
) -> list[Packed]:
    """Return chunks of at most `cap` tokens. After a cut inside a line, the next chunk repeats up
    to `overlap` tokens from before the cut; with `across_lines`, also after a cut between lines.

    The overlap is at most a quarter of the cap, and at most half of the new text of the next chunk.
    """
    result: list[Packed] = []
    # a cut of a higher price is followed by an overlap
    repeated_from = -1.0 if across_lines else PARAGRAPH
    first = before = 0
    while first < len(sequence):
        _make_room(sequence, first, cap)
        lead = _lead(sequence, before, first, min(overlap, cap // 4), repeated_from)
        last = _end(sequence, first, cap, lead)
        if last == first:
            lead, last = None, max(_end(sequence, first, cap), first + 1)
        if lead is not None:
            lead = _lead(
                sequence,
                before,
                first,
                min(overlap, cap // 4, sequence.size(first, last) // 2),
                repeated_from,
            )
        cut = Cut(sequence.prices[first], sequence, first)
        result.append(Packed(sequence.between(first, last, lead), cut))
        before, first = first, last
    return result


def _make_room(sequence: UnitSequence, first: int, cap: int) -> None:
    """Split the first line of a chunk if it does not fit. If the chunk begins with headings, this
    is the first line below them. A table that fits into a chunk is not split, even if it is then
    separated from its heading.
    """
    body = first
    while (
        body < len(sequence) - 1
        and sequence.kinds[body] is LineKind.HEADING
        and sequence.before[body] - sequence.before[first] <= 2 * cap
    ):
        body += 1  # headings over twice the cap surely do not fit
    if sequence.size(first, body + 1) <= cap:
        return
    room = cap if body == first else cap - sequence.size(first, body) - 1
    if room * _WORTH_FILLING >= cap and not (
        sequence.kinds[body] is LineKind.TABLE and sequence.size(body, body + 1) <= cap
    ):
        sequence.expand(body, room)
    if sequence.size(first, first + 1) > cap:
        sequence.expand(first, cap)


def _end(sequence: UnitSequence, first: int, cap: int, lead: int | None = None) -> int:
    """Return the end of the chunk that starts at `first`. It is the best of the cuts that leave the
    chunk full enough and do not separate a heading from its text.
    """
    last = sequence.furthest(first, cap, lead)
    if last in (first, len(sequence)):
        return last
    prices, kinds = sequence.prices, sequence.kinds
    full = sequence.before[first] + int(_FULL * cap)
    best = cut = last
    while sequence.before[cut - 1] > full:
        cut -= 1
        if prices[cut] < prices[best]:
            best = cut
    while best > first and kinds[best - 1] is LineKind.HEADING:
        best -= 1
    return best if best > first else last


def _lead(
    sequence: UnitSequence, before: int, first: int, limit: int, repeated_from: float
) -> int | None:
    """Return the start of the overlap before unit `first`; None for no overlap. The overlap is
    whole sentences if they fit into the limit, else whole words.
    """
    if first == before or limit <= 0:
        return None
    starts, span = sequence.starts, sequence.spans[sequence.of[first]]
    if not _may_repeat(sequence, first - 1, repeated_from):
        return None
    lines = sequence.assembler.lines(span.block)
    start, end = first, starts[first]
    while (
        start > before
        and _may_repeat(sequence, start - 1, repeated_from)
        and lines.ruler.measure(starts[start - 1], end) <= limit
    ):
        start -= 1
    if start < first:
        return starts[start]
    if sequence.prices[first] <= PARAGRAPH:
        return None
    return _last_words(lines, starts[first - 1], sequence.ends[first - 1], end, limit)


def _may_repeat(sequence: UnitSequence, number: int, repeated_from: float) -> bool:
    return (
        sequence.of[number] == sequence.of[number + 1]
        and sequence.prices[number + 1] > repeated_from
        and sequence.kinds[number] not in (LineKind.TABLE, LineKind.HEADING)
    )


def _last_words(lines: Lines, unit_start: int, unit_end: int, end: int, limit: int) -> int | None:
    """Return the start of the last words of a unit that fit into the limit, or None."""
    whole = outermost(lines.text.tags(unit_start, unit_end))
    atoms = Cutter(lines.ruler, max(limit // _ATOMS, _LEAST), whole).atoms(unit_start, unit_end)
    fit = (atom.start for atom in atoms[1:] if lines.ruler.measure(atom.start, end) <= limit)
    return next(fit, None)


# -- groups of units

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


@dataclass(frozen=True, slots=True)
class R:
    """Recursive chunking of the whole text, regardless of headings. Inline tags are not cut, and
    tables are cut only between rows.
    """

    name: ClassVar[str] = "R"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return (*slicing_stages(assembler), Stage("pack_all", partial(pack_all, assembler)))
