"""Intervals of means over questions by the variance between documents, and the sentences about
them.
"""

from __future__ import annotations

import json
import math
import re
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from make_fixtures import DOCUMENTS

from benchmarks.figures import pooled
from docxchunk.lab.evaluation.statistics import (
    Estimate,
    Interval,
    VerdictBasis,
    estimate,
    points,
    verdict,
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


def test_the_correction_is_that_of_the_matrices():
    """Compute CR2 and its degrees of freedom by their definition, for clusters of unequal size."""
    sizes, values = [1, 2, 3, 9], RANDOM.normal(0, 1, 15)
    names = [str(number) for number, size in enumerate(sizes) for _ in range(size)]
    total, ones = 15, np.ones((15, 1))
    hat = ones @ ones.T / total
    residuals, variance, columns = values - values.mean(), 0.0, []
    for number in range(4):
        here = np.array([name == str(number) for name in names])
        roots, vectors = np.linalg.eigh(np.eye(sizes[number]) - hat[np.ix_(here, here)])
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T
        variance += (adjusted.sum(axis=0) @ residuals[here]) ** 2 / total**2
        columns.append((np.eye(total) - hat)[:, here] @ adjusted.sum(axis=1) / total)
    # 1 within a cluster, 0 between clusters
    correlated = np.equal.outer(np.array(names), np.array(names))
    inner = np.array(columns) @ correlated @ np.array(columns).T
    found = estimate(values, names)
    assert found.variance == pytest.approx(variance)
    assert found.freedom == pytest.approx(np.trace(inner) ** 2 / np.sum(inner**2))


def test_nothing_has_no_mean():
    for found in (estimate(np.array([]), []), pooled([])):
        assert all(map(math.isnan, found))


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        (Interval(0, 0, 0), "same"),
        (Interval(0, -0.012, 0.012), "+0.0 [-1.2, +1.2]"),
        (Interval(0.5, 0, 1), "+50.0 [+0.0, +100.0]"),
        (Interval(-0.5, -1, 0), "-50.0 [-100.0, +0.0]"),
        (Interval(0, math.nan, math.nan), "+0.0"),
    ],
)
def test_a_difference_is_shown_in_points_with_its_interval(interval, shown):
    assert points(interval) == shown


def test_two_clusters_have_an_interval():
    assert estimate(np.array([0.0, 1.0]), ["a", "b"]) == pytest.approx((0.5, 0.25, 1))


@pytest.mark.parametrize(
    ("low", "high", "is_settled"),
    [(0.1, 0.3, True), (0.0, 0.3, False), (-0.3, 0.0, False), (-0.3, -0.1, True)],
)
def test_a_difference_is_settled_if_its_interval_excludes_0(low, high, is_settled):
    assert Interval((low + high) / 2, low, high).settled is is_settled


def test_growth_for_a_half_width():
    values = RANDOM.normal(0, 0.3, 60)
    found = estimate(values, [str(i % 12) for i in range(60)])
    growth = found.growth_for(0.02)
    assert growth > 1
    assert found.half_width(growth=growth) == pytest.approx(0.02, rel=1e-2)
    assert found.growth_for(found.half_width()) == 1
    for growth in (1.05, 3, 10_000):
        half = found.half_width(growth=growth)
        assert found.growth_for(half) == pytest.approx(growth, rel=1e-2)
    assert Estimate(0, 1e9, 3).growth_for(0.02) == math.inf
    assert estimate(np.array([1.0, 2.0]), ["a", "a"]).growth_for(0.02) == math.inf


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
        (Estimate(0.05, 0.0001, 7), "P finds more than R (+5.0 [+2.6, +7.4])."),
        (Estimate(-0.05, 0.0001, 7), "P finds less than R (-5.0 [-7.4, -2.6])."),
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
    assert verdict(ASKED, "P", {"R": found}) == f"By recall in 4,000 characters: {said}"


def test_one_document_has_no_interval_and_two_have_one():
    found = {"R": Estimate(0.3, 0.0001, 1)}
    assert verdict(VerdictBasis("recall", 9, 2), "P", found) == (
        "By recall: P finds more than R (+30.0 [+17.3, +42.7])."
    )
    alone = verdict(VerdictBasis("recall", 9, 1), "P", {"R": Estimate(0.3, math.nan, math.nan)})
    assert alone == (
        "Nothing can be said of differences: all questions are on one document, and one document "
        "has no interval."
    )


def test_a_mean_with_a_set_without_interval_has_none():
    assert verdict(
        VerdictBasis("recall", 9, 4), "P", {"R": Estimate(0.3, math.nan, math.nan)}
    ).endswith("P and R cannot be told apart on these 9 questions (+30.0).")


@pytest.mark.parametrize(
    ("clusters", "end"), [(9, "; so few documents do not show whether they differ."), (10, ".")]
)
def test_with_few_documents_it_is_not_claimed_that_two_find_the_same(clusters, end):
    found = verdict(VerdictBasis("recall", 1000, clusters), "P", {"R": Estimate(0, 0, 9)})
    assert found == f"By recall: P and R find the same on these 1,000 questions{end}"


def test_nothing_to_compare():
    assert verdict(ASKED, "P", {}) == "One chunker was measured, P; there is nothing to compare."


@given(st.floats(-0.05, 0.05), st.floats(1e-7, 1e-2), st.integers(10, 500))
def test_more_questions_are_only_advised_in_numbers(mean, variance, clusters):
    """At least twice as many, of which the interval would show a difference of 2 points with
    probability 0.8.
    """
    found = Estimate(mean, variance, clusters - 1)
    said = verdict(VerdictBasis("recall", 40 * clusters, clusters), "P", {"R": found})
    advised = re.search(r"about ([\d,]+) questions on ([\d,]+) documents", said)
    if advised:
        questions, documents = (int(number.replace(",", "")) for number in advised.groups())
        assert questions >= 2 * 40 * clusters
        assert documents >= 2 * clusters
        half = found.half_width(growth=documents / clusters)
        assert 0.02 / half >= 1.4  # (1.96 + 0.84) / 1.96
        growth = found.growth_for(0.02 / 1.43)
        for number, needed in ((questions, 40 * clusters * growth), (documents, clusters * growth)):
            assert needed <= number < needed * 1.1 + 1
            assert len(str(number).rstrip("0")) <= 2


@pytest.mark.parametrize(("documents", "is_advised"), [(9, False), (10, True)])
def test_more_documents_are_only_advised_from_ten_on(documents, is_advised):
    found = {"R": Estimate(0.01, 0.0004, documents - 1)}
    text = verdict(VerdictBasis("recall", 40, documents), "P", found)
    assert ("it is unknown how many would be enough" in text) is not is_advised
    assert ("would show a difference of 2 points" in text) is is_advised


def test_warnings():
    assert warnings("recall in 4,000", 0.95, 4000, 8000) == ()
    assert [each.split(":")[0] for each in warnings("recall in 4,000", 0.97, 4000, 7000)] == [
        "Ceiling",
        "Large budget",
    ]
