"""Prompts in English and Chinese, chosen by the language of the text as in the published code of Meta-Chunking."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA: Final = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
_LETTER: Final = re.compile(r"[^\W\d_]")


class Wording(NamedTuple):
    """A prompt in both languages."""

    english: str
    chinese: str

    def for_text(self, text: str) -> str:
        """Return the Chinese prompt for Chinese text, the English one for any other."""
        return self.chinese if is_chinese(text) else self.english


def is_chinese(text: str) -> bool:
    """Return whether more than half of the letters are Chinese characters, with fewer than one kana per ten of them (else it is Japanese)."""
    han, letters, kana = (len(kind.findall(text)) for kind in (_HAN, _LETTER, _KANA))
    return 2 * han > letters and han > 10 * kana
