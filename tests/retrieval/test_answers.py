"""Answers: short, and within their budget."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from case_files import each_row
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.errors import UnknownNameError, UsageError
from docxchunk.model.document import Issue, IssueCode
from docxchunk.model.options import HeadersFooters, ParseOptions
from docxchunk.retrieval import LEAST_TOKENS, answers
from docxchunk.retrieval.folders.listing import about
from docxchunk.retrieval.reading import Reader

DOCUMENTS = Path(__file__).parents[2] / "fixtures" / "documents"


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture(scope="module")
def readers():
    count = api.tokenizer().count
    return [
        Reader(api.parse(DOCUMENTS / name), count)
        for name in ("contract.docx", "sample-report.docx", "chinese-thesis.docx")
    ]


@settings(max_examples=some(100), deadline=None)
@given(data=st.data())
def test_law_an_answer_is_not_over_its_budget(readers, data):
    reader = data.draw(st.sampled_from(readers), "reader")
    budget = data.draw(st.integers(LEAST_TOKENS, 2000), "budget")
    section = data.draw(st.integers(0, len(reader.places.blocks) - 1), "section")
    name = reader.places.section_name(section)
    view = data.draw(st.sampled_from(["text", "section", "parent", "tables"]), "view")
    assert reader.count(answers.outline(reader, max_tokens=budget).text) <= budget
    answer = answers.read(reader, name, max(budget, 100), view=view).text
    assert reader.count(answer) <= max(budget, 100)


LEVELS = "".join(
    f"<p style='Heading1'>{part} Part</p>"
    + "".join(f"<p style='Heading2'>{part}.{n} Aims and other things</p>" for n in range(1, 9))
    for part in range(1, 6)
)


@pytest.fixture(scope="module")
def levels():
    return Reader(api.parse(docx(LEVELS), name="levels.docx"), words)


def test_every_answer_about_a_document_without_text_is_the_same():
    reader = Reader(api.parse(docx(""), name="empty.docx"))
    for answer in (
        answers.outline(reader),
        answers.documents([reader]),
        answers.find(reader, "rain"),
        answers.define(reader, "Rain"),
        answers.cite(reader, "rain fell for forty days"),
    ):
        assert answer.text == "empty.docx has no text."
    assert answers.outline(reader).is_match
    assert not answers.find(reader, "rain").is_match
    for ask in (answers.read, answers.references):
        with pytest.raises(UnknownNameError, match=r"^empty.docx has no text\.$"):
            ask(reader, "1")


def test_an_outline_leaves_out_the_levels_that_do_not_fit(levels):
    whole = answers.outline(levels, max_tokens=300).text
    assert len(whole.splitlines()) == 45
    assert answers.outline(levels, max_tokens=words(whole)).text == whole
    assert answers.outline(levels, max_tokens=words(whole) - 1).text != whole
    assert answers.outline(levels, max_tokens=50).text.splitlines() == [
        "1 Part (about p. 1, 8 below)",
        "2 Part (8 below)",
        "3 Part (8 below)",
        "4 Part (8 below)",
        "5 Part (8 below)",
        "(not shown: 40 sections below; give a section, or more max_tokens)",
    ]
    assert len(answers.outline(levels, "3", max_tokens=50).text.splitlines()) == 9


def test_an_outline_has_the_page_of_a_section_if_it_is_another_one_than_before():
    turn = "<r><lastRenderedPageBreak/></r>"
    xml = "".join(
        f"<p style='Heading1'>{turn * (title in 'CE')}Part {title}</p><p>Text.</p>"
        for title in "ABCDE"
    )
    reader = Reader(api.parse(docx(xml)), words)
    pages = [line.page for line in reader.outline()]
    assert pages == [1, 1, 2, 2, 3]
    for start, shown in ((0, "1 - 2 - 3"), (1, "1 2 - 3"), (3, "2 3")):
        lines = answers.outline(reader, start=start).text.splitlines()
        assert " ".join(line[-2] if line.endswith(")") else "-" for line in lines) == shown


@pytest.mark.parametrize("below", ["", "<p style='Heading2'>x</p>"])
def test_an_outline_is_read_on_to_its_end_and_no_part_is_over_the_budget(below):
    titles = [f"Title {number:02}{'x' * (number // 10 * 40)}" for number in range(20)]
    flat = "".join(f"<p style='Heading1'>{title}</p>{below}" for title in titles)
    reader = Reader(api.parse(docx(flat)), len)
    shown, start = [], 0
    while start < 20:
        answer = answers.outline(reader, depth=1, start=start, max_tokens=200)
        assert len(answer.text) <= 200 + 16  # a note that there are more is counted as 12
        assert [line.title for line in answer.objects] == titles[
            start : start + len(answer.objects)
        ]
        lines = [line for line in answer.text.splitlines() if line.startswith("Title")]
        assert lines[0].startswith(f"{titles[start]} (about p. 1")
        assert len(lines) == len(answer.objects)
        shown += lines
        start += len(lines)
        assert (f": start={start})" in answer.text) is (start < 20)
    assert [line.partition(" (")[0] for line in shown] == titles


@pytest.mark.parametrize("max_tokens", [0, 49, 8001])
def test_a_budget_has_limits(levels, max_tokens):
    for answer in (answers.outline, lambda reader, **kw: answers.read(reader, "1", **kw)):
        with pytest.raises(UsageError, match=r"it must be 50 to 8,000"):
            answer(levels, max_tokens=max_tokens)


def test_an_answer_has_some_text_even_if_its_citation_is_over_the_budget():
    xml = "<p style='Heading1'>1. Rent</p><p>The rent is due.</p>"
    reader = Reader(api.parse(docx(xml), name=f"{'a ' * 60}.docx"), words)
    citation, text, *_ = answers.read(reader, "1", max_tokens=50).text.splitlines()
    assert words(citation) > 60
    assert text


def test_a_section_is_read_on_to_its_end_with_the_number_of_tokens_that_are_left():
    sentences = " ".join(f"Sentence {number} ends." for number in range(60))
    xml = f"<p style='Heading1'>1. Rent</p><p>{sentences}</p>"
    reader = Reader(api.parse(docx(xml), name="rent.docx"), words)
    shown, note = [], "start=0)"
    while note:
        start = int(note.rpartition("=")[2].strip(")"))
        answer = answers.read(reader, "1", max_tokens=60, start=start).text
        assert words(answer) <= 60
        citation, _, text = answer.partition("\n")
        assert citation == "[rent.docx, 1. Rent, about p. 1, ¶ 1-2]"
        text, _, note = text.partition("\n\n(")
        shown.append(text.removeprefix("# 1. Rent\n\n"))
        left_out = f"{180 - words(' '.join(shown))} more tokens: start="
        assert note.startswith(left_out) is not left_out.startswith("0 ")
    assert " ".join(shown) == sentences


def test_what_was_found_is_shown():
    text = "before " * 100 + "the needle here" + " after" * 100
    reader = Reader(api.parse(docx(f"<p>{text}</p>"), name="x.docx"), words)
    shown = answers.find(reader, "needle").text.splitlines()[1]
    assert "before the needle here after" in shown
    assert shown.endswith("after …")
    assert len(shown) < 350


def test_few_of_many_places_are_cited():
    reader = Reader(api.parse(docx("<p>The Seller delivers pipes.</p>" * 14), name="x.docx"), words)
    lines = answers.cite(reader, "The Seller delivers pipes.").text.splitlines()
    assert (len(lines), lines[-1]) == (12, "(4 more places)")


@each_row("retrieval")
def test_a_title_is_shown_unless_it_is_empty_or_one_of_a_template(levels, title, shown):
    document = replace(levels.document, title=title, name="a/lease.docx")
    line = about(Reader(document, words))
    facts = "45 sections, about 1 page, 255 tokens"
    assert line.title == (shown or "lease")
    assert str(line) == f"a/lease.docx: {f'{shown} ({facts})' if shown else facts}"


@pytest.mark.parametrize("headers", HeadersFooters)
def test_text_that_find_does_not_search_is_named(headers):
    options = ParseOptions(headers_footers=headers)
    source = "<header><p>Draft of May</p></header><p>Two years.</p>"
    reader = Reader(api.parse(docx(source), options=options))
    if headers is HeadersFooters.BODY:
        assert answers.find(reader, "draft of").is_match
        return
    assert answers.find(reader, "draft of").text == (
        "'draft of' does not occur. The file has text of page headers and footers, which was not "
        "searched: it may be there."
    )
    assert (
        answers.find(reader, "the rent of the whole year").text
        == "'the rent of the whole year' does not occur."
    )


def test_answers_about_a_damaged_document_say_so():
    whole = api.parse(docx("<p style='Heading1'>1. Term</p><p>Two years from now.</p>"))
    cut = replace(whole, issues=(Issue(IssueCode.MAIN_PART_CUT, "word/document.xml", "Cut."),))
    warning = "The file is damaged: a part of its text may be lost."
    for document, ending in ((whole, ""), (cut, warning)):
        reader = Reader(document)
        assert about(reader).is_damaged is bool(ending)
        assert str(about(reader)).count("damaged") == bool(ending)
        assert answers.outline(reader).text == f"1. Term (about p. 1)\n{ending}".strip()
        assert answers.find(reader, "rent").text == f"'rent' does not occur. {ending}".strip()
        absent = answers.cite(reader, "the rent of the whole house").text
        assert absent == f"Not found in this document. {ending}".strip()
        assert warning not in answers.cite(reader, "Two years from now").text


@pytest.mark.parametrize(
    ("view", "text"),
    [
        ("final", "Pay 30 days.\n\n(here: {}; tracked changes are read as accepted: deleted text is not shown)"),
        ("original", "Pay 90 days.\n\n(here: {}; tracked changes are read as rejected: inserted text is not shown)"),
        ("all", "Pay {{--90--}}{{++30++}} days.\n\n(here: {})"),
    ],
)  # fmt: skip
def test_answers_say_how_tracked_changes_are_read(view, text, tmp_path):
    source = docx(
        "<p style='Heading1'>1. Term</p><p>Pay <del>90</del><ins>30</ins> days.</p>"
        "<p style='Heading1'>2. Notice</p><p>In writing.</p>"
    )
    here = "2 tracked changes (1 deleted, 1 inserted), by an unknown author"
    document = api.parse(source, options=ParseOptions(track_changes=view), name="a.docx")
    for reader in (Reader(document), Reader(api.read(api.write(document, tmp_path)))):
        assert answers.read(reader, "1").text.endswith(text.format(here))
        assert answers.read(reader, "2").text.endswith("In writing.")
        assert about(reader).changes == 2
        assert ": 2 tracked changes, 2 sections" in str(about(reader))


def test_a_citation_of_a_file_that_has_changed_since_says_so():
    text = "<p style='Heading1'>1. Term</p><p>The lease ends in two years from now.</p>"
    quote = "The lease ends in two years"
    before, after = (
        Reader(api.parse(docx(text + more), name="lease.docx")) for more in ("", "<p>Signed.</p>")
    )
    printed = answers.cite(before, quote).text.splitlines()[1]
    for reader, change in ((before, ""), (after, "; the file has changed since it was cited")):
        sentence = answers.cite(reader, f"{printed} {quote}").text.splitlines()[0]
        assert sentence == f"Found word for word at the place cited{change}."


@each_row("retrieval")
def test_the_sentence_about_a_quotation_tells_whether_a_citation_was_right(quote, sentence):
    text = "The lease ends in two years from now"
    document = api.parse(docx(f"<p style='Heading1'>1. Term</p><p>{text}.</p>"), name="a.docx")
    place = "a.docx, 1. Term, about p. 1, ¶ 2"
    for digest, end in (("0123456789", ", sha256 01234567"), ("", "")):
        reader = Reader(replace(document, source_sha256=digest), words)
        first, *_, last = answers.cite(reader, quote.format(text)).text.splitlines()
        told = sentence.format("between its parts: in two")
        assert (first, last) == (told, f"[{place}{end}]")
