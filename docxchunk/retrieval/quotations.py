"""Check a quotation against a document, without a model: whether its words stand there, and where.

Words, numbers, and signs such as % and $ count: case, punctuation, kinds of quotation marks, white
space, tags as Markdown writes them, and deleted words between marks of tracked changes do not.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from difflib import Match, SequenceMatcher
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from docxchunk.errors import UsageError
from docxchunk.markup.citations import Citation, read_citation
from docxchunk.markup.tags import INLINE_TAG
from docxchunk.model.options import TrackChanges
from docxchunk.model.wording import shortened
from docxchunk.retrieval.reading import Passage, Reader

FEWEST_WORDS: Final = 3
_FEWEST_CHARACTERS: Final = 12  # a Chinese one counts as two
_MOST_WORDS: Final = 1000
_SHORTEST_PIECE: Final = 4  # words of a piece of a stitched quotation
_ALIKE: Final = 0.6  # the least share of words that an altered quotation has of the text
_MOSTLY_ALIKE: Final = 0.75  # the same, if its pieces stand in several places
_FAR: Final = 3  # words that the quotation does not have, between one of its words and the others
_MOST_PIECES: Final = 5  # whose lines are compared with it
_CANDIDATES: Final = 40  # places that are compared with an altered quotation of up to
_WORDS: Final = 100  # words; fewer with a longer one
_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
    r"|(?:(?<![^\s(])-)?\d+(?:[.,]\d+)*"  # 1,200.50, -5
    r"|[^\W\d]\w*(?:'\w+)*|[%‰£€¥₩₹°±×÷<>≤≥=≠+]|\$(?=\s?\d)"
)
_DELETION: Final = re.compile(r"\{--(?:(?!\{--|--\})[^\n])*--\}")
_INSERTION_MARK: Final = re.compile(r"\{\+\+|\+\+\}")
_WIDE_BLANK: Final = re.compile(r"(?<=[\u2e80-\u9fff]) (?=[\u2e80-\u9fff])")
_NO_SPACE: Final = re.compile(rf"{INLINE_TAG}|\[\^[^\[\]\s]+\](?:\(note\))?", re.IGNORECASE)
_SPACE: Final = re.compile(
    r"<br\s*/?>|\(\d[\d,]* more tokens: start=\d+\)\s*$|^\s*>\s", re.IGNORECASE | re.MULTILINE
)
_BRACKETED: Final = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]")
_LAST_BRACKETED: Final = re.compile(rf"{_BRACKETED.pattern}$")
_LONGEST_CITATION: Final = 500  # characters
_ALIKE_SIGNS: Final = str.maketrans("−’‘ʼ", "-'''", "\u00ad\u200b\u200c\u200d\u2060\ufeff")


class Verdict(StrEnum):
    """What a quotation is."""

    FOUND = "found"  # word for word, and at the place cited if there is a citation
    MOVED = "moved"  # word for word, but not at the place cited
    ELSEWHERE = "found elsewhere"  # word for word, in another document
    STITCHED = "stitched"  # pieces of the document that do not follow one another there
    ALTERED = "altered"  # like a passage of the document, with other words
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class Quotation:
    """The result of checking a quotation.

    - `verdict`: found, moved, found elsewhere, stitched, altered or not found.
    - `passages`: the clauses that have the words. For an altered quotation, the clause that is most
      similar.
    - `difference`: for an altered quotation, the words that differ: "[-six-] {+eight+}" means that
      the document has eight.
    - `fingerprint`: the SHA-256 of the file that was checked, or of the file that has the
      quotation.
    - `cited`: whether a citation was given.
    - `edited`: whether the file has changed since the citation was made; None if the citation does
      not tell.
    """

    verdict: Verdict
    passages: tuple[Passage, ...]
    difference: str
    fingerprint: str
    cited: bool = False
    edited: bool | None = None


class _Word(NamedTuple):
    text: str
    shown: str
    place: int  # index of `Reader.places.all`


class QuotationChecker:
    """Checks quotations of one document."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @cached_property
    def _words(self) -> list[_Word]:
        return [
            _Word(word.casefold(), word, index)
            for index, place in enumerate(self._reader.places.all)
            for word in self._words_in(place.text)
        ]

    def _words_in(self, text: str) -> list[str]:
        """Return the words that count. Deleted ones do not, where tracked changes are marked."""
        options = self._reader.document.options
        if options is not None and options.track_changes is TrackChanges.ALL:
            text = _INSERTION_MARK.sub("", _DELETION.sub("", text))
        return _words_of(text)

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

    def check(self, quote: str, elsewhere: Iterable[Reader] = ()) -> Quotation:
        """Return what a quotation is, and where it stands: see `Reader.check`."""
        text, citation = _divided(quote, self._reader.document.name)
        quoted = self._words_in(text)
        words = [word.casefold() for word in quoted]
        size = sum(len(word) + (word >= "\u2e80") for word in words)
        if len(words) < FEWEST_WORDS or size < min(_FEWEST_CHARACTERS, 3 * len(words)):
            raise UsageError(
                f"{shortened(quote, 100)!r} is too short to be a quotation: give more of the "
                "sentence."
            )
        if len(words) > _MOST_WORDS:
            raise UsageError(f"A quotation has at most {_MOST_WORDS:,} words: check it in parts.")
        cited, edited = self._cited(citation) if citation else (set[int](), None)
        verdict, ranges, difference = self._judged(quoted, words, cited)
        if citation and verdict is Verdict.FOUND:
            ranges.sort(key=lambda found: not cited.issuperset(self._span(found)))
            if not cited.issuperset(self._span(ranges[0])):
                verdict = Verdict.MOVED
        result = self._result(verdict, ranges, difference)
        if verdict not in (Verdict.FOUND, Verdict.MOVED):
            others = (reader.quotations.found(words) for reader in elsewhere)
            result = next(filter(None, others), result)
        return replace(result, cited=citation is not None, edited=edited)

    def found(self, words: list[str]) -> Quotation | None:
        """Return where words that another document does not have stand in this one; None if they
        do not.
        """
        starts = self._occurrences(words)
        ranges = [(start, len(words)) for start in starts]
        return self._result(Verdict.ELSEWHERE, ranges) if ranges else None

    def _judged(
        self, quoted: list[str], words: list[str], cited: AbstractSet[int]
    ) -> tuple[Verdict, list[tuple[int, int]], str]:
        """Return what a quotation is, the number and length of its words in the document, and its
        difference. An altered one is like a place that was cited rather than another one.
        """
        if starts := self._occurrences(words):
            return Verdict.FOUND, [(start, len(words)) for start in starts], ""
        pieces = self._pieces(words)
        nearest = (
            self._together(pieces, len(words)) or self._around_a_piece(pieces, words, cited)
            if pieces
            else self._nearest(words, cited)
        )
        if nearest is None:
            return (Verdict.STITCHED if pieces else Verdict.NOT_FOUND), pieces, ""
        start, end = nearest
        shown = [word.shown for word in self._words[start:end]]
        return Verdict.ALTERED, [(start, end - start)], _difference(quoted, shown)

    def _cited(self, citation: Citation) -> tuple[set[int], bool | None]:
        """Return the places that a citation names, and whether the file is another than the cited
        one, None if it does not tell. In a file that may be another one, the section counts: the
        numbers of paragraphs change with each edit above.
        """
        places, fingerprint = self._reader.places, self._reader.document.source_sha256
        edited = None
        if citation.fingerprint and fingerprint:
            edited = not fingerprint.startswith(citation.fingerprint)
        if citation.path and edited is not False:
            return set(places.in_path(citation.path)), edited
        return set(places.cited(citation.path, citation.paragraphs)), edited

    def _span(self, found: tuple[int, int]) -> tuple[int, int]:
        """Return the first and last place of some words."""
        start, length = found
        return self._words[start].place, self._words[start + length - 1].place

    def _result(
        self, verdict: Verdict, ranges: list[tuple[int, int]], difference: str = ""
    ) -> Quotation:
        passages = {span: self._reader.passage(*span) for span in map(self._span, ranges)}
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
                if f" {' '.join(words[at : at + middle])} " in self._joined[0]:
                    low = middle
                else:
                    high = middle - 1
            if low < _SHORTEST_PIECE:
                return []
            starts = self._occurrences(words[at : at + low])
            after = sum(pieces[-1]) if pieces else 0
            pieces.append((next((start for start in starts if start >= after), starts[0]), low))
            at += low
        return pieces

    def _together(self, pieces: list[tuple[int, int]], length: int) -> tuple[int, int] | None:
        """Return the range of words from the first to the last piece if they follow one another in
        one line with few words between them; None if they do not.
        """
        ends = [start + size for start, size in pieces]
        gaps = [start - end for end, (start, _) in zip(ends, pieces[1:], strict=False)]
        if not pieces or min(gaps, default=0) < 0 or sum(gaps) > length * (1 - _ALIKE):
            return None
        start, end = pieces[0][0], ends[-1]
        return (start, end) if self._is_in_one_line(start, end) else None

    def _is_in_one_line(self, start: int, end: int) -> bool:
        return self._words[start].place == self._words[end - 1].place

    def _around_a_piece(
        self, pieces: list[tuple[int, int]], words: list[str], cited: AbstractSet[int]
    ) -> tuple[int, int] | None:
        """Return the range around one of the pieces, in one line, that has most of the words in
        their order; None if none has. Its words may be altered into those of another line: "thirty
        days" for "sixty days".
        """
        likeness: dict[tuple[int, int], float] = {}
        offsets = accumulate((size for _, size in pieces), initial=0)  # in the quotation
        placed = zip(pieces, offsets, strict=False)
        for (start, _), at in sorted(placed, key=lambda each: -each[0][1])[:_MOST_PIECES]:
            first = max(start - at, 0)
            passage = [word.text for word in self._words[first : first + len(words)]]
            if self._is_in_one_line(first, first + len(passage)):
                blocks = SequenceMatcher(None, words, passage, autojunk=False).get_matching_blocks()
                share = sum(block.size for block in blocks) / len(words)
                likeness[first, first + len(passage)] = share
        return self._most_alike(likeness, _MOSTLY_ALIKE, cited)

    def _most_alike(
        self, likeness: dict[tuple[int, int], float], least: float, cited: AbstractSet[int]
    ) -> tuple[int, int] | None:
        """Return the range of words that is most like a quotation, of those in a cited place if
        there is one; None if none is as like as `least`.
        """
        alike = [words for words, share in likeness.items() if share >= least]
        return max(
            alike,
            key=lambda words: (self._words[words[0]].place in cited, likeness[words]),
            default=None,
        )

    def _nearest(self, words: list[str], cited: AbstractSet[int]) -> tuple[int, int] | None:
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
        most = max(_CANDIDATES * _WORDS // max(len(words), _WORDS), 3)
        likeness: dict[tuple[int, int], float] = {}
        for bucket in sorted(starts, key=lambda bucket: -starts[bucket])[:most]:
            first = max(bucket * width - width, 0)
            window = [word.text for word in self._words[first : first + 3 * width + len(words)]]
            matcher = SequenceMatcher(None, words, window, autojunk=False)
            blocks = _without_stray_ends(matcher.get_matching_blocks()[:-1])
            share = sum(block.size for block in blocks) / len(words)
            if blocks:
                before, last = blocks[0], blocks[-1]
                after = len(words) - last.a - last.size  # words at the end that differ
                start = max(first + before.b - before.a, 0)
                end = min(first + last.b + last.size + after, len(self._words))
                likeness.setdefault((start, end), share)
        return self._most_alike(likeness, _ALIKE, cited)


def _without_stray_ends(blocks: list[Match]) -> list[Match]:
    """Return the blocks that match without single words at the ends that are far from the others:
    in the text, they are other words than those of the quotation.
    """

    def is_stray(end: Match, before: Match, after: Match) -> bool:
        return end.size == 1 and (after.b - before.b) - (after.a - before.a) > _FAR

    while len(blocks) > 1 and is_stray(blocks[-1], *blocks[-2:]):
        blocks = blocks[:-1]
    while len(blocks) > 1 and is_stray(blocks[0], *blocks[:2]):
        blocks = blocks[1:]
    return blocks


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
            pieces.append(_joined(shown[c:d]))
            continue
        if b > a:
            pieces.append(f"[-{_joined(quoted[a:b])}-]")
        if d > c:
            pieces.append(f"{{+{_joined(shown[c:d])}+}}")
    return " ".join(pieces)


def _joined(words: Iterable[str]) -> str:
    """Return words with blanks between them, but not between Chinese characters."""
    return _WIDE_BLANK.sub("", " ".join(words))


def _words_of(text: str) -> list[str]:
    """Return the words that count."""
    text = unicodedata.normalize("NFKC", _SPACE.sub(" ", _NO_SPACE.sub("", text)))
    return _WORD.findall(text.translate(_ALIKE_SIGNS))


def _divided(quote: str, source: str) -> tuple[str, Citation | None]:
    """Return a quotation without the citation in brackets before or after it, and the citation,
    None without one.
    """
    text = quote.strip()
    for bracketed in (_BRACKETED.match(text), _LAST_BRACKETED.search(text[-_LONGEST_CITATION:])):
        citation = read_citation(bracketed[1], source) if bracketed else None
        if bracketed and citation:
            return text.removeprefix(bracketed[0]).removesuffix(bracketed[0]), citation
    return text, None
