"""Parse the documents below a folder on demand, and cache them until their file changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import RLock
from typing import Final, NamedTuple

from docxchunk import api
from docxchunk.batch.failures import Failed, guarded
from docxchunk.batch.inputs import Input, Scan, find_each
from docxchunk.batch.jobs import ParseJob, Reading, document_of
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.evaluation.retrievers import WordIndex
from docxchunk.markup.names import one_line
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.sidecar.reader import find_blocks

_TOKENS: Final = 400  # maximum of a search result


class CachedDocument(NamedTuple):
    """A document, its chunks for the search, and the modification time (ns) and size of its file
    when it was read.
    """

    state: tuple[int, int]
    document: Document
    chunks: tuple[Chunk, ...]


class SearchResult(NamedTuple):
    """A chunk with its BM25 score and the name of its document."""

    name: str
    chunk: Chunk
    score: float


class Library:
    """The Word files and parsed folders below `folder`, named by relative path: `2024/report.docx`.
    Raises UsageError if it is not a folder.

    Only a listed name can be read, so no other path is accessible. Symbolic links are neither
    listed nor followed.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder: give the one that contains the documents.")
        self.folder = folder.resolve()
        self._kept: dict[str, CachedDocument] = {}
        self._index: tuple[tuple[CachedDocument, ...], WordIndex] | None = None
        self._lock = RLock()

    def names(self) -> list[str]:
        """Return the names of the documents that exist now, sorted."""
        return list(self._inputs())

    def document(self, name: str) -> Document:
        """Return a document. Raise MissingFileError for a name that is not listed, InputError if
        the file cannot be read.
        """
        return self._read(name).document

    def search(self, query: str, limit: int, within: str = "") -> list[SearchResult]:
        """Return the chunks with words of the query, best first by BM25. `within` restricts the
        search to one document.

        Files that cannot be read are skipped. Raise MissingFileError or InputError for `within`.
        """
        with self._lock:
            kept = self._all()
            names = [name for name, each in kept.items() for _ in each.chunks]
            chunks = [chunk for each in kept.values() for chunk in each.chunks]
            if within and within not in kept:
                self._read(within)  # raises the reason
            scores = self._indexed(tuple(kept.values())).scores(query) if chunks else ()
        found = [
            SearchResult(name, chunk, float(score))
            for name, chunk, score in zip(names, chunks, scores, strict=True)
            if score > 0 and within in ("", name)
        ]
        return sorted(found, key=lambda each: -each.score)[:limit]

    def _inputs(self) -> dict[str, Input]:
        found = find_each([str(self.folder)], Scan(recursive=True, parsed=True))
        inputs = [item for item in found if isinstance(item, Input) and not _has_links(item.source)]
        return {one_line(item.source.relative_to(self.folder).as_posix()): item for item in inputs}

    def _read(self, name: str) -> CachedDocument:
        item = self._inputs().get(name)
        if item is None:
            raise MissingFileError(
                f"There is no document {name!r}: call list_documents for the names.", name
            )
        with self._lock:
            return self._current(name, item)

    def _current(self, name: str, item: Input) -> CachedDocument:
        known, state = self._kept.get(name), _state(item.source)
        if known is None or known.state != state:
            outcome = guarded(_loaded, item)
            if isinstance(outcome, Failed):
                raise InputError(outcome.sentence)
            known = self._kept[name] = CachedDocument(state, *outcome)
        return known

    def _all(self) -> dict[str, CachedDocument]:
        """Return all readable documents as they are now, and drop deleted ones from the cache."""
        inputs = self._inputs()
        self._kept = {name: kept for name, kept in self._kept.items() if name in inputs}
        return dict(self._readable(inputs))

    def _readable(self, inputs: dict[str, Input]) -> Iterator[tuple[str, CachedDocument]]:
        for name, item in inputs.items():
            try:
                yield name, self._current(name, item)
            except InputError:
                continue

    def _indexed(self, kept: tuple[CachedDocument, ...]) -> WordIndex:
        """Return the index of these documents, rebuilt if one of them has changed."""
        if (
            self._index is None
            or len(self._index[0]) != len(kept)
            or any(old is not new for old, new in zip(self._index[0], kept, strict=True))
        ):
            texts = [f"{chunk.context}\n{chunk.content}" for each in kept for chunk in each.chunks]
            self._index = kept, WordIndex(texts)
        return self._index[1]


def _loaded(item: Input) -> tuple[Document, tuple[Chunk, ...]]:
    document = document_of(ParseJob(item, Reading()))
    return document, tuple(api.chunk(document, max_tokens=_TOKENS))


def _has_links(path: Path) -> bool:
    """Return whether the path is a symbolic link, or a folder that contains one; also if that
    cannot be seen.
    """
    try:
        return path.is_symlink() or (
            path.is_dir() and any(each.is_symlink() for each in path.rglob("*"))
        )
    except OSError:
        return True


def _state(path: Path) -> tuple[int, int]:
    """Return modification time (ns) and size. Raise MissingFileError if the file does not exist."""
    try:
        status = (find_blocks(path) if path.is_dir() else path).stat()
    except OSError as error:
        raise MissingFileError(
            f"{path.name} cannot be read ({error.strerror or error}).", path.name
        ) from error
    return status.st_mtime_ns, status.st_size
