"""Staged chunking (docs/design/staged-chunking.md): P-staged."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest
from chunking import makers
from chunking.makers import WORDS, block, document, html_table, table, tag, words

from docxchunk.chunking import ChunkLimits, PStaged, R, run, table_stages
from docxchunk.chunking.cutting import Cutter
from docxchunk.chunking.paragraph_semantic import share_of
from docxchunk.chunking.pieces import Span
from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.model.blocks import SessionType
from docxchunk.model.chunks import TableRole

ROW = [words(15, "cell"), words(15, "cell")]  # 30 words and 9 marks: 39 tokens with its comma


def chunked(made, size=2000, overlap=100, **settings):
    return makers.staged(made, size, overlap, **settings)


def big(identifier, rows=100, header_rows=0):
    return table(
        identifier,
        [["Name", "Value"]] * header_rows + [[f"a{n} {ROW[0]}", ROW[1]] for n in range(rows)],
        header_rows,
    )


def texts(result):
    return [chunk.content for chunk in result.chunks]


# Thresholds


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (2000, (1500, 1250, 750, 400, 250)),
        (8000, (6000, 5000, 3000, 1600, 1000)),
        (100, (75, 62, 37, 19, 12)),
        (32, (24, 20, 12, 6, 4)),
    ],
)
def test_thresholds(size, expected):
    merging, tables = PStaged().merge_sizes(size), PStaged().table_sizes(size)
    sizes = (merging.ideal, tables.max_tokens, tables.ideal, tables.least_last, merging.small_tail)
    assert sizes == expected


@pytest.mark.parametrize(
    ("share", "tokens", "expected"),
    [(0.01, 99, 1), (0.01, 199, 1), (0.29, 100, 29)],  # 28.999999999999996
)
def test_a_share_is_rounded_down_to_1_or_more_tokens(share, tokens, expected):
    assert share_of(share, tokens) == expected


def test_the_ideal_size_of_slices_is_at_most_table_max():
    assert PStaged(table_max=0.1).table_sizes(1000).ideal == 100


# Stage B: tables


def test_html_is_sliced_between_rows_and_nested_tables_stay_whole():
    inner = "<table><tr><td>in</td></tr></table>"
    body = "".join(f"<tr><td>{words(20, f'r{n}')}</td><td>{inner}</td></tr>" for n in range(60))
    made = html_table("t", body, 60)
    result = chunked(document(block("H", tag(made)), tables=[made]))
    assert len(result.chunks) > 1
    assert sum(text.count("<tr><td>r") for text in texts(result)) == 60
    assert all(text.count("<table") == text.count("</table>") for text in texts(result))


@pytest.mark.parametrize(
    "body",
    [
        json.dumps([ROW] * 100),
        "".join(f"<tr><td>{ROW[0]}</td><td>{ROW[1]}</td></tr>" for _ in range(100)),
    ],
)
def test_the_format_of_a_table_that_declares_none_is_inferred_from_its_body(body):
    result = chunked(document(block("H", f'<table id="t">{body}</table>')))
    assert len(result.chunks) > 2
    assert all('<table id="t">' in text and text.endswith("</table>") for text in texts(result))


def test_header_rows_are_not_repeated_if_disabled():
    made = big("t", 100, header_rows=1)
    chunks = chunked(
        document(block("H", tag(made)), tables=[made]), repeat_table_headers=False
    ).chunks
    assert sum('["Name","Value"]' in chunk.content for chunk in chunks) == 1


@pytest.mark.parametrize(
    ("confidence", "least", "is_repeated"),
    [(0.6, 0.6, True), (0.59, 0.6, False), (0.99, 1, False), (None, 0.6, False), (None, 0.5, True)],
)
def test_an_inferred_header_is_repeated_from_a_minimum_confidence(confidence, least, is_repeated):
    made = replace(
        big("t", 100, header_rows=1),
        header=None,
        header_guess='[["Name","Value"]]',
        header_confidence=confidence,
    )
    chunks = chunked(document(block("H", tag(made)), tables=[made]), guessed_headers=least).chunks
    assert sum('["Name","Value"]' in chunk.content for chunk in chunks) == (
        len(chunks) if is_repeated else 1
    )


# Stage B.1: bridges


def bridged(count, overlap=100, size=2000):
    one, two = big("t1", 60), big("t2", 60)
    body = f"{tag(one)}\n{' '.join(f'b{n}' for n in range(count))}\n{tag(two)}"
    chunks = chunked(document(block("H", body), tables=[one, two]), size, overlap).chunks
    return [
        {int(word[1:]) for word in chunk.content.split() if word[0] == "b" and word[1:].isdigit()}
        for chunk in chunks
    ], chunks


def test_a_short_bridge_is_shown_whole_on_both_sides():
    held, chunks = bridged(80)
    assert [numbers for numbers in held if numbers] == [set(range(80))] * 2
    assert chunks[[*map(bool, held)].index(True)].tables[-1].role is TableRole.LAST


class Letters:
    name = fingerprint = "letters"
    additive_over_newlines = False

    def count(self, text):
        return len(text)


def edges(text, budget, whole=()):
    ruler, span = Ruler(Meter(Letters()), text), Span(text, len(text), 0, 0, len(text))
    cuts = Cutter(ruler, max(budget // 5, 2), whole).atoms(0, len(text))[1:]
    return table_stages._edges(ruler, span, cuts, budget, budget)


def test_a_bridge_has_whole_letters_within_the_budget():
    text = "e\u0301" * 20
    for budget in range(2, 40):
        end, start = edges(text, budget)
        assert end % 2 == start % 2 == 0
        assert budget * 4 // 5 - 1 <= end <= budget
        assert len(text) - budget <= start <= len(text) - budget * 4 // 5 + 1


A20 = "a" * 20


@pytest.mark.parametrize(
    ("text", "whole", "expected"),
    [
        (A20, [], (20, 0)),  # it fits
        (A20 + "a", [], (20, 4)),
        ("aaaaaaaaaaaaaaaa. B bbbbbb", [], (18, 8)),  # the end of a sentence
        ("bbbb b. Aaaaaaaaaaaaaaaaaa", [], (20, 8)),
        ("aaaaaaaaaaaa. Aaa b bbbbbb", [], (20, 8)),  # of a word
        ("aaaaaaaaaaaaaaaa bbbbbbbb", [], (17, 8)),
        ("aaaaaaaaaaaaaaa bbbbbbbbb", [], (16, 8)),
        ("aaaaaaaaaaaaaa bbbbbbbbbb", [], (19, 8)),  # a fifth is not given up
        ("aaaaaaaaaaaaaaaa。。b bbbbb", [], (18, 8)),
        ("aaaaaaaaaaaaaaaa\nb bbbbbb", [], (17, 8)),
        (A20 + "aaaaaa", [(18, 22)], (18, 8)),
        (A20 + "aaaaaa", [(0, 26)], (0, 26)),
        ("aaaaaaaaaaaaaaaa. bbb bbbb", [(3, 18)], (18, 18)),
    ],
)
def test_a_bridge_ends_at_a_sentence_or_word_nearby_and_inside_no_tag(text, whole, expected):
    assert edges(text, 20, whole) == expected


def test_a_longer_bridge_is_divided_into_three():
    shown = [numbers for numbers in bridged(500)[0] if numbers]
    assert len(shown) == 3
    assert shown[0] == set(range(max(shown[0]) + 1))
    assert shown[2] == set(range(min(shown[2]), 500))
    assert shown[0] | shown[1] | shown[2] == set(range(500))
    assert 80 <= len(shown[0]) <= 100
    assert 80 <= len(shown[2]) <= 100
    assert not shown[0] & shown[1]


def test_without_overlap_there_is_no_bridge():
    assert [len(numbers) for numbers in bridged(80, overlap=0)[0] if numbers] == [80]


def test_a_bridge_is_within_one_block():
    one, two = big("t1", 60), big("t2", 60)
    made = document(
        block("A", tag(one)), block("B", f"{words(20, 'text')}\n{tag(two)}"), tables=[one, two]
    )
    assert sum("text" in text for text in texts(chunked(made))) == 1


# Stage C: long sections


def long_body(anchors, paragraphs=40, size=100):
    lines = []
    for n in range(paragraphs):
        if n in anchors:
            lines.append(anchors[n])
        lines.append(f"{words(size, f'p{n}')}.")
    return "\n".join(lines)


def test_an_anchor_becomes_the_heading_and_the_heading_a_parent():
    body = long_body({4: "Too early", 18: "The middle", 34: "Too late"}, paragraphs=36)
    first, second = chunked(document(block("H", body, level=2, parents=["Top"]))).chunks
    assert (first.heading, first.parent_headings) == ("H [part 1]", ("Top",))
    assert (second.heading, second.parent_headings, second.level) == (
        "The middle [part 2]",
        ("Top", "H"),
        2,
    )
    assert second.content.startswith("The middle\n")


# Fallback


def test_a_document_without_headings_is_chunked_by_r(caplog):
    made = document(block("", words(5000), level=0), structured=False)
    with caplog.at_level(logging.WARNING, "docxchunk"):
        result = run(made, PStaged(), ChunkLimits(1000), WORDS)
    assert "fallback to recursive_character" in caplog.text
    assert not result.structured
    assert texts(result) == texts(run(made, R(), ChunkLimits(1000), WORDS))


def test_a_table_that_cannot_be_parsed_is_split_as_text():
    body = f'<table id="t" format="json">{words(3000, "odd")}</table>'
    result = chunked(document(block("H", body)))
    assert sum(text.split().count("odd") for text in texts(result)) >= 2998
    assert all(chunk.tokens <= 2000 for chunk in result.chunks)


def test_documents_without_text_have_no_chunks():
    assert chunked(document()).chunks == ()
    assert chunked(document(block("", " \n ", level=0))).chunks == ()


# Interface


def test_the_log_names_strategy_roles_bridges_and_anchors(caplog):
    one, two = big("t1", 60), big("t2", 60)
    body = f"{long_body({20: 'The middle'})}\n{tag(one)}\n{words(50)}\n{tag(two)}"
    with caplog.at_level(logging.DEBUG, "docxchunk"):
        chunked(document(block("H", body), tables=[one, two]))
    assert all(
        word in caplog.text
        for word in ("paragraph_semantic", "table_chunk_role", "bridge", "anchor")
    )


# rules that hold for any sizes


def test_texts_without_a_heading_are_merged_only_in_one_block():
    contents = replace(block("", words(10, "entry"), 0), id="toc", session_type=SessionType.TOC)
    made = document(block("", words(10), 0), contents, block("A", words(10)))
    assert [chunk.tokens for chunk in chunked(made, 100).chunks] == [10, 10, 12]
    (whole,) = chunked(document(block("", f"{words(10)}\n{words(10)}", 0)), 100).chunks
    assert whole.tokens == 20
