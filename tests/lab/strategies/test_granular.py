"""MG and LGMGC: chunks with smaller children for retrieval."""

from __future__ import annotations

from itertools import pairwise

import pytest
from chunking.makers import WORDS, block, document, words
from hypothesis import given
from hypothesis import strategies as st
from lab.asked import GivenScorer, models_of, plain_text

from docxchunk.chunking import ChunkLimits, run
from docxchunk.lab.strategies.lgmgc import LGMGC, MG, PMG

TEXT = " ".join(f"Sentence {n} has six words." for n in range(40))  # five words and a mark each


def family(text, strategy, size, *models):
    """Return the token counts of each top chunk, its children and their children."""
    chunks = {
        chunk.chunk_id: chunk
        for chunk in run(
            plain_text(text), strategy, ChunkLimits(size, 0), WORDS, models_of(*models)
        ).chunks
    }

    def below(chunk):
        return (chunk.content, [below(chunks[name]) for name in chunk.children])

    return [below(chunk) for chunk in chunks.values() if chunk.parent is None]


def every(chunks):
    for text, below in chunks:
        yield text
        yield from every(below)


def test_children_have_half_and_a_quarter_of_the_size_in_whole_sentences():
    found = family(TEXT, MG(), 96)
    assert [len(text.split()) for text, _ in found] == [80, 80, 40]
    for parent, halves in found:
        assert all(WORDS.count(text) <= 48 for text, _ in halves)
        assert all(WORDS.count(text) <= 24 for _, quarters in halves for text, _ in quarters)
        assert " ".join(text for text, _ in halves) == parent
    assert all(text.endswith("words.") for text in every(found))
    assert max(len(quarters) for _, halves in found for _, quarters in halves) == 2


@given(st.integers(1, 30), st.sampled_from([32, 48, 96]), st.integers(1, 3))
def test_children_partition_the_text_and_small_chunks_have_none(number, size, levels):
    text = " ".join(TEXT.split()[: 5 * number])
    for parent, halves in family(text, MG(levels=levels), size):
        assert bool(halves) == (WORDS.count(parent) > size >> levels)
        for own, below in ((parent, halves), *halves):
            assert len(below) != 1
            assert own not in every(below)


@pytest.mark.parametrize("parents", ["LG:theta=40,min_tail=0.7", "LG-doc:theta=40"])
def test_children_of_lg_chunks_have_sizes_derived_from_theta(parents):
    """40 words are eight sentences. LG ends a chunk after every seventh; the last 25 words are too
    few for a question.
    """
    scorer = GivenScorer(lambda segment: -0.5 if int(segment.split()[1]) % 7 == 6 else -9.0)
    found = family(TEXT, LGMGC(parents=parents), 2000, scorer)
    assert [len(text.split()) for text, _ in found] == [35] * 5 + [25]
    theta = 48  # in tokens: six for five words
    for parent, halves in found:
        assert " ".join(text for text, _ in halves) == parent
        assert all(WORDS.count(text) <= theta // 2 for text, _ in halves)
        assert any(quarters for _, quarters in halves)
        assert all(
            WORDS.count(text) <= theta // 4 for _, quarters in halves for text, _ in quarters
        )


def test_siblings_and_parents_are_linked():
    chunks = run(plain_text(TEXT), MG(), ChunkLimits(96, 0), WORDS).chunks
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    for chunk in chunks:
        children = [by_id[name] for name in chunk.children]
        assert [child.parent for child in children] == [chunk.chunk_id] * len(children)
        assert all(
            (one.next, other.prev) == (other.chunk_id, one.chunk_id)
            for one, other in pairwise(children)
        )


def test_a_child_has_the_heading_of_its_section_and_the_part_of_its_parent():
    made = document(
        block("A", "\n".join([words(30, "a")] * 6)),
        block("B", words(40, "b"), 2, ["A"]),
        block("C", words(40, "c"), 2, ["A"]),
    )
    chunks = run(made, PMG(levels=1), ChunkLimits(100, 0), WORDS).chunks
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    children = [(by_id[chunk.parent].heading, chunk) for chunk in chunks if chunk.parent]
    shown = [(parent, child.heading, child.content.split()[-1]) for parent, child in children]
    assert shown == [
        *[("A [part 1]", "A [part 1]", "a")] * 3,
        *[("A [part 2]", "A [part 2]", "a")] * 3,
        ("B", "B", "b"),
        ("B", "C", "c"),
    ]
