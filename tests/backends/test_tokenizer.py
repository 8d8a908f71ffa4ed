"""`tokenizer` with names, files and functions."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from docxchunk.backends.tokenizers import readable, tokenizer
from docxchunk.errors import MissingExtraError, MissingFileError, UsageError

WORDS = {
    "version": "1.0",
    "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
    "padding": {
        "strategy": {"Fixed": 9},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "[X]",
    },
    "added_tokens": [
        {
            "id": 0,
            "content": "[X]",
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
    ],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": None,
    "model": {
        "type": "WordLevel",
        "vocab": {"[X]": 0, "one": 1, "two": 2, "X": 3, "[": 4, "]": 5},
        "unk_token": "[X]",
    },
}


@pytest.fixture
def words_file(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(WORDS))
    return path


def test_a_function_counts():
    made = tokenizer(len)
    assert (made.name, made.count("abc"), made.additive_over_newlines) == ("len", 3, False)


def test_functions_that_count_differently_have_other_fingerprints():
    assert tokenizer(len).fingerprint != tokenizer(lambda text: len(text.split())).fingerprint
    assert tokenizer(len).fingerprint == tokenizer(lambda text: len(text)).fingerprint  # noqa: PLW0108 - another function


def test_a_tokenizer_is_returned_unchanged():
    made = tokenizer(len)
    assert tokenizer(made) is made


@pytest.mark.parametrize("choice", [None, 5, {"name": "o200k_base"}])
def test_anything_else_is_refused(choice):
    with pytest.raises(UsageError, match="is not a tokenizer"):
        tokenizer(choice)


@pytest.mark.parametrize(
    "function", [str, str.split, lambda text: len(text) / 4, lambda _: -1, lambda _: None]
)
def test_a_function_that_returns_no_number_of_tokens_is_refused(function):
    with pytest.raises(UsageError, match="must return the number of tokens, an integer"):
        tokenizer(function)


def test_a_file_counts_all_words_and_takes_special_tokens_for_text(words_file):
    pytest.importorskip("tokenizers")
    made = tokenizer(words_file)
    assert made.count("one two one two") == 4  # neither truncated nor padded
    assert made.count("[X]") == 3
    assert (made.name, made.additive_over_newlines) == ("tokenizer.json", False)
    assert tokenizer(str(words_file.parent)).fingerprint == made.fingerprint


def test_an_invalid_tokenizer_file_is_an_error(tmp_path):
    pytest.importorskip("tokenizers")
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(UsageError, match="not a tokenizer"):
        tokenizer(path)


def test_a_missing_tokenizer_file_is_an_error(tmp_path):
    pytest.importorskip("tokenizers")
    path = tmp_path / "nowhere.json"
    with pytest.raises(MissingFileError) as raised:
        tokenizer(path)
    assert str(raised.value) == (
        f"The tokenizer {path} cannot be read (No such file or directory)."
    )


def test_a_tokenizer_file_without_its_package_is_an_error(words_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "docxchunk\[tokenizers\]"'):
        tokenizer(words_file)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UsageError, match=r"no tokenizer named 'gpt9'\. .*o200k_base"):
        tokenizer("gpt9")


def test_the_back_ends_are_imported_only_when_they_are_used():
    code = (
        "import sys, docxchunk.backends, docxchunk.registry; print([m for m in ('tiktoken', "
        "'tokenizers', 'importlib.metadata') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_lone_surrogates_are_replaced_one_for_one():
    assert readable("a\ud83d\ude00b\udc00😀") == "a\ufffd\ufffdb\ufffd😀"
