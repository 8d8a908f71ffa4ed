"""Sequences of token ids, and how they are grouped into forward passes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.backends.batching import batches
from docxchunk.backends.language_models import ScoredSequence, groups, restarts
from docxchunk.backends.tokenizers import readable
from docxchunk.errors import ModelError


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


def test_a_sequence_that_fits_is_read_up_to_its_last_request():
    passage = ScoredSequence((1, 2, 3, 4), np.array([0, 2]), np.array([[5], [6]]))
    assert [part.ids for part in restarts(passage, 3, 1)] == [(1, 2, 3)]


def test_a_long_prefix_without_requests_is_not_read():
    parts = restarts(ScoredSequence(tuple(range(100)), np.array([98]), np.array([[1]])), 20, 5)
    assert len(parts) == 1
    assert len(parts[0].ids) <= 20


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


@given(st.lists(st.integers(1, 300)), st.integers(1, 1000))
def test_batches_hold_every_row_once_and_keep_to_the_budget(lengths, budget):
    made = list(batches(lengths, budget))
    assert sorted(number for batch in made for number in batch) == list(range(len(lengths)))
    assert all(
        len(batch) == 1 or len(batch) * max(lengths[number] for number in batch) <= budget
        for batch in made
    )


def test_lone_surrogates_are_replaced_one_for_one():
    assert readable("a\ud83d\ude00b\udc00😀") == "a\ufffd\ufffdb\ufffd😀"
