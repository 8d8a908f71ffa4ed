"""A sequence with lookup by id."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model.document import Items

MAPPINGS = st.dictionaries(st.text(max_size=4), st.integers(), max_size=6)


@given(MAPPINGS)
def test_items_are_a_sequence_and_a_mapping(by_id):
    items = Items(by_id)
    values = list(by_id.values())
    assert list(items) == list(items.values()) == values
    assert [items[number] for number in range(len(items))] == values
    assert [items[number - len(items)] for number in range(len(items))] == values
    assert items[1:] == tuple(values[1:])
    assert {key: items[key] for key in items.keys()} == dict(items.items()) == by_id  # noqa: SIM118 - iteration gives the members
    assert all(key in items and value in items for key, value in by_id.items())
    assert items.get("no such id", 7) == 7
    assert "no such id" not in items


@given(MAPPINGS, MAPPINGS)
def test_equal_if_ids_and_members_are_equal(one, other):
    assert (Items(one) == Items(other)) is (Items(one) == other) is (one == other)
    if one == other:
        assert hash(Items(one)) == hash(Items(other))
    assert pickle.loads(pickle.dumps(Items(one))) == Items(Items(one)) == one  # noqa: S301 - our own bytes
