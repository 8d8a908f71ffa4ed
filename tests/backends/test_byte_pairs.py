"""Counting by byte pairs."""

from __future__ import annotations

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from docxchunk.backends.byte_pairs import PATTERNS, PINNED, BytePairTokenizer, load_vocabulary
from docxchunk.backends.tokenizers import tokenizer

MILLION = 1_000_000
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


@settings(max_examples=25)
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
    many = ["text", " " * MILLION]
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
        "a" * MILLION,
        " " * MILLION,
        " " * MILLION + "a",
        "\t" * MILLION,
        "\n" * MILLION,
        "中" * MILLION,
        "\u0301" * MILLION,
        "-/" * MILLION,
    ],
)
def test_a_million_of_one_thing_is_counted(counter, text):
    assert 0 < counter.count(text) <= 3 * len(text)


def test_without_the_buffer_of_tiktoken_the_list_is_counted(counter, monkeypatch):
    text = "Some words and 一些文字. " * 500
    expected = counter.count(text)
    monkeypatch.setattr(counter._whole, "to_buffer", None)
    assert counter.count(text) == expected
    assert counter.count_each([text, "text"]) == [expected, 1]


def test_a_tokenizer_is_loaded_once():
    assert tokenizer("o200k_base") is tokenizer("o200k_base")
