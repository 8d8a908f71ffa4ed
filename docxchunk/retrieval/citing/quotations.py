"""Check quotations of a document, without a model: whether the document has their words, and
where.

`QuotationChecker.check` takes these steps, with the patterns and the words of `quoted_words`:

1. `divided` takes a citation in brackets off the quotation.
2. `_verbatim` looks for all words, or for the parts beside an ellipsis: found, abridged or
   misleading.
3. If they are not there or end with the label of another line, and no citation was given,
   `_labelled` takes a label such as "clause 4.2:" off the words, and `_without_label` checks the
   other words by steps 2 and 4. It puts the label back if the label may be a changed word of the
   sentence (`Labelled.may_be_changed`). Of a label at either end, the one is taken without which
   the words are found.
4. `_similar` looks for similar words: altered, stitched or not found. `DocumentWords.most_similar`
   says how similar they must be.
5. `_result` compares the place of the words with the citation or label: moved.
6. If the words are not found, other documents are searched for them: found elsewhere. `_hint` says
   whether they are in text that is not compared, such as deleted text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from docxchunk.content.citations import Citation
from docxchunk.errors import UsageError
from docxchunk.language.limiting import limiting
from docxchunk.language.patterns import pattern
from docxchunk.model.document import Dropped
from docxchunk.model.objects import Change, Comment
from docxchunk.model.wording import shortened
from docxchunk.retrieval.citing.quoted_words import (
    DocumentWords,
    Labelled,
    before_changes,
    between,
    difference,
    divided,
    folded,
    is_short,
    joined,
    labels_of,
    left_out_between,
    parts_of,
    words_of,
)
from docxchunk.retrieval.finding.passages import Passage

if TYPE_CHECKING:
    from docxchunk.retrieval.reading import Reader

_MOST_WORDS: Final = 1000
_LONGEST: Final = 20_000  # characters: of more than the most words, or of nothing but signs
_TOO_LONG: Final = (
    f"A quotation has at most {_MOST_WORDS:,} words and {_LONGEST:,} characters: check it in parts."
)
_NEAR: Final = 100  # words that an ellipsis may stand for where a section ends
MOST_OMITTED: Final = 12  # words left out that are all shown
_BESIDE: Final = 3  # words right before or after a quotation
_END_OF_CLAUSE: Final = pattern(r"[.,;:!?。，、；：！？]")
_FULL_STOP: Final = pattern(r"[.!?]\s|[。！？]")
_END_OF_SENTENCE: Final = pattern(r"[.;:!?。；：！？]")


class Verdict(StrEnum):
    """The result of checking a quotation."""

    FOUND = "found"  # word for word, and at the place cited if there is a citation
    ABRIDGED = "abridged"  # its parts, word for word and in order; an ellipsis stands for the rest
    MISLEADING = "abridged misleadingly"  # the same, but the rest has a word such as "not"
    MOVED = "moved"  # word for word, but not at the place cited
    ELSEWHERE = "found elsewhere"  # word for word, in another document
    STITCHED = "stitched"  # pieces of the document that do not follow one another there
    ALTERED = "altered"  # like a passage of the document, with other words
    NOT_FOUND = "not found"


@dataclass(frozen=True, slots=True)
class Quotation:
    """The result of checking a quotation, with the places.

    - `verdict`: found, abridged, abridged misleadingly, moved, found elsewhere, stitched, altered
      or not found.
    - `passages`: the clauses that have the words. For an altered quotation, the clause that is most
      similar; for one in parts, the clauses of its parts.
    - `difference`: for an altered quotation, the words that differ: "[-six-] {+eight+}" means that
      the document has eight.
    - `document`: the name of the document that was checked, or of the one that has the quotation.
    - `fingerprint`: the SHA-256 of the file that was checked, or of the file that has the
      quotation.
    - `cited`: whether a citation was given.
    - `edited`: whether the file has changed since the citation was made; None if the citation does
      not tell.
    - `misplaced`: whether a citation was given that does not name the place of these words.
    - `left_out`: for a quotation with an ellipsis, the number of words of the document between its
      parts; 0 for others.
    - `omitted`: these words, for each ellipsis; of more than twelve, only those that limit what is
      said, such as "not" and "unless".
    - `hint`: if the words are not found, a sentence about deleted or hidden text, or about a part
      that is too short or unlike any passage. If they are found, a sentence about a label that
      names no place or several, or about a word such as "not" right before them. "" if there is
      nothing to say.
    """

    verdict: Verdict
    passages: tuple[Passage, ...]
    difference: str
    fingerprint: str
    document: str = ""
    cited: bool = False
    edited: bool | None = None
    misplaced: bool = False
    left_out: int = 0
    omitted: tuple[str, ...] = ()
    hint: str = ""

    @property
    def is_found(self) -> bool:
        """Whether the document has all words of the quotation, one after the other. At an ellipsis,
        words may be left out, but none that limit what is said.
        """
        return self.verdict in _WORD_FOR_WORD

    @property
    def is_right(self) -> bool:
        """Whether the document has all words of the quotation and, if a citation was given, at the
        place cited.
        """
        return self.verdict in (Verdict.FOUND, Verdict.ABRIDGED)


_BEFORE_CHANGES: Final = "The words are in the text before the tracked changes: some are deleted"
_BEFORE_IT: Final = "Right before these words, the document has {!r}."
_AFTER_IT: Final = "Right after these words, the document has {!r}."
_NONE: Final = "{!r} names no place of the document."
_SEVERAL: Final = "{!r} is the name of several places of the document."
_SOURCE: Final = (
    "{!r} was read as the number of a source: the clause of this number has other words."
)
_ONLY_THERE: Final = "Without the label, the quotation is short: it was looked for only in {!r}."
_NOWHERE: Final = (
    "{!r} names no place, and without it, the quotation is too short to be looked for."
)
_WORD_FOR_WORD: Final = (Verdict.FOUND, Verdict.ABRIDGED, Verdict.MOVED, Verdict.ELSEWHERE)
_VERBATIM: Final = (*_WORD_FOR_WORD, Verdict.MISLEADING)


class _Judged(NamedTuple):
    """The verdict on a quotation, the ranges of the words in the document that it was compared
    with, and the difference between the two.
    """

    verdict: Verdict
    ranges: list[range]
    difference: str = ""


class _Labelled(NamedTuple):
    """A quotation with a label, the places that the label names, and the verdict on the other
    words, if they are verbatim.
    """

    label: Labelled
    named: set[int]
    verbatim: _Judged | None


class QuotationChecker:
    """Checks quotations of one document."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @cached_property
    def _words(self) -> DocumentWords:
        return DocumentWords(self._reader.places)

    def check_at(self, text: str, labels: Sequence[str]) -> Quotation:
        """Return the result of checking a quotation that is cited by the labels of one or several
        clauses. If it is short, only these are searched for it.
        """
        named = {index for label in labels for index in self._reader.places.in_path(label)}
        words = self._folded(text)
        if is_short(words):
            ranges = self._within(named, words)
            judged = _Judged(Verdict.FOUND if ranges else Verdict.NOT_FOUND, ranges)
        else:
            self._check_length(text, words)
            judged = self._verbatim(text, named) or self._similar(text, named)
        result = self._result(judged, named)
        shown = shortened(", ".join(labels), 100)
        hint = "" if named else _NONE.format(shown)
        if is_short(words) and not ranges:
            hint = hint or _ONLY_THERE.format(shown)
        hint = hint or result.hint or self._hint(text, result.verdict)
        return replace(result, hint=hint)

    def has(self, text: str) -> bool:
        """Return whether the document has the words of a text, or its parts beside ellipses."""
        has_each = self._words.has_each(self._folded(text))
        return has_each and self._verbatim(text, set()) is not None

    def share(self, text: str) -> float:
        """Return the share of the words of a text that the document has anywhere."""
        return self._words.share(self._folded(text))

    def check(self, quote: str, elsewhere: Iterable[Reader] = ()) -> Quotation:
        """Return the result of checking a quotation: see `Reader.cite`. The steps are listed
        at the top of this file.
        """
        if len(quote) > _LONGEST:
            raise UsageError(_TOO_LONG)
        text, citation = divided(quote, self._reader.document.name)
        self._check_length(quote, self._folded(text))
        cited, edited = self._cited(citation) if citation else (None, None)
        judged = self._verbatim(text, cited or set())
        is_text = judged is not None and not self._ends_with_next_label(text, judged)
        labelled = None if is_text or citation else self._labelled(text)
        if labelled and (without_it := self._without_label(labelled)):
            judged, cited = without_it
        result = self._result(judged or self._similar(text, cited or set()), cited)
        hint = self._hint_on_label(labelled, result) if labelled else ""
        result = replace(result, hint=hint or result.hint or self._hint(text, result.verdict))
        if not result.is_found:
            others = (reader.quotations.elsewhere(text) for reader in elsewhere)
            result = next(filter(None, others), result)
        return replace(result, cited=cited is not None, edited=edited)

    def _ends_with_next_label(self, text: str, judged: _Judged) -> bool:
        """Return whether the label in brackets after a quotation is found as the label of the line
        after its words: "(6.2)" after the words of 6.1.
        """
        sizes = (len(self._folded(label.name)) for label in labels_of(text) if not label.is_first)
        size = next(sizes, 0)
        ends = judged.ranges if judged.verdict is Verdict.FOUND else judged.ranges[-1:]
        labels = [words[-size:].start for words in ends]
        return size > 0 and all(self._words.line_of(start).start == start for start in labels)

    def _labelled(self, text: str) -> _Labelled | None:
        """Return the label of a quotation, or None. Of several possible labels, return the first
        one without which the words of the quotation are verbatim, or else the first.
        """
        options = [
            _Labelled(label, named, self._verbatim(label.text, named))
            for label in labels_of(text)
            for named in [set(self._reader.places.in_path(label.name))]
        ]
        return next((option for option in options if option.verbatim), next(iter(options), None))

    @staticmethod
    def _check_length(quote: str, words: list[str]) -> None:
        if is_short(words):
            raise UsageError(
                f"{shortened(quote, 100)!r} is too short to be a quotation: give more of the "
                "sentence."
            )
        if len(words) > _MOST_WORDS:
            raise UsageError(_TOO_LONG)

    def elsewhere(self, text: str) -> Quotation | None:
        """Return where this document has the words of a text, which another document lacks, in one
        part or in several. Return None if this document lacks them, too.
        """
        judged = self._verbatim(text, set())
        result = self._result(judged, None) if judged else None
        is_found = result is not None and result.is_found
        return replace(result, verdict=Verdict.ELSEWHERE) if result and is_found else result

    def _folded(self, text: str) -> list[str]:
        return self._words.folded(text)

    def _quoted_parts(self, text: str) -> list[list[str]]:
        """Return the words of the parts between ellipses."""
        return list(filter(None, map(self._words.of, parts_of(text))))

    def _parts(self, text: str) -> list[list[str]]:
        """Return the words of the parts between ellipses, normalized; [] without an ellipsis."""
        parts = list(map(folded, self._quoted_parts(text)))
        return [] if len(parts) < 2 else parts

    def _verbatim(self, text: str, cited: set[int]) -> _Judged | None:
        """Return where all words of a text are, or its parts. Return None if they are nowhere."""
        if ranges := self._words.occurrences(self._folded(text)):
            uncut = [words for words in ranges if not self._is_cut_short(text, words)]
            return _Judged(Verdict.FOUND if uncut else Verdict.MISLEADING, uncut or ranges)
        ranges = self._in_order(self._parts(text), cited)
        if not ranges:
            return None
        is_cut = self._is_cut_short(text, range(ranges[0].start, ranges[-1].stop))
        is_misleading = is_cut or self._words.limiting(ranges)
        return _Judged(Verdict.MISLEADING if is_misleading else Verdict.ABRIDGED, ranges)

    def _is_cut_short(self, text: str, words: range) -> bool:
        """Return whether an ellipsis before or after a text stands for a word such as "not", which
        is right beside its words in the document.
        """
        parts = [part.strip() for part in parts_of(text)]
        before = "" if parts[0] else self._limiting_before(words)
        after = "" if parts[-1] else self._limiting_after(words)
        return bool(before or after)

    def _similar(self, text: str, cited: set[int]) -> _Judged:
        """Return where words are that are similar to a text: first in the cited places."""
        parts = self._parts(text)
        if any(map(is_short, parts)):  # they are in many places
            parts = []
        similar = self._similar_parts(parts, cited)
        if any(
            words not in self._words.occurrences(part)
            for part, words in zip(parts, similar, strict=False)
        ):
            pairs = zip(self._quoted_parts(text), map(self._words.shown, similar), strict=True)
            return _Judged(
                Verdict.ALTERED, similar, " … ".join(difference(*pair) for pair in pairs)
            )
        nearest, pieces = self._words.most_similar(self._folded(text), cited)
        if nearest is None:
            stitched = pieces or similar
            return _Judged(Verdict.STITCHED if stitched else Verdict.NOT_FOUND, stitched)
        shown = self._words.shown(nearest)
        return _Judged(Verdict.ALTERED, [nearest], difference(self._words.of(text), shown))

    def _without_label(self, labelled: _Labelled) -> tuple[_Judged, set[int] | None] | None:
        """Return the verdict on a quotation without its label, and the places that the label names.
        The places are None if the label may be the number of a source, and names none of the places
        found. Return None if the label may be changed words of the quotation: "Section 8.3
        survives" for "Section 8.2 survives".

        If the quotation is short without its label, only the named places are compared.
        """
        label, named, verbatim = labelled
        if is_short(words := self._folded(label.text)):
            judged = _Judged(Verdict.FOUND, self._within(named, words))
        else:
            judged = verbatim or self._similar(label.text, named)
        if ranges := self._ranges_apart(label, judged):
            is_source = label.may_be_source and not any(self._is_in(named, span) for span in ranges)
            return judged._replace(ranges=ranges), None if is_source else named
        is_nowhere = is_short(words) and label.is_apart
        return (_Judged(Verdict.NOT_FOUND, []), named) if is_nowhere else None

    def _ranges_apart(self, label: Labelled, judged: _Judged) -> list[range]:
        """Return the ranges of `judged` beside which the label is apart: it cannot be a changed
        part of their sentence. For a quotation in parts, the part next to the label decides for
        all.
        """
        verdict, ranges, _ = judged
        is_whole = verdict is Verdict.FOUND
        ends = ranges if is_whole else ranges[:1] if label.is_first else ranges[-1:]
        apart = [
            words
            for words in ends
            if not label.may_be_changed(self._words.beside(words, before=label.is_first))
        ]
        return apart if is_whole or not apart else ranges

    def _within(self, places: set[int], words: list[str]) -> list[range]:
        """Return where some words are in some places of the document."""
        spans = self._words.occurrences(words) if words else []
        return [span for span in spans if self._is_in(places, span)]

    def _is_in(self, places: set[int], words: range) -> bool:
        """Return whether some words of the document are in some of its places."""
        return places.issuperset(self._words.span(words))

    def _result(self, judged: _Judged, cited: set[int] | None) -> Quotation:
        """Return the result. If there is a citation, the places of the words are compared with the
        cited ones: for a whole quotation, one of its places must be cited; for one in parts, the
        places of all parts.
        """

        def is_outside(words: range) -> bool:
            return cited is not None and not self._is_in(cited, words)

        verdict, ranges, difference = judged
        if verdict is Verdict.FOUND:
            ranges = sorted(ranges, key=is_outside)
        misplaced = any(map(is_outside, ranges[:1] if verdict is Verdict.FOUND else ranges))
        is_abridged = verdict in (Verdict.ABRIDGED, Verdict.MISLEADING)
        spans = dict.fromkeys(map(self._words.span, ranges))  # a place may have the words often
        return Quotation(
            Verdict.MOVED if misplaced and verdict in _WORD_FOR_WORD else verdict,
            tuple(self._reader.places.passage(*span) for span in spans),
            difference,
            self._reader.document.source_sha256,
            self._reader.document.name,
            cited=cited is not None,
            misplaced=misplaced,
            left_out=left_out_between(ranges) if is_abridged else 0,
            omitted=self._omitted(ranges) if is_abridged else (),
            hint=self._hint_on_edges(ranges) if verdict in _VERBATIM and ranges else "",
        )

    def _omitted(self, parts: list[range]) -> tuple[str, ...]:
        """Return the words between some parts; of many, only those that limit what is said."""
        is_long = left_out_between(parts) > MOST_OMITTED
        omitted = self._words.limiting(parts) if is_long else between(parts)
        texts = (joined(self._words.shown(words)) for words in omitted if words)
        return tuple(dict.fromkeys(texts) if is_long else texts)

    def _hint_on_edges(self, ranges: list[range]) -> str:
        """Return a sentence about words such as "not" right before or after a quotation; "" if
        there are none.
        """
        hints = (
            (_BEFORE_IT, self._limiting_before(ranges[0])),
            (_AFTER_IT, self._limiting_after(ranges[-1])),
        )
        return " ".join(sentence.format(words) for sentence, words in hints if words)

    def _limiting_before(self, words: range) -> str:
        """Return the end of the clause before some words, from a word such as "not" on; "" if it
        has none.
        """
        before = _END_OF_CLAUSE.split(self._words.beside(words, before=True))[-1]
        last = words_of(before)[-_BESIDE:]
        limiting_words = limiting(folded(last))
        return joined(last[limiting_words[0].start :]) if limiting_words else ""

    def _limiting_after(self, words: range) -> str:
        """Return the beginning of the text after some words in their sentence, if it has a word
        such as "unless"; else "".
        """
        after = _END_OF_SENTENCE.split(self._words.beside(words, before=False))[0]
        first = words_of(after)[:_BESIDE]
        return joined(first) if limiting(folded(first)) else ""

    def _similar_parts(self, parts: list[list[str]], cited: set[int]) -> list[range]:
        """Return, for each part of a quotation, the most similar words of the document; [] if there
        are none for one of the parts. An altered part is looked for near the parts that are found.
        """
        occurrences = [
            min(ranges, key=lambda words: self._words.span(words)[0] not in cited, default=None)
            for ranges in map(self._words.occurrences, parts)
        ]
        places = self._reader.places
        blocks = {places.all[self._words.span(words)[0]].block for words in occurrences if words}
        near = cited or {index for block in blocks for index in places.of_blocks(block, block + 1)}
        similar = [
            words or self._words.most_similar(part, near)[0]
            for part, words in zip(parts, occurrences, strict=True)
        ]
        return [words for words in similar if words] if all(similar) else []

    def _in_order(self, parts: list[list[str]], cited: set[int]) -> list[range]:
        """Return the places of the parts of an abridged quotation. Each part comes after the one
        before it, in its section or near it. Cited places are preferred, then those that leave out
        no word such as "not", then those with the fewest words between the parts. Return [] if
        there are none.
        """
        is_sure = not any(map(is_short, parts))
        first, *later = [self._words.occurrences(part) for part in parts] or [[]]
        chains: list[list[range]] = []
        for start in first:
            chain = [start]
            for ranges in later:
                number = bisect_left(ranges, chain[-1].stop, key=attrgetter("start"))
                if number == len(ranges) or not self._are_near(
                    chain[-1], ranges[number], is_sure=is_sure
                ):
                    break
                chain.append(ranges[number])
            else:
                chains.append(chain)
        return min(
            chains,
            key=lambda chain: (
                sum(not self._is_in(cited, words) for words in chain),
                bool(self._words.limiting(chain)),
                left_out_between(chain),
            ),
            default=[],
        )

    def _are_near(self, before: range, after: range, *, is_sure: bool) -> bool:
        """Return whether an ellipsis may stand for the words between two parts. If a part of the
        quotation is short, they are few words of one sentence.
        """
        all_places, between = self._reader.places.all, after.start - before.stop
        last_place, first_place = self._words.span(before)[1], self._words.span(after)[0]
        if not is_sure:
            is_one_line = last_place == first_place and between <= MOST_OMITTED
            return is_one_line and not _FULL_STOP.search(self._words.text_between(before, after))
        same_section = all_places[last_place].block == all_places[first_place].block
        return same_section or between <= _NEAR

    def _hint(self, text: str, verdict: Verdict) -> str:
        """Return a sentence about a part of a quotation that is too short, or about text of the
        document that is not compared; "" if there is nothing to say.
        """
        if verdict in _VERBATIM:
            return ""
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
            if self._words.most_similar(folded(part), set())[0] is None:
                return f"No passage is like the part {shortened(' '.join(part), 100)!r}."
        kinds = self._reader.unread(min(len("".join(folded(part))) for part in parts))
        return kinds and f"The file has {kinds}, which was not compared: the words may be there."

    def _hint_on_changes(self, text: str) -> str:
        """Return a sentence that says that the words of a quotation are in the text before the
        tracked changes, or in a comment; "" if they are not.
        """
        words = self._folded(text)
        remark = self._remark(words)
        by = f" by {remark.by}" if isinstance(remark, Change) and remark.author else ""
        if self._words.marks_changes:
            texts = (before_changes(place.text) for place in self._reader.places.all)
            before = " ".join(word for text in texts for word in folded(words_of(text)))
            if f" {' '.join(words)} " in f" {before} ":
                return f"{_BEFORE_CHANGES}{by}."
        deleted = self._reader.document.report.dropped.get(Dropped.DELETED)
        original = self._reader.original if deleted else None
        quotation = original and original.quotations.elsewhere(text)
        if quotation:
            return f"{_BEFORE_CHANGES}{by} ({quotation.passages[0].place})."
        return f"The words are {self._reader.revisions.mention(remark).place}." if remark else ""

    def _remark(self, words: list[str]) -> Change | Comment | None:
        """Return the first comment that has some words, or the first change with words that are not
        in the view that has them, together with the words beside it.
        """
        phrase = f" {' '.join(words)} "
        items: list[Change | Comment] = [*self._reader.revisions.unread()]
        items += self._reader.document.comments
        for item in items:
            text = item.text
            if isinstance(item, Change):
                text = f"{item.before}{text}{item.after}"
            if phrase in f" {' '.join(folded(words_of(text)))} ":
                return item
        return None

    def _hint_on_label(self, labelled: _Labelled, result: Quotation) -> str:
        """Return a sentence about a label that names no place or several or, if the words are not
        found, about the words without it: they are too short to be looked for in the whole
        document, or they are in the text before the tracked changes. "" if there is nothing to say.
        """
        label, named, verbatim = labelled
        shown = shortened(label.name, 100)
        if is_short(self._folded(label.text)) and not result.is_found:
            return (_ONLY_THERE if named else _NOWHERE).format(shown) if label.is_apart else ""
        if result.misplaced and not named:
            return _NONE.format(shown)
        if named and result.is_found and not result.cited:
            return _SOURCE.format(shown)
        if verbatim:
            is_one = len(self._reader.places.chosen(label.name)) <= 1
            return "" if is_one else _SEVERAL.format(shown)
        return self._hint_on_changes(label.text)

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
        return set(places.cited(citation.path, citation.paragraphs, citation.row)), edited
