"""Statistics of the sizes of chunks."""

from __future__ import annotations

from itertools import pairwise

from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st

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
    size_level,
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
    assert sizes.sections == 0


CAPS, BINS = st.integers(1, 200), st.integers(1, 20)


@given(CAPS, BINS)
def test_the_histogram_holds_every_size_once(cap, most):
    bins = histogram([chunk(size) for size in range(cap + 1)], cap, most)
    assert (bins[0][0], bins[-1][1]) == (0, cap)
    assert all(high + 1 == low for (_, high, _), (low, _, _) in pairwise(bins))
    assert all(high - low + 1 == count > 0 for low, high, count in bins)
    widths = {high - low + 1 for low, high, _ in bins[:-1]}
    assert len(widths) < 2
    assert len(bins) <= most


@given(CAPS, BINS, st.integers(0, 300))
def test_a_size_is_counted_in_the_bin_that_has_it(cap, most, size):
    bins = histogram([chunk(size)], cap, most)
    assert [low <= min(size, cap) <= high for low, high, _ in bins] == [n == 1 for *_, n in bins]


@each_row("model", low=int, high=int)
def test_levels_of_sizes_under_a_limit_of_100(low, high, level):
    assert size_level(low, high, 100) == level


@given(CAPS, st.integers(0, 300))
def test_statistics_count_the_levels(cap, size):
    sizes, level = measured([chunk(size)], cap), size_level(size, size, cap)
    assert (sizes.small, sizes.oversize) == (level == "small", level == "over")
    assert sizes.ideal == (level in ("ideal", "over"))
