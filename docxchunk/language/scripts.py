"""Which characters belong to which script, and what a word is."""

from __future__ import annotations

from typing import Final

from docxchunk.language.patterns import pattern

KANA: Final = r"\u3040-\u30ff"
HAN: Final = r"\u3400-\u9fff"
HANGUL: Final = r"\uac00-\ud7a3"
UNSPACED: Final = KANA + HAN + HANGUL
"""Kana, ideographs and Hangul, for a character class of a regular expression. Each of these
characters counts as a word.
"""

WORD: Final = pattern(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
"""A word without the signs beside it, or one of these characters."""

WORD_WITH_SIGNS: Final = pattern(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
"""A word with the signs beside it, or one of these characters."""
