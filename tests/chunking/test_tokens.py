"""Token counts are exact: they equal the count of the joined text."""

from __future__ import annotations

import re
from itertools import combinations, combinations_with_replacement, product

import pytest
from chunking import makers
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk.backends.tokenizers import tokenizer
from docxchunk.chunking.tokens import Meter, Ruler, RulerPart, fill, furthest
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


TEXTS = [
    "One two, three. Four\nfive six\nseven",
    "End.\n/path\n//x\n!\n/",
    "a\n b\n\n\tc.\n\n\nd ",
    "第一条 合同。\n第二条，价格\n（一）",
    '<table>[["Pump","4 bar"],["Valve","it\'s"]]</table>\nEnd',
]


@pytest.mark.parametrize("long", [0, 12, 1000])
@pytest.mark.parametrize("text", TEXTS)
def test_a_ruler_measures_every_part(meter, text, long):
    ruler = Ruler(meter, text, long)
    for start, end in combinations_with_replacement(range(len(text) + 1), 2):
        assert ruler.measure(start, end) == meter.count(text[start:end])


@pytest.mark.parametrize(
    ("opening", "closing"), [("re", "s"), ("<b>", ""), ("", " end"), ("a ", "\n")]
)
def test_a_ruler_measures_every_part_between_other_texts(opening, closing):
    for text in TEXTS:
        ruler, other = (Ruler(Meter(tokenizer), text, 12) for tokenizer in (ADDITIVE, WHOLE))
        for start, end in combinations_with_replacement(range(len(text) + 1), 2):
            whole = opening + text[start:end] + closing
            assert ruler.measure(start, end, opening, closing) == ADDITIVE.count(whole)
            assert other.measure(start, end, opening, closing) == WHOLE.count(whole)


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


@pytest.mark.parametrize(
    ("long", "estimates"),
    [
        (4, [0, 0, 1, 1, 1, 1, 2, 3, 4, 4, 5, 6]),  # the ends of tokens are known
        (99, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6]),  # they are spread evenly over the line
    ],
)
def test_the_estimate_before_each_place(long, estimates):
    text = "y\naaaa,b,\nx"
    ruler = Ruler(Meter(makers.WORDS), text, long)
    assert list(map(ruler.about, range(len(text) + 1))) == estimates


@pytest.mark.parametrize("long", [0, 12, 1000])
@pytest.mark.parametrize("text", TEXTS)
def test_the_estimates_of_several_places_are_those_of_each(meter, text, long):
    ruler = Ruler(meter, text, long)
    for first, last in combinations(range(len(text) + 1), 2):
        places = [first, (first + last) // 2, last]
        assert ruler.about_each(places) == list(map(ruler.about, places))


@pytest.mark.parametrize(
    ("limit", "exceeds", "counted"),
    [
        (66, True, 0),
        (67, True, 1),
        (99, True, 1),
        (100, False, 1),
        (199, False, 1),
        (200, False, 0),
    ],
)
def test_a_part_is_counted_only_if_its_estimate_is_near_the_limit(limit, exceeds, counted):
    """The part has 100 tokens."""
    counts = []

    class Counted(Ruler):
        def measure(self, *part):
            counts.append(part)
            return super().measure(*part)

    ruler = Counted(Meter(ADDITIVE), "a\n" * 80)
    assert ruler.exceeds(20, 120, limit) is exceeds
    assert counts == [(20, 120)] * counted


@settings(max_examples=some(100), deadline=None)
@given(texts=st.lists(TEXT, max_size=6))
def test_texts_are_counted_together(texts):
    for made in map(Meter, TOKENIZERS):
        assert made.each_repeated(texts * 2) == list(map(made.count, texts)) * 2


class Recording:
    """Records the texts that it counts."""

    name = fingerprint = "recording"

    def __init__(self, counts=ADDITIVE):
        self.counts, self.additive_over_newlines = counts, counts.additive_over_newlines
        self.asked = []

    def count(self, text):
        self.asked.append(text)
        return self.counts.count(text)


class Bytes:
    """A token for each byte in UTF-8."""

    name = fingerprint = "bytes"
    additive_over_newlines = True

    def count(self, text):
        return len(text.encode())


class Located(Bytes):
    """Finds the ends of tokens in lines, except in those of odd numbers. Records the lines."""

    def __init__(self):
        self.lines = []

    def token_ends(self, text):
        self.lines.append(text)
        if "odd" in text:
            return None
        return [0, *(n for n, letter in enumerate(text, 1) for _ in letter.encode())]


def test_each_text_is_encoded_about_once():
    text = "\n".join(f"Line {n} with some words in it." * (1 + n % 9) for n in range(1000))
    for long in (0, 100, 1000):
        tokenizer = Recording()
        ruler = Ruler(Meter(tokenizer), text, long)
        for start in range(0, 20_000, 1000):
            ruler.measure(start, start + 10_000)
        assert sum(map(len, tokenizer.asked)) < len(text) * 1.3


def test_only_the_words_beside_the_ends_of_a_part_are_counted():
    text = "\n".join(f"Line {n} with some words in it." for n in range(100))
    tokenizer = Recording()
    ruler = Ruler(Meter(tokenizer), text, 1000)
    tokenizer.asked.clear()
    for start, end in ((11, 2003), (11, 1400), (1202, 2003)):
        assert ruler.measure(start, end) == ADDITIVE.count(text[start:end])
    assert sum(map(len, tokenizer.asked)) < 200


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("one twenty, 3\n", [0, 3, 6, 10, 11, 12, 13, 14]),
        ("one", [0, 3]),
        ("internationalize", [0, 4, 8, 12, 16]),
        ("", [0]),
    ],
)
def test_each_word_ends_with_a_token(line, ends):
    assert Meter(ADDITIVE).token_ends(line) == ends


def test_a_letter_of_several_tokens_ends_with_each_of_them():
    assert Meter(Bytes()).token_ends("é, ab") == [0, 1, 1, 2, 3, 4, 5]
    assert Meter(Bytes()).token_ends("中 a") == [0, 1, 1, 1, 2, 3]


@pytest.mark.parametrize(
    ("line", "ends"), [("é, aé", [0, 1, 1, 2, 3, 4, 5, 5]), ("odd é", [0, 1, 2, 3, 4, 4, 5])]
)
def test_a_tokenizer_is_asked_once_for_the_ends_of_tokens_in_a_line(line, ends):
    tokenizer = Located()
    made = Meter(tokenizer)
    assert [made.token_ends(line) for _ in range(2)] == [ends] * 2
    assert tokenizer.lines == [line]


def test_a_tokenizer_that_counts_texts_together_is_asked_once_for_all_new_ones():
    calls = []

    class Together(Recording):
        def count_each(self, texts):
            calls.append(list(texts))
            return [ADDITIVE.count(text) for text in texts]

    tokenizer = Together()
    made = Meter(tokenizer)
    assert made.each_repeated(["one", "two dogs", "one"]) == [1, 2, 1]
    assert made.each_repeated(["two dogs", "three"]) == [2, 1]
    assert made.repeated("three") == 1
    assert calls == [["one", "two dogs"], ["three"]]
    assert tokenizer.asked == []


def test_a_text_that_recurs_is_counted_once():
    tokenizer = Recording()
    made = Meter(tokenizer)
    assert [made.repeated("two dogs"), *made.each_repeated(["two dogs"] * 2)] == [2] * 3
    assert tokenizer.asked == ["two dogs"]


def test_equal_lines_are_counted_once():
    tokenizer = Recording()
    made = Meter(tokenizer)
    Ruler(made, "One\nTwo\n", 10), Ruler(made, "Two\nOne\nThree", 10)
    assert sorted(tokenizer.asked) == ["One\n", "Three", "Two\n"]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("one, two", 3),
        ("one, two.", 8),
        ("one, two_", 3),
        ("one, it's", 3),
        ("one", 0),
        ("", 0),
        ("one, " + "_" * 100, 3),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "long", "lines"),
    [
        ("a" * 10 + "\n", 10, ["a" * 10 + "\n"]),
        ("a" * 9 + "\n", 10, []),
        ("中中中\n", 10, ["中中中\n"]),
        ("中中\n", 10, []),
        ("short\n" + "a" * 20 + "\nlast", 10, ["a" * 20 + "\n"]),
        ("a" * 4096 + "\n" + "b" * 4095 + "\n", 10_000, ["a" * 4096 + "\n"]),
    ],
)
def test_the_tokens_of_a_line_over_a_length_are_located_at_once(text, long, lines):
    tokenizer = Located()
    Ruler(Meter(tokenizer), text, long)
    assert tokenizer.lines == lines


@pytest.mark.parametrize(
    ("long", "parts"),
    [
        (0, ["a\n", "b\n", "long line\n", "c"]),
        (2, ["a\n", "b\n", "long line\n", "c"]),
        (3, ["a\nb\n", "long line\n", "c"]),
        (5, ["a\nb\nlong line\n", "c"]),
        (100, ["a\nb\nlong line\nc"]),
    ],
)
def test_lines_whose_counts_do_not_add_up_are_counted_together(long, parts):
    tokenizer = Recording(WHOLE)
    Ruler(Meter(tokenizer), "a\nb\nlong line\nc", long)
    assert tokenizer.asked == parts


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


@pytest.mark.parametrize(
    ("limit", "guess", "probes"),
    [
        (500, 500, [500, 501]),
        (499, 500, [500, 499]),
        (506, 500, [500, 501, 503, 507, 505, 506]),
        (494, 500, [500, 499, 497, 493, 495, 494]),
        (999, 999, [999]),
        (
            998,
            500,
            [
                500,
                501,
                503,
                507,
                515,
                531,
                563,
                627,
                755,
                999,
                877,
                938,
                968,
                983,
                991,
                995,
                997,
                998,
            ],
        ),
    ],
)
def test_the_search_for_the_furthest_begins_with_short_steps(limit, guess, probes):
    seen = []
    furthest(lambda place: seen.append(place) or place <= limit, 0, 999, guess)
    assert seen == probes


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
