"""Parse the number that a line begins with: 2.1, (a), 第三章, Article 4."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters, ascii_lowercase
from typing import Final, NamedTuple

from docxchunk.reader.headings.ordinals import STARTS, ordinal_of, without_accents

PART: Final = 1
SECTION: Final = 4
ARTICLE: Final = 5
_ANNEX_NAMES: Final = (
    "appendix annex schedule exhibit anhang anlage annexe anexo apéndice "
    "allegato приложение "
    "bijlage bilaga ek załącznik"
)
_CHINESE_ANNEX: Final = "附"
ANNEXES: Final = frozenset((*_ANNEX_NAMES.split(), _CHINESE_ANNEX))
"""The kinds of the numbers of annexes."""

_ORDINAL: Final = "[零〇一二三四五六七八九十百千两0-9０-９]+"
_LATIN: Final = {
    name: place
    for place, name in enumerate(
        "bis ter quater quinquies sexies septies octies novies decies".split(), 1
    )
}
_BIDI: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ENDING: Final = r"(?:(?:er|re|ère)(?![^\W\d_])|[ºª°])?"  # of an ordinal in digits
_VALUE: Final = (
    rf"(?P<value>[ivxlc]+|\d{{1,4}}(?:\.\d{{1,3}}){{0,4}}{_ENDING}|[a-z])"
    rf"(?P<inserted>(?<=\d)(?:[a-z]|\s?(?:{'|'.join(_LATIN)})))?"
)


class Number(NamedTuple):
    """A number: `kind` names its series, `path` is (2, 1) for "2.1", `length` is the number of
    characters it takes.

    `inserted` counts the divisions that were later put after one with the same path: 1 for "Article
    2a", "Article 2 bis" and "第二条之一".
    """

    kind: str
    path: tuple[int, ...]
    length: int
    rank: int = 0  # of a named division, from 1 (the largest); 0: a number alone
    inserted: int = 0


_NAMES: Final = {  # by rank; those of rank 0 name no divisions, but may name headings
    PART: "part book title teil titel buch partie livre titre parte título libro titolo часть "
    "книга deel boek del kısım część الباب",
    3: "chapter kapitel chapitre capítulo capitolo capo глава hoofdstuk bölüm rozdział "
    f"الفصل פרק {_ANNEX_NAMES}",
    SECTION: "section sec. abschnitt sección seção secção sezione раздел afdeling paragraaf "
    "avsnitt القسم",
    ARTICLE: "article artikel artículo artigo articolo статья madde art. artykuł clause "
    "cláusula clausola المادة مادة סעיף § §§",
    0: "question frage pregunta pergunta domanda lesson lektion leçon lección lição lezione "
    "unit module step schritt étape paso passo phase fase exercise",
}
_RANKS: Final = {
    without_accents(name): rank for rank, names in _NAMES.items() for name in names.split()
}
_NAME: Final = rf"(?P<name>{'|'.join(sorted(map(re.escape, _RANKS), key=len, reverse=True))})"
_NAMED: Final = re.compile(
    rf"{_NAME}(?:\s+"
    rf"|(?=[(（\d]))[(（]?{_VALUE}[)）]?(?=[\s.:)–—-]|$)",
    re.IGNORECASE,
)
_NAME_BEFORE: Final = re.compile(rf"{_NAME}\s+(?=[^\W\d_])", re.IGNORECASE)
_NAME_AFTER: Final = re.compile(rf"\s+{_NAME}(?=[\s.:)–—-]|$)", re.IGNORECASE)
_ORDINAL_ENDS: Final = re.compile(r"\s?[.:]?\s?[-–—]|[.:]|\s*$")
_CJK_NAMES: Final = "分编|编|部分|篇|章|节|条|[题題]"
_CJK: Final = re.compile(
    rf"第\s*(?P<value>{_ORDINAL})\s*(?P<name>{_CJK_NAMES})"
    rf"(?:[之の](?P<inserted>{_ORDINAL}))?(?=[\s　：:、.]"
    r"|$|[^的款项])"
)
_CJK_RANKS: Final = {
    "编": PART,
    "部分": PART,
    "篇": PART,
    "分编": 2,
    "章": 3,
    "节": SECTION,
    "条": ARTICLE,
    "题": 0,
    "題": 0,
}
_KOREAN: Final = re.compile(
    r"제\s*(?P<value>\d{1,4})\s*(?P<name>편|부|장|절"
    r"|조)(?:의\s?(?P<inserted>\d{1,2}))?(?=[\s(（.]|$)"
)
_KOREAN_RANKS: Final = {"편": PART, "부": PART, "장": 3, "절": SECTION, "조": ARTICLE}
_APPENDED: Final = re.compile(
    r"(?:附录|附件|附则|附錄)(?P<value>[零一二三四五六七八九十0-9A-Z]*)(?=[\s　：:.]|$)"
)

_DECIMAL: Final = r"(?P<value>\d{1,3}(?:[.．]\d{1,3}[A-Za-z]?)*)"
_INSERTED_LETTER: Final = r"[-–—](?P<inserted>[A-Z])(?=[.．\s])[.．]?"  # "3-A Aims"
_DASH: Final = r"\s?(?:-(?=\s)|[–—])(?!\s?\d)\s*"  # "1 - Aims", "1—Aims", but not "5–10 foxes"
_PLAIN: Final = (
    (
        "decimal",
        re.compile(
            rf"{_DECIMAL}(?:{_INSERTED_LETTER}|[.．°º]?{_DASH}"
            r"|[.．]?(?=[\s\u3000\u4e00-\u9fff]))"
        ),
    ),
    ("decimal)", re.compile(r"(?P<value>\d{1,3})[)）、](?=\S|\s)")),
    ("(decimal)", re.compile(r"[(（](?P<value>\d{1,3})[)）]\s*")),
    ("han", re.compile(r"(?P<value>[一二三四五六七八九十]{1,3})[、.．]\s*")),
    ("(han)", re.compile(r"[(（](?P<value>[一二三四五六七八九十]{1,3})[)）]\s*")),
    ("roman", re.compile(rf"(?P<value>[IVX]{{1,6}})(?:[.)]\s+|[.)]?{_DASH})")),
    ("letter", re.compile(rf"(?P<value>[A-Z])(?:[.)]\s+|[.)]?{_DASH})")),
    ("letter.", re.compile(r"(?P<value>(?:[A-Z]|[IVX]{2,6})(?:\.\d{1,3}){1,4})\.?\s+")),
    ("(letter)", re.compile(r"[(（]?(?P<value>[a-z]{1,4})[)）]\s+")),
)
_STARTS: Final = re.compile(
    r"[\d(（§第제附一二三四五六七八九十]|[A-Z][IVX]*(?:[.)]|\s?(?:-\s|[–—]))"
    r"|[a-z]{1,4}[)）]",
    re.IGNORECASE,
)
_WORD_STARTS: Final = re.compile(
    r"[^\W\d_]{2,10}(?:\.?\s+|\.|(?=[(（\d]))[(（]?(?:\d|[ivxlc]+\b"
    r"|[a-z]\b)",
    re.IGNORECASE,
)
_WORD_BEGINNINGS: Final = frozenset(name[:3].ljust(3) for name in (*_RANKS, *STARTS))
_MOST_READ: Final = 60  # characters that a number in words may take
_DIGIT_PATTERNS, _PAREN_PATTERNS, _HAN_PATTERNS, _LETTER_PATTERNS = (
    _PLAIN[:2],
    (_PLAIN[2], _PLAIN[4], _PLAIN[8]),
    (_PLAIN[3],),
    _PLAIN[5:],
)
_POINTS: Final = re.compile("[.．]")
_DIGITS: Final = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_CHINESE: Final = frozenset([*_DIGITS, *_UNITS])
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ROMAN_SIGNS: Final = frozenset(_ROMAN)


def may_begin_with_number(text: str) -> bool:
    """Return False if the text cannot begin with a number. A cheap test: True does not mean that
    there is one.
    """
    if _STARTS.match(text) is not None or text[:1] in _BIDI:
        return True
    return _may_begin_with_word(text) and (
        _WORD_STARTS.match(text) is not None or _in_words(text) is not None
    )


def _may_begin_with_word(text: str) -> bool:
    first = text[:3].lower()
    return (first if first.isascii() else without_accents(first)) in _WORD_BEGINNINGS


def number_of(text: str) -> Number | None:
    """Return the number at the start of a line, None if there is none."""
    if not may_begin_with_number(text):
        return None
    if marks := len(text) - len(text.lstrip(_BIDI)):
        number = number_of(text[marks:])
        return number and number._replace(length=number.length + marks)
    return division_of(text) or _plain(text)


@lru_cache(maxsize=1024)
def number_of_label(label: str) -> Number | None:
    """Return the number in an automatic label. Labels are few and recur, unlike the texts of
    lines.
    """
    return number_of(f"{label} ")


def division_of(text: str) -> Number | None:
    """Return the number of a named division at the start of a line, such as a chapter or an
    article, None if there is none.
    """
    if not text[0].isalpha() and text[0] != "§":
        return None
    for pattern, ranks in ((_CJK, _CJK_RANKS), (_KOREAN, _KOREAN_RANKS)):
        if text[0] in "第제" and (found := pattern.match(text)):
            return Number(
                found["name"],
                _path(found["value"]),
                found.end(),
                ranks[found["name"]],
                _value(found["inserted"] or ""),
            )
    if found := _APPENDED.match(text):
        return Number(
            _CHINESE_ANNEX, (_value(found["value"]) if found["value"] else 1,), found.end(), 3
        )
    if text[0] != "§" and not _may_begin_with_word(text):
        return None
    if found := _known(_NAMED.match(without_accents(text[:_MOST_READ]))):
        name = found["name"].lower()
        value = found["value"].rstrip("ºª°")
        return Number(
            name,
            _path(value),
            found.end(),
            _RANKS[name],
            _inserted((found["inserted"] or "").strip().lower()),
        )
    return _in_words(text)


def _in_words(text: str) -> Number | None:
    """Return a number in words: "Artículo Primero", "Erster Abschnitt", or alone before a dash, a
    colon or a full stop: "Primera.-".
    """
    read = without_accents(text[:_MOST_READ])
    name, ordinal = _known(_NAME_BEFORE.match(read)), ordinal_of(read)
    if name is not None:
        ordinal = ordinal_of(read, name.end())
    elif ordinal is not None:
        name = _known(_NAME_AFTER.match(read, ordinal[1]))
    if ordinal is None:
        return None
    value, end = ordinal
    if name is None:
        ends = _ORDINAL_ENDS.match(read, end)
        return Number("ordinal", (value,), ends.end()) if ends else None
    end = max(end, name.end())
    if text[end:].lstrip()[:1].islower():
        return None  # "Part one of the work"
    return Number(name["name"].lower(), (value,), end, _RANKS[name["name"].lower()])


def _known(found: re.Match[str] | None) -> re.Match[str] | None:
    """Return the match if its name is known. Ignoring case, patterns also match letters such as ı
    for i and ſ for s.
    """
    return found if found and found["name"].lower() in _RANKS else None


def _inserted(suffix: str) -> int:
    """Return the place of a letter in the alphabet, or of a word such as "bis" in its series; 0 for
    others.
    """
    return _LATIN.get(suffix) or (ascii_lowercase.find(suffix) + 1 if len(suffix) == 1 else 0)


def _plain(text: str) -> Number | None:
    for kind, pattern in _patterns_for(text[0]):
        if found := pattern.match(text):
            path = _path(found["value"])
            inserted = (
                _inserted(found["inserted"].lower())
                if "inserted" in pattern.groupindex and found["inserted"]
                else 0
            )
            return Number(
                kind if len(path) == 1 else f"{kind}{len(path)}", path, found.end(), 0, inserted
            )
    return None


def _patterns_for(first: str) -> Sequence[tuple[str, re.Pattern[str]]]:
    """Return the patterns that can match a text with this first character."""
    if first.isdecimal():
        return _DIGIT_PATTERNS
    if first in "(（":
        return _PAREN_PATTERNS
    return _LETTER_PATTERNS if first.isascii() else _HAN_PATTERNS


@lru_cache(maxsize=4096)
def _path(text: str) -> tuple[int, ...]:
    return tuple([_value(part) for part in _POINTS.split(text)])


def _value(text: str) -> int:
    """Return the value of a numeral (decimal, Chinese, Roman or a letter), 0 if it has none. A
    letter after a number, as in 6a, is ignored.
    """
    if (digits := text.rstrip(ascii_letters)).isdecimal():
        return int(digits)
    if _CHINESE.issuperset(text):
        return _chinese(text)
    lower = text.lower()
    if _ROMAN_SIGNS.issuperset(lower) and (len(lower) > 1 or lower in "ivx"):
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
    return sum(
        -value if any(later > value for later in values[place + 1 : place + 2]) else value
        for place, value in enumerate(values)
    )
