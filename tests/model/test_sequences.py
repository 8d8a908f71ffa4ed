"""What two sequences of words have in common."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model import sequences
from docxchunk.model.sequences import WordMatch, count_common, longest_rise, matches, runs

SEQUENCES = st.lists(st.sampled_from("abc"), max_size=9)


@given(SEQUENCES, SEQUENCES)
def test_both_sides_can_be_rebuilt(old, new):
    pieces = list(runs(old, new))
    assert [number for run in pieces for number in run.old] == list(range(len(old)))
    assert [number for run in pieces for number in run.new] == list(range(len(new)))
    same = [run for run in pieces if run.is_same]
    assert all([old[n] for n in run.old] == [new[n] for n in run.new] for run in same)
    assert all(one.is_same != other.is_same for one, other in pairwise(pieces))


@given(SEQUENCES)
def test_equal_sequences_have_no_change(words):
    assert matches(words, words) == ([WordMatch(0, 0, len(words))] if words else [])


@pytest.mark.parametrize(("old", "new"), [("ab", "abcb"), ("abcb", "ab"), ("xab", "yabcb")])
def test_a_word_that_follows_a_run_is_a_part_of_it(old, new):
    assert matches(old, new) == [WordMatch(old.index("a"), new.index("a"), 2)]


@given(SEQUENCES, SEQUENCES)
def test_no_common_subsequence_is_longer(old, new):
    size = sum(match.size for match in matches(old, new))
    assert count_common(old, new) == size
    longer = set(combinations(old, size + 1)) if size < len(old) else set()
    assert not longer & set(combinations(new, size + 1))


@given(st.lists(st.integers(0, 30), max_size=60), st.lists(st.integers(0, 30), max_size=60))
def test_long_sequences_are_divided(old, new):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequences, "MOST_PAIRS", 16)
        test_both_sides_can_be_rebuilt.hypothesis.inner_test(old, new)
        test_equal_sequences_have_no_change.hypothesis.inner_test(old)


@each_row("model")
def test_the_work_grows_with_the_words(monkeypatch, old, new):
    """The bits of all rows and positions are counted: at most twice the root of `MOST_PAIRS` for
    each word.
    """
    bits = []
    rows = sequences._rows

    def counted(left, right):
        bits.append((len(left) + len(right)) * len(right))
        return rows(left, right)

    monkeypatch.setattr(sequences, "_rows", counted)
    monkeypatch.setattr(sequences, "MOST_PAIRS", 64)
    for times in (10, 20, 40):
        bits.clear()
        both = [*old * times, "x", *old * times], [*new * times, "x", *new * 3 * times]
        matches(*both)
        assert sum(bits) <= 16 * sum(map(len, both))


@given(st.lists(st.integers(0, 20), max_size=8, unique=True))
def test_no_increasing_subsequence_is_longer(numbers):
    rise = longest_rise(numbers)
    assert tuple(rise) in combinations(numbers, len(rise))
    assert all(left < right for left, right in pairwise(rise))
    longer = combinations(numbers, len(rise) + 1)
    assert all(any(left > right for left, right in pairwise(each)) for each in longer)
