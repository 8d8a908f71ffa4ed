"""Align the chunks of several sets side by side."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from docxchunk.formats.report.values import ChunkSet, NumberedBlock
from docxchunk.model.chunks import Chunk, Slice, SliceRole

_OWN = (SliceRole.TEXT, SliceRole.CELL)
_Start = tuple[int, int]


def leaves(chunk_set: ChunkSet) -> list[Chunk]:
    """Return the chunks without children, which contain the text once."""
    return [chunk for chunk in chunk_set.chunks if not chunk.children]


def roots(chunk_set: ChunkSet) -> list[Chunk]:
    """Return the chunks without a parent."""
    return [chunk for chunk in chunk_set.chunks if not chunk.parent]


def ancestors(chunk: Chunk, chunks: Mapping[str, Chunk]) -> tuple[Chunk, ...]:
    """Return the ancestors of a chunk, the root first. Cycles, which a bad file may contain, are
    cut.
    """
    found: list[Chunk] = []
    above = chunks.get(chunk.parent or "")
    while above is not None and above not in found:
        found.append(above)
        above = chunks.get(above.parent or "")
    return tuple(reversed(found))


def rows(
    sets: Sequence[ChunkSet], blocks: Mapping[str, NumberedBlock]
) -> Iterator[list[list[Chunk]]]:
    """Yield aligned rows, one list of chunks for each set.

    A row starts at a chunk of the first set in whose text a chunk of another set begins.
    """
    lead, *others = [leaves(chunk_set) for chunk_set in sets]
    starts = _starts(lead, blocks)
    placed = [_by_number(chunks, starts, blocks) for chunks in others]
    first = sorted({0, *(number for numbers in placed for number in numbers)})
    for number, following in pairwise([*first, len(lead)]):
        yield [lead[number:following], *(numbers.get(number, []) for numbers in placed)]


def _by_number(
    chunks: Sequence[Chunk], starts: list[_Start], blocks: Mapping[str, NumberedBlock]
) -> dict[int, list[Chunk]]:
    """Group chunks by the number of the lead chunk in whose text they begin."""
    found: dict[int, list[Chunk]] = {}
    for chunk, start in zip(chunks, _starts(chunks, blocks), strict=True):
        found.setdefault(max(0, bisect_right(starts, start) - 1), []).append(chunk)
    return found


def _starts(chunks: Sequence[Chunk], blocks: Mapping[str, NumberedBlock]) -> list[_Start]:
    """Return block number and offset of the start of each chunk, in non-decreasing order."""
    found: list[_Start] = []
    for chunk in chunks:
        own = (
            part
            for part in chunk.parts
            if isinstance(part, Slice) and part.role in _OWN and part.block in blocks
        )
        last = found[-1] if found else (0, 0)
        first = next(own, None)
        found.append(max(last, (blocks[first.block].number, first.start)) if first else last)
    return found
