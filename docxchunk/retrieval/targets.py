"""Find the places that the references of a document mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from docxchunk.model.blocks import SessionType
from docxchunk.reader.headings import words
from docxchunk.reader.headings.numbers import number_of
from docxchunk.retrieval.names import NamedPlaces
from docxchunk.retrieval.numbers import meanings, normal, normal_without_word, own_number
from docxchunk.retrieval.places import Place
from docxchunk.retrieval.references import Container, Reference, own_names, references_in

_CHINESE_ANNEX: Final = re.compile(rf"({words.CHINESE_ANNEX}[件录表])\s?(\w+)")
_ANNEX: Final = re.compile(
    rf"(?:{'|'.join(words.ANNEX_NAMES.split())}|attachment|{words.CHINESE_ANNEX}[件录表])",
    re.IGNORECASE,
)
_STEM: Final = 4  # letters that "Annex" and "Annexe", "Schedule" and "Schedules" share
_LAST_ITEM: Final = re.compile(r"(?:\([^()]*\)|^[^(]*)$")
_FARTHEST: Final = 100  # places from a reference such as "clause (i) above" to the item
_CLAUSE: Final = re.compile(r"section|clause|art|paragraph|§|ziff|abs", re.IGNORECASE)


class Resolver:
    """Finds the references of a document, and the places that they mean."""

    def __init__(self, places: NamedPlaces) -> None:
        self.places = places

    def references(self, index: int) -> Iterator[Reference]:
        """Yield the references in the text of a place. Its own number is none, nor is a line
        that is only a number. A table of contents has none.
        """
        place = self.places.all[index]
        if self.places.blocks[place.block].session_type is SessionType.TOC:
            return
        start = len(place.label) if place.text.startswith(place.label) else 0
        for reference in references_in(place.text, self._own_names, start):
            first, end = reference.span
            if place.text[:first].strip() or place.text[end:].strip(" .:："):
                yield reference

    def targets(self, reference: Reference, index: int) -> Iterator[tuple[str, list[int]]]:
        """Yield, for each number of a reference in a place, its name and the places that it may
        mean. If a part of the document does not have the number, the part follows.
        """
        for readings in reference.numbers:
            each = (self._meant(reading, reference, index) for reading in readings)
            targets = next(filter(None, each), [])
            yield f"{readings[0]}{reference.of}", targets
            if not targets and (part := self._part(reference.containers, index)) is not None:
                yield f"{readings[0]}{reference.of}", [part]

    def _meant(self, number: str, reference: Reference, index: int) -> list[int]:
        if reference.containers:
            part = self._part(reference.containers, index)
            return [] if part is None else self._below(meanings(number), part)
        if number.startswith("("):
            return self._near(number, index)
        if reference.is_paragraph:
            for block in self._enclosing(index):
                if targets := self._below(meanings(number), self.places.heads[block]):
                    return targets
            if self._annex_of(index) is not None:
                return []
        return self._in_document(number, index)

    def _near(self, items: str, index: int) -> list[int]:
        """Return the place that items such as "(b)" mean in a place: that below its own clause or
        one of those around it, else the nearest before it, else the nearest after it.
        """
        around = self.places.all[index].number
        while around:
            if targets := self.places.with_number(f"{around}{items}"):
                return [min(targets, key=lambda each: abs(each - index))]
            around = _LAST_ITEM.sub("", around)
        near = (*range(index - 1, index - _FARTHEST, -1), *range(index + 1, index + _FARTHEST))
        ending, all_places = f".{normal(items)}", self.places.all
        block = next(reversed(list(self._enclosing(index))), all_places[index].block)
        region = self.places.of_blocks(block, self.places.ends[block])
        return [
            each
            for each in near
            if each in region and f".{normal(all_places[each].number)}".endswith(ending)
        ][:1]

    def _in_document(self, number: str, index: int) -> list[int]:
        """Return the places with a number, for a reference in a place: the sections if there are
        some. Outside annexes, the numbers of annexes count only if no other place has the number.
        """
        targets = self.places.with_number(number) or self._annexes_named(number)
        if self._annex_of(index) is None:
            targets = [each for each in targets if self._annex_of(each) is None] or targets
        return [each for each in targets if self.places.all[each].depth == 0] or targets

    def _annexes_named(self, name: str) -> list[int]:
        """Return the annexes with a name that the document does not have as a number: 附件一 for
        附件1, or a heading such as "Attachment 1".
        """
        if not _ANNEX.match(name):
            return []
        return self._chinese_annexes.get(_chinese_annex(name), []) or [
            each for each in self.places.named(name) if self.places.all[each].depth == 0
        ]

    @cached_property
    def _chinese_annexes(self) -> dict[str, list[int]]:
        annexes: dict[str, list[int]] = {}
        for index, place in enumerate(self.places.all):
            if name := _chinese_annex(place.label):
                annexes.setdefault(name, []).append(index)
        return annexes

    def _below(self, keys: Iterable[str], part: int) -> list[int]:
        """Return the places of a part of the document with one of some numbers in normal form,
        which may count from there: those that are the least far in.
        """
        keys = set(keys)
        region = self.places.region(part)
        indexes = [
            index
            for index in range(region.start + 1, region.stop)
            if not keys.isdisjoint(self._numbers_of(self.places.all[index], part))
        ]
        least = min((self._depth(index) for index in indexes), default=(0, 0))
        return [index for index in indexes if self._depth(index) == least]

    def _depth(self, index: int) -> tuple[int, int]:
        place = self.places.all[index]
        return place.depth, self.places.blocks[place.block].level if place.depth == 0 else 0

    def _numbers_of(self, place: Place, part: int) -> Iterator[str]:
        """Yield the normal forms of the numbers of a place: in the document, of its own, and in the
        sections between it and a part of the document.
        """
        if not place.number:
            return
        full = normal(place.number)
        yield from (full, normal(place.label))
        if _CLAUSE.match(place.number):
            yield normal_without_word(place.number)
        for number in {self.places.numbers[place.block], self.places.all[part].number}:
            if number and full.startswith(f"{normal(number)}."):
                yield full.removeprefix(f"{normal(number)}.")

    def _part(self, containers: tuple[Container, ...], index: int) -> int | None:
        """Return the part of the document that some words name, such as "Part 2 of Schedule 1" or
        "this Part"; None if there is none, or several.
        """
        part: int | None = None
        for container in reversed(containers):
            parts = self._parts_named(container, index, part)
            if len(parts) != 1:
                return None
            part = parts[0]
        return part

    def _parts_named(self, container: Container, index: int, within: int | None) -> list[int]:
        """Return the parts of the document that a container may be, for a place. A number is looked
        for in another part or, without one, in the sections around the place.
        """
        if not container.number:
            return self._this(container, index)
        is_clause = _CLAUSE.match(container.word)
        name = container.number if is_clause else f"{container.word} {container.number}"
        keys = meanings(name) if is_clause else [normal(name)]
        if within is not None:
            return self._below(keys, within)
        if not _ANNEX.match(name):
            for block in self._enclosing(index):
                if parts := self._below(keys, self.places.heads[block]):
                    return parts
        return self._in_document(name, index)

    def _this(self, container: Container, index: int) -> list[int]:
        """Return the section around a place that "this Part" or "the Schedule" means."""
        if container.which in ("that", "such"):
            return []
        enclosing = list(self._enclosing(index))
        stem = container.word[:_STEM].lower()
        named = [block for block in enclosing if self._label(block).lower().startswith(stem)]
        if not named and _CLAUSE.match(container.word):
            named = enclosing
        return [self.places.heads[block] for block in named[:1]]

    def _enclosing(self, index: int) -> Iterator[int]:
        """Yield the blocks around a place, the nearest first, up to an annex."""
        block = self.places.all[index].block
        for each in (block, *self.places.ancestors(block)):
            if each in self.places.heads and self.places.blocks[each].level:
                yield each
            if _ANNEX.match(self._label(each)):
                return

    def _annex_of(self, index: int) -> int | None:
        """Return the block of the annex that a place is in; None outside annexes."""
        enclosing = self._enclosing(index)
        return next((block for block in enclosing if _ANNEX.match(self._label(block))), None)

    def _label(self, block: int) -> str:
        return own_number(self.places.blocks[block]) or self.places.blocks[block].heading

    @cached_property
    def _own_names(self) -> set[str]:
        return own_names(place.text for place in self.places.all)


def _chinese_annex(name: str) -> str:
    """Return the normal form of the name of a Chinese annex, with digits: "附件1" for "附件一"; ""
    for other names.
    """
    if (match := _CHINESE_ANNEX.match(name)) is None:
        return ""
    number = None if match[2].isascii() else number_of(f"{words.CHINESE_ANNEX}件{match[2]} ")
    return f"{match[1]}{number.path[0] if number else match[2]}"
