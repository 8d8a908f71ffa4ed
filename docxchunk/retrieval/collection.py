"""Search the documents at some paths. The index is kept in the cache folder of the user, and made
anew for documents that have changed.
"""

from __future__ import annotations

import hashlib
import logging
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from os import PathLike, fspath
from pathlib import Path
from typing import Final, Literal, NamedTuple

import orjson

from docxchunk import api
from docxchunk.backends.bm25 import need_bm25, words
from docxchunk.backends.cache import cache_folder
from docxchunk.batch.failures import Failed
from docxchunk.batch.inputs import Input, Scan, find_each
from docxchunk.batch.jobs import ParseJob, Reading, document_of
from docxchunk.batch.pool import Jobs, run
from docxchunk.chunking.search_units import units_of
from docxchunk.errors import DocxchunkError, InputError, OutputError
from docxchunk.markup.records.fields import Fields, line
from docxchunk.markup.records.units import read_unit, unit_record
from docxchunk.model.units import Unit, UnitKind
from docxchunk.registry import extra_for
from docxchunk.retrieval.index import UnitIndex
from docxchunk.sidecar.atomic import new_folder
from docxchunk.sidecar.chunks import chunks_in, read_chunks
from docxchunk.version import __version__

MAX_TOKENS: Final = 512
"""The limit of the chunks that are made for a document without chunks."""

_LOG: Final = logging.getLogger(__name__)
_FORMAT: Final = f"docxchunk-search 1 {__version__}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result.

    - `document`: the name of the document; in a folder, its path below the folder.
    - `unit`: the text that was found, with its citation.
    - `score`: higher is better; scores of different questions cannot be compared.
    - `words`: the words of the question that the unit has; () if only the text around it has some.
    """

    document: str
    unit: Unit
    score: float
    words: tuple[str, ...]


class _State(NamedTuple):
    """A document as it was when it was indexed: modification time (ns) and size of its file."""

    source: str
    label: str
    modified: int
    size: int


class _Stored(NamedTuple):
    """What is kept: the documents, the number of the first unit of each, the units as JSON lines
    and their index.
    """

    documents: tuple[_State, ...]
    starts: Sequence[int]
    offsets: Sequence[int]
    lines: bytes | Path
    ranking: UnitIndex

    def unit(self, number: int) -> Unit:
        first, last = int(self.offsets[number]), int(self.offsets[number + 1])
        if isinstance(self.lines, bytes):
            data = self.lines[first:last]
        else:
            with self.lines.open("rb") as file:
                file.seek(first)
                data = file.read(last - first)
        return _unit(data)

    def lines_of(self, document: int) -> list[bytes]:
        """Return the lines of the units of a document."""
        data = self.lines if isinstance(self.lines, bytes) else self.lines.read_bytes()
        numbers = range(self.starts[document], self.starts[document + 1])
        return [data[self.offsets[i] : self.offsets[i + 1]] for i in numbers]


class Collection:
    """Some documents: Word files, parsed folders, text files.

    `inputs` returns the documents as they are now. A parsed folder is searched by its chunks, any
    other document by chunks of up to 512 tokens. With a `key`, the index is kept between runs under
    this name in the cache folder of the user. Raise MissingExtraError without bm25s.
    """

    def __init__(
        self, inputs: Callable[[], Iterable[Input]], *, key: str = "", jobs: Jobs = 1
    ) -> None:
        need_bm25()
        self._inputs = inputs
        self._jobs = jobs
        self._stored: _Stored | None = None
        self._folder: Path | None = None
        self.failures: list[tuple[str, str]] = []
        """The documents that could not be read, each with the reason."""
        if key:
            digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:32]
            with extra_for("The search", "", "search"):
                self._folder = cache_folder() / "search" / digest

    @classmethod
    def at(
        cls, paths: api.StrPath | Iterable[api.StrPath], *, keep: bool = True, jobs: Jobs = 1
    ) -> Collection:
        """Return the documents at some paths; folders are searched recursively. With `keep`, the
        index is kept between runs. Raise MissingFileError, on the first search, for a path without
        documents.
        """
        several = [paths] if isinstance(paths, (str, PathLike)) else paths
        names = [fspath(path) for path in several]
        key = "\n".join(str(Path(name).absolute()) for name in names) if keep else ""
        return cls(partial(_inputs_at, names), key=key, jobs=jobs)

    def search(self, question: str, limit: int = 10, within: str = "") -> list[Hit]:
        """Return the best units for a question, best first. `within` is the name of a document to
        search in; "": all.
        """
        import numpy as np

        stored = self._current()
        scores = stored.ranking.scores(question)
        units = stored.ranking.units
        if within:
            names = [state.label for state in stored.documents]
            chosen = names.index(within) if within in names else len(names)
            first, last = (
                (stored.starts[chosen], stored.starts[chosen + 1]) if within in names else (0, 0)
            )
            scores = np.where((units >= first) & (units < last), scores, 0)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [
            self._hit(stored, int(units[i]), float(scores[i]), question)
            for i in best
            if scores[i] > 0
        ]

    def around(self, hit: Hit, within: Literal["chunk", "section"] = "chunk") -> list[Unit]:
        """Return the units of the chunk or section of a hit of the last search, in reading order.
        Whole tables are left out: their rows are units, too.
        """
        stored = self._stored or self._current()
        names = [state.label for state in stored.documents]
        wanted = hit.unit.chunk_id if within == "chunk" else hit.unit.section_id
        lines = stored.lines_of(names.index(hit.document))
        units = [_unit(data) for data in lines if wanted.encode() in data]
        return [
            unit
            for unit in units
            if wanted == (unit.chunk_id if within == "chunk" else unit.section_id)
            and unit.kind is not UnitKind.TABLE
        ]

    def _hit(self, stored: _Stored, number: int, score: float, question: str) -> Hit:
        unit = stored.unit(number)
        document = bisect_right(stored.starts, number) - 1
        own = set(words(unit.index_text))
        return Hit(
            stored.documents[document].label,
            unit,
            score,
            tuple(word for word in dict.fromkeys(words(question)) if word in own),
        )

    def _current(self) -> _Stored:
        """Return the index of the documents as they are now."""
        inputs = [(_state_of(item), item) for item in self._inputs()]
        states = tuple(state for state, _ in inputs)
        if self._stored is None and self._folder is not None:
            self._stored = _load(self._folder)
        if self._stored is None or self._stored.documents != states:
            self._stored = self._made(inputs)
        return self._stored

    def _made(self, inputs: Sequence[tuple[_State, Input]]) -> _Stored:
        before = self._stored
        known = {state: number for number, state in enumerate(before.documents)} if before else {}
        fresh = [item for state, item in inputs if state not in known]
        outcomes = iter(list(run(_lines_of, fresh, self._jobs)))
        documents: list[_State] = []
        lines: list[bytes] = []
        starts = [0]
        self.failures = []
        for state, _ in inputs:
            if before is not None and state in known:
                outcome: list[bytes] | Failed = before.lines_of(known[state])
            else:
                outcome = next(outcomes)
            if isinstance(outcome, Failed):
                self.failures.append((state.label, outcome.sentence))
                outcome = []
            documents.append(state)
            lines += outcome
            starts.append(len(lines))
        offsets = list(accumulate(map(len, lines), initial=0))
        ranking = UnitIndex.build(map(_unit, lines))
        stored = _Stored(tuple(documents), starts, offsets, b"".join(lines), ranking)
        if self._folder is not None:
            try:
                _save(stored, self._folder)
            except (OSError, OutputError) as error:
                _LOG.warning("The index cannot be kept at %s (%s).", self._folder, error)
        return stored


def _inputs_at(paths: Sequence[str]) -> Iterator[Input]:
    for item in find_each(paths, Scan(recursive=True, parsed=True)):
        if isinstance(item, Input):
            yield item
        elif isinstance(item, DocxchunkError):
            raise item


def _lines_of(item: Input) -> list[bytes]:
    """Return the units of a document as lines of JSON."""
    document = document_of(ParseJob(item, Reading()))
    tokenizer = api.tokenizer()
    files = chunks_in(item.source) if item.source.is_dir() else []
    chunks = (
        read_chunks(files[0]).chunks
        if files
        else api.chunk(document, max_tokens=MAX_TOKENS, tokenizer=tokenizer)
    )
    return [line(unit_record(unit)) for unit in units_of(document, chunks, tokenizer)]


def _unit(data: bytes) -> Unit:
    return read_unit(Fields(orjson.loads(data), "the search index"))


def _state_of(item: Input) -> _State:
    """Return the state of a document. Of a parsed folder, it is that of its newest file."""
    files = [item.source]
    if item.source.is_dir():
        files = [path for path in item.source.iterdir() if path.suffix == ".jsonl"]
    try:
        status = [file.stat() for file in files]
    except OSError as error:
        raise InputError(f"{item.source} cannot be read ({error.strerror or error}).") from error
    return _State(
        str(item.source.absolute()),
        item.label,
        max((each.st_mtime_ns for each in status), default=0),
        sum(each.st_size for each in status),
    )


def _save(stored: _Stored, folder: Path) -> None:
    import numpy as np

    with new_folder(folder) as fresh:
        stored.ranking.save(fresh)
        np.save(fresh / "offsets.npy", np.array(stored.offsets, dtype=np.int64))
        (fresh / "units.jsonl").write_bytes(
            stored.lines if isinstance(stored.lines, bytes) else stored.lines.read_bytes()
        )
        (fresh / "documents.json").write_bytes(
            orjson.dumps(
                {
                    "format": _FORMAT,
                    "documents": [list(state) for state in stored.documents],
                    "starts": stored.starts,
                }
            )
        )


def _load(folder: Path) -> _Stored | None:
    """Return the kept index; None if there is none, or it is not whole."""
    import numpy as np

    try:
        record = orjson.loads((folder / "documents.json").read_bytes())
        if record["format"] != _FORMAT:
            return None
        return _Stored(
            tuple(_State(*state) for state in record["documents"]),
            record["starts"],
            np.load(folder / "offsets.npy", mmap_mode="r"),
            folder / "units.jsonl",
            UnitIndex.load(folder),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def search(
    paths: api.StrPath | Iterable[api.StrPath], question: str, *, limit: int = 10, keep: bool = True
) -> list[Hit]:
    """Return the places of documents that fit a question best, by its words, best first.

    `paths` is one or several paths of Word files, parsed folders, text files and folders. With
    `keep`, the index is kept for the next search. For many questions, make a `Collection` once.
    Raise MissingExtraError without bm25s, MissingFileError for a path without documents.
    """
    return Collection.at(paths, keep=keep).search(question, limit)
