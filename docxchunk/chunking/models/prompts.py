"""Prompts in the language of the text that they are about: the published code of Meta-Chunking asks in Chinese about Chinese text, else in English."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA: Final = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_LETTER: Final = re.compile(r"[^\W\d_]")


class Wording(NamedTuple):
    """The same in both languages."""

    english: str
    chinese: str

    def for_text(self, text: str) -> str:
        return self.chinese if is_chinese(text) else self.english


def is_chinese(text: str) -> bool:
    """Are more than half of its letters Chinese characters, with less than a kana for ten of them, as Japanese has?"""
    han, letters, kana = (len(kind.findall(text)) for kind in (_HAN, _LETTER, _KANA))
    return 2 * han > letters and han > 10 * kana
