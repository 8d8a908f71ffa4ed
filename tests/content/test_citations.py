"""Citations of chunks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from case_files import each_row, each_text
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.content.citations import (
    Citation,
    citation,
    label_of,
    paragraph_ranges,
    read_citation,
)
from docxchunk.errors import UsageError
from docxchunk.model.blocks import Block, Line, LineKind, Position
from docxchunk.model.chunks import Chunk, Heading
from docxchunk.records.chunks import flat_record


def chunk(context, *headings):
    """Return a chunk; a heading is its level and text, "2 Costs"."""
    found = tuple(Heading(int(text[0]), text[2:]) for text in headings)
    return Chunk(
        9,
        "text",
        0,
        "",
        (),
        0,
        "chunk-1",
        "doc",
        found,
        context,
        (),
        (),
        (Position(None, None, (3, 8), (4, 9)),),
        (2, 3),
    )


@each_row("content", headings=each_text)
def test_several_sections(context, headings, sections):
    assert citation(chunk(context, *headings), "x.docx") == f"x.docx{sections}, p. 2-3, ¶ 4-9"


@pytest.mark.parametrize(
    ("pages", "is_estimate", "positions", "cited"),
    [
        ((), False, (), ""),
        ((3,), False, (), ", p. 3"),
        ((3, 5), True, (), ", about p. 3-5"),
        ((), False, ((None, (7, 7)), ("B", None)), ", ¶ 7"),
        ((), False, (("A", (4, 5)), ("B", (9, 9))), ", ¶ 4-5, 9"),
        ((), False, (("A", (4, 5)), ("B", (6, 6)), ("C", (8, 8))), ", ¶ 4-6, 8"),
        ((), False, (("A", (4, 9)), ("B", (5, 6))), ", ¶ 4-9"),
        ((), False, ((None, None), ("B", None), ("C", None)), ", paragraph B"),
        ((), False, ((None, None),), ""),
    ],
)
def test_pages_and_paragraphs(pages, is_estimate, positions, cited):
    placed = replace(
        chunk(""),
        pages=pages,
        page_is_estimate=is_estimate,
        positions=tuple(Position(first, None, (0, 0), numbers) for first, numbers in positions),
    )
    assert citation(placed, "x.docx") == f"x.docx{cited}"


def test_the_name_of_the_document_is_text_or_a_path():
    assert citation(chunk(""), Path("x.docx")) == citation(chunk(""), "x.docx")
    assert flat_record(chunk(""), Path("x.docx")) == flat_record(chunk(""), "x.docx")


@pytest.mark.parametrize("function", [citation, flat_record])
@pytest.mark.parametrize("source", [None, 5, b"x.docx"])
def test_other_names_are_refused(function, source):
    with pytest.raises(UsageError, match=r"source is .*; it must be text"):
        function(chunk(""), source)


@pytest.mark.parametrize(
    ("heading", "number", "below", "label"),
    [
        ("2.1", "2.1", (3, 4), "The provider <table> gives access."),
        ("Article 4", None, (3, 4), "The provider <table> gives access."),
        ("第四条", None, (3, 4), "The provider <table> gives access."),
        ("(a)", "(a)", (3, 4), "The provider <table> gives access."),
        ("(a)", None, (3, 4), ""),
        ("2.1 Access", "2.1", (3, 4), ""),  # it has a title
        ("Access", None, (3, 4), ""),
        ("2.1", "2.1", (3, 5), ""),  # the text is a paragraph of its own
        ("2.1", "2.1", (5, 4), ""),
    ],
)
def test_a_clause_without_a_title_is_shown_with_its_first_words(heading, number, below, label):
    element, paragraph = below
    lines = (
        Line(LineKind.HEADING, element=3, paragraph=4),
        Line(element=element, paragraph=paragraph),
    )
    block = Block(
        "b",
        f"# {heading}\nThe provider &lt;table> gives access.\nMore.",
        heading,
        level=1,
        number=number,
        lines=lines,
    )
    assert label_of(block) == label


def test_a_block_of_one_line_has_no_label_whatever_its_records_say():
    assert label_of(Block("b", "# 2.1", "2.1", level=1, number="2.1", lines=(Line(), Line()))) == ""


def test_text_before_the_first_heading_has_no_label():
    assert label_of(Block("b", "Text")) == ""


RANGES = st.tuples(st.integers(1, 20), st.integers(0, 3)).map(lambda at: (at[0], sum(at)))


@given(st.lists(RANGES, max_size=6))
def test_ranges_of_paragraphs_have_all_of_them_and_do_not_touch(ranges):
    positions = tuple(Position(None, None, (0, 0), own) for own in ranges)
    merged = paragraph_ranges(replace(chunk(""), positions=positions))
    numbers = [number for first, last in merged for number in range(first, last + 1)]
    assert numbers == sorted({n for first, last in ranges for n in range(first, last + 1)})
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(merged))


@each_row("content")
def test_the_name_of_the_document_is_not_part_of_the_path(path, source, expected):
    cited = read_citation(f"[{path}, ¶ 4-9]", source)
    assert cited is not None
    assert (cited.path, cited.paragraphs) == (expected, ((4, 9),))


@pytest.mark.parametrize(("length", "is_citation"), [(2000, True), (2001, False)])
def test_a_citation_has_at_most_2000_characters(length, is_citation):
    assert (read_citation(f"{'x' * (length - 6)}, p. 3"[:length]) is not None) == is_citation


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        (
            "[a.docx, 3 Results > 3.2 Costs, p. 3-4, ¶ 47-52, 60, sha256 abcdef]",
            "",
            ("3 Results > 3.2 Costs", ((47, 52), (60, 60)), "abcdef"),
        ),
        (" ¶ 7 ", "", ("", ((7, 7),), "")),
        ("p. 3", "", ("", (), "")),
        ("a, about p. 3-4", "", ("a", (), "")),
        ("about page 3", "", None),
        ("Terms, sha256 abcdef", "", ("Terms", (), "abcdef")),
        ("Terms, sha256 abcde", "", None),
        ("Terms, sha256 ABCDEF", "", None),
        ("Terms", "", None),
        ("Terms", "a.docx", None),
        ("a.docx", "a.docx", ("", (), "")),
        ("a.docx, Terms", "a.docx", ("Terms", (), "")),
        ("a.docx,Terms", "a.docx", None),
        ("Plan.DOCX, Terms, ¶ 4", "", ("Terms", ((4, 4),), "")),
        ("Plan.pdf, Terms, ¶ 4", "", ("Plan.pdf, Terms", ((4, 4),), "")),
        ("Paragraph p. 3, p. 4", "", ("Paragraph p. 3", (), "")),
        ("", "", None),
    ],
)
def test_parts_of_a_citation(text, source, expected):
    found = read_citation(text, source)
    assert found == (None if expected is None else Citation(*expected))
