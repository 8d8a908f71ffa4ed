"""Token counts are exact: they equal the count of the joined text."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk.backends.tokenizers import tokenizer
from docxchunk.chunking.tokens import Meter, Ruler, RulerPart, furthest
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
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    for made in map(Meter, TOKENIZERS):
        ruler = Ruler(made, text, data.draw(st.integers(0, 40)))
        assert ruler.measure(0, len(text)) == made.count(text)
        for start, end in combinations(places, 2):
            assert ruler.measure(start, end) == made.count(text[start:end])


@settings(max_examples=some(150), deadline=None)
@given(text=TEXT.filter(bool), opening=TEXT, closing=TEXT, data=st.data())
def test_a_ruler_measures_any_part_between_other_texts(text, opening, closing, data):
    start, end = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
    for made in map(Meter, TOKENIZERS):
        ruler = Ruler(made, text, data.draw(st.integers(0, 40)))
        whole = opening + text[start:end] + closing
        assert ruler.measure(start, end, opening, closing) == made.count(whole)
        word = made.last_word(opening)
        rest = ruler.measure(start, end, opening[word:], closing)
        assert made.count(opening[:word]) + rest == made.count(whole)


def test_a_boundary_in_a_text_is_none_between_other_texts(meter):
    ruler = Ruler(meter, "one\ntwo, three")
    assert ruler.measure(4, 7, "", "s") == meter.count("twos")
    assert ruler.measure(0, 4, "", "s") == meter.count("one\ns")
    assert ruler.measure(4, 12, "re") == meter.count("retwo, thr")


def test_part_of_a_ruler():
    text = '<table>[["Open the valve, then wait."]]</table>'
    whole = Ruler(Meter(ADDITIVE), text)
    part = RulerPart(whole, 10, "Open the valve, then wait.")
    for start, end in combinations(range(len(part.text) + 1), 2):
        assert part.measure(start, end) == ADDITIVE.count(part.text[start:end])


@pytest.mark.parametrize("long", [0, 12, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "One two, three. Four\nfive six\nseven",
        "End.\n/path\n//x\n!\n/",
        "a\n b\n\n\tc.\n\n\nd ",
        "第一条 合同。\n第二条，价格\n（一）",
        '<table>[["Pump","4 bar"],["Valve","it\'s"]]</table>\nEnd',
    ],
)
def test_a_ruler_measures_every_part(meter, text, long):
    ruler = Ruler(meter, text, long)
    for start, end in combinations(range(len(text) + 1), 2):
        assert ruler.measure(start, end) == meter.count(text[start:end])


@settings(max_examples=some(150), deadline=None)
@given(text=TEXT, long=st.integers(0, 40))
def test_the_estimate_before_a_place_rises_up_to_the_count_of_the_text(text, long):
    for made in map(Meter, TOKENIZERS):
        ruler = Ruler(made, text, long)
        estimates = list(map(ruler.about, range(len(text) + 1)))
        assert estimates[0] == 0
        assert estimates == sorted(estimates)
        if made.additive:
            assert estimates[-1] == made.count(text)
            for line in re.finditer(r"(?<=\n)[^\s/]", text):
                assert estimates[line.start()] == made.count(text[: line.start()])


@settings(max_examples=some(100), deadline=None)
@given(texts=st.lists(TEXT, max_size=6))
def test_texts_are_counted_together(texts):
    for made in map(Meter, TOKENIZERS):
        assert made.each_repeated(texts * 2) == list(map(made.count, texts)) * 2


def test_each_text_is_encoded_about_once():
    asked: list[int] = []

    class Counting:
        name = fingerprint = "counting"
        additive_over_newlines = True

        def count(self, text):
            asked.append(len(text))
            return ADDITIVE.count(text)

    text = "\n".join(f"Line {n} with some words in it." * (1 + n % 9) for n in range(1000))
    for long in (0, 100, 1000):
        asked.clear()
        ruler = Ruler(Meter(Counting()), text, long)
        for start in range(0, 20_000, 1000):
            ruler.measure(start, start + 10_000)
        assert sum(asked) < len(text) * 1.3


def test_each_word_ends_with_a_token():
    assert Meter(ADDITIVE).token_ends("one twenty, 3\n") == [0, 3, 6, 10, 11, 12, 13, 14]


def test_equal_lines_are_counted_once():
    counted: list[str] = []

    class Counting:
        name = fingerprint = "counting"
        additive_over_newlines = True

        def count(self, text):
            counted.append(text)
            return ADDITIVE.count(text)

    made = Meter(Counting())
    Ruler(made, "One\nTwo\n", 10), Ruler(made, "Two\nOne\nThree", 10)
    assert sorted(counted) == ["One\n", "Three", "Two\n"]


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(-5, 70))
def test_furthest_is_the_last_that_fits(low, size, limit, guess):
    high = low + size
    assert furthest(lambda place: place <= limit, low, high, guess) == max(
        min(limit, high), low - 1
    )
