"""Files of chunks, found and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docxchunk.errors import MissingFileError, SidecarError
from docxchunk.markup.records.chunks import FORMAT, Provenance, read_chunk
from docxchunk.markup.records.fields import Fields
from docxchunk.model.chunks import Chunk
from docxchunk.sidecar.paths import is_parsed
from docxchunk.sidecar.reader import Identity, count_lines, document_identity, read_lines, refuse_newer

CHUNKS = ".chunks.jsonl"


@dataclass(frozen=True, slots=True)
class ChunkFile:
    """What a .chunks.jsonl says of its making, and its chunks."""

    path: Path
    strategy: str
    cap: int
    tokenizer: str
    doc_id: str
    settings: Mapping[str, str | int | float | None]
    settings_hash: str
    document_hash: str
    promised: int  # how many chunks there should be
    chunks: tuple[Chunk, ...]


def read_chunks(path: Path) -> ChunkFile:
    """The chunks that were written there. Raises MissingFileError or SidecarError."""
    lines = read_lines(path)
    meta = next(lines, None)
    if meta is None or meta.text("type") != "meta":
        raise SidecarError(f"{path} does not begin with a line that says how its chunks were made.")
    if meta.text("format", FORMAT) != FORMAT:
        raise SidecarError(f"{path} is of the format {meta.text('format')!r}, which is not that of chunks.")
    refuse_newer(meta, path)
    return ChunkFile(
        path=path,
        strategy=meta.text("strategy"),
        cap=meta.record("settings").integer("max_tokens"),
        tokenizer=meta.text("tokenizer"),
        doc_id=meta.text("doc_id"),
        settings=meta.record("settings").scalars(),
        settings_hash=meta.text("settings_hash"),
        document_hash=meta.text("document_hash"),
        promised=meta.integer("chunks"),
        chunks=tuple(map(read_chunk, lines)),
    )


def chunks_meta(path: Path) -> Fields | None:
    """The first line of a file of chunks; None where there is none that can be read."""
    try:
        return next(read_lines(path), None)
    except (MissingFileError, SidecarError):
        return None


def standing_chunks(path: Path, made: Provenance) -> Fields | None:
    """The first line of a file of chunks that was made just so; None where there is none, or one that was made otherwise or is not whole."""
    meta = chunks_meta(path)
    if meta is None or not all(meta.equals(name, value) for name, value in made._asdict().items()):
        return None
    return meta if count_lines(path) == meta.integer("chunks") + 1 else None


def is_made_of(path: Path, digest: str) -> bool:
    """Does a file of chunks say that they were made of blocks with this `content_hash`? A link says nothing."""
    meta = None if path.is_symlink() else chunks_meta(path)
    return meta is not None and meta.equals("blocks_sha256", digest)


def all_chunk_files(paths: Iterable[str], *, recursive: bool) -> Iterator[Path]:
    """The files of chunks that paths mean, as they come. Raises MissingFileError for one that means none."""
    for path in paths:
        files = chunk_files(Path(path), recursive=recursive)
        if not files:
            raise MissingFileError(f"There are no chunks at {path}: `docxchunk chunk` makes them.")
        yield from files


def source_of(path: Path) -> Identity:
    """The document that a file of chunks was made of; its own name where it stands alone."""
    return document_identity(path.parent) if is_parsed(path.parent) else Identity(path.name.removesuffix(CHUNKS))


def chunks_in(folder: Path) -> list[Path]:
    """The files of chunks in a parsed folder."""
    return sorted(folder.glob(f"*{CHUNKS}"))


def chunk_files(path: Path, *, recursive: bool = False) -> list[Path]:
    """The files of chunks that a path means: itself, those of a parsed folder (also of the one beside a document), or of the parsed folders in a folder."""
    if path.name.endswith(CHUNKS):
        return [path]
    folder = path if path.is_dir() else path.with_name(f"{path.name}.parsed")
    return sorted(folder.glob(f"**/*{CHUNKS}" if recursive else f"*{CHUNKS}")) or sorted(folder.glob(f"*.parsed/*{CHUNKS}"))
