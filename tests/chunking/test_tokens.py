"""Token counts are exact: they equal the count of the joined text."""

from __future__ import annotations

import pytest
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk.backends.tokenizers import tokenizer
from docxchunk.chunking.text.tokens import Meter, Ruler, furthest
from docxchunk.testing.hypothesis_strategies import ADDITIVE, CJK, ODD, WHOLE, WORDS

TOKENIZERS = [tokenizer("o200k_base"), tokenizer("cl100k_base"), ADDITIVE, WHOLE]
TEXT = st.lists(
    st.sampled_from(
        [
            *WORDS,
            *CJK,
            *ODD,
            *".,;:!?/\\-_()[]{}<>\"'’|&=+%#*",
            "\n",
            "\n\n",
            "\r\n",
            " ",
            "  ",
            "\t",
            "\u3000",
            "'s",
            "é",
            "e\u0301",
            "²",
            "Ⅷ",
        ]
    ),
    max_size=40,
).map("".join)


@pytest.fixture(params=TOKENIZERS, ids=lambda made: made.name)
def meter(request):
    return Meter(request.param)


@settings(max_examples=some(150), deadline=None)
@given(
    left=TEXT.filter(bool),
    join=st.sampled_from(["", "\n", "\n\n", " ", ",", ", "]),
    right=TEXT.filter(bool),
)
def test_joined_is_the_count_of_the_whole(left, join, right):
    for made in map(Meter, TOKENIZERS):
        assert made.joined(left, made.count(left), join, right, made.count(right)) == made.count(
            left + join + right
        )


@settings(max_examples=some(150), deadline=None)
@given(text=TEXT.filter(bool), data=st.data())
def test_a_ruler_measures_any_part(text, data):
    place = st.integers(0, len(text))
    places = sorted(data.draw(st.lists(place, max_size=8)))
    for made in map(Meter, TOKENIZERS):
        ruler = Ruler(made, text, places, apart=data.draw(st.integers(1, 20)))
        for _ in range(3):
            start, end = sorted((data.draw(place), data.draw(place)))
            assert ruler.measure(start, end) == made.count(text[start:end])
            ruler.refine(
                start, end, sorted(data.draw(st.lists(st.integers(start, end), max_size=4)))
            )
            assert ruler.measure(0, len(text)) == made.count(text)


def test_each_text_is_encoded_about_once():
    asked: list[int] = []

    class Counting:
        name = fingerprint = "counting"
        additive_over_newlines = True

        def count(self, text):
            asked.append(len(text))
            return ADDITIVE.count(text)

    text = "\n".join(f"Line {n} with some words in it." for n in range(1000))
    ruler = Ruler(Meter(Counting()), text, range(0, len(text), 30), apart=100)
    for start in range(0, 20_000, 1000):
        ruler.measure(start, start + 10_000)
    assert sum(asked) < len(text) * 1.3


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(-5, 70))
def test_furthest_is_the_last_that_fits(low, size, limit, guess):
    high = low + size
    assert furthest(lambda place: place <= limit, low, high, guess) == max(
        min(limit, high), low - 1
    )
