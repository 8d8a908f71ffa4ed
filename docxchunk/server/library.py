"""The documents below a folder, read on demand, and cached until their file changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import RLock
from typing import Final, NamedTuple

from docxchunk.batch.failures import Failed, guarded
from docxchunk.batch.inputs import Input, Scan, find_each
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.model.wording import one_line
from docxchunk.retrieval.collection import Collection, Hit
from docxchunk.retrieval.inputs import State, reader_of, state_of
from docxchunk.retrieval.reading import Reader

_CANDIDATES: Final = 20  # places of other documents that may have a quotation


class CachedReader(NamedTuple):
    """The reader of a document, and the state of the document when it was read."""

    state: State
    reader: Reader


class Library:
    """The Word files and parsed folders below `folder`, named by relative path: `2024/report.docx`.
    Raises UsageError if it is not a folder.

    Only a listed name can be read, so no other path is accessible. Symbolic links are neither
    listed nor followed, and nothing is written.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder: give the one that contains the documents.")
        self.folder = folder.resolve()
        self._cached: dict[str, CachedReader] = {}
        self._collection = Collection(lambda: self._inputs().values())
        self._lock = RLock()

    def names(self) -> list[str]:
        """Return the names of the documents that exist now, sorted."""
        return list(self._inputs())

    def reader(self, name: str) -> Reader:
        """Return the reader of a document. Raise MissingFileError for a name that is not listed,
        InputError if the file cannot be read.
        """
        item = self._inputs().get(name)
        if item is None:
            raise MissingFileError(
                f"There is no document {name!r}: call list_documents for the names.", name
            )
        return self._reader(name, item)

    def search(self, question: str, limit: int, within: str = "") -> list[Hit]:
        """Return the places that fit a question best, best first. `within` is a document to search
        in; "": all.

        Files that cannot be read are skipped. Raise MissingFileError or InputError for `within`.
        """
        with self._lock:
            hits = self._collection.search(question, limit, within)
        if within and not hits:
            self.reader(within)  # raises the reason
        return hits

    def others(self, name: str, quote: str) -> Iterator[Reader]:
        """Yield the readers of the documents, without this one, that fit a quotation best."""
        names = dict.fromkeys(hit.document for hit in self.search(quote, _CANDIDATES))
        for other in names:
            if other != name:
                yield self.reader(other)

    def _reader(self, name: str, item: Input) -> Reader:
        with self._lock:
            known, state = self._cached.get(name), state_of(item)
            if known is None or known.state != state:
                reader = guarded(reader_of, item)
                if isinstance(reader, Failed):
                    raise InputError(reader.sentence)
                known = self._cached[name] = CachedReader(state, reader)
            return known.reader

    def _inputs(self) -> dict[str, Input]:
        items = find_each([str(self.folder)], Scan(recursive=True, parsed=True))
        inputs = [
            item
            for item in items
            if isinstance(item, Input) and not any(map(_has_links, {item.source, item.target}))
        ]
        names = [one_line(item.source.relative_to(self.folder).as_posix()) for item in inputs]
        return {name: item._replace(label=name) for name, item in zip(names, inputs, strict=True)}


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
