"""Reranking, and counts of words."""

from __future__ import annotations

from math import nan

import pytest
from chunking.asked import strip_of
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.chunking.prompts import window_end, word_windows, words, words_before
from docxchunk.chunking.strategies.meta_chunking import rank
from docxchunk.errors import ModelError


class TestReranking:
    def test_the_text_after_which_the_query_is_least_surprising_is_first(self):
        scorer = Questioned({"far": 3.0, "near": 1.0, "nearer": 0.5})
        assert rank("Why?", ["far", "near", "nearer"], scorer) == [2, 1, 0]
        assert [(q.text, q.ends) for q in scorer.asked] == [("Why?", (4,))] * 3
        assert scorer.asked[0].before == "far\nBased on the above content, generate a question:"

    def test_an_answer_that_is_not_a_number_is_a_model_error(self):
        with pytest.raises(
            ModelError,
            match=r'PPLRerank asked the model test:questioned about "Why[?]" and got nan',
        ):
            rank("Why?", ["a", "odd"], Questioned({"a": 1.0, "odd": nan}))

    def test_ties_keep_their_order(self):
        assert rank(
            "Why?", ["a", "b", "a", "c"], Questioned({"a": 1.0, "b": 1.00001, "c": 0.5})
        ) == [3, 0, 2, 1]
        assert rank("", ["a", "b"], Questioned({})) == [0, 1]
        assert rank("Why?", [], Questioned({})) == []


class Questioned:
    """Losses of a query by the text before it."""

    name = fingerprint = "test:questioned"

    def __init__(self, table):
        self.table, self.asked = table, []

    def score(self, questions):
        self.asked += questions
        return [(self.table[question.before.split("\n")[0]],) for question in questions]


def test_each_chinese_or_japanese_character_is_a_word():
    assert words("Two words, 两个词。End") == ["Two", "words,", "两", "个", "词", "。", "End"]
    assert words(" \n") == []


@given(st.lists(st.integers(0, 5), max_size=12), st.integers(1, 12))
def test_word_windows_are_as_long_as_possible(sizes, most):
    before = words_before("w " * size for size in sizes)
    found = word_windows(before, most)
    assert [n for stretch in found for n in stretch] == list(range(len(sizes)))
    for stretch in found:
        total = sum(sizes[stretch.start : stretch.stop])
        assert total <= most or len(stretch) == 1
        assert stretch.stop == len(sizes) or total + sizes[stretch.stop] > most
        assert window_end(before, stretch.start, most) == stretch.stop


def test_a_strip_has_the_sentences_of_the_text():
    _, strip = strip_of("One. Two.")
    assert [strip.text(number) for number in range(len(strip))] == ["One.", "Two."]
