"""Stages for tables: slice those over the limit between rows, and show the text between two tables
beside both, where one of them is cut (docs/design/staged-chunking.md, stages B and B.1).
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from itertools import pairwise, takewhile
from typing import Final

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.cutting import Cutter, TextAtom
from docxchunk.chunking.pieces import Cut, Piece, Span
from docxchunk.chunking.prices import ROW
from docxchunk.chunking.table_splitter import TableSizes, TableSlicer, with_slices
from docxchunk.chunking.tokens import Ruler
from docxchunk.chunking.units import UnitSequence, UnitType
from docxchunk.content.forms import TableInText
from docxchunk.language.ranges import outermost
from docxchunk.model.chunks import SliceRole, TableRole

log = logging.getLogger("docxchunk.chunking")


def slice_tables(assembler: Assembler, sizes: TableSizes, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces with large tables sliced. The first slice ends a piece, the last one starts
    a piece, each slice between is a piece.

    Text between two sliced tables becomes a separate piece, which the stage `bridge` shares between
    them.
    """
    result: list[Piece] = []
    for piece in pieces:
        if piece.tokens > sizes.max_tokens and any(
            assembler.tables(span.block) for span in piece.spans
        ):
            result += _sliced(assembler, sizes, piece)
        else:
            result.append(piece)
    return result


def _sliced(assembler: Assembler, sizes: TableSizes, piece: Piece) -> list[Piece]:
    groups: list[tuple[TableRole, list[Span]]] = [(TableRole.NONE, [])]
    for span in piece.spans:
        for item in with_slices(assembler, span, partial(_slices, assembler, sizes, span)):
            if isinstance(item, Span):
                groups[-1][1].append(item)
            else:
                _put_slices(groups, item)
    full = [(role, spans) for role, spans in groups if spans]
    if len(full) == 1 and piece.tokens <= assembler.smallest_limit:
        return [piece]
    log.debug("table_chunk_role: %s of %r", [role.value for role, _ in full], piece.heading)
    later = assembler.later_part(piece)._replace(cut=Cut(ROW))
    return [
        assembler.piece(spans, later if i else piece)._replace(role=role)
        for i, (role, spans) in enumerate(full)
    ]


def _slices(
    assembler: Assembler, sizes: TableSizes, span: Span, table: TableInText
) -> list[list[Span]] | None:
    """Return the slices of a table; None if it is not over the limit."""
    ruler = assembler.lines(span.block).ruler
    if not ruler.exceeds(table.start, table.end, sizes.max_tokens):
        return None
    return TableSlicer(assembler, span.block, table, sizes).slices()


def _put_slices(groups: list[tuple[TableRole, list[Span]]], slices: list[list[Span]]) -> None:
    """Append the first slice to the current group and start a new group with the last one (stage B,
    rule 6).
    """
    role, spans = groups[-1]
    if len(slices) < 2:
        spans += (span for group in slices for span in group)
        return
    # between two sliced tables: separate the last slice, the text and the first slice
    if role is TableRole.LAST:
        count = 1 + sum(span.rows is not None for span in spans[1:])
        groups[-1:] = [
            (role, spans[:count]),
            (TableRole.NONE, spans[count:]),
            (TableRole.FIRST, [*slices[0]]),
        ]
    else:
        groups[-1] = (TableRole.FIRST, [*spans, *slices[0]])
    groups += [(TableRole.MIDDLE, [*middle]) for middle in slices[1:-1]]
    groups.append((TableRole.LAST, [*slices[-1]]))


# -- text between tables

_JOIN_TOKENS: Final = 2  # maximum number of tokens of the line break between table and text
_FINE: Final = 5  # text that is shared is cut at most a fifth before it would have to be


def bridge_slices(assembler: Assembler, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces, with the text between two sliced tables shared between them (the rule of
    P-staged). The last slice of the first table gets the beginning of the text, and the first
    slice of the second table its end.

    Each slice takes as much text as its budget allows. Text that fits into both belongs to the
    first one and is repeated in the second. Text that fits into neither, and any table in it, stays
    a separate piece.
    """
    result: list[Piece] = []
    for piece in pieces:
        if len(result) > 1 and _is_between_slices(result[-2], result[-1], piece):
            log.debug(
                "bridge: %d tokens between two tables of %r", result[-1].tokens, piece.heading
            )
            result[-2:] = _bridged(assembler, result[-2], result[-1], piece)
        else:
            result.append(piece)
    return result


def _is_between_slices(left: Piece, middle: Piece, right: Piece) -> bool:
    if not (
        left.role is TableRole.LAST
        and middle.role is TableRole.NONE
        and right.role is TableRole.FIRST
    ):
        return False
    return (
        left.block == middle.block == right.block
        and len(middle.spans) == 1
        and middle.spans[0].is_text
    )


def _bridged(assembler: Assembler, left: Piece, middle: Piece, right: Piece) -> list[Piece]:
    text = middle.spans[0]
    block, ruler = text.block, assembler.lines(text.block).ruler
    tables = [
        (table.start, table.end) for table in assembler.tables_between(block, text.start, text.end)
    ]
    whole = outermost([*tables, *assembler.text(block).tags(text.start, text.end)])
    longest = max(assembler.limits.overlap // _FINE, 1)
    cuts = Cutter(ruler, longest, whole).atoms(text.start, text.end)[1:]
    left_end, right_start = _edges(
        ruler, text, cuts, _budget(assembler, left), _budget(assembler, right)
    )
    if tables:  # none of them is repeated beside a slice
        left_end, right_start = min(left_end, tables[0][0]), max(right_start, tables[-1][1])
    of_left = assembler.text_between(block, text.start, left_end)
    of_none = assembler.text_between(block, left_end, right_start)
    of_right = assembler.text_between(block, max(left_end, right_start), text.end)
    if right_start < left_end:
        of_right.insert(0, assembler.slice(block, right_start, left_end, SliceRole.BRIDGE))
    return [
        assembler.piece([*left.spans, *of_left], left),
        *(assembler.piece([span], middle) for span in of_none),
        assembler.piece([*of_right, *right.spans], right),
    ]


def _budget(assembler: Assembler, piece: Piece) -> int:
    cap = assembler.cap(piece.parents, piece.heading)
    return max(
        0,
        min(
            assembler.limits.overlap,
            cap - piece.tokens - _JOIN_TOKENS,
            assembler.limits.max_tokens // 2,
        ),
    )


def _edges(
    ruler: Ruler, text: Span, cuts: Sequence[TextAtom], left: int, right: int
) -> tuple[int, int]:
    """Return two places where a text may be cut. What is before the first fits into the budget
    `left`, and what is after the second fits into the budget `right`.
    """
    start, end = text.start, text.end
    fit_left = takewhile(lambda cut: ruler.measure(start, cut.start) <= left, cuts)
    fit_right = takewhile(lambda cut: ruler.measure(cut.start, end) <= right, reversed(cuts))
    return (
        end if text.tokens <= left else _best(start, [*fit_left]),
        start if text.tokens <= right else _best(end, [*fit_right]),
    )


def _best(edge: int, cuts: Sequence[TextAtom]) -> int:
    """Return where to cut a text that is shared. `cuts` lead from an edge of the text towards its
    middle: the last one keeps the most text. The cheapest cut counts that keeps at least four
    fifths of this text. Without a cut, return the edge.
    """
    if not cuts:
        return edge
    last = cuts[-1].start
    near = [cut for cut in cuts if abs(last - cut.start) * _FINE <= abs(last - edge)]
    return min(near, key=lambda cut: (cut.price, abs(last - cut.start))).start


# -- between chunks


def bridge_chunks(assembler: Assembler, headline: int, pieces: list[Piece]) -> list[Piece]:
    """Return the chunks. If a cut separates a table from the text between it and the next table,
    the text is repeated beside the table (the rule of P).

    This needs two neighbouring chunks with a table each, one of which is cut between rows. As many
    whole sentences are repeated as the budget allows, but no captions. `headline` is the maximum
    length of a headline, in characters.
    """
    cut = {
        span.rows.id
        for piece in pieces
        for span in piece.spans
        if span.rows and span.rows.role is not TableRole.NONE
    }
    if not cut:
        return pieces
    result = [*pieces]
    for number, (left, right) in enumerate(pairwise(pieces)):
        pair = _tables_around_cut(assembler, left, right)
        if pair is None or cut.isdisjoint(table.id for table in pair):
            continue
        above, below = pair
        last, first = left.spans[-1], right.spans[0]
        for text in _without_captions(assembler, headline, last.block, above.end, last.end):
            result[number + 1] = _with_bridge(assembler, text, right, before=True)
        for text in _without_captions(assembler, headline, first.block, first.start, below.start):
            result[number] = _with_bridge(assembler, text, result[number], before=False)
    return result


def _without_captions(
    assembler: Assembler, headline: int, block: int, start: int, end: int
) -> list[Span]:
    """Return the text between two tables without the captions at its ends, each of which belongs to
    one table only; an empty list if nothing is left.
    """
    lines = assembler.lines(block)
    between = lines.between(start, end)
    classes = lines.priced(headline)[0]
    numbers = [n for n in range(between.start, between.stop) if not classes[n].caption]
    if not numbers:
        return []
    first, last = lines.starts[numbers[0]], lines.ends[numbers[-1]]
    return assembler.text_between(block, max(start, first), min(end, last))


def _tables_around_cut(
    assembler: Assembler, left: Piece, right: Piece
) -> tuple[TableInText, TableInText] | None:
    """Return the last table of a chunk and the first table of the next one. Return None unless both
    are in one block with only text between them.
    """
    last, first = left.spans[-1], right.spans[0]
    if last.block != first.block or first.is_repeat:
        return None
    tables, starts = assembler.tables(last.block), assembler.table_starts(last.block)
    number = bisect_left(starts, last.end) - 1
    if not 0 <= number < len(starts) - 1:
        return None
    above, below = tables[starts[number]], tables[starts[number + 1]]
    begins = min(span.start for span in left.spans if span.block == last.block)
    ends = max(span.end for span in right.spans if span.block == first.block)
    return (above, below) if begins < above.end <= first.start and below.start < ends else None


def _with_bridge(assembler: Assembler, text: Span, piece: Piece, *, before: bool) -> Piece:
    """Return the piece with sentences of a text repeated beside it, as many as its budget allows.
    With `before`, the last sentences are put before the piece, else the first ones after it.
    """
    sentences = UnitSequence(assembler, [text], UnitType.SENTENCE)
    if before:
        ranges = [(start, text.end) for start in reversed(sentences.starts)]
    else:
        ranges = [(text.start, end) for end in sentences.ends]
    ruler, budget = assembler.lines(text.block).ruler, _budget(assembler, piece)
    fitting = list(takewhile(lambda ends: ruler.measure(*ends) <= budget, ranges))
    if not fitting:
        return piece
    repeat = assembler.slice(text.block, *fitting[-1], SliceRole.BRIDGE)
    spans = [repeat, *piece.spans] if before else [*piece.spans, repeat]
    bridged = assembler.piece(spans, piece)
    return bridged if bridged.tokens <= assembler.cap(piece.parents, piece.heading) else piece
