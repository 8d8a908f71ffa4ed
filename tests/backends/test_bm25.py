"""Words, their places and stems, and the scores of texts."""

from __future__ import annotations

from math import exp, log

import pytest
from case_files import each_row, each_text
from hypothesis import example, given
from hypothesis import strategies as st

pytest.importorskip("numpy", reason="the extra search is not installed")

import numpy as np

from docxchunk.backends.bm25 import (
    K1,
    B,
    KeyNumbers,
    WordIndex,
    most_worth,
    stem,
    words,
    words_at,
    words_of_question,
)

TEXTS = st.lists(
    st.sampled_from(
        ["本规范", "の", "Größe", "the", "1,200", "6.13.1", "payments", " ", "-", "한국"]
    )
).map("".join)


@example("本规范の")
@given(TEXTS)
def test_the_words_at_their_places_are_those_of_the_text(text):
    assert [at.word for at in words_at(text)] == words(text)
    assert all(words(text[at.start : at.end])[-1] == at.word for at in words_at(text))


@each_row("backends", expected=each_text)
def test_words_of_a_text(text, expected):
    assert words(text) == expected


@each_row("backends", expected=each_text)
def test_what_and_which_are_left_out_of_a_question_with_other_words(question, expected):
    assert words_of_question(question) == expected


@each_row("backends", expected=each_text)
def test_a_name_in_long_and_short_is_asked_for_in_short_if_the_text_has_that(question, expected):
    assert words_of_question(question, {"eps", "ue", "qos", "ppp", "xyz", "dl"}.__contains__) == (
        expected
    )


@each_row("backends")
def test_the_stem_of_a_word(word, expected):
    assert stem(word) == expected


TOKENS = [[0, 1, 1], [2], [], [1, 2, 2, 2], [0, 3]]


def scores_by_formula(texts, question):
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        score = 0.0
        for word in set(question):
            number = sum(word in each for each in texts)
            rarity = log(1 + (len(texts) - number + 0.5) / (number + 0.5))
            count = text.count(word)
            score += rarity * count / (count + K1 * (1 - B + B * len(text) / mean))
        scores.append(score)
    return pytest.approx(scores)


@pytest.mark.parametrize("question", [[0], [1, 2], [1, 1, 1], [3, 4, 9], [4], []])
def test_scores_are_those_of_the_formula(question):
    """A word counts once, and one that no text has (4, 9) counts nothing."""
    assert WordIndex.build(TOKENS).scores(question).tolist() == scores_by_formula(TOKENS, question)


def test_an_index_of_no_texts_or_of_texts_without_words_has_no_scores():
    assert WordIndex.build([]).scores([0]).tolist() == []
    assert WordIndex.build([[], []]).scores([0]).tolist() == [0, 0]


def test_merged_indexes_are_those_of_all_texts_but_the_ones_left_out():
    parts = (
        (WordIndex.build(TOKENS), np.array([3, -1, 0, 4, -1]), np.arange(6)),
        (WordIndex.build([[0, 1], [2], [3]]), np.array([2, 1, -1]), np.array([4, 0, 1, 5])),
    )
    merged = WordIndex.merged(parts)
    made = WordIndex.build([[], [1], [4, 0], TOKENS[0], TOKENS[3]])
    assert merged.lengths.tolist() == made.lengths.tolist()
    for question in ([0, 1], [2], [3], [4], [5]):
        assert merged.scores(question).tolist() == pytest.approx(made.scores(question).tolist())


def test_keys_are_numbered_as_they_come():
    numbers = KeyNumbers[str]()
    assert [numbers[key] for key in "abacb"] == [0, 1, 0, 2, 1]


def test_a_common_word_is_worth_the_less_the_more_common_it_is_and_the_longer_texts_are():
    assert most_worth(0.02, 20) < most_worth(0.001, 20)
    assert most_worth(0.001, 200) < most_worth(0.001, 20)
    assert exp(-most_worth(0.01, 30)) == pytest.approx(1 - exp(-0.3))
