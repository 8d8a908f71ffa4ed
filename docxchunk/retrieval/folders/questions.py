"""Ask several documents the same question: which of them have a phrase, define a term, refer to a
clause, or have the words of a quotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from docxchunk.batch.inputs import Input
from docxchunk.batch.pool import Failed, guarded
from docxchunk.model.wording import counted
from docxchunk.retrieval.citing.quotations import Quotation
from docxchunk.retrieval.finding.links import references
from docxchunk.retrieval.finding.passages import Passage
from docxchunk.retrieval.finding.phrases import Match, occurrences
from docxchunk.retrieval.folders.library import Library
from docxchunk.retrieval.reading import Reader

FEW: Final = 3  # places of a document, by default
MOST_COUNTED: Final = 1000  # places of a document
NEAR_NOTES: Final = ("as a part of other words", "in comments or tracked changes")
"""How else a document may have a phrase: first the way that is shown last."""


@dataclass(frozen=True, slots=True)
class DocumentHits:
    """What one of several documents has for a question.

    - `document`: its name.
    - `count`: how often it has a phrase; for other questions, the number of places.
    - `hits`: the first places.
    - `note`: how these differ from what was asked for: "as a part of other words", "in comments or
      tracked changes", "altered"; "" if they do not.
    - `places`: the number of places.
    - `also`: how often it has a phrase in other ways: "2 times as a part of other words".
    """

    document: str
    count: int
    hits: tuple[Passage, ...]
    note: str
    places: int
    also: str = ""


class Questions:
    """Asks the documents of a library. Each method returns those that have exactly what was asked
    for, or something like it (with a `note`), in their order. `unreadable` are the documents that
    the last question could not read, each with the reason.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.unreadable: list[tuple[str, str]] = []

    def readers(self, text: str = "", share: float = 1.0) -> Iterator[Reader]:
        """Yield the readers of the documents that can be read, or of those that may have a share of
        the words of a text.
        """
        self.unreadable = []
        for item in self.likely(text, share):  # which may know of some that cannot be read
            reader = guarded(self.library.read, item)
            if isinstance(reader, Failed):
                self.unreadable.append((item.label, reader.sentence))
            else:
                yield reader

    def likely(self, text: str, share: float) -> Iterable[Input]:  # noqa: ARG002 - for subclasses
        """Return the documents that may have a share of the words of a text, in order."""
        return self.library.inputs()

    def find(self, phrase: str, match: Match = "words", limit: int = FEW) -> list[DocumentHits]:
        """Return which documents have a phrase or regular expression, also in comments and in text
        that tracked changes leave out. Arguments and errors are those of `Reader.find`.
        """
        words = "" if match == "regex" else phrase
        return self._answers(lambda reader: find_in(reader, phrase, match, limit), words)

    def define(self, term: str, limit: int = FEW) -> list[DocumentHits]:
        """Return which documents define a term: see `Reader.define`."""
        singular = term[:-_ENDING]  # it may be in the plural
        return self._answers(
            lambda reader: _hits(reader, reader.define(term, MOST_COUNTED), limit), singular
        )

    def references(self, section: str, limit: int = FEW) -> list[DocumentHits]:
        """Return which documents have a section or clause of this name with references in it or to
        it. First are those in it. If several places of a document have the name, all count.
        """

        def answer(reader: Reader) -> DocumentHits:
            chosen = reader.places.chosen(section)
            results = [references(reader.places, place, MOST_COUNTED) for place in chosen]
            return _hits(
                reader,
                [passage for result in results for passage in (*result.to, *result.by)],
                limit,
            )

        return self._answers(answer)

    def cite(self, quote: str) -> list[Quotation]:
        """Return the result of checking a quotation in each document that has its words or similar
        ones, those with the quotation first: see `Reader.cite`.
        """
        results = [reader.cite(quote) for reader in self.readers(quote, _LEAST_SHARE)]
        matching = (result for result in results if result.passages)
        return sorted(matching, key=lambda result: (not result.is_right, not result.is_found))

    def _answers(
        self, answer: Callable[[Reader], DocumentHits], text: str = ""
    ) -> list[DocumentHits]:
        return [hits for hits in map(answer, self.readers(text)) if hits.count]


_ENDING: Final = 3  # characters
_LEAST_SHARE: Final = 0.5  # of the words of a quotation that a document has altered


def _hits(reader: Reader, passages: Sequence[Passage], limit: int) -> DocumentHits:
    number = len(passages)
    return DocumentHits(reader.document.name, number, tuple(passages[:limit]), "", number)


def find_in(reader: Reader, phrase: str, match: Match, limit: int, start: int = 0) -> DocumentHits:
    """Return where a document has a phrase or regular expression, from hit number `start` on. If
    its text does not have it, return where comments, deleted text or the text before the tracked
    changes have it; else where it is a part of other words.
    """
    places = occurrences(reader.places, phrase, match)
    parts = occurrences(reader.places, phrase, "parts") if match == "words" else places
    mentions = reader.revisions.mentions(phrase, match)
    if not places and not mentions:
        mentions = reader.before_changes(phrase, match)
    times, more = (sum(hit.times for hit in hits) for hits in (places, parts))
    numbers = zip((more - times, len(mentions)), NEAR_NOTES, strict=True)
    ways = {note: number for number, note in numbers if number > 0}
    note = "" if places or not ways else list(ways)[-1]
    if note == NEAR_NOTES[0]:
        places, times = parts, more
    end = start + limit
    first, last = (max(number - len(places), 0) for number in (start, end))
    return DocumentHits(
        reader.document.name,
        times or len(mentions),
        (*reader.places.matched(places[start:end]), *mentions[first:last]),
        note,
        len(places) + len(mentions),
        "" if note else " and ".join(f"{counted(ways[way], 'time')} {way}" for way in ways),
    )
