"""Statistics of the sizes of chunks (docs/design/chunking.md, Measures)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from docxchunk.model.chunks import Added, AddedRole, Chunk, SliceRole, TableRole

_REPEATED = (SliceRole.OVERLAP, SliceRole.BRIDGE, AddedRole.HEADER)


@dataclass(frozen=True, slots=True)
class SizeStatistics:
    """Statistics of chunks with the same token limit, the cap. Whole chunks are those without part
    of a split table; shares are 0 to 1.
    """

    chunks: int
    tokens: int
    mean: float
    median: float
    largest: int
    fill: float | None  # mean tokens / cap of whole chunks; None if there are none
    # share of whole chunks of at least three quarters of the cap; None if there are none
    ideal: float | None
    small: float  # share of chunks under an eighth of the cap
    oversize: int
    sections: float  # mean number of headings per chunk
    tables: int
    tables_cut: int
    repeated: float  # share of the characters that repeat other text


def measured(chunks: Sequence[Chunk], cap: int) -> SizeStatistics:
    """Return the statistics of one or more chunks. `cap` is their token limit."""
    tokens = [chunk.tokens for chunk in chunks]
    whole = [
        chunk.tokens / cap
        for chunk in chunks
        if all(table.role is TableRole.NONE for table in chunk.tables)
    ]
    roles = [(table.id, table.role) for chunk in chunks for table in chunk.tables]
    return SizeStatistics(
        chunks=len(chunks),
        tokens=sum(tokens),
        mean=fmean(tokens),
        median=median(tokens),
        largest=max(tokens),
        fill=fmean(whole) if whole else None,
        ideal=fmean(fill >= 0.75 for fill in whole) if whole else None,
        small=fmean(size < cap / 8 for size in tokens),
        oversize=sum(size > cap for size in tokens),
        sections=fmean(len(chunk.headings) for chunk in chunks),
        tables=len({identifier for identifier, _ in roles}),
        tables_cut=len({identifier for identifier, role in roles if role is not TableRole.NONE}),
        repeated=_repeated(chunks),
    )


def histogram(chunks: Sequence[Chunk], cap: int, bins: int) -> list[tuple[int, int, int]]:
    """Return lower bound, upper bound (inclusive) and number of chunks for each bin from 0 to
    `cap`. The last bin includes chunks over the cap.
    """
    width = -(-cap // bins)
    counts = [0] * bins
    for chunk in chunks:
        counts[min(chunk.tokens // width, bins - 1)] += 1
    return [
        (number * width, min(number * width + width - 1, cap) if number < bins - 1 else cap, count)
        for number, count in enumerate(counts)
    ]


def _repeated(chunks: Sequence[Chunk]) -> float:
    again = sum(
        len(part.text) if isinstance(part, Added) else part.end - part.start
        for chunk in chunks
        for part in chunk.parts
        if part.role in _REPEATED
    )
    return again / max(1, sum(len(chunk.content) for chunk in chunks))
