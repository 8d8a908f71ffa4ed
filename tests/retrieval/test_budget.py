"""Texts within a budget: read on, expanded, tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_files import each_row
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.errors import UsageError
from docxchunk.retrieval import answers
from docxchunk.retrieval.finding.passages import fitting
from docxchunk.retrieval.reading import Reader

DOCUMENTS = Path(__file__).parents[2] / "fixtures" / "documents"
PRICES = docx(
    "<p style='Heading1'>1 Prices</p><p>The Seller shall deliver:</p><p>(a) pipes;</p><p>(b) taps.</p>"
    "<p style='Caption'>Table 1: Prices</p>"
    "<tbl><tr header='1'><tc>Pipe</tc><tc>Price</tc></tr>"
    + "".join(f"<tr><tc>pipe {number}</tc><tc>{number} euros</tc></tr>" for number in range(9))
    + "</tbl><p>Prices are net.</p>"
    "<p style='Heading2'>1.1 Rebates</p>"
    "<tbl><tr><tc span='2'>merged</tc></tr><tr><tc>a</tc><tc>b</tc></tr></tbl>"
    "<p>There are no rebates.</p>"
    "<p style='Heading1'>2 Law</p><p>German law.</p>"
)


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture(scope="module")
def prices():
    return Reader(api.parse(PRICES, name="prices.docx"), words)


@pytest.fixture(scope="module")
def contract():
    return Reader(api.parse(DOCUMENTS / "contract.docx"), words)


@settings(max_examples=some(300))
@given(
    text=st.text(st.sampled_from("ab .|\n"), max_size=200).map(str.strip),
    budget=st.integers(1, 40),
    count=st.sampled_from([words, len, lambda text: len(text.encode())]),
)
def test_law_a_text_is_read_on_to_its_end_and_no_part_is_over_the_budget(text, budget, count):
    parts, start = [], 0
    while start < len(text):
        end = fitting(text, start, budget, count)
        assert end > start
        parts.append(text[start:end])
        assert count(parts[-1].strip()) <= budget or end == start + 1
        start = end
    assert "".join(parts) == text


@each_row("retrieval", budget=int)
def test_a_text_is_cut_after_a_sentence_a_line_or_a_row_that_is_half_of_what_fits(
    text, budget, shown
):
    for before in ("", "ab\ncd. "):
        at = len(before)
        assert (before + text)[at : fitting(before + text, at, budget, len)] == shown


def test_a_row_is_not_cut(prices):
    (first, second) = prices.tables_under("1", max_tokens=30)
    assert first.text.splitlines() == [
        "Table 1: Prices",
        "",
        "| Pipe | Price |",
        "| --- | --- |",
        "| pipe 0 | 0 euros |",
        "| pipe 1 | 1 euros |",
    ]
    assert first.left_out > 0
    assert (second.text, second.number) == ("", "1.1")
    assert second.left_out > 0


def test_the_tables_of_a_section(prices):
    (merged,) = prices.tables_under("1.1")
    assert merged.text == "| merged | merged |\n| --- | --- |\n| a | b |"
    assert merged.place == "1.1 Rebates, about p. 1, ¶ 9"
    assert prices.tables_under("2") == []
    assert len(prices.tables_under("1")) == 2


def test_what_stands_around_a_place(prices):
    assert prices.expand("1.1").text.startswith("## 1.1 Rebates\n\n| merged | merged |")
    around = prices.expand("1(a)", max_tokens=9)
    assert around.text == "The Seller shall deliver:\n\n(a) pipes;\n\n(b) taps."
    assert prices.expand("1(a)", max_tokens=3).text == "(a) pipes;"
    parent = prices.expand("1.1", to="parent", max_tokens=1000)
    assert parent.text.startswith("# 1 Prices")
    assert "German law" not in parent.text
    assert (parent.left_out, parent.section) == (0, "")
    nothing = prices.expand("1.1", max_tokens=0)
    assert (nothing.text, nothing.section) == ("", "1.1")


LETTERS = docx(
    f"<p style='Heading1'>X</p>{''.join(f'<p>{letter}</p>' for letter in 'abcdefg')}"
    "<p style='Heading1'>Y</p><p>z</p>"
)


@each_row("retrieval", budget=int)
def test_as_many_lines_around_an_item_as_fit(item, budget, shown):
    passage = Reader(api.parse(LETTERS), words).expand(item, max_tokens=budget)
    assert "".join(passage.text.split()) == shown


@pytest.mark.parametrize("view", ["section", "parent"])
def test_a_part_of_a_section_names_the_section_to_read(contract, view):
    answer = answers.read(contract, "4(a)", max_tokens=60, view=view)
    (passage,) = answer.objects
    note = f"({passage.left_out} more tokens of the section: read '4')"
    assert answer.text.endswith(f"\n\n{note}")
    whole = contract.read(passage.section, max_tokens=2000)
    assert words(whole.text) == words(passage.text) + passage.left_out
    assert contract.cite(f"{passage.text.splitlines()[-1]}\n\n{note}").is_found
    assert "more tokens" not in answers.read(contract, "4(a)", max_tokens=2000, view=view).text


@settings(max_examples=some(100), deadline=None)
@given(data=st.data())
def test_law_the_text_around_a_chunk_is_within_the_budget_and_the_rest_is_counted(contract, data):
    chunk = data.draw(st.sampled_from(contract.document.chunks(max_tokens=200)), "chunk")
    budget = data.draw(st.integers(50, 3000), "budget")
    to = data.draw(st.sampled_from(["section", "parent"]), "to")
    passage = contract.expand(chunk, to=to, max_tokens=budget)
    assert words(passage.text) <= budget
    if passage.section:
        section = contract.read(passage.section, 100_000).text
        assert words(section) <= words(passage.text) + passage.left_out


def test_an_item_of_another_document_is_refused(prices, contract):
    chunk = contract.document.chunks(max_tokens=200)[0]
    with pytest.raises(UsageError, match=r"has no text of prices\.docx"):
        prices.expand(chunk)


def test_the_line_that_introduces_a_list(prices):
    document = prices.document
    units = document.units(document.chunks(max_tokens=64), longest=20)
    leads = {prices.lead_in(unit) for unit in units if unit.content.startswith("(a)")}
    assert leads == {"The Seller shall deliver:"}


def test_the_number_of_tables_that_are_not_shown_is_told(prices):
    lines = answers.read(prices, "1", max_tokens=50, view="tables").text.splitlines()
    assert lines[0].startswith("[prices.docx, 1 Prices")
    assert lines[-1] == "(not shown: 1 table)"
    assert answers.read(prices, "2", view="tables").text == "There are no tables."
