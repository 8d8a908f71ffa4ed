"""Format automatic numbers by the names in ST_NumberFormat (ECMA-376 Part 1, 17.18.59).

Where Word deviates from the standard ([MS-OI29500] 2.1.540), these formats follow Word. Numbers
that a format cannot represent, such as zero in Roman numerals, are written in decimal, as in Word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from docxchunk.ooxml import numerals_asia as asia
from docxchunk.ooxml.numerals import (
    Formatter,
    cardinal_text,
    cycle,
    decimal,
    digits,
    dollar_text,
    few,
    letters,
    lower_roman,
    nothing,
    ordinal,
    ordinal_text,
    padded,
    span,
    upper_roman,
)

__all__ = ["FORMATS", "WORDED", "Formatter", "decimal", "formatter"]

_IROHA: Final = (
    "ロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
)
_HALF_IROHA: Final = "ﾛﾊﾆﾎﾍﾄﾁﾘﾇﾙｦﾜｶﾖﾀﾚｿﾂﾈﾅﾗﾑｳヰﾉｵｸﾔﾏｹﾌｺｴﾃｱｻｷﾕﾒﾐｼヱﾋﾓｾｽﾝ"
_AIUEO: Final = (
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
)
_CHOSUNG: Final = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_GANADA: Final = "가나다라마바사아자차카타파하"
_ARABIC: Final = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_ABJAD: Final = "أبجدهوزحطيكلمنسعفصقرشتثخذضغظ"
_RUSSIAN: Final = "абвгдежзиклмнопрстуфхцчшщыэюя"
_THAI: Final = "กขค" + span(0x0E07, 0x0E23) + "ล" + span(0x0E27, 0x0E2E)
_GREEK: Final = "αβγδεζηθικλμνξοπρστυφχψω"
_LATIN: Final = span(0x61, 0x7A)
_ARABIC_REPEATED: Final = 14  # Word restarts after 392

FORMATS: Final[Mapping[str, Formatter]] = {
    "decimal": decimal,
    "upperRoman": upper_roman,
    "lowerRoman": lower_roman,
    "upperLetter": letters(_LATIN.upper()),
    "lowerLetter": letters(_LATIN),
    "ordinal": ordinal,
    "cardinalText": cardinal_text,
    "ordinalText": ordinal_text,
    "hex": lambda number: f"{number:X}",
    "chicago": letters("*†‡§"),
    "ideographDigital": digits("〇" + asia.IDEOGRAPHS),
    "japaneseCounting": asia.grouped(asia.IDEOGRAPHS, "十百千万億", ones=asia.never),
    "aiueo": cycle(span(0xFF71, 0xFF9C) + "ｦﾝ"),
    "iroha": cycle("ｲ" + _HALF_IROHA),
    "decimalFullWidth": digits(span(0xFF10, 0xFF19)),
    "decimalHalfWidth": decimal,
    "japaneseLegal": asia.grouped("壱弐参四伍六七八九", "拾百阡萬億", ones=asia.always),
    "japaneseDigitalTenThousand": digits("〇" + asia.IDEOGRAPHS),
    "decimalEnclosedCircle": few(span(0x2460, 0x2473)),
    "decimalFullWidth2": digits(span(0xFF10, 0xFF19)),
    "aiueoFullWidth": cycle(_AIUEO),
    "irohaFullWidth": cycle("イ" + _IROHA),
    "decimalZero": padded(2),
    "bullet": nothing,
    "ganada": cycle(_GANADA),
    "chosung": cycle(_CHOSUNG),
    "decimalEnclosedFullstop": few(span(0x2488, 0x249B)),
    "decimalEnclosedParen": few(span(0x2474, 0x2487)),
    "decimalEnclosedCircleChinese": few(span(0x2460, 0x2469)),
    "ideographEnclosedCircle": few(span(0x3220, 0x3229)),
    "ideographTraditional": few(asia.STEMS),
    "ideographZodiac": few(asia.BRANCHES),
    "ideographZodiacTraditional": cycle(asia.SEXAGENARY),
    "taiwaneseCounting": asia.counting("○"),
    "ideographLegalTraditional": asia.grouped(
        "壹貳參肆伍陸柒捌玖", "拾佰仟萬億", zero="零", ones=asia.always
    ),
    "taiwaneseCountingThousand": asia.grouped(
        asia.IDEOGRAPHS, "十百千萬億", zero="零", ones=asia.from_twenty
    ),
    "taiwaneseDigital": digits("○" + asia.IDEOGRAPHS),
    "chineseCounting": asia.counting("○"),
    "chineseLegalSimplified": asia.grouped(
        "壹贰叁肆伍陆柒捌玖", "拾佰仟万亿", zero="零", ones=asia.always
    ),
    "chineseCountingThousand": asia.grouped(
        asia.IDEOGRAPHS, "十百千万亿", zero="〇", ones=asia.from_twenty
    ),
    "koreanDigital": digits("영" + asia.HANGUL),
    "koreanCounting": asia.korean,
    "koreanLegal": asia.korean_legal,
    "koreanDigital2": digits("零" + asia.IDEOGRAPHS),
    "vietnameseCounting": asia.vietnamese_words,
    "russianLower": letters(_RUSSIAN),
    "russianUpper": letters(_RUSSIAN.upper()),
    "none": nothing,
    "numberInDash": lambda number: f"- {number} -",
    "hebrew1": asia.hebrew_letters,
    "hebrew2": asia.hebrew_alphabet,
    "arabicAlpha": letters(_ARABIC, _ARABIC_REPEATED),
    "arabicAbjad": letters(_ABJAD, _ARABIC_REPEATED),
    "hindiVowels": letters(span(0x0915, 0x0939)),  # Word swaps these two formats
    "hindiConsonants": letters([*span(0x0905, 0x0914), "अं", "अः"]),
    "hindiNumbers": digits(span(0x0966, 0x096F)),
    "hindiCounting": asia.hindi_words,
    "thaiLetters": letters(_THAI),
    "thaiNumbers": digits(span(0x0E50, 0x0E59)),
    "thaiCounting": asia.thai_words,
    "bahtText": decimal,  # as in Word ([MS-OI29500])
    "dollarText": dollar_text,
}
WORDED: Final = frozenset({"ordinal", "cardinalText", "ordinalText"})
"""The formats that depend on the language of the number. In `FORMATS` they are English."""

_CUSTOM_ONLY: Final = (letters(_GREEK), letters(_GREEK.upper()))
_PADDED: Final = re.compile(r"(0*)1\b")


@cache
def formatter(name: str, custom: str = "", language: str = "") -> Formatter | None:
    """Return the function that formats numbers; None for an unknown format name.

    `custom` is the pattern of the format "custom": the first three numbers, "001, 002, 003, ..."
    ([MS-DOCX] 2.4). `language` is the tag of a language (BCP 47), "fr-CA"; the formats in `WORDED`
    are English for languages that docxchunk has no words of.
    """
    if name in WORDED and language:
        from docxchunk.ooxml.numerals_words import LANGUAGES

        return LANGUAGES.get(language.partition("-")[0].lower(), FORMATS)[name]
    return _custom(custom) if name == "custom" else FORMATS.get(name)


def _custom(pattern: str) -> Formatter | None:
    if zeros := _PADDED.match(pattern):
        return padded(len(zeros[1]) + 1)
    return next(
        (
            show
            for show in (*FORMATS.values(), *_CUSTOM_ONLY)
            if pattern.startswith(f"{show(1)}, {show(2)}, {show(3)}")
        ),
        None,
    )
