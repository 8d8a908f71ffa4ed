"""Find the documents at some paths, tell whether they have changed, and read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from docxchunk.batch.inputs import Input, Scan, find_each
from docxchunk.batch.jobs import Reading, document_of, opened
from docxchunk.errors import DocxchunkError
from docxchunk.model.options import ParseOptions, TrackChanges, different_options
from docxchunk.model.wording import counted, one_line
from docxchunk.retrieval.reading import Reader
from docxchunk.sidecar.files import PARSED
from docxchunk.sidecar.reader import options_in
from docxchunk.sources import InputKind


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
