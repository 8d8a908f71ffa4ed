"""The cheapest cuts against all possible cuts."""

from __future__ import annotations

from itertools import accumulate, chain, combinations, pairwise
from math import inf
from operator import add

import pytest
from case_files import sections
from docx_builder import docx
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.chunking import best_cuts
from docxchunk.chunking.best_cuts import CutCosts, CutRule, Search, SizeTargets, cheapest_cuts
from docxchunk.chunking.explain import _plan

TARGETS = SizeTargets(0.75)


def costs(sizes, price=None, cap=(100,), **fields):
    count, before = len(sizes), [*accumulate(sizes, initial=0)]
    none = [0] * count
    values = {"opening": none, "closing": none, "inside": [-1] * count, "reach": [count] * count}
    opening, closing, inside, reach = (values | fields).values()
    ends = [0, *map(add, before[1:], closing)]
    caps = [*cap] * (count // len(cap))
    return CutCosts(before, ends, [*(price or none), -inf], [*inside, -1], opening, caps, reach)


@pytest.mark.parametrize("case", sections("chunking/cuts.txt"), ids=lambda case: case.title)
def test_bounds(case):
    rows = {
        name: [*map(float if name == "price" else int, values)]
        for name, *values in map(str.split, case.source.splitlines())
    }
    assert cheapest_cuts(costs(**rows), TARGETS) == [*map(int, case.expected.split())]


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


def cost(made, chosen):
    """Return the cost of these cuts, as the documentation of `cheapest_cuts` has it. Short chunks
    are not tried if there is a longer one.
    """

    def tokens_of(first, last):
        return made.ends[last] - made.before[first] + made.opening[first]

    total = 0.0
    for first, last in pairwise([0, *chosen, len(made.caps)]):
        cap, reach = made.caps[first], made.reach[first]
        fitting = [end for end in range(first + 2, reach + 1) if tokens_of(first, end) <= cap]
        tokens = tokens_of(first, last)
        if last not in (first + 1, *fitting) or (
            tokens < 0.4 * cap and last < max(fitting, default=0)
        ):
            return inf
        total += best_cuts.SizeCosts(made.caps[first], TARGETS)[tokens] + made.price[first]
        if -1 != made.inside[first] != made.inside[last] != -1:
            total += 0.7
    return total


@st.composite
def all_costs(draw):
    sizes = draw(st.lists(st.integers(6, 60) | st.just(110), min_size=1, max_size=7))

    def each(values):
        return draw(st.lists(values, min_size=len(sizes), max_size=len(sizes)))

    return costs(
        sizes,
        each(st.sampled_from([0.0, 0.05, 0.3, 4.0])),
        each(st.sampled_from([100, 100, 95, 108])),
        inside=each(st.sampled_from([-1, 0, 0, 1])),
        opening=each(st.sampled_from([0, 0, 3, 8])),
        closing=each(st.sampled_from([0, -1, 5])),
        reach=[min(n + reach, len(sizes)) for n, reach in enumerate(each(st.integers(1, 9)))],
    )


@settings(max_examples=some(100), deadline=None)
@given(all_costs())
def test_no_other_cuts_cost_less(made):
    count = len(made.caps)
    every = chain.from_iterable(combinations(range(1, count), size) for size in range(count))
    costs_of = {cuts: cost(made, cuts) for cuts in every}
    chosen = cheapest_cuts(made, TARGETS)
    assert cost(made, chosen) == pytest.approx(min(costs_of.values()))
    search = Search(CutRule(TARGETS), None, made, [0, *chosen, count], set())
    for before, cut, after in zip(search.cuts, chosen, search.cuts[2:], strict=False):
        stay = {place for place in chosen if not before < place < after}
        least = min(
            costs_of[cuts]
            for cuts in costs_of
            if cut not in cuts and {place for place in cuts if not before < place < after} == stay
        )
        other = cheapest_cuts(made, TARGETS, before, after, cut)
        cuts = chosen if other is None else sorted([*stay, *other])
        total, here = (
            sum(_plan(search, [0, *places, count]).costs.values()) + made.price[0]
            for places in (cuts, chosen)
        )
        assert here == pytest.approx(costs_of[*chosen,])
        assert (inf if other is None else total) == pytest.approx(least)


@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.0, lambda power: 1.0 + 0.3),
        (0.12, lambda power: 0.88**power + 0.3),
        (0.125, lambda power: 0.875**power + 0.08),
        (0.5, lambda power: 0.5**power + 0.08),
        (0.74, lambda power: 0.26**power + 0.08),
        (0.75, lambda power: 0.25**power),
        (1.0, lambda _: 0.0),
        (1.5, lambda _: 0.0),
    ],
)
def test_the_cost_of_a_size(share, expected, power):
    targets = SizeTargets(0.75, power)
    assert best_cuts.SizeCosts(1, targets)[share] == pytest.approx(0.3 + expected(power))


def test_lines_without_a_heading_share_a_chunk_with_the_slice_beside_them():
    row = f"<tr><tc>{'left ' * 25}</tc><tc>{'right ' * 25}</tc></tr>"
    document = api.parse(docx(f"<p>Before.</p><tbl>{row * 3}</tbl><p>After.</p>"))
    first, _, last = document.chunks(max_tokens=60)
    assert first.content.startswith("Before.\nleft ")
    assert last.content.endswith("right\nAfter.")
