"""The documents below a folder, parsed when they are asked for and kept in memory until their file changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import RLock
from typing import Final, NamedTuple

from docxchunk import api
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import ParseJob, Reading, document_of
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.evaluation.retrievers import WordIndex
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.sidecar.reader import find_blocks

_TOKENS: Final = 400  # of what a search finds


class Kept(NamedTuple):
    """A document, the chunks that are searched, and the state of its file when it was read: time of change in nanoseconds, and size."""

    state: tuple[int, int]
    document: Document
    chunks: tuple[Chunk, ...]


class Found(NamedTuple):
    """A chunk that was found; `name` is that of its document."""

    name: str
    chunk: Chunk
    score: float


class Library:
    """Word files and parsed folders below `folder`, by their paths below it: `2024/report.docx`. Raises UsageError where that is no folder.

    A document is found by the name under which it is listed, so no other path can be read. Symbolic links are neither listed nor followed.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder: give the one that holds the documents.")
        self._folder = folder.resolve()
        self._kept: dict[str, Kept] = {}
        self._index: tuple[tuple[Kept, ...], WordIndex] | None = None
        self._lock = RLock()

    def names(self) -> list[str]:
        """The documents that are there now, in order of name."""
        return list(self._inputs())

    def document(self, name: str) -> Document:
        """Raises MissingFileError for a name that is not listed, InputError where the file cannot be read."""
        return self._read(name).document

    def search(self, query: str, limit: int, within: str = "") -> list[Found]:
        """The chunks that share words with the query, by BM25, the best first. `within` is the name of one document to search. Files that cannot be read are
        passed over.
        """
        with self._lock:
            kept = self._all()
            names = [name for name, each in kept.items() for _ in each.chunks]
            chunks = [chunk for each in kept.values() for chunk in each.chunks]
            if within and within not in kept:
                self._read(within)  # says why
            scores = self._indexed(tuple(kept.values())).scores(query) if chunks else ()
        found = [Found(name, chunk, float(score)) for name, chunk, score in zip(names, chunks, scores, strict=True) if score > 0 and within in ("", name)]
        return sorted(found, key=lambda each: -each.score)[:limit]

    def _inputs(self) -> dict[str, Input]:
        found = find_inputs([str(self._folder)], None, Scan(recursive=True, parsed=True))
        inputs = [item for item in found if isinstance(item, Input) and not _has_links(item.source)]
        return {item.source.relative_to(self._folder).as_posix(): item for item in inputs}

    def _read(self, name: str) -> Kept:
        item = self._inputs().get(name)
        if item is None:
            raise MissingFileError(f"There is no document {name!r}: list_documents names those that are there.", name)
        with self._lock:
            return self._current(name, item)

    def _current(self, name: str, item: Input) -> Kept:
        state = _state(item.source)
        known = self._kept.get(name)
        if known is None or known.state != state:
            document = document_of(ParseJob(item, Reading()))
            known = self._kept[name] = Kept(state, document, tuple(api.chunk(document, max_tokens=_TOKENS)))
        return known

    def _all(self) -> dict[str, Kept]:
        """Every document that can be read, as it is now; those that are gone are forgotten."""
        inputs = self._inputs()
        self._kept = {name: kept for name, kept in self._kept.items() if name in inputs}
        return dict(self._readable(inputs))

    def _readable(self, inputs: dict[str, Input]) -> Iterator[tuple[str, Kept]]:
        for name, item in inputs.items():
            try:
                yield name, self._current(name, item)
            except InputError:
                continue

    def _indexed(self, kept: tuple[Kept, ...]) -> WordIndex:
        """The index of these; made anew where one of them is another than before."""
        if self._index is None or len(self._index[0]) != len(kept) or any(old is not new for old, new in zip(self._index[0], kept, strict=True)):
            texts = [f"{chunk.context}\n{chunk.content}" for each in kept for chunk in each.chunks]
            self._index = kept, WordIndex(texts)
        return self._index[1]


def _has_links(path: Path) -> bool:
    """Is it a link, or a folder that holds one? The folders above it were walked without following any."""
    return path.is_symlink() or (path.is_dir() and any(each.is_symlink() for each in path.rglob("*")))


def _state(path: Path) -> tuple[int, int]:
    """Raises MissingFileError where the file is gone."""
    try:
        status = (find_blocks(path) if path.is_dir() else path).stat()
    except OSError as error:
        raise MissingFileError(f"{path.name} cannot be read ({error.strerror or error}).", path.name) from error
    return status.st_mtime_ns, status.st_size
