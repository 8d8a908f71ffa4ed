"""Each rule from scores to cuts against a naive implementation, and against other libraries."""

from __future__ import annotations

import functools
import random
import re
import warnings
from itertools import accumulate, groupby, pairwise
from math import inf, isclose, isnan, nan

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lab.asked import texts_of
from lab.scripted import HashEmbedder

from docxchunk.lab.strategies.boundaries import (
    DEFAULT_AMOUNT,
    Sides,
    Threshold,
    at_least_apart,
    beats_mean_margin,
    breakpoints,
    distances,
    first_maximum,
    minima,
    relevance_cuts,
)
from docxchunk.lab.strategies.semantic import V

# coarse, so that plateaus and ties are common
STEPS = st.integers(-6, 6).map(lambda step: step / 4)
SCORES = st.lists(STEPS | st.sampled_from([inf, nan]), max_size=12)


def slow_minima(scores, threshold, sides):
    """Find minima by formula 2 of Meta-Chunking for both sides, and by its published code for
    either side.
    """
    v = [inf if isnan(score) else score for score in scores]
    found = []
    if sides is Sides.BOTH:
        inner = [i for i in range(1, len(v) - 1) if v[i] < inf]
        return [
            i
            for i in inner
            if v[i] < v[i - 1] and _formula_2(v[i - 1] - v[i], v[i + 1] - v[i], threshold)
        ]
    for i in range(1, len(v) - 1):
        if v[i] == inf:
            continue
        left, right = v[i - 1] - v[i], v[i + 1] - v[i]
        valley = v[i] < v[i - 1] and v[i] < v[i + 1]
        step_down = v[i] < v[i - 1] and v[i] == v[i + 1]
        deep = left >= threshold or right >= threshold
        if (valley and deep) or (step_down and left >= threshold):
            found.append(i)
    return found


def _formula_2(left, right, threshold):
    return (right > 0 and min(left, right) > threshold) or (right == 0 and left > threshold)


@given(SCORES, st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.sampled_from(Sides))
@example([1.0, 0.0, 0.0, 1.0], 0.0, Sides.EITHER)
@example([nan, 1.0, inf], 0.5, Sides.BOTH)
def test_minima(scores, threshold, sides):
    assert minima(scores, threshold, sides) == slow_minima(scores, threshold, sides)


@given(SCORES)
def test_both_sides_find_no_more_minima_than_either(scores):
    assert set(minima(scores, 0.5, Sides.BOTH)) <= set(minima(scores, 0.5)) <= set(minima(scores))


def test_a_learned_threshold_is_the_least_depth_so_far():
    scores = [3.0, 1.0, 3.0, 2.0, 3.0, 2.5, 2.6, 1.5, 3.0]
    assert minima(scores) == [1, 3, 5, 7]
    # depths 2 and 1; then 0.5 on its deeper side is too little
    assert minima(scores, learn_after=2) == [1, 3, 7]
    # the first one is half as deep on its right side as the second one
    assert minima([3.0, 1.0, 1.5, 0.5, 1.5], learn_after=1) == [1, 3]


@given(st.lists(STEPS, min_size=1, max_size=20))
@example([0.5] * 7)
def test_relevance_cuts(scores):
    mean = sum(scores) / len(scores)
    runs = [
        len(list(run))
        for _, run in groupby(score >= mean or isclose(score, mean) for score in scores)
    ]
    assert relevance_cuts(np.array(scores)) == list(np.cumsum(runs)[:-1])


@given(st.lists(STEPS, min_size=2, max_size=20), st.sampled_from([-2, -1, 1, 2]))
def test_sigmas_move_the_threshold(scores, sigmas):
    values = np.array(scores)
    over = values >= values.mean() + sigmas * values.std() - 1e-9
    assert relevance_cuts(values, sigmas) == [
        i for i in range(1, len(scores)) if over[i] != over[i - 1]
    ]


def slow_scan(margins, history):
    """Return the cuts of the loop in the published code of Meta-Chunking; the threshold is 0 until
    there are enough margins.
    """
    cuts, recorded, threshold = [], [], 0.0
    for number, margin in enumerate(margins, 1):
        if not (margin > threshold or (isclose(margin, threshold) and margin > 0)):
            cuts.append(number)
        recorded.append(margin)
        if len(recorded) >= max(history, 1):
            last = recorded[-history:] if history else recorded
            threshold = sum(last) / len(last)
    return cuts


@given(
    st.lists(st.integers(-4, 4).map(lambda step: step / 4), max_size=20),
    st.sampled_from([0, 1, 2, 5]),
)
def test_margins(margins, history):
    cuts = [
        n
        for n in range(1, len(margins) + 1)
        if not beats_mean_margin(margins[n - 1], margins[: n - 1], history)
    ]
    assert cuts == slow_scan(margins, history)


@pytest.mark.parametrize("history", [0, 1, 5])
def test_constant_margins_are_judged_by_their_sign(history):
    for margin in (1.0, 1 / 3, 0.1):
        assert all(beats_mean_margin(margin, [margin] * n, history) for n in range(20))
        assert not any(beats_mean_margin(-margin, [-margin] * n, history) for n in range(20))
    assert not beats_mean_margin(0.0, [], history)
    assert not beats_mean_margin(nan, [], history)
    assert beats_mean_margin(0.25, [nan] * 5, history)


@given(st.lists(STEPS | st.sampled_from([-inf, nan]), min_size=1, max_size=9))
def test_the_first_maximum(values):
    best = first_maximum(values)
    known = [-inf if isnan(value) else value for value in values]
    assert known[best] == max(known)
    assert max(known) not in known[:best]


@pytest.mark.parametrize(
    "kind",
    [
        Threshold.PERCENTILE,
        Threshold.STANDARD_DEVIATION,
        Threshold.INTERQUARTILE,
        Threshold.GRADIENT,
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_thresholds_are_those_of_langchain(kind, seed):
    chunker = langchain(kind)
    vectors = np.random.default_rng(seed).normal(size=(40, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    gaps = distances(vectors)
    limit, values = chunker._calculate_breakpoint_threshold(gaps.tolist())
    assert breakpoints(gaps, kind, DEFAULT_AMOUNT[kind]) == [
        i + 1 for i, value in enumerate(values) if value > limit
    ]


@pytest.mark.parametrize(
    "kind",
    [
        Threshold.PERCENTILE,
        Threshold.STANDARD_DEVIATION,
        Threshold.INTERQUARTILE,
        Threshold.GRADIENT,
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_chunks_are_those_of_langchain(kind, seed):
    """Sentences, windows and distances are the same. Only a gap exactly at the threshold may
    differ, because sums of floats do.
    """
    rnd = random.Random(seed)  # noqa: S311 - a text, not a secret
    text = " ".join(
        f"{' '.join(rnd.choices(NOUNS, k=rnd.randint(3, 9))).capitalize()}{rnd.choice('.?!')}"
        for _ in range(60)
    )
    theirs = langchain(kind, AMOUNTS[kind])
    sentences = re.split(theirs.sentence_split_regex, text)
    limit, values = theirs._calculate_breakpoint_threshold(
        theirs._calculate_sentence_distances(sentences)[0]
    )
    close = {i + 1 for i, value in enumerate(values) if abs(value - limit) <= 1e-6}
    cuts = [
        cuts_of(chunks, sentences)
        for chunks in (
            texts_of(text, V(threshold=kind, amount=AMOUNTS[kind]), HashEmbedder()),
            theirs.split_text(text),
        )
    ]
    assert cuts[0] ^ cuts[1] <= close
    assert len(cuts[0] - close) > 3


def cuts_of(chunks, sentences):
    """Return the sentences that start a chunk. Each chunk has whole sentences."""
    starts = list(accumulate((chunk.count(" ") + 1 for chunk in chunks), initial=0))[1:-1]
    words = list(accumulate((sentence.count(" ") + 1 for sentence in sentences), initial=0))
    return {words.index(start) for start in starts}


NOUNS = (
    "valve",
    "supply",
    "contract",
    "clause",
    "data",
    "chunk",
    "boundary",
    "delivery",
    "system",
    "page",
    "rain",
    "roof",
)
AMOUNTS = {
    Threshold.PERCENTILE: 80.0,
    Threshold.STANDARD_DEVIATION: 1.0,
    Threshold.INTERQUARTILE: 0.5,
    Threshold.GRADIENT: 85.0,
}


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(0, 30), st.data())
def test_cuts_at_least_apart(lengths, least, data):
    cuts = sorted(
        data.draw(st.sets(st.integers(1, len(lengths)).filter(lambda cut: cut < len(lengths))))
        if len(lengths) > 1
        else []
    )
    kept = at_least_apart(cuts, lengths, least)
    assert set(kept) <= set(cuts)
    assert all(sum(lengths[a:b]) + b - a - 1 >= least for a, b in pairwise([0, *kept]))
    for cut in set(cuts) - set(kept):
        start = max((one for one in kept if one < cut), default=0)
        assert sum(lengths[start:cut]) + cut - start - 1 < least


@functools.cache
def langchain(kind, amount=None, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of their own packages
        splitter = pytest.importorskip(
            "langchain_experimental.text_splitter", reason="langchain-experimental is not installed"
        )
        from langchain_core.embeddings import Embeddings

    class Hashed(Embeddings):
        def embed_documents(self, texts):
            return HashEmbedder().embed(texts).tolist()

        def embed_query(self, text):
            raise NotImplementedError

    return splitter.SemanticChunker(
        Hashed(),
        breakpoint_threshold_type=kind.value,
        breakpoint_threshold_amount=amount,
        **settings,
    )


@pytest.mark.parametrize("threshold", Threshold)
def test_an_amount_of_0_selects_the_default(threshold):
    rnd = random.Random(3)  # noqa: S311 - a text, not a secret
    text = " ".join(f"{' '.join(rnd.choices(NOUNS, k=4)).capitalize()}." for _ in range(60))
    default, same, other = (
        texts_of(text, V(threshold=threshold, amount=amount), HashEmbedder())
        for amount in (0.0, DEFAULT_AMOUNT[threshold], DEFAULT_AMOUNT[threshold] / 50)
    )
    assert default == same != other
