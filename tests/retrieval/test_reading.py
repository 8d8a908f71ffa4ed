"""Reading in parts, by the numbers and headings that a document prints, and checking quotations."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.errors import UsageError
from docxchunk.markup.tags import untagged
from docxchunk.model.blocks import SessionType
from docxchunk.model.chunks import Slice
from docxchunk.retrieval import answers
from docxchunk.retrieval.links import links
from docxchunk.retrieval.reading import Reader

CONTRACT = Path(__file__).parents[2] / "fixtures" / "documents" / "contract.docx"
PIPES = docx(
    "<p style='Heading1'>1. Definitions</p>"
    "<p>“Fee” means the sum in Section 2.1.</p>"
    "<p>The supplier (the “Seller”) delivers pipes.</p>"
    "<p style='Heading1'>2. Payment</p>"
    "<p style='Heading2'>2.1 Fee</p><p>The Fee is 1,200 euros. It is paid in May.</p>"
    "<p style='Heading2'>2.2 Delay</p>"
    "<p>The Seller may stop the delivery, see Sections 2.1 and 9 and Annex A.</p>"
    "<p style='Heading1'>Annex A</p>"
    "<tbl><tr header='1'><tc>Pipe</tc><tc>Price</tc></tr><tr><tc>Steel</tc><tc>12</tc></tr></tbl>"
)


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture(scope="module")
def contract():
    return Reader(api.parse(CONTRACT), words)


@pytest.fixture(scope="module")
def pipes():
    return Reader(api.parse(PIPES, name="pipes.docx"), words)


@pytest.mark.parametrize("name", ["3(b)", "Clause 3 (b)", "section 3(b)", "3.(b)"])
def test_a_clause_is_read_by_its_number(contract, name):
    passage = contract.read(name)
    assert passage.text.startswith("- (b) Costs that come with the term of ten years")
    assert (passage.number, passage.left_out, passage.next) == ("3(b)", 0, None)
    assert passage.citation == "contract.docx, 3. Term > 3(b), about p. 1, ¶ 21"


@pytest.mark.parametrize(
    ("title", "is_of_clause"),
    [
        ("<r b='1'>Return of documents</r>", False),
        ("Return of documents", False),
        ("RETURN OF DOCUMENTS", False),
        ("Return of documents.", True),
        ("return of documents", True),
        ("Key: 17", True),
        ("This line has more words than a title usually has", True),
    ],
)
@pytest.mark.parametrize("style", ["", "Heading3"])
def test_a_clause_does_not_end_with_the_title_of_the_clauses_after_it(title, is_of_clause, style):
    paragraph = f"<p style='{style}'>" if style else "<p>"
    xml = (
        "<p style='Heading1'>31. End</p><p style='Heading2'>31.3 Effects</p>"
        f"{paragraph}31.3.2 The Customer pays.</p><p>It pays at once.</p><p>{title}</p>"
        f"{paragraph}31.3.3 Each party returns the documents.</p><p>It keeps none.</p>"
    )
    reader = Reader(api.parse(docx(xml)), words)
    last_line = reader.read("31.3.2").text.splitlines()[-1]
    assert (last_line != "It pays at once.") == is_of_clause
    assert "ocuments" in reader.read("31.3").text
    assert "It keeps none." in reader.read("31.3.3").text


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("The sums in clauses (i) and (ii) above are due.", ["4.1(i)", "4.1(ii)"]),
        ("Items (i) to (iii) above are due.", ["4.1(i)", "4.1(iii)"]),
        ("As in paragraph (iii) hereof, and sub-clause (ii).", ["4.1(iii)", "4.1(ii)"]),
        ("See clause (x) of the lease, and the clause (see below).", []),
        ("It may do (i) this and (ii) that.", []),
        ("Paragraphs (a) and (b) of Clause 4.3 apply.", ["4.3(a)", "4.3(b)"]),
    ],
)
def test_items_without_a_number_are_those_nearby(text, targets):
    lines = (
        *("4.1 The Customer pays:", "(i) the fee;", "(ii) the costs;", "(iii) taxes."),
        *(f"4.2 {text}", "4.3 The Supplier may:", "(a) stop;", "(b) end it, see paragraph (a)."),
    )
    xml = "".join(f"<p>{line}</p>" for line in lines)
    reader = Reader(api.parse(docx(f"<p style='Heading1'>4. Fees</p>{xml}")), words)
    assert [passage.number for passage in reader.references("4.2").to] == targets
    assert [passage.number for passage in reader.references("4.3(b)").to] == ["4.3(a)"]
    assert reader.references("4.2").unresolved == ()


@pytest.mark.parametrize("name", ["2.1", "Fee", "2.1 Fee", "Section 2.1"])
def test_a_section_is_read_by_number_or_heading(pipes, name):
    assert pipes.read(name).text == "## 2.1 Fee\n\nThe Fee is 1,200 euros. It is paid in May."


def test_a_text_is_read_from_one_of_its_characters_or_its_end(pipes):
    text = "## 2.1 Fee\n\nThe Fee is 1,200 euros. It is paid in May.\n"
    for number in (0, 36, len(text)):
        assert pipes.read("2.1", start=number).text == text[number:].strip()
    for wrong in (-1, len(text) + 1):
        with pytest.raises(UsageError, match=f"start is {wrong}; '2.1' has {len(text)} characters"):
            pipes.read("2.1", start=wrong)


@pytest.mark.parametrize(("start", "shown"), [(0, 5), (4, 1), (5, 0), (-1, None), (6, None)])
def test_an_outline_begins_with_one_of_its_sections(pipes, start, shown):
    if shown is None:
        with pytest.raises(UsageError, match=f"start is {start}; there are 5 sections"):
            answers.outline(pipes, start=start)
    else:
        assert len(answers.outline(pipes, start=start).text.splitlines()) == shown


def test_a_section_has_those_below_it(pipes):
    assert [line for line in pipes.read("2").text.splitlines() if line.startswith("#")] == [
        "# 2. Payment",
        "## 2.1 Fee",
        "## 2.2 Delay",
    ]


def test_a_long_section_is_read_on(pipes):
    first = pipes.read("2.1", max_tokens=8)
    assert first.text == "## 2.1 Fee\n\nThe Fee is 1,200 euros."
    assert first.left_out == 5
    assert pipes.read("2.1", start=first.next).text == "It is paid in May."


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("7.7", "pipes.docx has no section or clause '7.7': the nearest is '2.2'."),
        ("", "pipes.docx has no section or clause '': see its outline."),
        (
            "Definitons",
            "pipes.docx has no section or clause 'Definitons': the nearest is '1. Definitions'.",
        ),
    ],
)
def test_an_unknown_name_is_refused(pipes, name, sentence):
    with pytest.raises(UsageError) as error:
        pipes.read(name)
    assert str(error.value) == sentence


def test_an_ambiguous_name_is_refused():
    twice = Reader(api.parse(docx("<p style='Heading1'>A</p><p>x</p>" * 2), name="two.docx"), words)
    with pytest.raises(UsageError, match=r"'A' is the name of 2 places in two.docx"):
        twice.read("A")
    assert twice.read(twice.places.names[1]).text == "# A\n\nx"


@pytest.mark.parametrize(("places", "ending"), [(8, r"'#8' \(A\)\.$"), (9, r"'#8' \(A\), …\.$")])
def test_at_most_eight_places_of_a_name_are_told(places, ending):
    reader = Reader(api.parse(docx("<p style='Heading1'>A</p><p>x</p>" * places)), words)
    with pytest.raises(UsageError, match=f"'A' is the name of {places} places in .*{ending}"):
        reader.read("A")


def test_a_name_has_a_thousand_characters_at_most(pipes):
    for size, sentence in ((1000, "has no section"), (1001, "A name has at most 1,000 characters")):
        with pytest.raises(UsageError, match=sentence):
            pipes.read("x" * size)


def test_a_heading_may_end_with_the_sign_of_a_number():
    sections = "".join(f"<p style='Heading1'>{name}</p>" for name in ("Item #3", "B", "C"))
    reader = Reader(api.parse(docx(sections)), words)
    assert (reader.read("item #3").text, reader.read("#3").text) == ("# Item #3", "# C")


def test_a_reference_is_read_by_its_label_in_brackets():
    references = "<p num='1:0'>A. Author, One.</p><p num='1:0'>B. Author, Two.</p>"
    reader = Reader(
        api.parse(
            docx(
                "<numbering><list id='1'><level text='[%1]'/></list></numbering>"
                "<p style='Heading1'>1. Aims</p><p>As in [2].</p>"
                f"<p style='Heading1'>2. Remarks</p><p>None.</p>{references}"
            )
        ),
        words,
    )
    assert reader.read("[2]").text == "- [2] B. Author, Two."
    assert reader.read("2").text.startswith("# 2. Remarks")


@pytest.mark.parametrize(
    ("clause", "title"),
    [
        (
            "Article {} The Supplier delivers the goods at once.",
            "Article 2 The Supplier delivers …",
        ),
        ("第{}条 承运人应当在六十日内交付约定的货物。", "第2条 承运人应当在六十 …"),
    ],
)
def test_a_clause_in_an_outline_has_24_characters_of_its_text_or_8_chinese_ones(clause, title):
    clauses = "".join(f"<p>{clause.format(number)}</p>" for number in range(1, 6))
    reader = Reader(api.parse(docx(clauses)), words)
    assert reader.outline()[1].title == title


def test_every_name_of_an_outline_can_be_read(contract, pipes):
    for reader in (contract, pipes):
        for line in reader.outline():
            assert line.title.split()[-1] in reader.read(line.name).text


def test_an_outline_of_a_part(pipes):
    assert [str(line) for line in pipes.outline("2")] == [
        "2. Payment ~1",
        " 2.1 Fee ~1",
        " 2.2 Delay ~1",
    ]
    assert [line.number for line in pipes.outline(max_depth=1)] == ["1", "2", "Annex A"]


def test_find_counts_all_and_shows_some(contract):
    total, passages = contract.find("ICE  rink", limit=2)
    assert (total, [passage.number for passage in passages]) == (8, ["2(a)", "2(b)"])
    assert contract.find("no such words") == (0, [])


def test_a_line_may_have_a_phrase_several_times():
    reader = Reader(api.parse(docx("<p>Rain, rain and rain.</p><p>Rain.</p>")), words)
    total, passages = reader.find("rain")
    assert (total, [passage.match for passage in passages]) == (4, [(0, 4), (0, 4)])


def test_a_pattern_that_may_match_nothing_is_found_where_it_matches_something():
    reader = Reader(api.parse(docx("<p>axxbx</p><p>none</p><p>x</p>")), words)
    total, passages = reader.find("x*", is_pattern=True)
    assert (total, [passage.match for passage in passages]) == (3, [(1, 3), (0, 1)])
    assert reader.find("y*", is_pattern=True) == (0, [])


def test_find_takes_a_regular_expression(pipes):
    total, (passage,) = pipes.find(r"\d,\d{3} euros", is_pattern=True)
    assert (total, passage.number) == (1, "2.1")
    with pytest.raises(UsageError, match="is not a regular expression"):
        pipes.find("(", is_pattern=True)


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("a{10001}", "repeats too much"),
        ("(a{100}){101}", "repeats too much"),
        ("((a{1000}){1000}){1000}", "repeats too much"),
        ("(?R)", "repeats too much"),
        ("x(?R)?", "repeats too much"),
        ("(x)(?1)", "repeats too much"),
        ("(?P<n>x)(?&n)", "repeats too much"),
        ("a" * 1001, "at most 1,000 characters"),
        ("(" * 500 + ")" * 500, "is not a regular expression"),
        ("", "There is nothing to find"),
    ],
)
def test_a_pattern_has_limits(pipes, pattern, sentence):
    with pytest.raises(UsageError, match=sentence):
        pipes.find(pattern, is_pattern=True)


@pytest.mark.parametrize(
    "pattern",
    [r"(?:\d{4}-\d{2}-\d{2}){1,500}", "b{10000}", "(b{100}){100}", "b" * 1000, "(?:b)(?=b)"],
)
def test_a_pattern_up_to_these_limits_is_searched(pipes, pattern):
    assert pipes.find(pattern, is_pattern=True) == (0, [])


def test_the_signs_of_a_pattern_are_text_in_a_phrase(pipes):
    assert pipes.find("b{10001}") == pipes.find("(?R)") == (0, [])
    assert pipes.find("1,200 (euros)") == (0, [])
    assert pipes.find("(the “Seller”)")[0] == 1


def test_a_pattern_that_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr("docxchunk.retrieval.phrases._SECONDS", 0.01)
    reader = Reader(api.parse(docx(f"<p>{'a' * 40}</p>")), words)
    with pytest.raises(UsageError, match="takes too long"):
        reader.find(r"(a|aa)+(b|c)(a|aa)+$|(a*)*d", is_pattern=True)


@pytest.mark.parametrize(
    ("term", "number"), [("Fee", "1"), ("fee", "1"), ("“Seller”", "1"), ("Steel", "Annex A")]
)
def test_a_term_is_defined(pipes, term, number):
    assert pipes.define(term)[0].number == number


COVER = docx(
    "<p>The Supplier delivers pipes. Supplier means well. The Order Date matters.</p>"
    "<tbl><tr><tc>Term</tc><tc>Meaning</tc></tr>"
    "<tr><tc>Supplier:</tc><tc>ACME Ltd</tc></tr>"
    "<tr><tc>“Buyer”</tc><tc>Pipes and Sons</tc></tr>"
    "<tr><tc>1.</tc><tc>The Carrier</tc><tc>Rails Ltd</tc></tr>"
    "<tr><tc><p>Order Date</p><p>The date of the order</p></tc><tc>1 May</tc></tr>"
    "<tr><tc>Order Dates And Places</tc><tc>1 June</tc></tr>"
    "<tr><tc>Signature</tc><tc></tc></tr></tbl>"
)


@pytest.mark.parametrize(
    ("term", "rows"),
    [
        ("Supplier", ["Supplier: | ACME Ltd", "The Supplier delivers"]),
        ("buyer", ["“Buyer” | Pipes and Sons"]),
        ("Carrier", ["1. | The Carrier | Rails Ltd"]),
        ("Order Date", ["Order Date The date of the order | 1 May"]),
        ("Order Dates", ["Order Date The date of the order | 1 May"]),
        ("Signature", []),
    ],
)
def test_a_row_of_a_cover_table_defines_a_term(term, rows):
    defined = Reader(api.parse(COVER), words).define(term)
    assert [passage.text[: len(row)] for passage, row in zip(defined, rows, strict=True)] == rows


def test_the_clearest_definition_comes_first_and_of_two_that_are_as_clear_the_first():
    lines = (
        "The goods (the “Pipe”) are new.",
        "A Pipe means trouble.",
        "“Pipe” means a tube.",
        "Pipe: a tube of metal.",
        "“Pipe” means a hose.",
    )
    reader = Reader(api.parse(docx("".join(f"<p>{line}</p>" for line in lines))), words)
    assert [passage.text for passage in reader.define("Pipe")] == [
        lines[number] for number in (2, 4, 3, 0, 1)
    ]


def test_a_row_is_as_clear_as_its_words_and_a_name_alone_clearer_than_one_in_brackets():
    rows = (
        ("The order (the “Buyer”)", "No one"),
        ("Buyer", "Pipes and Sons"),
        ("“Buyer”", "means Pipes and Sons"),
        ("The Buyer means well", "No one"),
        ("Buyer The one who orders", "Pipes and Sons"),
    )
    table = "".join(f"<tr>{''.join(f'<tc>{cell}</tc>' for cell in row)}</tr>" for row in rows)
    reader = Reader(api.parse(docx(f"<tbl><tr><tc>Term</tc></tr>{table}</tbl>")), words)
    assert [passage.text for passage in reader.define("Buyer")] == [
        " | ".join(rows[number]) for number in (2, 1, 0, 3, 4)
    ]


def test_a_row_whose_first_words_are_the_term_is_clearer_than_a_term_in_brackets():
    source = docx(
        "<p>Rails Ltd (the “Carrier”) is new.</p>"
        "<tbl><tr><tc>1.</tc><tc>The Carrier</tc><tc>Rails Ltd</tc></tr></tbl>"
        "<tbl><tr><tc>1.</tc><tc>The Carrier The one who drives</tc><tc>Rails Ltd</tc></tr></tbl>"
    )
    assert [passage.text for passage in Reader(api.parse(source), words).define("Carrier")] == [
        "1. | The Carrier | Rails Ltd",
        "Rails Ltd (the “Carrier”) is new.",
        "1. | The Carrier The one who drives | Rails Ltd",
    ]


def test_the_clearest_of_several_ways_to_define_a_term_in_one_line_counts():
    lines = ("Pipe: a tube of metal.", "“Pipe” means a tube (here a “Pipe”).")
    reader = Reader(api.parse(docx("".join(f"<p>{line}</p>" for line in lines))), words)
    assert [passage.text for passage in reader.define("Pipe")] == [lines[1], lines[0]]


def test_a_chinese_term_needs_no_quotation_marks():
    law = Reader(
        api.parse(
            docx(
                "<p>第一条　可转让记录，是指甲。</p><p>第二条　记录，是指乙。</p>"
                "<p>第三条　本法所称船舶，是指丙。</p>"
            )
        )
    )
    assert [passage.text[-3:] for passage in law.define("记录")] == ["指乙。"]
    assert [passage.text[-3:] for passage in law.define("船舶")] == ["指丙。"]


DEFINITIONS = (
    "<p style='Heading1'>1. Definitions</p><p>1.1 “Gamma” is the sum of all deltas.</p>"
    "<p>1.2 “Nu”: the xi of the omicron.</p><p>1.3 Chi: any psi.</p>"
    "<p>1.4 „Werktag“ ist jeder Tag außer Samstag.</p><p>(a) « Salarié » : toute personne.</p>"
    "<p>“Epsilon”, in relation to a party, means its zeta.</p>"
    "<p>The “Phi” is due, and “Tau” is deleted.</p><p>“Rho” is hereby deleted.</p>"
    "<p style='Heading1'>2. Use</p><p>2.1 No one uses the word “Bet” in a way that means harm.</p>"
    "<p>2.2 Payment: each month.</p><p>“name”: “pipes”</p>"
    "<p>2.3 First Bank (in such capacity, together with its successors and assigns, the “Agent”), "
    "and Last Bank (the bank that is named in this lease, “Issuer”).</p>"
    "<tbl><tr header='1'><tc>Service</tc><tc>Credits</tc></tr>"
    "<tr><tc>Hosting</tc><tc>Four hours</tc></tr></tbl>"
)


@pytest.mark.parametrize(
    ("term", "begins"),
    [
        ("Gamma", "1.1"),
        ("Nu", "1.2"),
        ("Chi", "1.3"),
        ("Werktag", "1.4"),
        ("Salarié", "(a)"),
        ("Epsilon", "“Ep"),
        ("Agent", "2.3"),
        ("Hosting", "Hos"),
    ],
)
def test_a_line_that_defines_a_term(term, begins):
    reader = Reader(api.parse(docx(DEFINITIONS)), words)
    assert [passage.text[:3] for passage in reader.define(term)] == [begins]


@pytest.mark.parametrize("term", ["Bet", "Services", "Phi", "Tau", "Rho", "Payment", "name"])
def test_a_line_that_uses_a_term_or_a_header_row_does_not_define_it(term):
    assert Reader(api.parse(docx(DEFINITIONS)), words).define(term) == []


VOCABULARY = (
    "<p style='Heading1'>3 Terms and definitions</p><p>These terms apply.</p>"
    "<p style='Heading2'>3.1 widget</p><p>small device</p>"
    "<p>Note 1 to entry: Widgets are defined in 4.1.</p>"
    "<p style='Heading2'>3.2 控件 control</p><p>小型装置</p>"
    "<p style='Heading2'>3.3 gadget holder</p>"
    "<p style='Heading2'>3.4 Definitions</p><p>There are more.</p>"
    "<p style='Heading1'>4 Demands</p><p style='Heading2'>4.1 Marking</p><p>It is red.</p>"
)


@pytest.mark.parametrize(
    ("term", "texts"),
    [
        ("widget", ["small device"]),
        ("widgets", ["small device"]),
        ("控件", ["小型装置"]),
        ("control", ["小型装置"]),
        ("gadget", []),
        ("gadget holder", []),
        ("Marking", []),
        ("Definitions", []),
    ],
)
def test_the_paragraph_below_a_term_of_a_vocabulary_defines_it(term, texts):
    defined = Reader(api.parse(docx(VOCABULARY)), words).define(term)
    assert [passage.text for passage in defined] == texts


def test_a_term_without_definition(pipes):
    assert pipes.define("Buyer") == pipes.define("x" * 1000) == []
    for term, sentence in (("", "There is no term"), ("x" * 1001, "at most 1,000 characters")):
        with pytest.raises(UsageError, match=sentence):
            pipes.define(term)


def test_references_of_a_clause(pipes):
    references = pipes.references("2.2")
    assert [passage.number for passage in references.to] == ["2.1", "Annex A"]
    assert references.unresolved == ("9",)
    assert [passage.number for passage in pipes.references("2.1").by] == ["1", "2.2"]


def test_many_references_are_counted_and_shown_where_they_stand():
    long = "The parties agree on many things that are of no interest here. " * 9
    reader = Reader(
        api.parse(
            docx(
                "<p style='Heading1'>1. Price</p><p>Ten.</p><p style='Heading1'>2. Other</p>"
                + "".join(f"<p>{long}See Section 1, note {n}.</p>" for n in range(30))
            ),
            name="many.docx",
        )
    )
    assert reader.references("1", limit=20).left_out == 10
    *_, last, more = answers.references(reader, "1").text.splitlines()
    assert last.endswith("See Section 1, note 9.")
    assert len(last) < 360
    assert more == "(20 more places)"


def test_a_place_has_the_pages_of_its_words_and_rows():
    turn = "<r><lastRenderedPageBreak/></r>"
    rows = "".join(f"<tr><tc>row {n}</tc><tc>{turn * (n == 3)}{n}</tc></tr>" for n in range(1, 6))
    document = api.parse(
        docx(
            f"<p>{'Rain fell. ' * 60}{turn}{'Snow fell. ' * 60}</p>"
            f"<tbl><tr header='1'><tc>A</tc><tc>B</tc></tr>{rows}</tbl>"
        ),
        name="rain.docx",
    )
    reader = Reader(document)
    texts = [unit for unit in document.units(document.chunks()) if " fell." in unit.content]
    assert list(dict.fromkeys(unit.pages for unit in texts)) == [(1,), (1, 2), (2,)]
    assert [reader.cited(unit).citation for unit in texts] == [unit.citation for unit in texts]
    (_, (row,)) = reader.find("row 4")
    assert row.place == "about p. 3, ¶ 2"
    (_, (paragraph, *_)) = reader.find("fell. Snow")
    assert paragraph.place == "about p. 1-2, ¶ 1"


def test_annex_3_is_not_clause_3(contract):
    assert contract.references("3").by == ()


@pytest.mark.parametrize("name", ["contract", "sample-report", "chinese-thesis", "two-tables"])
def test_the_citation_of_a_unit_leads_to_its_text(name):
    document = api.parse(CONTRACT.with_name(f"{name}.docx"))
    reader = Reader(document, words)
    for unit in document.units(document.chunks(max_tokens=400)):
        if "[Picture" in unit.content:
            continue
        last = unit.content.strip().splitlines()[-1].strip(" |")
        passage = reader.read(f"[{unit.citation}]", max_tokens=20_000)
        assert squeezed(last) in squeezed(untagged(passage.text)), unit.citation


def squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def test_a_citation_is_read_as_far_as_its_last_paragraph(contract):
    passage = contract.read("[contract.docx, 1. Definitions, about p. 1, ¶ 2-3]")
    assert [line[:5] for line in passage.text.splitlines()] == ["- (a)", "- (b)"]
    assert passage.citation.endswith("about p. 1, ¶ 2-3")


def test_the_text_before_the_first_heading_is_a_section():
    document = api.parse(docx("<p>Cover</p><p>Of a contract</p><p style='Heading1'>1. Term</p>"))
    reader = Reader(document, words)
    assert reader.read("#1").text == "Cover\n\nOf a contract"
    assert len(reader.expand("#1")) == len(reader.expand("#1", "#1")) == 1
    assert reader.expand("#1", max_tokens=0) == []


@pytest.mark.parametrize("counts", [(5, 60), (60, 5), (60, 60), (5, 5)])
def test_what_an_item_does_not_need_is_left_to_those_after_it(counts):
    """Two sections have 60 tokens together: half of them for the first."""
    sections = (
        f"<p style='Heading1'>{name}</p>{f'<p>{word}.</p>' * count}"
        for name, word, count in zip(("One", "Two"), ("one", "two"), counts, strict=True)
    )
    reader = Reader(api.parse(docx("".join(sections))), words)
    shown = [words(passage.text) for passage in reader.expand("One", "Two", max_tokens=60)]
    first = min(counts[0] + 2, 30)  # with the heading and its mark
    assert shown[0] == pytest.approx(first, abs=2)
    assert shown[1] == pytest.approx(min(counts[1] + 2, 60 - first), abs=2)


REFERRING = docx(
    "".join(f"<p style='Heading1'>{n}. Clause {n}</p><p>Text.</p>" for n in range(1, 7))
    + "<p style='Heading1'>7. Lists</p><p>See Sections 1 (First of all), 3, and 4.</p>"
    "<p style='Heading1'>8. Ranges</p><p>Sections 2 through 5 survive.</p>"
)


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("1", ["7"]),
        ("2", ["8"]),
        ("3", ["7", "8"]),
        ("4", ["7", "8"]),
        ("5", ["8"]),
        ("6", []),
    ],
)
def test_lists_and_ranges_refer_to_each_of_their_clauses(name, by):
    reader = Reader(api.parse(REFERRING), words)
    assert [passage.number for passage in reader.references(name).by] == by


REFERRED_TO = (
    "<p>Supply Agreement</p>"
    + "".join(f"<p style='Heading1'>{n}. Clause {n}</p><p>(a) One.</p>" for n in range(1, 7))
    + "<p style='Heading1'>Annex B</p><p>Prices.</p><p style='Heading1'>9. Case</p><p>{}</p>"
)


@pytest.mark.parametrize(
    ("text", "to", "unresolved"),
    [
        ("See Sections 1, 2 and 3.", ["1", "2", "3"], ()),
        ("See sections 1 to 3, or 5.", ["1", "3", "5"], ()),
        ("See clauses 1(a), 2 and 3 (a).", ["1(a)", "2", "3(a)"], ()),
        ("See Sections 1 (Term) and 2 (Fees).", ["1", "2"], ()),
        ("See Section 1 (a) (Term) and 2 (Liability).", ["1(a)", "2"], ()),
        ("See Section 1(A) or (B).", ["1(a)"], ("1(B)",)),
        ("See Section 1 (a) or 2 (a) or (c).", ["1(a)", "2(a)"], ("2(c)",)),
        ("See § 1 Abs. a, and article 3, point a).", ["1(a)", "3(a)"], ()),
        ("See section 3 of the Companies Act 2006 and Clause 1 of the Facility Agreement.", [], ()),
        ("See Article 2 of Regulation (EU) 2016/679 and Section 4 of that Act.", [], ()),
        ("See § 3 UStG, §§ 1, 2 BGB, Art. 6 Abs. 1 DSGVO, § 5 der Gewerbeordnung.", [], ()),
        ("Voir l’article 3 du Code civil et l’article L. 1331-1 du code du travail.", [], ()),
        ("See Section 2 of this Agreement and 3 of the Agreement.", ["2"], ()),
        ("This Lease Contract: see clause 3 of the Lease Contract.", ["3"], ()),
        ("See Section 4 of the Supply Agreement.", ["4"], ()),
        ("See clause 5 of the Agreement on 1 May.", ["5"], ()),
        (
            "See § 5 des Vertrags, § 6 des Mietvertrags und l’article 4 du présent code.",
            ["5", "4"],
            (),
        ),
        ("See clause 4 of ISO 9000, and Section 5 Companies Act 2006.", [], ()),
        ("See 28 U.S.C. § 3, the Companies Act 2006, section 4, and ISO 9:2015, clause 5.", [], ()),
        ("Section 8", [], ()),  # a heading
        ("See clauses 1.7.2a and 2bis.", [], ("1.7.2a",)),
        ("See Annex B, 4.1 and paragraph 1 of Schedule 7.", ["Annex B"], ("1 of Schedule 7",)),
        ("See Annex B and Section 2.", ["Annex B", "2"], ()),
        ("See Annex C, and Sections 7 and 2.", ["2"], ("Annex C", "7")),
        ("See § 4 and §§ 5 und 6.", ["4", "5", "6"], ()),
        ("See Section 4 to the end.", ["4"], ()),
        ("See Section 9 and Section 1.", ["1"], ()),  # 9 is the clause itself
        ("See subsection 1 and a section 2a.", ["2(a)"], ()),
    ],
)
def test_what_a_text_refers_to(text, to, unresolved):
    found = Reader(api.parse(docx(REFERRED_TO.format(text))), words).references("9")
    assert ([passage.number for passage in found.to], found.unresolved) == (to, unresolved)


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("Sections 2 to 4 apply.", "234"),
        ("Sections 2 and 4 apply.", "24"),
        ("Sections 4 to 2 apply.", "24"),
        ("Sections 2 to 7 apply.", "2"),  # there is no Section 7
        ("Clause 2(a) applies.", "2"),
    ],
)
def test_what_refers_to_a_section(text, by):
    reader = Reader(api.parse(docx(REFERRED_TO.format(text))), words)
    assert [name for name in "123456" if reader.references(name).by] == [*by]


def test_each_chinese_article_in_a_line_is_a_reference():
    text = "".join(f"<p style='Heading1'>第{n}条</p><p>正文。</p>" for n in "一二三四")
    reader = Reader(api.parse(docx(f"{text}<p>依照第一条、第三条，不依照第九条。</p>")), words)
    found = reader.references("第四条")
    assert [passage.number for passage in found.to] == ["第一条", "第三条"]
    assert found.unresolved == ("第九条",)


def test_chinese_references_to_other_laws_and_to_annexes():
    text = "".join(f"<p style='Heading1'>第{n}条</p><p>正文。</p>" for n in "一二三四")
    text += "<p>《民法典》第一条、第二条，根据公司法第二条，本法第三条，见附件1。</p>"
    reader = Reader(api.parse(docx(f"{text}<p style='Heading1'>附件一</p><p>设备。</p>")), words)
    found = reader.references("第四条")
    assert [passage.number for passage in found.to] == ["第三条", "附件一"]
    assert found.unresolved == ()


SCHEDULES = docx(
    "<p style='Heading1'>1. Term</p><p>1.1 It ends under paragraph 2 of Schedule 2.</p>"
    "<p>1.2 See paragraph 1 of Part 2 of Schedule 1 and paragraph 9 of Schedule 2.</p>"
    + "".join(
        f"<p style='Heading1'>Schedule {n}</p><p style='Heading2'>Part 1</p>"
        "<p>1. The plan.</p><p>1.1 The auditor acts under paragraph 1.</p>"
        "<p>1.2 The board acts under paragraph 1.1 of this Part.</p>"
        "<p style='Heading2'>Part 2</p><p>1. Paragraph 1.1 of Part 1 applies, and clause 1.</p>"
        "<p>2. See paragraph 1 of that Part and paragraph 1.2 of this Schedule.</p>"
        for n in (1, 2)
    )
)


@pytest.mark.parametrize(
    ("name", "to", "unresolved"),
    [
        ("1.1", ["Part 2(2)"], ()),
        ("1.2", ["Part 2(1)", "Schedule 2"], ("9 of Schedule 2",)),
        ("Schedule 1 > Part 1 > 1.1", ["Part 1(1)"], ()),
        ("Schedule 2 > Part 1 > 1.2", ["1.1"], ()),
        ("Schedule 1 > Part 2(1)", ["1.1", "1"], ()),
        ("Schedule 2 > Part 2(2)", ["1.2"], ("1 of that Part",)),
    ],
)
def test_a_paragraph_of_a_schedule_is_looked_for_there(name, to, unresolved):
    places = Reader(api.parse(SCHEDULES), words).places
    at = places.named(name)[0]
    found = links(places, at)
    assert [places.all[each].number for each in found.to] == to
    assert found.unresolved == list(unresolved)
    assert all(each > 2 or places.all[each].number == "1" for each in found.to)


@pytest.mark.parametrize(
    ("annex", "text"),
    [
        ("Anlage 1", "Die Geräte gemäß Anlage 1 sind neu."),
        ("Anlage 1", "Die Anlagen 1 und 3 gelten."),
        ("Anexo I", "Los equipos del Anexo I son nuevos."),
        ("Allegato A", "Come indicato nell’Allegato A."),
        ("Bilaga 1", "Se bilaga 1."),
        ("Attachment 1", "See Attachment 1."),
        ("ANNEXE I", "Voir l’annexe I."),
    ],
)
def test_annexes_in_other_languages_and_their_own_labels(annex, text):
    xml = f"<p style='Heading1'>1. One</p><p>{text}</p><p style='Heading1'>{annex}</p><p>List.</p>"
    found = Reader(api.parse(docx(xml)), words).references(annex)
    assert [passage.number for passage in found.by] == ["1"]
    assert found.unresolved == ()


@pytest.mark.parametrize(
    ("text", "to"),
    [
        ("See 1.2 and A.1.1, and those of 1.1.1.", ["1.2", "A.1.1", "1.1.1"]),
        ("Tests follow 1.1.1, item b), and A.1.1.", ["1.1.1(b)", "A.1.1"]),
        ("The values in 1.1.1 b) 1) apply.", ["1.1.1(b)(1)"]),
        ("It is in 1.2 cases, see 1.2 %, with 1.1.1 mm, to 1.1.2024, see 7.7.", []),
        ("ISO 9000:2015, 1.2, Quality. Version 1.1.1.", []),
    ],
)
def test_a_number_without_a_word_is_a_reference_after_certain_words(text, to):
    heads = ("1 Scope", "1.1 Devices", "1.1.1 Insulation", "1.2 Marks", "Annex A", "A.1 Tests")
    xml = "".join(f"<p style='Heading1'>{head}</p><p>Text.</p>" for head in heads)
    xml = xml.replace(
        "Insulation</p>", "Insulation</p><p>a) parts.</p><p>b) coils:</p><p>1) all.</p>"
    )
    xml += (
        f"<p style='Heading1'>A.1.1 Volts</p><p>Text.</p><p style='Heading1'>Notes</p><p>{text}</p>"
    )
    found = Reader(api.parse(docx(xml)), words).references("Notes")
    assert [passage.number for passage in found.to] == to
    assert found.unresolved == ()


def test_a_range_of_chinese_articles_refers_to_those_within():
    text = "".join(f"<p style='Heading1'>第{n}条</p><p>正文。</p>" for n in "一二三四五")
    reader = Reader(api.parse(docx(f"{text}<p>本法第一条至第三条的规定适用。</p>")), words)
    assert [passage.number for passage in reader.references("第二条").by] == ["第五条"]
    assert reader.references("第四条").by == ()


NOTED = (
    "<p style='Heading1'>4. Term</p><p>4.1 The lease starts in May.</p>"
    "<p>4.2 Either party may end the lease.</p><p style='Heading1'>5. Liability</p>"
    "<p>5.1 No party is liable for loss.<r><footnoteReference id='2'/></r></p>"
    "<p>5.2 The other party<r><footnoteReference id='3'/></r> is liable.</p>"
    "<footnotes><footnote id='2'><p>This does not limit clause 4.2 in any way.</p></footnote>"
    "<footnote id='3'><p>That is the landlord.</p></footnote></footnotes>"
)


def test_a_footnote_is_cited_by_the_clause_that_has_its_mark():
    reader = Reader(api.parse(docx(NOTED), name="lease.docx"))
    (note,) = reader.references("4.2").by
    assert (note.place, note.number) == ("5. Liability > 5.1, about p. 1, ¶ 5", "5.1")
    for words, clause in (("limit clause 4.2 in any way", "5.1"), ("That is the landlord", "5.2")):
        (passage,) = reader.check(words).passages
        assert passage.number == clause
        assert reader.check(f"[{passage.citation}] {words}").verdict == "found"
        assert words in reader.read(passage.citation).text
    assert reader.check("[lease.docx, 5. Liability > 5.2, ¶ 6] limit clause 4.2 in").verdict == (
        "moved"
    )


@pytest.mark.parametrize(
    ("after", "text"),
    [
        ("<p>(a) deep;</p><p>(b) wide.</p><p>It may rain.</p>", "(a) deep;\n(b) wide."),
        ("<tbl><tr><tc>deep</tc><tc>9</tc></tr></tbl><p>It may rain.</p>", "deep | 9"),
        ("<p>It may rain.</p>", ""),
        ("<p style='Heading1'>(a) deep</p>", ""),
        ("", ""),
    ],
)
def test_a_definition_that_ends_with_a_colon_has_its_items(after, text):
    reader = Reader(api.parse(docx(f"<p>“Lake” means water that is:</p>{after}")))
    (passage,) = reader.define("Lake")
    assert passage.text == "\n".join(filter(None, ("“Lake” means water that is:", text)))


@pytest.mark.parametrize(("clause", "note", "paragraph"), [("5.1", 1, 5), ("5.2", 2, 6)])
def test_a_clause_is_read_with_its_own_notes(clause, note, paragraph):
    passage = Reader(api.parse(docx(NOTED))).read(clause)
    assert re.findall(r"^\[\^(\d)\]:", passage.text, re.MULTILINE) == [str(note)]
    assert passage.place == f"5. Liability > {clause}, about p. 1, ¶ {paragraph}"


def test_a_clause_refers_to_what_its_footnote_refers_to():
    reader = Reader(api.parse(docx(NOTED)))
    assert [passage.number for passage in reader.references("5.1").to] == ["4.2"]
    assert reader.references("5.2").to == ()


@pytest.mark.parametrize(
    ("number", "to", "unresolved"), [("1(2)", ["1(2)"], ()), ("2", [], ("2",)), ("3", ["3"], ())]
)
def test_a_reference_gives_the_full_number_and_not_that_of_an_item_alone(number, to, unresolved):
    items = "<p style='Heading1'>1. Rent</p><p>(1) Ten pounds.</p><p>(2) Each month.</p>"
    pay = f"<p style='Heading1'>3. Pets</p><p>None.</p><p style='Heading1'>4. Pay</p><p>See clause {number}.</p>"
    found = Reader(api.parse(docx(items + pay)), words).references("4")
    assert [passage.number for passage in found.to] == to
    assert found.unresolved == unresolved


TERMS = (
    "<p style='Heading1'>1. Terms</p><p>1.1 “Business Day” means a day on which banks are open.</p>"
    "<p>1.2 “Service Fees” means the sum in clause 2.1.</p>"
    "<p>1.10 The lease ends in May.</p><p>Notices are sent by post.</p>"
)


def test_a_term_is_found_in_the_singular_and_plural_or_terms_like_it_are_named():
    reader = Reader(api.parse(docx(TERMS)))
    for term, number in (("Business Days", "1.1"), ("service fee", "1.2")):
        assert [passage.number for passage in reader.define(term)] == [number]
    answer = answers.define(reader, "fee")
    assert answer.text == (
        "There is no definition of 'fee'. Terms that are defined: 'Service Fees'."
    )
    assert reader.define("s") == []
    letters = Reader(api.parse(docx("<p>“A” means the first lease.</p><p>“ID” means a card.</p>")))
    assert [len(letters.define(term)) for term in ("A", "As", "ID", "IDs")] == [1, 0, 1, 1]
    assert answers.define(reader, "zebra").text == "There is no definition of 'zebra'."
    assert reader.terms_like("Buisness Day") == reader.terms_like("bussiness") == ["Business Day"]


def test_arguments_of_other_types_are_refused(pipes):
    for ask, sentence in (
        (lambda: pipes.read(2.1), "name is 2.1; it must be text."),
        (lambda: pipes.expand(pipes.document.blocks[0]), "name is <Block .*>; it must be text."),
        (lambda: pipes.expand("2", to="page"), "to is 'page'; it must be section or parent."),
        (lambda: pipes.check(5), "quote is 5; it must be text."),
        (lambda: pipes.read("2", max_tokens="x"), "max_tokens is 'x'; it must be a whole number."),
        (lambda: pipes.read("2", max_tokens=-1), "max_tokens is -1; it must be 0 or more."),
        (lambda: pipes.read("2", start="x"), "start is 'x'; it must be a whole number."),
        (lambda: pipes.expand("2", max_tokens=2.5), "max_tokens is 2.5; it must be a whole"),
        (
            lambda: pipes.tables_under("2", max_tokens=None),
            "max_tokens is None; it must be a whole",
        ),
        (lambda: pipes.find(None), "phrase is None; it must be text."),
        (lambda: pipes.find("a", limit=-1), "limit is -1; it must be 0 or more."),
        (lambda: pipes.define(None), "term is None; it must be text."),
        (lambda: pipes.define("a", limit=True), "limit is True; it must be a whole number."),
        (lambda: pipes.references("2", limit=2.5), "limit is 2.5; it must be a whole number."),
    ):
        with pytest.raises(UsageError, match=sentence):
            ask()


def test_a_reader_needs_a_document():
    with pytest.raises(UsageError, match=r"document is 'a.docx'; it must be .* class Document"):
        Reader("a.docx")


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("1.9", "the nearest are '1.2' and '1.10'."),
        ("1.0", "the nearest are '1' and '1.1'."),
        ("1.11", "the nearest is '1.10'."),
        ("1.1.a", "the nearest are '1.1' and '1.2'."),
        ("0.5", "the nearest is '1'."),
        ("9 lives", "see its outline."),
        ("clause 9.9", "the nearest is '1'."),
        ("Zebra", "see its outline."),
    ],
)
def test_an_unknown_number_is_answered_with_the_nearest(name, rest):
    reader = Reader(api.parse(docx(TERMS)))
    with pytest.raises(UsageError) as error:
        reader.read(name)
    assert str(error.value).endswith(f"has no section or clause {name!r}: {rest}")


def test_blocks_without_heading_are_named_by_what_they_are():
    document = api.parse(docx(TERMS))
    first = document.blocks[0]
    texts = {"1": "On the cover.", "2": "1. Terms\t3", "3": "This lease\nis for a flat."}
    blocks = [
        replace(first, id=name, heading="", content=text, level=0, lines=())
        for name, text in texts.items()
    ]
    blocks[1] = replace(blocks[1], session_type=SessionType.TOC)
    reader = Reader(replace(document, blocks=(*blocks, *document.blocks)))
    assert [line.title for line in reader.outline()] == [
        "(text before the first heading)",
        "(table of contents)",
        "(This lease is for a flat.)",
        "1. Terms",
    ]


@pytest.mark.parametrize("length", [52, 53, 56, 57, 90])
def test_the_title_of_a_block_without_heading_is_not_cut_once_more(length):
    document = api.parse(docx(TERMS))
    last = replace(
        document.blocks[0], id="last", heading="", content=f"{'x' * length} is the word.", lines=()
    )
    reader = Reader(replace(document, blocks=(*document.blocks, last)))
    assert str(reader.outline()[1]).endswith(" …) #2")


LINKED = (
    "<bookmarkStart id='1' name='one'/><p style='Heading1'>1. Term</p><p>Two years.</p>"
    "<p style='Heading1'>2. Price</p><p>Ten, see <hyperlink anchor='one'>the term</hyperlink>.</p>"
    "<p style='Heading1'>3. Law</p><p>German law.</p>"
)


def test_a_link_is_a_reference_in_both_directions():
    reader = Reader(api.parse(docx(LINKED)))
    assert [passage.number for passage in reader.references("2").to] == ["1"]
    assert [passage.number for passage in reader.references("1").by] == ["2"]
    for name, other in (("1", "to"), ("2", "by"), ("3", "to"), ("3", "by")):
        assert getattr(reader.references(name), other) == ()


def test_a_link_is_of_its_section_and_not_of_each_clause_in_it():
    xml = re.sub("(?=<p style='Heading1'>[23])", "<p>(a) Each year.</p><p>(b) At once.</p>", LINKED)
    reader = Reader(api.parse(docx(xml)), words)
    assert [passage.number for passage in reader.references("2").to] == ["1"]
    assert reader.references("2(a)").to == reader.references("1(a)").by == ()


def test_a_place_that_names_and_links_another_one_is_listed_once():
    named = LINKED.replace("see", "see Section 1,")
    reader = Reader(api.parse(docx(named)))
    assert [passage.text for passage in reader.references("1").by] == [
        "Ten, see Section 1, the term."
    ]


CHUNK = api.parse(PIPES).chunks()[0]


def line_of(reader, index):
    """Return a chunk of one line."""
    place = reader.places.all[index]
    block = reader.document.blocks[place.block].id
    return replace(CHUNK, parts=(Slice(block, place.start, place.end),))


@pytest.mark.parametrize(
    ("lines", "introduced"),
    [
        ("The Supplier shall:|(a) pay.|(b) ask.", "-00"),
        ("供应商应当：|(a) 付款。|(b) 交货。", "-00"),
        ("The Supplier shall —|(a) pay.", "-0"),
        ("The Supplier pays.|(a) Once.", "--"),
        ("The Supplier:|It pays.|(a) Once.", "---"),
        # from the line above its list
        ("It shall:|(a) ask:|(i) a friend;|(ii) a fool;|(b) pay.", "-0110"),
        ("It shall:|(a) ask|(i) a friend;|(ii) a fool;|(b) pay.", "-0--0"),
        ("It shall:|(a) ask:|Or rather:|(b) pay.", "-0-2"),
        ("(a) Pay.|(b) Ask.|Notes:", "---"),  # not from the end of the document
        ("1.1 It shall:|(a) pay.|1.2 It ends.", "-0-"),
        ("# Duties:|(a) pay.|(b) ask.", "-00"),
        ("It shall:|(a) pay.|# Law|(a) German law.", "-0--"),
        ("It shall:|# 2. Law|German law.", "---"),  # a heading is no item
    ],
)
def test_the_line_that_introduces_an_item_is_above_its_list(lines, introduced):
    texts = lines.split("|")
    paragraphs = (
        f"<p style='Heading1'>{text[2:]}</p>" if text.startswith("#") else f"<p>{text}</p>"
        for text in texts
    )
    reader = Reader(api.parse(docx("".join(paragraphs))), words)
    for index, above in enumerate(introduced):
        lead_in = texts[int(above)].lstrip("# ") if above != "-" else ""
        assert reader.lead_in(line_of(reader, index)) == lead_in, texts[index]


@pytest.mark.parametrize(("items", "is_known"), [(200, True), (201, False)])
def test_the_line_that_introduces_an_item_is_at_most_two_hundred_lines_above_it(items, is_known):
    xml = f"<p>It shall:</p>{'<p>(a) pay.</p>' * items}"
    reader = Reader(api.parse(docx(xml)), words)
    assert reader.lead_in(line_of(reader, items)) == ("It shall:" if is_known else "")


def test_the_line_before_a_clause_that_is_only_a_number_introduces_it():
    texts = "".join(
        f"<p style='Heading2'>2.{n}</p><p>Part {n} of it.</p><p>More of {n}.</p>" for n in (1, 2)
    )
    for line, lead in (("The Supplier shall:", "The Supplier shall:"), ("It is due.", "")):
        reader = Reader(api.parse(docx(f"<p style='Heading1'>2. Duties</p><p>{line}</p>{texts}")))
        units = reader.document.units(reader.document.chunks(), longest=12)
        leads = {unit.content: reader.lead_in(unit) for unit in units}
        for number in (1, 2):
            assert leads[f"Part {number} of it."] == lead
            assert leads[f"More of {number}."] == ""


@pytest.mark.parametrize(
    ("name", "to", "by", "others"),
    [
        ("2.2", ["2.1 Fee", "Annex A"], [], "9"),
        ("2.1", [], ["1. Definitions", "2.2 Delay"], ""),
        ("2", ["Annex A"], ["1. Definitions"], "9"),
        ("1", ["2.1 Fee"], [], ""),
        ("Annex A", [], ["2.2 Delay"], ""),
    ],
)
def test_what_a_clause_refers_to_and_what_refers_to_it_are_listed(pipes, name, to, by, others):
    lines = answers.references(pipes, name).text.splitlines()
    assert [line.partition(", about")[0].lstrip("[") for line in lines] == [
        "It refers to:" if to else "No reference to another place was recognized in it.",
        *to,
        "It is referred to by:" if by else "No reference to it was recognized.",
        *by,
        *([f"Not in the document, or more than once: {others}"] if others else ()),
    ]
