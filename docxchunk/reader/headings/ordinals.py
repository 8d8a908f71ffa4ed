"""Parse numbers in words: "Primeiro", "vigésima segunda", "Erster", "premier", "Two", "أولاً"."""

from __future__ import annotations

import re
from typing import Final

# of Spanish, Portuguese and Italian ordinals in -o and -a, without accents, from 1
_STEMS: Final = (
    *(
        "primer primeir prim unic",
        "segund second",
        "tercer terceir terz",
        "cuart quart",
        "quint",
        "sext sest",
        "septim setim settim",
        "octav oitav ottav",
    ),
    *(
        "noven non",
        "decim",
        "undecim undicesim",
        "duodecim dodicesim",
        "tredicesim",
        "quattordicesim",
        "quindicesim",
        "sedicesim",
        "diciassettesim",
    ),
    *("diciottesim", "diciannovesim", "vigesim ventesim"),
)
_TENS: Final = {
    20: "vigesim",
    30: "trigesim trentesim",
    40: "cuadragesim quadragesim quarantesim",
    50: "quincuagesim quinquagesim",
    60: "sexagesim",
}
_ENGLISH: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
)
_CARDINALS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_FRENCH: Final = (
    "premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme "
    "neuvieme "
    "dixieme onzieme douzieme treizieme quatorzieme quinzieme"
)
_GERMAN: Final = (
    "erst zweit dritt viert funft sechst siebt acht neunt zehnt elft zwolft "
    "dreizehnt "
    "vierzehnt funfzehnt"
)
_ARABIC: Final = "الأول الثاني الثالث الرابع الخامس السادس السابع الثامن التاسع العاشر"
_ARABIC_FEMININE: Final = (
    "الأولى الثانية الثالثة الرابعة الخامسة السادسة السابعة الثامنة التاسعة العاشرة"
)
_ARABIC_ADVERBS: Final = "أولا ثانيا ثالثا رابعا خامسا سادسا سابعا ثامنا تاسعا عاشرا"
_HEBREW: Final = "א ב ג ד ה ו ז ח ט י"
_ACCENTS: Final = str.maketrans(
    "áàâãäéèêëíìîïóòôõöúùûüçÁÀÂÃÄÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇ",
    "aaaaaeeeeiiiiooooouuuucAAAAAEEEEIIIIOOOOOUUUUC",
)
_WORD: Final = re.compile(r"(\w{1,20})[\u064b'׳]?(?:[\s-](\w{4,20}))?")


def without_accents(text: str) -> str:
    """Return the text with the letters of western European languages without accents. The length
    stays.
    """
    return text.translate(_ACCENTS)


def _values() -> dict[str, int]:
    values = {
        f"{stem}{end}": value
        for value, stems in enumerate(_STEMS, 1)
        for stem in stems.split()
        for end in "oa"
    }
    tens = {
        f"{stem}{end}": value
        for value, stems in _TENS.items()
        for stem in stems.split()
        for end in "oa"
    }
    units = [(form, value) for form, value in values.items() if value < 10]
    values |= tens | {
        f"{stem}o{form}": ten + value
        for ten, stem in ((10, "decim"), (20, "vigesim"))
        for form, value in units
    }
    values |= {
        f"{stem}{end}": value
        for value, stem in enumerate(_GERMAN.split(), 1)
        for end in ("e", "er", "es", "en")
    }
    for words in (
        _ENGLISH,
        _CARDINALS,
        _FRENCH,
        _ARABIC,
        _ARABIC_FEMININE,
        _ARABIC_ADVERBS,
        _HEBREW,
    ):
        values |= {word: value for value, word in enumerate(words.split(), 1)}
    return values | {"premiere": 1, "unique": 1, "seconde": 2}


_VALUES: Final = _values()
STARTS: Final = frozenset(word[:3] for word in _VALUES)
"""The first three letters of all numbers in words, in lower case and without accents."""


def ordinal_of(text: str, start: int = 0) -> tuple[int, int] | None:
    """Return the value of the number in words that begins at `start`, and the place where it ends;
    None if there is none.
    """
    found = _WORD.match(text, start)
    first = _VALUES.get(without_accents(found[1].lower()), 0) if found else 0
    if not found or not first:
        return None
    unit = _VALUES.get(without_accents(found[2].lower()), 0) if found[2] and first % 10 == 0 else 0
    return (
        (first + unit, found.end())
        if 0 < unit < 10
        else (first, found.start(2) - 1 if found[2] else found.end())
    )
