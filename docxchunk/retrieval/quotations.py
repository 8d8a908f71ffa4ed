"""Check quotations of a document, without a model: whether the document has their words, and
where.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from docxchunk.errors import UsageError
from docxchunk.markup.citations import Citation
from docxchunk.model.document import Dropped
from docxchunk.model.objects import Change, Comment
from docxchunk.model.options import TrackChanges
from docxchunk.model.wording import shortened
from docxchunk.retrieval.passages import Passage
from docxchunk.retrieval.quoted_words import (
    DocumentWords,
    Labelled,
    before_changes,
    difference,
    divided,
    folded,
    is_label_word,
    is_short,
    labelled,
    left_out_between,
    parts_of,
    words_of,
)

if TYPE_CHECKING:
    from docxchunk.retrieval.reading import Reader

_MOST_WORDS: Final = 1000
_LONGEST: Final = 20_000  # characters: of more than the most words, or of nothing but signs
_TOO_LONG: Final = (
    f"A quotation has at most {_MOST_WORDS:,} words and {_LONGEST:,} characters: check it in parts."
)
_BESIDE: Final = 6  # words beside a quotation that may be the number of a clause
_RIGHT_AFTER: Final = 2  # words after a quotation: "(see clause 4.1)"
_NEAR: Final = 100  # words that an ellipsis may stand for where a section ends


class Verdict(StrEnum):
    """The result of checking a quotation."""

    FOUND = "found"  # word for word, and at the place cited if there is a citation
    ABRIDGED = "abridged"  # its parts, word for word and in order; an ellipsis stands for the rest
    MOVED = "moved"  # word for word, but not at the place cited
    ELSEWHERE = "found elsewhere"  # word for word, in another document
    STITCHED = "stitched"  # pieces of the document that do not follow one another there
    ALTERED = "altered"  # like a passage of the document, with other words
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class Quotation:
    """The result of checking a quotation, with the places.

    - `verdict`: found, abridged, moved, found elsewhere, stitched, altered or not found.
    - `passages`: the clauses that have the words. For an altered quotation, the clause that is most
      similar; for one in parts, the clauses of its parts.
    - `difference`: for an altered quotation, the words that differ: "[-six-] {+eight+}" means that
      the document has eight.
    - `fingerprint`: the SHA-256 of the file that was checked, or of the file that has the
      quotation.
    - `cited`: whether a citation was given.
    - `edited`: whether the file has changed since the citation was made; None if the citation does
      not tell.
    - `left_out`: for a quotation with an ellipsis, the number of words of the document between its
      parts; 0 for others.
    - `hint`: if the words are not found, a sentence about deleted or hidden text, or about a part
      that is too short or unlike any passage. If they are found, a sentence about a label that
      names several places. "" if there is nothing to say.
    """

    verdict: Verdict
    passages: tuple[Passage, ...]
    difference: str
    fingerprint: str
    cited: bool = False
    edited: bool | None = None
    left_out: int = 0
    hint: str = ""

    @property
    def is_found(self) -> bool:
        """Whether the document has all words of the quotation, one after the other. At an ellipsis,
        words may be left out.
        """
        return self.verdict in _WORD_FOR_WORD


_BEFORE_CHANGES: Final = "The words are in the text before the tracked changes: some are deleted"
_SEVERAL: Final = "{!r} is the name of several places of the document."
_ONLY_THERE: Final = "Without the label, the quotation is short: it was looked for only in {!r}."
_NOWHERE: Final = (
    "{!r} names no place, and without it, the quotation is too short to be looked for."
)
_WORD_FOR_WORD: Final = (Verdict.FOUND, Verdict.ABRIDGED, Verdict.MOVED, Verdict.ELSEWHERE)


_Judged = tuple[Verdict, list[range], str]  # with the words in the document and the difference


class QuotationChecker:
    """Checks quotations of one document."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @cached_property
    def _words(self) -> DocumentWords:
        return DocumentWords(self._reader.places, marks_changes=self._marks_changes)

    @property
    def _marks_changes(self) -> bool:
        options = self._reader.document.options
        return options is not None and options.track_changes is TrackChanges.ALL

    def check(self, quote: str, elsewhere: Iterable[Reader] = ()) -> Quotation:
        """Return the result of checking a quotation: see `Reader.check`."""
        if len(quote) > _LONGEST:
            raise UsageError(_TOO_LONG)
        text, citation = divided(quote, self._reader.document.name)
        words = folded(self._words.of(text))
        if is_short(words):
            raise UsageError(
                f"{shortened(quote, 100)!r} is too short to be a quotation: give more of the "
                "sentence."
            )
        if len(words) > _MOST_WORDS:
            raise UsageError(_TOO_LONG)
        cited, edited = self._cited(citation) if citation else (set[int](), None)
        verdict, ranges, difference = self._judged(text, cited)
        is_unsure = citation is None and verdict not in _WORD_FOR_WORD
        label = labelled(text) if is_unsure else None
        named = set(self._reader.places.in_path(label.name)) if label else set[int]()
        if label and (judged := self._below_label(label, named)):
            verdict, ranges, difference = judged
            if not label.may_be_source or any(self._is_in(named, words) for words in ranges):
                citation, cited = Citation(label.name, (), ""), named
        left_out = left_out_between(ranges) if verdict is Verdict.ABRIDGED else 0
        if citation:
            verdict, ranges = self._compared_with_citation(verdict, ranges, cited)
        result = self._result(verdict, ranges, difference, left_out)
        if not result.is_found:
            parts = self._parts(text)
            others = (reader.quotations.elsewhere(words, parts) for reader in elsewhere)
            hint = self._hint_on_label(label, named) if label else ""
            hint = hint or self._hint(text, verdict)
            result = next(filter(None, others), replace(result, hint=hint))
        elif label and len(self._reader.places.chosen(label.name)) > 1:
            result = replace(result, hint=_SEVERAL.format(shortened(label.name, 100)))
        return replace(result, cited=citation is not None, edited=edited)

    def _compared_with_citation(
        self, verdict: Verdict, ranges: list[range], cited: set[int]
    ) -> tuple[Verdict, list[range]]:
        """Return the verdict on a quotation with a citation, and its words in the document. A
        quotation has moved if it does not occur in the cited places. A quotation in parts has moved
        if a part is outside of them.
        """

        def is_cited(words: range) -> bool:
            return self._is_in(cited, words)

        if verdict is Verdict.FOUND:
            in_order = sorted(ranges, key=lambda words: not is_cited(words))
            return (verdict if is_cited(in_order[0]) else Verdict.MOVED), in_order
        if verdict is Verdict.ABRIDGED and not all(map(is_cited, ranges)):
            return Verdict.MOVED, ranges
        return verdict, ranges

    def elsewhere(self, words: list[str], parts: list[list[str]]) -> Quotation | None:
        """Return where this document has the words, which another document lacks, in one part or in
        several. Return None if this document lacks them, too.
        """
        if ranges := self._words.occurrences(words):
            return self._result(Verdict.ELSEWHERE, ranges)
        ranges = self._in_order(parts, set())
        return (
            self._result(Verdict.ELSEWHERE, ranges, "", left_out_between(ranges))
            if ranges
            else None
        )

    def _quoted_parts(self, text: str) -> list[list[str]]:
        """Return the words of the parts between ellipses."""
        return list(filter(None, map(self._words.of, parts_of(text))))

    def _parts(self, text: str) -> list[list[str]]:
        """Return the words of the parts between ellipses, normalized. Return [] if there is no
        ellipsis, or a part is too short to find it.
        """
        parts = list(map(folded, self._quoted_parts(text)))
        return [] if len(parts) < 2 or any(map(is_short, parts)) else parts

    def _judged(self, text: str, cited: set[int]) -> _Judged:
        """Return the verdict on a quotation, its words in the document, and the difference. The
        words of an altered quotation are looked for in the cited places first.
        """
        quoted, parts = self._words.of(text), self._parts(text)
        words = folded(quoted)
        if ranges := self._words.occurrences(words):
            return Verdict.FOUND, ranges, ""
        if ranges := self._in_order(parts, cited):
            return Verdict.ABRIDGED, ranges, ""
        each = self._each(parts, cited)
        if not all(map(self._is_of, parts, each)):
            pairs = zip(self._quoted_parts(text), map(self._words.shown, each), strict=True)
            return Verdict.ALTERED, each, " … ".join(difference(*pair) for pair in pairs)
        nearest, pieces = self._words.like(words, cited)
        if nearest is None:
            stitched = pieces or each
            return (Verdict.STITCHED if stitched else Verdict.NOT_FOUND), stitched, ""
        return Verdict.ALTERED, [nearest], difference(quoted, self._words.shown(nearest))

    def _below_label(self, label: Labelled, named: set[int]) -> _Judged | None:
        """Return the verdict on a quotation without its label, which names some places. Return None
        if the label may be changed words of the quotation: "Section 8.3 survives" for "Section 8.2
        survives".
        """
        words = folded(self._words.of(label.text))
        if is_short(words):
            return self._short(label, words, named)
        verdict, ranges, difference = self._judged(label.text, named)
        if verdict is Verdict.FOUND:
            ranges = [words for words in ranges if self._is_apart(label, words, named)]
        elif ranges and not self._is_apart(label, ranges[0 if label.is_first else -1], named):
            ranges = []
        return (verdict, ranges, difference) if ranges else None

    def _short(self, label: Labelled, words: list[str], named: set[int]) -> _Judged | None:
        """Return the verdict on a quotation that is short without its label: it is looked for only
        in the places that the label names.
        """
        ranges = [
            each
            for each in (self._words.occurrences(words) if words else [])
            if self._is_in(named, each) and self._is_apart(label, each, named)
        ]
        if ranges:
            return Verdict.FOUND, ranges, ""
        return (Verdict.NOT_FOUND, [], "") if label.is_apart else None

    def _is_in(self, places: set[int], words: range) -> bool:
        """Return whether some words of the document are in some of its places."""
        return places.issuperset(self._words.span(words))

    def _is_apart(self, label: Labelled, words: range, named: set[int]) -> bool:
        """Return whether a label stands apart from the sentence with these words. It does if the
        words begin a place, or if no number of a clause is beside them in the document. Where the
        label names the place of the words, only a number right after them counts. A label that may
        be a source is changed words of the sentence if any number is next to the words.
        """
        first, last = self._words.span(words)
        place = self._reader.places.all[first if label.is_first else last]
        is_named = self._is_in(named, words)
        if label.is_first:
            start = self._words.line_of(words.start).start
            before = self._words.at(range(start, words.start))
            beside = [word.text for word in before if not word.is_label]
            if not beside:
                return True
            beside, nearest = beside[-_BESIDE:], beside[-1]
        else:
            size = _RIGHT_AFTER if is_named else _BESIDE
            after = self._words.at(range(words.stop, words.stop + size))
            beside = [word.text for word in after if word.place == last]
            nearest = beside[0] if beside else ""
        if label.may_be_source and nearest[:1].isdecimal():
            return False
        has_sign = "§" in place.text and (
            not is_named or any(word[0].isdecimal() for word in beside)
        )
        return label.is_apart and not any(map(is_label_word, beside)) and not has_sign

    def _each(self, parts: list[list[str]], cited: set[int]) -> list[range]:
        """Return, for each part of a quotation, the most similar words of the document; [] if there
        are none for one of the parts. An altered part is looked for near the parts that are found.
        """
        occurrences = [
            next(
                iter(sorted(ranges, key=lambda words: self._words.span(words)[0] not in cited)),
                None,
            )
            for ranges in map(self._words.occurrences, parts)
        ]
        places = self._reader.places
        blocks = {places.all[self._words.span(words)[0]].block for words in occurrences if words}
        near = cited or {index for block in blocks for index in places.of_blocks(block, block + 1)}
        each = [
            words or self._words.like(part, near)[0]
            for part, words in zip(parts, occurrences, strict=True)
        ]
        return [words for words in each if words] if all(each) else []

    def _is_of(self, part: list[str], words: range) -> bool:
        return words in self._words.occurrences(part)

    def _in_order(self, parts: list[list[str]], cited: set[int]) -> list[range]:
        """Return the places of the parts of an abridged quotation. Each part comes after the one
        before it, in its section or near it. Cited places are preferred, then those with the fewest
        words between the parts. Return [] if there are none.
        """
        first, *others = [self._words.occurrences(part) for part in parts] or [[]]
        chains: list[list[range]] = []
        for start in first:
            chain = [start]
            for each in others:
                number = bisect_left(each, chain[-1].stop, key=attrgetter("start"))
                if number == len(each) or not self._are_near(chain[-1], each[number]):
                    break
                chain.append(each[number])
            else:
                chains.append(chain)
        return min(
            chains,
            key=lambda chain: (
                sum(not cited.issuperset(self._words.span(each)) for each in chain),
                left_out_between(chain),
            ),
            default=[],
        )

    def _are_near(self, before: range, after: range) -> bool:
        all_places = self._reader.places.all
        last_place, first_place = self._words.span(before)[1], self._words.span(after)[0]
        same_section = all_places[last_place].block == all_places[first_place].block
        return same_section or after.start - before.stop <= _NEAR

    def _hint(self, text: str, verdict: Verdict) -> str:
        """Return a sentence about a part of a quotation that is too short, or about text of the
        document that is not compared; "" if there is nothing to say.
        """
        if hint := self._hint_on_changes(text):
            return hint
        parts = self._quoted_parts(text)
        short = [part for part in parts if is_short(folded(part))]
        if short:  # one of several parts: a quotation that is too short is refused before
            shown = shortened(" ".join(short[0]), 100)
            return f"The part {shown!r} is too short to be checked: give more of its sentence."
        if verdict is not Verdict.NOT_FOUND:
            return ""
        for part in parts if len(parts) > 1 else ():
            if self._words.like(folded(part), set())[0] is None:
                return f"No passage is like the part {shortened(' '.join(part), 100)!r}."
        kinds = self._reader.unread(min(len("".join(folded(part))) for part in parts))
        return kinds and f"The file has {kinds}, which was not compared: the words may be there."

    def _hint_on_changes(self, text: str) -> str:
        """Return a sentence that says that the words of a quotation are in the text before the
        tracked changes, or in a comment; "" if they are not.
        """
        words = folded(self._words.of(text))
        remark = self._remark(words)
        by = f" by {remark.by}" if isinstance(remark, Change) and remark.author else ""
        if self._marks_changes:
            texts = (before_changes(place.text) for place in self._reader.places.all)
            before = " ".join(word for text in texts for word in folded(words_of(text)))
            if f" {' '.join(words)} " in f" {before} ":
                return f"{_BEFORE_CHANGES}{by}."
        deleted = self._reader.document.report.dropped.get(Dropped.DELETED)
        original = self._reader.original if deleted else None
        quotation = original and original.quotations.elsewhere(words, self._parts(text))
        if quotation:
            return f"{_BEFORE_CHANGES}{by} ({quotation.passages[0].place})."
        return f"The words are {self._reader.revisions.mention(remark).place}." if remark else ""

    def _remark(self, words: list[str]) -> Change | Comment | None:
        """Return the first comment that has some words, or the first change with words that are not
        in the view that has them, together with the words beside it.
        """
        wanted = f" {' '.join(words)} "
        items: list[Change | Comment] = [*self._reader.revisions.unread()]
        items += self._reader.document.comments
        for item in items:
            text = item.text
            if isinstance(item, Change):
                text = f"{item.before}{text}{item.after}"
            if wanted in f" {' '.join(folded(words_of(text)))} ":
                return item
        return None

    def _hint_on_label(self, label: Labelled, named: set[int]) -> str:
        """Return a sentence about the words of a quotation without its label: they are too short to
        be looked for in the whole document, or they are in the text before the tracked changes. ""
        if neither is true.
        """
        if is_short(folded(self._words.of(label.text))):
            sentence = _ONLY_THERE if named else _NOWHERE
            return sentence.format(shortened(label.name, 100)) if label.is_apart else ""
        is_there = self._judged(label.text, set())[0] in _WORD_FOR_WORD
        return "" if is_there else self._hint_on_changes(label.text)

    def _cited(self, citation: Citation) -> tuple[set[int], bool | None]:
        """Return the places that a citation names, and whether the file has changed since; None if
        the citation does not tell. In a file that may have changed, only the section counts,
        because an edit changes the paragraph numbers below it.
        """
        places, fingerprint = self._reader.places, self._reader.document.source_sha256
        edited = None
        if citation.fingerprint and fingerprint:
            edited = not fingerprint.startswith(citation.fingerprint)
        if citation.path and edited is not False:
            return set(places.in_path(citation.path)), edited
        return set(places.cited(citation.path, citation.paragraphs)), edited

    def _result(
        self, verdict: Verdict, ranges: list[range], difference: str = "", left_out: int = 0
    ) -> Quotation:
        spans = dict.fromkeys(map(self._words.span, ranges))  # a place may have the words often
        return Quotation(
            verdict,
            tuple(self._reader.places.passage(*span) for span in spans),
            difference,
            self._reader.document.source_sha256,
            left_out=left_out,
        )
