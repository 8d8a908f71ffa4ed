from __future__ import annotations

import math

import pytest

from docxchunk.evaluation.statistics import Estimate, VerdictBasis, verdict

APART = "P and R cannot be told apart on these 40 questions"
ASKED = VerdictBasis("recall in 4,000 characters", 40, 8)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Estimate(0.05, 0.0001, 7), "P finds more than R (+5.0 [+2.6, +7.4])."),
        (Estimate(-0.05, 0.0001, 7), "P finds less than R (-5.0 [-7.4, -2.6])."),
        (Estimate(0.0, 0.0, 7), "P and R find the same on these 40 questions."),
        (Estimate(0.001, 0.00001, 7), f"{APART} (+0.1 [-0.6, +0.8]); a difference of 2 points is ruled out."),
        (
            Estimate(0.01, 0.0004, 7),
            f"{APART} (+1.0 [-3.7, +5.7]); about 128 more, on 26 more documents like these, would settle a difference of 2 points.",
        ),
        (Estimate(0.019, 0.0001, 4000), f"{APART} (+1.9 [-0.1, +3.9])."),
    ],
)
def test_differences_with_0_in_the_interval_are_not_claimed(found, said):
    assert verdict(ASKED, "P", {"R": found}) == f"By recall in 4,000 characters: {said}"


def test_one_document_has_no_interval():
    alone = verdict(VerdictBasis("recall", 9, 1), "P", {"R": Estimate(0.3, math.nan, math.nan)})
    assert alone == "Nothing can be said of differences: all 9 questions are on one document, and one document has no interval."


def test_a_mean_with_a_set_without_interval_has_none():
    assert verdict(VerdictBasis("recall", 9, 4), "P", {"R": Estimate(0.3, math.nan, math.nan)}).endswith(
        "P and R cannot be told apart on these 9 questions (+30.0)."
    )


def test_nothing_to_compare():
    assert verdict(ASKED, "P", {}) == "One chunker was measured, P; there is nothing to compare."
