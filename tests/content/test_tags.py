"""Text of the author that looks like a tag, and ranges that are not cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
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


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("<table>", "&lt;table>"),
        ("&lt;table>", "&amp;lt;table>"),
        ("a < b & c", "a < b & c"),
        ("</TD > & <br>", "&lt;/TD > & &lt;br>"),
        ("<strong> <strong x> <a href=", "&lt;strong> <strong x> &lt;a href="),
        ("&amp;lt;sup> &amp;lt;x", "&amp;amp;lt;sup> &amp;lt;x"),
    ],
)
def test_only_text_like_a_tag_is_escaped(text, escaped):
    assert escape_text(text) == escaped


@given(st.lists(PIECES).map("".join))
def test_escaped_text_comes_back(text):
    assert unescape_text(escape_text(text)) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a & b < c > d", "a &amp; b &lt; c &gt; d"),
        ("10<sup>2</sup> <SUB>i</SUB>", "10<sup>2</sup> <SUB>i</SUB>"),
        ('<a href="x&y">b</a>', '<a href="x&y">b</a>'),
        ("<b>", "&lt;b&gt;"),
        # what `escape_text` escaped
        ("&lt;table &amp;lt;td> &lt;x", "&lt;table &amp;lt;td&gt; &amp;lt;x"),
        ('say "it\'s"', 'say "it\'s"'),
    ],
)
def test_text_of_cells_is_escaped_except_inline_tags(text, escaped):
    assert escape_cell(text) == escaped


def test_attributes_are_on_one_line_and_quoted():
    assert escape_attribute(' a\n "b" & <c> ') == "a &quot;b&quot; &amp; &lt;c&gt;"
    assert drawing_tag("im-1", "png", 'a "b"', "x/y.png", "") == (
        '<drawing id="im-1" format="png" caption="a &quot;b&quot;" path="x/y.png" src="" />'
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a  b\n", "a  b\n"),  # without tags, nothing changes
        ("<em>a</em>  &lt;table>\n", "a <table>"),
        ("Art. 6<sup>10</sup>, m<sup>2</sup>, 6<sub>1</sub>", "Art. 6¹⁰, m2, 61"),
        ('<equation format="latex">x\n< y</equation> b', "x < y b"),
        ('a <drawing id="i" /><table id="t">[["x"]]</table> b', "a b"),
        ("a < b & c", "a < b & c"),
        ("AT&amp;T", "AT&amp;T"),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("a [^1] b [^note] c [^] [^a b] [1]", ["[^1]", "[^note]"]),
        (f"[^{'1' * 12}] [^{'1' * 13}]", [f"[^{'1' * 12}]"]),
        ("{++new++} {--old--} {++a--} {++b\n++}", ["{++new++}", "{--old--}"]),
        ("{++a {--b--} c++}", ["{--b--}"]),
        ("<strong>a <em>b</em></strong> <u>c</u>", ["<strong>a <em>b</em></strong>", "<u>c</u>"]),
        ("<em>a <em>b</em>", ["<em>b</em>"]),
        (
            '<mark color="red">a</mark> <a href="x">b</a> <a name="x">c</a>',
            ['<mark color="red">a</mark>', '<a href="x">b</a>'],
        ),
        ("H<sub>2</sub>O <sup>a</sub>", ["<sub>2</sub>"]),
        ("plain", []),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "in_plain_text", "in_markdown", "in_html"),
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
