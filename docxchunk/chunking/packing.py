"""Pack lines, and parts of lines that are too long, into chunks one after another
(docs/design/chunking.md, R).
"""

from __future__ import annotations

from typing import Final

from docxchunk.chunking.cutting import word_start
from docxchunk.chunking.lines import Lines
from docxchunk.chunking.pieces import Span
from docxchunk.chunking.text.breaks import Break
from docxchunk.chunking.unit_sequence import Unit, UnitSequence
from docxchunk.model.blocks import LineKind
from docxchunk.model.chunks import SliceRole

# share of the cap: cuts above this size are chosen by quality, cuts below it by size
_FULL: Final = 0.75
# a line is split to follow its heading if at least an eighth of the cap is left for it
_WORTH_FILLING: Final = 8


def pack(
    sequence: UnitSequence, cap: int, overlap: int, reach: Break = Break.LINE
) -> list[list[Span]]:
    """Return chunks of at most `cap` tokens. After a cut weaker than `reach`, the next chunk
    repeats up to `overlap` tokens from before the cut.

    The overlap is at most a quarter of the cap, and half of the new text of the next chunk.
    """
    done: list[list[Span]] = []
    first = before = 0
    while first < len(sequence):
        _make_room(sequence, first, cap)
        lead = _lead(sequence, before, first, min(overlap, cap // 4), reach)
        last = _end(sequence, first, cap, lead)
        if last == first:
            lead, last = None, max(_end(sequence, first, cap), first + 1)
        if lead is not None:
            lead = _lead(
                sequence,
                before,
                first,
                min(overlap, cap // 4, sequence.size(first, last) // 2),
                reach,
            )
        done.append(sequence.between(first, last, lead))
        before, first = first, last
    return done


def _make_room(sequence: UnitSequence, first: int, cap: int) -> None:
    """Split the first line, or the one under the first headings, if it does not fit. A table is not
    split to stay with its heading.
    """
    body = first
    while (
        body < len(sequence) - 1
        and sequence.units[body].kind is LineKind.HEADING
        and sequence.before[body] - sequence.before[first] <= 2 * cap
    ):
        body += 1  # headings over twice the cap surely do not fit
    if sequence.size(first, body + 1) <= cap:
        return
    room = cap if body == first else cap - sequence.size(first, body) - 1
    if room * _WORTH_FILLING >= cap and not (
        sequence.units[body].kind is LineKind.TABLE and sequence.size(body, body + 1) <= cap
    ):
        sequence.expand(body, room)
    if body > first and sequence.size(first, first + 1) > cap:
        sequence.expand(first, cap)


def _end(sequence: UnitSequence, first: int, cap: int, lead: int | None = None) -> int:
    """Return the end of the chunk that starts at `first`: the best cut that leaves it full enough,
    and not between a heading and its text.
    """
    last = sequence.furthest(first, cap, lead)
    if last in (first, len(sequence)):
        return last
    units = sequence.units
    full = sequence.before[first] + int(_FULL * cap)
    best = place = last
    while place > first + 1 and sequence.before[place - 1] > full:
        place -= 1
        if units[place - 1].after > units[best - 1].after:
            best = place
    while best > first and units[best - 1].kind is LineKind.HEADING:
        best -= 1
    return best if best > first else last


def _lead(sequence: UnitSequence, before: int, first: int, limit: int, reach: Break) -> int | None:
    """Return the start of the overlap before unit `first`: whole sentences if they fit into the
    limit, else whole words; None for no overlap.
    """
    if first == before or limit <= 0:
        return None
    units = sequence.units
    span = sequence.spans[units[first].span]
    if span.role is not SliceRole.TEXT or not _may_repeat(units[first - 1], units[first], reach):
        return None
    ruler = sequence.services.lines(span.block).ruler
    end = units[first].start
    start = first
    while (
        start > before
        and _may_repeat(units[start - 1], units[start], reach)
        and ruler.measure(units[start - 1].start, end) <= limit
    ):
        start -= 1
    if start < first:
        return units[start].start
    return (
        _last_words(sequence.services.lines(span.block), units[first - 1], end, limit)
        if units[first - 1].after < Break.LINE
        else None
    )


def _may_repeat(unit: Unit, following: Unit, reach: Break) -> bool:
    return (
        unit.span == following.span
        and unit.after < reach
        and unit.kind not in (LineKind.TABLE, LineKind.HEADING)
    )


def _last_words(lines: Lines, unit: Unit, end: int, limit: int) -> int | None:
    """Return the start of the last words of a unit that fit into the limit; None if none do."""
    ruler, tags = lines.ruler, lines.text.tags(unit.start, unit.end)
    at = unit.end - (unit.end - unit.start) * limit // max(ruler.measure(unit.start, end), 1)
    while at < unit.end:
        at = word_start(ruler.text, at, unit.end)
        inside = next((tag[1] for tag in tags if tag[0] < at < tag[1]), None)
        if inside is not None:
            at = inside
        elif at < unit.end and ruler.measure(at, end) <= limit:
            return at
        else:
            at += max(1, (unit.end - at) // 4)
    return None
