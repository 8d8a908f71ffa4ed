"""Passages know what they show of the corpus: chunks, heading paths, repeated header rows, headers
of embeddings; spans are ranges and sets of them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from examples import some
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lab.evaluation.makers import text_document
from lab.scripted import MODELS
from make_fixtures import DOCUMENTS

import docxchunk
from docxchunk.chunking import ChunkLimits, P, R, run
from docxchunk.chunking.strategy import named_strategy
from docxchunk.lab.evaluation.passages import (
    ShownSpan,
    holds,
    overlap,
    passage_of_span,
    passages_of_chunks,
    size,
    sources,
    text_at,
    union,
)
from docxchunk.model.chunks import Added, AddedRole, SliceRole
from docxchunk.records.laws import required_characters
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
