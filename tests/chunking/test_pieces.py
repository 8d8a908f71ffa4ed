"""Pieces: the text between spans, merged pieces, context lines, and what a stage changed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from case_files import each_row
from chunking.makers import WORDS, block, document, table, tag

from docxchunk.chunking import ChunkLimits
from docxchunk.chunking.assembler import Assembler, ContextLines, joined_headings, shortened
from docxchunk.chunking.pieces import Piece, Span, gap
from docxchunk.chunking.run import Difference, StageChange, differences
from docxchunk.chunking.sections import pieces_of
from docxchunk.chunking.tokens import Meter
from docxchunk.model.chunks import (
    Heading,
    SliceRole,
    TableForm,
)
from docxchunk.testing import WHOLE

CONTENT = "one two\n\nthree four five"


def assembler(*blocks, tables=(), form=TableForm.JSON, tokenizer=WORDS, **limits):
    made = document(*blocks, tables=tables)
    return Assembler(made, ChunkLimits(**limits, tables=form), tokenizer)


def span(start, end, role=SliceRole.TEXT, number=0, content=CONTENT):
    return Span(content[start:end], WORDS.count(content[start:end]), number, start, end, role)


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [
        (span(0, 7), span(9, 14), "\n\n"),
        (span(0, 3), span(4, 7), " "),
        (span(9, 14), span(14, 19), ""),
        (span(9, 14), span(9, 14), "\n"),  # not in order
        (span(0, 7), span(6, 14), "\n"),  # overlapping
        (span(0, 3), span(9, 14), "\n"),  # text between them
        (span(0, 3, None), span(4, 7), "\n"),  # added text
        (span(0, 3), span(4, 7, None), "\n"),
        (span(9, 14, None), span(14, 19), "\n"),
        (span(0, 7, None), span(9, 14, None), "\n\n"),
        (span(0, 3, SliceRole.OVERLAP), span(4, 7), " "),
        (span(0, 3), span(4, 7, number=1), "\n\n"),
    ],
)
def test_the_text_between_two_spans(before, after, between):
    assert gap(CONTENT, before, after) == between


def piece(*spans, **fields):
    text = " ".join(each.text for each in spans)
    defaults = {"heading": "", "parents": (), "level": 0, "headings": ()}
    return Piece(spans, text, WORDS.count(text), spans[0].block, **(defaults | fields))


@pytest.mark.parametrize(
    ("last", "first", "text"),
    [
        (span(0, 7), span(4, 7, SliceRole.OVERLAP), "one two\n\nthree four"),
        (span(0, 7), span(4, 8, SliceRole.OVERLAP), "one two\n\nthree four"),
        (span(0, 7), span(4, 7, SliceRole.BRIDGE), "one two\n\nthree four"),
        (span(0, 7), span(4, 6, SliceRole.OVERLAP), "one two\ntw\nthree four"),
        (span(0, 3), span(4, 7, SliceRole.OVERLAP), "one two\n\nthree four"),
        (span(0, 4), span(4, 7, SliceRole.OVERLAP), "one two\n\nthree four"),
        (span(0, 7), span(4, 7), "one two\ntwo\n\nthree four"),
        (
            span(0, 7, number=1),
            span(4, 7, SliceRole.OVERLAP),
            "one two\n\ntwo\n\nthree four",
        ),
    ],
)
def test_merged_pieces_show_an_overlap_between_them_once(last, first, text):
    for tokenizer, number in ((WORDS, 0), (WORDS, 1), (WHOLE, 0)):
        made = assembler(block("", CONTENT, 0), block("", CONTENT, 0, ["b"]), tokenizer=tokenizer)
        rest = span(9, 19, number=number)
        right = made.piece([first, rest], piece(first, rest))
        merged = made.merged(piece(last), right)
        whole = re.sub(r"\n+three", r"\n\nthree", text) if number else text
        assert (merged.text, merged.tokens) == (whole, tokenizer.count(whole))
        assert made.join(merged.spans) == (whole, tokenizer.count(whole))


A, B, C = (Heading(level, name) for level, name in enumerate("ABC", 1))


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        ((), (), ()),
        ((A,), (), (A,)),
        ((), (A,), (A,)),
        ((A,), (A,), (A,)),
        ((A,), (B,), (A, B)),
        ((A, B), (B, C), (A, B, C)),
        ((A, B), (A, C), (A, B, A, C)),
        ((A, B), (C, B), (A, B, C, B)),
    ],
)
def test_a_heading_that_ends_one_piece_and_begins_the_next_is_listed_once(left, right, joined):
    assert joined_headings(left, right) == joined
    made = assembler(block("", CONTENT, 0))
    merged = made.merged(piece(span(0, 3), headings=left), piece(span(4, 7), headings=right))
    assert merged.headings == joined


def test_a_piece_of_spans_from_several_blocks_is_under_the_first_heading():
    blocks = [block("A", "a"), block("", "b", 0), block("B", "b", 2, ["A"]), block("B", "c", 2)]
    made = assembler(*blocks)
    spans = [each.spans[0] for each in pieces_of(made)]
    first = pieces_of(made)[0]
    opened = made.opening(spans, first)
    assert opened.headings == (Heading(1, "A"), Heading(2, "B"))
    assert (opened.block, opened.heading, opened.parents, opened.level) == (0, "A", (), 1)
    opened = made.opening(spans[2:], first)
    assert (opened.block, opened.heading, opened.parents, opened.level) == (2, "B", ("A",), 2)
    assert opened.headings == (Heading(2, "B"),)


@pytest.mark.parametrize("form", TableForm)
def test_header_rows_are_counted_unless_each_row_has_their_names(form):
    heads = 0 if form is TableForm.TEXT else 1
    made = table("t", [["x"], ["y"]], 1)
    built = assembler(block("", tag(made), 0), tables=[made], form=form)
    assert [built.heads(each) for each in built.tables(0).values()] == [heads]


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ((), "T"),
        (("A", "B"), "T > A > B"),
        (("T", "B"), "T > B"),
        (("A", "T"), "T > A > T"),
        (("A", " ", "B"), "T > A > B"),
    ],
)
def test_the_header_begins_with_the_title_unless_the_first_heading_is_the_same(path, header):
    made = replace(document(block("A", "a")), title="T")
    assert Assembler(made, ChunkLimits(100), WORDS).embed_header(path) == header
    limits = ChunkLimits(100, contextualize=True)
    assert Assembler(made, limits, WORDS).embed_header(path) == ("" if path[:1] == ("T",) else "T")


class Bytes:
    """A token for each byte."""

    name = fingerprint = "bytes"
    additive_over_newlines = True

    def count(self, text):
        return len(text.encode())


@pytest.mark.parametrize("size", range(12))
def test_a_context_line_has_at_most_the_given_tokens(size):
    """The blank line after it has two."""
    lines = ContextLines(Meter(Bytes()), 10)
    text, cost = lines.of(("x" * size,))
    assert text == ("x" * size if size <= 8 else "")
    assert cost == (size + 2 if text else 0)
    assert lines.text_of(("x" * size,)) == text
    assert lines.text_of(("", "x" * size, " ")) == text


@each_row("chunking", limit=int)
def test_a_context_line_leaves_out_the_outermost_headings_and_then_words(limit, line):
    lines = ContextLines(Meter(Bytes()), limit)
    path = ("one two", "three", "", "four five")
    assert lines.of(path).text == lines.text_of(path) == line


@each_row("chunking", size=int)
@pytest.mark.parametrize("guess", [1, 3, 99])
def test_a_shortened_text_has_whole_words(guess, size, text):
    assert shortened("Ein Wort: 中文字", lambda part: len(part) <= size, guess) == text


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("abc", "abc", []),
        ("", "", []),
        ("abc", "aXc", [("changed", (1, 2), (1, 2))]),
        ("abc", "aXYc", [("split", (1, 2), (1, 3))]),
        ("abcd", "aXd", [("merged", (1, 3), (1, 2))]),
        ("abc", "ac", [("merged", (1, 2), (1, 1))]),
        ("ac", "aXc", [("split", (1, 1), (1, 2))]),
        ("abc", "abX", [("changed", (2, 3), (2, 3))]),
        ("abc", "Xbc", [("changed", (0, 1), (0, 1))]),
        ("abc", "abcX", [("split", (3, 3), (3, 4))]),
        (
            "abcde",
            "XbYZd",
            [("changed", (0, 1), (0, 1)), ("split", (2, 3), (2, 4)), ("merged", (4, 5), (5, 5))],
        ),
        ("ab", "XYZ", [("split", (0, 2), (0, 3))]),
    ],
)
def test_the_differences_between_the_pieces_before_and_after_a_stage(before, after, changes):
    """A letter is a piece."""
    pieces = {letter: piece(span(0, 3)) for letter in before + after}
    found = differences([pieces[x] for x in before], [pieces[x] for x in after])
    assert list(found) == [
        Difference(StageChange(change), range(*old), range(*new)) for change, old, new in changes
    ]
