"""The vocabularies that ship have the contents that tiktoken pins."""

from __future__ import annotations

import base64
import hashlib
from operator import itemgetter

import pytest
import tiktoken_ext.openai_public as public
from hypothesis import given
from hypothesis import strategies as st
from make_vocabularies import pack

from docxchunk.backends import byte_pairs
from docxchunk.backends.byte_pairs import PATTERNS, PINNED, Vocabulary, load_vocabulary, packed_path
from docxchunk.errors import DocxchunkError

lists_of_tokens = st.lists(
    st.binary(min_size=1, max_size=255) | st.text("ab", min_size=1).map(str.encode),
    unique=True,
    max_size=20,
)


@given(lists_of_tokens)
def test_a_packed_file_has_all_tokens_and_ranks(tokens):
    assert Vocabulary(pack(tokens)).ranks() == {token: rank for rank, token in enumerate(tokens)}


@given(
    lists_of_tokens,
    st.sets(
        st.binary(min_size=3, max_size=3) | st.text("ab", min_size=3, max_size=3).map(str.encode)
    ),
)
def test_tokens_are_selected_by_their_first_three_bytes(tokens, prefixes):
    selected = Vocabulary(pack(tokens)).ranks_with(prefixes)
    assert selected == {
        token: rank for rank, token in enumerate(tokens) if len(token) < 3 or token[:3] in prefixes
    }


@pytest.mark.parametrize("name", PINNED)
def test_the_public_file_can_be_made_again(name, monkeypatch):
    asked = {}

    def load(url, expected_hash):
        ranks = load_vocabulary(name).ranks()
        text = b"".join(
            b"%s %d\n" % (base64.b64encode(token), rank)
            for token, rank in sorted(ranks.items(), key=itemgetter(1))
        )
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
    monkeypatch.setattr(byte_pairs, "FOLDER", tmp_path)
    with pytest.raises(DocxchunkError, match="install docxchunk again"):
        load_vocabulary("cl100k_base")
