"""Answer scores compared with the published scripts, copied here or installed, and a reader with
scripted answers.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter

import pytest
from case_files import each_row, each_text, yes
from hypothesis import given
from hypothesis import strategies as st
from lab.evaluation.makers import passage

from docxchunk.lab.evaluation import scores
from docxchunk.lab.evaluation.questions import GoldQuestion
from docxchunk.lab.evaluation.scores import (
    MEASURES,
    RankedPassages,
    answered,
    measured,
)

SAID = st.lists(
    st.sampled_from(
        ["the", "a", "An", "cat", "Cat.", "cat's", "on", "on", "$5", "1.5", "(mat)", "--"]
    ),
    max_size=8,
).map(" ".join)
CASES = st.tuples(SAID, st.lists(SAID, min_size=1, max_size=3))


# -- SQuAD (evaluate-v1.1.py, evaluate-v2.0.py)


def normalised(text: str) -> str:
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def squad_f1(answer: str, known: str) -> float:
    left, right = normalised(answer).split(), normalised(known).split()
    same = sum((Counter(left) & Counter(right)).values())
    if not left or not right:
        return float(left == right)
    if not same:
        return 0.0
    precision, recall = same / len(left), same / len(right)
    return 2 * precision * recall / (precision + recall)


@given(CASES)
def test_exact_match_and_f1_are_those_of_squad(case):
    answer, known = case
    assert scores.exact_match(answer, known) == max(
        normalised(answer) == normalised(each) for each in known
    )
    assert scores.token_f1(answer, known) == pytest.approx(
        max(squad_f1(answer, each) for each in known)
    )


@pytest.mark.parametrize(
    ("answer", "known", "exact", "f1"),
    [
        ("The Cat!", ["cat"], 1, 1),
        ("a black cat", ["cat", "black dog"], 0, 2 / 3),
        ("12.5 million", ["12.5"], 0, 2 / 3),
        ("dog", ["cat"], 0, 0),
        ("", ["cat"], 0, 0),
        ("在黄昏。", ["黄昏"], 0, 4 / 5),  # by the character
        ("黄 昏", ["「黄昏」"], 1, 1),
    ],
)
def test_known_values(answer, known, exact, f1):
    assert scores.exact_match(answer, known) == exact
    assert scores.token_f1(answer, known) == pytest.approx(f1)


@each_row("lab", known=each_text, held=yes)
def test_holds_answer(text, known, held):
    assert scores.holds_answer(text, known) == held


def test_the_first_passage_with_an_answer_counts():
    passages = [passage((0, 9), text="A dog barked."), passage((20, 29), text="The cat sat.")]
    question = GoldQuestion("?", frozenset({0}), ((20, 29),), "a", answers=("cat",))
    row = measured(RankedPassages(question, passages, [0, 1], [1]), (20,), [], 0.5)
    assert (row["answer@1"], row["answer@2"], row["answer@20"]) == (0, 1, 1)


# -- ROUGE-L


@pytest.fixture(scope="module")
def rouge():
    return pytest.importorskip(
        "rouge_score.rouge_scorer", reason="rouge-score is not installed"
    ).RougeScorer(["rougeL"])


@given(
    st.lists(st.sampled_from(["cat", "sat", "on", "mat", "5"]), max_size=9),
    st.lists(st.sampled_from(["cat", "sat", "on", "mat", "5"]), max_size=9),
)
def test_rouge_l_is_that_of_rouge_score(rouge, left, right):
    if left or right:
        assert scores.rouge_l(" ".join(left), [" ".join(right)]) == pytest.approx(
            rouge.score(" ".join(right), " ".join(left))["rougeL"].fmeasure
        )


# -- BLEU


@pytest.fixture(scope="module")
def sacrebleu():
    pytest.importorskip("sacrebleu", reason="the extra eval is not installed")
    scores.bleu("", [""])  # the first one loads it


@pytest.mark.usefixtures("sacrebleu")
def test_bleu_by_hand():
    """Papineni et al., 2002: 2 of 7 words, clipped; then a short answer, all of whose words are
    right.
    """
    assert scores.bleu("the the the the the the the", ["the cat is on the mat"])[
        2:4
    ] == pytest.approx((2 / 7, 0))
    short = scores.bleu("the cat is on", ["the cat is on the mat"])
    assert short[2:] == (1, 1, 1, 1)
    assert short[1] == pytest.approx(1)
    assert short[0] == pytest.approx(2.718281828 ** (1 - 6 / 4))
    # no four words in a row
    assert scores.bleu("the cat", ["the cat"]) == (0, 0, 1, 1, 0, 0)
    assert scores.bleu("", ["the cat"]) == (0, 0, 0, 0, 0, 0)


@pytest.mark.usefixtures("sacrebleu")
def test_bleu_of_chinese_is_by_the_character():
    assert scores.bleu("猫在黄昏捕猎", ["猫在黄昏捕猎"])[0] == pytest.approx(1)
    assert scores.bleu("猫在早上捕猎", ["猫在黄昏捕猎"])[2] == pytest.approx(4 / 6)


# -- the reader


class Parrot:
    name = fingerprint = "parrot"

    def __init__(self, *said):
        self.said, self.prompts = said, []

    def complete(self, prompts):
        self.prompts += prompts
        return [*self.said]


def test_the_reader_is_asked_only_questions_with_reference_answers(monkeypatch):
    monkeypatch.setattr(scores, "bleu", lambda *_: (0, 0, 0, 0, 0, 0))
    asked = [
        GoldQuestion(text, frozenset({0}), ((0, 1),), "a", known)
        for text, known in [("Who?", ("Ada",)), ("Why?", ()), ("When?", ("1843", "in 1843"))]
    ]
    parrot = Parrot("<think>Or Bo?</think>\nAda.", "In 1844")
    passages = [["Ada wrote.", "She did."], ["No."], ["It was 1843."]]
    told = []
    found = answered(parrot, asked, passages, told.append)
    characters = sum(map(len, parrot.prompts))
    assert told == [f"parrot answers 2 prompts, {characters:,} characters"]
    assert [row["EM"] for row in found][::2] == [1, 0]
    assert found[2]["F1"] == pytest.approx(1 / 2)
    assert all(row.keys() == {*MEASURES} for row in found)
    assert all(map(math.isnan, found[1].values()))
    first, second = parrot.prompts
    assert "\nAda wrote.\nShe did.\n" in first
    assert first.endswith("Question: Who?\nThe answer is")
    assert "It was 1843." in second
    told.clear()
    assert all(map(math.isnan, answered(parrot, asked[1:2], [["No."]], told.append)[0].values()))
    assert (len(parrot.prompts), told) == (2, [])
