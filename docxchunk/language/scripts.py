"""Which characters belong to which script: classes, to be put together in regular expressions."""

from __future__ import annotations

from typing import Final

from docxchunk.language.patterns import pattern

KANA: Final = r"\u3040-\u30ff"
RARE_HAN: Final = r"\U00020000-\U0003ffff"
"""Ideographs that have a code point of more than 16 bits, such as the 𠮷 of Japanese names."""

COMPATIBLE_HAN: Final = r"\uf900-\ufaff"
"""Ideographs that Unicode has a second time."""

HAN: Final = rf"々〇\u3400-\u9fff{COMPATIBLE_HAN}{RARE_HAN}"
"""Ideographs, with the sign that repeats one and the zero of numerals."""

HANGUL: Final = r"\uac00-\ud7a3"
JAMO: Final = r"\u1100-\u11ff"
"""The letters of Hangul, one by one."""

UNSPACED: Final = KANA + HAN + HANGUL
"""Kana, ideographs and Hangul. Each of these characters counts as a word."""

SOUTH_EAST_ASIAN: Final = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, which have no spaces between words."""

EAST_ASIAN: Final = rf"\u2e80-\u9fff{RARE_HAN}"
"""Chinese and Japanese text, with its signs."""

FIRST_WIDE: Final = "\u2e80"
"""The first character of the part of Unicode in which nearly all characters are wide."""

WIDE: Final = rf"{JAMO}{FIRST_WIDE}-\ua4cf\uac00-\ud7ff{COMPATIBLE_HAN}{RARE_HAN}\uff00-\uff60"
"""Characters that are as wide as high: Chinese, Japanese, Korean and Yi text, with its signs."""

WORD: Final = pattern(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
"""A word without the signs beside it, or one of these characters."""

WORD_WITH_SIGNS: Final = pattern(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
"""A word with the signs beside it, or one of these characters."""
