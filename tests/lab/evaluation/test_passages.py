"""Passages know what they show of the corpus: chunks, heading paths, repeated header rows, headers
of embeddings; spans are ranges and sets of them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from docx_builder import docx
from examples import some
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lab.evaluation.makers import passage, source_of, text_document
from lab.scripted import MODELS
from make_fixtures import DOCUMENTS

import docxchunk
from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.chunking.strategy import named_strategy
from docxchunk.lab.evaluation.passages import (
    PassageIndex,
    ShownSpan,
    holds,
    overlap,
    passage_of_span,
    passages_of_chunks,
    path_of,
    sentences_of,
    size,
    sources,
    text_at,
    union,
    with_header,
    with_path,
)
from docxchunk.markup.laws import required_characters
from docxchunk.model.chunks import Added, AddedRole, Slice, SliceRole
from docxchunk.testing import hypothesis_strategies
from docxchunk.testing.documents import BlockRecipe, LineRecipe, build

TAG = re.compile(r"<[^>]*>")


def passages_of(document, strategy, most):
    source = sources([document])[0]
    chunks = run(
        document, strategy, ChunkLimits(most, 20), hypothesis_strategies.ADDITIVE, MODELS
    ).chunks
    return source, chunks, passages_of_chunks(0, source, chunks)


def test_a_span_of_the_corpus_has_the_text_of_its_document():
    texts = sources([text_document(name, f"Text of {name}.") for name in ("a.txt", "b.txt")])
    first, second = texts
    assert text_at(texts, (0, 4)) == text_at(texts, (second.offset, second.offset + 4)) == "Text"
    assert text_at(texts, (second.offset + 8, second.offset + 13)) == "b.txt"
    assert text_at(texts, (first.offset, second.offset - 1)) == "Text of a.txt."


@settings(max_examples=some(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    document=hypothesis_strategies.DOCUMENTS,
    strategy=st.sampled_from([P(), R()]),
    most=hypothesis_strategies.SIZES,
)
# a slice that repeats only a merged cell
@example(build([BlockRecipe(0, False, (LineRecipe("bridge", 1, 0),), 0)]), P(), 51)
def test_chunks_show_the_text_at_their_spans(document, strategy, most):
    source, chunks, passages = passages_of(document, strategy, most)
    for chunk, found in zip(chunks, passages, strict=True):
        assert sum(piece.length for piece in found.shown) == len(found.text)
        at = 0
        for part, piece in zip(chunk.parts, found.shown, strict=True):
            there = source.text[piece.start : piece.end]
            text = found.text[at : at + piece.length]
            at += piece.length
            if isinstance(part, Added):
                assert (
                    text.startswith(there)
                    if part.role is AddedRole.HEADER
                    else not any(map(str.isalnum, TAG.sub("", there)))
                )
            elif part.role is not SliceRole.CELL:
                assert text == there


@settings(max_examples=some(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    document=hypothesis_strategies.DOCUMENTS,
    strategy=st.sampled_from([P(), R()]),
    most=hypothesis_strategies.SIZES,
)
def test_chunks_show_all_of_a_document(document, strategy, most):
    """Except for the syntax of tables with cut rows."""
    source, _, passages = passages_of(document, strategy, most)
    covered = bytearray(len(source.text))
    for found in passages:
        for start, end in found.spans:
            covered[start:end] = b"\1" * (end - start)
    for start, block in zip(source.starts, document.blocks, strict=True):
        wanted = required_characters(block.content)
        assert not [
            place for place in range(len(wanted)) if wanted[place] and not covered[start + place]
        ]


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("{0}{1}", "{0}{1}"),
        ("{0}{1}<tr><td>made up</td></tr>", "{0}{1}"),
        ("{0}<tr><td>made up</td></tr>", "{0}"),
        ("<tr><td>made up</td></tr>", ""),
        ("| a |\n| b |", "{0}{1}"),  # in another form
        ("| a |\n| - |", "{0}"),
        ("| - |", ""),
    ],
)
def test_the_rows_of_a_repeated_header_that_the_table_has(header, shown):
    document = docxchunk.parse(
        docx(
            "<p>a</p><tbl><tr><tc span='2'>b</tc></tr><tr><tc>c</tc><tc>d</tc></tr>"
            "<tr><tc>e</tc><tc>f</tc></tr></tbl>"
        )
    )
    (source,), text = sources([document]), document.blocks[0].content
    rows = re.findall("<tr>.*?</tr>", text)
    (chunk,) = docxchunk.chunk(document)
    name, start = document.blocks[0].id, text.index(rows[2])
    header, shown = header.format(*rows), shown.format(*rows)
    parts = (Added(header, AddedRole.HEADER), Slice(name, start, start + len(rows[2])))
    (found,) = passages_of_chunks(0, source, [replace(chunk, parts=parts)])
    span = found.shown[0]
    assert source.text[span.start : span.end] == shown
    early = (parts[0], Slice(name, 0, 1))  # before all tables
    (found,) = passages_of_chunks(0, source, [replace(chunk, parts=early)])
    assert found.shown[0].start == found.shown[0].end


TWO = "One.\n\n<b>Two."


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (["a", (0, 4), "\n", (9, 13), "b"], [(0, 0), (0, 4), (4, 9), (9, 13), (13, 13)]),
        (["a", "b", (4, 9)], [(4, 4), (4, 4), (4, 9)]),
        ([(0, 4), "a", (5, 13)], [(0, 4), (4, 5), (5, 13)]),
        ([(0, 2), "a", (3, 13)], [(0, 2), (3, 3), (3, 13)]),  # a letter is left out
        ([(0, 4), "a", (4, 13)], [(0, 4), (4, 4), (4, 13)]),
        ([(9, 13), "a", (0, 4)], [(9, 13), (0, 0), (0, 4)]),  # in another order
        ([(0, 9), "a", (5, 13)], [(0, 9), (5, 5), (5, 13)]),
        ([(0, 4), "a", (10, 13)], [(0, 4), (10, 10), (10, 13)]),
        ([(0, 4), "a", "b", (9, 13)], [(0, 4), (4, 9), (9, 9), (9, 13)]),
        (["a"], [(0, 0)]),
    ],
)
def test_text_between_two_slices_shows_the_markup_and_white_space_between_them(parts, shown):
    before, document = text_document("a.txt", "abc"), text_document("b.txt", TWO)
    block = replace(document.blocks[0], content=TWO)
    source = sources([before, replace(document, blocks=(block,))])[1]
    made = tuple(
        Added(part, AddedRole.JOIN) if isinstance(part, str) else Slice(block.id, *part)
        for part in parts
    )
    (chunk,) = docxchunk.chunk(document)
    (found,) = passages_of_chunks(1, source, [replace(chunk, parts=made)])
    assert [(piece.start - 4, piece.end - 4) for piece in found.shown] == shown
    assert [piece.length for piece in found.shown] == [
        len(part) if isinstance(part, str) else part[1] - part[0] for part in parts
    ]


def test_a_path_is_put_before_all_indexed_texts():
    found = with_path(
        type(passage((0, 1)))(0, "text", (ShownSpan(4, 0, 4),), smaller=("te",)), "A > B"
    )
    assert found.text == "A > B\n\ntext"
    assert found.smaller == ("A > B\n\nte",)
    assert with_path(found, "") is found


def test_a_passage_of_a_span_knows_its_place_and_the_headings_above_it():
    document = docxchunk.parse(DOCUMENTS / "sample-report.docx")
    before = text_document("a.txt", "abc")
    source = sources([before, replace(document, title="Report")])[1]
    block = next(block for block in document.blocks if block.level == 2)
    start = source.starts_by_id[block.id]
    found = passage_of_span(1, source, (start, start + 9), 3)
    assert (found.source, found.text, found.tokens) == (1, block.content[:9], 3)
    assert found.shown == (ShownSpan(9, start + 4, start + 13),)
    assert found.path == f"{block.parent_headings[0]} > {block.heading}"
    assert found.header == f"Report > {found.path}"


def test_the_header_is_indexed_and_not_shown():
    bare = replace(passage((0, 4), text="text"), smaller=("te",))
    found = with_header(replace(bare, header="A > B"))
    assert (found.text, found.shown) == (bare.text, bare.shown)
    assert found.indexed == "A > B\n\ntext"
    assert found.smaller == ("A > B\n\nte",)
    assert with_header(bare) == replace(bare, indexed="text")
    assert with_header(replace(bare, indexed="mine", header="A")).indexed == "mine"
    _, chunks, passages = passages_of(docxchunk.parse(DOCUMENTS / "sample-report.docx"), P(), 150)
    assert [with_header(each).indexed for each in passages] == [each.embed_text for each in chunks]


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        ("Lease > Rent", "Lease > Rent"),
        ("Rent", "Lease > Rent"),
        ("Rent > Lease", "Lease > Rent > Lease"),
        ("", "Lease"),
    ],
)
def test_the_title_of_the_document_begins_a_path_that_does_not_have_it(path, whole):
    source = source_of("Text.")
    source = replace(source, document=replace(source.document, title="Lease"))
    assert path_of(source, path) == whole


def test_blocks_by_place():
    document = docxchunk.parse(DOCUMENTS / "sample-report.docx")
    source = sources([document])[0]
    for block in document.blocks:
        start = source.starts_by_id[block.id]
        assert source.text[start : start + len(block.content)] == block.content
        assert source.block_at(start) == source.block_at(start + len(block.content) - 1) == block
    assert "none" not in source.starts_by_id


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 50), st.integers(1, 9)).map(lambda p: (p[0], sum(p))),
            max_size=2,
        ),
        max_size=6,
    ),
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 9)), min_size=1, max_size=3),
)
def test_places_by_looking_at_each(spans, places):
    passages = [passage(*union(each)) for each in spans]
    gold = union((start, start + length) for start, length in places)
    assert PassageIndex(passages).touching(gold) == [
        i for i, found in enumerate(passages) if overlap(found.spans, gold)
    ]


def test_children_and_propositions_are_searched_with_their_parent():
    document = docxchunk.parse(DOCUMENTS / "sample-report.docx")
    source = sources([document])[0]
    chunks = run(
        document, named_strategy("MG"), ChunkLimits(200, 0), hypothesis_strategies.ADDITIVE
    ).chunks
    passages = passages_of_chunks(0, source, chunks)
    parents = [chunk for chunk in chunks if chunk.parent is None]
    assert [found.text for found in passages] == [chunk.content for chunk in parents]
    assert len(parents) < len(chunks)
    assert sum(len(found.smaller) for found in passages) == len(chunks) - len(parents)
    told = replace(parents[0], children=(), propositions=("It rained.",))
    assert passages_of_chunks(0, source, [told])[0].smaller == ("It rained.",)
    child, grandchild = chunks[1], replace(chunks[2], children=(), parent=chunks[1].chunk_id)
    family = [
        replace(parents[0], children=("unknown", child.chunk_id), propositions=("It rained.",)),
        replace(child, children=(grandchild.chunk_id,), parent=parents[0].chunk_id),
        grandchild,
    ]
    (found,) = passages_of_chunks(0, source, family)
    assert found.smaller == (child.content, grandchild.content, "It rained.")
    alone = passages_of_chunks(0, source, [replace(family[1], parent="unknown")])
    assert [each.text for each in alone] == [child.content]


def test_sentences_of_a_corpus_are_spans_of_it():
    texts = sources([text_document("a.txt", "One. Two."), text_document("b.txt", "Three. Four.")])
    found = [text_at(texts, span) for span in sentences_of(texts)]
    assert found == ["One.", "Two.", "Three.", "Four."]


SPANS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (min(pair), max(pair))),
    max_size=8,
)


def characters(spans: list[tuple[int, int]]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


@given(SPANS)
@example([(0, 2), (1, 1), (1, 3)])
@example([(0, 2), (2, 4)])
@example([(5, 5)])
def test_a_union_has_the_same_characters_in_disjoint_sorted_spans(spans):
    found = union(spans)
    assert characters(found) == characters(spans)
    assert size(found) == len(characters(spans))
    assert all(left[1] < right[0] for left, right in pairwise(found))
    assert all(start < end for start, end in found)


@given(SPANS, SPANS)
def test_overlap_equals_that_of_character_sets(left, right):
    assert overlap(union(left), union(right)) == len(characters(left) & characters(right))


@given(SPANS, st.tuples(st.integers(0, 40), st.integers(1, 5)))
@example([(3, 8)], (3, 2))
@example([(3, 8)], (2, 3))
@example([(3, 8)], (6, 2))
def test_a_union_holds_a_span_of_its_characters(spans, place):
    start, length = place
    inner = (start, start + length)
    assert holds(union(spans), inner) == (characters([inner]) <= characters(spans))
