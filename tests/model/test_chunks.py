"""Statistics of the sizes of chunks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Slice,
    SliceRole,
    TableRole,
    TableRows,
    histogram,
    measured,
)


def chunk(tokens, *parts, tables=()):
    return Chunk(tokens, "x" * 100, 0, "", (), 1, "c", "d", (), "", (), parts, tables=tables)


def test_sizes():
    cut = chunk(
        700,
        tables=(TableRows("tb", (0, 1), TableRole.FIRST), TableRows("tc", (0, 1), TableRole.NONE)),
    )
    repeated = chunk(
        800,
        Slice("b", 0, 30, SliceRole.OVERLAP),
        Added("header", AddedRole.HEADER),
        Slice("b", 30, 94),
    )
    sizes = measured([chunk(100), cut, repeated, chunk(1000)], 1000)
    assert (
        sizes.chunks,
        sizes.tokens,
        sizes.mean,
        sizes.median,
        sizes.largest,
        sizes.oversize,
    ) == (4, 2600, 650, 750, 1000, 0)
    assert (round(sizes.fill, 3), round(sizes.ideal, 3), sizes.small) == (0.633, 0.667, 0.25)
    assert (sizes.tables, sizes.tables_cut, sizes.repeated) == (2, 1, 0.09)


@pytest.mark.parametrize("cap", [32, 100, 1999, 2000])
def test_the_histogram_holds_every_size_once(cap):
    bins = histogram([chunk(size) for size in range(cap + 1)], cap, 8)
    assert (bins[0][0], bins[-1][1], len(bins)) == (0, cap, 8)
    assert all(high + 1 == low for (_, high, _), (low, _, _) in pairwise(bins))
    assert all(high - low + 1 == count for low, high, count in bins)


@pytest.mark.parametrize("cap", [32, 100, 1999, 2000])
def test_a_size_is_counted_in_the_bin_that_has_it(cap):
    for size in range(cap + 2):
        bins = histogram([chunk(size)], cap, 8)
        assert [low <= min(size, cap) <= high for low, high, _ in bins] == [
            n == 1 for *_, n in bins
        ]
