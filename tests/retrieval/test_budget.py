"""Texts within a budget: read on, expanded, tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.errors import UsageError
from docxchunk.retrieval import answers
from docxchunk.retrieval.passages import fitting
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


@pytest.mark.parametrize(
    ("text", "budget", "shown"),
    [
        ("ab cd", 5, "ab cd"),
        ("ab cd", 4, "ab "),
        ("ab cd", 1, "a"),  # a long word, between characters
        ("abcd ef", 3, "abc"),
        ("ab cd", 0, ""),
        # a sentence, a line or a row, if it is at least half of what fits
        ("Aims. Abc fghijk", 10, "Aims."),
        ("Aims. Abcd fghijk", 11, "Aims. Abcd "),
        ("Aims\nabcd fghijk", 10, "Aims\n"),
        ("Aims\nabcde fghijk", 11, "Aims\nabcde "),
        ("Aims. Ends. Goes on.", 19, "Aims. Ends."),
        ("Aims\nEnds. Goes on.", 18, "Aims\nEnds."),
        # but not a sentence in a row
        ("| a | b |\n| Pipes. Of steel and more. | x |\n", 20, "| a | b |\n"),
        ("a | b |\nPipes. Of steel and more. | x", 20, "a | b |\nPipes."),
    ],
)
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
    (section,) = prices.expand("1.1")
    assert section.text.startswith("## 1.1 Rebates\n\n| merged | merged |")
    (around,) = prices.expand("1(a)", max_tokens=9)
    assert around.text == "The Seller shall deliver:\n\n(a) pipes;\n\n(b) taps."
    (alone,) = prices.expand("1(a)", max_tokens=3)
    assert alone.text == "(a) pipes;"
    (parent,) = prices.expand("1.1", to="parent", max_tokens=1000)
    assert parent.text.startswith("# 1 Prices")
    assert "German law" not in parent.text


LETTERS = docx(
    f"<p style='Heading1'>X</p>{''.join(f'<p>{letter}</p>' for letter in 'abcdefg')}"
    "<p style='Heading1'>Y</p><p>z</p>"
)


@pytest.mark.parametrize(
    ("items", "budget", "shown"),
    [
        ("¶ 3; ¶ 5", 4, "ab cd"),
        ("¶ 5; ¶ 3", 4, "ab cd"),  # in the order of the document
        ("Y; X", 8, "#Xabc #Yz"),
        ("X; X", 5, "#X abc"),  # nothing twice
        ("¶ 4; ¶ 4", 4, "bc"),
        ("¶ 4; ¶ 4; Y", 9, "bcd #Yz"),  # an item after one that is shown
        ("¶ 4; ¶ 3-6", 8, "abcd efg"),  # what is left of an item
        ("¶ 4; ¶ 2-8", 4, "a bc"),
        ("X; Y; ¶ 3", 2, "b #"),  # an item without a token, and those after it
        ("X through Y, p. 1", 12, "#Xabcdefg#Yz"),  # an item of two sections
        ("X through Y, p. 1", 11, "#Xabcdefg#Y"),
        ("¶ 7-9", 6, "defg#Y"),
        ("¶ 7; ¶ 7-9", 6, "efg #Y"),
    ],
)
def test_the_texts_around_items_share_the_tokens_and_nothing_is_shown_twice(items, budget, shown):
    reader = Reader(api.parse(LETTERS), words)
    passages = reader.expand(*items.split("; "), max_tokens=budget)
    assert ["".join(passage.text.split()) for passage in passages] == shown.split()


@pytest.mark.parametrize("view", ["section", "parent"])
def test_a_part_of_a_section_names_the_section_to_read(contract, view):
    answer = answers.read(contract, "4(a)", max_tokens=60, view=view)
    (passage,) = answer.objects
    note = f"({passage.left_out} more tokens of the section: read '4')"
    assert answer.text.endswith(f"\n\n{note}")
    whole = contract.read(passage.section, max_tokens=2000)
    assert words(whole.text) == words(passage.text) + passage.left_out
    assert contract.check(f"{passage.text.splitlines()[-1]}\n\n{note}").is_found
    assert "more tokens" not in answers.read(contract, "4(a)", max_tokens=2000, view=view).text


@settings(max_examples=some(100), deadline=None)
@given(data=st.data())
def test_laws_of_expansion(contract, data):
    """The answers are within the budget, in order, without a line twice, and have the items."""
    document = contract.document
    chunks = document.chunks(max_tokens=200)
    items = data.draw(st.lists(st.sampled_from(chunks), min_size=1, max_size=4), "items")
    budget = data.draw(st.integers(1, 3000), "budget")
    to = data.draw(st.sampled_from(["section", "parent"]), "to")
    passages = contract.expand(*items, to=to, max_tokens=budget)
    assert sum(words(passage.text) for passage in passages) <= budget
    lines = [line for passage in passages for line in passage.text.split("\n\n")]
    if budget > 1000:
        texts = [place.text for place in contract.places.all if words(place.text) > 12]
        shown = "\n".join(lines)
        assert max(map(shown.count, texts)) <= max(map(contract_text(contract).count, texts))


def contract_text(reader: Reader) -> str:
    return "\n".join(place.text for place in reader.places.all)


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
