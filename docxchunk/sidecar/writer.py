"""Write a Document to a parsed folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath

import orjson

from docxchunk.errors import OutputError
from docxchunk.model.chunks import Unit
from docxchunk.model.document import Document
from docxchunk.records import CONTENTS, Record, line, with_contents_hash
from docxchunk.records.blocks import BLOCK, DOCUMENT, ENGINE
from docxchunk.records.chunks import CHUNK, CHUNKS, UNIT, UNITS, ChunksLine, UnitsLine
from docxchunk.records.objects import OBJECTS, REPORT, note_records
from docxchunk.sidecar.atomic import is_unfinished, new_folder, write_file
from docxchunk.sidecar.chunks import are_current_units, chunks_in, is_made_of
from docxchunk.sidecar.names import FolderPaths, is_ours, parsed_folder, paths_in, units_beside
from docxchunk.sidecar.reader import content_hash, first_record


def write(document: Document, folder: Path) -> Path:
    """Write the parsed folder `folder`/NAME.parsed and return its path. It replaces an older one
    atomically.

    Chunk files in the older folder are kept if their blocks and tables have not changed. Raise
    OutputError, which leaves the older folder as it was.
    """
    return write_at(document, parsed_folder(folder, document.name))


def write_at(document: Document, target: Path) -> Path:
    """Write the parsed folder `target`, as `write` does, and return its path."""
    with new_folder(target) as fresh:
        _refuse_foreign_files(target)
        paths = paths_in(fresh, document.name)
        _write_assets(paths, document.assets)
        files = [
            _write(paths.items(kind), _items(kind, records))
            for kind, records in _objects(document)
            if records
        ]
        files.append(_write(paths.report, line(REPORT.record(document))))
        _write_blocks(paths, document, files)
        _keep_chunks(target, fresh)
    return target


def remove(target: Path, top: Path) -> None:
    """Delete a parsed folder, and then the empty folders above it, below `top`. Raise OutputError
    if it contains other files.
    """
    _refuse_foreign_files(target)
    shutil.rmtree(target)
    for folder in target.parents[: len(target.relative_to(top).parents) - 1]:
        with suppress(OSError):
            folder.rmdir()


def _keep_chunks(target: Path, fresh: Path) -> None:
    """Copy the chunk files that match the new contents, and their units."""
    files = chunks_in(target)
    digest = content_hash(fresh) if files else ""
    for file in files:
        if is_made_of(file, digest):
            shutil.copyfile(file, fresh / file.name)
            units = units_beside(file)
            if are_current_units(file) and not units.is_symlink():
                shutil.copyfile(units, fresh / units.name)


def _refuse_foreign_files(target: Path) -> None:
    """Raise OutputError if the folder to replace contains files that docxchunk did not write."""
    if target.is_dir() and not target.is_symlink():
        stranger = next(
            (
                entry.name
                for entry in target.iterdir()
                if not (is_ours(entry.name) or is_unfinished(entry.name))
            ),
            None,
        )
        if stranger is not None:
            raise OutputError(
                f"{target} contains {stranger!r}, which docxchunk did not write; "
                "move it away, or choose another folder."
            )


def write_chunks(target: Path, contents: ChunksLine) -> Path:
    """Write a chunk file atomically and return its path. Raise OutputError, which leaves an older
    file as it was.
    """
    return _write_lines(target, CHUNKS.record(contents), map(CHUNK.record, contents.chunks))


def write_units(chunks: Path, doc_id: str, units: Sequence[Unit]) -> Path:
    """Write the units of a chunk file beside it, atomically, and return their path. Raise
    OutputError.
    """
    meta = first_record(chunks)
    digest = meta.text(CONTENTS) if meta else ""
    first = UNITS.record(UnitsLine(doc_id, digest, len(units)))
    return _write_lines(units_beside(chunks), first, map(UNIT.record, units))


def _write_lines(target: Path, first: Record, records: Iterable[Record]) -> Path:
    lines = b"".join(map(line, records))
    write_file(target, line(with_contents_hash(first, [lines])) + lines)
    return target


def _write_blocks(paths: FolderPaths, document: Document, files: Iterable[bytes]) -> None:
    """Write the blocks after all other files: the first line has a hash of what is in these, except
    in files of other programs.
    """
    meta = DOCUMENT.record(document)
    lines = b"".join(line(BLOCK.record(block)) for block in document.blocks)
    if document.engine == ENGINE:
        meta = with_contents_hash(
            meta, [lines, *files, *(document.assets[name] for name in sorted(document.assets))]
        )
    paths.blocks.write_bytes(line(meta) + lines)


def _objects(document: Document) -> Iterator[tuple[str, Mapping[str, Record]]]:
    for kind, layout in OBJECTS.items():
        yield kind, {key: layout.record(item) for key, item in getattr(document, kind).items()}
    yield "notes", note_records(document.notes)


def _write(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    return data


def _items(kind: str, records: Mapping[str, Record]) -> bytes:
    """Return {"version":"1.0","tables":{id: item}}, one item per line."""
    items = (orjson.dumps(key) + b":" + orjson.dumps(record) for key, record in records.items())
    return b'{"version":"1.0","%s":{\n%s\n}}\n' % (kind.encode(), b",\n".join(items))


def _write_assets(paths: FolderPaths, assets: Mapping[str, bytes]) -> None:
    if assets:
        paths.assets.mkdir()
    for name, data in assets.items():
        if PurePath(name).name != name:
            raise OutputError(f"{name!r} is not a valid file name.")
        (paths.assets / name).write_bytes(data)
