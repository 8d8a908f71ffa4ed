"""The index of the documents as they are now: kept between runs, and made anew for documents that
have changed.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Final

from docxchunk.backends.array_file import AlteredArrayError
from docxchunk.backends.cache import cache_folder
from docxchunk.batch.inputs import Input
from docxchunk.batch.jobs import Reading, size_of
from docxchunk.batch.pool import Failed, Jobs, run
from docxchunk.errors import OutputError
from docxchunk.model.document import Document
from docxchunk.model.ports import Embedder, prompts
from docxchunk.model.rules import NO_RULES, Rules
from docxchunk.records.whole import unpacked
from docxchunk.registry import extra_for
from docxchunk.retrieval.folders.index import StoredIndex
from docxchunk.retrieval.folders.indexed import Indexed, indexed, unit_of
from docxchunk.retrieval.folders.library import State, Unshared, state_of
from docxchunk.retrieval.folders.listing import DocumentLine
from docxchunk.sidecar.atomic import claimed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Progress = Callable[[str, int, int], None]
_LOG: Final = logging.getLogger(__name__)
_BETWEEN: Final = 2.0  # seconds after which the documents that were read are added to the index
_WORTH: Final = 4  # seconds of reading for each second of adding
_HELD: Final = 32 << 20  # bytes of documents that were read and are not in the index yet
_BATCH: Final = 512  # texts that are embedded at once


class CurrentIndex:
    """The index of the documents that `inputs` returns, as they are now. With a `folder`, it is
    kept there. It has the vectors of an `embedder`, if there is one. Several threads may ask for it
    at the same time.

    - `stored`: the index when it was asked for last.
    - `present`: the documents at that time, by state.
    """

    def __init__(  # noqa: PLR0913 - options by keyword
        self,
        inputs: Callable[[], Iterable[Input]],
        reading: Reading,
        *,
        folder: Path | None,
        jobs: Jobs,
        embedder: Embedder | None,
        progress: Progress,
    ) -> None:
        self._inputs = inputs
        self._reading = reading
        self._folder = folder
        self._jobs = jobs
        self._embedder = embedder
        self._progress = progress
        self.stored = StoredIndex.empty()
        self.present: Mapping[State, Input] = {}
        self._mark = b""  # of the kept index that was loaded or saved last
        self._embedded: StoredIndex | None = None  # the index that has all vectors
        self._background = _Background()
        self._error: Exception | None = None
        self._is_closed = False
        self._is_settled = False

    def current(self, patience: float | None) -> StoredIndex:
        """Return the index of the documents as they are now; with a `patience`, of those that can
        be read in this number of seconds.
        """
        if self._is_settled:
            return self.stored
        self.present = {state_of(item): item for item in self._inputs()}
        if not self._is_complete():
            self._load()  # another process may have read them
        if not self._is_complete() and patience is None:
            self._read_all()
        elif not self._is_complete():
            with self._background.lock:
                if not self._background.thread.is_alive():
                    self._background.thread = Thread(target=self._read_in_background, daemon=True)
                    self._background.thread.start()
            self._background.thread.join(patience)
            if self._error:
                raise self._error
        return self.stored

    def document(self, state: State) -> Document | None:
        """Return a document of the index; None if it is not there."""
        try:
            data = self.stored.packed(state)
        except AlteredArrayError:
            self.forget()
            return None
        return unpacked(data) if data else None

    def has_vectors_of(self, stored: StoredIndex) -> bool:
        """Return whether all units of an index have vectors. During reading, some have none."""
        return self._embedded is stored

    def settle(self) -> None:
        """Read the documents, and take them as they are now."""
        self.current(None)
        self._is_settled = True

    def forget(self) -> None:
        """Forget the index, also the kept one. It is made again when it is asked for."""
        self.stored, self._is_settled = StoredIndex.empty(), False
        if self._folder is not None:
            with suppress(OSError):
                StoredIndex.remove(self._folder)
            self._mark = StoredIndex.mark(self._folder)

    def close(self) -> None:
        """Stop to read documents."""
        self._is_closed = True

    def _is_complete(self) -> bool:
        has_vectors = self._embedder is None or self.has_vectors_of(self.stored)
        return has_vectors and self.stored.states == tuple(self.present)

    def _read_in_background(self) -> None:
        self._error = None
        try:
            self._read_all()
        except Exception as error:  # noqa: BLE001 - searches raise it
            self._error = error

    def _read_all(self) -> None:
        """Read the documents that are not in the index, unless another thread or process does."""
        with self._background.reading, ExitStack() as stack:
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
                self._read_new(self.present)

    def _load(self) -> None:
        """Load the kept index, if it is not the one that was loaded or saved last."""
        if self._folder and (mark := StoredIndex.mark(self._folder)) != self._mark:
            self.stored = StoredIndex.load(self._folder) or self.stored
            self._mark = mark

    def _read_new(self, present: Mapping[State, Input]) -> None:
        """Read the documents that are not in the index, small ones first, so that many are found
        soon. After some time, or if they take much memory, add those that are read.
        """
        unread = sorted(present.keys() - self.stored.documents, key=attrgetter("size", "label"))
        new: dict[State, Indexed] = {}
        size, due = 0, monotonic() + _BETWEEN
        items = [present[state] for state in unread]
        with closing(
            run(partial(indexed, reading=self._reading), items, self._jobs, size_of)
        ) as outcomes:
            for number, (state, outcome) in enumerate(zip(unread, outcomes, strict=True), 1):
                self._progress("documents read", len(present) - len(unread) + number, len(present))
                new[state] = (
                    Indexed(DocumentLine(state.label, note=outcome.sentence))
                    if isinstance(outcome, Failed)
                    else outcome
                )
                if self._is_closed:
                    break
                size += new[state].size
                if monotonic() > due or size > _HELD:
                    began = monotonic()
                    self._add(present, new)
                    new, size = {}, 0
                    due = monotonic() + max(_BETWEEN, _WORTH * (monotonic() - began))
        self._add(present, new)

    def _add(self, present: Iterable[State], new: Mapping[State, Indexed]) -> None:
        """Add documents to the index, and remove those that have changed or are gone."""
        stored = self.stored
        if stored.states != tuple(present):
            stored = stored.updated(present, new)
        if self._embedder is not None:
            stored = self._with_vectors(stored, self._embedder)
        is_same, self.stored = stored is self.stored, stored
        if self._folder and not is_same:
            try:
                self.stored = stored.saved(self._folder)
                self._mark = StoredIndex.mark(self._folder)
            except (OSError, OutputError) as error:
                _LOG.warning("The index cannot be kept: %s", error)
        self._embedded = self.stored
        _give_back()

    def _with_vectors(self, stored: StoredIndex, embedder: Embedder) -> StoredIndex:
        """Return the index with the vectors of all ranked units."""
        from docxchunk.backends.embeddings import window_warning

        # what the vectors depend on
        model = f"{embedder.fingerprint} {prompts(embedder).text}".strip()
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


class _Background(Unshared):
    """The thread that reads documents beside searches, and the locks for it."""

    def __init__(self) -> None:
        self.lock, self.reading, self.thread = Lock(), Lock(), Thread()


def _give_back() -> None:
    """Give the memory that is free back to the system. The allocator of Linux keeps it."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def key_of(paths: Iterable[str], rules: Rules = NO_RULES) -> str:
    """Return the key of the documents at some paths, read by some rules."""
    levels = [f"{name} = {level}" for name, level in sorted(rules.items())]
    return "\n".join([*(str(Path(path).absolute()) for path in paths), *levels])


def folder_of(key: str) -> Path:
    """Return the folder of the index with a key."""
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    with extra_for("The search", "", "search"):
        return cache_folder() / "search" / digest
