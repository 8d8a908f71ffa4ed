"""Check a quotation against a document, without a model: whether its words stand there, and where.

Only words count: case, punctuation, kinds of quotation marks and white space do not.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

from docxchunk.errors import UsageError
from docxchunk.retrieval.reading import Passage, Reader

FEWEST_WORDS: Final = 3
_FEWEST_CHARACTERS: Final = 12
_SHORTEST_PIECE: Final = 4  # words of a piece of a stitched quotation
_ALIKE: Final = (
    0.6  # the least share of words that an altered quotation has in common with the text
)
_CANDIDATES: Final = 40  # places that are compared with an altered quotation
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|\w+")


class Verdict(StrEnum):
    """What a quotation is."""

    FOUND = "found"  # word for word
    STITCHED = "stitched"  # pieces of the document that do not follow one another there
    ALTERED = "altered"  # like a passage of the document, with other words
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class Quotation:
    """The result of checking a quotation.

    - `verdict`: found, stitched, altered or not found.
    - `passages`: all places that have the words, at the level of the clause; of an altered
      quotation, the nearest one.
    - `difference`: of an altered quotation, its words against those of the document:
      "[-six-] {+eight+}" where the document has eight.
    - `fingerprint`: the SHA-256 of the file that was checked.
    """

    verdict: Verdict
    passages: tuple[Passage, ...]
    difference: str
    fingerprint: str


class _Word(NamedTuple):
    text: str
    shown: str
    place: int  # index of `Reader.places`


class QuotationChecker:
    """Checks quotations of one document."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @cached_property
    def _words(self) -> list[_Word]:
        return [
            _Word(match[0].casefold(), match[0], index)
            for index, place in enumerate(self._reader.places)
            for match in _WORD.finditer(place.text)
        ]

    @cached_property
    def _joined(self) -> tuple[str, list[int]]:
        """The words with a blank around each, and the offset of each."""
        offsets: list[int] = []
        at = 0
        for word in self._words:
            offsets.append(at)
            at += len(word.text) + 1
        return f" {' '.join(word.text for word in self._words)} ", offsets

    @cached_property
    def _places_of_words(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for number, word in enumerate(self._words):
            places.setdefault(word.text, []).append(number)
        return places

    def check(self, quote: str) -> Quotation:
        """Return what a quotation is, and where it stands. Raise UsageError if it is too short to
        tell.
        """
        quoted = [match[0] for match in _WORD.finditer(quote)]
        words = [word.casefold() for word in quoted]
        if len(words) < FEWEST_WORDS or sum(map(len, words)) < min(
            _FEWEST_CHARACTERS, 3 * len(words)
        ):
            raise UsageError(
                f"{quote!r} is too short to be a quotation: give {FEWEST_WORDS} words or more."
            )
        if starts := self._occurrences(words):
            return self._result(Verdict.FOUND, [(start, len(words)) for start in starts])
        if pieces := self._pieces(words):
            return self._result(Verdict.STITCHED, pieces)
        nearest = self._nearest(words)
        if nearest is None:
            return self._result(Verdict.NOT_FOUND, [])
        start, end = nearest
        shown = [word.shown for word in self._words[start:end]]
        return self._result(Verdict.ALTERED, [(start, end - start)], _difference(quoted, shown))

    def _result(
        self, verdict: Verdict, ranges: list[tuple[int, int]], difference: str = ""
    ) -> Quotation:
        passages: dict[tuple[int, int], Passage] = {}
        for start, length in ranges:
            first, last = self._words[start].place, self._words[start + length - 1].place
            passages.setdefault((first, last), self._reader.passage(first, last))
        return Quotation(
            verdict, tuple(passages.values()), difference, self._reader.document.source_sha256
        )

    def _occurrences(self, words: list[str]) -> list[int]:
        """Return the numbers of the words of the document at which some words begin."""
        text, offsets = self._joined
        wanted = f" {' '.join(words)} "
        starts: list[int] = []
        at = text.find(wanted)
        while at >= 0:
            starts.append(bisect_right(offsets, at) - 1)
            at = text.find(wanted, at + 1)
        return starts

    def _pieces(self, words: list[str]) -> list[tuple[int, int]]:
        """Return the pieces of a stitched quotation, the longest first part that occurs, then the
        next; [] if a piece is short or does not occur.
        """
        pieces: list[tuple[int, int]] = []
        at = 0
        while at < len(words):
            low, high = 0, len(words) - at
            while low < high:  # a prefix of what occurs occurs
                middle = (low + high + 1) // 2
                if self._occurrences(words[at : at + middle]):
                    low = middle
                else:
                    high = middle - 1
            if low < _SHORTEST_PIECE:
                return []
            pieces.append((self._occurrences(words[at : at + low])[0], low))
            at += low
        return pieces

    def _nearest(self, words: list[str]) -> tuple[int, int] | None:
        """Return the range of words of the document that is most like a quotation; None if none
        has enough of its words in their order.
        """
        known = [word for word in dict.fromkeys(words) if word in self._places_of_words]
        known.sort(key=lambda word: len(self._places_of_words[word]))
        starts: dict[int, int] = {}
        for word in known[:6]:  # the rarest words
            positions = [number for number, other in enumerate(words) if other == word]
            for place in self._places_of_words[word][:200]:
                for position in positions[:2]:
                    start = max(place - position, 0)
                    bucket = start // max(len(words) // 2, 1)
                    starts[bucket] = starts.get(bucket, 0) + 1
        width = max(len(words) // 2, 1)
        best: tuple[float, tuple[int, int]] = (0.0, (0, 0))
        for bucket in sorted(starts, key=lambda bucket: -starts[bucket])[:_CANDIDATES]:
            first = max(bucket * width - width, 0)
            window = [word.text for word in self._words[first : first + 3 * width + len(words)]]
            blocks = [
                block
                for block in SequenceMatcher(
                    None, words, window, autojunk=False
                ).get_matching_blocks()
                if block.size
            ]
            share = sum(block.size for block in blocks) / len(words)
            if blocks and share > best[0]:
                before, last = blocks[0], blocks[-1]
                after = len(words) - last.a - last.size  # words at the end that differ
                best = (
                    share,
                    (
                        max(first + before.b - before.a, 0),
                        min(first + last.b + last.size + after, len(self._words)),
                    ),
                )
        return best[1] if best[0] >= _ALIKE else None


def _difference(quoted: list[str], shown: list[str]) -> str:
    """Return both texts in one, [-words that only the quotation has-] and {+words that only the
    document has+}.
    """
    matcher = SequenceMatcher(
        None, [word.casefold() for word in quoted], [word.casefold() for word in shown], False
    )
    pieces: list[str] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(" ".join(shown[c:d]))
            continue
        if b > a:
            pieces.append(f"[-{' '.join(quoted[a:b])}-]")
        if d > c:
            pieces.append(f"{{+{' '.join(shown[c:d])}+}}")
    return " ".join(pieces)
