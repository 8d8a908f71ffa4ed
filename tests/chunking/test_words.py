"""Token counts by words are those of the whole text, and a wrong one puts no chunk over the
limit.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain, pairwise

import pytest
from examples import some
from hypothesis import given, settings
from hypothesis import strategies as st

from docxchunk import chunk, chunk_text
from docxchunk.backends.tokenizers import tokenizer
from docxchunk.chunking.words import meter_of
from docxchunk.model.divisions import MARKS, Division, division_of
from docxchunk.testing import sample_documents
from docxchunk.testing.hypothesis_strategies import ADDITIVE, CJK, ODD, WHOLE, WORDS

TEXT = st.lists(
    st.sampled_from([*WORDS, *CJK, *ODD, *MARKS, "\n\n", "it's", "x_1", "e\u0301", "/"]),
    max_size=30,
).map("".join)
METER = meter_of(tokenizer(ADDITIVE.count))


def test_a_function_divides_at_those_blanks_at_which_its_counts_add_up():
    assert division_of(ADDITIVE.count).marks == " \n"
    assert division_of(ADDITIVE.count, MARKS.replace("文", "")).marks == MARKS.replace("文", "")
    assert division_of(lambda text: sum(map(WHOLE.count, text.split(" ")))).marks == " "
    assert division_of(WHOLE.count) is None


@pytest.mark.parametrize(
    ("marks", "text", "words"),
    [
        (" ", "", [""]),
        (" ", "one  two three\nfour", ["one", "  two", " three\nfour"]),
        (" \n", " one_ 2. \n3\n4", [" one_ 2. \n3", "\n4"]),
        (" ]-", 'a-b^"1"]', ["a", '-b^"1"]']),
        ("文", "第一条ab", ["第", "一", "条ab"]),
    ],
)
def test_a_word_ends_with_a_letter_or_digit_before_a_mark(marks, text, words):
    assert Division(marks).words(text) == words


@settings(max_examples=some(150), deadline=None)
@given(text=TEXT.filter(bool), opening=TEXT, closing=TEXT, data=st.data())
def test_a_ruler_measures_any_part(text, opening, closing, data):
    start, end = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
    ruler, whole = METER.ruler(text), opening + text[start:end] + closing
    assert ruler.measure(start, end) == ADDITIVE.count(text[start:end])
    assert ruler.measure(start, end, opening, closing) == ADDITIVE.count(whole)
    assert METER.count(whole) == ADDITIVE.count(whole)


@settings(max_examples=some(150), deadline=None)
@given(
    left=TEXT.filter(bool),
    join=st.sampled_from(["", "\n", "\n\n", " ", ", "]),
    right=TEXT.filter(bool),
)
def test_joined_is_the_count_of_the_whole(left, join, right):
    sizes = list(map(ADDITIVE.count, (left, right)))
    whole = ADDITIVE.count(left + join + right)
    assert METER.joined(left, sizes[0], join, right, sizes[1]) == whole


class Recording:
    """A counting function that adds up the characters that it reads."""

    def __init__(self, count=ADDITIVE.count):
        self.characters, self.count = 0, count

    def __call__(self, text):
        self.characters += len(text)
        return self.count(text)


@pytest.mark.parametrize("max_tokens", [128, 512])
def test_a_text_is_read_about_twice(max_tokens):
    """Once by its distinct words, and once as chunks."""
    for document in sample_documents(6):
        count = Recording()
        read = tokenizer(count)
        assert read.division
        count.characters = 0
        chunks = chunk(document, max_tokens=max_tokens, tokenizer=read)
        text = sum(len(block.content) for block in document.blocks)
        assert count.characters < 3.5 * text + 2000
        assert all(each.tokens == ADDITIVE.count(each.content) <= max_tokens for each in chunks)


@pytest.mark.parametrize("strategy", ["P", "P-staged", "R"])
@pytest.mark.parametrize("counts", [ADDITIVE, WHOLE], ids=lambda made: made.name)
@pytest.mark.parametrize("reserve", [0, 32])
def test_what_is_read_grows_with_the_text(strategy, counts, reserve):
    """WHOLE is a function whose counts do not add up."""
    row = "<tr><td>Pump &amp; valve #</td><td>4 bar</td></tr>"
    parts = [
        "Clause # says that the parties agree on it.\n" * 9,
        "A long line # of many words, without an end " * 40 + "\n",
        f'<table id="tb-#" format="html">{row * 30}</table>\n',
    ]
    read = []
    for n in (2, 4, 8):
        count = Recording(counts.count)
        text = "".join("".join(parts).replace("#", str(i)) for i in range(n))
        settings = {"strategy": strategy, "max_tokens": 128, "reserve": reserve}
        chunk_text(text, tokenizer=tokenizer(count), **settings)
        read.append(count.characters)
        assert count.characters < 12 * len(text) + 20_000
    assert read[2] - read[1] < 1.3 * 2 * (read[1] - read[0])


def test_a_text_without_blanks_is_not_read_for_each_cut():
    """A table of 12,000 characters was one word, and read 887 times."""
    rows = "".join(f"<tr><td>{i}</td><td>bar</td></tr>" for i in range(400))
    count = Recording()
    read = tokenizer(count)
    assert read.division
    count.characters = 0
    chunk_text(f'<table id="tb-0001" format="html">{rows}</table>', max_tokens=128, tokenizer=read)
    assert count.characters < 20 * len(rows)


@pytest.mark.parametrize("extra", [1, 40])
def test_a_count_that_differs_in_the_whole_puts_no_chunk_over_the_limit(extra):
    """Four words together are more than their sum: no sample text shows it."""

    def count(text):
        return ADDITIVE.count(text) + extra * len(re.findall(r"zeta eta theta iota", text))

    text = "\n".join(f"{n} alpha zeta eta theta iota beta." for n in range(300))
    read = tokenizer(count)
    assert read.division
    chunks = chunk_text(text, max_tokens=100, tokenizer=read)
    assert all(each.tokens == count(each.content) <= 100 for each in chunks)


def test_counts_are_remembered_up_to_a_number_of_words(monkeypatch):
    monkeypatch.setattr("docxchunk.model.divisions._MOST", 2)
    division = Division(" ")
    added, _ = division.remembered()
    added.update(dict.fromkeys("ab", 1))
    assert division.remembered()[0] is added
    added["c"] = 1
    assert division.remembered()[0] == {}
    assert len(added) == 3  # another thread may still count with it


# -- tokenizer.json


def trained(model, trainer, normalizer=None, split=None):
    made = pytest.importorskip("tokenizers").Tokenizer(model)
    if normalizer:
        made.normalizer = normalizer
    if split:
        made.pre_tokenizer = split
    lines = chain.from_iterable(text.split("\n") for text in texts())
    made.train_from_iterator(lines, trainer)
    return made


def kind_of(name):
    tokenizers = pytest.importorskip("tokenizers")
    models, trainers = tokenizers.models, tokenizers.trainers
    normalizers, split = tokenizers.normalizers, tokenizers.pre_tokenizers
    quiet = {"show_progress": False, "vocab_size": 600, "special_tokens": ["[UNK]"]}
    unk = {"unk_token": "[UNK]"}
    bytes_only = trainers.BpeTrainer(**quiet, initial_alphabet=split.ByteLevel.alphabet())
    match name:
        case "bert":
            return trained(
                models.WordPiece(**unk),
                trainers.WordPieceTrainer(**quiet),
                normalizers.BertNormalizer(),
                split.BertPreTokenizer(),
            )
        case "gpt":
            return trained(models.BPE(), bytes_only, None, split.ByteLevel(add_prefix_space=False))
        case "roberta":
            return trained(models.BPE(), bytes_only, None, split.ByteLevel(add_prefix_space=True))
        case "xlm":
            pieces = trainers.UnigramTrainer(**quiet, **unk)
            return trained(models.Unigram(), pieces, normalizers.NFKC(), split.Metaspace())
        case _:
            spaces = [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
            plain = trainers.BpeTrainer(**quiet)
            return trained(models.BPE(**unk), plain, normalizers.Sequence(spaces))


@cache
def texts():
    blocks = chain.from_iterable(document.blocks for document in sample_documents(2))
    return [block.content for block in blocks if block.content]


@pytest.mark.parametrize("kind", ["bert", "gpt", "roberta", "xlm", "llama"])
def test_the_words_of_a_tokenizer_file_add_up(kind, tmp_path):
    kind_of(kind).save(str(tmp_path / "tokenizer.json"))
    made = tokenizer(tmp_path)
    meter = meter_of(made)
    for left, right in pairwise(text[:3000] for text in texts()):
        assert meter.count(left) == made.count(left)
        sizes = made.count_each([left, right])
        assert meter.joined(left, sizes[0], "\n\n", right, sizes[1]) == made.count(
            f"{left}\n\n{right}"
        )


def test_no_place_is_inside_a_token(tmp_path):
    """A vocabulary may have tokens of two words, or with a mark after a letter."""
    tokenizers = pytest.importorskip("tokenizers")
    letters = dict.fromkeys([*"abcehilnorstTfzmkgGqß🙂▁.,:-", "\n", "d"])
    vocab = dict.fromkeys(letters, -3.0) | {"of▁the": -1.0, "e.": -1.0, "[UNK]": -9.0}
    normalizer = tokenizers.normalizers.Replace(" ", "▁")
    for without, marks in (("of▁the", " \n"), ("", "\n")):
        pieces = [(token, score) for token, score in vocab.items() if token != without]
        made = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, len(pieces) - 1))
        made.normalizer = normalizer
        made.save(str(tmp_path / "tokenizer.json"))
        division = tokenizer(tmp_path).division
        assert {*" \n"} & {*division.marks} == {*marks}
        assert "." not in division.marks
