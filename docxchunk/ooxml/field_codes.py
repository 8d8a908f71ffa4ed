"""Parse field codes: their names, words and switches (ECMA-376 Part 1, 17.16.2, 17.16.4). Compute
the numbers of SEQ fields (17.16.5.56).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from docxchunk.ooxml.number_formats import FORMATS
from docxchunk.ooxml.numbering import list_number

_TOKEN: Final = re.compile(r'\\(\S)|"((?:[^"\\]|\\.?)*+)(?:"|\Z)|([^\s"\\]+)', re.DOTALL)
_GENERAL: Final = "*#@"  # switches of all fields that take an argument
_ARGUMENTS: Final = {  # the others
    "SEQ": "rs",
    "HYPERLINK": "lot",
}
_NUMBER_FORMATS: Final = {  # arguments of the switch \* (17.16.4.3.1)
    "arabic": "decimal",
    "alphabetic": "lowerLetter",
    "roman": "lowerRoman",
}
_OF_LETTERS: Final = ("mergeformat", "charformat")  # arguments that concern only the look
_PICTURE: Final = re.compile("[0#]+")


class FieldCode(NamedTuple):
    """A field code. `switches` are by their letter, "" if they have no argument."""

    name: str  # in capitals
    words: tuple[str, ...]  # after the name, without the switches
    switches: Mapping[str, str]
    formats: tuple[str, ...]  # the arguments of \\*

    @property
    def number_formats(self) -> list[str]:
        """The formats that concern numbers."""
        return [word for word in self.formats if word.lower() not in _OF_LETTERS]

    def number(self, number: int) -> str | None:
        """Return a number in the format of the field; None if the format is not known. An initial
        capital selects the upper-case variant of a format.
        """
        picture = self.switches.get("#", "")
        if _PICTURE.fullmatch(picture):
            return str(number).zfill(picture.count("0"))
        word = next(iter(self.number_formats), "arabic")
        name = _NUMBER_FORMATS.get(word.lower(), "")
        show = FORMATS.get(name.replace("lower", "upper") if word[0].isupper() else name)
        return None if show is None else show(number)

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


class Sequences:
    """Counts the SEQ fields of a document (17.16.5.56)."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        # by name: how many headings the field with the switch \\s came after
        self._headings: dict[str, int] = {}

    def next(self, code: FieldCode, headings: Sequence[int], stored: str = "") -> str | None:
        """Return what the next field shows; None if it refers to another place. `headings` are the
        numbers of headings before it, by level. If it has a stored result, this is the number.
        """
        if len(code.words) != 1:
            return None
        name, switches = code.words[0].lower(), code.switches
        number, start = self._numbers.get(name, 0), list_number(switches.get("r"))
        if start is not None:
            number = start
        elif "c" not in switches:
            number = (0 if self._begins_anew(name, code, headings) else number) + 1
        self._numbers[name] = number = _or_stored(number, stored)
        is_hidden = "h" in switches and not code.number_formats
        return "" if is_hidden else code.number(number)

    def _begins_anew(self, name: str, code: FieldCode, headings: Sequence[int]) -> bool:
        level = list_number(code.switches.get("s"))
        if level is None:
            return False
        before, self._headings[name] = self._headings.get(name, 0), sum(headings[:level])
        return self._headings[name] != before


def _or_stored(number: int, stored: str) -> int:
    shown = list_number(stored.strip())
    return number if shown is None else shown
