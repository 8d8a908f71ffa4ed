"""Ends of sentences (fixtures/sentences.txt), and the best places to cut."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from case_files import each_number, each_row, each_text, yes
from chunking.makers import WORDS
from examples import some
from hypothesis import example, given, settings
from hypothesis import strategies as st

from docxchunk.chunking import cutting
from docxchunk.chunking.cutting import Cutter, atoms_together, is_grapheme_start, whole_ranges
from docxchunk.chunking.tokens import Meter, Ruler
from docxchunk.content.tags import equation_tag, inline_tags
from docxchunk.language import sentences as language_sentences
from docxchunk.language.sentences import sentence_ends, sentences
from docxchunk.testing.hypothesis_strategies import ADDITIVE, CJK, ODD, WHOLE

SENTENCES = [
    line.split(" | ")
    for line in (Path(__file__).parents[2] / "fixtures" / "sentences.txt")
    .read_text(encoding="utf-8")
    .splitlines()
    if not line.startswith("#")
]


def test_sentences():
    for wanted in SENTENCES:
        for between in (" ", "   ", "\n", *([""] if "。" in "".join(wanted) else [])):
            text = between.join(wanted)
            for whole in (text, f" {text}\n"):
                found = sentences(whole, 0, len(whole))
                assert [whole[start:end] for start, end in found] == wanted


def test_the_text_around_a_range_changes_none_of_its_sentences():
    around = product(("Dr", "Wonderful", "(x. " * 10, "Is it? "), ("", ". No. ", " 3"))
    for wanted, (before, after) in product(SENTENCES, around):
        text = " ".join(wanted)
        whole, start = before + text + after, len(before)
        found = sentences(whole, start, start + len(text))
        assert [whole[a:b] for a, b in found] == wanted


@each_row("chunking", start=int, end=int, expected=each_number)
def test_the_ends_of_sentences_are_inside_their_range(text, start, end, expected):
    assert sentence_ends(text, start, end) == expected


def test_a_long_word_before_a_full_stop_is_no_abbreviation():
    known = (
        language_sentences._LEADING | language_sentences._NUMBERED | language_sentences._TRAILING
    )
    assert max(map(len, known)) < language_sentences._LONG
    assert not any(
        language_sentences._LABEL.fullmatch(f"{letter * language_sentences._LONG}.")
        for letter in "aivxlIVXL"
    )


@given(
    st.text(alphabet="aB1 .!?。；…\n)”[^]", max_size=60),
    st.lists(st.integers(0, 60), min_size=2, max_size=2),
)
@example("aa。bb。cc", [1, 5])
def test_sentences_cover_the_text_and_keep_ranges_whole(text, edges):
    low, high = sorted(min(edge, len(text)) for edge in edges)
    found = sentences(text, 0, len(text), [(low, high)])
    between = zip(
        [0, *(end for _, end in found)], [*(start for start, _ in found), len(text)], strict=True
    )
    assert not any(text[start:end].strip() for start, end in between), "lost"
    assert not any(low < end < high for _, end in found[:-1])


class Letters:
    """One token per letter, three per circumflex."""

    name = fingerprint = "test:letters"
    additive_over_newlines = False

    def count(self, text):
        return len(text) + 2 * text.count("\u0302")


LETTERS = Letters()


def cut(text, cap, counter=WORDS, keep=()):
    ruler = Ruler(Meter(counter), text)
    whole = whole_ranges(ruler, [*inline_tags(text), *keep], cap)
    return [
        text[start:end]
        for start, end in atoms_together(ruler, Cutter(ruler, cap, whole).atoms(0, len(text)), cap)
    ]


@each_row("chunking", cap=int, expected=each_text)
def test_the_best_place_wins(text, cap, expected):
    assert cut(text, cap) == expected


def atoms(text, cap, counter=LETTERS, whole=(), price=cutting.PARAGRAPH):
    found = Cutter(Ruler(Meter(counter), text), cap, whole).atoms(0, len(text), price)
    return [(text[start:end], price) for start, end, price in found]


def test_an_atom_has_the_price_of_the_cut_before_it():
    text = " One two.\n\nThree four. Five, six seven e\u0301\u0301\u0301 "
    assert atoms(text, 3, WORDS, price=7.0) == [
        ("One two.", 7.0),
        ("Three four.", cutting.PARAGRAPH),
        ("Five,", cutting.SENTENCE),
        ("six", cutting.CLAUSE),
        ("seven", cutting.SPACE),
        ("e\u0301\u0301", cutting.SPACE),
        ("\u0301", cutting.CODE_POINT),
    ]


@each_row("chunking", cap=int, sizes=each_number)
def test_words_and_parts_of_words_have_about_an_eighth_of_the_limit(text, cap, sizes):
    assert [len(atom) for atom, _ in atoms(text, cap)] == sizes


def test_parts_of_a_grapheme_that_are_too_long_are_cut_again():
    text = "a" + "\u0301" * 11 + "\u0302" * 2
    assert [len(atom) for atom, _ in atoms(text, 4)] == [3, 3, 3, 3, 1, 1]


@each_row("chunking", expected=each_text)
def test_ranges_that_stay_whole_are_atoms_of_their_own(text, expected):
    """They are in capitals, and begin and end with one."""
    whole = [
        found.span()
        for letter in "BD"
        for found in re.finditer(f"{letter}.*{letter}", text, re.DOTALL)
    ]
    assert [atom for atom, _ in atoms(text, 3, whole=whole)] == expected


def test_a_range_with_white_space_around_it_stays_whole():
    found = [atom for atom, _ in atoms("aaa bbbbb cc", 3, whole=[(3, 10)])]
    assert found == ["aaa", "bbbbb", "cc"]


def test_tags_stay_whole_unless_one_alone_is_too_long():
    tag = equation_tag("a b c d e f")
    assert any(tag in piece for piece in cut(f"{'word ' * 30}{tag}{' word' * 30}", 20))
    assert not any(tag in piece for piece in cut(f"{'word ' * 30}{tag}{' word' * 30}", 10))


def test_labels_stay_with_their_cells():
    assert cut("Name: value value value", 3, keep=[(0, 7)])[0].startswith("Name: v")


@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        "👩\u200d👩\u200d👧",
        "🇩🇪",
        "🇦🇿",  # the first and the last letter of flags
        "🇿🇦",
        "👍🏽",
        "한",
        "❤\ufe0f",
        "\u1100\u1160\u11ff\u11ff",  # from the first to the last jamo that joins
    ],
)
def test_grapheme_clusters_are_not_cut(cluster):
    text = f"a{cluster}b"
    assert [place for place in range(1, len(text)) if is_grapheme_start(text, place)] == [
        1,
        len(text) - 1,
    ]


def test_each_two_letters_of_flags_are_one_cluster():
    flags = "🇩🇪🇫🇷🇮🇹"
    assert [place for place in range(7) if is_grapheme_start(flags, place)] == [0, 2, 4, 6]


@each_row("chunking", at=int, expected=yes)
def test_in_a_long_run_of_flags_a_cluster_starts_everywhere(at, expected):
    assert is_grapheme_start("🇩" * 200, at) is expected


@pytest.mark.parametrize("text", ["\u10ff\u1160", "\u1100\u115f", "\u11ff\u1200", "🇩a", "a🇩"])
def test_other_letters_do_not_join_hangul_or_flags(text):
    assert is_grapheme_start(text, 1)


@pytest.mark.parametrize("text", ["", "\u0301", "\u0301\u0301"])
def test_a_cluster_starts_at_both_ends_of_a_text(text):
    assert is_grapheme_start(text, 0)
    assert is_grapheme_start(text, len(text))


@settings(max_examples=some(100), deadline=None)
@given(
    st.lists(
        st.sampled_from([*CJK, *ODD, "word", "Two words.", "; ", "\n", " "]),
        min_size=1,
        max_size=60,
    ).map("".join),
    st.integers(4, 60),
    st.sampled_from([ADDITIVE, WHOLE]),
)
def test_every_piece_fits_and_nothing_is_lost(text, cap, counter):
    pieces = cut(text, cap, counter)
    assert all(counter.count(piece) <= cap or len(piece) == 1 for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@settings(max_examples=some(100), deadline=None)
@given(
    st.lists(
        st.sampled_from([*CJK, *ODD, "word", "a. ", ", ", "\n", " "]), min_size=1, max_size=30
    ),
    st.lists(st.integers(0, 60), max_size=8, unique=True),
    st.integers(1, 12),
)
@example(["word"] * 4, [0, 9], 1)
@example(["word", " "] * 4, [0, 10], 1)  # with white space at its end
def test_a_range_that_stays_whole_is_cut_nowhere(words, edges, cap):
    text = "".join(words)
    edges = sorted(edge for edge in edges if edge <= len(text))
    whole = [*zip(edges[::2], edges[1::2], strict=False)]
    atoms = Cutter(Ruler(Meter(ADDITIVE), text), cap, whole).atoms(0, len(text))
    assert "".join("".join(text[a:b] for a, b, _ in atoms).split()) == "".join(text.split())
    for start, end, _ in atoms:
        inside = [(a, b) for a, b in whole if a < start < b or a < end < b]
        assert all(not text[a:start].strip() or not text[end:b].strip() for a, b in inside)
        fits = ADDITIVE.count(text[start:end]) <= cap
        assert fits or end - start == 1 or any(a < end and start < b for a, b in whole)
