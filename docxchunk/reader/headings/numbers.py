"""The number that a line begins with, typed or automatic, and the named divisions of documents: 2.1, (a), 第三章, Article 4."""

from __future__ import annotations

import re
from string import ascii_letters
from typing import Final, NamedTuple

ARTICLE: Final = 5
_ORDINAL: Final = "[零〇一二三四五六七八九十百千两0-9０-９]+"
_VALUE: Final = r"(?P<value>[ivxlc]+|\d{1,4}(?:\.\d{1,3}){0,4}|[a-z])"


class Number(NamedTuple):
    """`kind` tells series apart; `path` is (2, 1) for "2.1"; `length` is how much of the line it takes."""

    kind: str
    path: tuple[int, ...]
    length: int
    rank: int = 0  # of a named division, from 1 (the largest); 0: a number alone


_NAMES: Final = {  # by rank
    1: "part book title teil buch partie livre titre parte título libro titolo часть книга deel boek del kısım część",
    3: "chapter kapitel chapitre capítulo capitolo capo глава hoofdstuk bölüm rozdział "
    "appendix annex schedule exhibit anhang anlage annexe anexo apéndice allegato приложение bijlage bilaga ek załącznik",
    4: "section abschnitt sección seção secção sezione раздел afdeling paragraaf avsnitt",
    ARTICLE: "article artikel artículo artigo articolo статья madde art. artykuł clause § §§",
}
_RANKS: Final = {name: rank for rank, names in _NAMES.items() for name in names.split()}
_NAMED: Final = re.compile(rf"(?P<name>{'|'.join(sorted(map(re.escape, _RANKS), key=len, reverse=True))})\s*{_VALUE}(?=[\s.:)–—-]|$)", re.IGNORECASE)
_CJK: Final = re.compile(rf"第\s*(?P<value>{_ORDINAL})\s*(?P<name>分编|编|部分|篇|章|节|条)(?:之{_ORDINAL})?(?=[\s　：:、.]|$|[^的款项])")
_CJK_RANKS: Final = {"编": 1, "部分": 1, "篇": 1, "分编": 2, "章": 3, "节": 4, "条": ARTICLE}
_KOREAN: Final = re.compile(r"제\s*(?P<value>\d{1,4})\s*(?P<name>편|부|장|절|조)(?=[\s(（.]|$)")
_KOREAN_RANKS: Final = {"편": 1, "부": 1, "장": 3, "절": 4, "조": ARTICLE}
_APPENDED: Final = re.compile(r"(?:附录|附件|附则|附錄)(?P<value>[零一二三四五六七八九十0-9A-Z]*)(?=[\s　：:.]|$)")

_PLAIN: Final = (
    ("decimal", re.compile(r"(?P<value>\d{1,3}(?:[.．]\d{1,3}[A-Za-z]?)*)[.．]?(?=[\s\u3000\u4e00-\u9fff])")),
    ("decimal)", re.compile(r"(?P<value>\d{1,3})[)）、](?=\S|\s)")),
    ("(decimal)", re.compile(r"[(（](?P<value>\d{1,3})[)）]\s*")),
    ("han", re.compile(r"(?P<value>[一二三四五六七八九十]{1,3})[、.．]\s*")),
    ("(han)", re.compile(r"[(（](?P<value>[一二三四五六七八九十]{1,3})[)）]\s*")),
    ("roman", re.compile(r"(?P<value>[IVX]{1,6})[.)]\s+")),
    ("letter", re.compile(r"(?P<value>[A-Z])[.)]\s+")),
    ("letter.", re.compile(r"(?P<value>[A-Z](?:\.\d{1,3}){1,4})\.?\s+")),
    ("(letter)", re.compile(r"[(（]?(?P<value>[a-z]{1,4})[)）]\s+")),
)
_STARTS: Final = re.compile(  # what all of them begin with: one question instead of many
    r"[\d(（§第제附一二三四五六七八九十]|[A-Z](?:[.)]|[IVX]*[.)])|[a-z]{1,4}[)）]|[^\W\d_]{3,10}\.?\s*(?:\d|[ivxlc]+\b|[a-z]\b)", re.IGNORECASE
)
_POINTS: Final = re.compile("[.．]")
_DIGITS: Final = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def number_of(text: str) -> Number | None:
    """The number at the start of a line; None where there is none."""
    return (_division(text) or _plain(text)) if _STARTS.match(text) else None


def _division(text: str) -> Number | None:
    if not text[0].isalpha() and text[0] != "§":
        return None
    for pattern, ranks in ((_CJK, _CJK_RANKS), (_KOREAN, _KOREAN_RANKS)):
        if text[0] in "第제" and (found := pattern.match(text)):
            return Number(found["name"], (_value(found["value"]),), found.end(), ranks[found["name"]])
    if found := _APPENDED.match(text):
        return Number("附", (_value(found["value"]) if found["value"] else 1,), found.end(), 3)
    if found := _NAMED.match(text):
        name = found["name"].lower()
        return Number(name, _path(found["value"]), found.end(), _RANKS[name])
    return None


def _plain(text: str) -> Number | None:
    for kind, pattern in _PLAIN:
        if found := pattern.match(text):
            path = _path(found["value"])
            return Number(kind if len(path) == 1 else f"{kind}{len(path)}", path, found.end())
    return None


def _path(text: str) -> tuple[int, ...]:
    return tuple([_value(part) for part in _POINTS.split(text)])


def _value(text: str) -> int:
    """The value of a numeral: decimal, Chinese, roman or a letter; 0 where it has none. A letter after a number, as in 6a, does not count."""
    if (digits := text.rstrip(ascii_letters)).isdecimal():
        return int(digits)
    if all(sign in _DIGITS or sign in _UNITS for sign in text):
        return _chinese(text)
    lower = text.lower()
    if all(sign in _ROMAN for sign in lower) and (len(lower) > 1 or lower in "ivx"):
        return _roman(lower)
    return ord(lower) - ord("a") + 1 if len(lower) == 1 and lower.isascii() else 0


def _chinese(text: str) -> int:
    total = digit = 0
    for sign in text:
        if sign in _UNITS:
            total, digit = total + (digit or 1) * _UNITS[sign], 0
        else:
            digit = _DIGITS[sign]
    return total + digit


def _roman(text: str) -> int:
    values = [_ROMAN[sign] for sign in text]
    return sum(-value if any(later > value for later in values[place + 1 : place + 2]) else value for place, value in enumerate(values))
