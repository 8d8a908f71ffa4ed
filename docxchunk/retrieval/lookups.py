"""Look up a phrase, and what refers to what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from math import prod
from time import monotonic
from typing import Final, NamedTuple

import regex  # tiktoken needs it, too

from docxchunk.errors import UsageError
from docxchunk.language.folding import alike, folded_by, typed
from docxchunk.retrieval.names import NamedPlaces
from docxchunk.retrieval.targets import Resolver

_SECONDS: Final = 2.0  # the time that a regular expression may take in one document
_LONGEST: Final = 1000  # characters of a phrase or pattern
_REPEATED: Final = re.compile(r"\{0*([1-9]\d*)")  # the library writes out what is repeated
_MOST_REPEATED: Final = 10_000
_FLAGS: Final = regex.IGNORECASE | regex.FULLCASE
_RECURSION: Final = re.compile(r"\(\?(?:R|[+-]?\d|&|P>)")


class Links(NamedTuple):
    """The references of a place.

    - `to`: the indices of the places that it refers to.
    - `by`: the occurrences of references to it.
    - `unresolved`: the numbers in it that name no place of the document, or several.
    """

    to: list[int]
    by: list[Occurrence]
    unresolved: list[str]


Span = tuple[int, int]


class Occurrence(NamedTuple):
    """The index of a place, how often it has a phrase, and the range of the first occurrence."""

    place: int
    times: int = 1
    span: tuple[int, int] = (0, 0)


def occurrences(places: NamedPlaces, phrase: str, *, is_pattern: bool) -> list[Occurrence]:
    """Return the places that have a phrase or regular expression.

    Raise UsageError for a pattern that is not valid, or that takes too long.
    """
    texts = (place.text for place in places.all)
    return [
        Occurrence(index, len(each), each[0])
        for index, each in enumerate(spans(texts, phrase, is_pattern=is_pattern))
        if each
    ]


def spans(texts: Iterable[str], phrase: str, *, is_pattern: bool) -> list[list[Span]]:
    """Return where each text has a phrase or regular expression. Raise UsageError as
    `occurrences`.
    """
    pattern = _compiled(phrase, is_pattern=is_pattern)
    spans_in = partial(_spans_of_pattern if is_pattern else spans_of_phrase, pattern)
    result: list[list[Span]] = []
    end = monotonic() + _SECONDS
    try:
        for text in texts:
            result.append(spans_in(text, max(end - monotonic(), 0.001)))  # noqa: PERF401 - the time left
    except (TimeoutError, MemoryError):
        raise UsageError(f"{phrase!r} takes too long to search: make it simpler.") from None
    return result


def spans_of_phrase(
    pattern: regex.Pattern[str], text: str, seconds: float | None = None
) -> list[Span]:
    """Return where a text has a phrase, whatever its signs and accents."""
    return _spans(pattern, text, alike, seconds)


def _spans_of_pattern(
    pattern: regex.Pattern[str], text: str, seconds: float | None = None
) -> list[Span]:
    """Return where a regular expression matches a text as it is or, if it does not, as it is typed:
    "'" matches "’", too.
    """
    return _spans(pattern, text, str, seconds) or _spans(pattern, text, typed, seconds)


def _spans(
    pattern: regex.Pattern[str], text: str, fold: Callable[[str], str], seconds: float | None
) -> list[Span]:
    """Return where a pattern matches a folded text, as ranges of the text."""
    matches = [each.span() for each in pattern.finditer(fold(text), timeout=seconds) if each[0]]
    if fold is str or not matches or text.isascii():
        return matches
    folded_text = folded_by(fold, text)
    return [folded_text.span(*span) for span in matches]


def pattern_of_phrase(phrase: str) -> regex.Pattern[str]:
    """Return the pattern of a phrase in a text folded by `alike`, without regard to case."""
    words = (re.sub(r"(?:\\-)+", "-+", regex.escape(word)) for word in alike(phrase).split())
    return regex.compile(r"\s+".join(words), _FLAGS)


def _compiled(phrase: str, *, is_pattern: bool) -> regex.Pattern[str]:
    if len(phrase) > _LONGEST:
        raise UsageError(f"A phrase has at most {_LONGEST:,} characters.")
    pattern = pattern_of_phrase(phrase)
    if not pattern.pattern:
        raise UsageError("There is nothing to find: give a phrase.")
    if not is_pattern:
        return pattern
    if prod(map(int, _REPEATED.findall(phrase))) > _MOST_REPEATED or _RECURSION.search(phrase):
        raise UsageError(f"{phrase!r} repeats too much: make it simpler.")
    try:
        return regex.compile(phrase, _FLAGS)
    except (regex.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{phrase!r} is not a regular expression: {error}.") from error


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
