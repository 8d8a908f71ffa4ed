"""The documents at some paths: found, read when they are asked for, and read again when they have
changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from threading import Lock, Thread
from typing import Final, NamedTuple, TypeVar

from docxchunk.batch.inputs import Input, Scan, find_each, with_metadata
from docxchunk.batch.jobs import USUAL, Reading, document_of, opened
from docxchunk.batch.pool import Failed, guarded
from docxchunk.errors import DocxchunkError, InputError, MissingFileError
from docxchunk.language.folding import alike
from docxchunk.language.patterns import pattern
from docxchunk.model.document import Document, Property
from docxchunk.model.fields import nearest
from docxchunk.model.metadata import Metadata, Rows
from docxchunk.model.options import Limits, ParseOptions, TrackChanges, different_options
from docxchunk.model.wording import counted, one_line, shortened
from docxchunk.reader.properties import title_in
from docxchunk.retrieval.finding.names import NO_TEXT
from docxchunk.retrieval.folders.questions import Questions
from docxchunk.retrieval.reading import Reader
from docxchunk.sidecar.names import PARSED, absolute, below, is_folder
from docxchunk.sidecar.reader import options_in
from docxchunk.sources import InputKind, bytes_in

_SCAN: Final = Scan(recursive=True, parsed=True)
_LONGEST_NAME: Final = 100  # characters of a name in a message
_FEW: Final = 2  # characters that are in too many names

_LONGEST_TITLE: Final = 100
_MOST_VALUES: Final = 10  # in a message
_MOST_KEPT: Final = 96 << 20  # bytes of the readers that are kept, about
_EACH: Final = 10  # bytes for each character of a document, with the places and their words
_TEMPLATE_TITLE: Final = pattern(
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
    files = [] if item.kind is InputKind.PARSED else [item.source]
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
    - `properties`, `metadata`: those of the document.
    - `note`: why nothing of this is known: the document is not read yet, or cannot be read.
    """

    document: str
    title: str = ""
    sections: int = 0
    pages: int = 0
    page_is_estimate: bool = False
    tokens: int = 0
    is_damaged: bool = False
    changes: int = 0
    comments: int = 0
    note: str = ""
    properties: Metadata = field(default_factory=dict, hash=False)
    metadata: Metadata = field(default_factory=dict, hash=False)

    def has(self, part: str) -> bool:
        """Return whether the name, the title or a value of the metadata has a part, in any case and
        with any accents.
        """
        texts = (self.document, self.title, *map(str, self.metadata.values()))
        return _plain(part) in _plain("\n".join(texts))

    @property
    def values(self) -> Metadata:
        """The values to filter by: the properties, and the metadata, which come first."""
        return {**self.properties, **self.metadata}

    def fits(self, where: Metadata) -> bool:
        """Return whether the document has these values, in any case and with any accents."""
        values = self.values
        return all(
            name in values and _plain(values[name]) == _plain(value)
            for name, value in where.items()
        )

    def __str__(self) -> str:
        facts = [
            "damaged" if self.is_damaged else "",
            counted(self.changes, "tracked change") if self.changes else "",
            counted(self.comments, "comment") if self.comments else "",
            counted(self.sections, "section"),
            "about " * self.page_is_estimate + counted(self.pages, "page") if self.pages else "",
            f"{self.tokens:,} tokens",
            *(f"{name}: {one_line(str(value))}" for name, value in self.metadata.items()),
        ]
        if self.note:
            note = f"{self.title} ({self.note})" if self.title else self.note
            return f"{self.document}: {note}"
        if not self.sections:
            return NO_TEXT.format(self.document)
        about = ", ".join(filter(None, facts))
        is_named = self.title != PurePath(self.document).stem
        return f"{self.document}: {f'{self.title} ({about})' if is_named else about}"


def _plain(value: Property) -> str:
    """Return a value for comparison."""
    return alike(str(value)).lower()


def none_fits(lines: Sequence[DocumentLine], where: Metadata) -> str:
    """Return a sentence that says that no document has these values, and which there are."""
    for name, value in where.items():
        if any(line.fits({name: value}) for line in lines):
            continue
        if known := sorted({str(line.values[name]) for line in lines if name in line.values}):
            lacking, kind = f"{name}={value}", "values"
        else:
            lacking, kind = f"a value named {name}", "names"
            known = list(dict.fromkeys(n for line in lines for n in (*line.metadata, *line.values)))
        return f"No document has {_listed([lacking])} ({kind}: {_listed(known)})."
    return "Each of these values is that of a document, but no document has all of them."


def _listed(texts: Iterable[str]) -> str:
    """Return some texts in one line; "…" stands for the others, and "none" for no texts."""
    first = [shortened(one_line(text), _LONGEST_NAME) for text in texts]
    return ", ".join((*first[:_MOST_VALUES], *["…"] * (len(first) > _MOST_VALUES))) or "none"


def unread(item: Input) -> DocumentLine:
    """Return what a listing says of a document that is not read yet. The title is the one in its
    properties.
    """
    title = ""
    with suppress(InputError):
        title = title_in(bytes_in(item.source, Limits()), Limits())
    return DocumentLine(item.label, _title(item.label, title), note="not read yet")


def _title(name: str, title: str) -> str:
    """Return a title on one line; the name without its suffix for one that says nothing."""
    title = shortened(" ".join(title.split()), _LONGEST_TITLE)
    return PurePath(name).stem if _TEMPLATE_TITLE.fullmatch(title) else title


def about(reader: Reader) -> DocumentLine:
    """Return what a listing of documents says of a document."""
    document = reader.document
    return DocumentLine(
        document.name,
        _title(document.name, document.title),
        len(document.blocks),
        max((line.page or 0 for block in document.blocks for line in block.lines), default=0),
        any(block.page_is_estimate for block in document.blocks),
        reader.tokens,
        reader.is_damaged,
        len(document.changes),
        len(document.comments),
        properties=document.properties,
        metadata=document.metadata,
    )


class Library(Questions):
    """The documents that `inputs` returns, each named by its label, and their readers. Those that
    were used last are kept. Several threads may read: each waits for its own document only.
    """

    def __init__(self, inputs: Callable[[], Iterable[Input]], reading: Reading = USUAL) -> None:
        super().__init__(inputs, self.read)
        self._reading = reading
        self._runtime = Runtime()

    def documents(self) -> dict[str, Input]:
        """Return the documents that exist now by name."""
        return {item.label: item for item in self._inputs()}

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
        shown = shortened(name, _LONGEST_NAME)
        folded = alike(shown.replace("\\", "/")).lower()
        possible = [path for path in documents if folded in _forms_of(path)]
        if len(possible) == 1:
            return possible[0]
        if possible:
            sentence = f"{shown!r} is the name of {len(possible)} documents: give the folder, too."
            raise MissingFileError(sentence, shown)
        forms = {_stem(form): path for path in documents for form in (PurePath(path).name, path)}
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
        state, readers = state_of(item), self._runtime.readers
        with self._runtime.lock_of(state.source):
            kept = readers.get(state) or _Kept.of(self.new_reader(item, state))
        with self._runtime.lock:
            readers.pop(state, None)
            readers[state] = kept
            left_out = sum(reader.size for reader in readers.values()) - _MOST_KEPT
            while left_out > 0 and len(readers) > 1:
                left_out -= readers.pop(next(iter(readers))).size
        return kept.reader

    def new_reader(self, item: Input, state: State) -> Reader:  # noqa: ARG002 - for subclasses
        """Return a new reader of a document with a state. Raise InputError if it cannot be read."""
        return unless_failed(partial(reader_of, reading=self._reading), item)


class Runtime:
    """What a library needs while it runs: locks, a thread, and the readers that are kept, the one
    used last at the end. A copy of the library gets new ones.
    """

    def __init__(self) -> None:
        self.lock, self.reading, self.thread = Lock(), Lock(), Thread()
        self.readers: dict[State, _Kept] = {}
        self._locks: dict[str, Lock] = {}

    def lock_of(self, source: str) -> Lock:
        with self.lock:
            return self._locks.setdefault(source, Lock())

    def __reduce__(self) -> tuple[type[Runtime], tuple[()]]:
        return Runtime, ()


class _Kept(NamedTuple):
    """A reader that is kept, and about how many bytes it takes."""

    reader: Reader
    size: int

    @classmethod
    def of(cls, reader: Reader) -> _Kept:
        return cls(reader, _EACH * sum(len(block.content) for block in reader.document.blocks))


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
