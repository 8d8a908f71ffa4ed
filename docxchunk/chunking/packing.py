"""Pack units into chunks from the first unit on. R does this with all text, and every other
strategy with text over the limit.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from docxchunk.chunking.cutting import word_start
from docxchunk.chunking.lines import PARAGRAPH, Lines
from docxchunk.chunking.pieces import Cut, Span
from docxchunk.chunking.units import UnitSequence
from docxchunk.model.blocks import LineKind

# share of the cap: cuts above this size are chosen by quality, cuts below it by size
_FULL: Final = 0.75
# a line is split to follow its heading if at least an eighth of the cap is left for it
_WORTH_FILLING: Final = 8


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
        cut = Cut(sequence.prices[first], sequence, first, sequence.before)
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
    ruler, tags = lines.ruler, lines.text.tags(unit_start, unit_end)
    at = unit_end - (unit_end - unit_start) * limit // max(ruler.measure(unit_start, end), 1)
    while at < unit_end:
        at = word_start(ruler.text, at, unit_end)
        inside = next((tag[1] for tag in tags if tag[0] < at < tag[1]), None)
        if inside is not None:
            at = inside
        elif at < unit_end and ruler.measure(at, end) <= limit:
            return at
        else:
            at += max(1, (unit_end - at) // 4)
    return None
