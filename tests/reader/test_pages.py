"""Pages: known turns, estimates between them, and what is a fact."""

import pytest
from case_files import each_number, each_row, sections
from docx_builder import PIXEL, docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.model.document import Document

WORDS = "word " * 120  # 600 letters: seven lines of 11 point type on Letter paper
ON_A_PAGE = 648 / (7 * 13.2)  # paragraphs of that size, without space between them


def pages(document: Document) -> list[int]:
    return [line.page or 0 for block in document.blocks for line in block.lines]


@pytest.mark.parametrize("case", sections("pages.txt"), ids=lambda case: case.title)
def test_room(case):
    assert results(case) == case.results


def results(case):
    repeated = (line.partition(" ")[::2] for line in case.source.split("\n"))
    sources = (int(count) * text.replace("WORDS", WORDS) for count, text in repeated)
    documents = (api.parse(docx(source, {"media/a.png": PIXEL})) for source in sources)
    return {"": " ".join(str(_last_page(document)) for document in documents)}


def _last_page(document: Document) -> int:
    return max(
        [*pages(document), *(page for t in document.tables.values() for page in t.pages)], default=1
    )


TABLE = '<tblPr><tblCaption val="Text"/></tblPr>'
"""What a table of one column has that is no column of boxes."""


def test_room_in_cells_is_their_own():
    defaults = '<pPrDefault><pPr><spacing after="600"/></pPr></pPrDefault>'
    text = f'<p><pPr><jc val="center"/></pPr>{WORDS}</p>'
    table = f"<tbl>{TABLE}{f'<tr><tc>{text}</tc></tr>' * 60}</tbl>"
    outside, inside, both = (
        _last_page(api.parse(docx(f"<styles><docDefaults>{defaults}</docDefaults></styles>{body}")))
        for body in (text * 60, table, f"{text}{table}")
    )
    assert inside < outside
    assert both - inside in (0, 1)


def test_text_flows_over_pages():
    document = api.parse(docx(f"<p>{WORDS}</p>" * 100))
    assert all(block.page_is_estimate for block in document.blocks)
    assert pages(document)[0] == 1
    assert pages(document) == sorted(pages(document))
    assert pages(document)[-1] == pytest.approx(100 / ON_A_PAGE, rel=0.1)


@pytest.mark.parametrize(
    ("letters", "factor"),
    [("слово ", 1.15), ("λόγος ", 1.15), ("狐狐狐狐狐狐", 2.1)],
)
def test_letters_of_other_scripts_are_wider(letters, factor):
    latin, other = (
        pages(api.parse(docx(f"<p>{text * 100}</p>" * 100)))[-1] for text in ("words ", letters)
    )
    assert other == pytest.approx(factor * latin, rel=0.1)


@pytest.mark.parametrize(
    ("section", "factor"),
    [
        ('<pgSz w="12240" h="15840"/>', 1),
        ('<pgSz w="12240" h="28800"/>', 0.5),  # two times the height of text
        ('<pgSz w="12240" h="15840"/><cols num="2" space="0"/>', 1),
        ('<pgSz w="7560" h="15840"/>', 2),  # half the width
        ('<pgSz w="12240" h="15840"/><docGrid type="lines" linePitch="400"/>', 20 / 13.2),
        ('<pgSz w="0" h="nonsense"/><pgMar left="99999999" top="-1440"/>', None),
    ],
)
def test_paper_and_columns(section, factor):
    last = pages(api.parse(docx(f"<p>{WORDS}</p>" * 200 + f"<sectPr>{section}</sectPr>")))[-1]
    assert factor is None or last == pytest.approx(factor * 200 / ON_A_PAGE, rel=0.15)


def test_text_takes_the_same_room_where_the_columns_change_on_the_page():
    ends = (
        f'<p><pPr><sectPr><type val="continuous"/><cols num="{columns}" space="0"/></sectPr></pPr></p>'
        for columns in (1, 2) * 20
    )
    document = api.parse(docx("".join(f"<p>{WORDS}</p>" * 3 + end for end in ends)))
    assert pages(document)[-1] == pytest.approx(120 / ON_A_PAGE, rel=0.1)


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


@each_row("reader", before=int, after=int, as_after=int)
def test_of_the_spaces_between_two_paragraphs_the_larger_counts(before, after, as_after):
    apart, expected, close = (
        pages(
            api.parse(
                docx(f'<p><pPr><spacing before="{top}" after="{bottom}"/></pPr>{WORDS}</p>' * 200)
            )
        )[-1]
        for top, bottom in ((before, after), (0, as_after), (0, 0))
    )
    assert apart == pytest.approx(expected, abs=1)
    assert apart > close + 2


def test_paragraphs_of_one_style_may_have_no_space_between_them():
    spaced = '<pPr><contextualSpacing/><spacing after="400"/></pPr>'
    close, same, mixed = (
        pages(
            api.parse(
                docx(
                    f'<styles><style id="A" name="A">{properties}</style>'
                    f'<style id="B" name="B">{properties}</style></styles>'
                    + "".join(f'<p style="{name}">{WORDS}</p>' for name in names * 60)
                )
            )
        )[-1]
        for properties, names in (("", "AA"), (spaced, "AA"), (spaced, "AB"))
    )
    assert same == close
    assert mixed > same + 2


def test_sizes_count_in_tables():
    plain, large = (
        pages(
            api.parse(
                docx(
                    f"<tbl>{TABLE}{f'<tr><tc><p><r{run}>{WORDS}</r></p></tc></tr>' * 100}</tbl><p>end</p>"
                )
            )
        )[-1]
        for run in ("", ' sz="44"')
    )
    assert large > 3 * plain


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


@pytest.mark.parametrize(("height", "points"), [("144pt", 144), ("2in", 144), ("1.5in", 108)])
def test_the_style_of_a_vml_picture_has_its_height(height, points):
    shape = f'<v:shape style="width:9pt;height:{height}"><v:imagedata r:id="a.png"/></v:shape>'
    document = api.parse(
        docx(f"<p><r><pict>{shape}</pict></r></p>" * 40, {"media/a.png": PIXEL}),
    )
    on_a_page = 648 // (points + 13.2)
    assert pages(document)[-1] == pytest.approx(40 / on_a_page, abs=1)


@pytest.mark.parametrize(("style", "page"), [("position:absolute;", 1), ("", 10)])
def test_a_vml_picture_that_floats_takes_no_room(style, page):
    shape = f'<v:shape style="{style}height:144pt"><v:imagedata r:id="a.png"/></v:shape>'
    picture = f"<p>a<r><pict><v:shapetype/>{shape}</pict></r></p>"
    document = api.parse(docx(picture * 40, {"media/a.png": PIXEL}))
    assert pages(document)[-1] == page


@pytest.mark.parametrize(("above", "page"), [(47, 1), (48, 2), (49, 2)])
def test_the_first_line_of_a_paragraph_is_not_alone_on_its_page(above, page):
    """A page has 49 lines; the last paragraph has seven."""
    document = api.parse(docx("<p>a</p>" * above + f"<p>{WORDS}</p>"))
    assert pages(document)[-1] == page


MARK, BREAK = "<r><lastRenderedPageBreak/></r>", '<r><br type="page"/></r>'
FULL = f"<p>{WORDS}</p>" * 7
LONG = f"<p>{WORDS}</p>" * 10
MORE = f"<p>{WORDS}</p>" * 3
HALF = f"<p>{WORDS}</p>" * 4
"""Text of about one page."""

STYLES = '<styles><style id="S" name="S"><pPr><pageBreakBefore/></pPr></style></styles>'


NESTED = "<tc><tbl><tr><tc>{}</tc></tr><tr><tc>{}</tc></tr></tbl></tc>"


@each_row("reader", expected=each_number)
def test_marks_in_a_table_in_a_cell(cells, expected):
    """Each row is that of a page; the mark before all text of a row is before the row."""
    rows = f"{TABLE}<tr><tc>{HALF}</tc></tr><tr>{cells}</tr><tr><tc>end</tc></tr>"
    document = api.parse(docx(f"<tbl>{rows}</tbl>"), name="a")
    assert list(next(iter(document.tables.values())).pages) == expected


def section(kind: str) -> str:
    return f'<p><pPr><sectPr><type val="{kind}"/></sectPr></pPr></p>'


# title: content, number of pages that Word counted, page of each line that begins with a small
# letter ("~2": an estimate)
CASES = {
    "marks of Word and its page count agree": (
        f"<p>a</p>{FULL}<p>{MARK}b</p>{FULL}<p>{MARK}c</p>",
        3,
        "1 2 3",
    ),
    "marks on full pages are facts without a page count": (
        f"<p>a</p>{FULL}<p>{MARK}b</p>",
        0,
        "1 2",
    ),
    "a page count of 1 is out of date": (f"<p>a</p>{FULL}<p>{MARK}b</p>", 1, "1 2"),
    "marks on empty pages are no facts": (f"<p>a</p><p>{MARK}b</p>", 0, "~1 ~2"),
    "without a page count, a long page may hide a turn": (
        f"<p>a</p>{LONG}<p>{MARK}b</p>{FULL}<p>{MARK}c</p>",
        0,
        "~1 ~2 ~3",
    ),
    "without a page count, an empty page may be no page": (
        f"<p>a</p>{FULL}<p>{MARK}b</p><p>{BREAK}</p><p>{BREAK}</p><p>c</p>",
        0,
        "1 2 ~4",
    ),
    "one mark does not turn off the estimate": (f"<p>a</p>{FULL * 3}<p>{MARK}b</p>", 0, "~1 ~4"),
    "a mark in a deleted paragraph is one of the next": (
        f"<p>a</p>{FULL}<del><p>{MARK}<r>gone</r></p></del><p>b</p>",
        0,
        "1 2",
    ),
    "more marks than pages, but no page is short": (
        f"<p>a</p>{FULL}<p>{MARK}b</p>{FULL}<p>{MARK}c</p>{FULL}",
        2,
        "~1 ~2 ~3",
    ),
    "a break before a paragraph in a cell turns no page": (
        "<p>a</p><tbl><tr><tc><p><pPr><pageBreakBefore/></pPr>X</p></tc><tc/></tr></tbl><p>b</p>",
        0,
        "~1 ~1",
    ),
    "a page break that Word did not mark": (
        f"<p>a</p>{FULL}<p>{MARK}b</p><p>{BREAK}</p><p>c</p>",
        3,
        "1 2 3",
    ),
    "a page break that Word marked": (f"<p>a</p><p>{BREAK}</p><p>{MARK}b</p>", 2, "1 2"),
    "a page break after a mark": (f"<p>a</p>{FULL}<p>{MARK}{BREAK}</p><p>{MARK}b</p>", 3, "1 3"),
    "an empty page": (f"<p>a</p><p>{BREAK}</p><p>{BREAK}</p><p>b</p>", 0, "~1 ~3"),
    "a break in a paragraph and one before the next": (
        f"<p>a</p><p>{BREAK}</p><p><pPr><pageBreakBefore/></pPr>b</p>",
        0,
        "~1 ~2",
    ),
    "a break before the first paragraph": (
        "<p><pPr><pageBreakBefore/></pPr>a</p><p><pPr><pageBreakBefore/></pPr>b</p>",
        0,
        "~1 ~2",
    ),
    "a break before a style": (
        (
            f'{STYLES}<p>a</p><p style="S">b</p><p><pPr><pStyle val="S"/><pageBreakBefore '
            'val="0"/></pPr>c</p>'
        ),
        0,
        "~1 ~2 ~2",
    ),
    "page breaks in tables do nothing": (
        f"<p>a</p><tbl><tr><tc><p>{BREAK}x</p></tc><tc/></tr></tbl><p>b</p>",
        0,
        "~1 ~1",
    ),
    "marks in several cells are one turn, and one in the next row is the same": (
        (
            f"<p>a</p>{FULL}<tbl><tr><tc><p>x {MARK}y</p></tc><tc><p>{MARK}x "
            f"{MARK}y</p></tc></tr><tr><tc><p>{MARK}z</p></tc></tr></tbl><p>b</p>"
        ),
        2,
        "1 2",
    ),
    "a high row with one mark": (
        f"<p>a</p><tbl>{TABLE}<tr><tc>{FULL}<p>{MARK}x</p>{FULL}</tc></tr><tr><tc/></tr></tbl><p>b</p>",
        0,
        "1 ~2",
    ),
    "a mark after a divided row is the same turn": (
        f"<p>a</p>{FULL}<tbl><tr><tc><p>x {MARK}y</p></tc><tc/></tr></tbl><p>{MARK}b</p>",
        2,
        "1 2",
    ),
    "a row with an empty cell is text after a turn": (
        f"<p>a</p>{FULL}<p>{BREAK}</p><tbl><tr><tc>x</tc><tc/></tr></tbl><p>{MARK}b</p>",
        3,
        "1 3",
    ),
    "marks in deletions count": (
        f"<p>a</p>{FULL}<p><del>{MARK}<r><delText>x</delText></r></del>b</p>",
        2,
        "1 2",
    ),
    "marks in two deleted paragraphs count": (
        f"<p>a</p>{FULL}{f'<del><p>{MARK}<r>gone</r></p></del>' * 2}<p>b</p>",
        0,
        "1 ~3",
    ),
    "marks in text boxes do not count": (
        f"<p>a</p><p><r><pict><shape><textbox><txbxContent><p>{MARK}x</p></txbxContent></textbox></shape></pict></r></p><p>b</p>",
        0,
        "~1 ~1",
    ),
    "the type of a section tells how it begins": (
        (
            f"<p>a</p>{section('nextPage')}<p>b</p>{section('continuous')}<p>c</p><sectPr><type "
            'val="oddPage"/></sectPr>'
        ),
        0,
        "~1 ~1 ~2",
    ),
    "a section in the next column begins a page if there is only one": (
        (
            f"<p>a</p>{section('nextPage')}<p>b</p>{section('nextColumn')}<p>c</p><sectPr><type "
            'val="nextColumn"/><cols num="2"/></sectPr>'
        ),
        0,
        "~1 ~2 ~2",
    ),
    "a continuous section on other paper begins a page": (
        (
            '<p>a</p><p><pPr><sectPr><pgSz w="12240" '
            'h="15840"/></sectPr></pPr></p><p>b</p><sectPr><type val="continuous"/><pgSz '
            'w="15840" h="12240"/></sectPr>'
        ),
        0,
        "~1 ~2",
    ),
    "the estimate is scaled to the page count": (
        f"<p>a</p>{FULL * 5}<p>b</p>{FULL * 5}<p>c</p>{FULL}",
        13,
        "~1 ~6 ~11",
    ),
    "pages that Word marked tell how much fits on the others: more": (
        f"<p>a</p>{LONG}<p>{MARK}b</p>{LONG}<p>{MARK}c</p>{LONG}<p>{MARK}x</p>{LONG * 4}<p>d</p>",
        0,
        "1 2 3 ~7",
    ),
    "pages that Word marked tell how much fits on the others: less": (
        f"<p>a</p>{HALF}<p>{MARK}b</p>{HALF}<p>{MARK}c</p>{HALF}<p>{MARK}x</p>{HALF * 7}<p>d</p>",
        0,
        "1 2 3 ~10",
    ),
    "a row that no page has room for begins where it stands": (
        f"<p>a</p>{MORE}<tbl>{TABLE}<tr><tc>{LONG}</tc></tr><tr><tc/></tr></tbl><p>b</p>",
        0,
        "~1 ~2",
    ),
    "a row that this page has no room for begins the next": (
        f"<p>a</p>{MORE}<tbl>{TABLE}{f'<tr><tc>{HALF}</tc></tr>' * 2}</tbl><p>b</p>{MORE}<p>c</p>",
        0,
        "~1 ~3 ~4",
    ),
    "a page count that cannot be is ignored": (f"<p>a</p>{FULL * 5}<p>b</p>", 40, "~1 ~6"),
    "missing turns are in the longest stretch": (
        f"<p>a</p>{FULL}<p>{MARK}b</p>{FULL * 3}<p>{MARK}c</p>{FULL}<p>{MARK}d</p>",
        6,
        "1 ~2 5 6",
    ),
    "a long stretch may have a page more or less than the estimate": (
        f"<p>a</p>{FULL * 9}{MORE}<p>{BREAK}</p><p>b</p>{FULL}<p>{MARK}c</p>{FULL * 9}{MORE}",
        21,
        "~1 ~11 ~12",
    ),
    "a page before a break may hide a turn if others are missing": (
        f"<p>a</p>{LONG}<p>{BREAK}</p><p>b</p>{FULL * 9}<p>{MARK}c</p>{FULL * 9}",
        21,
        "~1 ~2 ~12",
    ),
    "a mark too many: no page is a fact": (
        f"<p>a</p>{FULL}<p>{MARK}b</p><p>{MARK}c</p>{FULL}<p>{MARK}d</p>",
        3,
        "~1 ~2 ~3 ~4",
    ),
    "a page with a tenth of it left is a fact before a break": (
        f"<p>a</p>{'<p>x</p>' * 43}<p>{BREAK}</p><p>b</p>",
        2,
        "1 2",
    ),
    "a page with less room left is none": (
        f"<p>a</p>{'<p>x</p>' * 44}<p>{BREAK}</p><p>b</p>",
        2,
        "~1 2",
    ),
    "a short document of one page": ("<p>a</p>", 1, "1"),
}


def shown(document: Document) -> str:
    """Return the page of each line that begins with a small letter and is no filler."""
    lines = [
        (line, text)
        for block in document.blocks
        for line, text in zip(block.lines, block.content.split("\n"), strict=True)
    ]
    return " ".join(
        f"{'~' * line.page_is_estimate}{line.page}"
        for line, text in lines
        if text[:1] in "abcd" and len(text) == 1
    )


@pytest.mark.parametrize("title", CASES)
def test_pages(title):
    content, counted, expected = CASES[title]
    assert shown(api.parse(docx(content, pages=counted))) == expected


def test_a_turn_inside_a_paragraph_is_told_by_its_offset():
    text = f"<p>{WORDS}{MARK}Here begins page two. {WORDS}</p>"
    document = api.parse(docx(f'<p style="Heading1">Title</p>{FULL}{text}', pages=2))
    line, shown = document.blocks[0].lines[-1], document.blocks[0].content.split("\n")[-1]
    assert (line.page, line.page_is_estimate) == (1, False)
    assert [shown[turn:].split()[0] for turn in line.turns] == ["Here"]
    chunks = api.chunk(document, strategy="R", max_tokens=100)
    pages = [chunk.pages for chunk in chunks]
    assert pages[0] == (1,)
    assert pages[-1] == (2,)
    assert not any(chunk.page_is_estimate for chunk in chunks)


def test_a_part_of_a_paragraph_after_a_mark_may_have_several_pages():
    text = f"<p>{WORDS}{MARK}{WORDS * 20}</p>"
    document = api.parse(docx(f"<p>a</p>{FULL}{text}<p>b</p>"))
    long, after = document.blocks[0].lines[-2:]
    assert (long.page, after.page) == (1, 4)
    assert len(long.turns) == 3


def test_estimated_pages_of_a_paragraph_have_the_same_length():
    long, lower = (
        api.parse(docx(f"{above}<p>{WORDS * 20}</p>")).blocks[0].lines[-1].turns
        for above in ("", HALF)
    )
    page = long[1] - long[0]
    assert [turn - page for turn in (long[0], lower[1] - lower[0])] == pytest.approx([0, 0], abs=9)
    assert lower[0] == pytest.approx(page * (1 - 4 / ON_A_PAGE), rel=0.1)


@pytest.mark.parametrize(("rows", "is_estimate"), [(4, False), (20, True)])
def test_the_pages_of_a_table_are_estimates_if_those_of_some_rows_are(rows, is_estimate):
    """The first page is a fact."""
    row, turn = f"<tr><tc>{WORDS}</tc></tr>", f"<tr><tc><p>{MARK}{WORDS}</p></tc></tr>"
    (table,) = api.parse(docx(f"<tbl>{TABLE}{row * 7}{turn}{row * rows}</tbl>")).tables.values()
    assert table.pages[6:8] == (1, 2)
    assert table.page_is_estimate == is_estimate


def test_the_text_of_a_clause_has_the_turns_behind_its_title():
    clause = (
        '<p style="Heading2">1.1 <r b="1">Access and Use.</r> During the term, '
        f"{WORDS}{MARK}and on {WORDS}</p>"
    )
    document = api.parse(docx(f'<p style="Heading1">One</p>{FULL}{clause}<p>end</p>', pages=2))
    title, text, end = document.blocks[-1].lines
    assert document.blocks[-1].heading == "1.1 Access and Use"
    assert (title.page, title.turns, text.page, end.page) == (1, (), 1, 2)
    assert document.blocks[-1].content.split("\n")[1][text.turns[0] :].startswith("and on")


def test_the_text_of_a_box_turns_no_page_with_its_paragraph():
    text = f"<p>{WORDS}{MARK}and on {WORDS}<box><p>{WORDS}{WORDS}</p></box></p>"
    document = api.parse(docx(f'<p style="Heading1">One</p>{FULL}{text}', pages=2))
    paragraph, box = document.blocks[0].lines[-2:]
    assert len(paragraph.turns) == 1
    assert (box.page, box.turns) == (1, ())


def test_a_note_is_on_the_page_of_the_part_of_a_clause_that_refers_to_it():
    notes = "".join(f'<footnote id="{n}"><p>Note {n}.</p></footnote>' for n in (2, 3))
    clause = (
        '<p style="Heading2">1.1 <r b="1">Access and Use</r><fn id="2"/><r b="1">.</r> '
        f'{MARK}During the term, {WORDS}<fn id="3"/>.</p>'
    )
    document = api.parse(docx(f"<footnotes>{notes}</footnotes>{FULL}{clause}", pages=2))
    pages = [(line.kind, line.page) for line in document.blocks[-1].lines]
    assert pages == [("heading", 1), ("text", 2), ("note", 1), ("note", 2)]


def test_lines_of_a_paragraph_begin_on_pages_of_their_own():
    document = api.parse(docx(f"<p>one{BREAK}two{BREAK}three</p>"))
    assert [line.page for line in document.blocks[0].lines] == [1, 2, 3]
    assert all(not line.turns for line in document.blocks[0].lines)


PIECES = st.sampled_from(
    [
        f"<p>{WORDS}</p>",
        FULL,
        f"<p>a{MARK}b</p>",
        f"<p>{MARK}c</p>",
        f"<p>{BREAK}</p>",
        "<p/>",
        "<p><pPr><keepNext/><pageBreakBefore/></pPr>d</p>",
        f"<tbl><tr><tc><p>{MARK}x</p></tc><tc><p>y{MARK}{BREAK}z</p></tc></tr></tbl>",
        '<p><pPr><sectPr><cols num="2"/></sectPr></pPr>e</p>',
    ]
)


@given(st.lists(PIECES, max_size=12), st.integers(0, 12))
def test_pages_never_fall_and_facts_agree_with_the_page_count(pieces, counted):
    document = api.parse(docx("".join(pieces), pages=counted))
    lines = [line for block in document.blocks for line in block.lines]
    found = [line.page + turned for line in lines for turned in range(len(line.turns) + 1)]
    assert found == sorted(found)
    assert all(page >= 1 for page in found)
    assert all(
        0 < turn < len(text)
        for block in document.blocks
        for line, text in zip(block.lines, block.content.split("\n"), strict=True)
        for turn in line.turns
    )
    if counted > 1 and not all(line.page_is_estimate for line in lines):
        assert found[-1] <= counted


@given(
    st.sampled_from(("f", "   f", "   two words")),
    st.sampled_from(("Georgia", "Consolas")),  # code keeps its indentation
    st.integers(30, 150),
    st.integers(2, 4),
)
def test_a_page_that_begins_with_a_line_is_the_page_of_the_line(text, font, lines, counted):
    run = f'<r><rPr><rFonts ascii="{font}"/></rPr>{text}</r>'
    document = api.parse(docx(f"<p>{run}</p>" * lines, pages=counted))
    line = document.blocks[0].content.split("\n")[0]
    assert line == (text if font == "Consolas" else text.strip())
    turns = [turn for line in document.blocks[0].lines for turn in line.turns]
    assert all(len(line) - len(line.lstrip()) < turn < len(line) for turn in turns)
