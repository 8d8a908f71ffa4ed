"""Search the documents at some paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from sys import maxsize
from typing import TYPE_CHECKING, Concatenate, Final, Literal, ParamSpec, TypeVar

from docxchunk.backends.array_file import AlteredArrayError
from docxchunk.backends.bm25 import words_at
from docxchunk.batch.inputs import Input
from docxchunk.batch.jobs import reading_with
from docxchunk.batch.pool import Jobs
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.language.asking import ASKING
from docxchunk.language.scripts import UNSPACED
from docxchunk.model.chunks import Unit
from docxchunk.model.document import Property
from docxchunk.model.fields import expect, whole
from docxchunk.model.metadata import Metadata, Rows
from docxchunk.model.ports import Embedder, Scorer, prompts, reads
from docxchunk.model.rules import NO_RULES, given_rules
from docxchunk.retrieval import PER_DOCUMENT, RERANKED
from docxchunk.retrieval.finding.names import NO_TEXT
from docxchunk.retrieval.folders.current import CurrentIndex, Progress, folder_of, key_of
from docxchunk.retrieval.folders.hits import Hit, chosen, first_of_each, hit_of, ranked_again
from docxchunk.retrieval.folders.index import StoredIndex
from docxchunk.retrieval.folders.indexed import unit_of
from docxchunk.retrieval.folders.library import Library, state_of, told_inputs
from docxchunk.retrieval.folders.listing import DocumentLine, none_fits, unread
from docxchunk.retrieval.folders.models import search_embedder, search_scorer
from docxchunk.retrieval.folders.questions import Questions
from docxchunk.retrieval.folders.ranking import UNRANKED
from docxchunk.retrieval.reading import Reader
from docxchunk.sources import Paths, given_paths

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_QUESTION: Final = 10_000  # characters

_TRIED: Final = 10  # hits of a document for each that may be shown
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_TOLD_FROM: Final = 4  # one of so many words is missing
_INSTEAD: Final = ", or search by meaning, too: docxchunk search --setup MODEL"
_AT_ONCE: Final = 0.3  # seconds
_IN_PART: Final = "Of the {:,} of {:,} documents read so far (ask again for the others):"

_T = TypeVar("_T")
_P = ParamSpec("_P")


def _again_if_damaged(
    method: Callable[Concatenate[Collection, _P], _T],
) -> Callable[Concatenate[Collection, _P], _T]:
    """Return a method that is called again with a new index if the kept one is damaged."""

    @wraps(method)
    def retried(self: Collection, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return method(self, *args, **kwargs)
        except AlteredArrayError:
            self.forget()
            return method(self, *args, **kwargs)

    return retried


class Collection(Questions):
    """Some documents: Word files, parsed folders, text files.

    `inputs` returns the documents as they are now. For a parsed folder, the search uses its chunks.
    For a Word file with an up-to-date parsed folder beside it, it uses the chunks of this folder.
    For any other document, it uses chunks of up to 512 tokens. With a `key`, the index is kept
    between runs under this name in the cache folder of the user. `rules` say which lines are
    headings, as those of `ParseOptions`. An `embedder` adds its score to
    that of the words. With a `scorer`, a causal language model, a search ranks the best units again
    by how likely the question is after each (PPLRerank of Meta-Chunking). `progress` is called with
    the name of the step, the number of items that are done, and the number of all items. Several
    threads may search at the same time. Raise MissingExtraError without numpy.

    A search waits until all documents are read. With a `patience`, a search waits for so many
    seconds, and then looks in those that are read: the others are read beside it.
    """

    def __init__(  # noqa: PLR0913 - options by keyword
        self,
        inputs: Callable[[], Iterable[Input]],
        *,
        key: str = "",
        jobs: Jobs = 1,
        embedder: str | Embedder = "",
        scorer: str | Scorer = "",
        rules: Mapping[str, int | str] = NO_RULES,
        progress: Progress = lambda *_: None,
        patience: float | None = None,
    ) -> None:
        if not callable(inputs):
            raise UsageError(f"inputs is {inputs!r}; Collection.at takes paths.")
        self._rules = given_rules(rules)
        self._embedder = search_embedder(embedder)
        self._scorer = search_scorer(scorer)
        self._patience = patience
        reading = reading_with(self._rules)
        self._index = CurrentIndex(
            inputs,
            reading,
            folder=folder_of(key) if key else None,
            jobs=jobs,
            embedder=self._embedder,
            progress=progress,
        )
        super().__init__(Library(inputs, reading, self._index.document))

    @classmethod
    def at(  # noqa: PLR0913 - one for each choice of the user
        cls,
        paths: Paths,
        *,
        cache: bool = True,
        jobs: Jobs = 1,
        embedder: str | Embedder = "",
        scorer: str | Scorer = "",
        rules: Mapping[str, int | str] = NO_RULES,
        metadata: Rows | None = None,
        progress: Progress = lambda *_: None,
        tell: Callable[[str], object] = lambda _: None,
    ) -> Collection:
        """Return the documents at some paths; folders are searched recursively. With `cache`, the
        index is kept between runs. `embedder` and `scorer` are models or their names, as in
        `docxchunk.models`. `metadata` are those of the documents by path, as `read_metadata`
        returns them; they replace those in parsed folders. Before a search, `tell` is called with a
        sentence if parsed folders are left out because their Word files are searched, if one is
        read that has other options, and if metadata are without a document.
        Raise MissingFileError, on the first search, for a path without documents.
        """
        names = given_paths(paths)
        known = given_rules(rules)
        return cls(
            partial(told_inputs, names, tell, reading_with(known), metadata),
            key=key_of(names, known) if cache else "",
            jobs=jobs,
            embedder=embedder,
            scorer=scorer,
            rules=known,
            progress=progress,
        )

    # -- the documents

    def documents(self) -> dict[str, Input]:
        """Return the documents that exist now by name."""
        return self.library.documents()

    def named(self, name: str) -> Input:
        """Return the document with a name: see `Library.named`."""
        return self.library.named(name)

    def listed_name(self, name: str) -> str:
        """Return the name of a document as it is listed: see `Library.listed_name`."""
        return self.library.listed_name(name)

    def reader(self, name: str) -> Reader:
        """Return the reader of the document with a name."""
        return self.library.reader(name)

    def read(self, item: Input) -> Reader:
        """Return the reader of one of the documents. Raise InputError if it cannot be read."""
        return self.library.read(item)

    def listing(self, items: Iterable[Input]) -> list[DocumentLine]:
        """Return what is known of some of the documents now, or after a short time."""
        known = self._index.current(_AT_ONCE).documents
        return [
            (known.get(state_of(item)) or unread(item)).with_given(item.metadata) for item in items
        ]

    def only(self, name: str) -> Collection:
        """Return the collection in which to search one document: this one or, if the document is
        not in its index yet, a collection of the document alone. Raise MissingFileError for a name
        that is not listed.
        """
        item = self.named(name)
        if state_of(item) in self._index.current(0).documents:
            return self
        embedder, scorer = self._embedder or "", self._scorer or ""
        return Collection(lambda: [item], embedder=embedder, scorer=scorer, rules=self._rules)

    @_again_if_damaged
    def likely(self, text: str, share: float) -> Iterable[Input]:
        """Return what `Questions.likely` returns, from the index, without documents that cannot be
        read.
        """
        stored, present = self._index.current(self._patience), self._index.present
        self.unreadable = self.failures
        states = (state for state in stored.likely(text, share) if state in present)
        return [present[state] for state in states if not stored.documents[state].note]

    # -- the index

    @property
    def failures(self) -> list[tuple[str, str]]:
        """The documents that the last search could not read, each with the reason."""
        lines = self._index.stored.documents.values()
        return [(line.document, line.note) for line in lines if line.note]

    def unread(self) -> str:
        """Return a line that says in how many documents the last search looked; "" for all."""
        present = self._index.present
        number = len(present.keys() & self._index.stored.documents)
        return "" if number == len(present) else _IN_PART.format(number, len(present))

    def settle(self) -> None:
        """Read the documents, and take them as they are now: later questions do not look whether
        they have changed.
        """
        self._index.settle()

    def forget(self) -> None:
        """Forget the index, also the kept one. The next question makes it again."""
        self._index.forget()

    def close(self) -> None:
        """Stop to read documents beside searches."""
        self._index.close()

    # -- the search

    @_again_if_damaged
    def search(
        self,
        question: str,
        limit: int = 10,
        document: str = "",
        *,
        per_document: int | None = None,
        where: Mapping[str, Property] = {},
    ) -> list[Hit]:
        """Return the best units for a question, best first: of several documents, at most
        `per_document` of each. By default, three of each come first, and others follow if these are
        fewer than `limit`. A text that is in several places comes once. Rows of a form that
        nobody filled in are left out. With `document`, the name of a document, search only this
        document; with `where`, only those with these values of metadata or properties. Raise
        UsageError for invalid arguments, and MissingFileError if no document has these values.
        """
        limit = whole("limit", limit)
        if per_document is not None:
            per_document = whole("per_document", per_document)
        if len(expect("question", question, str)) > LONGEST_QUESTION:
            raise UsageError(f"A question has at most {LONGEST_QUESTION:,} characters.")
        patience = 0 if document and self._patience is not None else self._patience
        stored = self._index.current(patience)
        question_words = stored.ranking.words_of(question)
        documents = self._fitting(stored, document, where)
        vector = self._vector(stored, question)
        if document or len(self._index.present) == 1:
            per_document = maxsize
        best_first = stored.best_first(question_words, documents, vector)
        most = _TRIED * (per_document or max(PER_DOCUMENT, limit))
        tried = first_of_each(best_first, stored.document_of, most)
        hits = (hit_of(stored, number, score, question) for number, score in tried)
        if self._scorer is None:
            return chosen(hits, limit, per_document)
        best_hits = chosen(hits, max(limit, RERANKED), per_document)
        return ranked_again(best_hits, question, self._scorer)[:limit]

    def _vector(self, stored: StoredIndex, question: str) -> NDArray[np.float32] | None:
        """Return the vector of a question; None if it has no words, or units have no vectors."""
        embedder = self._embedder
        if (
            embedder is None
            or not self._index.has_vectors_of(stored)
            or not question.strip()
            or not reads(embedder, question)
        ):
            return None
        vector: NDArray[np.float32] = embedder.embed([prompts(embedder).question + question])[0]
        return vector

    def _fitting(self, stored: StoredIndex, document: str, where: Metadata) -> list[int]:
        """Return the indices of the documents that have this name ("": any) and these values. Raise
        MissingFileError if documents have the name, but none of them has the values.
        """
        present, states = self._index.present, stored.states
        items = {n: present[states[n]] for n in stored.labelled(document) if states[n] in present}
        if not where:
            return list(items)
        known = list(stored.documents.values())
        lines = {n: known[n].with_given(item.metadata) for n, item in items.items()}
        fitting = [n for n, line in lines.items() if line.fits(where)]
        if lines and not fitting:
            sentence = none_fits(list(lines.values()), where)
            raise MissingFileError(" ".join(filter(None, (self.unread(), sentence))))
        return fitting

    @_again_if_damaged
    def remarks(
        self,
        question: str,
        limit: int = 3,
        document: str = "",
        *,
        where: Mapping[str, Property] = {},
    ) -> list[Hit]:
        """Return the comments, and the texts that tracked changes delete, that have most of the
        words of a question, best first. They are no results of `search`: they are not in the text.
        """
        stored = self._last()
        documents = self._fitting(stored, document, where)
        remarks = stored.remarks(expect("question", question, str), documents)
        return [hit_of(stored, number, 0.0, question) for number, _ in remarks[:limit]]

    def nothing(self, document: str = "") -> str:
        """Return a sentence that says why a search has no hit: there are no documents, no text, or
        none of the words.
        """
        stored = self._last()
        numbers, known = stored.labelled(document), list(stored.documents.values())
        if any(map(stored.units_of, numbers)):
            return (
                "No place has a word of the question ('the', 'and' and the like do not count): "
                "try other words."
            )
        names = [known[number].document for number in numbers if not known[number].note]
        if not names:
            if numbers:
                return "No document could be read."
            is_there = any(document in ("", state.label) for state in self._index.present)
            return "No document is read yet." if is_there else "There are no documents."
        sentence = NO_TEXT.format(names[0])
        return sentence if len(names) == 1 else f"None of the {len(names):,} documents has text."

    @_again_if_damaged
    def missing_words(self, question: str, document: str = "") -> list[str]:
        """Return the words of a question that the documents of the last search do not have, in any
        form: none if these are few, less than a quarter of its words. Words that only ask, such as
        "how" and "may", do not count, nor do words of scripts without spaces.
        """
        stored = self._last()
        documents = stored.labelled(document)
        asked = {
            at.word: question[at.start : at.end]
            for at in words_at(question)
            if at.word not in ASKING and not _UNSPACED.match(at.word)
        }
        missing = [text for word, text in asked.items() if not stored.has_word(word, documents)]
        return missing if len(missing) * _TOLD_FROM >= len(asked) else []

    def advice(self, question: str, document: str = "") -> str:
        """Return a sentence that names the `missing_words` of a question, and what to do; "" if
        there are none.
        """
        missing = self.missing_words(question, document)
        if not missing:
            return ""
        instead = "" if self._embedder else _INSTEAD
        where = "this document" if document else "these documents"
        return f"Not in {where}: {', '.join(missing)}. Say it in other words{instead}."

    @_again_if_damaged
    def around(self, hit: Hit, to: Literal["chunk", "section"] = "chunk") -> list[Unit]:
        """Return the units of the chunk or section of a hit of the last search, in reading order.
        Whole tables are left out: their rows are units, too.
        """
        stored = self._last()
        identifier = hit.unit.chunk_id if to == "chunk" else hit.unit.section_id
        document = stored.labelled(hit.document)[0]
        lines = map(stored.line, stored.units_of(document))
        units = [unit_of(data) for data in lines if identifier.encode() in data]
        return [
            unit
            for unit in units
            if identifier == (unit.chunk_id if to == "chunk" else unit.section_id)
            and unit.kind not in UNRANKED
        ]

    def _last(self) -> StoredIndex:
        """Return the index of the last search."""
        return self._index.stored if self._index.present else self._index.current(self._patience)


def search(  # noqa: PLR0913 - options by keyword
    paths: Paths,
    question: str,
    *,
    limit: int = 10,
    cache: bool = True,
    embedder: str | Embedder = "",
    scorer: str | Scorer = "",
    rules: Mapping[str, int | str] = NO_RULES,
    metadata: Rows | None = None,
    where: Mapping[str, Property] = {},
) -> list[Hit]:
    """Return the places in documents that fit the words of a question, best first.

    `paths` is one or several paths of Word files, parsed folders, text files and folders. With
    `cache`, the index is kept for the next search. `rules` say which lines are headings, as those
    of `ParseOptions`. An `embedder` (a model folder, "hashing", or a
    model) adds its score, and a `scorer` ranks the best places again: see `Collection`. `metadata`
    are those of the documents by path, and with `where`, only documents with these values are
    searched: see `Collection.at` and `Collection.search`. For many questions, make a `Collection`
    once. Raise MissingExtraError without numpy, MissingFileError for a path without documents and
    for values that no document has.
    """
    collection = Collection.at(
        paths, cache=cache, embedder=embedder, scorer=scorer, rules=rules, metadata=metadata
    )
    return collection.search(question, limit, where=where)
