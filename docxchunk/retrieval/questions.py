"""Ask several documents the same question: which of them have a phrase, define a term, refer to a
clause, or have the words of a quotation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from docxchunk.batch.inputs import Input
from docxchunk.batch.pool import Failed, guarded
from docxchunk.retrieval.links import references
from docxchunk.retrieval.passages import Passage
from docxchunk.retrieval.phrases import Match, occurrences
from docxchunk.retrieval.places import Occurrence
from docxchunk.retrieval.reading import Reader

FEW: Final = 3  # places of a document, by default
AS_PARTS: Final = "as a part of other words"


@dataclass(frozen=True, slots=True)
class DocumentHits:
    """What one of several documents has for a question.

    - `document`: its name.
    - `count`: how often it has a phrase; for other questions, the number of places.
    - `hits`: the first places.
    - `note`: how these differ from what was asked for: "as a part of other words", "altered"; "" if
      they do not.
    """

    document: str
    count: int
    hits: tuple[Passage, ...]
    note: str = ""


class Questions:
    """Asks several documents, which `inputs` returns as they are now and `read` reads. Each method
    returns those that have exactly what was asked for, or something like it (with a `note`), in
    their order. `unreadable` are the documents that the last question could not read, each with the
    reason.
    """

    def __init__(
        self, inputs: Callable[[], Iterable[Input]], read: Callable[[Input], Reader]
    ) -> None:
        self._inputs = inputs
        self._read = read
        self.unreadable: list[tuple[str, str]] = []

    def readers(self, text: str = "", share: float = 1.0) -> Iterator[Reader]:
        """Yield the readers of the documents that can be read, or of those that may have a share of
        the words of a text.
        """
        self.unreadable = []
        for item in self.likely(text, share):  # which may know of some that cannot be read
            reader = guarded(self._read, item)
            if isinstance(reader, Failed):
                self.unreadable.append((item.label, reader.sentence))
            else:
                yield reader

    def likely(self, text: str, share: float) -> Iterable[Input]:  # noqa: ARG002 - for subclasses
        """Return the documents that may have a share of the words of a text, in order."""
        return self._inputs()

    def find(self, phrase: str, match: Match = "words", limit: int = FEW) -> list[DocumentHits]:
        """Return which documents have a phrase or regular expression, also in comments and in text
        that tracked changes leave out. Arguments and errors are those of `Reader.find`.
        """
        wanted = "" if match == "pattern" else phrase
        return self._answers(lambda reader: Found.of(reader, phrase, match).hits(limit), wanted)

    def define(self, term: str, limit: int = FEW) -> list[DocumentHits]:
        """Return which documents define a term: see `Reader.define`."""
        wanted = term[:-_ENDING]  # it may be in the plural
        return self._answers(
            lambda reader: _hits(reader, reader.define(term, _MOST), limit), wanted
        )

    def references(self, name: str, limit: int = FEW) -> list[DocumentHits]:
        """Return which documents have a section or clause of this name with references in it or to
        it. First are those in it. If several places of a document have the name, all count.
        """

        def answer(reader: Reader) -> DocumentHits:
            chosen = reader.places.chosen(name)
            several = [references(reader.places, place, _MOST) for place in chosen]
            return _hits(reader, [each for one in several for each in (*one.to, *one.by)], limit)

        return self._answers(answer)

    def check(self, quote: str, limit: int = FEW) -> list[DocumentHits]:
        """Return which documents have a quotation word for word. For those that do not, the `note`
        is the verdict: "altered" or "stitched" (see `Reader.check`).
        """

        def answer(reader: Reader) -> DocumentHits:
            result = reader.check(quote)
            note = "" if result.is_found else result.verdict
            return _hits(reader, result.passages, limit, note)

        return self._answers(answer, quote, _LEAST_SHARE)

    def _answers(
        self, answer: Callable[[Reader], DocumentHits], text: str = "", share: float = 1.0
    ) -> list[DocumentHits]:
        return [each for each in map(answer, self.readers(text, share)) if each.count]


_MOST: Final = 1000  # places that are counted
_ENDING: Final = 3  # characters
_LEAST_SHARE: Final = 0.5  # of the words of a quotation that a document has altered


def _hits(reader: Reader, passages: Sequence[Passage], limit: int, note: str = "") -> DocumentHits:
    return DocumentHits(reader.document.name, len(passages), tuple(passages[:limit]), note)


class Found(NamedTuple):
    """Where a document has a phrase.

    - `times`: how often its text has it.
    - `more`: how often its text has it as a part of other words.
    - `places`: where its text has it.
    - `mentions`: where it is in comments, and in text that tracked changes leave out.
    - `note`: "as a part of other words" if `places` are these.
    """

    reader: Reader
    times: int
    more: int
    places: Sequence[Occurrence]
    mentions: Sequence[Passage]
    note: str = ""

    @classmethod
    def of(cls, reader: Reader, phrase: str, match: Match) -> Found:
        """Return where a document has a phrase or regular expression. If it is nowhere, look for it
        in the text before the tracked changes, then as a part of other words.
        """
        places = occurrences(reader.places, phrase, match)
        mentions = reader.revisions.mentions(phrase, match)
        parts = occurrences(reader.places, phrase, "parts") if match == "words" else places
        times, all_times = (sum(each.times for each in several) for several in (places, parts))
        more = max(all_times - times, 0)
        if not places and not mentions:
            mentions = reader.before_changes(phrase, match)
            if not mentions and more:
                return cls(reader, more, 0, parts, [], AS_PARTS)
        return cls(reader, times, more, places, mentions)

    def passages(self, start: int, limit: int) -> list[Passage]:
        """Return the places with numbers from `start` on, at most `limit`."""
        several = self.reader.places.matched(self.places[start : start + limit])
        first = max(start - len(self.places), 0)
        return [*several, *self.mentions[first : first + limit - len(several)]]

    def hits(self, limit: int) -> DocumentHits:
        """Return how often the document has the phrase, with the first places."""
        return DocumentHits(
            self.reader.document.name,
            self.times + len(self.mentions),
            tuple(self.passages(0, limit)),
            self.note,
        )
