from __future__ import annotations

import math

import numpy as np
import pytest

from docxchunk.evaluation.statistics import mean_interval, paired_difference

RANDOM = np.random.default_rng(7)


def test_the_same_numbers_give_the_same_interval():
    left, right = RANDOM.random(60), RANDOM.random(60)
    clusters = [str(i % 12) for i in range(60)]
    assert paired_difference(left, right, clusters) == paired_difference(left, right, clusters)


def test_no_difference_is_exactly_none():
    values = RANDOM.random(20)
    assert paired_difference(values, values, [str(i) for i in range(20)]) == (0, 0, 0)


def test_with_a_cluster_for_each_it_is_the_normal_interval():
    values = RANDOM.normal(1.0, 2.0, 2000)
    found = mean_interval(values, [str(i) for i in range(2000)])
    half = 1.96 * values.std() / math.sqrt(2000)
    assert found.mean == pytest.approx(values.mean())
    assert found.low == pytest.approx(values.mean() - half, abs=half / 10)
    assert found.high == pytest.approx(values.mean() + half, abs=half / 10)


def test_questions_of_a_cluster_count_as_one_where_they_agree():
    """Twenty copies of each question say no more than the question."""
    values = RANDOM.normal(0, 1, 50)
    names = [str(i) for i in range(50)]
    copied = mean_interval(np.repeat(values, 20), [name for name in names for _ in range(20)])
    assert copied == pytest.approx(mean_interval(values, names))
    apart = mean_interval(np.repeat(values, 20), [str(i) for i in range(1000)])
    assert apart.high - apart.low < (copied.high - copied.low) / 3


def test_one_cluster_says_nothing():
    found = mean_interval(np.array([1.0, 2.0]), ["a", "a"])
    assert found.mean == 1.5
    assert math.isnan(found.low)
