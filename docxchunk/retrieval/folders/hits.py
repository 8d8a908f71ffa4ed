"""The hits of a search: the places that it shows, each text once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import orjson

from docxchunk.backends.bm25 import WordAt, stem, words, words_at, words_of_question
from docxchunk.language.column_names import BLANK
from docxchunk.model.chunks import Unit, UnitKind
from docxchunk.model.ports import Scorer
from docxchunk.retrieval import PER_DOCUMENT
from docxchunk.retrieval.folders.index import StoredIndex
from docxchunk.retrieval.folders.indexed import LEAD_IN, unit_of
from docxchunk.retrieval.folders.models import query_losses

_MOST_NAMED: Final = 10  # other places of a text
_LOOKED_AT: Final = 3  # hits for each that is shown, for the places of equal texts
_LONGEST_LABEL: Final = 5  # words beside a blank


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result.

    - `document`: the name of the document; in a folder, its path below the folder.
    - `unit`: the text that was found, with its citation by clause: "3. Term > 3(a), p. 1, ¶ 20".
    - `lead_in`: if the unit begins with a list item, or a clause whose heading is only its number:
      the line that introduces it, such as "The Supplier shall:". "" otherwise.
    - `score`: higher is better; scores of different questions cannot be compared.
    - `words`: the words of the question that the unit has; () if only the text around the unit has
      some of them.
    - `same`: the citations of other places with the same text, word for word.
    """

    document: str
    unit: Unit
    lead_in: str
    score: float
    words: tuple[str, ...]
    same: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text to read: the line that introduces the unit, and its content."""
        return f"{self.lead_in}\n{self.unit.content.lstrip('# ')}".strip()

    @property
    def note(self) -> str:
        """A line that says where else the same text is; "" if it is nowhere."""
        places = [
            *self.same[:_MOST_NAMED],
            *([f"{hidden} more"] if (hidden := len(self.same[_MOST_NAMED:])) else []),
        ]
        return f"(the same in: {'; '.join(places)})" if places else ""

    def words_in(self, text: str) -> list[WordAt]:
        """Return the words of a text that are words of the question, in any form."""
        question_stems = {stem(word) for part in self.words for word in words(part)}
        return [at for at in words_at(text) if stem(at.word) in question_stems]


def hit_of(stored: StoredIndex, number: int, score: float, question: str) -> Hit:
    """Return the hit of a unit, with the words of the question that it has."""
    data = stored.line(number)
    unit = unit_of(data)
    question_stems = set(map(stem, words_of_question(question)))
    shared = question_stems.intersection(map(stem, words(unit.index_text)))
    common_words = [at for at in words_at(question) if stem(at.word) in shared]
    return Hit(
        stored.states[stored.document_of(number)].label,
        unit,
        orjson.loads(data)[LEAD_IN],
        score,
        tuple(dict.fromkeys(question[at.start : at.end].lower() for at in common_words)),
    )


def first_of_each(
    units: Iterable[tuple[int, float]], document_of: Callable[[int], int], most: int
) -> Iterator[tuple[int, float]]:
    """Yield the first units of each document, at most `most` of each, with their scores."""
    counts = Counter[int]()
    for number, score in units:
        document = document_of(number)
        counts[document] += 1
        if counts[document] <= most:
            yield number, score


def chosen(hits: Iterable[Hit], limit: int, per_document: int | None) -> list[Hit]:
    """Return the first `limit` hits, each text once, and no rows of a form that nobody filled in.
    At most `per_document` are from one document; with None, `PER_DOCUMENT` of each document come
    first, and then others. The places of equal texts are looked for in `_LOOKED_AT` times as many
    hits.
    """
    shown: dict[str, Hit] = {}
    further: dict[str, Hit] = {}
    of_documents = Counter[str]()
    for number, hit in enumerate(hits):
        if len(shown) == limit and number >= _LOOKED_AT * limit:
            break
        text = " ".join(hit.text.split())
        if text in shown:
            first = shown[text]
            shown[text] = replace(first, same=(*first.same, hit.unit.citation))
        elif len(shown) == limit or (
            hit.unit.kind is UnitKind.ROW and _is_unfilled(hit.text.rpartition("\n")[2])
        ):
            continue
        elif of_documents[hit.document] < (per_document or PER_DOCUMENT):
            shown[text] = hit
            further.pop(text, None)
            of_documents[hit.document] += 1
        elif per_document is None:
            further.setdefault(text, hit)
    return [*shown.values(), *further.values()][:limit]


def ranked_again(hits: Sequence[Hit], question: str, scorer: Scorer) -> list[Hit]:
    """Return the hits in the order of the loss of the question after each, the lowest first. The
    score of a hit is its loss, negative.
    """
    texts = [hit.unit.index_text for hit in hits]
    losses = query_losses(question, texts, scorer)
    again = [replace(hit, score=-loss) for hit, loss in zip(hits, losses, strict=True)]
    return sorted(again, key=lambda hit: -hit.score)


def _is_unfilled(row: str) -> bool:
    """Return whether a row has nothing but short labels, each with a blank in its cell or in the
    next one: "Name | ______".
    """
    cells = row.split(" | ")
    blanks = [BLANK.search(cell) is not None for cell in cells]
    return any(blanks) and all(
        (is_blank or next_is_blank) and len(BLANK.sub(" ", cell).split()) <= _LONGEST_LABEL
        for cell, is_blank, next_is_blank in zip(cells, blanks, [*blanks[1:], False], strict=True)
        if cell.strip()
    )
