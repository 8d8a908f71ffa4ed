"""Numbers that fields count and no file stores: LISTNUM (ECMA-376 Part 1, 17.16.5.31), and AUTONUM and its kin (first edition, Part 4, 2.16.5.5 to 2.16.5.7).

The lists that Word has built in are those of Microsoft's article 162895. Of what the standard leaves open - which list a field without a name
counts, and at which level - articles 162895 and 165471 say some, and what they do not say follows what other readers have seen Word do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from docxchunk.ooxml.number_formats import FORMATS
from docxchunk.ooxml.numbering import LEVELS, Counters, LabelKind, Level, List

_CODE: Final = re.compile(r"\s*(LISTNUM|AUTONUM(?:LGL|OUT)?)(?![A-Za-z])(.*)", re.IGNORECASE | re.DOTALL)
_SWITCH: Final = re.compile(r'\\([A-Za-z*])\s*(?:"([^"]*)"|([^\s"\\]+))?')
_STANDARD: Final = "NumberDefault"
_IN_TEXT: Final = 2  # a new series within a text begins at the third level
_LETTERS: Final = {"1": "decimal", "a": "lowerLetter", "i": "lowerRoman", "A": "upperLetter", "I": "upperRoman"}
_FORMATS: Final = {  # the words of \*, 17.16.4.3.1
    "arabic": "decimal",
    "alphabetic": "lowerLetter",
    "roman": "lowerRoman",
    "ordinal": "ordinal",
    "cardtext": "cardinalText",
    "ordtext": "ordinalText",
    "hex": "hex",
}


class NumberField(NamedTuple):
    """A field that counts, as its code has it."""

    kind: str  # LISTNUM, AUTONUM, AUTONUMLGL or AUTONUMOUT
    name: str = ""  # of the list
    level: int | None = None  # from 0
    start: int | None = None
    separator: str = "."
    ends_bare: bool = False
    format: str | None = None


class Place(NamedTuple):
    """Where a field stands."""

    depth: int  # level of the list that numbers the paragraph, from 0; -1: none does
    heading: int  # outline level of the paragraph, from 1; 0: it is no heading
    leads: bool  # only numbers stand before it
    previous: int | None  # level of the field before it in the paragraph


def number_field(code: str) -> NumberField | None:
    """The field with this code; None where it is not one that counts."""
    found = _CODE.fullmatch(code)
    if found is None:
        return None
    said = {match[1].lower(): match[2] or match[3] or "" for match in _SWITCH.finditer(found[2])}
    level = _integer(said.get("l"))
    return NumberField(
        kind=found[1].upper(),
        name=_SWITCH.sub(" ", found[2]).strip().strip('"'),
        level=None if level is None else min(max(level, 1), LEVELS) - 1,
        start=_integer(said.get("s")),
        separator=said.get("s", "")[:1] or ".",
        ends_bare="e" in said,
        format=_format(said.get("*", "")),
    )


def _format(word: str) -> str | None:
    """The name in ST_NumberFormat; a capital asks for capitals."""
    name = _FORMATS.get(word.lower())
    return name.replace("lower", "upper") if name and word[0].isupper() else name


def _integer(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else None


class FieldNumbers:
    """The numbers of the fields of a story, which count on with the paragraphs of the same list."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._ids: dict[str, str] = {}  # name -> id of a list
        self._headings: dict[str, int] = {}  # kind of field -> level of the last heading that has one

    def next(self, field: NumberField, place: Place) -> tuple[str, int]:
        """What the field shows, and the level at which it counts."""
        return self._of_list(field, place) if field.kind == "LISTNUM" else self._automatic(field, place)

    def _of_list(self, field: NumberField, place: Place) -> tuple[str, int]:
        """By the list that is named, or else the one that the text used last, if that counts."""
        for name in (self._list_named(field.name) if field.name else self._counters.last, self._list_named(_STANDARD)):
            level = self._level(field, place, name)
            label = self._counters.next(name, level, field.start)
            if label is not None and label.kind is LabelKind.NUMBER:
                return label.text, level
        return "", 0

    def _level(self, field: NumberField, place: Place, list_id: str) -> int:
        """As the field says; or as the field before it, one deeper if they stand together; or one below its paragraph; or as the list was last used."""
        if field.level is not None:
            return field.level
        if place.previous is not None:
            return min(place.previous + place.leads, LEVELS - 1)
        if place.depth >= 0:
            return min(place.depth + 1, LEVELS - 1)
        return self._counters.levels.get(list_id, 0 if place.leads else _IN_TEXT)

    def _automatic(self, field: NumberField, place: Place) -> tuple[str, int]:
        """By the headings: body text counts one level below the last heading that has such a field."""
        if place.heading:
            self._headings[field.kind] = place.heading
        level = place.heading - 1 if place.heading else min(self._headings.get(field.kind, 0), LEVELS - 1)
        label = self._counters.next(self._list_named(field.kind), level)
        text = "" if label is None else label.text
        if field.format is not None:
            number = FORMATS[field.format](self._counters.value(field.kind, level))
            text = f"{number.lower() if field.format.endswith('Text') else number}."
        text = text.replace(".", field.separator)
        return text.removesuffix(field.separator) if field.ends_bare else text, level

    def _list_named(self, name: str) -> str:
        """The id of the list of a name (w:name, 17.9.13); where the file has none, one that Word has built in, or a new one like the standard."""
        if name not in self._ids:
            known = self._counters.named(name)
            if known is None:
                self._counters.define(_BUILT_IN.get(name) or _list(name, name, _NUMBERS))
            self._ids[name] = name if known is None else known
        return self._ids[name]


def _list(name: str, abstract: str, levels: Iterable[str]) -> List:
    """A list of levels as they show their first number: "1)", "(a)"."""
    return List(name, abstract, dict(enumerate(map(_level, levels, range(1, LEVELS + 1)))), frozenset(), {})


def _level(first: str, place: int) -> Level:
    letter = first.strip("().")
    return Level(start=1, format=_LETTERS[letter], text=first.replace(letter, f"%{place}"))


_NUMBERS: Final = ("1)", "a)", "i)", "(1)", "(a)", "(i)", "1.", "a.", "i.")
_OUTLINE: Final = ("I.", "A.", "1.", "a)", "(1)", "(a)", "(i)", "(a)", "(i)")
_PLAIN: Final = ("1.",) * LEVELS
_LEGAL: Final = {place: Level(start=1, text="".join(f"%{above + 1}." for above in range(place + 1))) for place in range(LEVELS)}
_BUILT_IN: Final = {
    known.id: known
    for known in (
        _list(_STANDARD, "LISTNUM", _NUMBERS),  # these three count on from each other
        _list("OutlineDefault", "LISTNUM", _OUTLINE),
        List("LegalDefault", "LISTNUM", _LEGAL, frozenset(), {}),
        _list("AUTONUM", "AUTONUM", _PLAIN),
        List("AUTONUMLGL", "AUTONUMLGL", _LEGAL, frozenset(), {}),
        _list("AUTONUMOUT", "AUTONUMOUT", _OUTLINE),
    )
}
