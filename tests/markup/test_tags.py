"""Text of the author that looks like a tag."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.markup.tags import escape_text, unescape_text

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
