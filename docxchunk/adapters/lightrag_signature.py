"""Chunk blocks with the signature of LightRAG's description of paragraph semantic chunking
(docs/design/staged-chunking.md). LightRAG need not be installed.
"""

from __future__ import annotations

from typing import TypedDict

from docxchunk import api
from docxchunk.errors import InputError
from docxchunk.model.document import Document
from docxchunk.sources import StrPath


class SeedChunk(TypedDict):
    """A chunk as a dict with six keys (docs/design/staged-chunking.md, Interface and output)."""

    tokens: int
    content: str
    chunk_order_index: int
    heading: str
    parent_headings: list[str]
    level: int


def chunking_by_paragraph_semantic(
    tokenizer: api.TokenizerChoice,
    content: str,
    chunk_token_size: int = api.DEFAULT_MAX_TOKENS,
    chunk_overlap_token_size: int = api.DEFAULT_OVERLAP,
    *,
    blocks_path: StrPath | None = None,
) -> list[SeedChunk]:
    """Return the chunks of the blocks at `blocks_path`, by P-staged. The signature is
    that of docs/design/staged-chunking.md.

    If there are no blocks or they cannot be read, `content` is chunked by R instead. Raise
    UsageError for invalid settings.
    """
    from docxchunk.chunking import PStaged

    document = _blocks_or_text(blocks_path, content)
    chunks = api.chunk(
        document,
        strategy=PStaged(),
        max_tokens=chunk_token_size,
        overlap=chunk_overlap_token_size,
        tokenizer=tokenizer,
    )
    return [
        SeedChunk(
            tokens=cut.tokens,
            content=cut.content,
            chunk_order_index=cut.chunk_order_index,
            heading=cut.heading,
            parent_headings=list(cut.parent_headings),
            level=cut.level,
        )
        for cut in chunks
    ]


def _blocks_or_text(blocks_path: StrPath | None, content: str) -> Document:
    from docxchunk.reader.text_files import read_plain_text

    if blocks_path is not None:
        try:
            document = api.read(blocks_path)
        except InputError:
            document = None
        if document is not None and document.blocks:
            return document
    return read_plain_text(content.encode("utf-8", "surrogatepass"), "content.txt", "doc-content")
