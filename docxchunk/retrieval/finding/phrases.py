"""Find a phrase or a regular expression in texts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from math import prod
from time import monotonic
from typing import TYPE_CHECKING, Final, Literal, get_args

from docxchunk.errors import UsageError
from docxchunk.language.folding import alike, folded_by, typed
from docxchunk.language.patterns import pattern
from docxchunk.language.scripts import SOUTH_EAST_ASIAN, UNSPACED
from docxchunk.model.fields import check_word
from docxchunk.retrieval.finding.places import Places
from docxchunk.retrieval.finding.running import Occurrence, Span

if TYPE_CHECKING:
    import regex  # slow to import; tiktoken needs it, too

_SECONDS: Final = 2.0  # the time that a regular expression may take in one document
_LONGEST: Final = 1000  # characters of a phrase or pattern
_REPEATED: Final = pattern(r"\{0*([1-9]\d*)")  # the library writes out what is repeated
_MOST_REPEATED: Final = 10_000
_SPACED: Final = rf"[^\W_{UNSPACED}{SOUTH_EAST_ASIAN}]"
_EDGE: Final = rf"(?:(?<!{_SPACED})|(?!{_SPACED}))"
_RECURSION: Final = pattern(r"\(\?(?:R|[+-]?\d|&|P>)")


Match = Literal["words", "parts", "regex"]
"""What a phrase is: whole words, which may also be parts of words ("cure" in "procure"), or a
regular expression. Text without spaces between words, such as Chinese, has a phrase anywhere.
"""


def occurrences(places: Places, phrase: str, match: Match) -> list[Occurrence]:
    """Return the places that have a phrase or regular expression, entries of tables of contents
    after all others. Marks of notes and line breaks may be inside.

    Raise UsageError for a pattern that is not valid, or that takes too long.
    """
    running = places.running
    texts = [*(place.text for place in places.all), *(text.text for text in running)]
    spans_of_texts = spans(texts, phrase, match)
    lines = spans_of_texts[: len(places.all)]
    hits = {at: Occurrence(at, len(ranges), ranges[0]) for at, ranges in enumerate(lines) if ranges}
    for text, ranges in zip(running, spans_of_texts[len(places.all) :], strict=True):
        for span in ranges:
            if at := text.across(*span):
                known = hits.get(at.place)
                hits[at.place] = known._replace(times=known.times + 1) if known else at
    return sorted(hits.values(), key=lambda hit: (places.is_entry(hit.place), hit.place))


def spans(texts: Iterable[str], phrase: str, match: Match) -> list[list[Span]]:
    """Return where each text has a phrase or regular expression. Raise UsageError as
    `occurrences`.
    """
    pattern = _compiled(phrase, match)
    if match != "regex":  # a phrase takes no longer than its text is long
        return [spans_of_phrase(pattern, text) for text in texts]
    end = monotonic() + _SECONDS
    try:
        return [_spans_of_pattern(pattern, text, max(end - monotonic(), 0.001)) for text in texts]
    except (TimeoutError, MemoryError):
        raise UsageError(f"{phrase!r} takes too long to search: make it simpler.") from None


class FoldedTexts:
    """Texts, folded by `alike` once, so that any number of phrases can be looked for in them."""

    _BETWEEN: Final = "\0"  # in no text of a document, and no white space

    def __init__(self, texts: Iterable[str]) -> None:
        folded = list(map(alike, texts))
        self._joined = self._BETWEEN.join(folded)
        self._starts = list(accumulate((len(text) + 1 for text in folded), initial=0))

    def having(self, pattern: regex.Pattern[str]) -> list[int]:
        """Return the indexes of the texts that have a phrase."""
        indexes: list[int] = []
        at = 0
        while (match := pattern.search(self._joined, at)) and match[0]:
            indexes.append(bisect_right(self._starts, match.start()) - 1)
            at = self._starts[indexes[-1] + 1]
        return indexes


def spans_of_phrase(pattern: regex.Pattern[str], text: str) -> list[Span]:
    """Return where a text has a phrase, whatever its signs and accents."""
    return _spans(pattern, text, alike)


def _spans_of_pattern(pattern: regex.Pattern[str], text: str, seconds: float) -> list[Span]:
    """Return where a regular expression matches a text as it is or, if it does not, as it is typed:
    "'" matches "’", too.
    """
    return _spans(pattern, text, str, seconds) or _spans(pattern, text, typed, seconds)


def _spans(
    pattern: regex.Pattern[str],
    text: str,
    fold: Callable[[str], str],
    seconds: float | None = None,
) -> list[Span]:
    """Return where a pattern matches a folded text, as ranges of the text."""
    matches = [match.span() for match in pattern.finditer(fold(text), timeout=seconds) if match[0]]
    if fold is str or not matches or text.isascii():
        return matches
    folded_text = folded_by(fold, text)
    return [folded_text.span(*span) for span in matches]


def pattern_of_phrase(phrase: str) -> regex.Pattern[str]:
    """Return the pattern of a phrase in a text folded by `alike`, without regard to case."""
    import regex

    words = (re.sub(r"(?:\\-)+", "-+", regex.escape(word)) for word in alike(phrase).split())
    return regex.compile(r"\s+".join(words), regex.IGNORECASE | regex.FULLCASE)


def _compiled(phrase: str, match: Match) -> regex.Pattern[str]:
    import regex

    check_word("match", match, get_args(Match))
    if len(phrase) > _LONGEST:
        raise UsageError(f"A phrase has at most {_LONGEST:,} characters.")
    pattern = pattern_of_phrase(phrase)
    if not pattern.pattern:
        raise UsageError("There is nothing to find: give a phrase.")
    if match == "parts":
        return pattern
    if match == "words":
        return regex.compile(f"{_EDGE}{pattern.pattern}{_EDGE}", pattern.flags)
    if prod(map(int, _REPEATED.findall(phrase))) > _MOST_REPEATED or _RECURSION.search(phrase):
        raise UsageError(f"{phrase!r} repeats too much: make it simpler.")
    try:
        return regex.compile(phrase, pattern.flags)
    except (regex.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{phrase!r} is not a regular expression: {error}.") from error
