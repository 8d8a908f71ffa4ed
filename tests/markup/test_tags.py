"""Text of the author that looks like a tag, and ranges that are not cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from docxchunk.markup.tags import (
    escape_text,
    html_cell,
    is_inside,
    markdown_cell,
    outermost,
    plain_cell,
    unescape_text,
)

PIECES = st.sampled_from(
    ["<table>", "</table>", "&lt;table", "&amp;lt;", "<", "&", "a", " ", "<sup>"]
)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [("<table>", "&lt;table>"), ("&lt;table>", "&amp;lt;table>"), ("a < b & c", "a < b & c")],
)
def test_only_text_like_a_tag_is_escaped(text, escaped):
    assert escape_text(text) == escaped


@given(st.lists(PIECES).map("".join))
def test_escaped_text_comes_back(text):
    assert unescape_text(escape_text(text)) == text


FOX, SUM, POWER = (
    "<drawing id='im-1' />",
    "<equation> a|b </equation>",
    '<equation id="e">x</equation>',
)


@pytest.mark.parametrize(
    ("text", "plain", "in_markdown", "in_html"),
    [
        ("a\n b", "a b", "a b", "a b"),
        ("$5 a|b & <", "$5 a|b & <", r"$5 a\|b & <", "$5 a|b &amp; &lt;"),
        (r"a\|b \\|", r"a\|b \\|", r"a\\\|b \\\\\|", r"a\|b \\|"),
        (f"a {FOX}{FOX} $5", "a foxfox $5", "a foxfox $5", "a foxfox $5"),
        (f"a {SUM} $5", "a $a|b$ $5", r"a $a\|b$ \$5", "a $a|b$ $5"),
        (f"{FOX} {POWER}, {SUM}", "fox $$x$$, $a|b$", r"fox $$x$$, $a\|b$", "fox $$x$$, $a|b$"),
        ("<equation> </equation>", "[Equation]", "[Equation]", "[Equation]"),
    ],
)
def test_objects_in_cells_are_words(text, plain, in_markdown, in_html):
    forms = (plain_cell, markdown_cell, html_cell)
    assert [form(text, lambda _: "fox") for form in forms] == [plain, in_markdown, in_html]


# -- ranges that are not cut

RANGES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 6)).map(lambda pair: (pair[0], sum(pair)))
)


@example([(0, 6), (1, 2), (6, 8)])
@given(RANGES)
def test_overlapping_ranges_are_merged_and_touching_ones_are_not(ranges):
    merged = outermost(ranges)
    assert all(left[1] <= right[0] for left, right in pairwise(merged))
    assert characters(merged) == characters(ranges)
    ends = {end for _, end in ranges} & {start for start, _ in ranges}
    for place in ends:
        if not any(start < place < end for start, end in ranges):
            assert not any(start < place < end for start, end in merged)


@example([(0, 2)], 2)
@example([(0, 2)], 0)
@given(RANGES, st.integers(-1, 30))
def test_an_edge_is_not_inside(ranges, place):
    merged = outermost(ranges)
    assert is_inside(place, merged) == any(start < place < end for start, end in merged)


def characters(ranges):
    return {place for start, end in ranges for place in range(start, end)}
