"""The cheapest cuts against all possible cuts."""

from __future__ import annotations

from itertools import accumulate, chain, combinations, pairwise

import pytest
from case_files import sections
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk.chunking.stages import best_cuts
from docxchunk.chunking.stages.best_cuts import CutCosts, SizeTargets, cheapest_cuts

TARGETS = SizeTargets(0.75, 0.125)


def costs(sizes, prices=None, cap=100, inside=None, closing=None):
    count = len(sizes)
    none = [0] * count
    return CutCosts(
        [*accumulate(sizes, initial=0)],
        none,
        closing or none,
        prices or [0.0] * count,
        inside or [-1] * count,
        [cap] * count,
        [count] * count,
    )


@pytest.mark.parametrize("case", sections("chunking/cuts.txt"), ids=lambda case: case.title)
def test_bounds(case):
    rows = {
        name: [*map(float if name == "price" else int, values)]
        for name, *values in map(str.split, case.source.splitlines())
    }
    made = costs(
        rows["sizes"],
        rows.get("price"),
        *rows.get("cap", [100]),
        rows.get("inside"),
        rows.get("closing"),
    )
    assert cheapest_cuts(made, TARGETS) == [*map(int, case.expected.split())]


def test_fewest_then_even():
    assert cheapest_cuts(costs([10] * 15), TARGETS) == [7]
    assert len(cheapest_cuts(costs([10] * 40), TARGETS)) == 3


def test_a_price_moves_a_cut_within_a_window():
    prices = [0.0] + [0.1] * 14
    prices[6] = 0.0
    assert cheapest_cuts(costs([10] * 15, prices), TARGETS) == [6]
    prices = [0.0] + [0.1] * 14
    prices[2] = 0.0
    assert cheapest_cuts(costs([10] * 15, prices), TARGETS) != [2]


def test_a_small_stretch_joins_a_full_chunk():
    assert cheapest_cuts(costs([90, 8, 95]), TARGETS) == [2]


def test_a_chunk_goes_no_further_than_its_reach():
    made = costs([10] * 4)
    made.reach[:2] = [2, 2]
    assert cheapest_cuts(made, TARGETS) == [2]


def test_text_added_at_the_ends_counts():
    made = costs([50, 50])._replace(closing=[0, 1])
    assert cheapest_cuts(made, TARGETS) == [1]
    assert cheapest_cuts(costs([50, 50]), TARGETS) == []


def test_a_stretch_over_the_limit_stands_alone():
    assert cheapest_cuts(costs([150, 10, 10]), TARGETS) == [1]


def test_a_chunk_does_not_straddle_two_sections():
    sizes, inside = [55] * 4, [-1, 0, -1, 2]
    assert cheapest_cuts(costs(sizes, [0.0, 0.05, 0.0, 0.05], 120, inside), TARGETS) == [2]


@settings(max_examples=some(200), deadline=None)
@given(data=st.data())
def test_no_other_cuts_cost_less(data):
    # so that no chunk is too short to be tried
    sizes = data.draw(st.lists(st.integers(45, 100), min_size=1, max_size=8))
    prices = data.draw(
        st.lists(st.sampled_from([0.0, 0.05, 0.3, 4.0]), min_size=len(sizes), max_size=len(sizes))
    )
    made = costs(sizes, prices)

    def cost(chosen):
        ends = [0, *chosen, len(sizes)]
        if any(sum(sizes[a:b]) > 100 for a, b in pairwise(ends)):
            return float("inf")
        return sum(
            best_cuts._size_cost(sum(sizes[a:b]) / 100, TARGETS) for a, b in pairwise(ends)
        ) + sum(prices[at] for at in chosen)

    every = chain.from_iterable(
        combinations(range(1, len(sizes)), count) for count in range(len(sizes))
    )
    assert abs(cost(cheapest_cuts(made, TARGETS)) - min(map(cost, every))) < 1e-9
