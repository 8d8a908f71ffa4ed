r"""What a word is: three answers, because they have three uses. Of "It's 1,200.50 (70\xa0%)":

- a search looks for `It`, `s`, `1,200`, `50`, `70`: numbers are found as they are said
- a comparison shows each sign as changed: `It`, `'`, `s `, `1,200.50 `, `(`, `70\xa0`, `%`, `)`
- a quotation has the words and numbers that it may not change: `It's`, `1,200.50`, `70`, `%`

In all of them, a character of a script without spaces between words counts as a word. A search
takes a text of such characters as one match, because it also looks for pairs of them.
"""

from __future__ import annotations

import re
from typing import Final

from docxchunk.language.patterns import pattern
from docxchunk.language.scripts import EAST_ASIAN, UNSPACED

_LETTER: Final = rf"[^\W_{UNSPACED}]"
_MARKS: Final = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"  # of letters
SEARCHED: Final = pattern(
    rf"(?P<unspaced>[{UNSPACED}]+)"
    r"|\d+(?:\.\d+)+[a-z]?\b"  # the number of a clause: 6.13.1
    r"|(?<![\d.,])\d{1,3}(?:[,'\u2019\xa0\u202f]\d{3})+(?![\d,])"  # 1,200
    rf"|{_LETTER}(?:{_LETTER}|[{_MARKS}])*"
)

_WIDE: Final = rf"{EAST_ASIAN}\uac00-\ud7af\uf900-\uffef"  # Chinese, Japanese and Korean
COMPARED: Final = pattern(
    # an amount such as 1,200.50 is a word; only the end of a paragraph is "\n"
    rf"(?:[{_WIDE}]|\d{{1,3}}+(?:[.,]\d{{3}}){{1,9}}+(?:[.,]\d++)?+(?![^\W_])|[^\W_{_WIDE}]+|.)[^\S\n]*",
    re.DOTALL,
)
"""A word or sign, with the blanks after it."""

QUOTED: Final = pattern(
    rf"[{UNSPACED}]"
    r"|(?:(?<![^\s(])-)?\d+(?:[.,]\d+)*"  # 1,200.50, -5
    r"|[^\W\d]\w*(?:'\w+)*|[%‰£€¥₩₹°±×÷<>≤≥=≠+]|\$(?=\s?\d)"
)
