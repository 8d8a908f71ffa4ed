"""Texts for people: shortened texts, and the language of a text by its script."""

from __future__ import annotations

import re
from pathlib import PurePath

import pytest
from case_files import each_row
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


@each_row("model")
def test_first_words(text, shown):
    assert first_words(text) == shown


@each_row("model")
def test_shortened_to_six(text, shown):
    assert shortened(text, 6) == shown


@given(st.text("ab \n"), st.integers(1, 12))
def test_a_shortened_text_is_a_beginning_of_the_text(text, longest):
    shown = shortened(text, longest)
    beginning = shown.removesuffix(" …")
    assert text.startswith(beginning)
    assert len(beginning) <= longest
    assert (shown == text) == (len(text) <= longest)


@each_row("model")
def test_language(text, language):
    assert language_of(text) == language


@each_row("model")
def test_printable(text, shown):
    assert printable(text) == shown
    assert one_line(text) == shown.replace("\n", r"\n")


@each_row("model", suffix=int, kept=int)
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
