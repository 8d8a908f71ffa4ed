"""What a place refers to, and what refers to it: the references of a document, and the places
that they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from docxchunk.language.labels import TITLE, fits, is_of_annex, meanings, normal
from docxchunk.language.patterns import pattern
from docxchunk.language.references import Container, Reference, own_names, references_in
from docxchunk.model.caching import cached_method
from docxchunk.retrieval.finding.numbers import is_subordinate, own_number
from docxchunk.retrieval.finding.passages import CitedPlaces, Passage
from docxchunk.retrieval.finding.running import Occurrence

TO: Final = "refers to"
BY: Final = "referred to in"

_STEM: Final = 4  # letters that "Annex" and "Annexe", "Schedule" and "Schedules" share
_LAST_ITEM: Final = pattern(r"(?:\([^()]*\)|^[^(]*)$")
_FARTHEST: Final = 100  # places from a reference such as "clause (i) above" to the item
_CLAUSE: Final = pattern(r"section|clause|art|paragraph|§|ziff|abs|ст|раздел", re.IGNORECASE)
_GAP: Final = 4  # characters between a number and its title
_SEVERAL: Final = 2  # places that a number means: more of them tell no more than two


@dataclass(frozen=True, slots=True)
class References:
    """What a place refers to, and what refers to it.

    - `to`: the places that it refers to.
    - `by`: the places that refer to it.
    - `unresolved`: the numbers that it refers to, but that the document does not have, or has more
      than once.
    - `left_out`: the number of more places that it refers to, or that refer to it.
    """

    to: tuple[Passage, ...]
    by: tuple[Passage, ...]
    unresolved: tuple[str, ...] = ()
    left_out: int = 0


def references(places: CitedPlaces, at: int, limit: int) -> References:
    """Return what a place refers to, and what refers to it or to what is below it, at most `limit`
    places of each (see `Reader.references`).
    """
    resolver = Resolver(places)
    region = places.region(at)
    region_places = places.with_notes(region)
    is_section = places.all[at].depth == 0
    blocks = {places.all[index].block for index in region} if is_section else set[int]()
    to: dict[int, None] = {}
    unresolved: dict[str, None] = {}
    for index in region_places:
        for reference, _ in resolver.references(index):
            for name, targets in resolver.targets(reference, index):
                if len(targets) == 1:
                    to[targets[0]] = None
                elif reference.is_certain:
                    unresolved[name] = None
    for block in sorted(blocks):
        for target in places.blocks[block].refers_to:
            if (head := places.heads.get(places.numbers_by_id.get(target, -1))) is not None:
                to[head] = None
    outside = [index for index in to if index not in region]
    by = [*_references_to(resolver, region, set(region_places), blocks)]
    return References(
        tuple(replace(places.passage(at, at), relation=TO) for at in outside[:limit]),
        tuple(replace(passage, relation=BY) for passage in places.matched(by[:limit])),
        tuple(unresolved),
        len(outside[limit:]) + len(by[limit:]),
    )


def _references_to(
    resolver: Resolver, region: range, excluded: AbstractSet[int], blocks: AbstractSet[int]
) -> Iterator[Occurrence]:
    """Yield the places that refer to a region, except those in `excluded` and the entries of tables
    of contents. First come the places that name it in their text, then the sections with a link to
    one of its blocks.
    """
    places, linked_blocks = resolver.places, set(blocks)
    for index, place in enumerate(places.all):
        if index in excluded:
            continue
        occurrences = (
            at
            for reference, at in resolver.references(index)
            if _leads_to(region, [targets for _, targets in resolver.targets(reference, index)])
        )
        if at := next(occurrences, None):
            linked_blocks.add(place.block)
            yield at
    ids = {places.blocks[number].id for number in blocks}
    for number, head in places.heads.items():
        is_linked = not ids.isdisjoint(places.blocks[number].refers_to)
        if is_linked and number not in linked_blocks and not places.is_entry(head):
            yield Occurrence(head)


def _leads_to(region: range, targets: Sequence[list[int]]) -> bool:
    """Return whether a reference to the places `targets` leads to a region. It does if a target is
    in the region, or if the region is between two targets.
    """
    certain = [indexes[0] for indexes in targets if len(indexes) == 1]
    if any(index in region for index in certain):
        return True
    return len(certain) == 2 and certain[0] <= region.start <= certain[1]


class Resolver:
    """Finds the references of a document, and the places that they mean. What a number means is
    looked up once for each part of the document.
    """

    def __init__(self, places: CitedPlaces) -> None:
        self.places = places
        self._in_documents: dict[tuple[str, bool, str], list[int]] = {}
        self._with_titles: dict[tuple[str, str], list[int]] = {}
        self._containing: dict[tuple[tuple[Container, ...], int], int | None] = {}

    def references(self, index: int) -> Iterator[tuple[Reference, Occurrence]]:
        """Yield the references in the text of a place, and where they are. Its own number is none,
        nor is a line that is only a number. An entry of a table of contents has none.
        """
        place = self.places.all[index]
        if self.places.is_entry(index):
            return
        text = place.text
        words = range(len(text) - len(text.lstrip()), len(text.rstrip(" .:：")))
        for reference in references_in(
            text, self._own_names, len(place.label) if text.startswith(place.label) else 0
        ):
            first, end = reference.span
            if first > words.start or end < words.stop:
                yield reference, Occurrence(index, span=reference.span)
        yield from self._across.get(index, ())

    @cached_property
    def _across(self) -> dict[int, list[tuple[Reference, Occurrence]]]:
        """The references that have a mark of a note or a line break inside, by place."""
        across: dict[int, list[tuple[Reference, Occurrence]]] = {}
        for text in self.places.running:
            for reference in references_in(text.text, self._own_names):
                if at := text.across(*reference.span):
                    across.setdefault(at.place, []).append((reference._replace(span=at.span), at))
        return across

    def targets(self, reference: Reference, index: int) -> Iterator[tuple[str, list[int]]]:
        """Yield, for each number of a reference in a place, its name and the places that it may
        mean. If the reference names a part without such a number ("Section 9 of Part 2"), yield the
        name again with the place of the part. For a number after its division ("Article II, Section
        2"), these are the places in the division; if it has none, yield the division, too.
        """
        if above := reference.above:
            inside = reference._replace(containers=above.as_containers(), above=None)
            places = [self._meant(readings, inside, index) for readings in reference.numbers]
            if all(places):
                names = (f"{readings[0]}{inside.of}" for readings in reference.numbers)
                yield from zip(names, places, strict=True)
                return
            yield from self.targets(above, index)
        for readings in reference.numbers:
            targets = self._meant(readings, reference, index)
            yield f"{readings[0]}{reference.of}", targets
            if not targets and (part := self._part_meant(reference.containers, index)) is not None:
                yield f"{readings[0]}{reference.of}", [part]

    def _meant(self, readings: Sequence[str], reference: Reference, index: int) -> list[int]:
        """Return the places that a number of a reference in a place may mean, by the ways to read
        it.
        """
        candidates = (self._places_meant(reading, reference, index) for reading in readings)
        targets = next(filter(None, candidates), [])
        return (len(targets) > 1 and self._titled(readings[0], reference, index)) or targets

    def _titled(self, number: str, reference: Reference, index: int) -> list[int]:
        """Return the places with a number and the title that follows it in a reference, as in
        "Section 3 (Term)".
        """
        text = self.places.all[index].text
        title = re.compile(rf"{re.escape(number)}{TITLE}").search(text, reference.span[0])
        text_of_title = title[0][len(number) :].strip(" ()（）").casefold() if title else ""
        if (key := (number, text_of_title)) not in self._with_titles:
            end = len(number) + len(text_of_title) + _GAP
            self._with_titles[key] = [
                at
                for at in (self.places.with_number(number) if text_of_title else ())
                if text_of_title in self.places.all[at].text[:end].casefold()
            ]
        return self._with_titles[key]

    def _places_meant(self, number: str, reference: Reference, index: int) -> list[int]:
        if reference.containers:
            part = self._part_meant(reference.containers, index)
            if part is None:
                return []
            name = f"{reference.word} {number}"
            return self.places.numbered_below(part, meanings(number), name)
        if number.startswith("("):
            return self._nearest_item(number, index)
        if reference.is_paragraph:
            for block in self._enclosing(index):
                if targets := self.places.numbered_below(
                    self.places.heads[block], meanings(number)
                ):
                    return targets
            if self._annex_of(index) is not None:
                return []
        return self._in_document(number, index, reference.word)

    def _nearest_item(self, items: str, index: int) -> list[int]:
        """Return the place that items such as "(b)" mean in a place; [] if there is none. It is the
        item below the clause of the place, or below the nearest clause around it. Without such an
        item, it is the nearest one before the place, or else after it.
        """
        around, all_places = self.places.all[index].number, self.places.all
        while around:
            if targets := self.places.with_number(f"{around}{items}"):
                return [min(targets, key=lambda at: abs(at - index))]
            around = _LAST_ITEM.sub("", around)
        near = (*range(index - 1, index - _FARTHEST, -1), *range(index + 1, index + _FARTHEST))
        block = next(reversed(self._enclosing(index)), all_places[index].block)
        region, ending = self.places.of_blocks(block, self.places.ends[block]), f".{normal(items)}"
        return [
            at
            for at in near
            if at in region and f".{normal(all_places[at].number)}".endswith(ending)
        ][:1]

    def _in_document(self, number: str, index: int, word: str = "") -> list[int]:
        """Return the places with a number, for a reference in a place, at most two: the sections if
        there are some, and not a section "(1)", such as a party, if there is a section "1.".
        Outside annexes, the numbers of annexes count only if no other place has the number. After
        the `word` "Article", those of chapters count only if no article has it.
        """
        key = number, self._annex_of(index) is None, word
        if key not in self._in_documents:
            targets = self.places.with_number(number)
            name = f"{word} {number}"
            targets = [at for at in targets if fits(name, self.places.all[at].label)] or targets
            if not targets and is_of_annex(number):  # a heading such as "Attachment 1"
                named = self.places.named(number)
                targets = [at for at in named if self.places.all[at].depth == 0]
            if key[1]:
                targets = [at for at in targets if self._annex_of(at) is None] or targets
            sections = [at for at in targets if self.places.all[at].depth == 0]
            full = [at for at in sections if not is_subordinate(self.places.all[at].label)]
            self._in_documents[key] = (full or sections or targets)[:_SEVERAL]
        return self._in_documents[key]

    def _part_meant(self, containers: tuple[Container, ...], index: int) -> int | None:
        """Return the part of the document that some words name, such as "Part 2 of Schedule 1" or
        "this Part"; None if there is none, or several.
        """
        key = containers, self.places.all[index].block
        if key not in self._containing:
            parts: list[int] = []
            for container in reversed(containers):
                parts = self._parts_named(container, index, parts[0] if parts else None)
                if len(parts) != 1:
                    break
            self._containing[key] = parts[0] if len(parts) == 1 else None
        return self._containing[key]

    def _parts_named(self, container: Container, index: int, within: int | None) -> list[int]:
        """Return the parts of the document that a container may be, for a place. A number is looked
        for in another part or, without one, in the sections around the place.
        """
        if not container.number:
            return self._section_meant(container, index)
        is_clause = _CLAUSE.match(container.word)
        name = container.number if is_clause else f"{container.word} {container.number}"
        keys = meanings(name) if is_clause else [normal(name)]
        if within is not None:
            return self.places.numbered_below(within, keys, f"{container.word} {container.number}")
        if not is_of_annex(name):
            for block in self._enclosing(index):
                if parts := self.places.numbered_below(self.places.heads[block], keys):
                    return parts
        return self._in_document(name, index)

    def _section_meant(self, container: Container, index: int) -> list[int]:
        """Return the section around a place that "this Part" or "the Schedule" means."""
        if container.which in ("that", "such"):
            return []
        enclosing = self._enclosing(index)
        stem = container.word[:_STEM].lower()
        named = [block for block in enclosing if self._label(block).lower().startswith(stem)]
        if not named and _CLAUSE.match(container.word):
            named = enclosing
        return [self.places.heads[block] for block in named[:1]]

    def _enclosing(self, index: int) -> list[int]:
        """Return the blocks around a place, the nearest first, up to an annex."""
        return self._up_to_annex(self.places.all[index].block)

    @cached_method
    def _up_to_annex(self, block: int) -> list[int]:
        """Return a block and those above it that have a heading, up to an annex."""
        enclosing: list[int] = []
        for number in (block, *self.places.ancestors(block)):
            if number in self.places.heads and self.places.blocks[number].level:
                enclosing.append(number)
            if is_of_annex(self._label(number)):
                break
        return enclosing

    def _annex_of(self, index: int) -> int | None:
        """Return the block of the annex that a place is in; None outside annexes."""
        last = self._enclosing(index)[-1:]
        return last[0] if last and is_of_annex(self._label(last[0])) else None

    def _label(self, block: int) -> str:
        return own_number(self.places.blocks[block]) or self.places.blocks[block].heading

    @cached_property
    def _own_names(self) -> set[str]:
        return own_names(place.text for place in self.places.all)
