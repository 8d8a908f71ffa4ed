"""The longest increasing subsequence."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model.order import longest_rise


@given(st.lists(st.integers(0, 20), max_size=8, unique=True))
def test_no_increasing_subsequence_is_longer(numbers):
    rise = longest_rise(numbers)
    assert tuple(rise) in combinations(numbers, len(rise))
    assert all(left < right for left, right in pairwise(rise))
    longer = combinations(numbers, len(rise) + 1)
    assert all(any(left > right for left, right in pairwise(each)) for each in longer)
