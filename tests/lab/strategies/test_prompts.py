"""Prompts in the language of the text, windows of words, and PPLRerank."""

from __future__ import annotations

import re
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab.asked import GivenCompleter, GivenEmbedder, texts_of
from lab.scripted import HashScorer

from docxchunk.errors import ModelError
from docxchunk.lab.strategies import (
    lgmgc,
    meta_chunking,
    prompted,
    pseudo_instruction,
)
from docxchunk.lab.strategies.lgmgc import LG, LGDocument
from docxchunk.lab.strategies.meta_chunking import MSP, Previous
from docxchunk.lab.strategies.plain import words_before
from docxchunk.lab.strategies.prompted import (
    DirectLLM,
    LumberChunker,
    Mode,
    Proposition,
    named_id,
)
from docxchunk.lab.strategies.prompts import window_end, word_windows
from docxchunk.lab.strategies.pseudo_instruction import PIC
from docxchunk.model.wording import Wording, language_of
from docxchunk.retrieval.folders import models as search_models
from docxchunk.retrieval.folders.models import query_losses

ENGLISH = "\n".join(f"Paragraph {n} says this. And it says that." for n in range(8))
CHINESE = "\n".join(f"第{n}段写了这些内容。它还写了别的内容。" for n in range(8))
STRATEGIES = [
    MSP(), MSP(previous=Previous.SENTENCE), LG(theta=40, min_tail=0), LGDocument(), LumberChunker(), LumberChunker(mode=Mode.MARGIN),
    DirectLLM(), Proposition(), PIC(),
]  # fmt: skip
MODULES = (lgmgc, meta_chunking, prompted, pseudo_instruction, search_models)
WORDINGS = [
    value for module in MODULES for value in vars(module).values() if isinstance(value, Wording)
] + list(meta_chunking._PROMPTS.values())


class Remembering(HashScorer):
    def __init__(self):
        self.asked = []

    def score(self, questions):
        self.asked += questions
        return super().score(questions)


def asked_of(strategy, text):
    scorer, completer = Remembering(), GivenCompleter(lambda prompt: "")
    texts_of(text, strategy, scorer, completer, GivenEmbedder({}))
    return [*completer.asked, *(question.instruction for question in scorer.asked)]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
def test_models_are_asked_in_the_language_of_the_text(strategy):
    english, chinese = asked_of(strategy, ENGLISH), asked_of(strategy, CHINESE)
    assert english
    assert chinese
    assert {language_of(prompt) for prompt in english} == {""}
    assert {language_of(prompt) for prompt in chinese} == {"zh"}


def test_the_prompt_of_a_query_is_in_its_language():
    found = {}
    for query in ("Why?", "为什么？"):
        query_losses(query, ["One.", "二。"], scorer := Remembering())
        found[query] = {question.before.split("\n")[1] for question in scorer.asked}
    assert found == {
        "Why?": {"Based on the above content, generate a question:"},
        "为什么？": {"根据以上内容，生成一个问题："},
    }


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda wording: wording.english[:20])
def test_prompts_contain_no_identifier(wording):
    """A rename in the code once changed a word of a published prompt."""
    assert [
        word for text in wording for word in re.findall(r"\w+_\w+", re.sub(r"\{\w*\}", "", text))
    ] == []


def test_the_prompts_of_all_strategies_are_tested():
    assert len(WORDINGS) == 11


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("答案：ID 0012", 12),
        ("答案是ID：0007。", 7),
        ("应为ID0003是也", 3),
        ("0004。", 4),
        ("ID 0042x", None),
        ("GRID 4", None),
        ("第四段", None),
    ],
)
def test_answers_in_chinese(answer, number):
    assert named_id(answer) == number


class TestReranking:
    def test_the_losses_of_the_query_after_each_text(self):
        scorer = Questioned({"far": 3.0, "near": 1.0, "nearer": 0.5})
        assert query_losses("Why?", ["far", "near", "nearer"], scorer) == [3.0, 1.0, 0.5]
        assert [(q.text, q.ends) for q in scorer.asked] == [("Why?", (4,))] * 3
        assert scorer.asked[0].before == "far\nBased on the above content, generate a question:"

    def test_an_answer_that_is_not_a_number_is_a_model_error(self):
        with pytest.raises(
            ModelError,
            match=r'PPLRerank asked the model test:questioned about "Why[?]" and got nan',
        ):
            query_losses("Why?", ["a", "odd"], Questioned({"a": 1.0, "odd": nan}))

    def test_an_empty_query_asks_nothing(self):
        assert query_losses("", ["a", "b"], Questioned({})) == [0.0, 0.0]
        assert query_losses("Why?", [], Questioned({})) == []


class Questioned:
    """Losses of a query by the text before it."""

    name = fingerprint = "test:questioned"

    def __init__(self, table):
        self.table, self.asked = table, []

    def score(self, questions):
        self.asked += questions
        return [(self.table[question.before.split("\n")[0]],) for question in questions]


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
