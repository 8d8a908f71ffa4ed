"""Compute the labels of numbered paragraphs (ECMA-376 Part 1, 17.9).

`Numbering` holds the definitions in numbering.xml and does not change. `Counters` holds the current
numbers; each story (the body, a set of notes) has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.language.patterns import pattern
from docxchunk.ooxml.number_formats import (
    IN_WORDS,
    Formatter,
    decimal,
    formatter,
    primary_language,
)
from docxchunk.ooxml.symbols import unicode_text
from docxchunk.ooxml.xml import MC, ON, W, is_on, natural_number, value, value_of

LEVELS: Final = 9  # w:ilvl is 0 to 8 (17.9.3)
_NONE: Final = "0"  # w:numId that removes numbering (17.9.18)
_REFERENCE: Final = pattern(r"%([1-9])")
_LARGEST: Final = 32_767  # the largest number in Word
_LONGEST: Final = 255  # characters of w:lvlText; Word allows 31 ([MS-OI29500] 2.1.283)
_Formats = tuple[tuple[int, Formatter], ...]
"""The levels of the numbers in a label, each with the function that formats the number."""


class LabelKind(StrEnum):
    """Whether a label is a number or a bullet."""

    NUMBER = "number"
    BULLET = "bullet"


class Suffix(StrEnum):
    """What separates a label from the text (w:suff, 17.9.28)."""

    TAB = "tab"
    SPACE = "space"
    NOTHING = "nothing"


_SUFFIXES: Final = frozenset(Suffix)


class Label(NamedTuple):
    """The number or bullet of a paragraph, as Word prints it; `level` is counted from 0."""

    text: str
    level: int
    kind: LabelKind
    suffix: Suffix
    hidden: bool = False  # formatted as hidden text


class ListLevel(NamedTuple):
    """One level of a list (w:lvl, 17.9.6)."""

    start: int = 0  # w:start, default 0 (17.9.25)
    format: str = "decimal"
    custom: str = ""  # the pattern of the format "custom"
    text: str = ""  # "%1.%2" (17.9.11)
    font: str = ""
    restart: int | None = None  # 1-based level that restarts this one; 0: none (17.9.10)
    legal: bool = False  # show all numbers in decimal (17.9.4); Word keeps "01"
    suffix: Suffix = Suffix.TAB
    style: str | None = None  # the paragraph style linked to this level (17.9.23)
    language: str = ""  # w:lang of the number (17.3.2.20); "": that of the paragraph mark
    hidden: bool = False  # w:vanish of the number (17.3.2.41)

    @property
    def kind(self) -> LabelKind:
        return LabelKind.BULLET if self.format == "bullet" else LabelKind.NUMBER

    @property
    def shown(self) -> tuple[int, ...]:
        """The levels whose numbers the text shows, counted from 0; () for a bullet."""
        return (
            ()
            if self.kind is LabelKind.BULLET
            else tuple(int(digit) - 1 for digit in _REFERENCE.findall(self.text))
        )

    @property
    def pattern(self) -> str:
        """The text with "%s" in place of each number."""
        return "%s".join(piece.replace("%", "%%") for piece in _REFERENCE.split(self.text)[::2])

    def restarted_below(self, ilvl: int) -> int:
        """Return the first level, counted from 0, whose paragraphs do not restart the numbers of
        this level. `ilvl` is the number of this level.
        """
        return ilvl if self.restart is None else min(self.restart, ilvl)


_UNDEFINED: Final = ListLevel()  # decimal


@dataclass(frozen=True, slots=True)
class ListDefinition:
    """A w:num (17.9.15): the levels of its w:abstractNum (17.9.1) with its overrides (17.9.8)
    applied.
    """

    id: str
    # all lists of one abstract definition, and of copies of it, share their counters
    abstract: str
    levels: Mapping[int, ListLevel]
    # numbers by level; only the level that is used first gets its number, and only once (17.9.26)
    start_overrides: Mapping[int, int]
    linked: Mapping[str, int]  # levels by the paragraph styles linked to them (17.9.23)

    def level(self, ilvl: int) -> ListLevel:
        return self.levels.get(ilvl, _UNDEFINED)


class Numbering:
    """The list definitions of a numbering part. `root` is None if there is no such part.

    `list_of_style` returns the numId of a numbering style (w:numStyleLink, 17.9.21); if it returns
    None, the definition with that w:styleLink is used. `is_hidden` returns whether a character
    style is hidden. Invalid values are treated as absent.
    """

    def __init__(
        self,
        root: etree._Element | None,
        list_of_style: Callable[[str], str | None] | None = None,
        is_hidden: Callable[[str], bool] | None = None,
    ) -> None:
        self._abstracts = (
            {}
            if root is None
            else {e.get(W + "abstractNumId", ""): e for e in root.iterchildren(W + "abstractNum")}
        )
        self._nums = (
            {}
            if root is None
            else {e.get(W + "numId", ""): e for e in root.iterchildren(W + "num")}
        )
        self._list_of_style = list_of_style or (lambda _: None)
        self._is_hidden = is_hidden or (lambda _: False)
        self._lists: dict[str, ListDefinition | None] = {}
        self._defined: dict[str, Mapping[int, ListLevel]] = {}  # levels by abstract definition
        self.languages_in_digits: set[str] = set()
        """The languages, other than English, whose numbers in words are written as digits."""
        # w:nsid and levels -> the abstract definition that has them
        self._copied: dict[tuple[str, frozenset[tuple[int, ListLevel]]], str] = {}

    def list(self, num_id: str) -> ListDefinition | None:
        """Return the list of a w:numId; None if it is "0" or not defined."""
        if num_id not in self._lists:
            self._lists[num_id] = self._read_list(num_id)
        return self._lists[num_id]

    def named(self, name: str) -> str | None:
        """Return the w:numId of a list by the name of its definition (17.9.13), which LISTNUM
        fields use; None if there is none.
        """
        abstract = _first_with(self._abstracts, "name", name)
        return None if abstract is None else _first_with(self._nums, "abstractNumId", abstract)

    def level_of_style(self, num_id: str, style: str | None) -> int | None:
        """Return the number of the list level that names this paragraph style, or None if no level
        does. It overrides the w:ilvl of the style (17.9.23).
        """
        definition = self.list(num_id)
        return None if definition is None or style is None else definition.linked.get(style)

    def unknown_formats(self) -> set[str]:
        """Return the unknown values of w:numFmt in the lists used so far."""
        levels = (level for each in self._lists.values() if each for level in each.levels.values())
        return {level.format for level in levels if formatter(level.format, level.custom) is None}

    def formatters(self, levels: Iterable[tuple[int, ListLevel]], language: str) -> _Formats:
        """Return the functions that format the numbers of some levels in a language."""
        formats: list[tuple[int, Formatter]] = []
        for number, level in levels:
            primary = primary_language(language)
            if level.format in IN_WORDS and primary != "en":
                self.languages_in_digits.add(primary)
            formats.append((number, formatter(level.format, level.custom, language) or decimal))
        return tuple(formats)

    def _read_list(self, num_id: str) -> ListDefinition | None:
        num = self._nums.get(num_id)
        if num is None or num_id == _NONE:
            return None
        abstract = value(num, W + "abstractNumId") or ""
        if abstract not in self._defined:
            self._defined[abstract] = dict(self._levels(abstract))
        levels = dict(self._defined[abstract])
        start_overrides = {}
        for override in num.iterchildren(W + "lvlOverride"):
            ilvl = _level_number(override)
            if ilvl is None:
                continue
            if (replaced := override.find(W + "lvl")) is not None:
                # [MS-OI29500] 2.1.282 b
                levels[ilvl] = self._level(replaced)._replace(
                    restart=levels.get(ilvl, _UNDEFINED).restart
                )
            if (start := list_number(value(override, W + "startOverride"))) is not None:
                start_overrides[ilvl] = start
        linked = {
            level.style: ilvl for ilvl, level in sorted(levels.items(), reverse=True) if level.style
        }
        return ListDefinition(num_id, self._original(abstract), levels, start_overrides, linked)

    def _original(self, abstract: str) -> str:
        """Return the abstract definition that this one is a copy of, or itself. A copy has the same
        levels and the same w:nsid (17.9.14), which programs that join documents leave as it is.
        """
        element = self._abstracts.get(abstract)
        identifier = None if element is None else value(element, W + "nsid")
        levels = frozenset(self._defined[abstract].items())
        return self._copied.setdefault((identifier, levels), abstract) if identifier else abstract

    def _levels(self, abstract: str) -> Iterator[tuple[int, ListLevel]]:
        element = self._defining(abstract)
        if element is not None:
            for level in element.iterchildren(W + "lvl"):
                if (ilvl := _level_number(level)) is not None:
                    yield ilvl, self._level(level)

    def _level(self, element: etree._Element) -> ListLevel:
        """Return the level of a w:lvl. Its number is hidden by its own formatting or by its
        character style.
        """
        level, run = _read_level(element), element.find(W + "rPr")
        if run is None:
            return level
        vanish, style = run.find(W + "vanish"), value(run, W + "rStyle")
        hidden = self._is_hidden(style or "") if vanish is None else is_on(vanish)
        return level._replace(hidden=hidden)

    def _defining(self, abstract: str) -> etree._Element | None:
        """Return the w:abstractNum with the levels, following links to numbering styles; None if
        the links are circular.
        """
        seen: set[str] = set()
        while abstract not in seen and (element := self._abstracts.get(abstract)) is not None:
            seen.add(abstract)
            link = value(element, W + "numStyleLink")
            if link is None or element.find(W + "lvl") is not None:
                return element
            num = self._nums.get(self._list_of_style(link) or "")
            linked = value(num, W + "abstractNumId") if num is not None else None
            if linked is None or linked in seen:
                # the definition of the numbering style (w:styleLink, 17.9.27)
                linked = _first_with(self._abstracts, "styleLink", link)
            abstract = linked or ""
        return None


def _first_with(elements: Mapping[str, etree._Element], name: str, text: str) -> str | None:
    """Return the key of the first element that has a child with this name and value."""
    return next((key for key, e in elements.items() if value(e, W + name) == text), None)


class _LabelStep(NamedTuple):
    """The data for the labels of a list at a level, computed once."""

    values: list[int | None]
    starts: list[int]
    implied: tuple[int, ...]  # higher levels that count as used
    resets: tuple[int, ...]  # deeper levels to restart
    pattern: str  # "%s.%s"
    numbers: _Formats  # levels and formats of the numbers in the pattern
    fixed: Label | None  # the label if the pattern has no numbers
    suffix: Suffix
    hidden: bool
    # the same levels if their numbers depend on the language of the paragraph, else ()
    of_a_language: tuple[tuple[int, ListLevel], ...]

    def advance(self, ilvl: int, start: int | None) -> None:
        """Count a paragraph at this level. Higher levels that are not used yet count as used once
        ("1.1.1" is followed by "1.2"), except those with a w:lvlRestart, as in Word. Deeper levels
        restart (17.9.10).
        """
        values, starts = self.values, self.starts
        for level in self.implied:
            if values[level] is None:
                values[level] = starts[level]
        value = values[ilvl]
        values[ilvl] = start if start is not None else starts[ilvl] if value is None else value + 1
        for level in self.resets:
            values[level] = None

    def text(self, numbers: _Formats) -> str:
        """Return the text of a label that shows numbers in some formats."""
        values, starts = self.values, self.starts
        return self.pattern % tuple(
            [
                show(starts[level] if (value := values[level]) is None else value)
                for level, show in numbers
            ]
        )


class Counters:
    """The current numbers of lists. Call `next` once for each numbered paragraph, even an empty
    one, except deleted ones and ends of sections.
    """

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        # current number of each level, by abstract definition; None: not used yet
        self._values: dict[str, list[int | None]] = {}
        self._steps: dict[tuple[str, int], _LabelStep | None] = {}
        self._defined: dict[str, ListDefinition] = {}
        self.last = ""  # id of the last list used
        self.levels: dict[str, int] = {}  # last level used, by list id

    def anew(self) -> Counters:
        """Return counters of the same lists for another story."""
        return Counters(self._numbering)

    def define(self, definition: ListDefinition) -> None:
        """Add a list that is not in the file."""
        self._defined[definition.id] = definition

    def named(self, name: str) -> str | None:
        """Return `Numbering.named(name)`."""
        return self._numbering.named(name)

    def next(
        self, num_id: str, ilvl: int, start: int | None = None, language: Callable[[], str] = str
    ) -> Label | None:
        """Count a paragraph of a list at a level and return its label; None if the level is not
        defined or has an empty label.

        `start` sets the number. `language` returns the language of the paragraph mark; "" if there
        is none. It is called only if a format depends on the language.
        """
        self.last = num_id
        try:
            step = self._steps[num_id, ilvl]
        except KeyError:
            step = self._steps[num_id, ilvl] = self._begin(num_id, ilvl)
        self.levels[num_id] = ilvl
        if step is None:
            return None
        step.advance(ilvl, start)
        if not step.numbers:
            return step.fixed
        numbers = step.numbers
        if step.of_a_language and (tag := language()):
            numbers = self._numbering.formatters(step.of_a_language, tag)
        text = step.text(numbers)
        return Label(text, ilvl, LabelKind.NUMBER, step.suffix, step.hidden) if text else None

    def _begin(self, num_id: str, ilvl: int) -> _LabelStep | None:
        """Prepare the first use of a list at a level. A w:startOverride takes effect if it is the
        first use of the list at any level, as in Word.
        """
        definition = self._defined.get(num_id) or self._numbering.list(num_id)
        if definition is None or ilvl not in definition.levels:
            return None
        values = self._values.setdefault(definition.abstract, [None] * LEVELS)
        step = _step(self._numbering, definition, ilvl, values)
        if ilvl in definition.start_overrides and num_id not in self.levels:
            step.values[ilvl] = definition.start_overrides[ilvl] - 1  # `next` adds 1
        return step


def _legal(level: ListLevel) -> ListLevel:
    return level if level.format == "decimalZero" else _UNDEFINED


def _step(
    numbering: Numbering, definition: ListDefinition, ilvl: int, values: list[int | None]
) -> _LabelStep:
    level = definition.level(ilvl)
    levels = tuple(
        (shown, _legal(part) if level.legal else part)
        for shown in level.shown
        for part in [definition.level(shown)]
    )
    depends = not level.language and any(part.format in IN_WORDS for _, part in levels)
    return _LabelStep(
        values=values,
        starts=[definition.level(number).start for number in range(LEVELS)],
        implied=tuple(
            above
            for above in range(ilvl)
            if definition.level(above).restarted_below(above) == above
        ),
        resets=_resets(definition, ilvl),
        pattern=level.pattern,
        numbers=()
        if max(level.shown, default=0) > ilvl
        else numbering.formatters(levels, level.language),
        fixed=_fixed(level, ilvl),
        suffix=level.suffix,
        hidden=level.hidden,
        of_a_language=levels if depends else (),
    )


def _resets(definition: ListDefinition, ilvl: int) -> tuple[int, ...]:
    """Return the levels that a paragraph at `ilvl` restarts: all deeper ones, unless w:lvlRestart
    says otherwise (17.9.10).
    """
    return tuple(
        below for below in range(LEVELS) if ilvl < definition.level(below).restarted_below(below)
    )


def _fixed(level: ListLevel, ilvl: int) -> Label | None:
    """Return the label of a level that shows no number: a bullet, or text; None if it is empty.

    If the text refers to a deeper level, Word shows nothing ([MS-OI29500] 2.1.283).
    """
    if level.shown:
        return None
    text = _bullet(level) if level.kind is LabelKind.BULLET else level.text
    return Label(text, ilvl, level.kind, level.suffix, level.hidden) if text.strip() else None


def _bullet(level: ListLevel) -> str:
    """Return the character of a bullet. Word uses the letter o in Courier New as a circle."""
    text = unicode_text(level.font, level.text)
    return "◦" if text == "o" else text


def _read_level(element: etree._Element) -> ListLevel:
    # the first child with a name is used
    children = {child.tag: child for child in reversed(element)}
    form, suffix = _number_format(children), value_of(children, "suff")
    run = children.get(W + "rPr")
    font = None if run is None else next(run.iterchildren(W + "rFonts"), None)
    language = None if run is None else next(run.iterchildren(W + "lang"), None)
    return ListLevel(
        start=list_number(value_of(children, "start")) or 0,
        format="decimal" if form is None else form.get(W + "val", "decimal"),
        custom="" if form is None else form.get(W + "format", ""),
        text=_text(children.get(W + "lvlText")),
        font="" if font is None else font.get(W + "ascii") or font.get(W + "hAnsi") or "",
        restart=list_number(value_of(children, "lvlRestart")),
        legal=is_on(children.get(W + "isLgl")),
        suffix=Suffix(suffix) if suffix in _SUFFIXES else Suffix.TAB,
        style=value_of(children, "pStyle"),
        language="" if language is None else language.get(W + "val", ""),
    )


def _number_format(children: Mapping[str, etree._Element]) -> etree._Element | None:
    """Return the w:numFmt. Word 2010 and later store a custom one in mc:Choice ([MS-DOCX] 2.4)."""
    alternate = children.get(MC + "AlternateContent")
    chosen = None if alternate is None else alternate.find(f"{MC}Choice/{W}numFmt")
    return chosen if chosen is not None else children.get(W + "numFmt")


def _text(element: etree._Element | None) -> str:
    """Return the value of w:lvlText; "" if it is null (17.9.11) or implausibly long."""
    if element is None or element.get(W + "null") in ON:
        return ""
    text = element.get(W + "val", "")
    return text if len(text) <= _LONGEST else ""


def list_number(text: str | None) -> int | None:
    """Return a number of a list, from 0 to the largest in Word; None for anything else."""
    number = natural_number(text)
    return number if number is not None and number <= _LARGEST else None


def _level_number(element: etree._Element) -> int | None:
    number = list_number(element.get(W + "ilvl"))
    return number if number is not None and number < LEVELS else None
