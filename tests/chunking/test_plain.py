"""The baseline strategies: fixed sizes, sentences, paragraphs."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest
from case_files import each_number, each_row
from chunking.makers import WORDS, block, document, words
from hypothesis import example, given
from hypothesis import strategies as st
from lab.asked import plain_text, strip_of, texts_of

from docxchunk.chunking import ChunkLimits, run
from docxchunk.chunking.divide import R, pack
from docxchunk.chunking.tokens import fill
from docxchunk.lab.strategies.plain import (
    Counted,
    Fixed,
    Paragraphs,
    Sentences,
)
from docxchunk.model.chunks import SliceRole

whole_sentences = partial(Fixed, Counted.TOKENS, whole_sentences=True)
SENTENCES = [f"Sentence {n} has six words." for n in range(12)]
TEXT = " ".join(SENTENCES)


def test_a_chunk_for_each_sentence_and_each_paragraph():
    lines = [" ".join(SENTENCES[a : a + 3]) for a in range(0, 12, 3)]
    text = "\n".join(lines)
    assert texts_of(text, Sentences()) == SENTENCES
    assert texts_of(text, Paragraphs()) == lines
    made = document(block("Heading", "One. Two.\nThree."))
    assert texts_of(made, Paragraphs()) == ["# Heading", "One. Two.", "Three."]


def test_recursive_chunks_end_at_blank_lines_and_repeat_lines():
    lines = [words(10, f"l{n}") for n in range(16)]
    text = "\n".join(lines[:8]) + "\n\n" + "\n".join(lines[8:])
    assert texts_of(text, R(), size=100, overlap=0) == text.split("\n\n")
    assert texts_of(text, R(), size=100, overlap=10) == [
        "\n".join(lines[:8]),
        "\n\n".join(["\n".join(lines[7:8]), "\n".join(lines[8:])]),
    ]


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from([0, 0, 5, 12, 40])), max_size=12),
    st.sampled_from([32, 45, 60]),
)
@example([(1, 5), (1, 0), (1, 0), (1, 40), (1, 12)], 32)  # three headings before a long text
def test_headings_of_recursive_chunks_stand_above_their_text(sections, size):
    made = document(
        *(block(f"H{n}", words(count), level) for n, (level, count) in enumerate(sections))
    )
    for text, _ in pairwise(texts_of(made, R(), size=size)):
        lines = text.split("\n")
        assert not lines[-1].startswith("#") or all(line[:1] in ("#", "") for line in lines)


def test_a_paragraph_over_the_limit_is_packed_and_nothing_is_shown_again():
    lines = [words(250, "a"), words(100, "b"), words(101, "c")]
    found = texts_of("\n".join(lines), Paragraphs(), size=100, overlap=50)
    assert [*map(WORDS.count, found)] == [91, 91, 68, 100, 91, 10]
    assert " ".join(found).split() == " ".join(lines).split()


def test_a_tag_over_the_size_is_alone_if_it_fits_into_a_chunk():
    tag = f"<em>{words(60)}</em>"
    assembler, sequence = strip_of(f"Some text {tag} more text. And more.")
    packed = pack(sequence, 40, 5)
    assert [assembler.join(spans)[0] for spans, _ in packed] == [
        "Some text",
        tag,
        "more text. And more.",
    ]


@given(st.integers(0, 12), st.integers(1, 8), st.data())
def test_fixed_number_of_sentences_with_overlap(count, size, data):
    """A chunk starts every size - repeated sentences, while there are new ones (the fixed chunks of
    Qu et al.).
    """
    repeated = data.draw(st.integers(0, size - 1))
    step = size - repeated
    expected = [
        SENTENCES[max(0, start - repeated) : min(start + step, count)]
        for start in range(0, count, step)
    ]
    found = texts_of(
        " ".join(SENTENCES[:count]), Fixed(Counted.SENTENCES, size, repeated), overlap=10_000
    )
    shown = [" ".join(chunk) for chunk in expected]
    new = [" ".join(SENTENCES[start : min(start + step, count)]) for start in range(0, count, step)]
    assert len(found) == len(shown)
    assert all(
        text.endswith(own) and whole.endswith(text)
        for text, own, whole in zip(found, new, shown, strict=True)
    )
    if repeated * 2 <= step:  # an overlap is at most half of what follows it
        assert found[:-1] == shown[:-1]


@given(st.lists(st.sampled_from([3, 8, 9, 10, 22, 24]), min_size=2, max_size=8), st.data())
def test_repeated_sentences_take_at_most_a_quarter_of_the_limit(lengths, data):
    limit, size = 40, data.draw(st.integers(2, 4))
    strategy = Fixed(Counted.SENTENCES, size, data.draw(st.integers(1, size - 1)))
    text = " ".join(f"A{' word' * length}." for length in lengths)
    for chunk in run(plain_text(text), strategy, ChunkLimits(limit, limit), WORDS).chunks:
        repeated = [part for part in chunk.parts if part.role is SliceRole.OVERLAP]
        new = chunk.content[sum(part.end - part.start for part in repeated) :]
        tokens = WORDS.count(chunk.content.removesuffix(new))
        assert tokens <= min(limit // 4, WORDS.count(new.lstrip()) // 2)


@each_row("chunking", size=int, expected=each_number)
def test_fixed_size_keeps_sentences_whole(size, expected):
    assert [
        len(text.split()) // 5
        for text in texts_of(TEXT, Fixed(Counted.WORDS, size, whole_sentences=True))
    ] == expected


@given(st.integers(0, 12), st.integers(1, 14))
def test_n_chunks(count, n_chunks):
    """Each chunk has n // n_chunks sentences, so there may be more than n_chunks (Qu et al. 2024,
    appendix A).
    """
    size = max(1, count // n_chunks)
    found = texts_of(" ".join(SENTENCES[:count]), Fixed(Counted.SENTENCES, n_chunks=n_chunks))
    assert found == [
        " ".join(SENTENCES[start : min(start + size, count)]) for start in range(0, count, size)
    ]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(1, 20))
def test_items_are_taken_together_as_long_as_they_fit(sizes, most):
    ranges = fill(len(sizes), lambda first, last: sum(sizes[first:last]) <= most)
    groups = [sizes[own.start : own.stop] for own in ranges]
    assert all(groups)
    assert [size for group in groups for size in group] == sizes
    assert all(sum(group) <= most or len(group) == 1 for group in groups)
    assert all(sum(group) + following[0] > most for group, following in pairwise(groups))


@pytest.mark.parametrize("size", [16, 20, 30, 1024])
def test_sentences_are_packed_as_by_llama_index(size):
    module = pytest.importorskip("llama_index.core.node_parser")
    count = WORDS.count
    splitter = module.SentenceSplitter(
        chunk_size=size, chunk_overlap=0, tokenizer=lambda text: range(count(text))
    )
    assert texts_of(TEXT, whole_sentences(size)) == splitter.split_text(TEXT)


def test_the_words_that_are_shown_again_fill_the_overlap():
    """The first words of a sentence are longer, so that its last half has most of its words."""
    sentence = f"{words(6, 'Considerable')} {words(6, 'a')}."
    made = document(block("", " ".join([sentence] * 20), 0))
    chunks = run(made, R(), ChunkLimits(100, 7), WORDS).chunks
    assert len(chunks) > 2
    assert all(chunk.content.startswith("a a a a a a. C") for chunk in chunks[1:])


@each_row("chunking")
def test_the_last_words_that_are_shown_again_begin_inside_no_tag(sentence, repeated):
    _, sequence = strip_of(f"{words(75, 'A')}. {sentence} {words(50, 'C')}.")
    _, ((first, *_), _) = pack(sequence, 100, 10, across_lines=True)
    assert (first.text if first.is_repeat else None) == repeated
