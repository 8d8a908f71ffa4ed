"""Texts for people: shortened texts, and the language of a text by its script."""

from __future__ import annotations

import re
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.model.wording import (
    file_name,
    first_words,
    language_of,
    name_of,
    one_line,
    printable,
    shortened,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" two\n words ", "two words"),
        ("x" * 70, "x" * 70),
        ("x" * 71, f"{'x' * 70} …"),
        ("漢" * 35, "漢" * 35),
        ("漢" * 36, f"{'漢' * 35} …"),
        (f"{'a' * 36} {'b' * 34}", f"{'a' * 36} …"),
        (f"{'a' * 36} {'b' * 40} c", f"{'a' * 36} …"),
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
        ("aaa b ccc", "aaa b …"),
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc é 漢", "a\tb\nc é 漢"),
        ("\x1b[2J\r\x00", r"\x1b[2J\x0d\x00"),
        ("\x7f\x80\x9f\xa0", "\\x7f\\x80\\x9f\xa0"),
        ("\u202e\u2066\u2069\u202a", r"\u202e\u2066\u2069\u202a"),
        ("\u2029\u202f\u2065\u206a", "\u2029\u202f\u2065\u206a"),
        ("\ud800\udc00", r"\ud800\udc00"),
        # the bytes of undecodable names (PEP 383)
        ("\udc01\udcff", r"\x01\xff"),
        ("\udd00", r"\udd00"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown
    assert one_line(text) == shown.replace("\n", r"\n")


@pytest.mark.parametrize(
    ("name", "suffix", "kept"),
    [
        ("a.docx", 0, 6),
        ("x" * 255, 0, 255),
        ("x" * 250, 5, 250),
        ("x" * 256, 0, 246),
        ("x" * 251, 5, 241),
        ("漢" * 85, 0, 85),
        ("漢" * 86, 0, 82),
    ],
)
def test_a_file_name_that_is_too_long_ends_with_its_hash(name, suffix, kept):
    found = file_name(name, suffix)
    assert len(found.encode()) + suffix <= 255
    assert found[:kept] == name[:kept]
    rest = found[kept:]
    assert rest == "" if kept == len(name) else re.fullmatch("~[0-9a-f]{8}", rest)
    assert kept == len(name) or file_name(f"{name}y", suffix) != found


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
