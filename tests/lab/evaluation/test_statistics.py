"""Intervals of means over questions by the variance between documents, and the sentences about
them.
"""

from __future__ import annotations

import json
import math
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from case_files import each_row, yes
from make_fixtures import DOCUMENTS

from benchmarks.figures import pooled
from docxchunk.lab.evaluation.statistics import (
    Estimate,
    MeanInterval,
    VerdictBasis,
    estimate,
    points,
    sentences,
    warnings,
)

RANDOM = np.random.default_rng(7)


def interval_of(values, clusters):
    return estimate(values, clusters).interval()


def test_the_same_numbers_give_the_same_interval():
    left, right = RANDOM.random(60), RANDOM.random(60)
    clusters = [str(i % 12) for i in range(60)]
    assert interval_of(left - right, clusters) == interval_of(left - right, clusters)


def test_the_interval_of_no_difference_is_zero():
    values = RANDOM.random(20)
    assert interval_of(values - values, [str(i) for i in range(20)]) == (0, 0, 0)


def test_questions_of_a_cluster_count_as_one_where_they_agree():
    """Twenty copies of each question give the same interval as one."""
    values = RANDOM.normal(0, 1, 50)
    names = [str(i) for i in range(50)]
    copied = interval_of(np.repeat(values, 20), [name for name in names for _ in range(20)])
    assert copied == pytest.approx(interval_of(values, names))
    apart = interval_of(np.repeat(values, 20), [str(i) for i in range(1000)])
    assert apart.high - apart.low < (copied.high - copied.low) / 3


def test_one_cluster_has_no_interval():
    found = interval_of(np.array([1.0, 2.0]), ["a", "a"])
    assert found.mean == 1.5
    assert math.isnan(found.low)


def test_with_equal_clusters_it_is_the_t_interval_of_their_means():
    """With equal clusters, CR2 is the variance of the cluster means, with one degree of freedom
    less than clusters.
    """
    values = RANDOM.normal(0.1, 1, 48)
    names = [str(i % 8) for i in range(48)]
    means = np.array([values[i::8].mean() for i in range(8)])
    found = estimate(values, names)
    assert found.mean == pytest.approx(means.mean())
    assert found.variance == pytest.approx(means.var(ddof=1) / 8)
    assert found.freedom == pytest.approx(7)
    assert found.interval().high == pytest.approx(
        means.mean() + 2.3646 * means.std(ddof=1) / math.sqrt(8), rel=1e-4
    )


def test_nothing_has_no_mean():
    for found in (estimate(np.array([]), []), pooled([])):
        assert all(map(math.isnan, found))


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        (MeanInterval(0, 0, 0), "same"),
        (MeanInterval(0, -0.012, 0.012), "+0.0 [-1.2, +1.2]"),
        (MeanInterval(0.5, 0, 1), "+50.0 [+0.0, +100.0]"),
        (MeanInterval(-0.5, -1, 0), "-50.0 [-100.0, +0.0]"),
        (MeanInterval(0, math.nan, math.nan), "+0.0"),
    ],
)
def test_a_difference_is_shown_in_points_with_its_interval(interval, shown):
    assert points(interval) == shown


def test_two_clusters_have_an_interval():
    assert estimate(np.array([0.0, 1.0]), ["a", "b"]) == pytest.approx((0.5, 0.25, 1))


@each_row("lab", low=float, high=float, is_settled=yes)
def test_a_difference_is_settled_if_its_interval_excludes_0(low, high, is_settled):
    assert MeanInterval((low + high) / 2, low, high).settled is is_settled


# -- do the intervals hold what they promise? (slow)

# Differences of recall, in thousandths, for each question, by document, as `docxchunk eval` scored
# them with chunks of 400 tokens and BM25. Of TAT-QA, a document is a report of ten contexts (56
# reports, 40 to 61 questions each); of "tables", a Word file (30 files, 1 to 105 questions each).
DIFFERENCES = json.loads((DOCUMENTS.parent / "scores" / "differences.json").read_text("utf-8"))
DIFFERENCES = {
    pair: [np.array(document) / 1000 for document in documents]
    for pair, documents in DIFFERENCES.items()
}
REPORTS = [pair for pair in DIFFERENCES if not pair.startswith("tables")]
FILES = [pair for pair in DIFFERENCES if pair.startswith("tables")]


class Drawn(NamedTuple):
    """Documents that are drawn with replacement, with the differences of their questions."""

    values: np.ndarray
    names: list[str]


def drawn(documents, number, draw):
    chosen = [documents[place] for place in draw.integers(0, len(documents), number)]
    return Drawn(
        np.concatenate(chosen), [str(place) for place, values in enumerate(chosen) for _ in values]
    )


def coverage(documents, number, interval, tries=4000):
    """Return the share of intervals that hold the mean of all questions."""
    true = float(np.concatenate(documents).mean())
    draw, held = np.random.default_rng(number), 0
    for _ in range(tries):
        low, high = interval(*drawn(documents, number, draw))
        held += low <= true <= high
    return held / tries


def covered(documents, number):
    return coverage(documents, number, lambda *found: interval_of(*found)[1:])


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "number"), [*product(REPORTS, [5, 10, 20])])
def test_intervals_have_their_nominal_coverage(pair, number):
    """Of the intervals at 95 %, 93 to 97 of 100 hold the true difference; with five documents, a
    percent more or less.
    """
    slack = 0.01 if number < 10 else 0.0
    assert 0.93 - slack <= covered(DIFFERENCES[pair], number) <= 0.97 + slack


@pytest.mark.slow
def test_means_over_sets_have_their_nominal_coverage():
    """The mean over sets of 5, 10 and 20 documents."""
    sets = [
        (DIFFERENCES[pair], number)
        for pair, number in zip([*REPORTS[:2], *FILES[:1]], [5, 10, 20], strict=True)
    ]
    true, draw, held = (
        np.mean([np.concatenate(documents).mean() for documents, _ in sets]),
        np.random.default_rng(3),
        0,
    )
    for _ in range(4000):
        found = pooled(
            [estimate(*drawn(documents, number, draw)) for documents, number in sets]
        ).interval()
        held += found.low <= true <= found.high
    assert 0.93 <= held / 4000 <= 0.97


APART = "P and R cannot be told apart on these 40 questions"
ASKED = VerdictBasis("recall in 4,000 characters", 40, 8)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Estimate(0.05, 0.0001, 7), "P finds 5.0 points more than R (95 % interval: 2.6 to 7.4)."),
        (Estimate(-0.05, 0.0001, 7), "P finds 5.0 points less than R (95 % interval: 2.6 to 7.4)."),
        (
            Estimate(0.0, 0.0, 7),
            (
                "P and R find the same on these 40 questions; so few documents do not show whether "
                "they differ."
            ),
        ),
        (
            Estimate(0.001, 0.00001, 7),
            f"{APART} (+0.1 [-0.6, +0.8]); a difference of 2 points is ruled out.",
        ),
        (
            Estimate(-0.019, 0.0001, 4000),
            (
                f"{APART} (-1.9 [-3.9, +0.1]); with so few documents, it is unknown how many "
                "would be enough."
            ),
        ),
        (
            Estimate(0.01, 0.0004, 7),
            (
                f"{APART} (+1.0 [-3.7, +5.7]); with so few documents, it is unknown how many "
                "would be enough."
            ),
        ),
        (
            Estimate(0.019, 0.0001, 4000),
            (
                f"{APART} (+1.9 [-0.1, +3.9]); with so few documents, it is unknown how many "
                "would be enough."
            ),
        ),
    ],
)
def test_differences_with_0_in_the_interval_are_not_claimed(found, said):
    assert sentences(ASKED, "P", {"R": found}) == (said,)


def test_one_document_has_no_interval_and_two_have_one():
    found = {"R": Estimate(0.3, 0.0001, 1)}
    assert sentences(VerdictBasis("recall", 9, 2), "P", found) == (
        "P finds 30.0 points more than R (95 % interval: 17.3 to 42.7).",
    )
    (alone,) = sentences(
        VerdictBasis("recall", 9, 1), "P", {"R": Estimate(0.3, math.nan, math.nan)}
    )
    assert alone == (
        "Nothing can be said of differences: all questions are on one document, and one document "
        "has no interval."
    )


def test_nothing_to_compare():
    (sentence,) = sentences(ASKED, "P", {})
    assert sentence == "One chunker was measured, P; there is nothing to compare."


def test_warnings():
    assert warnings("recall in 4,000", 0.95, 4000, 8000) == ()
    assert [each.split(":")[0] for each in warnings("recall in 4,000", 0.97, 4000, 7000)] == [
        "Ceiling",
        "Large budget",
    ]
