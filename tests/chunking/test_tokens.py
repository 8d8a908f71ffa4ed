"""Token counts are exact: they equal the count of the joined text."""

from __future__ import annotations

import re
from itertools import combinations, combinations_with_replacement, product

import pytest
from case_files import each_number, each_row
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk.backends.tokenizers import tokenizer
from docxchunk.chunking.tokens import Meter, Ruler, fill, furthest
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


TEXTS = [
    "One two, three. Four\nfive six\nseven",
    "End.\n/path\n//x\n!\n/",
    "a\n b\n\n\tc.\n\n\nd ",
    "第一条 合同。\n第二条，价格\n（一）",
    '<table>[["Pump","4 bar"],["Valve","it\'s"]]</table>\nEnd',
]


@pytest.mark.parametrize(("size", "long"), [(63, 1000), (64, 0), (64, 1000), (65, 1000)])
def test_a_ruler_measures_parts_with_few_words(size, long):
    """The end of a word is searched in 64 characters."""
    text = f"One, {'_' * size} two, {'_' * size}\n{'_' * size}\nand, three"
    ruler = Ruler(Meter(ADDITIVE), text, long)
    places = [*range(0, 6, 2), *range(size, size + 12, 2), *range(2 * size, len(text) + 1, 7)]
    for start, end in combinations(places, 2):
        assert ruler.measure(start, end) == ADDITIVE.count(text[start:end])
        assert ruler.measure(start, end, "a ", " b") == ADDITIVE.count(f"a {text[start:end]} b")


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


class Recording:
    """Records the texts that it counts."""

    name = fingerprint = "recording"

    def __init__(self, counts=ADDITIVE):
        self.counts, self.additive_over_newlines = counts, counts.additive_over_newlines
        self.asked = []

    def count(self, text):
        self.asked.append(text)
        return self.counts.count(text)


def test_each_text_is_encoded_about_once():
    text = "\n".join(f"Line {n} with some words in it." * (1 + n % 9) for n in range(1000))
    for long in (0, 100, 1000):
        tokenizer = Recording()
        ruler = Ruler(Meter(tokenizer), text, long)
        for start in range(0, 20_000, 1000):
            ruler.measure(start, start + 10_000)
        assert sum(map(len, tokenizer.asked)) < len(text) * 1.3


@each_row("chunking", ends=each_number)
def test_each_word_ends_with_a_token(line, ends):
    assert Meter(ADDITIVE).token_ends(line) == ends


@each_row("chunking", end=int)
def test_the_last_word_ends_before_a_space_or_a_mark(text, end):
    assert Meter(ADDITIVE).last_word(text) == end
    assert Meter(WHOLE).last_word(text) == 0


@pytest.mark.parametrize(
    ("left", "join", "right", "counted"),
    [
        ("one, two", "\n", "three, four", {"\n"}),
        ("one, two.", "\n", "three, four", {".\n", "."}),
        ("one, two", "\n", "/three, four", {"\n/three", "/three"}),
        ("one, two", "\n", " three, four", {"\n three", " three"}),
        ("one, two", "\n\n", "three, four", {"\n\n"}),
        ("one, two", " ", "three, four", {" three", "three"}),
        ("one, two", "", "three, four", {", twothree", ", two", "three"}),
        ("one, two", "", ", four", {", four"}),
        ("one, two", "", ". ", {". "}),
        ("one, two", "'", "s", {", two's", ", two", "s"}),
        ("one, two", "s ", "three", {", twos three", ", two", "three"}),
        ("one, " + "_" * 100, "\n", "a", {f", {'_' * 100}\n", f", {'_' * 100}"}),
    ],
)
def test_only_the_words_beside_a_seam_are_counted_again(left, join, right, counted):
    tokenizer = Recording()
    made, sizes = Meter(tokenizer), list(map(ADDITIVE.count, (left, right)))
    whole = ADDITIVE.count(left + join + right)
    assert made.joined(left, sizes[0], join, right, sizes[1]) == whole
    assert {*filter(None, tokenizer.asked)} == counted
    tokenizer.asked.clear()
    assert made.joined(left, sizes[0], join, right, sizes[1]) == whole
    assert tokenizer.asked == []
    sizes = list(map(WHOLE.count, (left, right)))
    whole = WHOLE.count(left + join + right)
    assert Meter(WHOLE).joined(left, sizes[0], join, right, sizes[1]) == whole


def test_furthest_is_the_last_that_fits():
    for low, high, limit, guess in product(range(2), range(-1, 7), range(-2, 8), range(-2, 9)):
        probes = []

        def fits(place, probes=probes, limit=limit):
            probes.append(place)
            return place <= limit

        if low <= high:
            assert furthest(fits, low, high, guess) == max(min(limit, high), low - 1)
            assert all(low <= probe <= high for probe in probes)
            assert len(probes) == len({*probes})


@pytest.mark.parametrize("guess", range(6))
@pytest.mark.parametrize(
    ("sizes", "ranges"),
    [
        ([], []),
        ([1], [1]),
        ([9], [1]),
        ([2, 3], [2]),
        ([3, 3], [1, 1]),
        ([9, 1, 1, 9, 9], [1, 2, 1, 1]),
        ([1] * 11, [5, 5, 1]),
        ([4, 1, 1, 4, 2, 3], [2, 2, 2]),
    ],
)
def test_ranges_are_as_long_as_they_fit(sizes, ranges, guess):
    """At most five in a range, except for a single larger item."""
    found = fill(len(sizes), lambda first, last: sum(sizes[first:last]) <= 5, guess)
    assert [len(items) for items in found] == ranges
    assert [number for items in found for number in items] == [*range(len(sizes))]


@pytest.mark.parametrize("long", [0, 12, 1000])
@pytest.mark.parametrize("text", TEXTS)
def test_a_ruler_measures_every_part(meter, text, long):
    ruler = Ruler(meter, text, long)
    for start, end in combinations_with_replacement(range(len(text) + 1), 2):
        assert ruler.measure(start, end) == meter.count(text[start:end])
