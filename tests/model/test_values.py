"""Chunks, blocks, documents and tables: repr, hash, conversion to dicts and back."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields, replace
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import blocks, chunks, documents, drawings, equations, notes, tables, validator

from docxchunk import Block, Chunk, ParseOptions
from docxchunk.chunking import P
from docxchunk.errors import SidecarError
from docxchunk.model.chunks import Unit, UnitKind
from docxchunk.model.document import Document, Items, Report
from docxchunk.model.objects import Drawing, DrawingKind, Note, NoteKind, Table, TableFormat
from docxchunk.model.ports import CostedModel, Costs, costs_so_far

CHUNK = Chunk(1, "text", 0, "", (), 0, "chunk-1", "doc", (), "", (), ())
UNIT = Unit(
    *("u-1", "chunk-1", "doc", "b1", UnitKind.ROW, "text", (), "", 1, "", (), (3,), False),
    citation="a.docx, p. 3",
)
LONG = {
    "one word": "x" * 700_000,
    "no letters": "\x00" * 5000,
    "quotes": "'\"" * 5000,
    "words": "word " * 5000,
    "wide": "漢" * 900,
}


@given(
    st.one_of(blocks, chunks, documents, tables, equations, drawings, notes),
    st.sampled_from(sorted(LONG)),
)
def test_repr_is_one_short_line(value, long):
    texts = {
        field.name: LONG[long]
        for field in fields(value)
        if isinstance(getattr(value, field.name), str)
        and field.name not in ("kind", "format", "session_type")
    }
    for each in (value, replace(value, **texts)):
        shown = repr(each)
        assert len(shown) <= 120
        assert shown.startswith(f"<{type(value).__name__} ")
        assert shown.isprintable()


TABLE = Table("tb-1", "b1", "One", (), 2, 3, TableFormat.JSON, "[]")
CHART = Drawing("im-1", "b1", "One", (), DrawingKind.CHART)
NOTE = Note(NoteKind.FOOTNOTE, "n1", "7", "text")
TABLES = {f"tb-{number}": replace(TABLE, id=f"tb-{number}") for number in (1, 2, 3)}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (CHUNK, "<Chunk 0 'text': 1 token>"),
        (replace(CHUNK, context="1 One", tokens=2), "<Chunk 0 '1 One': 2 tokens>"),
        (Block("b1", "text"), "<Block 'text': level 0, 4 characters>"),
        (Block("b1", "# One", "One", level=1), "<Block 'One': level 1, 5 characters>"),
        (UNIT, "<Unit 'text': row, a.docx, p. 3>"),
        (TABLE, "<Table 'tb-1': 2 × 3>"),
        (replace(TABLE, caption="Foxes"), "<Table 'tb-1': 2 × 3, 'Foxes'>"),
        (CHART, "<Drawing 'im-1': chart>"),
        (replace(CHART, alt="A fox"), "<Drawing 'im-1': chart, 'A fox'>"),
        (replace(CHART, alt="A fox", caption="Foxes"), "<Drawing 'im-1': chart, 'Foxes'>"),
        (Items({"tb-1": TABLE}), "<1 item: <Table 'tb-1': 2 × 3>>"),
        (NOTE, "<Note footnote '7': 'text'>"),
        (Items(TABLES), "<3 items: <Table 'tb-1': 2 × 3>, <Table 'tb-2': 2 × 3>, …>"),
        (Document("a.docx", "docx", "d", "", ()), "<Document 'a.docx': 0 blocks>"),
        (
            Document("a.docx", "docx", "d", "", (Block("b1", "text"),), TABLES),
            "<Document 'a.docx': 1 block, 3 tables>",
        ),
        (
            Report(emitted=1234, dropped={"hidden": 1000, "deleted": 500}),
            "<Report: 1,234 characters kept, 1,500 left out>",
        ),
    ],
)
def test_repr(value, shown):
    assert repr(value) == shown


@given(st.one_of(blocks, chunks, documents, tables), st.data())
def test_equal_values_have_equal_hashes(value, data):
    assert hash(replace(value)) == hash(value)
    assert {value: 1}[replace(value)] == 1


@given(st.one_of(blocks, chunks))
def test_to_dict_and_from_dict_are_inverse(value):
    record = value.to_dict()
    assert type(value).from_dict(record) == value
    assert json.loads(json.dumps(record)) == record  # lists and texts, no tuples
    assert type(value).from_dict(json.loads(json.dumps(record))) == value
    validator(type(value).__name__.lower()).validate(record)


def test_invalid_dict_is_refused():
    with pytest.raises(SidecarError, match='The chunk: "tokens" must be a whole number'):
        Chunk.from_dict({**CHUNK.to_dict(), "tokens": "many"})
    with pytest.raises(SidecarError, match='The block: "content" must be text'):
        Block.from_dict({"blockid": "1", "content": 1})


@given(chunks)
def test_str_of_a_chunk_is_its_text(chunk):
    assert str(chunk) == f"{chunk}" == chunk.text == chunk.content


@pytest.mark.parametrize("kind", [Chunk, Block, ParseOptions, P])
def test_every_field_is_documented(kind):
    assert [field.name for field in fields(kind) if f"`{field.name}`" not in kind.__doc__] == []


@given(st.text("xy \n", max_size=4), st.sampled_from(["", "Plan > A"]))
def test_the_text_to_embed_is_header_situation_and_text(situation, header):
    chunk = replace(CHUNK, embed_header=header, situation=situation)
    assert chunk.embed_text == "\n\n".join(filter(None, [header, situation, "text"]))


def test_a_model_reports_its_costs_or_none():
    class Model(CostedModel):
        kind = "Embedder"

        def ask(self):
            self._charge(2, 30, perf_counter())

    model = Model("one", "fp")
    assert (costs_so_far(model), repr(model)) == (Costs(), "<Embedder one>")
    model.ask()
    model.ask()
    costs = costs_so_far(model)
    assert replace(costs, seconds=0) == Costs(2, 4, 4, 60)
    assert costs.seconds >= 0
    assert costs_so_far(object()) == costs_so_far(replace) == Costs()


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
