"""Number formatters for Asian and Near Eastern languages (ECMA-376 Part 1, 17.18.59; deviations of
Word: [MS-OI29500] 2.1.540).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from docxchunk.ooxml.numerals import Formatter, decimal, digits

IDEOGRAPHS: Final = "一二三四五六七八九"
HANGUL: Final = "일이삼사오육칠팔구"
STEMS: Final = "甲乙丙丁戊己庚辛壬癸"
BRANCHES: Final = "子丑寅卯辰巳午未申酉戌亥"
SEXAGENARY: Final = [STEMS[i % 10] + BRANCHES[i % 12] for i in range(60)]

_MYRIAD: Final = 10_000
_KOREAN_ONES: Final = ("", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉")
_KOREAN_TENS: Final = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_HEBREW_ONES: Final[tuple[str, ...]] = ("", *"אבגדהוזחט")
_HEBREW_TENS: Final[tuple[str, ...]] = ("", *"יכלמנסעפצ")
_HEBREW_HUNDREDS: Final[tuple[str, ...]] = ("", *"קרשת")
_HEBREW_LETTERS: Final = "אבגדהוזחטיכלמנסעפצקרש"
_LAST_HEBREW: Final = 392  # Word restarts after it
_THAI_ONES: Final = ("", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า")
_THAI_UNITS: Final = ((100_000, "แสน"), (10_000, "หมื่น"), (1000, "พัน"), (100, "ร้อย"))
_VIETNAMESE_ONES: Final = ("", "một", "hai", "ba", "bốn", "năm", "sáu", "bảy", "tám", "chín")
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


def grouped(symbols: str, units: str, *, zero: str = "", ones: Callable[[int], bool]) -> Formatter:
    """Write digits with units: 二千三百四十五. `units` are the characters for 10, 100, 1000,
    10,000 and 100,000,000.

    `zero` is written once for each gap. `ones` returns whether "one" is written before ten, hundred
    and thousand in a number.
    """

    def group(number: int, one: str) -> str:
        written, gap = "", False
        for place in (3, 2, 1, 0):
            digit = number // 10**place % 10
            if digit:
                name = one if digit == 1 and place else symbols[digit - 1]
                written += (zero if gap else "") + name + (units[place - 1] if place else "")
            gap = bool(written) and not digit
        return written

    def show(number: int) -> str:
        one, written = symbols[0] if ones(number) else "", ""
        for size, unit in ((_MYRIAD**2, units[4]), (_MYRIAD, units[3]), (1, "")):
            if part := number // size % _MYRIAD:
                written += (zero if written and part < 1000 else "") + group(part, one) + unit
        return written

    return lambda number: show(number) if 0 < number < _MYRIAD**3 else decimal(number)


def always(_: int) -> bool:
    return True


def never(_: int) -> bool:
    return False


def from_twenty(number: int) -> bool:
    return number >= 20


def counting(zero: str) -> Formatter:
    """Write 10 to 99 with a unit, other numbers digit by digit: 十一 for 11, but 一○一 for 101."""
    tens = grouped(IDEOGRAPHS, "十百千万億", ones=from_twenty)
    places = digits(zero + IDEOGRAPHS)
    return lambda number: tens(number) if 10 <= number < 100 else places(number)


korean: Final = grouped(HANGUL, "십백천만억", ones=never)


def korean_legal(number: int) -> str:
    """Use native Korean words up to 99, Sino-Korean ones above."""
    return (
        _KOREAN_TENS[number // 10] + _KOREAN_ONES[number % 10]
        if 0 < number < 100
        else korean(number)
    )


def hebrew_letters(number: int) -> str:
    """Write Hebrew numerals. 15 and 16 are written as 9+6 and 9+7, to avoid spelling a name of
    God.
    """
    if number < 1:
        return decimal(number)
    hundreds, rest = divmod((number - 1) % _LAST_HEBREW + 1, 100)
    written = (
        _HEBREW_ONES[9] + _HEBREW_ONES[rest - 9]
        if rest in (15, 16)
        else _HEBREW_TENS[rest // 10] + _HEBREW_ONES[rest % 10]
    )
    return _HEBREW_HUNDREDS[hundreds] + written


def hebrew_alphabet(number: int) -> str:
    """Write א to ש, then one ת for each 22."""
    if number < 1:
        return decimal(number)
    last, rest = divmod((number - 1) % _LAST_HEBREW + 1, len(_HEBREW_LETTERS) + 1)
    return "ת" * last + (_HEBREW_LETTERS[rest - 1] if rest else "")


def thai_words(number: int) -> str:
    if not 0 < number < 1_000_000:
        return "ศูนย์" if number == 0 else decimal(number)
    written, rest = "", number
    for size, unit in _THAI_UNITS:
        digit, rest = divmod(rest, size)
        written += _THAI_ONES[digit] + unit if digit else ""
    tens, one = divmod(rest, 10)
    written += {0: "", 1: "สิบ", 2: "ยี่สิบ"}.get(tens, _THAI_ONES[tens] + "สิบ")
    return written + ("เอ็ด" if one == 1 and number > 10 else _THAI_ONES[one])


def vietnamese_words(number: int) -> str:
    if not 0 < number < 1000:
        return decimal(number)
    hundreds, rest = divmod(number, 100)
    tens, one = divmod(rest, 10)
    words = [_VIETNAMESE_ONES[hundreds], "trăm"] if hundreds else []
    if tens:
        words += ["mười"] if tens == 1 else [_VIETNAMESE_ONES[tens], "mươi"]
    elif hundreds and one:
        words.append("linh")
    words.append(
        "mốt" if one == 1 and tens > 1 else "lăm" if one == 5 and tens else _VIETNAMESE_ONES[one]
    )
    return " ".join(filter(None, words))


def hindi_words(number: int) -> str:
    if not 0 < number < 1000:
        return decimal(number)
    hundreds, rest = divmod(number, 100)
    return " ".join(
        ([_HINDI[hundreds - 1], "सौ"] if hundreds else []) + ([_HINDI[rest - 1]] if rest else [])
    )
