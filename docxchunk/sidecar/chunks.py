"""Find and read chunk files, `.chunks.jsonl`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from docxchunk.errors import MissingFileError, SidecarError
from docxchunk.model.chunks import Chunk, Unit
from docxchunk.model.wording import counted
from docxchunk.records import CONTENTS, Fields, is_altered, line
from docxchunk.records.chunks import CHUNK, FORMAT, UNIT, Provenance
from docxchunk.sidecar.names import (
    below,
    has_documents,
    is_parsed,
    parsed_beside,
    paths_in,
    units_beside,
)
from docxchunk.sidecar.reader import (
    Identity,
    content_hash,
    document_identity,
    first_line,
    first_record,
    read_lines,
    refuse_newer,
)

CHUNKS = ".chunks.jsonl"


@dataclass(frozen=True, slots=True)
class ChunkFile:
    """The contents of a chunk file.

    - `cap`: the token limit.
    - `blocks_sha256`: the `content_hash` of the blocks that the chunks were made from.
    - `fault`: a sentence about lines that are missing, added or changed; "" if there are none.
    """

    path: Path
    strategy: str
    cap: int
    tokenizer: str
    doc_id: str
    settings: Mapping[str, str | int | float | None]
    settings_hash: str
    blocks_sha256: str
    engine_version: str
    chunks: tuple[Chunk, ...]
    fault: str

    @property
    def folder(self) -> Path | None:
        """The parsed folder with the text that the chunks were made from; None if there is none."""
        folder = self.path.parent
        is_theirs = is_parsed(folder) and content_hash(folder) == self.blocks_sha256
        return folder if is_theirs else None


def read_chunks(path: Path) -> ChunkFile:
    """Return the contents of a chunk file. Raise MissingFileError, or SidecarError, also if lines
    are missing, added or changed.
    """
    file = read_chunk_file(path)
    if file.fault:
        raise SidecarError(f"{path}: {file.fault}")
    return file


def read_chunk_file(path: Path) -> ChunkFile:
    """Return the contents of a chunk file, with a `fault` if lines are missing, added or changed.
    Raise MissingFileError or SidecarError.
    """
    meta, *lines = [*read_lines(path)] or [Fields({}, str(path))]
    if not _is_meta(meta):
        raise SidecarError(f"{path} does not begin with a line of metadata.")
    if meta.text("format", FORMAT) != FORMAT:
        raise SidecarError(
            f"{path} has the format {meta.text('format')!r}, which is not that of chunk files."
        )
    refuse_newer(meta, path)
    return ChunkFile(
        path=path,
        strategy=meta.text("strategy"),
        cap=meta.record("settings").integer("max_tokens"),
        tokenizer=meta.text("tokenizer"),
        doc_id=meta.text("doc_id"),
        settings=meta.record("settings").scalars(),
        settings_hash=meta.text("settings_hash"),
        blocks_sha256=meta.text("blocks_sha256"),
        engine_version=meta.text("engine_version"),
        chunks=tuple(CHUNK.value(record) for record in lines if not _is_meta(record)),
        fault=_fault(meta, lines),
    )


def _fault(meta: Fields, lines: Sequence[Fields]) -> str:
    if any(map(_is_meta, lines)):
        return (
            "Several chunk files were joined: chunk the documents again, or give each file "
            "by itself."
        )
    if (declared := meta.integer("chunks")) != len(lines):
        return (
            f"The first line declares {counted(declared, 'chunk')}, but there are "
            f"{len(lines)}: chunk the document again."
        )
    is_changed = is_altered(meta, (line(record.as_record()) for record in lines))
    return (
        ("The file was changed after it was written: chunk the document again.")
        if is_changed
        else ""
    )


def _is_meta(record: Fields) -> bool:
    return record.equals("type", "meta")


def existing_chunks(path: Path, provenance: Provenance) -> Fields | None:
    """Return the first line of an unaltered chunk file with this provenance, or None."""
    meta = first_record(path)
    if meta is None or not all(
        meta.equals(name, value or None) for name, value in provenance._asdict().items()
    ):
        return None
    return meta if CONTENTS in meta and not is_altered_file(path) else None


def is_altered_file(path: Path) -> bool:
    """Return whether a chunk file was changed after it was written. That is unknown, and False, for
    a missing file or one of an earlier version.
    """
    try:
        first, rest = first_line(path)
    except MissingFileError:
        return False
    except SidecarError:
        return True
    return is_altered(first, [rest])


def are_current_units(chunks: Path) -> bool:
    """Return whether a chunk file has a file of units that was made from these chunks, and that
    nobody has altered.
    """
    path = units_beside(chunks)
    if is_altered_file(path):
        return False
    meta, units = first_record(chunks), first_record(path)
    return (
        meta is not None
        and units is not None
        and units.equals("chunks_sha256", meta.text(CONTENTS))
    )


def read_units(chunks: Path) -> list[Unit]:
    """Return the units of a chunk file, from the file beside it. Raise MissingFileError, or
    SidecarError, also if the units were not made from the present chunks.
    """
    path = units_beside(chunks)
    if not path.exists():
        raise MissingFileError(f"{chunks} has no units: `docxchunk chunk --units` writes them.")
    if not are_current_units(chunks):
        raise SidecarError(
            f"{path} was changed, or its chunks were: `docxchunk chunk --units` writes it again."
        )
    _, *lines = read_lines(path)
    return list(map(UNIT.value, lines))


def is_made_of(path: Path, digest: str) -> bool:
    """Return whether a chunk file was made from blocks with this `content_hash`. Symbolic links are
    not followed.
    """
    meta = None if path.is_symlink() else first_record(path)
    return meta is not None and meta.equals("blocks_sha256", digest)


def all_chunk_files(paths: Iterable[str], *, recursive: bool) -> dict[Path, Path]:
    """Return the chunk files at several paths, each once and with the path that it was found at;
    see `chunk_files`. Raise MissingFileError for a path without any.
    """
    unique: dict[Path, tuple[Path, Path]] = {}
    for path in map(Path, paths):
        files = chunk_files(path, recursive=recursive)
        if not files:
            is_tree = has_documents(path) and not recursive
            hint = "; --recursive searches subfolders" if is_tree else ""
            raise MissingFileError(
                f"There are no chunks at {path}: `docxchunk chunk` makes them{hint}."
            )
        for file in files:
            unique.setdefault(file.resolve(), (file, path))
    return dict(unique.values())


def source_of(file: Path, path: Path) -> Identity:
    """Return the identity of the document of a chunk file that was found at `path`. If `path` is a
    folder of documents, the name is the path below it: `2024/report.docx`.

    Outside of a parsed folder, a document has the name of its chunk file.
    """
    if is_parsed(file.parent):
        folder, identity = file.parent.parent, document_identity(file.parent)
    else:
        folder, identity = file.parent, Identity(file.name.removesuffix(CHUNKS))
    if not folder.is_relative_to(path):
        return identity
    return identity._replace(name=(folder.relative_to(path) / identity.name).as_posix())


def is_outdated(folder: Path) -> bool:
    """Return whether the document beside a parsed folder, report.docx beside report.docx.parsed,
    has changed since it was parsed.
    """
    absolute = folder.absolute()
    identity = document_identity(folder)
    source = absolute.parent / PurePath(identity.name).name
    if parsed_beside(source) != absolute or not source.is_file():
        return False
    with source.open("rb") as data:
        return identity.source_sha256 not in ("", hashlib.file_digest(data, "sha256").hexdigest())


def chunks_in(folder: Path) -> list[Path]:
    """Return the chunk files in a parsed folder."""
    return sorted(folder.glob(f"*{CHUNKS}"))


def has_current_chunks(folder: Path) -> bool:
    """Return whether a parsed folder has chunks, and the document beside it has not changed."""
    return bool(chunks_in(folder)) and not is_outdated(folder)


def chunks_of_text(folder: Path, name: str) -> list[Path]:
    """Return the chunk files in the parsed folder of a document that were made from the text there,
    P first.
    """
    first, digest = paths_in(folder, name).chunks("P"), content_hash(folder)
    files = [file for file in chunks_in(folder) if is_made_of(file, digest)]
    return sorted(files, key=lambda file: (file.name != first.name, file.name))


def chunk_files(path: Path, *, recursive: bool = False) -> list[Path]:
    """Return the chunk files at a path: a chunk file, a parsed folder, a document with a parsed
    folder next to it, or a folder of parsed folders.
    """
    if path.name.endswith(CHUNKS):
        return [path]
    folder = path if path.is_dir() else parsed_beside(path)
    files = below(folder) if recursive else folder.glob("*")
    return sorted(file for file in files if file.name.endswith(CHUNKS)) or sorted(
        folder.glob(f"*.parsed/*{CHUNKS}")
    )
