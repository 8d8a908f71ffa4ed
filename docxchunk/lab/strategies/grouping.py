"""Stages of several papers: merge neighbours up to a size, repeat the end of a chunk in the next
one, and add smaller chunks inside chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from itertools import chain, pairwise

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import Groups, pack
from docxchunk.chunking.pieces import Piece, Span
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.table_splitter import TableSizes
from docxchunk.chunking.table_stages import slice_tables
from docxchunk.chunking.tokens import fill
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import Relevance, SliceRole


def fill_up_stages(assembler: Assembler, share: float) -> tuple[Stage, ...]:
    """Return the stage that merges neighbours up to a share of the limit."""
    return (Stage("fill_up", partial(fill_up, assembler, share)),)


def fill_up(assembler: Assembler, share: float, pieces: list[Piece]) -> list[Piece]:
    """Merge neighbours from left to right while they fit into a share of the limit; a share of 0
    merges nothing.
    """
    max_tokens = int(share * assembler.smallest_limit)

    def merged(first: int, last: int) -> Piece:
        group = pieces[first:last]
        return reduce(assembler.merged, group)._replace(relevance=_mean_relevance(group))

    ranges = fill(len(pieces), lambda first, last: merged(first, last).tokens <= max_tokens)
    return [merged(members.start, members.stop) for members in ranges]


def _mean_relevance(pieces: Sequence[Piece]) -> Relevance | None:
    """Return the mean relevance, weighted by tokens; None if a piece has none."""
    first = pieces[0].relevance
    scores = [piece.relevance.score * piece.tokens for piece in pieces if piece.relevance]
    if first is None or len(scores) < len(pieces):
        return None
    tokens = sum(piece.tokens for piece in pieces)
    return first._replace(score=round(sum(scores) / max(tokens, 1), 4))


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


# -- overlap

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
    after_tables_and_headings = (
        number + 1
        for number, kind in enumerate(sequence.kinds)
        if kind in (LineKind.TABLE, LineKind.HEADING)
    )
    first = max([first_repeated(sequence), *after_tables_and_headings])
    for start in sequence.starts[first:]:
        yield assembler.slice(left.block, start, right.start, SliceRole.OVERLAP)


# -- children


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
