"""The documents at some paths: found, read when they are asked for, and read again when they have
changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from threading import Lock
from typing import Final, NamedTuple, TypeVar

from docxchunk.batch.inputs import Input, Scan, find_each
from docxchunk.batch.jobs import USUAL, Reading, document_of, opened
from docxchunk.batch.metadata import with_metadata
from docxchunk.batch.pool import Failed, guarded
from docxchunk.errors import DocxchunkError, InputError, MissingFileError
from docxchunk.language.folding import alike
from docxchunk.model.document import Document
from docxchunk.model.fields import nearest
from docxchunk.model.metadata import Rows
from docxchunk.model.options import ParseOptions, TrackChanges, different_options
from docxchunk.model.wording import counted, one_line, shortened
from docxchunk.retrieval.folders.listing import LONGEST_NAME
from docxchunk.retrieval.reading import Reader
from docxchunk.sidecar.names import PARSED, absolute, below, is_folder
from docxchunk.sidecar.reader import options_in
from docxchunk.sources import InputKind

_SCAN: Final = Scan(recursive=True, parsed=True)
_FEW: Final = 2  # characters that are in too many names
_MOST_KEPT: Final = 96 << 20  # bytes of the readers that are kept, about
_EACH: Final = 10  # bytes for each character of a document, with the places and their words

_T = TypeVar("_T")
_R = TypeVar("_R")


def inputs_at(paths: Iterable[str], tell: Callable[[str], object] = lambda _: None) -> list[Input]:
    """Return the documents at and below some paths, each once. A Word file takes precedence over
    its parsed folder. Raise MissingFileError for a path without documents.

    `tell` is called with a sentence if parsed folders of the same documents are left out.
    """
    inputs: dict[str, Input] = {}
    left_out: set[Path] = set()
    for item in find_each(paths, _SCAN):
        if isinstance(item, Input):
            inputs.setdefault(os.path.normcase(absolute(item.target)), _labelled(item))
        elif isinstance(item, DocxchunkError):
            raise item
        elif item.suffix == PARSED:
            left_out.add(item.path)
    if left_out:
        folders = counted(len(left_out), "parsed folder")
        tell(f"Left out: {folders} of documents whose Word files are searched.")
    return list(inputs.values())


def inputs_below(folder: Path, metadata: Rows | None = None) -> list[Input]:
    """Return the documents below a folder, labelled by relative path: `2024/report.docx`, with the
    metadata that are given. Symbolic links, and what leads through one, are left out.
    """
    inputs = [
        _labelled(item)
        for item in find_each([str(folder)], _SCAN)
        if isinstance(item, Input) and not any(map(_has_links, {item.source, item.target}))
    ]
    return with_metadata(inputs, metadata)


def _labelled(item: Input) -> Input:
    return item._replace(label=one_line(item.label.removesuffix(PARSED)))


def told_inputs(
    paths: Iterable[str],
    tell: Callable[[str], object],
    reading: Reading,
    metadata: Rows | None = None,
) -> list[Input]:
    """Return what `inputs_at` returns, with the metadata that are given, and tell of parsed folders
    that are read in place of their Word files although their options are not the usual ones.
    """
    inputs, usual = with_metadata(inputs_at(paths, tell), metadata, tell), ParseOptions()
    for item in inputs if reading.as_parsed else ():
        folder = item.target
        is_beside = item.kind is InputKind.WORD and is_folder(folder)
        if is_beside and different_options(options_in(folder), usual):
            for note in opened(item).notes:
                tell(f"{item.label}: {note}")
    return inputs


def reader_of(
    item: Input, tell: Callable[[str], object] = lambda _: None, reading: Reading = USUAL
) -> Reader:
    """Return the reader of a document. The name of the document is the label of the input. `tell`
    is called with each sentence about how the document is read.
    """
    source = opened(item, reading)
    for note in source.notes:
        tell(note)
    return reader_with(item, source.read(), reading)


def reader_with(item: Input, document: Document, reading: Reading) -> Reader:
    """Return the reader of a document that was read."""
    before = Reading(replace(reading.options, track_changes=TrackChanges.ORIGINAL))
    return Reader(
        replace(document, name=item.label, assets={}),
        parse_original=partial(document_of, item, before) if item.kind is InputKind.WORD else None,
    )


class State(NamedTuple):
    """A document as it was when it was read: the time of the last change (ns) and the size of the
    file and its parsed folder together. They are 0 and -1 if they cannot be read.
    """

    source: str
    label: str
    changed: int
    size: int


def state_of(item: Input) -> State:
    """Return the state of a document as it is now."""
    source = one_line(absolute(item.source))
    files = [] if item.is_parsed else [item.source]
    try:
        if is_folder(item.target):
            files += (path for path in item.target.iterdir() if path.suffix == ".jsonl")
        statuses = [file.stat() for file in files]
    except OSError:
        return State(source, item.label, 0, -1)
    return State(
        source,
        item.label,
        max((max(status.st_mtime_ns, status.st_ctime_ns) for status in statuses), default=0),
        sum(status.st_size for status in statuses),
    )


class Library:
    """The documents that `inputs` returns, each named by its label, and their readers. Those that
    were used last are kept. Several threads may read: each waits for its own document only. `kept`
    returns the document of a state, if it need not be read from its file.
    """

    def __init__(
        self,
        inputs: Callable[[], Iterable[Input]],
        reading: Reading = USUAL,
        kept: Callable[[State], Document | None] = lambda _: None,
    ) -> None:
        self.inputs = inputs
        self._reading = reading
        self._kept = kept
        self._readers = _Readers()

    def documents(self) -> dict[str, Input]:
        """Return the documents that exist now by name."""
        return {item.label: item for item in self.inputs()}

    def named(self, name: str) -> Input:
        """Return the document with a name. Raise MissingFileError for a name that is not listed."""
        return self.documents()[self.listed_name(name)]

    def listed_name(self, name: str) -> str:
        """Return the name of a document as it is listed, for a name that may lack the folder or the
        ending, if no other document has it. Raise MissingFileError if none has, or several have it.
        """
        documents = self.documents()
        if name in documents:
            return name
        shown = shortened(name, LONGEST_NAME)
        folded = alike(shown.replace("\\", "/")).lower()
        possible = [listed for listed in documents if folded in _forms_of(listed)]
        if len(possible) == 1:
            return possible[0]
        if possible:
            sentence = f"{shown!r} is the name of {len(possible)} documents: give the folder, too."
            raise MissingFileError(sentence, shown)
        forms = {
            _stem(form): listed for listed in documents for form in (PurePath(listed).name, listed)
        }
        stem = _stem(shown)
        having = (form for form in forms if stem in PurePath(form).name)
        like = nearest(stem, forms) or (next(having, "") if len(stem) > _FEW else "")
        advice = f"the nearest is {forms[like]!r}" if like else "call list_documents for the names"
        raise MissingFileError(f"There is no document {shown!r}: {advice}.", shown)

    def reader(self, name: str) -> Reader:
        """Return the reader of the document with a name, as `named` and `read` do."""
        return self.read(self.named(name))

    def read(self, item: Input) -> Reader:
        """Return the reader of one of the documents. Raise InputError if it cannot be read."""
        state = state_of(item)
        return self._readers.of(state, partial(self._new_reader, item, state))

    def _new_reader(self, item: Input, state: State) -> Reader:
        if (document := self._kept(state)) is not None:
            return reader_with(item, document, self._reading)
        return unless_failed(partial(reader_of, reading=self._reading), item)


class Unshared:
    """What an object needs while it runs. A copy of the object gets a new one."""

    def __reduce__(self) -> tuple[type[Unshared], tuple[()]]:
        return type(self), ()


class _Readers(Unshared):
    """The readers that were used last, with about how many bytes each takes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._locks: dict[str, Lock] = {}
        self._kept: dict[State, tuple[Reader, int]] = {}  # the one used last at the end

    def of(self, state: State, new: Callable[[], Reader]) -> Reader:
        """Return the reader of a document with a state: the kept one, or a new one."""
        with self._lock:
            lock = self._locks.setdefault(state.source, Lock())
        with lock:
            entry = self._kept.get(state) or _with_size(new())
        with self._lock:
            self._kept.pop(state, None)
            self._kept[state] = entry
            left_out = sum(size for _, size in self._kept.values()) - _MOST_KEPT
            while left_out > 0 and len(self._kept) > 1:
                left_out -= self._kept.pop(next(iter(self._kept)))[1]
        return entry[0]


def _with_size(reader: Reader) -> tuple[Reader, int]:
    return reader, _EACH * sum(len(block.content) for block in reader.document.blocks)


def _forms_of(name: str) -> set[str]:
    """Return a name with and without its folder and its ending, folded."""
    forms = name, PurePath(name).name
    return {*(alike(form).lower() for form in forms), *map(_stem, forms)}


def _stem(name: str) -> str:
    return alike(name.rpartition(".")[0] or name).lower()


def unless_failed(function: Callable[[_T], _R], argument: _T) -> _R:
    """Return what a function returns. Raise InputError if it fails, for whatever reason."""
    result = guarded(function, argument)
    if isinstance(result, Failed):
        raise InputError(result.sentence)
    return result


def _has_links(path: Path) -> bool:
    """Return whether the path is a symbolic link, or a folder that contains one. Return True if
    that is unknown.
    """
    try:
        return path.is_symlink() or any(file.is_symlink() for file in below(path))
    except OSError:
        return True
