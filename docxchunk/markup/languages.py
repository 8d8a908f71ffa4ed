"""Recognise Chinese, Japanese and Korean text by its script."""

from __future__ import annotations

import re
from typing import Final

_SAMPLE: Final = 2000  # characters
_KANA: Final = re.compile("[\u3041-\u30ff]")
_HANGUL: Final = re.compile("[\uac00-\ud7af]")
_HAN: Final = re.compile("[\u4e00-\u9fff]")


def language_of(text: str) -> str:
    """Return "ja", "ko" or "zh" if over a tenth of the beginning of a text is in that script; else
    "".

    Browsers need the language because the same Han code points have different glyphs.
    """
    start = text[:_SAMPLE]
    kana, hangul, han = (len(script.findall(start)) for script in (_KANA, _HANGUL, _HAN))
    if (kana + hangul + han) * 10 <= len(start):
        return ""
    return "ko" if hangul > max(kana, han) else "ja" if kana * 10 > han else "zh"
