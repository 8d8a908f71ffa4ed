"""Sequences of token ids are divided and grouped into forward passes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

np = pytest.importorskip("numpy", reason="the extra semantic is not installed")

from docxchunk.backends.language_models.sequences import ScoredSequence, groups, restarts  # noqa: E402
from docxchunk.errors import ModelError  # noqa: E402


@st.composite
def passages(draw, most=120):
    ids = tuple(draw(st.lists(st.integers(0, 2), min_size=1, max_size=most)))
    at = np.array(sorted(draw(st.sets(st.integers(0, len(ids) - 1), min_size=1))))
    return ScoredSequence(ids, at, at[:, None] * 10, draw(st.integers(0, min(5, len(ids)))))


@given(passages(), st.integers(12, 40), st.integers(1, 6))
def test_restarts_request_everything_once_in_order_with_enough_context(passage, most, overlap):
    parts = restarts(passage, most, overlap)
    assert np.concatenate([part.tokens for part in parts]).tolist() == passage.tokens.tolist()
    places = iter(passage.at.tolist())
    for part in parts:
        assert len(part.ids) <= most
        assert part.ids[: part.kept] == passage.ids[: min(part.kept, len(part.ids))]
        for inside in part.at.tolist():
            place = next(places)
            seen = inside + 1 - part.kept if place >= passage.kept else 0
            assert (
                part.ids[inside + 1 - seen : inside + 1]
                == passage.ids[place + 1 - seen : place + 1]
            )
            assert inside == place or seen > overlap


def test_parts_begin_with_the_kept_tokens_and_with_the_tokens_before_them():
    """Of ten tokens, two are kept and three are context, so each part has five more."""
    at = np.array([0, 9, 10, 15, 29])
    parts = restarts(ScoredSequence(tuple(range(40)), at, at[:, None], 2), 10, 3)
    assert [(part.ids, part.at.tolist(), part.tokens.ravel().tolist()) for part in parts] == [
        ((*range(10),), [0, 9], [0, 9]),
        ((0, 1, 7, 8, 9, 10), [5], [10]),
        ((0, 1, 12, 13, 14, 15), [5], [15]),
        ((0, 1, *range(22, 30)), [9], [29]),
    ]
    assert {part.kept for part in parts} == {2}


def sequence(prefix, name, at=None):
    """Return a sequence of numbers from 0 to `prefix`, and the number `name`."""
    place = prefix if at is None else at
    return ScoredSequence((*range(prefix), name), np.array([place]), np.array([[0]]))


@pytest.mark.parametrize(
    ("sequences", "expected"),
    [
        ([(16, 90), (16, 91)], [(16, [0, 1])]),
        ([(15, 90), (15, 91)], [(0, [0, 1])]),  # not worth a pass
        ([(20, 90), (20, 91, 16)], [(16, [0, 1])]),  # a request at a token that both have
        ([(20, 91, 16), (20, 90)], [(16, [1, 0])]),
        ([(20, 90), (20, 91, 15)], [(0, [0, 1])]),
        ([(40, 90), (40, 91), (16, 92)], [(40, [0, 1]), (0, [2])]),
        ([(40, 90), (40, 91), (20, 92)], [(40, [0, 1]), (0, [2])]),
        ([(40, 90), (40, 91), (21, 92)], [(21, [0, 1, 2])]),  # twice 21 is more than 40
        ([(30, 90)], [(0, [0])]),
        ([], []),
    ],
)
def test_sequences_share_a_prefix_if_it_saves_tokens(sequences, expected):
    assert list(groups([sequence(*each) for each in sequences])) == expected


def test_an_instruction_that_leaves_no_room_is_refused():
    with pytest.raises(
        ModelError, match="The instruction has 15 tokens and the context of the model 20"
    ):
        restarts(ScoredSequence(tuple(range(100)), np.array([98]), np.array([[1]]), 15), 20, 5)


@given(
    st.lists(passages(60), max_size=12),
    st.lists(st.integers(0, 2), min_size=30, max_size=40),
    st.integers(0, 12),
)
def test_groups_hold_every_sequence_once_and_share_only_tokens_without_requests(
    found, start, how_many
):
    found = [
        ScoredSequence((*start, *passage.ids), passage.at + len(start), passage.tokens)
        if number < how_many
        else passage
        for number, passage in enumerate(found)
    ]
    made = list(groups(found))
    assert sorted(number for group in made for number in group.members) == list(range(len(found)))
    for group in made:
        first = found[group.members[0]]
        assert all(
            found[number].ids[: group.shared] == first.ids[: group.shared]
            for number in group.members
        )
        assert all(found[number].at[0] >= group.shared for number in group.members)
    if len(found) >= how_many > 1 == how_many // how_many:
        assert sum(len(group.members) for group in made if group.shared >= len(start)) >= how_many
