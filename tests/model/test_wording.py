"""Texts for people: shortened texts, and the language of a text by its script."""

from __future__ import annotations

from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model.wording import (
    first_words,
    language_of,
    name_of,
    quoted,
    shortened,
    times,
)

BLANKS = " " * 183  # up to 184 characters of a text are looked at


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "''"),
        ("two\n words", "'two words'"),
        ("it's", '"it\'s"'),
        ("x" * 44, f"'{'x' * 44}'"),
        ("x" * 45, f"'{'x' * 43}…'"),
        (f"a{BLANKS}", "'a'"),
        (f"a{BLANKS} b", "'a…'"),
    ],
)
def test_quoted(text, shown):
    assert quoted(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" two\n words ", "two words"),
        ("x" * 70, "x" * 70),
        ("x" * 71, f"{'x' * 70} …"),
        ("漢" * 35, "漢" * 35),
        ("漢" * 36, f"{'漢' * 35} …"),
        (f"{'a' * 36} {'b' * 34}", f"{'a' * 36} …"),
        # a word that fills half of the room is cut
        (f"{'a' * 35} {'b' * 35}", f"{'a' * 35} {'b' * 34} …"),
    ],
)
def test_first_words(text, shown):
    assert first_words(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("aaa bb", "aaa bb"),
        ("aaaa bbb", "aaaa …"),
        ("aaa bbbb", "aaa …"),
        ("aa bbbbb", "aa bbb …"),  # the blank is in the first half
        ("aaaaa bb", "aaaaa …"),
        ("aaaaaa bb", "aaaaaa …"),
    ],
)
def test_shortened_to_six(text, shown):
    assert shortened(text, 6) == shown


@given(st.text("ab \n"), st.integers(1, 12))
def test_a_shortened_text_is_a_beginning_of_the_text(text, longest):
    shown = shortened(text, longest)
    beginning = shown.removesuffix(" …")
    assert text.startswith(beginning)
    assert len(beginning) <= longest
    assert (shown == text) == (len(text) <= longest)


@pytest.mark.parametrize(
    ("number", "words"), [(1, "once"), (2, "twice"), (1.5, "1.5 times"), (3, "3 times")]
)
def test_times(number, words):
    assert times(number) == words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", ""),
        ("An English text with a name, 王.", ""),
        ("王 is a nam", ""),  # a tenth
        ("王 is a na", "zh"),  # over a tenth
        ("본合", "zh"),  # as many ideographs
        ("본문合", "ko"),
        ("本合同自签订之日起生效。", "zh"),
        ("中文 with words.", "zh"),
        ("123 + 456", ""),
        ("GB/T 1234 规定了本产品的要求", "zh"),
        ("この契約は、締結の日から効力を生じる。", "ja"),
        ("계약은 체결한 날부터 효력을 가진다.", "ko"),
        ("契約書類提出期限の延長", "zh"),  # one kana for ten ideographs
        ("契約書類提出の期限", "ja"),  # more
    ],
)
def test_language(text, language):
    assert language_of(text) == language


def test_the_beginning_of_a_text_tells_its_language():
    assert language_of("x" * 1799 + "字" * 300) == "zh"
    assert language_of("x" * 1800 + "字" * 300) == ""


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("é.docx", "é.docx"),
        ("\udcff.docx", r"\xff.docx"),  # a byte that is not UTF-8
        ("\ud800.docx", r"\ud800.docx"),  # no file of Linux has this name
    ],
)
def test_names_of_files(name, shown):
    assert name_of(PurePath("folder", name)) == shown
