"""Positions of chunks in the source: the paragraphs of their lines."""

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.model.blocks import Position

PARAGRAPHS = "".join(
    f"<p>Paragraph {number} says something about the number {number}.</p>" for number in range(40)
)
TABLE = (
    "<tbl>"
    + "".join(
        f'<tr><tc><p id="{row:08X}">row {row}</p></tc><tc>value {row}</tc></tr>'
        for row in range(16, 76)
    )
    + "</tbl>"
)


def test_without_para_ids_positions_are_those_of_the_lines():
    document = api.parse(docx(PARAGRAPHS))
    chunks = api.chunk(document, max_tokens=64, overlap=0)
    assert len(chunks) > 4
    place = 0
    for chunk in chunks:
        (position,) = chunk.positions
        assert position.first is position.last is None
        assert position.elements[0] == place
        assert position.paragraphs == (position.elements[0] + 1, position.elements[1] + 1)
        assert f"Paragraph {position.elements[0]} " in chunk.content
        assert f"Paragraph {position.elements[1]} " in chunk.content
        place = position.elements[1] + 1
    assert place == 40


@pytest.mark.parametrize("strategy", ["P", "R", "fixed", "sentence", "paragraph", "MG"])
def test_every_chunk_has_a_place_under_every_strategy(strategy):
    source = docx(
        '<footnotes><footnote id="2">a note</footnote></footnotes><p '
        f'style="Heading1">A</p>{PARAGRAPHS}{TABLE}<p>end<fn id="2"/></p>'
    )
    for chunk in api.chunk(source, strategy=strategy, max_tokens=100, overlap=20):
        assert chunk.positions
        assert all(position.paragraphs for position in chunk.positions)
        assert chunk.pages
        assert chunk.page_is_estimate


def test_a_slice_of_a_table_has_the_ids_of_its_rows():
    for chunk in api.chunk(docx(f"<p>before</p>{TABLE}"), max_tokens=200):
        for table in chunk.tables:
            position = chunk.positions[-1]
            assert position.elements[1] == 1
            assert position.paragraphs is not None
            assert position.paragraphs[1] == 2
            assert position.last == f"{table.rows[1] + 16:08X}"


def test_a_note_apart_from_its_paragraph_is_a_range_of_its_own():
    notes = '<footnotes><footnote id="2">what the first paragraph leaves out</footnote></footnotes>'
    source = docx(f'{notes}<p>one<fn id="2"/></p>{PARAGRAPHS}')
    last = api.chunk(source, max_tokens=64, overlap=0)[-1]
    assert "[^1]:" in last.content
    assert last.positions[0] == Position(None, None, (0, 0), (1, 1))
    assert last.positions[-1].paragraphs is not None
    assert last.positions[-1].paragraphs[1] == 41


def test_an_overlap_does_not_count():
    long = (
        "<p>"
        + " ".join(f"Sentence {number} of the long paragraph." for number in range(60))
        + "</p>"
    )
    chunks = api.chunk(docx(f"{long}<p>after</p>"), max_tokens=100, overlap=40)
    assert [chunk.positions[0].paragraphs for chunk in chunks[:-1]] == [(1, 1)] * (len(chunks) - 1)
