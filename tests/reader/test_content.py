"""The content of blocks: what is known of each line."""

from __future__ import annotations

import pytest
from case_files import cases
from docx_builder import docx

from docxchunk import api
from docxchunk.model.blocks import LineRole
from docxchunk.model.options import ParseOptions
from docxchunk.reader.text_files import read_text_file

TEXT = "The quick brown fox jumps over the lazy dog, and the dog lies where it lay before. " * 10
HEADLINES = "".join(f"<p><r caps='1'>{line}</r></p><p>{TEXT}</p>" for line in ("A fox", "A dog"))


def roles(body, options=None):
    """Return the roles of each line that has any, by its text."""
    lines = [
        pair
        for block in api.parse(docx(body), options=options).blocks
        for pair in zip(block.content.split("\n"), block.lines, strict=True)
    ]
    assert all(LineRole.UNKNOWN not in line.roles for _, line in lines)
    return {text: set(line.roles) for text, line in lines if line.roles}


@pytest.mark.parametrize("case", cases("places"))
def test_case(case):
    case.check()


@pytest.mark.parametrize(
    "caption",
    ['<p><field code="SEQ X">1</field> Foxes</p>', '<p style="Caption">1 Foxes</p>'],
)
def test_a_field_or_a_style_makes_a_caption(caption):
    assert roles(f"{caption}<tbl><tr><tc>a</tc></tr></tbl>") == {"1 Foxes": {LineRole.CAPTION}}


def test_the_number_of_an_equation_is_no_caption():
    assert roles('<p><eq>"x"</eq> (<field code="SEQ Equation">1</field>)</p>') == {}


def test_all_lines_of_a_caption_are_captions():
    caption = 'Foxes <field code="SEQ X">1</field><r><br/></r>In winter'
    for picture in ("", '<pic src="a.png"/><r><br/></r>'):
        lines = roles(f"<p>{picture}{caption}</p>")
        assert lines["Foxes 1"] == lines["In winter"] == {LineRole.CAPTION}


@pytest.mark.parametrize(("headings", "is_headline"), [("auto", True), ("marked", False)])
def test_what_is_almost_a_heading_is_a_headline(headings, is_headline):
    headline = {LineRole.HEADLINE, LineRole.HEADING_LIKE}
    options = ParseOptions(headings=headings)
    assert roles(f'<p>{TEXT}</p>{HEADLINES}<p style="Heading1">Story</p>', options) == (
        {"A fox": headline, "A dog": headline} if is_headline else {}
    )


@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_lines_of_text_files_have_roles(name):
    (block,) = read_text_file(b"The foxes:\n\n(a) one", name, "doc-1").blocks
    assert [line.roles for line in block.lines] == [(LineRole.LEAD_IN,), (), (LineRole.ITEM,)]
