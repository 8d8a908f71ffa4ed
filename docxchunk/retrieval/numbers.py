"""The numbers of sections and items: "(a)" below 8.2 is "8.2(a)"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from docxchunk.model.blocks import Block
from docxchunk.reader.headings import words
from docxchunk.reader.headings.numbers import Number, number_of

_CLAUSE_WORDS: Final = {
    *" ".join(names for rank, names in words.DIVISIONS.items() if rank).split(),
    *("paragraph", "para", "point", "sec", "art", "cl", "absatz", "ziffer"),
} - set(words.ANNEX_NAMES.split())
_CLAUSE_WORD: Final = re.compile(
    rf"^\W*?(?:{'|'.join(map(re.escape, sorted(_CLAUSE_WORDS, key=len, reverse=True)))})"
    r"s?\.?(?:\s+(?=\W*\w)|(?=\d))",
    re.IGNORECASE,
)
_ANNEX: Final = re.compile(r"(annex|appendi|schedule|exhibit)(?:es|ces|x|s|e)?(?=\w)")
# a number that needs no other above it: 2.1, B.1, Annex B, 第一条
_COMPLETE: Final = re.compile(r"\d+(?:\.\w+)+|[^\W\d_]{2,}[\W\d]|\W*[A-Z]\.\d|[第제附]|§")
_SUBORDINATE: Final = re.compile(r"[(（]\w{1,5}[)）]|\w{1,5}\)|[a-z]{1,5}[.)]?")  # (a), a., iv)
_NOT_OF_LINES: Final = ("letter", "roman", "ordinal")  # "A. Smith", "I. e.", "First."
_OF_CONTENTS: Final = re.compile(r"\t\s*\d+\s*$|\.{4,}")


# -- of sections


def number_length(text: str) -> int:
    """Return the length of the number that a text begins with, 0 without one."""
    number = number_of(f"{text} ")
    return min(number.length, len(text)) if number else 0


def own_number(block: Block) -> str:
    """Return the own number of a block, automatic or typed, "" without one."""
    return block.number or block.heading[: number_length(block.heading)].strip()


def is_number_alone(block: Block) -> bool:
    """Return whether the heading of a block has no words but its number."""
    heading = block.heading
    return bool(heading) and (
        heading.strip(" .:") == (block.number or "").strip(" .:")
        or not heading[number_length(heading) :].strip(" .:)")
    )


def numbered(blocks: Iterable[Block]) -> tuple[list[int], list[str]]:
    """Return for each block the number of the block that it is below, and its full number.

    A block is below the last one with a smaller level. Of its own level, "4.2" is below "4", and
    "(a)" below "4.2".
    """
    parents: list[int] = []
    numbers: list[str] = []
    above: list[tuple[int, int, str]] = []  # the levels, numbers and labels of the blocks above
    for index, block in enumerate(blocks):
        label = own_number(block)
        while above and (
            above[-1][0] > block.level
            or (above[-1][0] == block.level and not _is_below(label, above[-1][2]))
        ):
            above.pop()
        parents.append(above[-1][1] if above else -1)
        parent = next((numbers[number] for _, number, _ in reversed(above) if numbers[number]), "")
        numbers.append(_full_number(label, parent))
        if block.level:
            above.append((block.level, index, label))
    return parents, numbers


def _is_below(label: str, above: str) -> bool:
    """Return whether a section is below one of the same level: "4.2" and "(a)" below "4"."""
    if is_subordinate(label):
        return bool(above) and not is_subordinate(above)
    return bool(above) and normal(label).startswith(f"{normal(above)}.")


def is_subordinate(label: str) -> bool:
    """Return whether a number means nothing without the one above it: (a), b., iv)."""
    return _SUBORDINATE.fullmatch(label) is not None


# -- of items


class ItemNumbers:
    """The numbers of the items of a block; `own` is the number of the block."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._above: list[tuple[int, str, str]] = []  # depth, full number, own number

    def depth_of(self, label: str) -> int:
        """Return the depth of a typed number: that of the last item that it follows, or one more
        if it begins a list.
        """
        if _COMPLETE.match(label) and not is_subordinate(label):
            return 1
        for depth, _, before in reversed(self._above):
            if _follows(before, label):
                return depth
        return (self._above[-1][0] if self._above else 0) + 1

    def number_of(self, label: str, depth: int) -> str:
        """Return the full number of the next item, "" of a bullet."""
        while self._above and self._above[-1][0] >= depth:
            self._above.pop()
        full = _full_number(label, self._above[-1][1] if self._above else self._own)
        if full:
            self._above.append((depth, full, label))
        return full


def typed_number(text: str) -> str:
    """Return the number that a line begins with as the number of a clause, "" without one."""
    number = number_of(text)
    if number is None or _OF_CONTENTS.search(text):
        return ""
    label, rest = text[: number.length].strip(), text[number.length :].lstrip(" \t.．")
    return label if _is_of_clause(number, label, text, rest) else ""


def _is_of_clause(number: Number, label: str, text: str, rest: str) -> bool:
    """Return whether a number is one of a clause rather than of a sentence or an amount: enclosed,
    before a stop, or 第一条; "2.1" before a capital.
    """
    if number.rank or number.kind in _NOT_OF_LINES:
        return label[0] in "第제"
    if not label[-1].isalnum() or "han" in number.kind:
        return True
    follows = text[number.length : number.length + 1]
    return follows in ".．" if len(number.path) == 1 else not rest[:1].islower()


def _follows(before: str, label: str) -> bool:
    """Return whether a label is the next one in the series of another: "(b)" after "(a)"."""
    one, other = (re.search(r"\w+", each) for each in (before, label))
    if one is None or other is None:
        return False
    frame, other_frame = before.replace(one[0], "x"), label.replace(other[0], "x")
    return (
        frame == other_frame
        and one[0].isdigit() == other[0].isdigit()
        and any(value + 1 in _values(label) for value in _values(before))
    )


def _values(label: str) -> set[int]:
    """Return what a number can mean: 9 (the letter) and 1 (Roman) for "(i)"."""
    number = number_of(f"{label} ")
    letter = re.fullmatch(r"\W*([a-z])\W*", label)
    return {
        *(number.path[-1:] if number else ()),
        *((ord(letter[1]) - ord("a") + 1,) if letter else ()),
    }


def _full_number(label: str, parent: str) -> str:
    """Return the number of an item with the one of the item above it, "8.2(a)"; "" of a bullet."""
    text = label.strip().rstrip(".:：、")
    if not any(map(str.isalnum, text)):
        return ""
    if not parent or (_COMPLETE.match(text) and not is_subordinate(text)):
        return text
    return f"{parent}{text}" if text[0] in "(（[" else f"{parent}({text.rstrip(')）')})"


def without_word(number: str) -> str:
    """Return a number without the word for a clause: "8.2" for "Section 8.2". The word for an
    annex stays.
    """
    return _CLAUSE_WORD.sub("", number)


def normal(number: str) -> str:
    """Return a number as it is compared: "8.2 (a)", "8.2.(a)" and "8.2.a" are equal."""
    together = re.sub(r"\s+", "", number).lower()
    return ".".join(re.findall(r"[\w§]+", _ANNEX.sub(r"\1", together, count=1)))
