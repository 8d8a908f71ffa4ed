"""Counting by byte pairs, with vocabularies that have the contents that tiktoken pins."""

from __future__ import annotations

import base64
import hashlib
from operator import itemgetter

import pytest
import tiktoken
import tiktoken_ext.openai_public as public
from hypothesis import example, given
from hypothesis import strategies as st
from make_vocabularies import pack

from docxchunk.backends import byte_pairs
from docxchunk.backends.byte_pairs import (
    PATTERNS,
    PINNED,
    BytePairTokenizer,
    PackedVocabulary,
    load_vocabulary,
    packed_path,
)
from docxchunk.backends.tokenizers import tokenizer
from docxchunk.errors import DocxchunkError

MANY = 200_000
MILLION = 1_000_000  # blanks that are too many for the stack of tiktoken
NAMES = sorted(PINNED)
pieces = st.sampled_from(
    [
        "the ",
        "Straße",
        "中文",
        "。",
        " ",
        "\n",
        "\t",
        "\u00a0",
        "/",
        "don't",
        "42",
        "x²",
        "<table",
        "<|endoftext|>",
        "🙂",
        "\u0301",
        "--",
        '"',
    ]
)
texts = st.text() | st.lists(pieces, max_size=40).map("".join)
fresh_lines = st.lists(
    texts.map(lambda text: text.replace("\r", "").replace("\n", "")).filter(
        lambda line: line and not line[0].isspace() and line[0] != "/"
    ),
    min_size=1,
)


@pytest.fixture(scope="module", params=NAMES)
def counter(request):
    return tokenizer(request.param)


@pytest.fixture(scope="module")
def reference(counter):
    """The same vocabulary, as tiktoken itself uses it."""
    return tiktoken.Encoding(
        counter.name,
        pat_str=PATTERNS[counter.name],
        mergeable_ranks=load_vocabulary(counter.name).ranks(),
        special_tokens={},
    )


@given(texts)
@example("<|endoftext|>" * 40)
@example("a lone surrogate \ud800 " + "x" * 300)
def test_counts_as_tiktoken_does(counter, reference, text):
    assert counter.count(text) == len(reference.encode_ordinary(text))


@given(st.lists(texts, max_size=6))
@example([])
@example(["", "", "text"])
@example(["text", "\ufdd0", "<|endoftext|>"])
@example(["a lone surrogate \ud800", "text"])
def test_texts_are_counted_together_as_each_alone(counter, many):
    assert counter.count_each(many) == list(map(counter.count, many))


@given(st.lists(st.lists(pieces, min_size=1, max_size=40).map("".join), min_size=1, max_size=4))
@example(["a lone surrogate \ud800", "", "a"])
def test_a_part_of_the_vocabulary_gives_the_same_tokens(reference, many):
    counter = BytePairTokenizer(reference.name)
    for text in many:
        whole = reference.encode_ordinary(text)
        assert counter.count(text) == len(whole)
        assert counter.count_each([text, "\n"]) == [len(whole), 1]
        ends = counter.token_ends(text)
        assert ends is None or len(ends) == len(whole) + 1


def test_a_long_text_needs_the_whole_vocabulary(reference):
    counter = BytePairTokenizer(reference.name)
    assert counter.count("short") == len(reference.encode_ordinary("short"))
    long = "A sentence of a long text. " * 400
    assert counter.count(long) == len(reference.encode_ordinary(long))


def test_texts_over_the_stack_of_tiktoken_are_counted_each(counter):
    many = ["text", " " * MILLION + "a"]
    assert counter.count_each(many) == list(map(counter.count, many))


def test_texts_over_the_stack_of_tiktoken_have_no_token_ends(counter):
    assert counter.token_ends(f"x{' ' * MILLION}y") is None


@given(fresh_lines)
def test_counts_of_lines_add_up(counter, lines):
    for join in ("\n", "\n\n"):
        assert counter.count(join.join(lines)) == sum(
            counter.count(line + join) for line in lines[:-1]
        ) + counter.count(lines[-1])


@given(
    texts,
    st.sampled_from("azZ9字é"),
    st.sampled_from([" ", "\n", ".", ",", ")", '"', "。", "，", "\u3000", "<", "|"]),
    texts,
)
def test_counts_add_up_at_the_end_of_a_word(counter, before, letter, after, rest):
    left, right = before + letter, after + rest
    assert counter.count(left + right) == counter.count(left) + counter.count(right)


@pytest.mark.parametrize(
    "text",
    [
        "a" * MANY,
        "\n" * MANY,
        "中" * MANY,
        "\u0301" * MANY,
        "-/" * MANY,
    ],
)
def test_very_many_of_one_thing_are_counted(counter, text):
    assert 0 < counter.count(text) <= 3 * len(text)


def test_without_the_buffer_of_tiktoken_the_list_is_counted(counter, monkeypatch):
    text = "Some words and 一些文字. " * 500
    expected = counter.count(text)
    monkeypatch.setattr(counter._whole, "to_buffer", None)
    assert counter.count(text) == expected
    assert counter.count_each([text, "text"]) == [expected, 1]


def test_a_tokenizer_is_loaded_once():
    assert tokenizer("o200k_base") is tokenizer("o200k_base")


lists_of_tokens = st.lists(
    st.binary(min_size=1, max_size=255) | st.text("ab", min_size=1).map(str.encode),
    unique=True,
    max_size=20,
)


@given(lists_of_tokens)
def test_a_packed_file_has_all_tokens_and_ranks(tokens):
    vocabulary = PackedVocabulary(pack(tokens))
    assert vocabulary.ranks() == {token: rank for rank, token in enumerate(tokens)}
    assert len(vocabulary.characters) == len(tokens)


@given(
    lists_of_tokens,
    st.sets(
        st.binary(min_size=3, max_size=3) | st.text("ab", min_size=3, max_size=3).map(str.encode)
    ),
)
def test_tokens_are_selected_by_their_first_three_bytes(tokens, prefixes):
    selected = PackedVocabulary(pack(tokens)).ranks_with(prefixes)
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
