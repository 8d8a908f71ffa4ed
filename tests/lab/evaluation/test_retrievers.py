from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st
from lab.evaluation.makers import ANIMALS, passage

from docxchunk import api
from docxchunk.backends.bm25 import K1, B, words
from docxchunk.lab.evaluation.passages import ShownPassage
from docxchunk.lab.evaluation.retrievers import (
    Fused,
    Reranked,
    bm25,
    dense,
    ranked,
    windows,
)
from docxchunk.retrieval import RERANKED

pytestmark = pytest.mark.skipif(
    find_spec("numpy") is None, reason="the extra eval is not installed"
)

SENTENCES = [
    sentence.strip()
    for text in ANIMALS.values()
    for sentence in text.replace("\n\n", " ").split(".")
    if sentence.strip()
]
PASSAGES = [passage((0, 1), text=text) for text in SENTENCES]


def test_bm25_against_rank_bm25():
    """Its Okapi with Lucene's idf, and without the constant k1 + 1, is the same formula."""
    okapi = pytest.importorskip("rank_bm25", reason="rank-bm25 is not installed").BM25Okapi
    corpus = [words(text) for text in SENTENCES]
    other = okapi(corpus, k1=K1, b=B)
    frequency = {word: sum(word in text for text in corpus) for text in corpus for word in text}
    other.idf = {
        word: math.log(1 + (len(corpus) - n + 0.5) / (n + 0.5)) for word, n in frequency.items()
    }
    questions = [
        "when does a dog wag its tail",
        "mice and bones",
        "sleep",
        "nothing of that: xylophone",
    ]
    for question, scores in zip(questions, bm25(PASSAGES, questions), strict=True):
        assert scores == pytest.approx(other.get_scores(words(question)) / (K1 + 1), abs=1e-5)


def test_ties_are_broken_by_position():
    twins = [
        passage((0, 1), text="one cat"),
        passage((1, 2), text="a dog here"),
        passage((2, 3), text="one cat"),
        passage((3, 4), text="one cat"),
    ]
    scores = next(bm25(twins, ["cat"]))
    assert list(ranked(scores)) == [0, 2, 3, 1]


def test_the_score_of_a_passage_is_that_of_its_best_part():
    small = ShownPassage(
        0,
        "dogs and much else of no matter here",
        (),
        smaller=("dogs", "much else of no matter here"),
    )
    flat = [passage((0, 1), text=text) for text in (small.text, *small.smaller, "cats")]
    best = next(bm25([small, flat[3]], ["dogs"]))
    alone = next(bm25(flat, ["dogs"]))
    assert best[0] == pytest.approx(alone[1])
    assert best[0] > alone[0]


@pytest.mark.parametrize(
    ("question", "best"), [("What do cats do at dusk?", "Cats purr at dusk."), ("zebras", "Name")]
)
def test_units_are_ranked_as_in_a_search_and_whole_tables_come_last(question, best):
    rows = "".join(f"<tr><tc>{name}</tc><tc>9</tc></tr>" for name in ("Name", "Cat", "Owl"))
    document = api.parse(docx(f"<tbl>{rows}</tbl><p>Cats purr at dusk.</p>"))
    units = api.units(document, api.chunk(document))
    passages = [replace(passage((0, 1), text=unit.content), unit=unit) for unit in units]
    order = ranked(next(bm25(passages, [question])))
    kinds = [units[number].kind for number in order]
    assert kinds.count("table") == 1
    assert kinds[-1] == "table"
    assert units[order[0]].content.startswith(best)


class Letters:
    """An embedder that counts letters and reads only the first three words, as MiniLM reads only
    256 tokens.
    """

    name = fingerprint = "letters"

    def embed(self, texts):
        rows = np.array(
            [
                [
                    " ".join(text.lower().split()[:3]).count(letter) + 1e-3
                    for letter in "abcdefghijklmnopqrstuvwxyz"
                ]
                for text in texts
            ],
            dtype=np.float32,
        )
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_dense_reads_all_windows():
    texts = ["aaa bbb ccc zzz zzz zzz", "zzz zzy zyy", "aaa bbb ccc"]
    passages = [passage((0, 1), text=text) for text in texts]
    whole = next(dense(Letters(), lambda text: len(text.split()), 100)(passages, ["zzz zzz zzz"]))
    pooled = next(dense(Letters(), lambda text: len(text.split()), 3)(passages, ["zzz zzz zzz"]))
    assert ranked(whole)[0] == 1
    assert ranked(pooled)[0] == 0
    assert pooled[0] == pytest.approx(1, abs=1e-3)
    assert pooled[1:] == pytest.approx(whole[1:])


@given(st.text(alphabet="ab 中.\n", max_size=80), st.integers(1, 6))
def test_windows_are_all_of_the_text(text, most):
    def count(text: str) -> int:
        return len(words(text)) + text.count("中")

    found = windows(text, count, most)
    assert "".join(found) == text
    assert all(count(window) <= most or len(window) == 1 for window in found)


def test_the_best_passages_are_ranked_again_by_the_loss_of_the_question():
    class Scorer:
        name = fingerprint = "test:scorer"

        def score(self, questions):
            return [(-float(question.before.split()[0]),) for question in questions]

    def first_ones_first(passages, questions):
        yield -np.arange(len(passages), dtype=float)

    passages = [passage((n, n + 1), text=str(n)) for n in range(RERANKED + 3)]
    (scores,) = Reranked(first_ones_first, Scorer())(passages, ["Which?"])
    best_again = [*range(RERANKED)][::-1]
    assert ranked(scores).tolist() == [*best_again, RERANKED, RERANKED + 1, RERANKED + 2]


def fused(*orders):
    """Return the order of the passages after fusion of these orders."""

    def retriever(order):
        return lambda passages, questions: iter([-np.argsort(order).astype(float)])

    passages = [passage(text="x")] * len(orders[0])
    (scores,) = Fused(tuple(map(retriever, orders)))(passages, ["?"])
    return ranked(scores).tolist()


@given(st.lists(st.permutations(range(6)), min_size=2, max_size=3))
def test_fusion_by_its_formula(orders):
    sums = [
        sum(Fraction(1, 60 + order.index(number) + 1) for order in orders) for number in range(6)
    ]
    assert fused(*orders) == sorted(orders[0], key=lambda number: -sums[number])
