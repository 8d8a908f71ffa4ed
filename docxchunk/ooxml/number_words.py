"""Ordinals and numbers in words in languages other than English (ECMA-376 Part 1, 17.18.59:
ordinal, cardinalText, ordinalText).

Ordinals are masculine where a language has genders. A word starts with a capital, as in Word.
Numbers from 10,000 are written in decimal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from docxchunk.ooxml.number_formats import FORMATS, Formatter

_LARGEST: Final = 9999


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _phrase(*words: str) -> str:
    return " ".join(filter(None, words))


_FR_ONES: Final = _split(
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze "
    "treize quatorze quinze seize dix-sept dix-huit dix-neuf"
)
_FR_TENS: Final = _split(
    "- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt"
)


def _french(number: int) -> str:
    """Return a number in words: 21 is "vingt et un", 71 "soixante et onze", 80 "quatre-vingts", 81
    "quatre-vingt-un", 200 "deux cents", 201 "deux cent un".
    """
    if number < 20:
        return _FR_ONES[number]
    if number < 100:
        ten = number // 10
        rest = number % 20 if ten in (7, 9) else number % 10
        if not rest:
            return _FR_TENS[ten] + ("s" if ten == 8 else "")
        return _FR_TENS[ten] + (" et " if rest in (1, 11) and ten < 8 else "-") + _FR_ONES[rest]
    size, name = (1000, "mille") if number >= 1000 else (100, "cent")
    times, rest = divmod(number, size)
    plural = "s" if size == 100 and times > 1 and not rest else ""
    return _phrase(
        _french(times) if times > 1 else "", name + plural, _french(rest) if rest else ""
    )


def _french_ordinal(number: int) -> str:
    if number == 1:
        return "premier"
    words = _french(number)
    if words.endswith(("e", "vingts", "cents")):
        words = words[:-1]
    elif words.endswith("neuf"):
        words = f"{words[:-1]}v"
    elif words.endswith("cinq"):
        words += "u"
    return f"{words}ième"


_DE_ONES: Final = _split(
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
    "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
_DE_TENS: Final = _split("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
_DE_ORDINALS: Final = {1: "erste", 3: "dritte", 7: "siebte", 8: "achte"}


def _german(number: int) -> str:
    if number < 20:
        return _DE_ONES[number]
    if number < 100:
        one = number % 10
        ones = "ein" if one == 1 else _DE_ONES[one]
        return (f"{ones}und" if one else "") + _DE_TENS[number // 10]
    size, name = (1000, "tausend") if number >= 1000 else (100, "hundert")
    times, rest = divmod(number, size)
    return ("ein" if times == 1 else _german(times)) + name + (_german(rest) if rest else "")


def _german_ordinal(number: int) -> str:
    last = number % 100
    if last in _DE_ORDINALS:
        return (_german(number - last) if number > last else "") + _DE_ORDINALS[last]
    return _german(number) + ("te" if 0 < last < 20 else "ste")


_ES_ONES: Final = _split(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce "
    "quince dieciséis diecisiete dieciocho diecinueve "
    "veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis "
    "veintisiete veintiocho veintinueve"
)
_ES_TENS: Final = _split("- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_ES_HUNDREDS: Final = _split(
    "- ciento doscientos trescientos cuatrocientos quinientos "
    "seiscientos setecientos ochocientos novecientos"
)
_ES_ORDINALS: Final = _split(
    "- primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo "
    "decimotercero decimocuarto decimoquinto decimosexto decimoséptimo decimoctavo decimonoveno"
)
_ES_ORDINAL_TENS: Final = _split(
    "- - vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo "
    "septuagésimo octogésimo nonagésimo"
)
_ES_ORDINAL_HUNDREDS: Final = _split(
    "- centésimo ducentésimo tricentésimo cuadringentésimo quingentésimo sexcentésimo "
    "septingentésimo octingentésimo noningentésimo"
)


def _spanish(number: int) -> str:
    if number < 30:
        return _ES_ONES[number]
    if number < 100:
        return _ES_TENS[number // 10] + (f" y {_ES_ONES[number % 10]}" if number % 10 else "")
    if number == 100:
        return "cien"
    times, rest = divmod(number, 1000 if number >= 1000 else 100)
    name = (
        _ES_HUNDREDS[times]
        if number < 1000
        else _phrase(_spanish(times) if times > 1 else "", "mil")
    )
    return _phrase(name, _spanish(rest) if rest else "")


def _spanish_ordinal(number: int) -> str:
    if number < 20:
        return _ES_ORDINALS[number]
    if number >= 1000:
        times, rest = divmod(number, 1000)
        name = f"{_spanish(times) if times > 1 else ''}milésimo"
    else:
        size, names = (100, _ES_ORDINAL_HUNDREDS) if number >= 100 else (10, _ES_ORDINAL_TENS)
        times, rest = divmod(number, size)
        name = names[times]
    return _phrase(name, _spanish_ordinal(rest) if rest else "")


_IT_ONES: Final = _split(
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici "
    "quattordici quindici sedici diciassette diciotto diciannove"
)
_IT_TENS: Final = _split("- - venti trenta quaranta cinquanta sessanta settanta ottanta novanta")
_IT_ORDINALS: Final = _split("- primo secondo terzo quarto quinto sesto settimo ottavo nono")


def _italian(number: int) -> str:
    """Return a number in words: 21 is "ventuno", 23 "ventitré", 108 "centotto", 2000 "duemila"."""
    words = _italian_parts(number)
    return f"{words[:-1]}é" if number > 3 and words.endswith("tre") else words


def _italian_parts(number: int) -> str:
    if number < 20:
        return _IT_ONES[number]
    if number < 100:
        ten, one = _IT_TENS[number // 10], number % 10
        return (ten[:-1] if one in (1, 8) else ten) + (_IT_ONES[one] if one else "")
    times, rest = divmod(number, 1000 if number >= 1000 else 100)
    many = _italian_parts(times) if times > 1 else ""
    name = (
        f"{many}{'cent' if rest == 8 or rest // 10 == 8 else 'cento'}"
        if number < 1000
        else f"{many}mila"
        if many
        else "mille"
    )
    return name + (_italian_parts(rest) if rest else "")


def _italian_ordinal(number: int) -> str:
    """Drop the last vowel and add -esimo; 3 and 6 keep theirs: "ventitreesimo", "ventiseiesimo"."""
    if number < 10:
        return _IT_ORDINALS[number]
    words = _italian_parts(number)
    if number % 100 == 10:
        return f"{words.removesuffix('dieci')}decimo"
    if words.endswith("mila"):
        return f"{words.removesuffix('mila')}millesimo"
    return (words if words.endswith(("tre", "sei")) else words[:-1]) + "esimo"


_SV_ONES: Final = _split(
    "noll ett två tre fyra fem sex sju åtta nio tio elva tolv tretton "
    "fjorton femton sexton sjutton arton nitton"
)
_SV_TENS: Final = _split("- - tjugo trettio fyrtio femtio sextio sjuttio åttio nittio")
_SV_ORDINALS: Final = _split(
    "- första andra tredje fjärde femte sjätte sjunde åttonde nionde tionde elfte tolfte"
)


def _swedish(number: int) -> str:
    if number < 20:
        return _SV_ONES[number]
    if number < 100:
        return _SV_TENS[number // 10] + (_SV_ONES[number % 10] if number % 10 else "")
    size, name = (1000, "tusen") if number >= 1000 else (100, "hundra")
    times, rest = divmod(number, size)
    return (_swedish(times) + name).replace("etttusen", "ettusen") + (
        _swedish(rest) if rest else ""
    )


def _swedish_ordinal(number: int) -> str:
    """Return an ordinal, in which only the last number word has an ordinal form: "tjugoförsta",
    "trettionde", "etthundrade".
    """
    tens = number % 100
    last = tens % 10 if tens >= 20 else tens
    if 0 < last < len(_SV_ORDINALS):
        return (_swedish(number - last) if number > last else "") + _SV_ORDINALS[last]
    return _swedish(number) + ("nde" if tens >= 20 else "de")


def _swedish_number(number: int) -> str:
    return f"{number}:{'a' if number % 10 in (1, 2) and number % 100 not in (11, 12) else 'e'}"


_TR_ONES: Final = _split("sıfır bir iki üç dört beş altı yedi sekiz dokuz")
_TR_TENS: Final = _split("- on yirmi otuz kırk elli altmış yetmiş seksen doksan")
_TR_HARMONY: Final = {
    **dict.fromkeys("ei", "i"),
    **dict.fromkeys("aı", "ı"),
    **dict.fromkeys("ou", "u"),
    **dict.fromkeys("öü", "ü"),
}


def _turkish(number: int) -> str:
    if number < 10:
        return _TR_ONES[number]
    if number < 100:
        return _TR_TENS[number // 10] + (_TR_ONES[number % 10] if number % 10 else "")
    size, name = (1000, "bin") if number >= 1000 else (100, "yüz")
    times, rest = divmod(number, size)
    return (_turkish(times) if times > 1 else "") + name + (_turkish(rest) if rest else "")


def _turkish_ordinal(number: int) -> str:
    """Add -inci to a number. Its vowels follow the last vowel of the number by vowel harmony:
    "birinci", "altıncı", "dokuzuncu", "üçüncü".
    """
    words = _turkish(number)
    vowel = _TR_HARMONY[next(letter for letter in reversed(words) if letter in _TR_HARMONY)]
    stem = f"{words[:-1]}d" if words.endswith("dört") else words
    return f"{stem}{'' if words[-1] in _TR_HARMONY else vowel}nc{vowel}"


_RU_ONES: Final = _split(
    "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать "
    "тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать"
)
_RU_TENS: Final = _split(
    "- - двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто"
)
_RU_HUNDREDS: Final = _split(
    "- сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот"
)
_RU_THOUSANDS: Final = (
    "",
    "одна тысяча",
    "две тысячи",
    "три тысячи",
    "четыре тысячи",
    *(f"{one} тысяч" for one in _RU_ONES[5:10]),
)
_RU_ORDINALS: Final = _split(
    "- первый второй третий четвертый пятый шестой седьмой восьмой девятый"
)
_RU_ORDINAL_TENS: Final = _split(
    "- - двадцатый тридцатый сороковой пятидесятый шестидесятый "
    "семидесятый восьмидесятый девяностый"
)
# of hundredth and thousandth
_RU_PREFIXES: Final = ("", "", *_split("двух трех четырех пяти шести семи восьми девяти"))


def _russian(number: int) -> str:
    if number < 20:
        return _RU_ONES[number]
    size, names = (
        (1000, _RU_THOUSANDS)
        if number >= 1000
        else (100, _RU_HUNDREDS)
        if number >= 100
        else (10, _RU_TENS)
    )
    times, rest = divmod(number, size)
    return _phrase(names[times], _russian(rest) if rest else "")


def _russian_ordinal(number: int) -> str:
    """Return an ordinal, in which only the last word has an ordinal form: "двадцать первый", "сто
    двадцатый", "двухсотый".
    """
    last = number % 100
    last = last if last < 20 else last % 10 or last
    last = last or number % 1000 or number
    return _phrase(
        _russian(number - last).removeprefix("одна ") if number > last else "", _russian_last(last)
    )


def _russian_last(number: int) -> str:
    if number < 10:
        return _RU_ORDINALS[number]
    if number < 20:
        return f"{_RU_ONES[number][:-1]}ый"
    if number < 100:
        return _RU_ORDINAL_TENS[number // 10]
    return (
        f"{_RU_PREFIXES[number // 100]}сотый"
        if number < 1000
        else f"{_RU_PREFIXES[number // 1000]}тысячный"
    )


_chinese: Final = FORMATS["chineseCountingThousand"]


def _formats(
    ordinal: Formatter, cardinal: Formatter, ordinal_in_words: Formatter
) -> Mapping[str, Formatter]:
    return {
        "ordinal": ordinal,
        "cardinalText": _capital(cardinal, 0),
        "ordinalText": _capital(ordinal_in_words, 1),
    }


def _capital(words: Formatter, first: int) -> Formatter:
    """Capitalize the words; write numbers before the first, and after the largest, in decimal."""

    def show(number: int) -> str:
        if not first <= number <= _LARGEST:
            return str(number)
        text = words(number)
        return text[0].upper() + text[1:]

    return show


def _turkish_capital(words: Formatter) -> Formatter:
    """Write the capital of the Turkish i, which has a dot."""

    def show(number: int) -> str:
        text = words(number)
        return f"İ{text[1:]}" if text.startswith("i") else text

    return show


LANGUAGES: Final[Mapping[str, Mapping[str, Formatter]]] = {
    "de": _formats(lambda number: f"{number}.", _german, _german_ordinal),
    "es": _formats(lambda number: f"{number}º", _spanish, _spanish_ordinal),
    "fr": _formats(lambda number: "1er" if number == 1 else f"{number}e", _french, _french_ordinal),
    "it": _formats(lambda number: f"{number}º", _italian, _italian_ordinal),
    "ru": _formats(lambda number: f"{number}-й", _russian, _russian_ordinal),
    "sv": _formats(_swedish_number, _swedish, _swedish_ordinal),
    "tr": _formats(
        lambda number: f"{number}.", _turkish_capital(_turkish), _turkish_capital(_turkish_ordinal)
    ),
    "zh": _formats(lambda number: f"第{number}", _chinese, lambda number: f"第{_chinese(number)}"),
}
"""Formatters by primary language subtag (BCP 47) and name in ST_NumberFormat."""
