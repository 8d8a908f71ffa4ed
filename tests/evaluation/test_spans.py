from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from docxchunk.evaluation.passages import holds, overlap, size, union

SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (min(pair), max(pair))), max_size=8)


def characters(spans: list[tuple[int, int]]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


@given(SPANS)
def test_a_union_has_the_same_characters_in_disjoint_sorted_spans(spans):
    found = union(spans)
    assert characters(found) == characters(spans)
    assert size(found) == len(characters(spans))
    assert all(left[1] < right[0] for left, right in pairwise(found))


@given(SPANS, SPANS)
def test_overlap_equals_that_of_character_sets(left, right):
    assert overlap(union(left), union(right)) == len(characters(left) & characters(right))


@given(SPANS, st.tuples(st.integers(0, 40), st.integers(1, 5)))
def test_a_union_holds_a_span_of_its_characters(spans, place):
    start, length = place
    inner = (start, start + length)
    assert holds(union(spans), inner) == (characters([inner]) <= characters(spans))
