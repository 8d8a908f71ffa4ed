"""Text of the author that looks like a tag, and ranges that are not cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from case_files import each_row, each_text
from hypothesis import example, given
from hypothesis import strategies as st

from docxchunk.content.tags import (
    cell_tag,
    drawing_tag,
    equation_tag,
    escape_attribute,
    escape_cell,
    escape_text,
    html_cell,
    inline_tags,
    markdown_cell,
    picture,
    plain,
    plain_cell,
    unescape_text,
)
from docxchunk.language.ranges import is_inside, outermost

PIECES = st.sampled_from(
    ["<table>", "</table>", "&lt;table", "&amp;lt;", "<", "&", "a", " ", "<sup>"]
)


@each_row("content")
def test_only_text_like_a_tag_is_escaped(text, escaped):
    assert escape_text(text) == escaped


@given(st.lists(PIECES).map("".join))
def test_escaped_text_comes_back(text):
    assert unescape_text(escape_text(text)) == text


@each_row("content")
def test_text_of_cells_is_escaped_except_inline_tags(text, escaped):
    assert escape_cell(text) == escaped


def test_attributes_are_on_one_line_and_quoted():
    assert escape_attribute(' a\n "b" & <c> ') == "a &quot;b&quot; &amp; &lt;c&gt;"
    assert drawing_tag("im-1", "png", 'a "b"', "x/y.png", "") == (
        '<drawing id="im-1" format="png" caption="a &quot;b&quot;" path="x/y.png" src="" />'
    )


@each_row("content")
def test_plain_text_of_content(content, text):
    assert plain(content) == text


def test_spans_of_one_are_not_written():
    assert cell_tag("td", "a") == "<td>a</td>"
    assert cell_tag("th", "a", 2) == '<th rowspan="2">a</th>'
    assert cell_tag("td", "a", 1, 2) == '<td colspan="2">a</td>'
    assert cell_tag("td", "a", 2, 3) == '<td rowspan="2" colspan="3">a</td>'


def test_an_inline_equation_has_no_id():
    assert equation_tag("x") == '<equation format="latex">x</equation>'
    assert equation_tag("x", "eq-1") == '<equation id="eq-1" format="latex">x</equation>'


@each_row("content", whole=each_text)
def test_what_is_not_cut(text, whole):
    assert [text[start:end] for start, end in inline_tags(text)] == whole


@pytest.mark.parametrize(
    ("alternative", "words"),
    [("", "[Chart]"), (" \n", "[Chart]"), ("a\n b &amp; c", "[Chart: a b & c]")],
)
def test_words_for_a_picture(alternative, words):
    assert picture("Chart", alternative) == words


FOX, SUM, POWER = (
    "<drawing id='im-1' />",
    "<equation> a|b </equation>",
    '<equation id="e">x</equation>',
)


@each_row("content")
def test_objects_in_cells_are_words(text, in_plain_text, in_markdown, in_html):
    forms = (plain_cell, markdown_cell, html_cell)
    assert [form(text, lambda _: "fox") for form in forms] == [
        in_plain_text,
        in_markdown,
        in_html,
    ]


def test_the_words_for_a_picture_are_those_for_its_tag():
    assert plain_cell(f"a {FOX}{SUM}", str.upper) == f"a {FOX.upper()}$a|b$"


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
