"""Convert Word files to Haystack 2 documents (extra `haystack`).

from docxchunk.adapters.haystack import DocxToChunks
pipeline.add_component("converter", DocxToChunks(max_tokens=512))
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Unpack

from docxchunk import api
from docxchunk.adapters import ParsedFile, metadata, read_all
from docxchunk.errors import InputError, UsageError
from docxchunk.records import Record
from docxchunk.registry import extra_for

with extra_for("The adapter for Haystack", "haystack-ai", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict, logging
    from haystack.components.converters.utils import normalize_metadata
    from haystack.dataclasses import ByteStream

logger = logging.getLogger(__name__)


@component
class DocxToChunks:
    """Convert Word files, parsed folders or streams into one Document for each chunk, with the id
    of the chunk and flat metadata.

    The content of a Document is `Chunk.embed_text`: readable tables, with title and headings before
    the text. The content of the chunk as it is stored is in the metadata as `chunk_content`.

    Like other Haystack converters, it logs a warning for a source that cannot be read and
    continues.
    """

    def __init__(self, **settings: Unpack[api.ChunkSettings]) -> None:
        self._settings = settings

    @component.output_types(documents=list[Document])
    def run(
        self, sources: list[str | Path | ByteStream], meta: Record | list[Record] | None = None
    ) -> dict[str, list[Document]]:
        """Return {"documents": [...]}. `meta`, one record for all sources or one for each, is added
        to the metadata of the documents.
        """
        documents: list[Document] = []
        for source, about in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
            try:
                documents += self._documents(source, about)
            except InputError as error:
                logger.warning(
                    "Could not read {source}. Skipping it. Error: {error}",
                    source=_name(source),
                    error=error,
                )
        return {"documents": documents}

    def _documents(self, source: str | Path | ByteStream, about: Record) -> Iterator[Document]:
        stream_meta = source.meta if isinstance(source, ByteStream) else {}
        for path, document in _read(source):
            for chunk in api.chunk(document, **self._settings):
                flat = metadata(chunk, document, str(path))
                yield Document(
                    id=chunk.chunk_id,
                    content=chunk.embed_text,
                    meta={**flat, "file_path": str(path), **stream_meta, **about},
                )

    def to_dict(self) -> dict[str, object]:
        """Serialize the component. Raise UsageError for a tokenizer function, a strategy object or
        models, because a pipeline cannot save them.
        """
        for name in ("tokenizer", "strategy", "models"):
            if not isinstance(self._settings.get(name, ""), str):
                raise UsageError(f"{name} must be a name to be saved with a pipeline.")
        return dict(default_to_dict(self, **self._settings))

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> DocxToChunks:
        converter: DocxToChunks = default_from_dict(cls, data)
        return converter


def _read(source: str | Path | ByteStream) -> Iterator[ParsedFile]:
    if not isinstance(source, ByteStream):
        yield from read_all(source)
        return
    name = _name(source)
    yield ParsedFile(Path(name), api.parse(source.data, name=Path(name).name))


def _name(source: str | Path | ByteStream) -> str:
    """Return the path, or the file name in the metadata of a stream."""
    if not isinstance(source, ByteStream):
        return str(source)
    return str(source.meta.get("file_path") or source.meta.get("file_name") or "document.docx")
