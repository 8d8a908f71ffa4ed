"""Mapping of symbol fonts to Unicode."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.ooxml.symbols import is_symbol_font, unicode_of, unicode_text

FONTS = ["Symbol", "Wingdings", "Wingdings 2", "Wingdings 3", "Webdings"]


@pytest.mark.parametrize(
    ("font", "code", "character"),
    [
        ("Symbol", 0x61, "α"),
        ("Symbol", 0xF061, "α"),
        ("Symbol", 0xB7, "•"),
        ("symbol", 0xF0B3, "≥"),
        ("Symbol", 0xF0AE, "→"),
        ("Symbol", 0xF0D7, "⋅"),
        ("Wingdings", 0xF0FC, "✓"),
        ("Wingdings", 0xF0FE, "☑"),
        ("Wingdings", 0xF0A8, "◻"),
        ("Wingdings", 0xF0E0, "→"),
        ("Wingdings", 0x4A, "☺"),
        ("Wingdings", 0xF06F, "□"),
        ("Wingdings", 0xF06C, "●"),
        ("Wingdings", 0xA7, "▪"),
        ("Wingdings", 0xF0D8, "➢"),
        ("Wingdings", 0xF081, "➀"),
        ("Wingdings 2", 0xF052, "☑"),
        ("Wingdings 2", 0xF050, "✓"),
        ("Wingdings 3", 0xF07D, "▸"),
        ("Webdings", 0xF061, "✔"),
        ("Euclid Symbol", 0xF061, "α"),
        ("Symbol", 0x2022, "\u2022"),
        ("Symbol", 0xFC, "⎫"),
        ("Wingdings", 0x2022, "\u2022"),
        ("Arial", 0x41, "A"),
        ("Arial", 0xF041, "\uf041"),
        ("", 0x2713, "✓"),
        ("Symbol", 0xF081, "\uf081"),
        ("Arial", 0, ""),
        ("Arial", 0xD800, ""),
        ("Arial", 0x110000, ""),
        ("Symbol", -1, ""),
        # the first and the last code
        ("Symbol", 0x1F, ""),
        ("Symbol", 0x22, "∀"),
        ("Symbol", 0xF022, "∀"),
        ("Wingdings", 0xFE, "☑"),
        ("Webdings", 0xFF, "🕊"),
        ("Webdings", 0xF0FF, "🕊"),
        ("Webdings", 0x100, "\u0100"),
        ("Webdings", 0xF100, "\uf100"),
        ("Arial", 1, ""),
        ("Arial", 0xD7FF, "\ud7ff"),
        ("Arial", 0xDFFF, ""),
        ("Arial", 0xE000, "\ue000"),
        ("Arial", 0x10FFFF, "\U0010ffff"),
    ],
)
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


@pytest.mark.parametrize(
    ("font", "text", "shown"),
    [
        ("Symbol", "a\uf0b7", "α•"),
        ("Arial", "\uf000\uf0ff", "••"),
        ("Arial", "\uefff\uf100a", "\uefff\uf100a"),
        ("", "", ""),
    ],
)
def test_text_of_a_font(font, text, shown):
    assert unicode_text(font, text) == shown


def test_symbol_fonts():
    assert [is_symbol_font(font) for font in (*FONTS, "Arial", "")] == [True] * 5 + [False] * 2


@given(st.text(max_size=20), st.integers(-(2**40), 2**40))
def test_any_font_and_code_is_accepted(font, code):
    assert len(unicode_of(font, code)) <= 1
    unicode_of("Symbol", code)
