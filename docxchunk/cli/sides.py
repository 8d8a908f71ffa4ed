"""The two sides of a comparison: chunks that were written, or made now with the settings and the document's id of the other side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import cast

from docxchunk import api
from docxchunk.batch.inputs import Input, Scan, find_inputs
from docxchunk.batch.work import ParseJob, Reading, document_of
from docxchunk.chunking import Limits, run
from docxchunk.chunking.named import default_settings, named_strategy
from docxchunk.errors import InputError, MissingFileError, UsageError
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions
from docxchunk.reader.identity import doc_id_of
from docxchunk.sidecar.chunks import CHUNKS, ChunkFile, chunk_files, read_chunks
from docxchunk.sidecar.paths import is_parsed

Side = ChunkFile | Document | Path  # a Path is a file that is still to be parsed


@dataclass(frozen=True, slots=True)
class Recipe:
    """How chunks are made, where neither side says it."""

    strategy: str = "P"
    max_tokens: int = api.DEFAULT_MAX_TOKENS
    overlap: int = api.DEFAULT_OVERLAP
    tokenizer: str = "o200k_base"

    @property
    def settings(self) -> dict[str, api.Setting]:
        return {"strategy": self.strategy, "max_tokens": self.max_tokens, "overlap": self.overlap}


def both_sides(old: Path, new: Path, strategy: str, recipe: Recipe) -> tuple[Sequence[Chunk], Sequence[Chunk]]:
    """The chunks of both. Raises UsageError where they were made of different documents or with different settings, and so cannot be compared."""
    given = [_found(path, strategy) for path in (old, new)]
    files = [side for side in given if isinstance(side, ChunkFile)]
    settings = _settings(files[0]) if files else recipe.settings
    tokenizer = files[0].tokenizer if files else recipe.tokenizer
    hashes = {file.settings_hash for file in files}
    if len(hashes) > 1:
        raise UsageError("The two sides were chunked with different settings, so that no chunk of one is in the other: chunk one of them again.")
    doc_id = next((side.doc_id for side in given if not isinstance(side, Path)), doc_id_of(new.name))
    options = next((found for side in given if (found := _options(side))), ParseOptions())
    chunks = [side.chunks if isinstance(side, ChunkFile) else _chunked(_document(side, doc_id, options), settings, tokenizer) for side in given]
    return chunks[0], chunks[1]


def _found(path: Path, strategy: str) -> Side:
    """The chunks that are there, else the document. A Word file is read, whatever was once made of it."""
    if not path.exists():
        raise MissingFileError(f"{path} does not exist.")
    if path.is_dir() or path.name.endswith(CHUNKS):
        files = [file for file in map(read_chunks, chunk_files(path)) if strategy in ("", file.strategy)]
        if len(files) == 1:
            return files[0]
        if files:
            raise UsageError(f"{path} holds several files of chunks: --strategy says which, or give the file itself.")
    return api.read(path) if is_parsed(path) or path.is_dir() else path


def _settings(file: ChunkFile) -> dict[str, api.Setting]:
    return {name: value for name, value in file.settings.items() if value is None or isinstance(value, (str, int, float))}


def _options(side: Side) -> ParseOptions | None:
    """How it was parsed, where that is known."""
    if isinstance(side, ChunkFile):
        try:
            return api.read(side.path.parent).options
        except InputError:
            return None
    return side.options if isinstance(side, Document) else None


def _document(side: Document | Path, doc_id: str, options: ParseOptions) -> Document:
    if isinstance(side, Document):
        return side
    (item,) = (found for found in find_inputs([str(side)], None, Scan()) if isinstance(found, Input))
    return document_of(ParseJob(item, Reading(options, doc_id=doc_id)), keep=False)


def _chunked(document: Document, settings: dict[str, api.Setting], tokenizer: str) -> Sequence[Chunk]:
    common = {field.name for field in fields(Limits)}
    limits = Limits(**{name: value for name, value in settings.items() if name in common})  # type: ignore[arg-type]
    strategy = cast("str", settings["strategy"])
    own = {name: settings[name] for name, _ in default_settings(strategy) if name in settings}
    return run(document, named_strategy(strategy, own), limits, api.tokenizer(tokenizer)).chunks
