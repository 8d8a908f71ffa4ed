"""Load both sides of a comparison: existing chunks are read; missing ones are made with the
settings and the document id of the other side. Units are made of the chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple, cast

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.batch.chunk_spec import ChunkSpec, chunking_of, hush, models_of, tokenizer_named
from docxchunk.batch.inputs import Input, Scan, file_id, find_inputs
from docxchunk.batch.jobs import Reading, document_of
from docxchunk.chunking import Chunking, ChunkLimits
from docxchunk.chunking.diff import Diff, DiffKind, diff
from docxchunk.chunking.search_units import units_of
from docxchunk.chunking.strategy import default_settings, different_settings, of_older_file
from docxchunk.errors import DocxchunkError, UsageError
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions, TrackChanges, different_options
from docxchunk.sidecar.chunks import (
    CHUNKS,
    ChunkFile,
    are_current_units,
    chunk_files,
    chunks_in,
    is_outdated,
    read_chunks,
    read_units,
)
from docxchunk.sidecar.files import is_parsed, parsed_folder
from docxchunk.sidecar.reader import content_hash, options_in, unreadable
from docxchunk.sources import InputKind, kind_of

_LIMITS = tuple(field.name for field in fields(ChunkLimits))

Side = ChunkFile | Document | Path  # Path: a file that is not parsed yet


class ChunkParameters(NamedTuple):
    """Chunking options, as the user gave them or as a chunk file records them: some may be missing
    or unknown. `_spec` completes them.
    """

    strategy: str
    settings: Mapping[str, api.Setting]  # settings of the strategy and fields of `ChunkLimits`
    tokenizer: str  # a name or a file; "" if none was given
    models: ModelChoice  # loaded if the strategy needs them


class DocumentDiff(NamedTuple):
    """The changes of a document between two folders.

    - `label`: its path below the folder.
    - `kind`: added, removed, changed or unchanged.
    - `changes`: the changes of its chunks or units; None if they cannot be compared.
    - `notes`: sentences about what else differs, or why the chunks cannot be compared.
    """

    label: str
    kind: DiffKind
    changes: Diff[Chunk] | Diff[Unit] | None
    notes: tuple[str, ...] = ()


class Sides(NamedTuple):
    """The changes of the chunks or units, and sentences about what else differs."""

    changes: Diff[Chunk] | Diff[Unit]
    notes: tuple[str, ...] = ()


def both_sides(
    old: Path, new: Path | None, strategy: str, parameters: ChunkParameters, *, units: bool = False
) -> Sides:
    """Compare the chunks of both sides, or their units. If one side has no chunks, they are made
    with the settings of the other side; if neither has any, with `parameters`. Without `new`,
    compare the text of the Word file `old` before and after its tracked changes.

    Raise UsageError if the two sides have different settings or document ids, and MissingFileError
    if a path does not exist.
    """
    hush()
    if error := next(filter(None, (unreadable(path) for path in (old, new) if path)), None):
        raise error
    if new is None:
        return Sides(_tracked_changes(old, parameters, units=units))
    before, after, notes = _chunks_of_both(old, new, strategy, parameters)
    records = (cast("Sequence[Chunk]", _records(side, units=units)) for side in (before, after))
    return Sides(api.diff(*records), notes)


def _chunks_of_both(
    old: Path, new: Path, strategy: str, parameters: ChunkParameters
) -> tuple[ChunkFile | _Chunked, ChunkFile | _Chunked, tuple[str, ...]]:
    """Return the chunks of both sides, with sentences about what else differs."""
    sides = [_side_at(path, strategy) for path in (old, new)]
    files = [side for side in sides if isinstance(side, ChunkFile)]
    unused = _unused(parameters.settings, files[0]) if files else ()
    if files:
        tokenizer = parameters.tokenizer or files[0].tokenizer
        parameters = _parameters_of(files[0], tokenizer, parameters.models)
    doc_ids = (side.doc_id for side in sides if not isinstance(side, Path))
    doc_id = next(doc_ids, None) or file_id(input_of(new))
    options = next(filter(None, map(_options, sides)), ParseOptions())
    before, after = (
        side
        if isinstance(side, ChunkFile)
        else _chunked(_document(side, doc_id, options), parameters)
        for side in sides
    )
    _refuse_different_settings(before, after)
    notes = [*unused, *_unused_folders(old, new), *_other_tokenizer(*sides)]
    notes += different_readings(sides, list(map(_options, sides)), options)
    return before, after, tuple(notes)


def different_readings(
    sides: Sequence[object], known: Sequence[ParseOptions | None], options: ParseOptions
) -> Iterator[str]:
    """Yield a sentence if two sides were read with different parser options, and for each Word file
    whose tracked changes are read as rejected. `known` are the options of the sides, and `options`
    those that Word files, given by their paths, are read with.
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


def _refuse_different_settings(before: ChunkFile | _Chunked, after: ChunkFile | _Chunked) -> None:
    if before.settings_hash == after.settings_hash:
        return
    differences = different_settings(before.settings, after.settings)
    settings = ", ".join(f"{name} {old} and {new}" for name, (old, new) in differences.items())
    raise UsageError(
        f"The two sides were chunked with different settings ({settings}) and "
        "cannot be compared: chunk one of them again."
    )


def _tracked_changes(
    file: Path, parameters: ChunkParameters, *, units: bool
) -> Diff[Chunk] | Diff[Unit]:
    doc_id = file_id(word_file(file))
    before, after = (
        _records(_chunked(_document(file, doc_id, options), parameters), units=units)
        for options in (ParseOptions(track_changes=TrackChanges.ORIGINAL), ParseOptions())
    )
    return _diff(before, after)


def word_file(file: Path) -> Input:
    """Return the Word file whose tracked changes are shown. Raise UsageError if it is none."""
    if kind_of(file) is not InputKind.WORD:
        raise UsageError(
            f"{file} is not a Word file: give two versions, or one Word file with tracked changes."
        )
    return input_of(file)


def _unused_folders(*files: Path) -> Iterator[str]:
    """Yield a sentence for each file whose parsed folder has chunks. The file is chunked anew, and
    these chunks are not compared.
    """
    for file in dict.fromkeys(files):
        folder = parsed_folder(file.parent, file.name)
        if (
            file.is_file()
            and chunks_in(folder)
            and not any(folder in (file_given, file_given.parent) for file_given in files)
        ):
            yield f"{file.name} is chunked anew: give {folder.name} to compare the chunks in it."


def folder_diffs(
    old: Path, new: Path, strategy: str, parameters: ChunkParameters, *, units: bool = False
) -> Iterator[DocumentDiff]:
    """Yield the changes of each document in two folders, by path. If the document at a path has
    another id, all its old chunks are to be deleted, and all new ones added. Missing chunks are
    made as in `both_sides`. For a document in only one folder, they are made with the settings of
    the first chunks in the folders.

    Raise UsageError if neither folder holds a document.
    """
    hush()
    olds, news = _documents(old), _documents(new)
    if not olds and not news:
        raise UsageError(f"Neither {old} nor {new} holds Word files or parsed folders.")
    sides = (_side_at(item.source, strategy) for item in (*olds.values(), *news.values()))
    file = next((side for side in sides if isinstance(side, ChunkFile)), None)
    of_file = file and _parameters_of(file, file.tokenizer, parameters.models)

    def records_of(item: Input | None) -> Sequence[Chunk] | Sequence[Unit]:
        if item is None:
            return ()
        return _records(_chunks_of(item, strategy, of_file or parameters), units=units)

    for label in sorted({**olds, **news}):
        before, after = olds.get(label), news.get(label)
        try:
            if before and after:
                *both, notes = _chunks_of_both(before.source, after.source, strategy, parameters)
                changes = _diff(*(_records(side, units=units) for side in both))
                kind = DiffKind.CHANGED if changes.actions else DiffKind.UNCHANGED
                yield DocumentDiff(label, kind, changes, notes)
            else:
                changes = _diff(records_of(before), records_of(after))
                yield DocumentDiff(label, DiffKind.REMOVED if before else DiffKind.ADDED, changes)
        except DocxchunkError as error:
            yield DocumentDiff(label, DiffKind.CHANGED, None, (str(error),))


def _documents(folder: Path) -> dict[str, Input]:
    """Return the documents in a folder and its subfolders, by path. A parsed folder with chunks is
    returned in place of its Word file if it is up to date.
    """
    items = (
        item
        for item in find_inputs([str(folder)], None, Scan(recursive=True, parsed=True))
        if isinstance(item, Input)
    )
    current = (
        item._replace(source=item.target)
        if chunks_in(item.target) and not is_outdated(item.target)
        else item
        for item in items
    )
    return {item.target.relative_to(folder).with_suffix("").as_posix(): item for item in current}


def _chunks_of(item: Input, strategy: str, parameters: ChunkParameters) -> ChunkFile | _Chunked:
    side = _side_at(item.source, strategy)
    if isinstance(side, ChunkFile):
        return side
    if isinstance(side, Path):
        side = document_of(item)
    return _chunked(side, parameters)


def _records(side: ChunkFile | _Chunked, *, units: bool) -> Sequence[Chunk] | Sequence[Unit]:
    if not units:
        return side.chunks
    if isinstance(side, _Chunked):
        return units_of(side.document, side.chunks, tokenizer_named(side.tokenizer))
    folder = side.path.parent
    if (
        are_current_units(side.path)
        or not is_parsed(folder)
        or content_hash(folder) != side.blocks_sha256
    ):
        return read_units(side.path)
    return units_of(api.read(folder), side.chunks, tokenizer_named(side.tokenizer))


def _diff(
    old: Sequence[Chunk] | Sequence[Unit], new: Sequence[Chunk] | Sequence[Unit]
) -> Diff[Chunk] | Diff[Unit]:
    return diff(cast("Sequence[Chunk]", old), cast("Sequence[Chunk]", new))


def chunks_again(document: Document, file: ChunkFile) -> Sequence[Chunk] | None:
    """Chunk a document with the strategy, settings and tokenizer of a chunk file. Return None if
    one of them is unknown or needs a model.
    """
    try:
        parameters = _parameters_of(file, file.tokenizer, ModelChoice())
        if models_of(_spec(parameters)):
            return None
        chunking = _chunked(document, parameters)
    except DocxchunkError:
        return None
    return chunking.chunks if chunking.settings_hash == file.settings_hash else None


def _parameters_of(file: ChunkFile, tokenizer: str, models: ModelChoice) -> ChunkParameters:
    strategy, settings = of_older_file(file.strategy, file.settings)
    return ChunkParameters(strategy, settings, tokenizer, models)


def _unused(limits: Mapping[str, api.Setting], file: ChunkFile) -> list[str]:
    """Return a sentence for each limit that was given but has no effect: existing chunks have
    another.
    """
    return [
        f"{name} is {value}, but the existing chunks ({file.path.name}) have "
        f"{file.settings.get(name)}, which is used."
        for name, value in limits.items()
        if file.settings.get(name) != value
    ]


def _other_tokenizer(old: Side, new: Side) -> Iterator[str]:
    """Yield a sentence if the tokens of the two sides were counted with different tokenizers."""
    if isinstance(old, ChunkFile) and isinstance(new, ChunkFile) and old.tokenizer != new.tokenizer:
        yield (
            f"Its tokens were counted with another tokenizer ({old.tokenizer}) than those of "
            f"{new.path.name} ({new.tokenizer})."
        )


def _side_at(path: Path, strategy: str) -> Side:
    """Return the chunks at a path, or else the document there. A Word file is returned as a path,
    even if it has a parsed folder.
    """
    if path.is_dir() or path.name.endswith(CHUNKS):
        files = [
            file for file in map(read_chunks, chunk_files(path)) if strategy in ("", file.strategy)
        ]
        if len(files) == 1:
            return files[0]
        if len({file.path.parent for file in files}) > 1:
            raise UsageError(
                f"{path} holds the chunks of several documents: give one of its parsed folders."
            )
        if files:
            raise UsageError(
                f"{path} holds several chunk files: choose one with --strategy, "
                "or give the file itself."
            )
        if path.name.endswith(CHUNKS):
            raise UsageError(f"{path} has the chunks of another strategy: leave out --strategy.")
    return api.read(path) if is_parsed(path) or path.is_dir() else path


def _options(side: Side) -> ParseOptions | None:
    if isinstance(side, ChunkFile):
        return options_in(side.path.parent)
    return side.options if isinstance(side, Document) else None


def _document(side: Document | Path, doc_id: str, options: ParseOptions) -> Document:
    if isinstance(side, Document):
        return side
    return document_of(input_of(side), Reading(options, doc_id=doc_id))


def input_of(file: Path) -> Input:
    """Return the input at the path of a file. Raise MissingFileError if there is none."""
    if error := unreadable(file):
        raise error
    (item,) = (x for x in find_inputs([str(file)], None, Scan()) if isinstance(x, Input))
    return item


class _Chunked(NamedTuple):
    """A document with its chunks, made now."""

    document: Document
    chunking: Chunking
    tokenizer: str

    @property
    def chunks(self) -> Sequence[Chunk]:
        return self.chunking.chunks

    @property
    def settings(self) -> Mapping[str, api.Setting]:
        return self.chunking.settings

    @property
    def settings_hash(self) -> str:
        return self.chunking.settings_hash


def _chunked(document: Document, parameters: ChunkParameters) -> _Chunked:
    spec = _spec(parameters)
    return _Chunked(document, chunking_of(document, spec), spec.tokenizer)


def _spec(parameters: ChunkParameters) -> ChunkSpec:
    """Return the parameters as options of a run. Settings that this version does not know are left
    out; the settings hash shows if they matter.
    """

    def settings_among(names: Iterable[str]) -> dict[str, api.Setting]:
        return {name: parameters.settings[name] for name in names if name in parameters.settings}

    return ChunkSpec(
        parameters.strategy,
        ChunkLimits(**settings_among(_LIMITS)),  # type: ignore[arg-type]
        parameters.tokenizer or api.DEFAULT_TOKENIZER,
        settings_among(name for name, _ in default_settings(parameters.strategy)),
        models=parameters.models,
    )
