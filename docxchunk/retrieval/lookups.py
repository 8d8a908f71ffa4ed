"""Look up a phrase, the definition of a term, and what refers to what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from math import prod
from operator import itemgetter
from time import monotonic
from typing import Final, NamedTuple

import regex  # tiktoken needs it, too

from docxchunk.errors import UsageError
from docxchunk.retrieval.names import NamedPlaces
from docxchunk.retrieval.targets import Resolver

_SECONDS: Final = 2.0  # the time that a regular expression may take in one document
_QUOTED: Final = re.compile(r"[\"“„«]\s*(\w[^\"“”„«»]{1,60}?)\s*[\"”“»]")
_MOST_TERMS: Final = 8  # like one that is not defined
_ALIKE: Final = 0.8  # least likeness of a word and its misspelling
_LONGEST: Final = 1000  # characters of a phrase, pattern or term
_REPEATED: Final = re.compile(r"\{0*([1-9]\d*)")  # the library writes out what is repeated
_MOST_REPEATED: Final = 10_000
_RECURSION: Final = re.compile(r"\(\?(?:R|[+-]?\d|&|P>)")
_ROW: Final = 2  # the rank of a row whose head is the term, among the ways to define one
_VERB: Final = (
    r"(?:shall\s+)?(?:means?|has\s+the\s+meaning|have\s+the\s+meaning|refers?\s+to|"
    r"is\s+defined|are\s+defined|includes?|bedeutet|bezeichnet|meint|désigne|signifie|"
    r"significa|是指|指|означает)"
)


class Links(NamedTuple):
    """The references of a place.

    - `to`: the indices of the places that it refers to.
    - `by`: the occurrences of references to it.
    - `unresolved`: the numbers in it that name no place of the document, or several.
    """

    to: list[int]
    by: list[Occurrence]
    unresolved: list[str]


class Occurrence(NamedTuple):
    """The index of a place, how often it has a phrase, and the range of the first occurrence."""

    place: int
    times: int = 1
    span: tuple[int, int] = (0, 0)


def occurrences(places: NamedPlaces, phrase: str, *, is_pattern: bool) -> list[Occurrence]:
    """Return the places that have a phrase or regular expression.

    Raise UsageError for a pattern that is not valid, or that takes too long.
    """
    pattern = _compiled(phrase, is_pattern=is_pattern)
    result: list[Occurrence] = []
    end = monotonic() + _SECONDS
    try:
        for index, place in enumerate(places.all):
            seconds_left = max(end - monotonic(), 0.001)
            matches = filter(itemgetter(0), pattern.finditer(place.text, timeout=seconds_left))
            if first := next(matches, None):
                result.append(Occurrence(index, 1 + sum(1 for _ in matches), first.span()))
    except (TimeoutError, MemoryError):
        raise UsageError(f"{phrase!r} takes too long to search: make it simpler.") from None
    return result


def _compiled(phrase: str, *, is_pattern: bool) -> regex.Pattern[str]:
    source = phrase if is_pattern else r"\s+".join(map(regex.escape, phrase.split()))
    if not source:
        raise UsageError("There is nothing to find: give a phrase.")
    if len(phrase) > _LONGEST:
        raise UsageError(f"A phrase has at most {_LONGEST:,} characters.")
    if is_pattern and (
        prod(map(int, _REPEATED.findall(phrase))) > _MOST_REPEATED or _RECURSION.search(phrase)
    ):
        raise UsageError(f"{phrase!r} repeats too much: make it simpler.")
    try:
        return regex.compile(source, regex.IGNORECASE)
    except (regex.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{phrase!r} is not a regular expression: {error}.") from error


def definitions(places: NamedPlaces, term: str) -> list[int]:
    """Return the places that define a term (see `Reader.define`), the clearest first. If there are
    none, return the places for its singular or plural.
    """
    if len(term) > _LONGEST:
        raise UsageError(f"A term has at most {_LONGEST:,} characters.")
    forms = (_definitions(places, form) for form in (term, *_other_forms(term)))
    return next(filter(None, forms), [])


def _other_forms(term: str) -> list[str]:
    """Return a term in the singular or plural: "Business Day" for "Business Days"."""
    term = term.strip(" \"'“”„«»")
    endings = (("ies", "y"), ("es", ""), ("s", ""), ("y", "ies"), ("", "s"))
    forms = (term.removesuffix(end) + ending for end, ending in endings if term.endswith(end))
    return [form for form in forms if len(form) > 1]


def terms_like(places: NamedPlaces, term: str) -> list[str]:
    """Return the defined terms in quotation marks that share a word with a term, which may be
    misspelled in one of them.
    """
    wanted = _stems(term)
    terms = {
        quoted[1]: None
        for place in places.all
        for quoted in _QUOTED.finditer(place.text)
        if any(get_close_matches(stem, wanted, 1, _ALIKE) for stem in _stems(quoted[1]))
    }
    return [each for each in list(terms)[:_MOST_TERMS] if _definitions(places, each)]


def _stems(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"\w{3,}", text.casefold())}


def _definitions(places: NamedPlaces, term: str) -> list[int]:
    word = r"\s+".join(map(re.escape, term.strip(" \"'“”„«»").split()))
    if not word:
        raise UsageError("There is no term: give the words that may be defined.")
    quoted = rf"[\"“„«'‘]\s*{word}(?:s|es)?\s*[\"”“»'’]"
    ways = [
        rf"{quoted}[^.;]{{0,60}}?\b{_VERB}",
        rf"{quoted}[^.;]{{0,60}}?{_VERB}",
        rf"^\W*(?:[(\w]{{1,6}}[.)]\s+)?{word}\s*(?:{_VERB}|[:–—|]|\t)",
        rf"[(（][^()（）]{{0,40}}{quoted}[^()（）]{{0,40}}[)）]",
        rf"(?:^|[\W称]){word}\s*[，,]?\s*(?:是指|系指)",
        rf"{word}\s+{_VERB}",
        rf"以下简称[^)）]{{0,6}}{word}",
    ]
    ranked: dict[int, int] = {}  # the rank of the first way that fits
    for rank, way in enumerate(ways):
        pattern = re.compile(way, re.IGNORECASE)
        for index, place in enumerate(places.all):
            if index not in ranked and pattern.search(place.text):
                ranked[index] = rank
    # the term alone in its cell, or before a sentence: "Order Date The date on which …"
    head = re.compile(
        rf"\W*(?:(?:the|each)\s+)?{word}\W*(\s(?-i:[A-Z]\w*\s+[a-z]).*)?", re.IGNORECASE
    )
    for index, place in enumerate(places.all):
        if match := head.fullmatch(place.head):
            ranked[index] = min(ranked.get(index, len(ways)), len(ways) if match[1] else _ROW)
    return sorted(ranked, key=lambda index: (ranked[index], index))


def links(places: NamedPlaces, at: int) -> Links:
    """Return what a place refers to, and what refers to it or to what is below it (see
    `Reader.references`).
    """
    resolver = Resolver(places)
    region = places.region(at)
    region_places = places.with_notes(region)
    is_section = places.all[at].depth == 0
    blocks = {places.all[index].block for index in region} if is_section else set[int]()
    to: dict[int, None] = {}
    unresolved: dict[str, None] = {}
    for index in region_places:
        for reference in resolver.references(index):
            for name, targets in resolver.targets(reference, index):
                if len(targets) == 1:
                    to[targets[0]] = None
                elif reference.is_certain:
                    unresolved[name] = None
    for block in sorted(blocks):
        for target in places.blocks[block].refers_to:
            if (head := places.heads.get(places.numbers_by_id.get(target, -1))) is not None:
                to[head] = None
    return Links(
        [index for index in to if index not in region],
        [*_references_to(resolver, region, set(region_places), blocks)],
        list(unresolved),
    )


def _references_to(
    resolver: Resolver, region: range, excluded: AbstractSet[int], blocks: AbstractSet[int]
) -> Iterator[Occurrence]:
    """Yield the places that refer to a region, except those in `excluded`. First come the places
    that name it in their text, then the sections with a link to one of its blocks.
    """
    places, linked_blocks = resolver.places, set(blocks)
    for index, place in enumerate(places.all):
        if index in excluded:
            continue
        spans = (
            reference.span
            for reference in resolver.references(index)
            if _leads_to(region, [targets for _, targets in resolver.targets(reference, index)])
        )
        if span := next(spans, None):
            linked_blocks.add(place.block)
            yield Occurrence(index, span=span)
    wanted = {places.blocks[number].id for number in blocks}
    for number, head in places.heads.items():
        if number not in linked_blocks and not wanted.isdisjoint(places.blocks[number].refers_to):
            yield Occurrence(head)


def _leads_to(region: range, targets: Sequence[list[int]]) -> bool:
    """Return whether a reference to the places `targets` leads to a region. It does if a target is
    in the region, or if the region is between two targets.
    """
    certain = [indexes[0] for indexes in targets if len(indexes) == 1]
    if any(index in region for index in certain):
        return True
    return len(certain) == 2 and certain[0] <= region.start <= certain[1]
