"""Reading in parts, by the numbers and headings that a document prints, and checking quotations."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest
from case_files import each_row, each_text
from docx_builder import docx

from docxchunk import api
from docxchunk.content.tags import untagged
from docxchunk.errors import UsageError
from docxchunk.model.chunks import Slice
from docxchunk.retrieval import answers
from docxchunk.retrieval.citing.quotations import Verdict
from docxchunk.retrieval.finding.links import references
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


@each_row("retrieval", targets=each_text)
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


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("7.7", "pipes.docx has no section or clause '7.7': its sections go from '1' to '2'."),
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
    assert twice.read(twice.places.section_name(1)).text == "# A\n\nx"


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


def test_every_name_of_an_outline_can_be_read(contract, pipes):
    for reader in (contract, pipes):
        for line in reader.outline():
            assert line.title.split()[-1] in reader.read(line.name).text


def test_a_line_may_have_a_phrase_several_times():
    reader = Reader(api.parse(docx("<p>Rain, rain and rain.</p><p>Rain.</p>")), words)
    total, passages = reader.find("rain")
    assert (total, [passage.match for passage in passages]) == (4, [(0, 4), (0, 4)])


def test_find_counts_all_and_shows_some(contract):
    total, passages = contract.find("ICE  rink", limit=2)
    assert (total, [passage.number for passage in passages]) == (8, ["2(a)", "2(b)"])
    assert contract.find("no such words") == (0, [])


def test_find_takes_a_regular_expression(pipes):
    total, (passage,) = pipes.find(r"\d,\d{3} euros", "regex")
    assert (total, passage.number) == (1, "2.1")
    with pytest.raises(UsageError, match="is not a regular expression"):
        pipes.find("(", "regex")


@each_row("retrieval")
def test_a_pattern_has_limits(pipes, pattern, sentence):
    with pytest.raises(UsageError, match=sentence):
        pipes.find(pattern, "regex")


def test_a_pattern_that_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr("docxchunk.retrieval.finding.phrases._SECONDS", 0.01)
    reader = Reader(api.parse(docx(f"<p>{'a' * 40}</p>")), words)
    with pytest.raises(UsageError, match="takes too long"):
        reader.find(r"(a|aa)+(b|c)(a|aa)+$|(a*)*d", "regex")


def test_a_phrase_is_found_however_long_the_document_is(monkeypatch):
    monkeypatch.setattr("docxchunk.retrieval.finding.phrases._SECONDS", -1.0)
    reader = Reader(api.parse(docx("<p>The rent is due.</p>" * 2), name="a.docx"))
    assert len(reader.find("rent")) == 2


@each_row("retrieval")
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


@pytest.mark.parametrize(
    ("name", "row", "number"),
    [
        ("supplier", "Supplier: | ACME Ltd | ", 2),
        ("The Carrier", "1. | The Carrier | Rails Ltd", 4),
    ],
)
def test_a_row_of_a_cover_table_is_read_by_its_name_and_by_its_citation(name, row, number):
    reader = Reader(api.parse(COVER, name="a.docx"), words)
    passage = reader.read(name)
    assert passage.text.splitlines()[-1].startswith(f"| {row}")
    assert passage.citation == f"a.docx, about p. 1, ¶ 2, row {number}"
    assert reader.read(passage.citation) == passage
    other = passage.citation.replace(f"row {number}", "row 1")
    quotations = (reader.cite(f"[{each}] {row}") for each in (passage.citation, other))
    assert [each.verdict for each in quotations] == [Verdict.FOUND, Verdict.MOVED]


def test_the_next_clause_of_a_block_is_not_read_with_its_heading():
    text = "<p style='Heading1'>10.1 One</p><p>First.</p><p>10.2 Two is next.</p><p>Last.</p>"
    reader = Reader(api.parse(docx(text)), words)
    assert reader.read("10.1").text == "# 10.1 One\n\nFirst."
    assert reader.read("10.2").text.startswith("10.2 Two is next.")


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


@each_row("retrieval")
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


@each_row("retrieval", texts=each_text)
def test_the_paragraph_below_a_term_of_a_vocabulary_defines_it(term, texts):
    defined = Reader(api.parse(docx(VOCABULARY)), words).define(term)
    assert [passage.text for passage in defined] == texts


def test_where_terms_are_defined_by_language():
    for case in cases_of("definitions.txt"):
        text, _, expected = case.rpartition(" => ")
        term, _, lines = text.partition(" :: ")
        title = "<p style='Heading1'>1. Definitions</p>" * lines.startswith("** ")
        several = lines.removeprefix("** ").replace("<tab>", "\t").split(" || ")
        reader = Reader(api.parse(docx(title + table_rows(several))))
        defined = [passage.text for passage in reader.define(term)]
        shown = [several[int(expected) - 1].strip("[]")] if expected != "-" else []
        assert (case, defined) == (case, shown)


def table_rows(lines: list[str]) -> str:
    """Return lines as paragraphs, those in brackets as the rows of one table."""
    xml = ""
    for is_row, several in groupby(lines, key=lambda line: line.startswith("[")):
        if is_row:
            cells = (line.strip("[]").replace(" | ", "</tc><tc>") for line in several)
            xml += f"<tbl>{''.join(f'<tr><tc>{each}</tc></tr>' for each in cells)}</tbl>"
        else:
            xml += "".join(f"<p>{line}</p>" for line in several)
    return xml


def cases_of(name: str) -> list[str]:
    lines = (CONTRACT.parents[1] / name).read_text("utf-8").splitlines()
    return [line for line in lines if " =>" in line]


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


def test_the_text_before_the_first_heading_is_a_section():
    document = api.parse(docx("<p>Cover</p><p>Of a contract</p><p style='Heading1'>1. Term</p>"))
    reader = Reader(document, words)
    assert reader.read("#1").text == "Cover\n\nOf a contract"
    assert reader.expand("#1").text == "Cover\n\nOf a contract"


REFERRED_TO = (
    "<p>Supply Agreement</p>"
    + "".join(f"<p style='Heading1'>{n}. Clause {n}</p><p>(a) One.</p>" for n in range(1, 7))
    + "<p style='Heading1'>Annex B</p><p>Prices.</p><p style='Heading1'>9. Case</p><p>{}</p>"
)


def test_what_a_text_refers_to():
    for line in (CONTRACT.parents[1] / "references.txt").read_text("utf-8").splitlines():
        text, arrow, result = line.partition(" =>")
        if arrow:
            found = Reader(api.parse(docx(REFERRED_TO.format(text))), words).references("9")
            places = ", ".join(passage.number for passage in found.to) or "-"
            unresolved = f"; {', '.join(found.unresolved)}" if found.unresolved else ""
            assert (text, result) == (text, f" {places}{unresolved}")


def test_which_clauses_a_text_refers_to():
    heading, numbers = "", ""
    for line in (CONTRACT.parents[1] / "references-by-heading.txt").read_text("utf-8").splitlines():
        if line.startswith("= "):
            heading, numbers = line[2:].split("; ")
        text, arrow, result = line.partition(" => ")
        if arrow:
            heads = map(heading.format, numbers.split())
            xml = "".join(f"<p style='Heading1'>{head}</p><p>Text.</p>" for head in heads)
            reader = Reader(api.parse(docx(f"{xml}<p>{text}</p>")), words)
            referred = [str(n) for n in range(1, 7) if reader.references(f"#{n}").by]
            assert (text, " ".join(referred) or "-") == (text, result)


@each_row("retrieval")
def test_what_refers_to_a_section(text, by):
    reader = Reader(api.parse(docx(REFERRED_TO.format(text))), words)
    assert [name for name in "123456" if reader.references(name).by] == [*by]


@pytest.mark.parametrize(
    "titles",
    [
        "(1) Acme Ltd|1. Rent|2. Term",
        "1. Rent|2. Term|Schedule|1. Prices",
        "(1) Acme Ltd|1. Rent|2. Term|Schedule 1|1. Prices|2. Cuts",
    ],
)
def test_a_clause_is_that_of_the_body_not_a_party_nor_a_paragraph_of_a_schedule(titles):
    xml = "<p style='Heading1'>Scheduled works</p>"
    for title in titles.split("|"):
        level = 1 if title.startswith("Schedule") else 2
        xml += f"<p style='Heading{level}'>{title}</p><p>Clauses 1 and 2 apply.</p>"
    reader = Reader(api.parse(docx(xml)), words)
    assert "1. Rent" in reader.read("clause 1").text
    assert ["1. Rent" in passage.text for passage in reader.references("clause 2").to] == [True]


@pytest.mark.parametrize(("article", "annex"), [("제1조", "부칙 (제1호)"), ("第一条", "附件一")])
def test_an_article_is_one_of_the_body_unless_its_annex_is_named(article, annex):
    xml = "".join(
        f"<p style='Heading{level}'>{name}</p><p>{text}</p>"
        for level, name, text in ((2, article, "Body."), (1, annex, "."), (2, article, "Annex."))
    )
    reader = Reader(api.parse(docx(xml)), words)
    assert "Body" in reader.read(article).text
    assert "Annex" in reader.read(f"{annex.partition(' ')[0]}{article}").text


def test_chinese_references_to_other_laws_and_to_annexes():
    text = "".join(f"<p style='Heading1'>第{n}条</p><p>正文。</p>" for n in "一二三四")
    text += "<p>《民法典》第一条、第二条，根据公司法第二条，本法第三条，见附件一。</p>"
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


@each_row("retrieval", to=each_text, unresolved=each_text)
def test_a_paragraph_of_a_schedule_is_looked_for_there(name, to, unresolved):
    places = Reader(api.parse(SCHEDULES), words).places
    at = places.named(name)[0]
    found = references(places, at, 20)
    assert [passage.number for passage in found.to] == to
    assert [*found.unresolved] == unresolved
    paragraphs = [int(each.place.rpartition("¶ ")[2]) for each in found.to]
    assert all(n > 3 or each.number == "1" for n, each in zip(paragraphs, found.to, strict=True))


@pytest.mark.parametrize(
    "name", ["Schedule 2, Part 1, 1.2", "Schedule 2 Part 1 1.2", "Schedule 2, 1.2"]
)
def test_a_number_after_a_schedule_is_cited_with_it(name):
    passage = Reader(api.parse(SCHEDULES), words).read(name)
    assert passage.place == "Schedule 2 > Part 1 > 1.2, about p. 1, ¶ 16"


BYLAWS = "".join(
    f"<p style='Heading1'>ARTICLE {article}. NAME.</p>"
    + "".join(f"<p>Section {n}. It is.</p><p>(a) One.</p>" for n in (1, 2))
    for article in ("I", "II", "III")
)


@each_row("retrieval", to=each_text, unresolved=each_text)
def test_a_section_is_looked_for_in_its_article(text, to, unresolved):
    places = Reader(api.parse(docx(f"{BYLAWS}<p>(b) {text}</p>")), words).places
    found = references(places, len(places.all) - 1, 20)
    assert [*found.unresolved] == unresolved
    found_in = (each.place.partition(", ")[0].replace("ARTICLE ", "") for each in found.to)
    assert [
        place.replace(". NAME > Section ", "-").replace(". NAME", "") for place in found_in
    ] == to


@each_row("retrieval")
def test_annexes_in_other_languages_and_their_own_labels(annex, text):
    xml = f"<p style='Heading1'>1. One</p><p>{text}</p><p style='Heading1'>{annex}</p><p>List.</p>"
    found = Reader(api.parse(docx(xml)), words).references(annex)
    assert [passage.number for passage in found.by] == ["1"]
    assert found.unresolved == ()


@each_row("retrieval", to=each_text)
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
        (passage,) = reader.cite(words).passages
        assert passage.number == clause
        assert reader.cite(f"[{passage.citation}] {words}").verdict == "found"
        assert words in reader.read(passage.citation).text
    assert reader.cite("[lease.docx, 5. Liability > 5.2, ¶ 6] limit clause 4.2 in").verdict == (
        "moved"
    )


@each_row("retrieval")
def test_a_definition_that_ends_with_a_colon_has_its_items(after, text):
    reader = Reader(api.parse(docx(f"<p>“Lake” means water that is:</p>{after}")))
    (passage,) = reader.define("Lake")
    assert passage.text == "\n".join(filter(None, ("“Lake” means water that is:", text)))


@pytest.mark.parametrize(("clause", "note", "paragraph"), [("5.1", 1, 5), ("5.2", 2, 6)])
def test_a_clause_is_read_with_its_own_notes(clause, note, paragraph):
    passage = Reader(api.parse(docx(NOTED))).read(clause)
    assert re.findall(r"^\[\^(\d)\]:", passage.text, re.MULTILINE) == [str(note)]
    assert passage.place == f"5. Liability > {clause}, about p. 1, ¶ {paragraph}"


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
        "No definition of 'fee' was recognized in document.docx. Terms like it that are defined: "
        "'Service Fees'. It first occurs here: [1. Terms > 1.2, about p. 1, ¶ 3] 1.2 “Service Fees” "
        "means the sum in clause 2.1."
    )
    assert reader.define("s") == []
    letters = Reader(api.parse(docx("<p>“A” means the first lease.</p><p>“ID” means a card.</p>")))
    assert [len(letters.define(term)) for term in ("A", "As", "ID", "IDs")] == [1, 0, 1, 1]
    assert answers.define(reader, "zebra").text.endswith("It does not occur.")
    assert reader.terms_like("Buisness Day") == reader.terms_like("bussiness") == ["Business Day"]


@each_row("retrieval")
def test_an_unknown_number_is_answered_with_the_nearest(name, rest):
    reader = Reader(api.parse(docx(TERMS)))
    with pytest.raises(UsageError) as error:
        reader.read(name)
    assert str(error.value).endswith(f"has no section or clause {name!r}: {rest}")


LINKED = (
    "<bookmarkStart id='1' name='one'/><p style='Heading1'>1. Term</p><p>Two years.</p>"
    "<p style='Heading1'>2. Price</p><p>Ten, see <hyperlink anchor='one'>the term</hyperlink>.</p>"
    "<p style='Heading1'>3. Law</p><p>German law.</p>"
)


def test_each_place_that_refers_is_shown_by_and_by_but_no_entry_of_contents():
    xml = "<p>4. Fees<r><tab/></r>7</p><p>4. Fees</p><p>4. Fees ...... 12</p>"
    xml += "<p style='Heading1'>4. Fees</p><p>See Section 5.</p><p style='Heading1'>5. Use</p>"
    xml += "".join(f"<p>Case {n}: Section 4 applies.</p>" for n in range(25))
    reader = Reader(api.parse(docx(xml), name="a.docx"))
    shown = [answers.references(reader, "4", start=start).text for start in (0, 10, 20)]
    beginning = "It refers to 1 place.\nIt is referred to in 25 places.\nrefers to [5. Use, "
    assert shown[0].startswith(beginning)
    assert shown[0].endswith("\n(16 more places: start=10)")
    lines = [line for text in shown for line in text.splitlines()[2:] if line[0] != "("]
    assert [line.split(" [")[0] for line in lines] == ["refers to", *["referred to in"] * 25]
    assert len({*lines}) == 26
    with pytest.raises(UsageError, match="start is 27; there are 26 places"):
        answers.references(reader, "4", start=27)
    (found,) = answers.references(reader, "4", limit=1).objects
    assert (len(found.by), found.left_out) == (25, 0)


def test_a_link_is_a_reference_in_both_directions():
    reader = Reader(api.parse(docx(LINKED)))
    assert [passage.number for passage in reader.references("2").to] == ["1"]
    assert [passage.number for passage in reader.references("1").by] == ["2"]
    for name, other in (("1", "to"), ("2", "by"), ("3", "to"), ("3", "by")):
        assert getattr(reader.references(name), other) == ()


CHUNK = api.parse(PIPES).chunks()[0]


def line_of(reader, index):
    """Return a chunk of one line."""
    place = reader.places.all[index]
    block = reader.document.blocks[place.block].id
    return replace(CHUNK, parts=(Slice(block, place.start, place.end),))


@each_row("retrieval")
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
