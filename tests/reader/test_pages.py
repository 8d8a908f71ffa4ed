"""Estimated pages of documents without page marks."""

import pytest
from docx_builder import PIXEL, docx

from docxchunk import api
from docxchunk.model.document import Document

WORDS = "word " * 120  # 600 letters: seven lines of 11 point type on Letter paper
ON_A_PAGE = 648 / (7 * 13.2)  # paragraphs of that size, without space between them


def pages(document: Document) -> list[int]:
    return [line.page or 0 for block in document.blocks for line in block.lines]


def test_text_flows_over_pages():
    document = api.parse(docx(f"<p>{WORDS}</p>" * 100))
    assert all(block.page_is_estimate for block in document.blocks)
    assert pages(document)[0] == 1
    assert pages(document) == sorted(pages(document))
    assert pages(document)[-1] == pytest.approx(100 / ON_A_PAGE, rel=0.1)


def test_page_marks_of_word_are_not_estimates():
    document = api.parse(docx(f"<p>{WORDS}</p>" * 100 + "<p><r><lastRenderedPageBreak/></r>end</p>"))
    assert not any(block.page_is_estimate for block in document.blocks)
    assert set(pages(document)) == {1, 2}


@pytest.mark.parametrize(
    ("section", "factor"),
    [
        ('<pgSz w="12240" h="15840"/>', 1),
        ('<pgSz w="12240" h="28800"/>', 0.5),  # two times the height of text
        ('<pgSz w="12240" h="15840"/><cols num="2" space="0"/>', 1),
        ('<pgSz w="7560" h="15840"/>', 2),  # half the width
        ('<pgSz w="0" h="nonsense"/><pgMar left="99999999" top="-1440"/>', None),
    ],
)
def test_paper_and_columns(section, factor):
    last = pages(api.parse(docx(f"<p>{WORDS}</p>" * 200 + f"<sectPr>{section}</sectPr>")))[-1]
    assert factor is None or last == pytest.approx(factor * 200 / ON_A_PAGE, rel=0.15)


def test_sizes_and_spacing_of_the_paragraphs_count():
    plain, large, apart, narrow = (
        pages(api.parse(docx(f"<p>{properties}<r{run}>{WORDS}</r></p>" * 100)))[-1]
        for properties, run in (
            ("", ""),
            ("", ' sz="44"'),
            ('<pPr><spacing line="480" lineRule="auto"/></pPr>', ""),
            ('<pPr><ind left="3000" right="1680"/></pPr>', ""),
        )
    )
    assert large > 3 * plain
    assert apart == pytest.approx(2 * plain, abs=1)
    assert narrow == pytest.approx(2 * plain, rel=0.2)


def test_sizes_count_in_tables():
    plain, large = (pages(api.parse(docx(f"<tbl>{f'<tr><tc><p><r{run}>{WORDS}</r></p></tc></tr>' * 100}</tbl><p>end</p>")))[-1] for run in ("", ' sz="44"'))
    assert large > 3 * plain


def test_breaks_of_the_author_begin_pages():
    document = api.parse(docx('<p>a</p><p><r><br type="page"/></r></p><p>b</p><p><pPr><pageBreakBefore/></pPr>c</p>'))
    assert pages(document) == [1, 2, 3]


def test_rows_of_a_long_table_have_pages_of_their_own():
    document = api.parse(docx(f"<tbl>{'<tr><tc>a</tc><tc>b</tc></tr>' * 200}</tbl>"))
    (table,) = document.tables.values()
    assert len(table.pages) == 200
    assert table.pages[0] == 1
    assert table.pages[-1] > 3
    chunks = api.chunk(document, max_tokens=200)
    assert chunks[0].pages[0] == 1
    assert chunks[-1].pages[-1] == table.pages[-1]
    assert 1 not in chunks[-1].pages


def test_a_picture_takes_room():
    picture = '<p><pic src="a.png"/></p>'  # 70.9 points high
    document = api.parse(docx(picture * 40, {"media/a.png": PIXEL}))
    assert pages(document)[-1] == pytest.approx(40 * (70.9 + 13.2) / 648, abs=1)
