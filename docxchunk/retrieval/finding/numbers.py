"""The numbers of sections and items: "(a)" below 8.2 is "8.2(a)"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from docxchunk.language.labels import has_division, normal
from docxchunk.language.numbers import ROMAN, Number, number_of, roman_value
from docxchunk.language.patterns import pattern
from docxchunk.model.blocks import Block

_COMPLETE: Final = pattern(r"\d+(?:[.．]\w+)+|[^\W\d_]{2,}[\W\d]|\W*[A-Z]\.\d|[第제附]|§")
_SUBORDINATE: Final = re.compile(r"[(（]\w{1,5}[)）]|\w{1,5}\)|[a-z]{1,5}[.)]?")  # (a), a., iv)
_DEEPEST: Final = 8  # lists in lists
_NOT_OF_LINES: Final = ("letter", "roman", "ordinal")  # "A. Smith", "I. e.", "First."
_OF_CONTENTS: Final = pattern(r"\t[^\S\t]*+\d++\s*+$|\.{4,}")


# -- of sections


def number_length(text: str) -> int:
    """Return the length of the number that a text begins with; 0 if there is none."""
    number = number_of(f"{text} ")
    return min(number.length, len(text)) if number else 0


def own_number(block: Block) -> str:
    """Return the own number of a block, automatic or typed; "" if it has none."""
    return block.number or block.heading[: number_length(block.heading)].strip()


def is_number_alone(block: Block) -> bool:
    """Return whether the heading of a block has no words but its number."""
    heading = block.heading
    return bool(heading) and (
        heading.strip(" .:") == (block.number or "").strip(" .:")
        or not heading[number_length(heading) :].strip(" .:)")
    )


def is_title_of(number: Block, block: Block) -> bool:
    """Return whether `block` is only the title of `number`, the block before it: "Scope" after
    "Article 2".
    """
    return (
        bool(block.heading)
        and not own_number(block)
        and 0 < number.level <= block.level
        and is_number_alone(number)
        and bool(own_number(number))
        and len(number.lines) <= 1
    )


def numbered(blocks: Sequence[Block]) -> tuple[list[int], list[str]]:
    """Return, for each block, the index of the block above it, and its full number.

    A block is below the last one with a smaller level. On its own level, "4.2" is below "4", "(a)"
    is below "4.2", and a title is below its number.
    """
    parents: list[int] = []
    numbers: list[str] = []
    above: list[tuple[int, int, str]] = []  # the levels, numbers and labels of the blocks above
    for index, block in enumerate(blocks):
        label = own_number(block)
        while above and (
            above[-1][0] > block.level
            or (
                above[-1][0] == block.level
                and not _is_below(label, above[-1][2])
                and not is_title_of(blocks[index - 1], block)
            )
        ):
            above.pop()
        parents.append(above[-1][1] if above else -1)
        parent = next((numbers[number] for _, number, _ in reversed(above) if numbers[number]), "")
        numbers.append(_full_number(label, parent))
        if block.level:
            above.append((block.level, index, label))
    return parents, numbers


def _is_below(label: str, above: str) -> bool:
    """Return whether a section is below another one of the same level, by their numbers: "4.2" and
    "(a)" are below "4".
    """
    if is_subordinate(label):
        return bool(above) and not is_subordinate(above)
    return normal(label).startswith(f"{normal(above)}.")


def is_next(label: str, before: str) -> bool:
    """Return whether a number is the next one after another: "10.2" after "10.1"."""
    (above, _, number), (above_before, _, last) = (
        normal(text).rpartition(".") for text in (label, before)
    )
    return above == above_before != "" and bool(_next_after(_readings(last), _readings(number)))


def is_subordinate(label: str) -> bool:
    """Return whether a number means nothing without the one above it: (a), b., iv)."""
    return _SUBORDINATE.fullmatch(label) is not None


def _is_complete(label: str) -> bool:
    """Return whether a number includes those above it, as 2.1, B.1, Annex B, 3 § and 第一条 do."""
    return (_COMPLETE.match(label) is not None and not is_subordinate(label)) or has_division(label)


# -- of items


_Readings = frozenset[tuple[str, int]]
"""What a label can mean: its value in each series that it may be of."""


class _Item(NamedTuple):
    depth: int
    number: str  # the full one
    label: str
    meant: _Readings  # what the label can mean, after the items of its list before it
    first: str  # the label of the first item of its list


class ItemNumbers:
    """Gives each item of a block its full number: "8.2(a)" for "(a)" below 8.2.

    For each item in order, call `depth_of` (for a typed number) or `depth_in_list` (for an
    automatic one), then `number_of` with this depth. `heading_number` is the number of the heading
    of the block.
    """

    def __init__(self, heading_number: str) -> None:
        self._heading_number = heading_number
        self._above: list[_Item] = []

    def depth_of(self, label: str, following: Iterable[str] = ()) -> int:
        """Return the depth of the next item, which has a typed number. `following` are the labels
        after it: they say whether "(i)" is Roman.

        A number such as "2.1" has depth 1. Any other number continues a list: the innermost one
        that it is the next number of, or the first number of again; else the innermost one that has
        an earlier number. If there is no such list, it begins a list one deeper than the item
        before. A number that may be a 1 does so, too, unless it is next in a list, or first again.
        """
        if _is_complete(label):
            return 1
        readings = _readings(label)
        for meant in (self._read_with(following, label), readings):
            for item in reversed(self._above):
                if _next_after(item.meant, meant):
                    return item.depth
            for item in reversed(self._above):
                if label == item.first:
                    return item.depth
            if any(value == 1 for _, value in meant):
                return self._one_deeper()
        for item in reversed(self._above):
            if any(step > 0 for step in _steps(item.meant, readings)):
                return item.depth
        return self._one_deeper()

    def _read_with(self, following: Iterable[str], label: str) -> _Readings:
        """Return what a label means if it is the one before the first label that it can be before:
        "(i)" is 1 if "(ii)" follows before another "(i)", the next clause and the next number of
        an open list.
        """
        readings = _readings(label)
        if len(readings) < 2:
            return readings
        for other in following:
            later = _readings(other)
            is_of_open_list = any(_next_after(item.meant, later) for item in self._above)
            if other == label or _is_complete(other) or is_of_open_list:
                break
            if before := readings & {(series, value - 1) for series, value in later}:
                return before
        return readings

    def _one_deeper(self) -> int:
        return min((self._above[-1].depth if self._above else 0) + 1, _DEEPEST)

    def depth_in_list(self, label: str, depth: int, following: Iterable[str] = ()) -> int:
        """Return the depth of an item with an automatic number. `depth` is its depth in the list of
        the file. An item such as "(a)" is below the clause "1.1" before it, even if both have the
        same depth in their lists.
        """
        clauses = (item.depth for item in self._above if _is_complete(item.label))
        item_depths = (item.depth for item in self._above if not _is_complete(item.label))
        if is_subordinate(label) and max(clauses, default=0) >= depth and depth not in item_depths:
            return self.depth_of(label, following)
        return depth

    def number_of(self, label: str, depth: int) -> str:
        """Return the full number of the next item; "" for a bullet."""
        first, meant = label, _readings(label)
        while self._above and self._above[-1].depth >= depth:
            last = self._above.pop()
            if last.depth == depth:
                first = label if _is_complete(label) else last.first
                meant = _next_after(last.meant, meant) or meant
        full = _full_number(label, self._above[-1].number if self._above else self._heading_number)
        if full:
            self._above.append(_Item(depth, full, label, meant, first))
        return full


def typed_number(text: str) -> str:
    """Return the number of the clause that a line begins with, or ""."""
    number = number_of(text)
    if number is None or _OF_CONTENTS.search(text):
        return ""
    label, after_number = text[: number.length].strip(), text[number.length :].lstrip(" \t.．")
    return label if _is_of_clause(number, label, after_number) else ""


def _is_of_clause(number: Number, label: str, after_number: str) -> bool:
    """Return whether a clause begins with this number. A sentence or an amount may begin with
    other numbers. "(a)", "1." and "第一条" begin a clause, and "2.1" does, unless a lower-case
    letter follows.
    """
    if number.rank or number.kind in _NOT_OF_LINES:
        return label[0] in "第제"
    if not label[-1].isalnum():
        return True
    return len(number.path) > 1 and not after_number[:1].islower()


@lru_cache(maxsize=1024)  # a label is compared with those of all open lists
def _readings(label: str) -> _Readings:
    """Return the values of a label, each with its series. "(i)" is the ninth letter, and the Roman
    number 1. "(bb)" comes after "(aa)", and is the 28th letter if "(aa)" comes after "(z)".
    """
    mark = re.search(r"\w+", label)
    if mark is None:
        return frozenset()
    sign, values = mark[0], dict[str, int]()
    if sign.isascii() and sign.isalpha() and (sign.islower() or sign.isupper()):
        first, roman = ("a", "i") if sign.islower() else ("A", "I")
        if ROMAN.fullmatch(sign):
            values[roman] = roman_value(sign)
        if len(set(sign)) == 1:
            value = ord(sign[0]) - ord(first) + 1
            values[len(sign) * first] = value
            if len(sign) == 2 and roman not in values:
                values[first] = 26 + value
    elif number := number_of(f"{label} "):
        values["1" if sign[0].isdigit() else "一"] = number.path[-1]
    return frozenset((label.replace(sign, series, 1), value) for series, value in values.items())


def _steps(before: _Readings, readings: _Readings) -> set[int]:
    """Return by how much a label may be later than one before it: 1 for "(b)" after "(a)"."""
    return {
        later - value
        for series, value in before
        for later_series, later in readings
        if series == later_series
    }


def _next_after(before: _Readings, readings: _Readings) -> _Readings:
    """Return the readings that come next after others: the 9 of "(i)" after "(h)"."""
    return readings & {(series, value + 1) for series, value in before}


def _full_number(label: str, parent: str) -> str:
    """Return the number of an item after the number of the item above it, "8.2(a)"; "" for a
    bullet.
    """
    text = label.strip().rstrip(" .:：、-–—")
    if not any(map(str.isalnum, text)):
        return ""
    if not parent or _is_complete(text):
        return text
    return f"{parent}{text}" if text[0] in "(（[" else f"{parent}({text.rstrip(')）')})"
