"""Search the documents at some paths. The index is kept in the cache folder of the user, and made
anew for documents that have changed.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from functools import partial, wraps
from itertools import islice
from operator import attrgetter
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Concatenate, Final, Literal, ParamSpec, TypeVar

import orjson

from docxchunk.backends.array_file import AlteredArrayError
from docxchunk.backends.bm25 import WordAt, stem, words, words_at, words_of_question
from docxchunk.backends.cache import cache_folder
from docxchunk.batch.inputs import Input
from docxchunk.batch.jobs import reading_with, size_of
from docxchunk.batch.pool import Failed, Jobs, run
from docxchunk.errors import MissingFileError, OutputError, UsageError
from docxchunk.language.asking import ASKING
from docxchunk.language.column_names import BLANK
from docxchunk.language.scripts import UNSPACED
from docxchunk.model.chunks import Unit, UnitKind
from docxchunk.model.document import Property
from docxchunk.model.fields import expect, whole
from docxchunk.model.metadata import Metadata, Rows
from docxchunk.model.ports import Embedder, Models, Scorer, prompts, reads
from docxchunk.model.rules import NO_RULES, Rules, given_rules
from docxchunk.records.whole import unpacked
from docxchunk.registry import extra_for
from docxchunk.retrieval import PER_DOCUMENT, RERANKED
from docxchunk.retrieval.finding.names import NO_TEXT
from docxchunk.retrieval.folders.index import LEAD_IN, Indexed, StoredIndex, indexed, unit_of
from docxchunk.retrieval.folders.library import (
    DocumentLine,
    Library,
    State,
    none_fits,
    reader_with,
    state_of,
    told_inputs,
    unread,
)
from docxchunk.retrieval.folders.ranking import UNRANKED
from docxchunk.retrieval.folders.reranking import query_losses
from docxchunk.retrieval.reading import Reader
from docxchunk.sidecar.atomic import claimed
from docxchunk.sources import Paths, given_paths

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST_QUESTION: Final = 10_000  # characters

_MOST_NAMED: Final = 10  # other places of a text
_LOOKED_AT: Final = 3  # hits for each that is shown, for the places of equal texts
_TRIED: Final = 10  # hits of a document for each that may be shown
_LONGEST_LABEL: Final = 5  # words beside a blank
_LOG: Final = logging.getLogger(__name__)
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_TOLD_FROM: Final = 4  # one of so many words is missing
_INSTEAD: Final = ", or search by meaning, too: docxchunk search --setup MODEL"
_BETWEEN: Final = 2.0  # seconds after which the documents that were read are added to the index
_WORTH: Final = 4  # seconds of reading for each second of adding
_HELD: Final = 32 << 20  # bytes of documents that were read and are not in the index yet
_AT_ONCE: Final = 0.3  # seconds
_IN_PART: Final = "Of the {:,} of {:,} documents read so far (ask again for the others):"
_BATCH: Final = 512  # texts that are embedded at once
# the weight of the similarity, beside words of weight 1: it grows as the best units by words lack
# words of the question. Chosen on questions in other words than the documents have
_LEAST_WEIGHT: Final = 0.5
_GROWTH: Final = 4.0
_ALMOST_ALL: Final = 0.8  # the share of the words from which on the weight is the least
_BEST_BY_WORDS: Final = 5  # units
_SORTED: Final = 1000  # units that are sorted at once

_T = TypeVar("_T")
_P = ParamSpec("_P")


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
        question_stems = {stem(word) for each in self.words for word in words(each)}
        return [at for at in words_at(text) if stem(at.word) in question_stems]


Progress = Callable[[str, int, int], None]


def _again_if_damaged(
    method: Callable[Concatenate[Collection, _P], _T],
) -> Callable[Concatenate[Collection, _P], _T]:
    """Return a method that is called again with a new index if the kept one is damaged."""

    @wraps(method)
    def whole(self: Collection, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return method(self, *args, **kwargs)
        except AlteredArrayError:
            self.forget()
            return method(self, *args, **kwargs)

    return whole


class Collection(Library):
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
        super().__init__(inputs, reading_with(self._rules))
        self._jobs = jobs
        self._embedder = _checked(embedder) if embedder else None
        self._scorer = _scorer(scorer) if isinstance(scorer, str) else scorer
        self._progress = progress
        self._patience = patience
        self._folder = _folder_of(key) if key else None
        self._mark = b""  # of the kept index that was loaded or saved last
        self._stored = StoredIndex.empty()
        self._embedded: StoredIndex | None = None  # the index that has all vectors
        self._wanted: Mapping[State, Input] = {}  # the documents as they were last
        self._error: Exception | None = None
        self._is_closed = False
        self._is_settled = False

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

    @property
    def failures(self) -> list[tuple[str, str]]:
        """The documents that the last search could not read, each with the reason."""
        abouts = self._stored.documents.values()
        return [(each.document, each.note) for each in abouts if each.note]

    @_again_if_damaged
    def likely(self, text: str, share: float) -> Iterable[Input]:
        """Return what `Questions.likely` does, by the index: no documents that cannot be read."""
        stored = self._current(self._patience)
        self.unreadable = self.failures
        read = (each for each in stored.likely(text, share) if not stored.documents[each].note)
        return [self._wanted[each] for each in read if each in self._wanted]

    @_again_if_damaged
    def new_reader(self, item: Input, state: State) -> Reader:
        """Return a new reader of a document, from the index if it is there."""
        if data := self._stored.packed(state):
            return reader_with(item, unpacked(data), self._reading)
        return super().new_reader(item, state)

    def listing(self, items: Iterable[Input]) -> list[DocumentLine]:
        """Return what is known of some of the documents now, or after a short time."""
        self._current(_AT_ONCE)
        known = self._stored.documents
        return [_given(known.get(state_of(item)) or unread(item), item) for item in items]

    def only(self, name: str) -> Collection:
        """Return where to search one document: here, or alone if it is not in the index yet. Raise
        MissingFileError for a name that is not listed.
        """
        item = self.named(name)
        self._current(0)
        is_here = state_of(item) in self._stored.documents
        if is_here:
            return self
        embedder, scorer = self._embedder or "", self._scorer or ""
        return Collection(lambda: [item], embedder=embedder, scorer=scorer, rules=self._rules)

    def settle(self) -> None:
        """Read the documents, and take them as they are now: later questions do not look whether
        they have changed.
        """
        self._current(None)
        self._is_settled = True

    def unread(self) -> str:
        """Return a line that says in how many documents the last search looked; "" for all."""
        number, total = len(self._wanted.keys() & self._stored.documents), len(self._wanted)
        return "" if number == total else _IN_PART.format(number, total)

    def forget(self) -> None:
        """Forget the index, also the kept one. The next question makes it again."""
        self._stored, self._is_settled = StoredIndex.empty(), False
        if self._folder is not None:
            with suppress(OSError):
                StoredIndex.remove(self._folder)
            self._mark = StoredIndex.mark(self._folder)

    def close(self) -> None:
        """Stop to read documents beside searches."""
        self._is_closed = True

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
        stored = self._current(0 if document and self._patience is not None else self._patience)
        question_words = stored.ranking.words_of(question)
        documents = self._fitting(stored, document, where)
        vector: NDArray[np.float32] | None = None
        if (
            self._embedder is not None
            and self._embedded is stored  # not while documents are read beside
            and question.strip()
            and reads(self._embedder, question)
        ):
            vector = self._embedder.embed([prompts(self._embedder).question + question])[0]
        found = stored.scored(question_words, documents, vector)
        scores = found.scores
        if vector is not None and len(scores):
            best = (n for n, _ in islice(_best_first(found.numbers, scores), _BEST_BY_WORDS))
            scores = _added(scores, found.similar, _weight(stored, question_words, best))
        best_first = _best_first(found.numbers, scores)
        if document or len(self._wanted) == 1:
            per_document = max(limit, len(scores))
        most = _TRIED * (per_document or max(PER_DOCUMENT, limit))
        tried = _first_of_each(best_first, lambda each: stored.document_of(each[0]), most)
        hits = (self._hit(stored, number, score, question) for number, score in tried)
        if self._scorer is None:
            return _chosen(hits, limit, per_document)
        best_hits = _chosen(hits, max(limit, RERANKED), per_document)
        return _ranked_again(best_hits, question, self._scorer)[:limit]

    def _fitting(self, stored: StoredIndex, document: str, where: Metadata) -> list[int]:
        """Return the indices of the documents that have this name ("": any) and these values. Raise
        MissingFileError if documents have the name, but none of them has the values.
        """
        items = {n: self._wanted.get(stored.states[n]) for n in stored.labelled(document)}
        if not where:
            return [n for n, item in items.items() if item]
        abouts = list(stored.documents.values())
        lines = {n: _given(abouts[n], item) for n, item in items.items() if item}
        fitting = [n for n, about in lines.items() if about.fits(where)]
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
        found = stored.remarks(expect("question", question, str), documents)
        return [self._hit(stored, number, 0.0, question) for number, _ in found[:limit]]

    def nothing(self, document: str = "") -> str:
        """Return a sentence that says why a search has no hit: there are no documents, no text, or
        none of the words.
        """
        stored = self._last()
        numbers, every = stored.labelled(document), list(stored.documents.values())
        abouts = [every[number] for number in numbers]
        names = [each.document for each in abouts if not each.note]
        if any(map(stored.units_of, numbers)):
            return (
                "No place has a word of the question ('the', 'and' and the like do not count): "
                "try other words."
            )
        if not names:
            if abouts:
                return "No document could be read."
            is_there = any(document in ("", state.label) for state in self._wanted)
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
        wanted = hit.unit.chunk_id if to == "chunk" else hit.unit.section_id
        document = stored.labelled(hit.document)[0]
        lines = map(stored.line, stored.units_of(document))
        units = [unit_of(data) for data in lines if wanted.encode() in data]
        return [
            unit
            for unit in units
            if wanted == (unit.chunk_id if to == "chunk" else unit.section_id)
            and unit.kind not in UNRANKED
        ]

    def _hit(self, stored: StoredIndex, number: int, score: float, question: str) -> Hit:
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

    def _last(self) -> StoredIndex:
        """Return the index of the last search."""
        return self._stored if self._wanted else self._current(self._patience)

    # -- the index of the documents as they are now

    def _current(self, patience: float | None) -> StoredIndex:
        """Return the index of the documents as they are now; with a `patience`, of those that can
        be read in so many seconds.
        """
        if self._is_settled:
            return self._stored
        self._wanted = {state_of(item): item for item in self._inputs()}
        if not self._is_complete():
            self._load()  # another process may have read them
        if not self._is_complete() and patience is None:
            self._read_all()
        elif not self._is_complete():
            with self._runtime.lock:
                if not self._runtime.thread.is_alive():
                    self._runtime.thread = Thread(target=self._read_beside, daemon=True)
                    self._runtime.thread.start()
            self._runtime.thread.join(patience)
            if self._error:
                raise self._error
        return self._stored

    def _is_complete(self) -> bool:
        has_vectors = self._embedder is None or self._embedded is self._stored
        return has_vectors and self._stored.states == tuple(self._wanted)

    def _read_beside(self) -> None:
        self._error = None
        try:
            self._read_all()
        except Exception as error:  # noqa: BLE001 - searches raise it
            self._error = error

    def _read_all(self) -> None:
        """Read the documents that are not in the index, unless another thread or process does."""
        with self._runtime.reading, ExitStack() as stack:
            while not self._is_complete() and self._folder:
                mark = self._mark
                try:
                    stack.enter_context(claimed(self._folder))
                    self._load()
                    break
                except OutputError:
                    self._load()
                    if mark == self._mark:  # nothing new for a long time
                        break
            while not self._is_complete() and not self._is_closed:
                self._read_new(self._wanted)

    def _load(self) -> None:
        """Load the kept index, if it is not the one that was loaded or saved last."""
        if self._folder and (mark := StoredIndex.mark(self._folder)) != self._mark:
            self._stored = StoredIndex.load(self._folder) or self._stored
            self._mark = mark

    def _read_new(self, wanted: Mapping[State, Input]) -> None:
        """Read the documents that are not in the index, small ones first, so that many are found
        soon. After some time, or if they take much memory, add those that are read.
        """
        changed = sorted(wanted.keys() - self._stored.documents, key=attrgetter("size", "label"))
        new: dict[State, Indexed] = {}
        held, due = 0, monotonic() + _BETWEEN
        items = [wanted[each] for each in changed]
        with closing(
            run(partial(indexed, reading=self._reading), items, self._jobs, size_of)
        ) as read:
            for number, (state, each) in enumerate(zip(changed, read, strict=True), 1):
                self._progress("documents read", len(wanted) - len(changed) + number, len(wanted))
                if isinstance(each, Failed):
                    each = Indexed(DocumentLine(state.label, note=each.sentence))  # noqa: PLW2901 - without units
                new[state] = each
                if self._is_closed:
                    break
                held += each.size
                if monotonic() > due or held > _HELD:
                    began = monotonic()
                    self._add(wanted, new)
                    new, held = {}, 0
                    due = monotonic() + max(_BETWEEN, _WORTH * (monotonic() - began))
        self._add(wanted, new)

    def _add(self, wanted: Iterable[State], new: Mapping[State, Indexed]) -> None:
        """Add documents to the index, and remove those that have changed or are gone."""
        stored = self._stored
        if stored.states != tuple(wanted):
            stored = stored.updated(wanted, new)
        if self._embedder is not None:
            stored = self._with_vectors(stored, self._embedder)
        is_same, self._stored = stored is self._stored, stored
        if self._folder and not is_same:
            try:
                self._stored = stored.saved(self._folder)
                self._mark = StoredIndex.mark(self._folder)
            except (OSError, OutputError) as error:
                _LOG.warning("The index cannot be kept: %s", error)
        self._embedded = self._stored
        _give_back()

    def _with_vectors(self, stored: StoredIndex, embedder: Embedder) -> StoredIndex:
        """Return the index with the vectors of all ranked units."""
        from docxchunk.backends.embeddings import window_warning

        model = _model(embedder)
        missing = [segment.without_vectors(model) for segment in stored.segments]
        total, done = sum(map(len, missing)), 0
        segments = list(stored.segments)
        with window_warning(embedder, _LOG.warning):
            for index, numbers in enumerate(missing):
                vectors: list[NDArray[np.float32]] = []
                for start in range(0, len(numbers), _BATCH):
                    self._progress("texts embedded", done + start, total)
                    batch = numbers[start : start + _BATCH].tolist()
                    units = (unit_of(segments[index].line(number)) for number in batch)
                    texts = [prompts(embedder).text + unit.index_text for unit in units]
                    vectors.append(embedder.embed(texts))
                if vectors:
                    segments[index] = segments[index].with_vectors(model, numbers, vectors)
                done += len(numbers)
        return replace(stored, segments=segments) if total else stored


def _give_back() -> None:
    """Give the memory that is free back to the system. The allocator of Linux keeps it."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def key_of(paths: Iterable[str], rules: Rules = NO_RULES) -> str:
    """Return the key of the documents at some paths, read by some rules."""
    levels = [f"{name} = {level}" for name, level in sorted(rules.items())]
    return "\n".join([*(str(Path(path).absolute()) for path in paths), *levels])


def _folder_of(key: str) -> Path:
    """Return the folder of the index with a key."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    with extra_for("The search", "", "search"):
        return cache_folder() / "search" / digest


def _best_first(
    numbers: NDArray[np.int64], scores: NDArray[np.float32]
) -> Iterator[tuple[int, float]]:
    """Yield the numbers of units with their scores, best first; of equal ones, the first number."""
    import numpy as np

    waiting = np.arange(len(scores))
    while len(waiting):
        own = scores[waiting]
        few = len(own) > _SORTED
        least = np.partition(own, -_SORTED)[-_SORTED] if few else own.min()
        best, waiting = waiting[own >= least], waiting[own < least]
        best = best[np.lexsort((numbers[best], -scores[best]))]
        yield from zip(numbers[best].tolist(), scores[best].tolist(), strict=True)


def _first_of_each(
    items: Iterable[_T], document_of: Callable[[_T], int], most: int
) -> Iterator[_T]:
    """Yield the first items of each document, so many at most."""
    counts = Counter[int]()
    for item in items:
        document = document_of(item)
        counts[document] += 1
        if counts[document] <= most:
            yield item


def _chosen(hits: Iterable[Hit], limit: int, per_document: int | None) -> list[Hit]:
    """Return the first hits, at most `per_document` of a document, each text once, and no rows of a
    form that nobody filled in. With None, others follow `PER_DOCUMENT` of each document. The places
    of equal texts are looked for in `_LOOKED_AT` times as many hits.
    """
    chosen: dict[str, Hit] = {}
    others: dict[str, Hit] = {}
    of_documents = Counter[str]()
    for number, hit in enumerate(hits):
        if len(chosen) == limit and number >= _LOOKED_AT * limit:
            break
        text = " ".join(hit.text.split())
        if text in chosen:
            first = chosen[text]
            chosen[text] = replace(first, same=(*first.same, hit.unit.citation))
        elif len(chosen) == limit or (
            hit.unit.kind is UnitKind.ROW and _is_unfilled(hit.text.rpartition("\n")[2])
        ):
            continue
        elif of_documents[hit.document] < (per_document or PER_DOCUMENT):
            chosen[text] = hit
            others.pop(text, None)
            of_documents[hit.document] += 1
        elif per_document is None:
            others.setdefault(text, hit)
    return [*chosen.values(), *others.values()][:limit]


def _ranked_again(hits: Sequence[Hit], question: str, scorer: Scorer) -> list[Hit]:
    """Return the hits in the order of the loss of the question after each, which is the negative of
    their score.
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


def _scorer(name: str) -> Scorer | None:
    """Return the causal language model of a name; None for ""."""
    from docxchunk.backends.loading import ModelChoice, models

    return models(ModelChoice(scorer=name), ("scorer",)).scorer


def _checked(embedder: str | Embedder) -> Embedder | None:
    """Return an embedder, given as a model or by name, that checks its vectors; None for ""."""
    from docxchunk.backends.loading import ModelChoice, models
    from docxchunk.chunking.models import checked

    choice = (
        models(ModelChoice(embedder), ("embedder",))
        if isinstance(embedder, str)
        else Models(embedder=embedder)
    )
    return checked(choice, "The search").embedder


def _model(embedder: Embedder) -> str:
    """Return what the vectors of an index depend on."""
    return f"{embedder.fingerprint} {prompts(embedder).text}".strip()


def _weight(stored: StoredIndex, question_words: Sequence[str], numbers: Iterable[int]) -> float:
    """Return the weight of the similarity for a question, given the best units by words."""
    texts = (unit_of(stored.line(number)).index_text for number in numbers)
    share = stored.ranking.largest_share(question_words, texts)
    return _LEAST_WEIGHT + _GROWTH * max(0.0, _ALMOST_ALL - share)


def _added(
    words: NDArray[np.float32], similar: NDArray[np.float32], weight: float
) -> NDArray[np.float32]:
    """Return the sum of the scores by words, scaled from 0 to 1, and the similarities, scaled from
    0 to the weight.
    """
    low, high = float(similar.min()), float(similar.max())
    best = float(words.max())
    added: NDArray[np.float32] = weight * (similar - low) / ((high - low) or 1)
    return added + words / (best or 1)


def _given(line: DocumentLine, item: Input) -> DocumentLine:
    """Return what is known of a document with the metadata that are given for it, if any are."""
    return line if item.metadata is None else replace(line, metadata=item.metadata)


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
