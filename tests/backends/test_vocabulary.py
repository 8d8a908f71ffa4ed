"""The vocabularies that ship have the contents that tiktoken pins."""

from __future__ import annotations

import base64
import hashlib

import pytest
import tiktoken_ext.openai_public as public
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.backends import vocabulary
from docxchunk.backends.byte_pairs import PATTERNS
from docxchunk.backends.vocabulary import PINNED, load_ranks, pack, packed_path, unpack
from docxchunk.errors import DocxchunkError


@given(st.lists(st.binary(min_size=1, max_size=255), unique=True, max_size=20))
def test_unpack_undoes_pack(tokens):
    assert unpack(pack(tokens)) == {token: rank for rank, token in enumerate(tokens)}


@pytest.mark.parametrize("name", PINNED)
def test_the_public_file_can_be_made_again(name, monkeypatch):
    asked = {}

    def load(url, expected_hash):
        ranks = load_ranks(name)
        text = b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())
        asked.update(sha256=hashlib.sha256(text).hexdigest(), pinned=expected_hash)
        return ranks

    monkeypatch.setattr(public, "load_tiktoken_bpe", load)
    encoding = public.ENCODING_CONSTRUCTORS[name]()

    assert asked["sha256"] == asked["pinned"] == PINNED[name].text
    assert encoding["pat_str"] == PATTERNS[name]


def test_a_damaged_file_is_not_used(tmp_path, monkeypatch):
    data = bytearray(packed_path("cl100k_base").read_bytes())
    data[500_000] ^= 1
    (tmp_path / "cl100k_base.bin").write_bytes(data)
    monkeypatch.setattr(vocabulary, "FOLDER", tmp_path)
    with pytest.raises(DocxchunkError, match="install docxchunk again"):
        load_ranks("cl100k_base")
