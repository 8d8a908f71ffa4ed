"""Chunks, blocks, documents and tables: repr, hash, conversion to dicts and back."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written import blocks, chunks, documents, drawings, equations, notes, tables, validator

from docxchunk import Block, Chunk, ParseOptions
from docxchunk.chunking import P
from docxchunk.errors import SidecarError

CHUNK = Chunk(1, "text", 0, "", (), 0, "chunk-1", "doc", (), "", (), ())
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


@given(documents)
def test_repr_of_a_report(document):
    assert len(repr(document.report)) <= 120


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


def test_missing_keys_are_named():
    with pytest.raises(SidecarError, match=r"^The block lacks blockid, content\.$"):
        Block.from_dict({})
    record = CHUNK.to_dict()
    del record["content"], record["parts"]
    with pytest.raises(SidecarError, match=r"^The chunk lacks content, parts\.$"):
        Chunk.from_dict(record)


@given(chunks)
def test_str_of_a_chunk_is_its_text(chunk):
    assert str(chunk) == f"{chunk}" == chunk.text == chunk.content


@pytest.mark.parametrize("kind", [Chunk, Block, ParseOptions, P])
def test_every_field_is_documented(kind):
    assert [field.name for field in fields(kind) if f"`{field.name}`" not in kind.__doc__] == []
