"""Haystack 2: a converter of Word files to documents (extra `haystack`).

from docxchunk.adapters.haystack import DocxToChunks
pipeline.add_component("converter", DocxToChunks(max_tokens=512))
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Unpack

from docxchunk import api
from docxchunk.adapters.sources import Source, metadata, read_all
from docxchunk.errors import InputError, MissingExtraError, UsageError
from docxchunk.markup.records.fields import Record
from docxchunk.registry import missing_extra

try:
    from haystack import Document, component, default_from_dict, default_to_dict, logging
    from haystack.components.converters.utils import normalize_metadata
    from haystack.dataclasses import ByteStream
except ModuleNotFoundError as error:
    raise MissingExtraError(missing_extra("The adapter for Haystack", "haystack-ai", "haystack")) from error

logger = logging.getLogger(__name__)


@component
class DocxToChunks:
    """Word files, parsed folders or streams to documents, one a chunk, with its id and flat metadata.

    As other converters do, it logs what cannot be read and goes on with the rest.
    """

    def __init__(self, **settings: Unpack[api.ChunkSettings]) -> None:
        self._settings = settings

    @component.output_types(documents=list[Document])
    def run(self, sources: list[str | Path | ByteStream], meta: Record | list[Record] | None = None) -> dict[str, list[Document]]:
        """`documents`; `meta`, one for all or one a source, goes into the metadata of each."""
        documents: list[Document] = []
        for source, about in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
            try:
                documents += self._documents(source, about)
            except InputError as error:
                logger.warning("Could not read {source}. Skipping it. Error: {error}", source=_name(source), error=error)
        return {"documents": documents}

    def _documents(self, source: str | Path | ByteStream, about: Record) -> Iterator[Document]:
        own = source.meta if isinstance(source, ByteStream) else {}
        for path, document in _read(source):
            for chunk in api.chunk(document, **self._settings):
                flat = metadata(chunk, document, str(path))
                yield Document(id=chunk.chunk_id, content=chunk.content, meta={**flat, "file_path": str(path), **own, **about})

    def to_dict(self) -> dict[str, object]:
        """Serialize the component. Raises UsageError for what cannot be saved: a tokenizer function, a strategy object, or models."""
        for name in ("tokenizer", "strategy", "models"):
            if not isinstance(self._settings.get(name, ""), str):
                raise UsageError(f"A {name} that is no name cannot be saved with a pipeline.")
        return dict(default_to_dict(self, **self._settings))

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> DocxToChunks:
        made: DocxToChunks = default_from_dict(cls, data)
        return made


def _read(source: str | Path | ByteStream) -> Iterator[Source]:
    if not isinstance(source, ByteStream):
        yield from read_all(source)
        return
    name = _name(source)
    yield Source(Path(name), api.parse(source.data, name=Path(name).name))


def _name(source: str | Path | ByteStream) -> str:
    """The path, or what a stream says of its own."""
    if not isinstance(source, ByteStream):
        return str(source)
    return str(source.meta.get("file_path") or source.meta.get("file_name") or "document.docx")
