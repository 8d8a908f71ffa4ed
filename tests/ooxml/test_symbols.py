"""Mapping of symbol fonts to Unicode."""

from __future__ import annotations

from functools import partial

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.ooxml.symbols import is_symbol_font, unicode_of, unicode_text

FONTS = ["Symbol", "Wingdings", "Wingdings 2", "Wingdings 3", "Webdings"]


@each_row("ooxml", code=partial(int, base=0))
def test_code_of_a_font(font, code, character):
    assert unicode_of(font, code) == character


@pytest.mark.parametrize("font", FONTS)
def test_both_forms_of_a_code_are_equal(font):
    printed = [code for code in range(0x20, 0x100) if unicode_of(font, code) != chr(code)]
    assert printed
    assert [unicode_of(font, code) for code in printed] == [
        unicode_of(font, 0xF000 + code) for code in printed
    ]


@pytest.mark.parametrize("font", FONTS)
def test_few_codes_share_a_character(font):
    pictures = [unicode_of(font, 0xF000 + code) for code in range(0x21, 0x100)]
    pictures = [p for p in pictures if not 0xF000 <= ord(p) < 0xF100]
    assert all(len(p) == 1 for p in pictures)
    assert len(set(pictures)) > 0.9 * len(pictures)


def test_bullet_of_an_unknown_font():
    assert unicode_text("Nobody's Dingbats", "\uf0b7") == "•"
    assert unicode_text("Nobody's Dingbats", "x") == "x"
    assert unicode_text("Wingdings", "\uf0fc") == "✓"


@each_row("ooxml")
def test_text_of_a_font(font, text, shown):
    assert unicode_text(font, text) == shown


def test_symbol_fonts():
    assert [is_symbol_font(font) for font in (*FONTS, "Arial", "")] == [True] * 5 + [False] * 2


@given(st.text(max_size=20), st.integers(-(2**40), 2**40))
def test_any_font_and_code_is_accepted(font, code):
    assert len(unicode_of(font, code)) <= 1
    unicode_of("Symbol", code)
