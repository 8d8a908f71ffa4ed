"""Statistics of the sizes of chunks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model.chunks import (
    Added,
    AddedRole,
    Chunk,
    Heading,
    Relevance,
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


def test_sections_are_counted_by_their_headings():
    headings = (Heading(1, "A"), Heading(2, "B"))
    assert measured([replace(chunk(1), headings=headings), chunk(1)], 100).sections == 1


def test_chunks_of_cut_tables_alone_fill_nothing():
    cut = chunk(80, tables=(TableRows("tb", (0, 1), TableRole.LAST),))
    sizes = measured([cut], 100)
    assert (sizes.fill, sizes.ideal, sizes.tables_cut) == (None, None, 1)


def test_text_that_repeats_other_text():
    """Overlaps, the text between two tables, and repeated header rows."""
    parts = (
        Slice("b", 0, 1, SliceRole.OVERLAP),
        Slice("b", 3, 5, SliceRole.BRIDGE),
        Added("wxyz", AddedRole.HEADER),
        Slice("b", 10, 18, SliceRole.CELL),
        Added("label: ", AddedRole.LABEL),
        Added("A > B", AddedRole.CONTEXT),
    )
    assert measured([chunk(1, *parts), chunk(1)], 100).repeated == 7 / 200


@pytest.mark.parametrize(("score", "relevant"), [(0.49, False), (0.5, True), (0.51, True)])
def test_a_score_at_the_threshold_is_relevant(score, relevant):
    assert Relevance(score, 0.5).relevant == relevant


def test_shares_count_sizes_at_their_boundaries():
    sizes = measured([chunk(size) for size in (124, 125, 749, 750, 1000, 1001)], 1000)
    assert (sizes.small, sizes.ideal, sizes.oversize) == (1 / 6, 1 / 2, 1)


def test_a_chunk_without_text_repeats_nothing():
    assert measured([replace(chunk(0), content="")], 100).repeated == 0


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


def test_the_bins_of_a_histogram():
    chunks = [chunk(size) for size in (0, 24, 25, 99, 100, 300)]
    assert histogram(chunks, 100, 4) == [(0, 24, 2), (25, 49, 1), (50, 74, 0), (75, 100, 3)]
    assert [bounds[:2] for bounds in histogram(chunks, 100, 3)] == [(0, 33), (34, 67), (68, 100)]


@pytest.mark.parametrize("cap", [0, -1])
def test_a_limit_below_one_counts_as_one(cap):
    chunks = [chunk(0), chunk(3)]
    assert histogram(chunks, cap, 8) == histogram(chunks, 1, 8) == [(0, 1, 2)]
    assert measured(chunks, cap) == measured(chunks, 1)
    assert measured([chunk(1)], 1).fill == 1


@pytest.mark.parametrize(
    ("low", "high", "level"),
    [
        (0, 12, "small"),
        (0, 13, "usual"),
        (13, 13, "usual"),
        (74, 74, "usual"),
        (75, 75, "ideal"),
        (74, 100, "usual"),
        (100, 100, "ideal"),
        (101, 101, "over"),
    ],
)
def test_levels_of_sizes_under_a_limit_of_100(low, high, level):
    assert size_level(low, high, 100) == level


def test_an_eighth_of_the_limit_is_not_small():
    assert [size_level(0, high, 80) for high in (9, 10)] == ["small", "usual"]


@given(CAPS, st.integers(0, 300))
def test_statistics_count_the_levels(cap, size):
    sizes, level = measured([chunk(size)], cap), size_level(size, size, cap)
    assert (sizes.small, sizes.oversize) == (level == "small", level == "over")
    assert sizes.ideal == (level in ("ideal", "over"))
