"""The documents at some paths: found, read when they are asked for, and read again when they have
changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from threading import Lock
from typing import Final, NamedTuple, TypeVar

from docxchunk.batch.inputs import Input, Scan, find_each
from docxchunk.batch.jobs import Reading, document_of, opened
from docxchunk.batch.pool import Failed, guarded
from docxchunk.errors import DocxchunkError, InputError, MissingFileError, UsageError
from docxchunk.model.options import ParseOptions, TrackChanges, different_options
from docxchunk.model.wording import counted, one_line, shortened
from docxchunk.retrieval.names import NO_TEXT
from docxchunk.retrieval.questions import Questions
from docxchunk.retrieval.reading import Reader
from docxchunk.sidecar.files import PARSED, below
from docxchunk.sidecar.reader import options_in
from docxchunk.sources import InputKind

_LONGEST_NAME: Final = 100  # characters of a name in a message

_LONGEST_TITLE: Final = 100
_TEMPLATE_TITLE: Final = re.compile(
    r"untitled|document\s?\d*|dokument\s?\d*|title|titel|template|microsoft word|"
    r"(?:microsoft )?(?:word|powerpoint)\b.*|.{0,100}\b(?:ab\.cde|xx\.xxx)\b.*|\W*|"
    r"\[[^\]]*\]|<[^>]*>",
    re.IGNORECASE,
)

_T = TypeVar("_T")
_R = TypeVar("_R")


def inputs_at(paths: Iterable[str], tell: Callable[[str], object] = lambda _: None) -> list[Input]:
    """Return the documents at and below some paths, each once. A Word file takes precedence over
    its parsed folder. Raise MissingFileError for a path without documents.

    `tell` is called with a sentence if parsed folders of the same documents are left out.
    """
    inputs: dict[Path, Input] = {}
    left_out: set[Path] = set()
    for item in find_each(paths, Scan(recursive=True, parsed=True)):
        if isinstance(item, Input):
            name = one_line(item.label.removesuffix(PARSED))
            inputs.setdefault(item.target.absolute(), item._replace(label=name))
        elif isinstance(item, DocxchunkError):
            raise item
        elif item.suffix == PARSED:
            left_out.add(item.path)
    if left_out:
        folders = counted(len(left_out), "parsed folder")
        tell(f"Left out: {folders} of documents whose Word files are searched.")
    return list(inputs.values())


def told_inputs(paths: Iterable[str], tell: Callable[[str], object]) -> list[Input]:
    """Return what `inputs_at` returns, and tell of parsed folders that are read in place of their
    Word files although their options are not the usual ones.
    """
    inputs, usual = inputs_at(paths, tell), ParseOptions()
    for item in inputs:
        folder = item.target
        is_beside = item.kind is InputKind.WORD and folder.is_dir()
        if is_beside and different_options(options_in(folder), usual):
            for note in opened(item).notes:
                tell(f"{item.label}: {note}")
    return inputs


def reader_of(item: Input, tell: Callable[[str], object] = lambda _: None) -> Reader:
    """Return the reader of a document. The name of the document is the label of the input. `tell`
    is called with each sentence about how the document is read.
    """
    before = Reading(ParseOptions(track_changes=TrackChanges.ORIGINAL))
    source = opened(item)
    for note in source.notes:
        tell(note)
    return Reader(
        replace(source.read(), name=item.label),
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
    source = one_line(str(item.source.absolute()))
    files = [] if item.kind is InputKind.PARSED else [item.source]
    try:
        if item.target.is_dir():
            files += (path for path in item.target.iterdir() if path.suffix == ".jsonl")
        statuses = [file.stat() for file in files]
    except OSError:
        return State(source, item.label, 0, -1)
    return State(
        source,
        item.label,
        max((max(each.st_mtime_ns, each.st_ctime_ns) for each in statuses), default=0),
        sum(each.st_size for each in statuses),
    )


# -- of one folder


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document of a folder.

    - `document`: its name.
    - `title`: its title, or the name without its suffix if it has none.
    - `sections`, `pages`, `tokens`: how many there are. `pages` is 0 if unknown.
    - `page_is_estimate`: whether the number of pages is an estimate.
    - `is_damaged`: whether a part of the text may be lost.
    - `changes`, `comments`: how many tracked changes and comments there are.
    """

    document: str
    title: str
    sections: int
    pages: int
    page_is_estimate: bool
    tokens: int
    is_damaged: bool
    changes: int
    comments: int

    def __str__(self) -> str:
        facts = [
            "damaged" if self.is_damaged else "",
            counted(self.changes, "tracked change") if self.changes else "",
            counted(self.comments, "comment") if self.comments else "",
            counted(self.sections, "section"),
            "about " * self.page_is_estimate + counted(self.pages, "page") if self.pages else "",
            f"{self.tokens:,} tokens",
        ]
        if not self.sections:
            return NO_TEXT.format(self.document)
        return f"{self.document}: {self.title} ({', '.join(filter(None, facts))})"


def about(reader: Reader) -> DocumentLine:
    """Return the line that a listing of documents shows for a document."""
    document = reader.document
    title = shortened(" ".join(document.title.split()), _LONGEST_TITLE)
    return DocumentLine(
        document.name,
        PurePath(document.name).stem if _TEMPLATE_TITLE.fullmatch(title) else title,
        len(document.blocks),
        max((line.page or 0 for block in document.blocks for line in block.lines), default=0),
        any(block.page_is_estimate for block in document.blocks),
        reader.tokens,
        reader.is_damaged,
        len(document.changes),
        len(document.comments),
    )


class _Cached(NamedTuple):
    """The reader of a document, and the state of the document when it was read."""

    state: State
    reader: Reader


class Library(Questions):
    """The Word files and parsed folders below `folder`, named by relative path: `2024/report.docx`.
    Raises UsageError if it is not a folder.

    Only a listed name can be read, so no other path is accessible. Symbolic links are neither
    listed nor followed, and nothing is written.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder: give the one that contains the documents.")
        super().__init__(lambda: self.documents().values(), self.read)
        self.folder = folder.resolve()
        self._cached: dict[str, _Cached] = {}
        self._lock = Lock()

    def documents(self) -> dict[str, Input]:
        """Return the documents that exist now by name, in the order of the names."""
        items = find_each([str(self.folder)], Scan(recursive=True, parsed=True))
        inputs = [
            item
            for item in items
            if isinstance(item, Input) and not any(map(_has_links, {item.source, item.target}))
        ]
        names = [one_line(item.source.relative_to(self.folder).as_posix()) for item in inputs]
        return {name: item._replace(label=name) for name, item in zip(names, inputs, strict=True)}

    def named(self, name: str) -> Input:
        """Return the document with a name. Raise MissingFileError for a name that is not listed."""
        if item := self.documents().get(name):
            return item
        shown = shortened(name, _LONGEST_NAME)
        raise MissingFileError(
            f"There is no document {shown!r}: call list_documents for the names.", shown
        )

    def reader(self, name: str) -> Reader:
        """Return the reader of the document with a name, as `named` and `read` do."""
        return self.read(self.named(name))

    def read(self, item: Input) -> Reader:
        """Return the reader of one of the documents. Raise InputError if it cannot be read."""
        with self._lock:
            cached, state = self._cached.get(item.label), state_of(item)
            if cached is None or cached.state != state:
                cached = self._cached[item.label] = _Cached(state, unless_failed(reader_of, item))
            return cached.reader


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
        return path.is_symlink() or any(each.is_symlink() for each in below(path))
    except OSError:
        return True
