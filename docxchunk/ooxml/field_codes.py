"""Read field codes: name, arguments and switches (ECMA-376 Part 1, 17.16.2, 17.16.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from docxchunk.ooxml.number_formats import FORMATS

_TOKEN: Final = re.compile(r'\\(\S)|"((?:[^"\\]|\\.?)*+)(?:"|\Z)|([^\s"\\]+)', re.DOTALL)
_GENERAL: Final = "*#@"  # switches of all fields that take an argument
_ARGUMENTS: Final = {  # the others
    "LISTNUM": "ls",
    "AUTONUM": "s",
    "AUTONUMLGL": "s",
    "AUTONUMOUT": "s",
    "SEQ": "rs",
    "REF": "d",
}
_NUMBER_FORMATS: Final = {  # arguments of the switch \* (17.16.4.3.1)
    "arabic": "decimal",
    "alphabetic": "lowerLetter",
    "roman": "lowerRoman",
    "ordinal": "ordinal",
    "cardtext": "cardinalText",
    "ordtext": "ordinalText",
    "hex": "hex",
    "arabicdash": "numberInDash",
    "circlenum": "decimalEnclosedCircle",
    "gb1": "decimalEnclosedFullstop",
    "gb2": "decimalEnclosedParen",
    "gb3": "decimalEnclosedCircleChinese",
    "gb4": "ideographEnclosedCircle",
    "chinesenum1": "chineseCounting",
    "chinesenum2": "chineseLegalSimplified",
    "chinesenum3": "chineseCountingThousand",
    "dbnum1": "ideographDigital",
    "dbnum2": "japaneseCounting",
    "dbnum3": "japaneseLegal",
    "dbchar": "decimalFullWidth",
    "zodiac1": "ideographTraditional",
    "zodiac2": "ideographZodiac",
    "aiueo": "aiueo",
    "iroha": "iroha",
    "ganada": "ganada",
    "chosung": "chosung",
    "hebrew1": "hebrew1",
    "hebrew2": "hebrew2",
    "arabicalpha": "arabicAlpha",
    "arabicabjad": "arabicAbjad",
    "hindiarabic": "hindiNumbers",
    "thaiarabic": "thaiNumbers",
    "thailetter": "thaiLetters",
}
_PICTURE: Final = re.compile("[0#]+")


class FieldCode(NamedTuple):
    """A field code. `switches` are by their letter, "" if they have no argument."""

    name: str  # in capitals
    words: tuple[str, ...]  # after the name, without the switches
    switches: Mapping[str, str]
    formats: tuple[str, ...]  # the arguments of \\*

    @property
    def number_format(self) -> str | None:
        """The name in ST_NumberFormat; an initial capital selects the upper-case variant."""
        for word in self.formats:
            if name := _NUMBER_FORMATS.get(word.lower()):
                return name.replace("lower", "upper") if word[0].isupper() else name
        return None

    def number(self, number: int) -> str:
        """Return a number in the format of the field."""
        picture = self.switches.get("#", "")
        if _PICTURE.fullmatch(picture):
            return str(number).zfill(picture.count("0"))
        return formatted(number, self.number_format or "decimal")

    def cased(self, text: str) -> str:
        """Return a text in the case that the field asks for."""
        for word in self.formats:
            if change := _CASES.get(word.lower()):
                return change(text)
        return text


_CASES: Final[Mapping[str, Callable[[str], str]]] = {
    "upper": str.upper,
    "lower": str.lower,
    "caps": lambda text: re.sub(r"\b[^\W\d_]", lambda letter: letter[0].upper(), text),
    "firstcap": lambda text: text[:1].upper() + text[1:],
}


def formatted(number: int, name: str) -> str:
    """Return a number in a format of ST_NumberFormat; words are in small letters."""
    text = FORMATS[name](number)
    return text.lower() if name.endswith("Text") else text


def field_code(text: str) -> FieldCode:
    """Parse a field code; the name is "" if there is none."""
    words: list[str] = []
    switches: dict[str, str] = {}
    formats: list[str] = []
    switch = ""  # the last one, if its argument follows
    for letter, quoted, word in _TOKEN.findall(text):
        name = words[0].upper() if words else ""
        if letter:
            switch = letter.lower()
            switches.setdefault(switch, "")
            if switch not in _GENERAL and switch not in _ARGUMENTS.get(name, ""):
                switch = ""
        elif switch:
            switches[switch] = quoted or word
            if switch == "*":
                formats.append(quoted or word)
            switch = ""
        else:
            words.append(quoted or word)
    name = words[0].upper() if words else ""
    return FieldCode(name, tuple(words[1:]), switches, tuple(formats))
