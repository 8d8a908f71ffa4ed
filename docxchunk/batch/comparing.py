"""Compare the chunks of two versions for an index: existing chunks are read; those of the other
side are made with the same settings and document id. Units are made of the chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

from docxchunk import api
from docxchunk.batch.chunk_spec import ChunkSpec, chunking_of, hush, tokenizer_named
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.jobs import Reading, document_of
from docxchunk.chunking import ChunkLimits
from docxchunk.chunking.diff import Diff, DiffKind, diff
from docxchunk.chunking.search_units import units_of
from docxchunk.chunking.strategy import default_settings, different_settings, of_older_file
from docxchunk.errors import DocxchunkError, UsageError
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions, Setting, TrackChanges, different_options
from docxchunk.sidecar.chunks import (
    CHUNKS,
    ChunkFile,
    are_current_units,
    chunk_files,
    has_current_chunks,
    read_chunks,
    read_units,
)
from docxchunk.sidecar.names import has_documents, is_parsed
from docxchunk.sidecar.reader import options_in, unreadable
from docxchunk.sources import InputKind, kind_of

ComparedFile = ChunkFile | Document | Path  # Path: a file that is not parsed yet
Changes = Diff[Chunk] | Diff[Unit]


class DocumentDiff(NamedTuple):
    """The changes of a document between two paths or folders.

    - `label`: its path below the folder; "" without folders.
    - `kind`: added, removed, changed or unchanged.
    - `changes`: the changes of its chunks or units; None if they cannot be compared.
    - `notes`: sentences about what else differs, or why the chunks cannot be compared.
    """

    label: str
    kind: DiffKind
    changes: Changes | None
    notes: tuple[str, ...] = ()


def index_changes(old: Path, new: Path, strategy: str, *, units: bool) -> Iterator[DocumentDiff]:
    """Compare the chunks of two parsed folders, chunk files or Word files, or their units; of two
    folders, yield the changes of each document, by path. If one side has no chunks, they are made
    with the settings of the other side; those of a document in only one folder, with the settings
    of the first chunks in the folders.

    If the document at a path in two folders has another id, all its old chunks are to be deleted,
    and all new ones added. Raise UsageError if neither side has chunks, or two sides that are no
    folders have different settings or document ids; MissingFileError if a path does not exist.
    """
    hush()
    if error := unreadable(old) or unreadable(new):
        raise error
    are_folders = all(map(has_documents, (old, new)))
    olds, news = map(_sides_in, (old, new)) if are_folders else ({"": old}, {"": new})
    sides = (_side_at(path, strategy) for path in (*olds.values(), *news.values()))
    first = next((side for side in sides if isinstance(side, ChunkFile)), None)
    if first is None:
        raise UsageError(f"Neither {old} nor {new} has chunks: `docxchunk chunk` makes them.")
    for label in sorted({**olds, **news}):
        paths = olds.get(label), news.get(label)
        try:
            sides_of_document = [_side_at(path, strategy) if path else None for path in paths]
            yield _compared(label, sides_of_document, first, units=units)
        except DocxchunkError as error:
            if not are_folders:
                raise
            yield DocumentDiff(label, DiffKind.CHANGED, None, (str(error),))


def documents_in(folder: Path) -> dict[str, Input]:
    """Return the documents in a folder and its subfolders, by path. A Word file takes precedence
    over its parsed folder.
    """
    items = find_inputs([str(folder)], None, Scan(recursive=True, parsed=True))
    return {
        item.target.relative_to(folder).with_suffix("").as_posix(): item
        for item in items
        if isinstance(item, Input)
    }


def _sides_in(folder: Path) -> dict[str, Path]:
    """Return the documents in a folder by path. A parsed folder with chunks is returned in place of
    its Word file if it is up to date.
    """
    return {
        label: item.target if has_current_chunks(item.target) else item.source
        for label, item in documents_in(folder).items()
    }


def _compared(
    label: str, sides: Sequence[ComparedFile | None], first: ChunkFile, *, units: bool
) -> DocumentDiff:
    """Compare two sides, one of which may be missing. New chunks have the settings of a file among
    them, else of `first`.
    """
    like = next((side for side in sides if isinstance(side, ChunkFile)), first)
    known = [_options(side) for side in sides]
    options = next(filter(None, known), ParseOptions())
    doc_id = next((side.doc_id for side in sides if isinstance(side, ChunkFile | Document)), "")
    before, after = (side and _chunked(side, like, doc_id, options) for side in sides)
    if before and after:
        _refuse_different_settings(before, after)
        if not label:
            api.diff(before.chunks, after.chunks)  # raises UsageError for different ids
    records = (side.records(units=units) if side else () for side in (before, after))
    changes = diff(*(cast("Sequence[Chunk]", side_records) for side_records in records))
    kind = DiffKind.CHANGED if changes.actions else DiffKind.UNCHANGED
    if not (before and after):
        kind = DiffKind.REMOVED if before else DiffKind.ADDED
    return DocumentDiff(label, kind, changes, tuple(different_readings(sides, known, options)))


def different_readings(
    sides: Sequence[object], known: Sequence[ParseOptions | None], options: ParseOptions
) -> Iterator[str]:
    """Yield a sentence if two sides were read with different parser options, and one for each Word
    file whose tracked changes are read as rejected. `known` are the options of the sides. `options`
    are those with which Word files are read; these sides are paths.
    """
    if differences := different_options(*known):
        yield f"It was read with other parser options ({differences})."
    if options.track_changes is TrackChanges.ORIGINAL:
        for side in sides:
            if isinstance(side, Path):
                yield (
                    f"{side.name} is read in the same way, with --track-changes original: "
                    f"`docxchunk diff {side}` shows its tracked changes."
                )


def _refuse_different_settings(before: _SideChunks, after: _SideChunks) -> None:
    if before.settings_hash == after.settings_hash:
        return
    differences = different_settings(before.settings, after.settings)
    settings = ", ".join(f"{name} {old} and {new}" for name, (old, new) in differences.items())
    raise UsageError(
        f"The two sides were chunked with different settings ({settings}) and "
        "cannot be compared: chunk one of them again."
    )


class _SideChunks(NamedTuple):
    """The chunks of a side, and the function that returns their units."""

    chunks: Sequence[Chunk]
    settings: Mapping[str, Setting]
    settings_hash: str
    units: Callable[[], Sequence[Unit]]

    def records(self, *, units: bool) -> Sequence[Chunk] | Sequence[Unit]:
        return self.units() if units else self.chunks


def _chunked(
    side: ComparedFile, like: ChunkFile, doc_id: str, options: ParseOptions
) -> _SideChunks:
    """Return the chunks of a side; new ones have the settings of the file `like`."""
    if isinstance(side, ChunkFile):
        return _SideChunks(side.chunks, side.settings, side.settings_hash, partial(_units_of, side))
    document, spec = document_of_side(side, options, doc_id), _spec(like)
    chunking = chunking_of(document, spec)
    units = partial(units_of, document, chunking.chunks, tokenizer_named(spec.tokenizer))
    return _SideChunks(chunking.chunks, chunking.settings, chunking.settings_hash, units)


def _units_of(file: ChunkFile) -> Sequence[Unit]:
    if are_current_units(file.path) or (folder := file.folder) is None:
        return read_units(file.path)
    return units_of(api.read(folder), file.chunks, tokenizer_named(file.tokenizer))


def _spec(file: ChunkFile) -> ChunkSpec:
    """Return the options of a run that made a chunk file. Settings that this version does not know
    are left out; the settings hash shows if they matter.
    """
    strategy, settings = of_older_file(file.strategy, file.settings)
    limits, strategy_settings = (
        {name: settings[name] for name in names if name in settings}
        for names in (
            [field.name for field in fields(ChunkLimits)],
            [name for name, _ in default_settings(strategy)],
        )
    )
    return ChunkSpec(strategy, ChunkLimits(**limits), file.tokenizer, strategy_settings)  # type: ignore[arg-type]


def _side_at(path: Path, strategy: str) -> ComparedFile:
    """Return the chunks at a path, or else the document there. A Word file is returned as a path,
    even if it has a parsed folder.
    """
    if path.is_dir() or path.name.endswith(CHUNKS):
        files = [
            file for file in map(read_chunks, chunk_files(path)) if strategy in ("", file.strategy)
        ]
        if len(files) == 1:
            return files[0]
        if files:
            raise UsageError(
                f"{path} holds several chunk files: choose one with --strategy, "
                "or give the file itself."
            )
    return api.read(path) if is_parsed(path) or path.is_dir() else path


def _options(side: ComparedFile | None) -> ParseOptions | None:
    if isinstance(side, ChunkFile):
        return options_in(side.path.parent)
    return side.options if isinstance(side, Document) else None


def document_of_side(side: Document | Path, options: ParseOptions, doc_id: str = "") -> Document:
    """Return a document, or the one in the file at a path, read with these options and this id."""
    if isinstance(side, Document):
        return side
    return document_of(input_of(side), Reading(options, doc_id=doc_id))


def word_file(file: Path) -> Input:
    """Return the Word file whose tracked changes are shown. Raise UsageError if it is none."""
    if kind_of(file) is not InputKind.WORD:
        raise UsageError(
            f"{file} is not a Word file: give two versions, or one Word file with tracked changes."
        )
    return input_of(file)


def input_of(file: Path) -> Input:
    """Return the input at the path of a file. Raise MissingFileError if there is none."""
    if error := unreadable(file):
        raise error
    (item,) = (x for x in find_inputs([str(file)], None, Scan()) if isinstance(x, Input))
    return item
