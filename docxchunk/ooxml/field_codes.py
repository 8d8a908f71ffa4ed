"""Parse field codes: their names, words and switches (ECMA-376 Part 1, 17.16.2, 17.16.4). Compute
the numbers of SEQ fields (17.16.5.56), of LISTNUM fields (17.16.5.31) and of AUTONUM fields (first
edition, Part 4, 2.16.5.5 to 2.16.5.7).

Word does not store the numbers of LISTNUM and AUTONUM fields. The built-in lists are those of
Microsoft's article 162895. The standard does not define the list and level of a field without a
name; the rules here follow articles 162895 and 165471 and the observed behaviour of Word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from docxchunk.language.patterns import pattern
from docxchunk.model.caching import cached_method
from docxchunk.ooxml.number_formats import FORMATS
from docxchunk.ooxml.numbering import (
    LEVELS,
    Counters,
    LabelKind,
    ListDefinition,
    ListLevel,
    list_number,
)

_TOKEN: Final = pattern(r'\\(\S)|"((?:[^"\\]|\\.?)*+)(?:"|\Z)|([^\s"\\]+)', re.DOTALL)
_GENERAL: Final = "*#@"  # switches of all fields that take an argument
_ARGUMENTS: Final = {  # the others
    "LISTNUM": "ls",
    "AUTONUM": "s",
    "AUTONUMLGL": "s",
    "AUTONUMOUT": "s",
    "SEQ": "rs",
    "HYPERLINK": "lot",
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
_PICTURE: Final = pattern("[0#]+")


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
        name = self.number_format or "decimal"
        text = FORMATS[name](number)
        return text.lower() if name.endswith("Text") else text  # words are in small letters

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


# -- fields that count
# ------------------------------------------------------------------------------

_KINDS: Final = ("LISTNUM", "AUTONUM", "AUTONUMLGL", "AUTONUMOUT")
_KIND: Final = pattern(r"\s*(?:LISTNUM|AUTONUM)", re.IGNORECASE)
_STANDARD: Final = "NumberDefault"
_IN_TEXT: Final = 2  # level of a field in the middle of a paragraph if nothing else determines it
_LETTERS: Final = {
    "1": "decimal",
    "a": "lowerLetter",
    "i": "lowerRoman",
    "A": "upperLetter",
    "I": "upperRoman",
}


class NumberField(NamedTuple):
    """The code of a number field."""

    kind: str  # LISTNUM, AUTONUM, AUTONUMLGL or AUTONUMOUT
    name: str = ""  # of the list
    level: int | None = None  # from 0
    start: int | None = None


class FieldPosition(NamedTuple):
    """The position of a field."""

    depth: int  # list level of the paragraph, from 0; -1: not in a list
    heading: int  # outline level of the paragraph, from 1; 0: not a heading
    leads: bool  # only numbers precede the field in the paragraph
    previous: int | None  # level of the previous field in the paragraph


def number_field(code: str) -> NumberField | None:
    """Parse a field code; None if it is not a number field."""
    parsed = field_code(code) if _KIND.match(code) else None
    if parsed is None or parsed.name not in _KINDS:
        return None
    switches = parsed.switches
    level = list_number(switches.get("l"))
    return NumberField(
        kind=parsed.name,
        name=" ".join(parsed.words),
        level=None if level is None else min(max(level, 1), LEVELS) - 1,
        start=list_number(switches.get("s")),
    )


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
        is_hidden = "h" in switches and not any(map(_is_format, code.formats))
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


def _is_format(word: str) -> bool:
    return word.lower() not in ("mergeformat", "charformat")


class FieldNumbers:
    """Counts the number fields of a story. Fields and paragraphs of the same list share their
    counters.
    """

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        # kind of field -> level of the last heading that has one
        self._headings: dict[str, int] = {}

    def next(self, field: NumberField, at: FieldPosition) -> tuple[str, int]:
        """Return the text of the next field and its level, from 0."""
        return self._of_list(field, at) if field.kind == "LISTNUM" else self._automatic(field, at)

    def _of_list(self, field: NumberField, at: FieldPosition) -> tuple[str, int]:
        """Return the text and the level of a LISTNUM field, in the list that it names, else in the
        last list used, else in NumberDefault.
        """
        for name in (
            self._list_named(field.name) if field.name else self._counters.last,
            self._list_named(_STANDARD),
        ):
            level = self._level(field, at, name)
            label = self._counters.next(name, level, field.start)
            if label is not None and label.kind is LabelKind.NUMBER:
                return label.text, level
        return "", 0

    def _level(self, field: NumberField, at: FieldPosition, list_id: str) -> int:
        """Return the level of a LISTNUM field. The field code may have it. Otherwise the field has
        the level of the previous field in the paragraph, or one deeper if only numbers are before
        it. The first field in a paragraph of a list is one level below the paragraph. In other
        paragraphs, the first field has the last level that was used in its list.
        """
        if field.level is not None:
            return field.level
        if at.previous is not None:
            return min(at.previous + at.leads, LEVELS - 1)
        if at.depth >= 0:
            return min(at.depth + 1, LEVELS - 1)
        return self._counters.levels.get(list_id, 0 if at.leads else _IN_TEXT)

    def _automatic(self, field: NumberField, at: FieldPosition) -> tuple[str, int]:
        """Return text and level of an AUTONUM field. In body text, the level is one below the last
        heading with such a field.
        """
        if at.heading:
            self._headings[field.kind] = at.heading
        level = at.heading - 1 if at.heading else min(self._headings.get(field.kind, 0), LEVELS - 1)
        label = self._counters.next(self._list_named(field.kind), level)
        return "" if label is None else label.text, level

    @cached_method
    def _list_named(self, name: str) -> str:
        """Return the id of the list with a name (w:name, 17.9.13): from the file, a built-in one,
        or a new one like NumberDefault.
        """
        list_id = self._counters.named(name)
        if list_id is None:
            self._counters.define(_BUILT_IN.get(name) or _list(name, name, _NUMBERS))
            list_id = name
        return list_id


def _list(name: str, abstract: str, levels: Iterable[str]) -> ListDefinition:
    """Return a list whose levels are given by their first labels: "1)", "(a)"."""
    numbered = {number: _level(first, number + 1) for number, first in enumerate(levels)}
    return ListDefinition(name, abstract, numbered, {}, {})


def _level(first: str, number: int) -> ListLevel:
    letter = first.strip("().")
    return ListLevel(start=1, format=_LETTERS[letter], text=first.replace(letter, f"%{number}"))


_NUMBERS: Final = ("1)", "a)", "i)", "(1)", "(a)", "(i)", "1.", "a.", "i.")
_OUTLINE: Final = ("I.", "A.", "1.", "a)", "(1)", "(a)", "(i)", "(a)", "(i)")
_PLAIN: Final = ("1.",) * LEVELS
_LEGAL: Final = {
    level: ListLevel(start=1, text="".join(f"%{above + 1}." for above in range(level + 1)))
    for level in range(LEVELS)
}
_BUILT_IN: Final = {
    definition.id: definition
    for definition in (
        _list(_STANDARD, "LISTNUM", _NUMBERS),  # these three share their counters
        _list("OutlineDefault", "LISTNUM", _OUTLINE),
        ListDefinition("LegalDefault", "LISTNUM", _LEGAL, {}, {}),
        _list("AUTONUM", "AUTONUM", _PLAIN),
        ListDefinition("AUTONUMLGL", "AUTONUMLGL", _LEGAL, {}, {}),
        _list("AUTONUMOUT", "AUTONUMOUT", _OUTLINE),
    )
}
