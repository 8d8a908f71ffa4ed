"""Texts within a budget: read on, expanded, tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.errors import UsageError
from docxchunk.model.chunks import Added, AddedRole, Slice
from docxchunk.model.document import Items
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


def test_a_long_sentence_is_cut_between_words():
    text = "Aims. " + " ".join(f"word{number}" for number in range(100))
    assert text[: fitting(text, 0, 20, words)].split()[-1] == "word18"
    assert text[: fitting(text, 0, 1, words)] == "Aims. "
    text = f"{'x' * 50} Aims and words here. And more words."
    assert text[51 : fitting(text, 51, 6, words)] == "Aims and words here."


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


def test_a_text_of_very_long_words_is_not_cut_in_a_word_that_does_not_fit():
    """A token is thought to have at most sixteen characters."""
    assert fitting(f"{'x' * 20} {'y' * 20} z", 0, 2, words) == 21
    assert fitting(f"{'x' * 20} y z", 0, 2, words) == 23
    for start in (0, 2):
        assert fitting("x" * 40, start, 1, words) == start + 16
        assert fitting("x" * 40, start, 1, lambda text: 2 * len(text)) == start + 1


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


def test_a_table_after_one_that_was_cut_has_no_text_although_it_would_fit():
    small = "<tbl><tr><tc>a</tc></tr></tbl>"
    row = f"<tr><tc>{'word ' * 16}</tc></tr>"
    source = docx(f"<p style='Heading1'>1 A</p>{small}<p/><tbl>{row * 4}</tbl><p/>{small}")
    reader = Reader(api.parse(source), words)
    tables = reader.tables_under("1", max_tokens=60)
    assert [bool(table.text) for table in tables] == [True, True, False]
    assert [bool(table.left_out) for table in tables] == [False, True, True]


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


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("¶ 2", "a a #Xa #Xab #Xabc #Xabcd #Xabcde #Xabcdef #Xabcdefg #Xabcdefg"),
        ("¶ 5", "d cd cde bcde bcdef abcdef abcdefg abcdefg #Xabcdefg #Xabcdefg"),
        ("¶ 8", "g fg efg defg cdefg bcdefg abcdefg abcdefg #Xabcdefg #Xabcdefg"),
        ("X", "# #X #Xa #Xab #Xabc #Xabcd #Xabcde #Xabcdef #Xabcdefg #Xabcdefg"),
    ],
)
def test_lines_before_and_after_a_place_are_added_in_turn_while_they_fit(name, shown):
    lines = "".join(f"<p>{letter}</p>" for letter in "abcdefg")
    source = f"<p style='Heading1'>X</p>{lines}<p style='Heading1'>Y</p><p>z</p>"
    reader = Reader(api.parse(docx(source)), words)
    for budget, text in enumerate(shown.split(), 1):
        (passage,) = reader.expand(name, max_tokens=budget)
        assert "".join(passage.text.split()) == text


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


@pytest.mark.parametrize(
    ("lines", "more", "budget", "shown"),
    [
        ("c", 0, 2, "bc"),
        ("c", 1, 2, "bc"),  # with the end of its line
        ("c", 2, 2, "cd"),  # with a character of the next one
        ("bd", 0, 3, "bcd"),
        ("db", 0, 4, "abcd"),  # as with repeated text before
        ("gz", 0, 4, "g#Yz"),
    ],
)
def test_an_item_is_the_text_from_its_first_to_its_last_line(lines, more, budget, shown):
    reader = Reader(api.parse(LETTERS), words)
    at = {place.text: place for place in reader.places.all}
    parts = [
        Slice(reader.document.blocks[at[line].block].id, at[line].start, at[line].end + more)
        for line in lines
    ]
    chunk, *_ = reader.document.chunks()
    header = Added("| A |", AddedRole.HEADER)
    (passage,) = reader.expand(replace(chunk, parts=(header, *parts)), max_tokens=budget)
    assert "".join(passage.text.split()) == shown


def test_a_text_with_a_table_keeps_the_marks_of_the_lines_after_it():
    rows = "".join(f"<tr><tc>{letter}</tc></tr>" for letter in "abc")
    source = docx(
        "<numbering><list id='1'><level text='(%1)'/></list></numbering>"
        f"<p style='Heading1'>1. Pay</p><tbl>{rows}</tbl><p num='1:0'>Cash.</p><p>At once.</p>"
    )
    assert Reader(api.parse(source), words).read("1").text == (
        "# 1. Pay\n\n| a |\n| --- |\n| b |\n| c |\n\n- (1) Cash.\n\nAt once."
    )


@pytest.mark.parametrize(
    ("clause", "section", "parent"),
    [
        ("2", "2 Rent", "2 Rent"),
        ("2.1", "2 Rent", "2 Rent"),
        ("2.1.1", "2.1.1 Pay", "2 Rent"),
        ("2.1.2", "2 Rent", "2 Rent"),
        ("2.2", "2.2 Ask", "2 Rent"),
        ("2.2.1", "2.2.1 Wait", "2.2 Ask"),
        # without any title above, the numbers count
        ("3.1.1", "3.1.1", "3.1"),
        ("3", "3", "3"),
    ],
)
def test_the_section_around_a_clause_has_a_title(clause, section, parent):
    titles = ("2 Rent", "2.1", "2.1.1 Pay", "2.1.2", "2.2 Ask", "2.2.1 Wait", "3", "3.1", "3.1.1")
    xml = "".join(
        f"<p style='Heading{1 + title.count('.')}'>{title}</p><p>Text.</p>" for title in titles
    )
    reader = Reader(api.parse(docx(xml)), words)
    for to, title in (("section", section), ("parent", parent)):
        (passage,) = reader.expand(clause, to=to)
        assert passage.text.splitlines()[0].lstrip("# ") == title


def test_the_rows_of_a_table_that_is_stored_in_part_are_lines(prices):
    tables = {
        key: replace(table, content='[["Pipe", "Price"]]')
        for key, table in prices.document.tables.items()
    }
    reader = Reader(replace(prices.document, tables=Items(tables)), words)
    assert "\n\npipe 5 | 5 euros\n\npipe 6 | 6 euros\n\n" in answers.read(reader, "1").text


@pytest.mark.parametrize(
    ("items", "budget", "left_out"),
    [
        ("¶ 5", 9, [0]),
        ("¶ 5", 4, [5]),  # the heading is two words
        ("X", 1, [8]),  # within a line
        ("¶ 3; ¶ 5", 4, [5, 5]),  # what neither passage shows
        ("¶ 3; Y", 8, [6, 0]),
    ],
)
def test_texts_around_items_tell_what_is_left_out_of_their_section(items, budget, left_out):
    reader = Reader(api.parse(LETTERS), words)
    passages = reader.expand(*items.split("; "), max_tokens=budget)
    assert [passage.left_out for passage in passages] == left_out
    assert [passage.section for passage in passages] == ["X" if left else "" for left in left_out]
    assert [passage.next for passage in passages] == [None] * len(passages)


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


def test_rows_around_a_row_have_the_header(prices):
    document = prices.document
    row = next(
        unit
        for unit in document.units(document.chunks(max_tokens=256))
        if unit.content.endswith("pipe 5 | 5 euros")
    )
    (around,) = prices.expand(row, max_tokens=35)
    assert around.text.splitlines() == [
        "| Pipe | Price |",
        "| --- | --- |",
        "| pipe 4 | 4 euros |",
        "| pipe 5 | 5 euros |",
        "| pipe 6 | 6 euros |",
    ]


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


def test_a_table_without_text_has_no_caption(prices):
    table, _ = prices.tables_under("1", max_tokens=6)
    assert table.text == ""
    assert table.left_out == words(prices.tables_under("1")[0].text) - len(
        "Table 1: Prices".split()
    )


def test_the_number_of_tables_that_are_not_shown_is_told(prices):
    lines = answers.read(prices, "1", max_tokens=50, view="tables").text.splitlines()
    assert lines[0].startswith("[prices.docx, 1 Prices")
    assert lines[-1] == "(not shown: 1 table)"
    assert answers.read(prices, "2", view="tables").text == "There are no tables."
