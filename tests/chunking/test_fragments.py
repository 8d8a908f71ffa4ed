"""Texts that are put together from fragments, and the range of the block that each part shows."""

from __future__ import annotations

from itertools import combinations

import pytest

from docxchunk.chunking.texts import (
    ComposedText,
    Fragment,
    cell_fragments,
    unchanged,
)
from docxchunk.content.tables import json_text, tables, unescaped
from docxchunk.model.chunks import Added, AddedRole, Slice, SliceRole

COPIED = unchanged("0123456789", 2, 7)
DECODED = Fragment("a&b<", 10, 21, None, SliceRole.CELL, [0, 1, 6, 7, 11])  # a&amp;b&lt;
REPLACED = Fragment("$x$ y", 10, 30, replaced=True)
ADDED = Fragment("a: b", added=AddedRole.LABEL)


@pytest.mark.parametrize(
    ("fragment", "range_", "part"),
    [
        (COPIED, (0, 5), Slice("b", 2, 7)),
        (COPIED, (1, 4), Slice("b", 3, 6)),
        (DECODED, (0, 4), Slice("b", 10, 21, SliceRole.CELL)),
        (DECODED, (0, 2), Slice("b", 10, 16, SliceRole.CELL)),
        (DECODED, (1, 3), Slice("b", 11, 17, SliceRole.CELL)),
        (DECODED, (3, 4), Slice("b", 17, 21, SliceRole.CELL)),
        (REPLACED, (0, 5), Slice("b", 10, 30, SliceRole.TEXT, "$x$ y")),
        (REPLACED, (0, 2), Slice("b", 10, 20, SliceRole.TEXT, "$x")),
        (REPLACED, (2, 4), Slice("b", 20, 25, SliceRole.TEXT, "$ ")),
        (REPLACED, (3, 5), Slice("b", 25, 30, SliceRole.TEXT, " y")),
        (Fragment("   ", 4, 9, replaced=True), (0, 2), Slice("b", 4, 4, SliceRole.TEXT, "  ")),
        (Fragment(" x", 4, 9, replaced=True), (1, 2), Slice("b", 4, 9, SliceRole.TEXT, "x")),
        (ADDED, (0, 4), Added("a: b", AddedRole.LABEL)),
        (ADDED, (1, 3), Added(": ", AddedRole.LABEL)),
    ],
)
def test_a_part_of_a_fragment_shows_its_range_of_the_block(fragment, range_, part):
    assert fragment.part("b", *range_) == part
    if isinstance(part, Slice):
        overlap = part._replace(role=SliceRole.OVERLAP)
        assert fragment.part("b", *range_, SliceRole.OVERLAP) == overlap


def fragments_of(cell, table_format):
    rows = f'[["{cell}","other"]]' if table_format == "json" else f"<tr><td>{cell}</td></tr>"
    content = f'Before <table id="t" format="{table_format}">{rows}</table>'
    grid = tables(content)[0]
    return content, list(cell_fragments(grid, grid.cells(0)[0]))


@pytest.mark.parametrize(
    ("cell", "table_format", "texts"),
    [
        ("a b", "json", ["a b"]),
        ("", "json", [""]),
        ("a &amp; b", "json", ["a &amp; b"]),
        (r"a\n\"b\"\u00e9 c", "json", ['a\n"b"é c']),
        ("a b", "html", ["a b"]),
        ("", "html", []),
        (" <br> ", "html", []),
        ("a<br>b", "html", ["a", " ", "b"]),
        ("<p>a</p><p>b</p>", "html", ["a", " ", "b"]),
        ("a<br> <br/>b", "html", ["a", " ", "b"]),
        ("a &amp; b<br>&lt;c", "html", ["a & b", " ", "<c"]),
        ("<b>a</b> &unknown; &amp;", "html", ["<b>a</b> &unknown; &"]),
    ],
)
def test_the_texts_of_a_cell(cell, table_format, texts):
    content, fragments = fragments_of(cell, table_format)
    assert [fragment.text for fragment in fragments] == texts
    decode = json_text if table_format == "json" else unescaped
    for fragment in fragments:
        if fragment.added:
            assert fragment == Fragment(" ", added=AddedRole.JOIN)
            continue
        for n, character in enumerate(fragment.text):
            part = fragment.part("b", n, n + 1)
            assert decode(content[part.start : part.end]) == character


def test_a_text_is_the_sum_of_its_parts():
    composed = ComposedText()
    assert (composed.text, composed.size, composed.parts("b", 0, 0)) == ("", 0, ())
    fragments = [ADDED, COPIED, Fragment(""), DECODED, Fragment("\n", added=AddedRole.JOIN)]
    ranges = [composed.add(fragment) for fragment in fragments]
    assert ranges == [(0, 4), (4, 9), (9, 9), (9, 13), (13, 14)]
    assert composed.text == "a: b23456a&b<\n"
    assert composed.last_words == "a&b<\n"
    for start, end in combinations(range(composed.size + 1), 2):
        assert composed.parts("b", start, start) == ()
        parts = [
            fragment.part("b", max(start, first) - first, min(end, last) - first)
            for fragment, (first, last) in zip(fragments, ranges, strict=True)
            if max(start, first) < min(end, last)
        ]
        assert composed.parts("b", start, end) == tuple(parts)
