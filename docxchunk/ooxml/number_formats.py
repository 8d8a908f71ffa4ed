"""Format automatic numbers by the names in ST_NumberFormat (ECMA-376 Part 1, 17.18.59).

Where Word deviates from the standard ([MS-OI29500] 2.1.540), these formats follow Word. Numbers
that a format cannot represent, such as zero in Roman numerals, are written in decimal, as in Word.
So are larger numbers in the formats that are words or numerals of one language: Word has them, but
they are rare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import inf
from typing import Final

from docxchunk.language.numbers import TO_TEN
from docxchunk.language.patterns import pattern

Formatter = Callable[[int], str]

_MOST_REPEATED: Final = 30  # repetitions of a letter before Word restarts with the first


# --- Kinds of formats

decimal: Final[Formatter] = str


def padded(width: int) -> Formatter:
    """Pad decimal numbers with zeros: 001 002 003."""
    return lambda number: f"{number:0{width}d}"


def from_one(show: Formatter) -> Formatter:
    """Return a format that writes numbers of 1 or more with `show`, and smaller ones in decimal."""
    return lambda number: show(number) if number >= 1 else decimal(number)


def letters(alphabet: Sequence[str], max_repeats: int = _MOST_REPEATED) -> Formatter:
    """Repeat letters: a b ... z aa bb ... zz aaa."""

    def show(number: int) -> str:
        repeated, index = divmod((number - 1) % (max_repeats * len(alphabet)), len(alphabet))
        return alphabet[index] * (repeated + 1)

    return from_one(show)


def cycle(symbols: Sequence[str]) -> Formatter:
    """Cycle through the symbols. After the last symbol, Word starts again with the first; the
    standard doubles the symbols.
    """
    return from_one(lambda number: symbols[(number - 1) % len(symbols)])


def few(symbols: Sequence[str]) -> Formatter:
    """Use the symbols as long as they last, then decimal."""
    return lambda number: symbols[number - 1] if 1 <= number <= len(symbols) else decimal(number)


def digits(symbols: str) -> Formatter:
    """Write decimal numbers with other digits; `symbols` starts with zero."""
    table = str.maketrans("0123456789", symbols)
    return lambda number: decimal(number).translate(table)


def span(first: int, last: int) -> str:
    """Return the characters from one code point to another."""
    return "".join(map(chr, range(first, last + 1)))


_ROMAN: Final = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LARGEST_ROMAN: Final = 32_767


def lower_roman(number: int) -> str:
    if not 1 <= number <= _LARGEST_ROMAN:
        return decimal(number)
    written = []
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        written.append(letters * times)
    return "".join(written)


_IDEOGRAPHS: Final = TO_TEN[:9]
_MYRIAD: Final = 10_000


def grouped(symbols: str, units: str, *, zero: str = "", one_from: float = 0) -> Formatter:
    """Write digits with units: 二千三百四十五. `units` are the characters for 10, 100, 1000,
    10,000 and 100,000,000.

    `zero` is written once for each gap. Numbers from `one_from` on have a "one" before ten, hundred
    and thousand.
    """

    def group(number: int, one: str) -> str:
        written, gap = "", False
        for power in (3, 2, 1, 0):
            digit = number // 10**power % 10
            if digit:
                name = one if digit == 1 and power else symbols[digit - 1]
                written += (zero if gap else "") + name + (units[power - 1] if power else "")
            gap = bool(written) and not digit
        return written

    def show(number: int) -> str:
        one, written = symbols[0] if number >= one_from else "", ""
        for size, unit in ((_MYRIAD**2, units[4]), (_MYRIAD, units[3]), (1, "")):
            if part := number // size % _MYRIAD:
                written += (zero if written and part < 1000 else "") + group(part, one) + unit
        return written

    return lambda number: show(number) if 0 < number < _MYRIAD**3 else decimal(number)


_chinese_tens: Final = grouped(_IDEOGRAPHS, "十百千万億", one_from=20)
_chinese_digits: Final = digits("○" + _IDEOGRAPHS)


def chinese_counting(number: int) -> str:
    """Write 10 to 99 with a unit, other numbers digit by digit: 十一 for 11, but 一○一 for 101."""
    return _chinese_tens(number) if 10 <= number < 100 else _chinese_digits(number)


# --- Words, letters and signs

_ONES: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_ORDINALS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_TENTHS: Final = [f"{ten[:-1]}ieth" for ten in _TENS]


def _english(below_twenty: Sequence[str], tens: Sequence[str]) -> list[str]:
    """Return the words for 1 to 99."""
    words = list(below_twenty)
    for ten, alone in zip(_TENS, tens, strict=True):
        words += [alone, *(f"{ten}-{one}" for one in below_twenty[:9])]
    return [word.capitalize() for word in words]


def ordinal(number: int) -> str:
    """Write English ordinals: 1st 2nd 3rd 4th ... 11th."""
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


_HANGUL: Final = "일이삼사오육칠팔구"
_STEMS: Final = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES: Final = "子丑寅卯辰巳午未申酉戌亥"
_SEXAGENARY: Final = [_STEMS[i % 10] + _BRANCHES[i % 12] for i in range(60)]
_KOREAN: Final = "하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 열하나 열둘".split()
_THAI_WORDS: Final = "หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ สิบเอ็ด สิบสอง".split()
_VIETNAMESE: Final = "một hai ba bốn năm sáu bảy tám chín mười".split()
_HEBREW_ONES: Final = "אבגדהוזחט"
_HEBREW: Final = [  # 15 and 16 are 9+6 and 9+7, to avoid spelling a name of God
    {"יה": "טו", "יו": "טז"}.get(ten + one, ten + one)
    for ten in ("", *"יכלמנסעפצ")
    for one in ("", *_HEBREW_ONES)
][1:]
_HINDI: Final = (
    "एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस "
    "इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस "
    "चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस चालीस "
    "इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास पचास "
    "इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ साठ "
    "इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर "
    "चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उन्यासी अस्सी "
    "इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे बानवे "
    "तिरानवे चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे"
).split()
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
_LATIN: Final = span(0x61, 0x7A)
_ARABIC_REPEATED: Final = 14  # Word restarts after 392

FORMATS: Final[Mapping[str, Formatter]] = {
    "decimal": decimal,
    "upperRoman": lambda number: lower_roman(number).upper(),
    "lowerRoman": lower_roman,
    "upperLetter": letters(_LATIN.upper()),
    "lowerLetter": letters(_LATIN),
    "ordinal": ordinal,
    "cardinalText": few(_english(_ONES, _TENS)),
    "ordinalText": few(_english(_ORDINALS, _TENTHS)),
    "hex": lambda number: f"{number:X}",
    "chicago": letters("*†‡§"),
    "ideographDigital": digits("〇" + _IDEOGRAPHS),
    "japaneseCounting": grouped(_IDEOGRAPHS, "十百千万億", one_from=inf),
    "aiueo": cycle(span(0xFF71, 0xFF9C) + "ｦﾝ"),
    "iroha": cycle("ｲ" + _HALF_IROHA),
    "decimalFullWidth": digits(span(0xFF10, 0xFF19)),
    "decimalHalfWidth": decimal,
    "japaneseLegal": grouped("壱弐参四伍六七八九", "拾百阡萬億"),
    "japaneseDigitalTenThousand": digits("〇" + _IDEOGRAPHS),
    "decimalEnclosedCircle": few(span(0x2460, 0x2473)),
    "decimalFullWidth2": digits(span(0xFF10, 0xFF19)),
    "aiueoFullWidth": cycle(_AIUEO),
    "irohaFullWidth": cycle("イ" + _IROHA),
    "decimalZero": padded(2),
    "bullet": lambda _: "",
    "ganada": cycle(_GANADA),
    "chosung": cycle(_CHOSUNG),
    "decimalEnclosedFullstop": few(span(0x2488, 0x249B)),
    "decimalEnclosedParen": few(span(0x2474, 0x2487)),
    "decimalEnclosedCircleChinese": few(span(0x2460, 0x2469)),
    "ideographEnclosedCircle": few(span(0x3220, 0x3229)),
    "ideographTraditional": few(_STEMS),
    "ideographZodiac": few(_BRANCHES),
    "ideographZodiacTraditional": cycle(_SEXAGENARY),
    "taiwaneseCounting": chinese_counting,
    "ideographLegalTraditional": grouped("壹貳參肆伍陸柒捌玖", "拾佰仟萬億", zero="零"),
    "taiwaneseCountingThousand": grouped(_IDEOGRAPHS, "十百千萬億", zero="零", one_from=20),
    "taiwaneseDigital": digits("○" + _IDEOGRAPHS),
    "chineseCounting": chinese_counting,
    "chineseLegalSimplified": grouped("壹贰叁肆伍陆柒捌玖", "拾佰仟万亿", zero="零"),
    "chineseCountingThousand": grouped(_IDEOGRAPHS, "十百千万亿", zero="〇", one_from=20),
    "koreanDigital": digits("영" + _HANGUL),
    "koreanCounting": grouped(_HANGUL, "십백천만억", one_from=inf),
    "koreanLegal": few(_KOREAN),
    "koreanDigital2": digits("零" + _IDEOGRAPHS),
    "vietnameseCounting": few(_VIETNAMESE),
    "russianLower": letters(_RUSSIAN),
    "russianUpper": letters(_RUSSIAN.upper()),
    "none": lambda _: "",
    "numberInDash": lambda number: f"- {number} -",
    "hebrew1": few(_HEBREW),
    "hebrew2": few("אבגדהוזחטיכלמנסעפצקרשת"),
    "arabicAlpha": letters(_ARABIC, _ARABIC_REPEATED),
    "arabicAbjad": letters(_ABJAD, _ARABIC_REPEATED),
    "hindiVowels": letters(span(0x0915, 0x0939)),  # Word swaps these two formats
    "hindiConsonants": letters([*span(0x0905, 0x0914), "अं", "अः"]),
    "hindiNumbers": digits(span(0x0966, 0x096F)),
    "hindiCounting": few(_HINDI),
    "thaiLetters": letters(_THAI),
    "thaiNumbers": digits(span(0x0E50, 0x0E59)),
    "thaiCounting": few(_THAI_WORDS),
    **dict.fromkeys(("bahtText", "dollarText"), decimal),
}
IN_WORDS: Final = frozenset({"cardinalText", "ordinalText", "ordinal"})
"""The formats that depend on the language of the number. Only English is known."""

_PADDED: Final = pattern(r"(0*)1\b")


@cache
def formatter(name: str, custom: str = "", language: str = "") -> Formatter | None:
    """Return the function that formats numbers; None for an unknown format name.

    `custom` is the pattern of the format "custom": the first three numbers, "001, 002, 003, ..."
    ([MS-DOCX] 2.4); only such zeros are known. `language` is the tag of a language (BCP 47),
    "fr-CA". Numbers in words are written in decimal if the language is not English.
    """
    if name in IN_WORDS and primary_language(language) != "en":
        return decimal
    if name != "custom":
        return FORMATS.get(name)
    zeros = _PADDED.match(custom)
    return padded(len(zeros[1]) + 1) if zeros else None


def primary_language(tag: str) -> str:
    """Return the first part of the tag of a language: "fr" for "fr-CA"; "en" for no tag."""
    return tag.partition("-")[0].lower() or "en"
