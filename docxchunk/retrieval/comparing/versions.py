"""Load two versions of a document, or two folders of documents, and compare them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from docxchunk import api
from docxchunk.batch.chunk_spec import hush
from docxchunk.batch.comparing import (
    different_readings,
    document_of_side,
    documents_in,
    word_file,
)
from docxchunk.errors import DocxchunkError, UsageError
from docxchunk.model.comparison import Comparison
from docxchunk.model.document import Document
from docxchunk.model.fields import expect
from docxchunk.model.options import ParseOptions, TrackChanges
from docxchunk.model.rules import NO_RULES, Rules
from docxchunk.retrieval.comparing.changes import (
    COMPARED,
    RESOLVED,
    compared,
    document_of_chunks,
    text_of,
)
from docxchunk.sidecar.chunks import CHUNKS, chunk_files, read_chunks
from docxchunk.sidecar.names import has_documents, is_parsed
from docxchunk.sidecar.reader import options_in, unreadable


def compare(old: Document | Path | str, new: Document | Path | str) -> Comparison:
    """Return what changed between two versions of a document: its places, and the words in them.

    `old` and `new` are documents, Word files, parsed folders or chunk files. If one is a parsed
    folder, a Word file is read with its options; else comments, headers and footers are read, too.
    """
    sides = [
        side if isinstance(side, Document | Path) else Path(expect(name, side, str))
        for name, side in (("old", old), ("new", new))
    ]
    return _compared(*sides)[0]


class Versions(NamedTuple):
    """The comparison of two versions, and sentences about how they were read."""

    comparison: Comparison
    notes: tuple[str, ...] = ()


def versions(old: Path, new: Path | None, rules: Rules) -> Versions:
    """Compare two files, parsed folders or chunk files. Without `new`, compare the text of the Word
    file `old` before and after its tracked changes. Lines of Word files that fit `rules` are
    headings; with rules, parsed folders and chunk files raise UsageError.

    Raise MissingFileError if a path does not exist, UsageError if it cannot be compared.
    """
    hush()
    options = replace(COMPARED, rules=rules)
    return (
        Versions(tracked_changes(old, options))
        if new is None
        else _compared(old, new, usual=options)
    )


def tracked_changes(file: Path, options: ParseOptions) -> Comparison:
    """Compare the text of a Word file before and after its tracked changes."""
    name = word_file(file).name
    before = replace(options, track_changes=TrackChanges.ORIGINAL)
    original, final = (document_of_side(file, read_with) for read_with in (before, options))
    comparison = compared(original, final)
    missing = (part for part in comparison.not_compared if part != RESOLVED)
    names = (part for part in missing if "tracked changes" not in part)
    return replace(
        comparison,
        old=f"{name} before its changes",
        new="after them",
        not_compared=tuple(names),
    )


def _compared(
    old: Document | Path, new: Document | Path, *, usual: ParseOptions = COMPARED
) -> Versions:
    """Compare two sides. Word files are read with the options of the other side, if it is parsed;
    else with the `usual` ones.
    """
    paths = (side for side in (old, new) if isinstance(side, Path))
    if error := next(filter(None, map(unreadable, paths)), None):
        raise error
    sides = [_loaded(side) for side in (old, new)]
    known = [None if isinstance(side, Path) else side.options for side in sides]
    if usual.rules and any(known):
        raise UsageError("Rules are for Word files: one of the two has been parsed already.")
    options = next(filter(None, known), usual)
    documents = [document_of_side(side, options) for side in sides]
    return Versions(compared(*documents), tuple(different_readings(sides, known, options)))


_Side = Document | Path  # Path: a file that is not parsed yet


def _loaded(side: Document | Path) -> _Side:
    if isinstance(side, Document):
        return side
    file = side
    if has_documents(side):
        files = list(chunk_files(side))
        if len(files) > 1:
            raise UsageError(
                f"{side} holds the chunks of several documents: give one of its parsed folders."
            )
        if not files:
            raise UsageError(
                f"{side} is not a parsed folder: give a document, or two folders to docxchunk diff."
            )
        file = files[0]
    if file.name.endswith(CHUNKS):
        chunks = read_chunks(file)
        if chunks.folder is not None:
            return api.read(chunks.folder)
        name = file.name.removesuffix(CHUNKS)
        return document_of_chunks(chunks.chunks, name, options_in(file.parent))
    return api.read(file) if is_parsed(file) else file


# -- folders


class PairKind(StrEnum):
    """What happened to a document between two folders."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"  # its text has not changed
    CHANGED = "changed"
    UNCHANGED = "unchanged"


class Pair(NamedTuple):
    """A document in two folders.

    - `label`: its path below the new folder; below the old one if it was removed.
    - `old_label`: the path of a renamed document below the old folder; "" for others.
    - `comparison`: what changed; None if it is in one folder only, or cannot be compared.
    - `notes`: sentences about how it was read, or why it cannot be compared.
    """

    label: str
    kind: PairKind
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()
    old_label: str = ""


def pairs(old: Path, new: Path, rules: Rules = NO_RULES) -> Iterator[Pair]:
    """Yield the documents of two folders: those in both, by path; then those that were added,
    removed or renamed. `rules` are those of `versions`. Raise UsageError if neither folder holds a
    document.
    """
    hush()
    options = replace(COMPARED, rules=rules)
    olds, news = (
        {label: item.source for label, item in documents_in(folder).items()}
        for folder in (old, new)
    )
    if not olds and not news:
        raise UsageError(f"Neither {old} nor {new} holds Word files or parsed folders.")
    for label in sorted(olds.keys() & news.keys()):
        try:
            comparison, notes = _compared(olds[label], news[label], usual=options)
        except DocxchunkError as error:
            yield Pair(label, PairKind.CHANGED, None, (str(error),))
        else:
            kind = PairKind.UNCHANGED if comparison.is_same else PairKind.CHANGED
            yield Pair(label, kind, comparison, notes)
    removed = {label: path for label, path in olds.items() if label not in news}
    added = {label: path for label, path in news.items() if label not in olds}
    yield from _in_one_folder(removed, added)


def _in_one_folder(removed: dict[str, Path], added: dict[str, Path]) -> Iterator[Pair]:
    """Yield the documents that are in one folder only. Two with the same text were renamed."""
    waiting: defaultdict[str | None, list[str]] = defaultdict(list)
    if added:
        for label in sorted(removed):
            waiting[_text_at(removed[label])].append(label)
    for label in sorted(added):
        text = _text_at(added[label]) if removed else None
        if text and waiting[text]:
            before = waiting[text].pop(0)
            del removed[before]
            yield Pair(label, PairKind.RENAMED, old_label=before)
        else:
            yield Pair(label, PairKind.ADDED)
    for label in sorted(removed):
        yield Pair(label, PairKind.REMOVED)


def _text_at(path: Path) -> str | None:
    """Return a hash of the text of a document; None if it has no text or cannot be read."""
    try:
        return text_of(document_of_side(_loaded(path), COMPARED))
    except DocxchunkError:
        return None
