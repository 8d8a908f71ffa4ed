"""Parse the number that a line begins with: 2.1, (a), 第三章, Article 4, Artículo Primero."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from string import ascii_letters, ascii_lowercase
from typing import Final, NamedTuple
from unicodedata import is_normalized

from docxchunk.language import clause_words as words
from docxchunk.language.folding import composed, folded_by, without_accents
from docxchunk.language.patterns import pattern

ANNEXES: Final = frozenset(
    name.replace("_", " ")
    for name in (
        *without_accents(words.ANNEX_NAMES).split(),
        words.CHINESE_ANNEX,
        words.KOREAN_ANNEX,
    )
)
"""The kinds of the numbers of annexes."""


class Number(NamedTuple):
    """A number at the beginning of a line."""

    kind: str  # its form ("decimal", "(letter)"), or the name of the division ("article", "章")
    path: tuple[int, ...]  # (2, 1) for "2.1"
    length: int  # in characters
    rank: int = 0  # of a named division, from 1 (the largest); 0 for a number alone
    # counts divisions that were later inserted after one with the same path: 1 for "Article 2a",
    # "Article 2 bis" and "第二条之一"
    inserted: int = 0


# --- The number of a text

_LONGEST: Final = 60  # the number is within this many characters
_RANKS: Final = {
    name.replace("_", " "): rank
    for rank, names in words.DIVISIONS.items()
    for name in without_accents(names).split()
}
_ORDINAL_LETTERS: Final = pattern("[ºª]")
_RAISED_DIGITS: Final = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹", "abcdefghi")
_RAISED: Final = pattern(r"(?<=\d)[¹²³⁴-⁹]++")
_BIDI: Final = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# what a number begins with, unless it begins with a digit or a word
TO_TEN: Final = "一二三四五六七八九十"
"""The Chinese numerals from one to ten."""

CHINESE: Final = f"零〇{TO_TEN}百千"
"""The characters of Chinese numerals."""

_SIGNS: Final = frozenset("(（§第제附부" + TO_TEN + _BIDI)
# of the first five characters: letters with a sign after them, such as "XIV." or "b)"
# or a Roman number before a blank: "II skyrius"
_LETTERS_FIRST: Final = re.compile(
    r"[A-Za-z](?:[IVXivx]*(?:[.)]|\s?(?:[-–—]|$))|[A-Za-z]{0,3}[)）])|[IVXLC]{1,5}(?:\s|$)"
)
# names that are not letters alone: they have blanks, or combining vowel signs
_SEVERAL_WORDS: Final = [
    name for name in _RANKS if not name.rstrip(".").isalpha() and "§" not in name
]
_FIRST_WORD: Final = pattern(
    rf"(?:{'|'.join(_SEVERAL_WORDS)})(?![^\W\d_])|[^\W\d_]+\.?|§§?", re.IGNORECASE
)


def number_of(text: str) -> Number | None:
    """Return the number at the start of a text, or None."""
    if not is_normalized("NFC", start := text[:_LONGEST]):
        composed_start = folded_by(composed, start)
        number = number_of(composed_start.text)
        return number and number._replace(length=composed_start.span(0, number.length)[1])
    return _parsed(start) if start and _can_begin(start[:5]) else None


def number_of_paragraph(text: str, label: str) -> Number | None:
    """Return the number of a paragraph with this automatic label; if the label is empty, the number
    that its text begins with.
    """
    return number_of(f"{label} ") if label else number_of(text)


@lru_cache(maxsize=4096)  # most lines of a long document begin like others
def _can_begin(start: str) -> bool:
    """Return whether a text with these first five characters can begin with a number."""
    return (
        start[0] in _SIGNS
        or start[0].isdecimal()
        or _LETTERS_FIRST.match(start) is not None
        or _begins_with_word(start)
    )


def _begins_with_word(text: str) -> bool:
    """Return whether a text can begin with the name of a division, or with a number in words."""
    return without_accents(text[:3]).lower() in _beginnings()


@cache
def _beginnings() -> frozenset[str]:
    """Return the first three characters of all names of divisions and numbers in words. Shorter
    words are filled up with blanks.
    """
    return frozenset(word[:3].ljust(3) for word in (*_RANKS, *ordinals(), *_ordinals_of_names()))


# a line is parsed several times: as a clause, as a candidate, as a sibling
@lru_cache(maxsize=4096)
def _parsed(text: str) -> Number | None:
    first = text[0]
    if first in _BIDI:
        marks = len(text) - len(text.lstrip(_BIDI))
        number = number_of(text[marks:])
        return number and number._replace(length=number.length + marks)
    if first in _EAST_ASIAN or first in (words.CHINESE_ANNEX, words.KOREAN_ANNEX[0]):
        return _east_asian_division(text, first)
    # divisions begin with a word or §; the first two tests are for speed
    if (first == "§" or _begins_with_word(text)) and (number := _division(text)):
        return number
    return _number_before_name(text) or _number_alone(text, first)


def _read(text: str) -> str:
    """Return a text without accents, with one sign for ordinals, and with letters for raised digits
    ("6¹" is "6a"), in the same length.
    """
    if text.isascii():
        return text
    return without_accents(_ORDINAL_LETTERS.sub("°", text.translate(_RAISED_DIGITS)))


def with_inserted(text: str) -> str:
    """Return a text in which raised digits after a digit are letters: "Article 6¹" becomes "Article
    6a". It is not article 61.
    """
    if text.isascii():
        return text
    return _RAISED.sub(lambda raised: raised[0].translate(_RAISED_DIGITS), text)


def names_division(word: str) -> bool:
    """Return whether a word is the name of a division, in the singular: "Section", "Załącznik"."""
    return _RANKS.get(without_accents(word).lower(), 0) > 0


# --- Named divisions

_CHINESE_NUMERAL: Final = f"[{CHINESE}两0-9０-９]+"
_CHINESE_DIVISION: Final = pattern(
    rf"第\s*(?P<value>{_CHINESE_NUMERAL})\s*"
    rf"(?P<name>{'|'.join((*words.CHINESE_DIVISIONS, *words.TRADITIONAL))})"
    rf"(?:[之の](?P<inserted>{_CHINESE_NUMERAL}))?(?=[\s　：:、.]|$|[^的款项項])"
)
_KOREAN_DIVISION: Final = pattern(
    rf"제\s*(?P<value>\d{{1,4}})\s*(?P<name>{'|'.join(words.KOREAN_DIVISIONS)})"
    r"(?:의\s?(?P<inserted>\d{1,2}))?(?=[\s(（.]|$)"
)
_CHINESE_ANNEX: Final = pattern(
    rf"(?:附录|附件|附錄|附[ 　]?[则則])(?P<value>[零{TO_TEN}0-9A-Z]*)(?=[\s　：:.]|$)"
)
_KOREAN_ANNEX: Final = pattern(r"부\s?칙(?=\s*(?:[<〈＜(（]|$))")
_EAST_ASIAN: Final = {
    "第": (_CHINESE_DIVISION, words.CHINESE_DIVISIONS),
    "제": (_KOREAN_DIVISION, words.KOREAN_DIVISIONS),
}
_INSERTED: Final = {word: value for value, word in enumerate(words.INSERTED.split(), 1)}
_ORDINAL_SIGN: Final = r"(?:(?:er|re|ere)(?![^\W\d_])|[ºª°])"  # "1ère" is read without accents
_LAST_SIGN: Final = pattern(rf"(?<=.){_ORDINAL_SIGN}$", re.IGNORECASE)
_KERAIA: Final = "'΄’´ʹ′"  # after a Greek letter that is a number
GREEK: Final = rf"(?-i:[Α-Ω]{{1,3}})(?!\w)(?:[{_KERAIA}](?!\w))?"
"""The pattern of a Greek number: "Β΄"."""

_AFTER_NAME: Final = pattern(
    r"(?:\s+|(?=[(（\d]))[(（]?"
    rf"(?P<value>i{_ORDINAL_SIGN}|[ivxlc]+|\d{{1,4}}(?:\.\d{{1,3}}){{0,4}}{_ORDINAL_SIGN}?"
    rf"|[a-z]|(?-i:[{words.CYRILLIC_LETTERS.upper()}])|{GREEK})"
    rf"(?P<inserted>(?<=\d)[a-z]|(?<=[\der])\s?(?:{'|'.join(_INSERTED)}))?[)）]?(?=[\s.:)–—ـ-]|$)",
    re.IGNORECASE,
)
_NUMBERED_BEFORE: Final = "|".join(
    re.escape(name) for name in without_accents(words.NUMBERED_BEFORE).split() if "§" not in name
)
_BEFORE_NAME: Final = pattern(
    r"(?P<value>\d{1,4}|(?-i:[IVXLC]{1,7}))(?P<inserted>(?<=\d)[./]?\s?[a-z])?"
    rf"(?:\.?\s*(?P<sign>§§?)|(?:\.\s*|\s+)(?P<name>{_NUMBERED_BEFORE}))"
    r"(?=[\s.:)–—-]|$)(?!\.?\s*\d+\s?[a-z]?\s?§)",  # but not "2 kap. 3 §"
    re.IGNORECASE,
)
_NO_NAMES: Final = frozenset(words.NO_NAMES.split())
_NO_LETTERS: Final = frozenset(without_accents(words.NO_LETTERS).split())
_BEFORE_ORDINAL: Final = pattern(r"\s+(?=[^\W\d_])")
_AFTER_ORDINAL: Final = pattern(r"\s+(?P<name>[^\W\d_]+\.?|§§?)(?=[\s.:)–—-]|$)")
_ORDINAL_ALONE: Final = pattern(  # but not "Third-party"
    r"(?:\s|[.:]\s?)[-–—]|[-–—](?![^\W\d_])|[.:]|\s*$"
)
_ORDINAL: Final = pattern(r"(\w{1,20})[\u064b'׳]?(?:[\s-](\w{4,20}))?")


def _east_asian_division(text: str, first: str) -> Number | None:
    """Return the number of a division in Chinese or Korean: 第三章, 第二条之一, 제4조, 附录A."""
    if first == words.CHINESE_ANNEX:
        annex = _CHINESE_ANNEX.match(text)
        number = _value(annex["value"]) if annex and annex["value"] else 1
        return annex and Number(first, (number,), annex.end(), words.CHAPTER)
    if first == words.KOREAN_ANNEX[0]:
        annex = _KOREAN_ANNEX.match(text)
        return annex and Number(words.KOREAN_ANNEX, (1,), annex.end(), words.CHAPTER)
    pattern, ranks = _EAST_ASIAN[first]
    if (match := pattern.match(text)) is None:
        return None
    value, name, inserted = match.group("value", "name", "inserted")
    name = words.TRADITIONAL.get(name, name)
    return Number(
        name, (_value(value),), match.end(), ranks[name], _value(inserted) if inserted else 0
    )


def _division(text: str) -> Number | None:
    """Return the number of a named division, in digits or in words: "Article 4 bis", "Artículo
    Primero", "Erster Abschnitt". A word before a dash, a colon or a full stop needs no name:
    "Primera.-".
    """
    read = _read(text)
    first = _FIRST_WORD.match(read)
    if first is None or text[: first.end()] in _NO_NAMES:
        return None
    name = first[0].lower()
    if name not in _RANKS:
        return _ordinal_first(text, read)
    if (match := _AFTER_NAME.match(read, first.end())) and _can_count(name, match["value"]):
        path, inserted = _path(_LAST_SIGN.sub("", match["value"])), _inserted(match["inserted"])
        return Number(name, path, match.end(), _RANKS[name], inserted)
    ordinal = _ordinal_after(read, first.end())
    return _named(name, *ordinal, text) if ordinal else None


def _can_count(name: str, value: str) -> bool:
    """Return whether a name can have a number: "Член К. Петров" is a member, not article K."""
    return (
        name not in _NO_LETTERS
        or value[0].isdecimal()
        or (ROMAN.fullmatch(value) is not None and value.isupper())
    )


def _number_before_name(text: str) -> Number | None:
    """Return the number of a division whose name follows it: "1 §", "II skyrius", "3. člen"."""
    match = _BEFORE_NAME.match(_read(text))
    if match is None or match["name"] in _NO_NAMES:
        return None
    number = _named((match["sign"] or match["name"]).lower(), 0, match.end(), text)
    path, inserted = (_value(match["value"]),), _inserted((match["inserted"] or "").lstrip("./"))
    return number and number._replace(path=path, inserted=inserted)


def name_first(label: str) -> str:
    """Return a label with the name of its division first: "§ 3a" for "3 a §"."""
    match = _BEFORE_NAME.match(_read(label))
    if match is None:
        return label
    inserted = (match["inserted"] or "").strip("./ ")
    return f"{match['sign'] or match['name']} {match['value']}{inserted}{label[match.end() :]}"


def _ordinal_first(text: str, read: str) -> Number | None:
    ordinal = _ordinal_at(read, 0)
    if ordinal is None:
        return None
    value, end = ordinal
    after = _AFTER_ORDINAL.match(read, end)
    name = after["name"].lower() if after else ""
    name = name if name in _RANKS else name.rstrip(".")
    if after and name in _RANKS:
        return _named(name, value, after.start("name") + len(name), text)
    needs_name = read[:end].lower() in _ordinals_of_names().keys() - ordinals().keys()
    alone = None if needs_name else _ORDINAL_ALONE.match(read, end)
    return Number("ordinal", (value,), alone.end()) if alone else None


def _named(name: str, value: int, end: int, text: str) -> Number | None:
    """Return the number of a division whose name and number end at `end`; None in a sentence: "Part
    one of the work".
    """
    if text[end:].lstrip()[:1].islower():
        return None
    return Number(name, (value,), end, _RANKS[name])


def _ordinal_after(text: str, end: int) -> tuple[int, int] | None:
    """Return the value and the end of the number in words after the name that ends at `end`."""
    gap = _BEFORE_ORDINAL.match(text, end)
    return _ordinal_at(text, gap.end()) if gap else None


def _ordinal_at(text: str, start: int) -> tuple[int, int] | None:
    """Return the value and the end of the number in words that begins at `start`, or None."""
    match, values = _ORDINAL.match(text, start), _ordinals_of_names()
    first = values.get(match[1].lower(), 0) if match else 0
    if not match or not first:
        return None
    if not match[2]:
        return first, match.end()
    # "vigésima segunda"
    unit = values.get(match[2].lower(), 0) if first % 10 == 0 else 0
    return (first + unit, match.end()) if 0 < unit < 10 else (first, match.start(2) - 1)


@cache
def _ordinals_of_names() -> Mapping[str, int]:
    """Return the values of the numbers in words that stand beside the names of divisions."""
    return {
        **{
            word: value
            for forms in words.ORDINALS_OF_DIVISIONS
            for value, word in enumerate(without_accents(forms).split(), 1)
        },
        **ordinals(),
    }


@cache
def ordinals() -> Mapping[str, int]:
    """Return the values of the numbers in words that need no name beside them."""
    stems = {
        stem: value
        for value, forms in words.ROMANCE_ORDINAL_STEMS.items()
        for stem in forms.split()
    }
    values = {f"{stem}{end}": value for stem, value in stems.items() for end in "oa"}
    for stem in ("decim", "vigesim"):  # in one word: "decimotercera"
        values |= {
            f"{stem}o{unit}{end}": stems[stem] + value
            for unit, value in stems.items()
            if value < 10
            for end in "oa"
        }
    for value, stem in enumerate(words.GERMAN_ORDINAL_STEMS.split(), 1):
        values |= {f"{stem}{end}": value for end in ("e", "er", "es", "en")}
    for forms in words.ORDINALS:
        values |= {word: value for value, word in enumerate(without_accents(forms).split(), 1)}
    return values


def in_digits(text: str) -> str:
    """Return a label whose number is in words or in Chinese, with digits: "cláusula 2" for
    "Cláusula segunda", "abschnitt 1" for "Erster Abschnitt", "§ 3" for "3 §", "附件1" for
    "附件一"; others as they are.
    """
    text = name_first(text)
    number = number_of(f"{text} ")
    if (
        number is None
        or number.kind == words.KOREAN_ANNEX
        or not number.rank
        or any(map(str.isdecimal, text[: number.length]))
    ):
        return text
    if number.kind == words.CHINESE_ANNEX:
        annex = _CHINESE_ANNEX.match(text)
        if annex is None or annex["value"].isascii():
            return text
        return f"{text[: annex.start('value')]}{number.path[0]}{text[number.length :]}"
    read = _read(text)
    first = _FIRST_WORD.match(read)
    if first is None or text[0] in _EAST_ASIAN:
        return text
    after = _AFTER_NAME.match(read, first.end())
    if after and not _GREEK.fullmatch(after["value"].lower()):
        return text
    return f"{number.kind} {number.path[0]}{text[number.length :]}"


_NAME_AFTER: Final = pattern(r"\s+(?P<name>[^\W\d_]+)")


def end_in_words(text: str, start: int) -> int:
    """Return the end of a label with a number in words that begins at `start`, "Cláusula segunda"
    or "Erster Abschnitt"; 0 if there is none.
    """
    read = without_accents(text[start : start + _LONGEST])
    first = _FIRST_WORD.match(read)
    if first and _RANKS.get(first[0].lower()):
        ordinal = _ordinal_after(read, first.end())
        return start + ordinal[1] if ordinal else 0
    ordinal = _ordinal_at(read, 0)
    name = _NAME_AFTER.match(read, ordinal[1]) if ordinal else None
    return start + name.end() if name and _RANKS.get(name["name"].lower()) else 0


def _inserted(suffix: str | None) -> int:
    """Return the value of the mark of an inserted division: a letter ("a" is 1) or a word ("bis" is
    1); 0 without one.
    """
    suffix = (suffix or "").strip().lower()
    return _INSERTED.get(suffix) or (ascii_lowercase.find(suffix) + 1 if len(suffix) == 1 else 0)


# --- Numbers without a name

_DASH: Final = r"\s?(?:-(?=\s)|[–—])(?!\s?\d)\s*"  # "1 - Aims", "1—Aims", but not "5–10 foxes"
# a letter that is not small
_CAPITAL: Final = "[^\\W\\d_a-zß-öø-ÿа-џґ]"
_DECIMAL: Final = (
    "decimal",
    re.compile(
        r"(?P<value>\d{1,3}(?:[.．]\d{1,3}[A-Za-z]?)*)"
        r"(?:[-–—](?P<inserted>[A-Z])(?=[.．\s])[.．]?"  # "3-A Aims"
        rf"|[.．°º]?{_DASH}|[.．]?(?=[\s\u3000\u4e00-\u9fff])|\.(?={_CAPITAL}\w))"  # "2.Aims"
    ),
)
_DECIMAL_CLOSED: Final = ("decimal)", pattern(r"(?P<value>\d{1,3})[)）、](?=\S|\s)"))
_DECIMAL_ENCLOSED: Final = ("(decimal)", pattern(r"[(（](?P<value>\d{1,3})[)）]\s*"))
_HAN: Final = ("han", pattern(rf"(?P<value>[{TO_TEN}]{{1,3}})[、.．]\s*"))
_HAN_ENCLOSED: Final = (
    "(han)",
    pattern(rf"[(（](?P<value>[{TO_TEN}]{{1,3}})[)）]\s*"),
)
_ROMAN: Final = ("roman", pattern(rf"(?P<value>[IVX]{{1,6}})(?:[.)]\s+|[.)]?{_DASH})"))
_LETTER: Final = ("letter", pattern(rf"(?P<value>[A-Z])(?:[.)]\s+|[.)]?{_DASH})"))
_LETTER_DECIMAL: Final = (
    "letter.",
    pattern(r"(?P<value>(?:[A-Z]|[IVX]{2,6})(?:\.\d{1,3}){1,4})\.?\s+"),
)
_LETTERS: Final = ("(letter)", pattern(r"[(（]?(?P<value>[a-z]{1,4})[)）]\s+"))
_POINTS: Final = pattern("[.．]")
_CHINESE_DIGITS: Final = {
    **{digit: value for value, digit in enumerate(f"零{TO_TEN[:9]}")},
    "〇": 0,
    "两": 2,
}
_GREEK: Final = re.compile(rf"([α-ω]{{1,3}})([{_KERAIA}])?")
_GREEK_VALUES: Final = {
    numeral: value for value, numeral in enumerate(words.GREEK_NUMERALS.split(), 1)
}
_CHINESE_UNITS: Final = {"十": 10, "百": 100, "千": 1000}
_CHINESE_SIGNS: Final = frozenset((*_CHINESE_DIGITS, *_CHINESE_UNITS))
_ROMAN_DIGITS: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ROMAN_SIGNS: Final = frozenset(_ROMAN_DIGITS)
ROMAN: Final = re.compile(r"(?!l?$)(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
"""The pattern of a Roman number to 89. "C" and "L" alone are letters."""


def _number_alone(text: str, first: str) -> Number | None:
    for kind, form in _forms(first):
        if match := form.match(text):
            path = _path(match["value"])
            return Number(
                kind if len(path) == 1 else f"{kind}{len(path)}",
                path,
                match.end(),
                inserted=_inserted(match["inserted"]) if match.lastgroup == "inserted" else 0,
            )
    return None


def _forms(first: str) -> Sequence[tuple[str, re.Pattern[str]]]:
    """Return the forms of numbers that can begin with this character."""
    if first.isdecimal():
        return (_DECIMAL, _DECIMAL_CLOSED)
    if first in "(（":
        return (_DECIMAL_ENCLOSED, _HAN_ENCLOSED, _LETTERS)
    return (_ROMAN, _LETTER, _LETTER_DECIMAL, _LETTERS) if first.isascii() else (_HAN,)


def _path(text: str) -> tuple[int, ...]:
    if text.isdecimal():
        return (int(text),)
    return tuple([_value(part) for part in _POINTS.split(text)])


def _value(text: str) -> int:
    """Return the value of a decimal, Chinese or Roman numeral, or of a letter; 0 for other text. A
    letter after digits, as in 6a, is ignored.
    """
    if (digits := text.rstrip(ascii_letters)).isdecimal():
        return int(digits)
    if _CHINESE_SIGNS.issuperset(text):
        return _chinese_value(text)
    lower = text.lower()
    if _ROMAN_SIGNS.issuperset(lower) and (len(lower) > 1 or lower in "ivx"):
        return roman_value(lower)
    if greek := _GREEK.fullmatch(lower):
        return (
            _GREEK_VALUES.get(greek[1], 0) if greek[2] or set(greek[1]) != {"ι"} else len(greek[1])
        )
    if len(lower) != 1:
        return 0
    return ord(lower) - ord("a") + 1 if lower.isascii() else words.CYRILLIC_LETTERS.find(lower) + 1


def _chinese_value(text: str) -> int:
    total = digit = 0
    for sign in text:
        if sign in _CHINESE_UNITS:
            total, digit = total + (digit or 1) * _CHINESE_UNITS[sign], 0
        else:
            digit = _CHINESE_DIGITS[sign]
    return total + digit


def roman_value(text: str) -> int:
    """Return the value of a Roman numeral, given in the letters I, V, X, L and C of either case."""
    values = [_ROMAN_DIGITS[sign] for sign in text.lower()]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
