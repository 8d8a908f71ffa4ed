"""A parser engine and a chunking function for LightRAG (extra `lightrag`).

The engine is an entry point of the group `lightrag.parsers`: with both packages installed,
`LIGHTRAG_PARSER=docx:docxchunk-P` selects it with LightRAG's own chunker P. In releases that have
the group `lightrag.chunkers`, `CUSTOM_CHUNKER=docxchunk` selects the function `chunk`. For others,
pass a chunker to the constructor of `LightRAG`. It is used with the option `C`
(`docx:docxchunk-C`) and by default:

    from docxchunk.adapters.lightrag import Chunker
    rag = LightRAG(..., chunking_func=Chunker("inputs/__parsed__"))
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from docxchunk import api
from docxchunk.errors import InputError
from docxchunk.model.chunks import Chunk
from docxchunk.model.document import Document
from docxchunk.reader.text_files import read_plain_text
from docxchunk.records import Record
from docxchunk.records.blocks import ENGINE, hash_of_text, text_of
from docxchunk.registry import extra_for
from docxchunk.sidecar.names import BLOCKS, paths_in
from docxchunk.sidecar.reader import read_lines
from docxchunk.version import __version__

with extra_for("The adapter for LightRAG", "lightrag-hku", "lightrag"):
    from lightrag.constants import FULL_DOCS_FORMAT_LIGHTRAG
    from lightrag.parser.base import BaseParser, ParseContext, ParseResult
    from lightrag.parser.registry import ParserSpec, register_parser


def register() -> None:
    """Register the engine. LightRAG calls it through the entry point."""
    register_parser(
        ParserSpec(
            engine_name=ENGINE,
            impl=f"{__name__}:DocxchunkParser",
            suffixes=frozenset({"docx", "docm", "dotx", "dotm"}),
        )
    )


def register_chunking() -> None:
    """Register the function `chunk`. LightRAG calls it through the entry point. Raise ImportError
    in a release without contexts of chunkers or their resolver, which skips it.
    """
    from lightrag.chunker.registry import ChunkerSpec, register_chunker, resolve_sidecar_location

    assert resolve_sidecar_location  # noqa: S101 - `chunk` needs it; it is newer than the others
    register_chunker(
        ChunkerSpec(
            name=ENGINE,
            impl=f"{__name__}:chunk",
            version=__version__,
            description="Strategy P of docxchunk, on the blocks of the parsed document",
            accepts_context=True,
        )
    )


class DocxchunkParser(BaseParser):
    """Parse into LightRAG's folder for the document, which its chunkers and its picture and table
    analysis read.
    """

    engine_name = ENGINE

    async def parse(self, ctx: ParseContext) -> ParseResult:
        """Write sidecar and full text and archive the source, as LightRAG's native engines do.
        Raise the errors of `docxchunk.parse`.
        """
        from lightrag.utils_pipeline import make_lightrag_doc_content, sidecar_uri_for

        paths = ctx.resolve(ENGINE)
        document = await asyncio.to_thread(
            api.parse, paths.source_path, doc_id=ctx.doc_id, name=paths.document_name
        )
        folder = await asyncio.to_thread(api.write, document, paths.parsed_dir.parent)
        content = text_of(document.blocks)
        record = {
            "content": make_lightrag_doc_content(content),
            "file_path": ctx.file_path,
            "parse_format": FULL_DOCS_FORMAT_LIGHTRAG,
            "sidecar_location": sidecar_uri_for(folder),
            "parse_engine": ENGINE,
            "update_time": int(time.time()),
        }
        await ctx.rag._persist_parsed_full_docs(ctx.doc_id, record)  # noqa: SLF001 - as LightRAG's own engines do
        await ctx.archive_source(str(paths.source_path))
        return ParseResult(
            doc_id=ctx.doc_id,
            file_path=ctx.file_path,
            parse_format=FULL_DOCS_FORMAT_LIGHTRAG,
            content=content,
            blocks_path=str(paths_in(folder, document.name).blocks),
            parse_engine=ENGINE,
        )


class TokenEncoder(Protocol):
    """The interface of LightRAG's tokenizer."""

    def encode(self, content: str) -> list[int]: ...


@dataclass(frozen=True, slots=True)
class Chunker:
    """A `chunking_func`. LightRAG passes only the text of a document; its blocks are looked up in
    the folders below `parsed` by the hash of the text.

    Text without a parsed folder is chunked as plain text. Limits and tokenizer are LightRAG's.
    """

    parsed: str | Path
    strategy: str = "P"

    async def __call__(  # noqa: PLR0913, PLR0917 - the signature is LightRAG's
        self,
        tokenizer: TokenEncoder,
        content: str,
        split_by_character: str | None = None,  # noqa: ARG002
        split_by_character_only: bool = False,  # noqa: ARG002, FBT001, FBT002
        chunk_overlap_token_size: int = api.DEFAULT_OVERLAP,
        chunk_token_size: int = api.DEFAULT_MAX_TOKENS,
    ) -> list[Record]:
        document = await asyncio.to_thread(self._document, content)
        sizes = chunk_token_size, chunk_overlap_token_size
        return await asyncio.to_thread(_chunked, document, self.strategy, tokenizer, *sizes)

    def _document(self, content: str) -> Document:
        digest = hash_of_text(content)
        for blocks in sorted(Path(self.parsed).glob(f"*/*{BLOCKS}")):
            try:
                if next(read_lines(blocks)).equals("document_hash", digest):
                    return api.read(blocks)
            except (InputError, StopIteration):
                continue
        return _text_document(content)


class ChunkingContext(Protocol):
    """What LightRAG tells of a document."""

    sidecar_location: str | None


async def chunk(  # noqa: PLR0913, PLR0917 - the signature is LightRAG's
    tokenizer: TokenEncoder,
    content: str,
    split_by_character: str | None = None,  # noqa: ARG001
    split_by_character_only: bool = False,  # noqa: ARG001, FBT001, FBT002
    chunk_overlap_token_size: int = api.DEFAULT_OVERLAP,
    chunk_token_size: int = api.DEFAULT_MAX_TOKENS,
    *,
    context: ChunkingContext | None = None,
) -> list[Record]:
    """Chunk the document in the parsed folder of the context by P; without one, plain text."""
    from lightrag.chunker.registry import resolve_sidecar_location

    place = context.sidecar_location if context else None
    folder = resolve_sidecar_location(place) if place else None
    blocks = sorted(folder.glob(f"*{BLOCKS}")) if folder else []
    document = api.read(blocks[0]) if blocks else _text_document(content)
    sizes = chunk_token_size, chunk_overlap_token_size
    return await asyncio.to_thread(_chunked, document, "P", tokenizer, *sizes)


def _text_document(content: str) -> Document:
    return read_plain_text(content.encode("utf-8", "replace"), "content.txt", "doc-content")


def _chunked(
    document: Document, strategy: str, tokenizer: TokenEncoder, size: int, overlap: int
) -> list[Record]:
    def count(text: str) -> int:
        return len(tokenizer.encode(text))

    chunks = api.chunk(
        document, strategy=strategy, max_tokens=size, overlap=overlap, tokenizer=count
    )
    return list(map(_record, chunks))


def _record(chunk: Chunk) -> Record:
    """Return the chunk as a record of LightRAG's own chunker P."""
    blocks: Sequence[Record] = [{"type": "block", "id": block} for block in chunk.blocks]
    return {
        "tokens": chunk.tokens,
        "content": chunk.content,
        "chunk_order_index": chunk.chunk_order_index,
        "heading": {
            "level": chunk.level,
            "heading": chunk.heading,
            "parent_headings": list(chunk.parent_headings),
        },
        "sidecar": {"type": "block", "id": chunk.blocks[0], "refs": blocks},
    }
