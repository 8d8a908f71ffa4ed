"""Units: laws over random documents, and what units of a real table and clause are."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from chunking.makers import WORDS, block, document, html_table, tag
from chunking.makers import table as made_table
from examples import some
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.chunking.diff import Action, diff
from docxchunk.chunking.search_units import units_of
from docxchunk.content.tables import tables
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Slice, SliceRole, UnitKind
from docxchunk.model.document import Document
from docxchunk.testing import hypothesis_strategies

PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
TOKENIZER = api.tokenizer(len)
EQUATION = '<equation format="latex">a + b</equation>'
REPORT = Path(__file__).parents[2] / "fixtures" / "documents" / "sample-report.docx"


@settings(max_examples=some(80), deadline=None, phases=PHASES)
@given(
    hypothesis_strategies.DOCUMENTS,
    st.integers(64, 4000),
    st.sampled_from(("json", "markdown", "html", "text")),
    st.sampled_from(("P", "R", "MG")),
)
def test_units_have_every_letter_of_their_chunks_and_no_other(document, size, form, strategy):
    chunks = api.chunk(
        document, max_tokens=size, overlap=16, tables=form, strategy=strategy, tokenizer=len
    )
    units = units_of(document, chunks, TOKENIZER)
    assert len({unit.unit_id for unit in units}) == len(units)
    contents = {block.id: block.content for block in document.blocks}
    own = {(chunk.chunk_id, place) for chunk in chunks for place in _letters(chunk, contents)}
    covered = set()
    for unit in units:
        places = {(unit.chunk_id, place) for place in _letters(unit, contents)}
        assert places <= own
        covered |= places
        assert (
            "".join(
                part.text if not isinstance(part, Slice) else _shown(part, contents)
                for part in unit.parts
            )
            == unit.content
        )
    blocks = {block.id: block for block in document.blocks}
    missed = {
        (chunk, block, place)
        for chunk, (block, place) in own - covered
        if chunk in {each.chunk_id for each in chunks if not each.children}
        and place >= _heading_end(blocks[block])
    }
    assert not missed


def _letters(made, contents):
    return {
        (part.block, place)
        for part in made.parts
        if isinstance(part, Slice) and part.role not in (SliceRole.OVERLAP, SliceRole.BRIDGE)
        for place in range(part.start, part.end)
        if contents[part.block][place].isalnum() and not _in_table(contents[part.block], place)
    }


def _shown(part, contents):
    return contents[part.block][part.start : part.end] if part.shown is None else part.shown


def _heading_end(block):
    return block.content.find("\n") % (len(block.content) + 1) if block.heading else 0


def _in_table(content, place):
    return any(table.start <= place < table.end for table in _tables(content))


_tables = lru_cache(tables)


@settings(max_examples=some(60), deadline=None)
@given(hypothesis_strategies.DOCUMENTS, st.integers(50, 900))
def test_no_unit_of_text_is_much_longer_than_the_limit(document, longest):
    chunks = api.chunk(document, tokenizer=len, max_tokens=4000)
    for unit in units_of(document, chunks, TOKENIZER, longest):
        if unit.kind is UnitKind.TEXT:
            size = max(part.end - part.start for part in unit.parts if isinstance(part, Slice))
            assert size <= 2 * longest + 400  # an equation or picture is not cut


@settings(max_examples=some(40), deadline=None)
@given(hypothesis_strategies.DOCUMENTS, st.data())
def test_after_an_edit_of_a_block_only_texts_of_this_block_are_embedded(document, data):
    edited = data.draw(st.sampled_from(range(len(document.blocks))))
    blocks = list(document.blocks)
    blocks[edited] = replace(
        blocks[edited],
        id=f"{blocks[edited].id}-edited",
        content=blocks[edited].content + "\nAnother line.",
        lines=(),
    )
    before, after = (
        units_of(each, api.chunk(each, strategy="paragraph", tokenizer=len), TOKENIZER)
        for each in (document, replace(document, blocks=tuple(blocks)))
    )
    own = Counter(unit.index_text for unit in after if unit.section_id == blocks[edited].id)
    assert Counter(_embedded(before, after)) <= own


def _embedded(before, after):
    return [
        action.record.index_text
        for action in diff(before, after).actions
        if action.action is Action.UPSERT
    ]


@pytest.fixture(scope="module")
def report():
    return api.parse(REPORT)


def test_a_row_is_read_with_its_header_and_searched_by_name(report):
    units = units_of(report, api.chunk(report), api.tokenizer())
    row = next(unit for unit in units if "October" in unit.content and unit.kind is UnitKind.ROW)
    header, values = row.content.split("\n")
    assert (header, values) == (
        "Month | Rain (mm) | Expected (m³) | Used (m³)",
        "October | 104 | 50.9 | 44.6",
    )
    assert row.index_text.splitlines()[-1] == (
        "Month: October; Rain (mm): 104; Expected (m³): 50.9; Used (m³): 44.6"
    )
    assert row.citation == "sample-report.docx, 3 Results > 3.1 Rain and use by month, p. 3, ¶ 34"


def test_a_cell_of_the_header_that_spans_a_row_is_no_value_of_it():
    head = '<tr><th rowspan="2">Site</th><th>2023</th></tr>'
    rows = f"{head}<tr><td>1</td></tr><tr><td>West</td><td>2</td></tr>"
    table = html_table("t", rows, 3, f"<thead>{head}</thead>")
    source = document(block("", tag(table), 0), tables=[table])
    units = units_of(source, api.chunk(source), TOKENIZER)
    indexed = [unit.index_text for unit in units if unit.kind is UnitKind.ROW]
    assert indexed == ["2023: 1", "Site: West; 2023: 2"]


@pytest.mark.parametrize(
    ("rows", "header_rows", "indexed"),
    [
        ([["a", "", " b ", "b", "a"]], 0, ["a; b; a"]),
        (
            [["Item", "Price"], ["Valve", "12"], ["", "13"]],
            1,
            ["Item: Valve; Price: 12", "Price: 13"],
        ),
        ([["Item", ""], ["Valve", "12"]], 1, ["Item: Valve; 12"]),
        ([["", "Item"], ["1", "Valve"], ["2", "Pump"]], 1, ["1; Item: Valve", "2; Item: Pump"]),
        (
            [["A", "A", "B"], ["1", "1", "1"], ["1", "2", "1"]],
            1,
            ["A: 1; B: 1", "A: 1; A: 2; B: 1"],
        ),
        ([["Item", "Price"], ["Valve", "12"]], 2, ["Item; Price", "Valve; 12"]),
    ],
)
def test_a_row_is_searched_with_the_names_of_its_columns(rows, header_rows, indexed):
    """An empty cell is left out, a merged one is written once. If all rows are header rows, they
    are rows like others.
    """
    table = made_table("t", rows, header_rows)
    source = document(block("", tag(table), 0), tables=[table])
    units = units_of(source, api.chunk(source), TOKENIZER)
    assert [unit.index_text for unit in units if unit.kind is UnitKind.ROW] == indexed


@pytest.mark.parametrize("size", [32, 64, 100, 4000])
def test_a_sentence_or_row_in_several_chunks_is_a_unit_of_one(size):
    rows = [["name", "amount"], *([f"row {n}", str(n)] for n in range(30))]
    table = made_table("t", rows, header_rows=1)
    sentences = [f"Sentence {n} of a long line." for n in range(30)]
    below = [f"Sentence {n} below the table." for n in range(30)]
    source = document(
        block("H", f"{' '.join(sentences)}\n{tag(table)}\n{' '.join(below)}"), tables=[table]
    )
    chunks = api.chunk(source, max_tokens=size, overlap=8, tokenizer=WORDS.count)
    assert sum(text in chunk.content for chunk in chunks for text in sentences) > 30 or size > 100
    assert [unit.content for unit in units_of(source, chunks, TOKENIZER, 40)] == [
        *sentences,
        *("name | amount\n" + " | ".join(row) for row in rows[1:]),
        *below,
    ]


def test_a_table_that_the_document_does_not_list_is_text():
    source = document(block("", '<table id="t" format="json">[["a"]]</table>', 0))
    units = units_of(source, api.chunk(source), TOKENIZER)
    assert [(unit.kind, unit.content) for unit in units] == [(UnitKind.TEXT, '[["a"]]')]


def test_the_caption_of_a_table_or_picture_is_a_unit():
    """The units of the table are searched with it, too."""
    table = replace(made_table("t", [["a"], ["b"]]), caption="Table 1. Costs")
    source = document(
        block("H", f"One.\nTwo.\nTable 1. Costs\n{tag(table)}\nThree.\nTable 1. Costs"),
        tables=[table],
    )
    units = units_of(source, api.chunk(source), TOKENIZER)
    assert [(unit.kind.value, unit.content, unit.index_text) for unit in units] == [
        ("text", "One.\nTwo.", "H\nOne.\nTwo."),
        ("caption", "Table 1. Costs", "H\nTable 1. Costs"),
        ("table", "a\nb", "H\nTable 1. Costs\na\nb"),
        ("row", "a", "H\nTable 1. Costs\na"),
        ("row", "b", "H\nTable 1. Costs\nb"),
        ("text", "Three.", "H\nThree."),
        ("caption", "Table 1. Costs", "H\nTable 1. Costs"),
    ]


def test_a_row_without_text_is_no_unit():
    table = made_table("t", [["Item", "Price"], ["", " "], ["Valve", ""]], 1)
    source = document(block("", tag(table), 0), tables=[table])
    units = units_of(source, api.chunk(source), TOKENIZER)
    assert [unit.content for unit in units] == ["Item | Price\nValve | "]


def test_units_are_those_of_the_smallest_chunks():
    source = document(block("", " ".join(f"Sentence {n} ends." for n in range(40)), 0))
    chunks = api.chunk(source, strategy="MG", max_tokens=64, overlap=0, tokenizer=WORDS.count)
    units = units_of(source, chunks, TOKENIZER)
    assert " ".join(unit.content for unit in units) == source.blocks[0].content
    assert {unit.chunk_id for unit in units} == {
        chunk.chunk_id for chunk in chunks if not chunk.children
    }


def test_the_id_of_a_unit_is_a_hash_of_its_document_path_kind_and_text():
    """The ids of equal units also have their number, from the second one on."""
    source = document(block("A", "Same.\nSame."))
    units = units_of(source, api.chunk(source), TOKENIZER, 5)
    text = hashlib.md5(b"doc-made\x1fA\x1ftext\x1fSame.", usedforsecurity=False).hexdigest()
    again = hashlib.md5(f"{text}\x1f2".encode(), usedforsecurity=False).hexdigest()
    assert [unit.unit_id for unit in units] == [f"unit-{text}", f"unit-{again}"]
    assert [unit.parts for unit in units] == [
        (Slice("id-A-", 4, 9),),
        (Slice("id-A-", 10, 15),),
    ]


@settings(max_examples=some(60), deadline=None)
@given(
    st.lists(
        st.sampled_from(["word", "words ", "x" * 90, EQUATION, "第一章", " "]), max_size=40
    ).map("".join),
    st.integers(10, 60),
)
@example("x" * 30 + EQUATION * 2, 20)
@example("words  " * 20, 20)
@example("words  " * 20, 21)
def test_a_long_sentence_is_cut_between_words_or_else_anywhere_but_in_equations(text, longest):
    content = f"First line.\nGo {text}"
    source = Document("a.docx", "docx", "doc", "", (Block("b", content, "", (), 0),))
    chunks = api.chunk(source, tokenizer=len, max_tokens=8000)
    units = units_of(source, chunks, TOKENIZER, longest)
    shown = [content[part.start : part.end] for unit in units for part in unit.parts]
    assert "".join("".join(shown).split()) == "".join(content.split())
    for piece in shown:
        assert piece.count("<equation") == piece.count("</equation") == piece.count(EQUATION)
        assert len(piece) <= 2 * longest or EQUATION in piece
        assert piece == piece.strip() != ""
