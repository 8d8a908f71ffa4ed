"""Answer scores compared with the published scripts, copied here or installed, and a reader with
scripted answers.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab.evaluation.makers import passage

from docxchunk.lab.evaluation import scores
from docxchunk.lab.evaluation.questions import Question
from docxchunk.lab.evaluation.scores import (
    MEASURES,
    Ranking,
    answer_prompt,
    answered,
    measured,
    read_within,
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


@given(st.text(alphabet=string.printable, max_size=40))
def test_words_are_those_of_squad(text):
    assert list(scores.words(text)) == normalised(text).split()


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


@given(CASES, SAID)
def test_laws_of_words(case, another):
    answer, known = case
    for measure in (scores.exact_match, scores.token_f1, scores.rouge_l):
        # the best of several
        assert 0 <= measure(answer, known) <= measure(answer, [*known, another]) <= 1
        assert measure(answer, [answer]) == 1
    # order counts for ROUGE
    assert (
        scores.exact_match(answer, known)
        <= scores.rouge_l(answer, known)
        <= scores.token_f1(answer, known) + 1e-12
    )


@pytest.mark.parametrize(
    ("text", "known", "held"),
    [
        ("It was the U.S., of course", ["the US"], True),
        ("Categories", ["cat"], False),  # whole words
        ("A cat", ["dog", "Cat!"], True),
        ("anything", ["the"], False),
        ("…", ["–", "the"], False),  # neither has words
        ("猫在黄昏时捕猎。", ["黄昏"], True),
        (
            (
                '<table id="tb-1" '
                'format="json">[["Month","Rain"],["May","34.5"],["June","41"]]</table>'
            ),
            ["34.5"],
            True,
        ),
        (
            (
                '<table id="tb-1" '
                'format="json">[["Month","Rain"],["May","34.5"],["June","41"]]</table>'
            ),
            ["June 41"],
            True,
        ),
        (
            (
                '<table id="tb-1" '
                'format="json">[["Month","Rain"],["May","34.5"],["June","41"]]</table>'
            ),
            ["May"],
            True,
        ),
        ("<tr><td>May</td><td>34</td></tr>", ["34"], True),
        ("It delivered 351.7 cubic metres[^1], three quarters.", ["351.7 cubic metres"], True),
    ],
)
def test_holds_answer(text, known, held):
    assert scores.holds_answer(text, known) == held


def test_without_passages_all_measures_are_0_and_without_answers_some_are_unknown():
    question = Question("?", frozenset({0}), ((0, 5),), "a")
    row = measured(Ranking(question, [], [], []), (20,), [(0, 5)], 0.5)
    unknown = {name for name, value in row.items() if math.isnan(value)}
    assert unknown == {f"answer@{k}" for k in range(1, 21)}
    assert {value for name, value in row.items() if name not in unknown} == {0.0}
    row = measured(Ranking(question._replace(answers=("cat",)), [], [], []), (20,), [], 0.5)
    assert row["answer@20"] == 0


def test_a_passage_with_too_little_of_the_answer_is_no_hit():
    passages = [passage((9, 30)), passage((0, 10))]
    question = Question("?", frozenset({0}), ((0, 10),), "a")
    for share, rank, precision in ((0.5, 1 / 2, 1 / 2), (0.0, 1, 1)):
        row = measured(Ranking(question, passages, [0, 1], [0, 1]), (20,), [], share)
        assert (row["MRR@10"], row["MAP@10"]) == (rank, precision)


def test_measures_of_the_first_passages():
    """The first passage has one of two gold spans, the second half of the other, the third all."""
    passages = [passage((0, 10)), passage((25, 30)), passage((20, 30)), passage((50, 60))]
    question = Question("?", frozenset({0}), ((0, 10), (20, 30)), "a")
    row = measured(Ranking(question, passages, [0, 1, 2, 3], [0, 1, 2]), (20,), [], 0.6)
    for measure, values in {
        "R": (0.5, 0.75, 1, 1, 1),
        "P": (1, 1, 0.8, 20 / 35, 20 / 35),
        "full": (0.5, 0.5, 1, 1, 1),
        "hit": (1, 1, 1, 1, 1),
        "relevant": (1, 1, 1, 1, 1),
    }.items():
        assert [row[f"{measure}@{k}"] for k in (1, 2, 3, 4, 20)] == pytest.approx(values)
    assert row["P_omega"] == 1
    assert (row["MRR@10"], row["MAP@10"]) == (1, 1)  # all of the second is gold
    assert row["MAP@10 (MultiHop)"] == pytest.approx((1 + 1 / 3) / 2)


def test_the_best_passage_for_evidence_is_of_the_document_of_the_question():
    passages = [passage((start, start + 9), source=start, text="The cat sat.") for start in (0, 20)]
    question = Question("?", frozenset({20}), ((90, 99),), "a", evidence=("the cat sat",))
    row = measured(Ranking(question, passages, [0, 1], []), (20,), [], 0.5)
    assert (row["relevant@1"], row["relevant@2"], row["DCG@1"]) == (0, 1, 0)


def test_the_first_passage_with_an_answer_counts():
    passages = [passage((0, 9), text="A dog barked."), passage((20, 29), text="The cat sat.")]
    question = Question("?", frozenset({0}), ((20, 29),), "a", answers=("cat",))
    row = measured(Ranking(question, passages, [0, 1], [1]), (20,), [], 0.5)
    assert (row["answer@1"], row["answer@2"], row["answer@20"]) == (0, 1, 1)


# -- ROUGE-L


@pytest.fixture(scope="module")
def rouge():
    return pytest.importorskip(
        "rouge_score.rouge_scorer", reason="rouge-score is not installed"
    ).RougeScorer(["rougeL"])


def test_rouge_l_by_hand():
    assert scores.rouge_l("police kill gunman", ["police killed gunman"]) == pytest.approx(2 / 3)
    # of the order, one word
    assert scores.rouge_l("gunman kill police", ["police kill gunman"]) == pytest.approx(1 / 3)


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


@pytest.mark.parametrize(("penalty", "unpunished"), [(1.0, 0.25), (0.5, 0.5), (0.0, 0.0)])
def test_bleu_is_a_share_with_and_without_the_penalty_for_short_answers(
    monkeypatch, penalty, unpunished
):
    class Scorer:
        def sentence_score(self, answer, references):
            assert (answer, references) == ("said", ["known", "other"])
            return SimpleNamespace(score=25.0, bp=penalty, precisions=[100.0, 50.0, 10.0, 0.0])

    monkeypatch.setattr(scores, "_scorer", Scorer)
    found = scores.bleu("said", ("known", "other"))
    assert found == scores.Bleu(0.25, unpunished, (1.0, 0.5, 0.1, 0.0))


@pytest.fixture(scope="module")
def sacrebleu():
    pytest.importorskip("sacrebleu", reason="the extra eval is not installed")
    scores.bleu("", [""])  # the first one loads it


@pytest.mark.usefixtures("sacrebleu")
def test_bleu_by_hand():
    """Papineni et al., 2002: 2 of 7 words, clipped; then a short answer, all of whose words are
    right.
    """
    assert scores.bleu("the the the the the the the", ["the cat is on the mat"]).precisions[
        :2
    ] == pytest.approx((2 / 7, 0))
    short = scores.bleu("the cat is on", ["the cat is on the mat"])
    assert short.precisions == (1, 1, 1, 1)
    assert short.unpunished == pytest.approx(1)
    assert short.score == pytest.approx(2.718281828 ** (1 - 6 / 4))
    # no four words in a row
    assert scores.bleu("the cat", ["the cat"]) == scores.Bleu(0, 0, (1, 1, 0, 0))
    assert scores.bleu("", ["the cat"]) == scores.Bleu(0, 0, (0, 0, 0, 0))


@pytest.mark.usefixtures("sacrebleu")
def test_bleu_of_chinese_is_by_the_character():
    assert scores.bleu("猫在黄昏捕猎", ["猫在黄昏捕猎"]).score == pytest.approx(1)
    assert scores.bleu("猫在早上捕猎", ["猫在黄昏捕猎"]).precisions[0] == pytest.approx(4 / 6)


@pytest.mark.usefixtures("sacrebleu")
@given(CASES)
def test_laws_of_bleu(case):
    answer, known = case
    found = scores.bleu(answer, known)
    assert 0 <= found.score <= found.unpunished + 1e-9 <= 1 + 1e-6
    assert all(0 <= precision <= 1 for precision in found.precisions)
    assert scores.bleu(answer, [*known, answer]).precisions[0] == (1 if answer else 0)


# -- the reader


def test_the_reader_reads_up_to_the_budget():
    ranking = [
        passage((0, 5), text="One, "),
        passage((5, 9), text="two,"),
        passage((9, 20), text="three, four"),
    ]
    assert read_within(ranking, 5) == ["One, "]
    assert read_within(ranking, 6) == ["One, ", "t"]
    assert read_within(ranking, 0) == []
    assert read_within(ranking, 12) == ["One, ", "two,", "thr"]
    assert read_within(ranking, 99) == ["One, ", "two,", "three, four"]
    assert read_within([], 9) == []


def test_the_prompt_asks_before_and_after_the_passages():
    assert answer_prompt("Who pays?", ["The tenant pays.", "The landlord repairs."]).split(
        "\n"
    ) == [
        "Refer to the passages below and answer the following question with just a few words.",
        "The tenant pays.",
        "The landlord repairs.",
        "Refer to the context above and answer the following question with just a few words.",
        "Question: Who pays?",
        "The answer is",
    ]


class Parrot:
    name = fingerprint = "parrot"

    def __init__(self, *said):
        self.said, self.prompts = said, []

    def complete(self, prompts):
        self.prompts += prompts
        return [*self.said]


def test_the_reader_is_asked_only_questions_with_reference_answers(monkeypatch):
    monkeypatch.setattr(scores, "bleu", lambda *_: scores.Bleu(0, 0, (0, 0, 0, 0)))
    asked = [
        Question(text, frozenset({0}), ((0, 1),), "a", known)
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
