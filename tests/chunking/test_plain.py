"""What every other strategy is compared with: fixed sizes, sentences, paragraphs."""

from __future__ import annotations

from itertools import pairwise

import pytest
from chunking.asked import texts_of
from chunking.makers import WORDS, block, document, words
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.chunking.strategies.plain import Counted, Fixed, Paragraphs, Sentences
from docxchunk.errors import UsageError

SENTENCES = [f"Sentence {n} has six words." for n in range(12)]
TEXT = " ".join(SENTENCES)


def test_a_chunk_for_each_sentence_and_each_paragraph():
    lines = [" ".join(SENTENCES[a : a + 3]) for a in range(0, 12, 3)]
    text = "\n".join(lines)
    assert texts_of(text, Sentences()) == SENTENCES
    assert texts_of(text, Paragraphs()) == lines
    made = document(block("Heading", "One. Two.\nThree."))
    assert texts_of(made, Paragraphs()) == ["# Heading", "One. Two.", "Three."]


@given(st.integers(0, 12), st.integers(1, 8), st.data())
def test_so_many_sentences_with_some_of_them_again(count, size, data):
    """Starts at every size - repeated, as long as something new comes (seed 004's fixed chunks)."""
    repeated = data.draw(st.integers(0, size - 1))
    step = size - repeated
    expected = [SENTENCES[max(0, start - repeated) : min(start + step, count)] for start in range(0, count, step)]
    found = texts_of(" ".join(SENTENCES[:count]), Fixed(Counted.SENTENCES, size, repeated), overlap=10_000)
    shown = [" ".join(chunk) for chunk in expected]
    new = [" ".join(SENTENCES[start : min(start + step, count)]) for start in range(0, count, step)]
    assert len(found) == len(shown)
    assert all(text.endswith(own) and whole.endswith(text) for text, own, whole in zip(found, new, shown, strict=True))
    if repeated * 2 <= step:  # an overlap is at most half of what follows it
        assert found[:-1] == shown[:-1]


@pytest.mark.parametrize("size", [1, 7, 10, 100])
def test_so_many_words_blind_to_what_they_say(size):
    every = TEXT.split()
    assert texts_of(TEXT, Fixed(Counted.WORDS, size)) == [" ".join(every[start : start + size]) for start in range(0, len(every), size)]


@pytest.mark.parametrize("size", [8, 20, 50])
def test_so_many_tokens_between_words(size):
    found = texts_of(TEXT, Fixed(Counted.TOKENS, size))
    assert " ".join(found) == TEXT
    for text, following in pairwise(found):
        assert WORDS.count(text) <= size < WORDS.count(f"{text} {following.split()[0]}")


def test_the_cap_holds_whatever_the_size():
    found = texts_of(words(500), Fixed(Counted.TOKENS, 200), size=64)
    assert max(map(WORDS.count, found)) == 64


@pytest.mark.parametrize("wrong", [{"size": -1}, {"repeated": 200}, {"size": 3, "repeated": 3}, {"by": Counted.SENTENCES, "repeated": 6}])
def test_wrong_settings(wrong):
    with pytest.raises(UsageError, match=r"size is|repeated is"):
        Fixed(**wrong)
