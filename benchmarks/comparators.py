"""Chunkers of other packages, for `--chunker NAME=benchmarks.comparators:NAME` in a checkout.

Each takes a text and the most tokens of a chunk (of o200k_base) and gives ranges of the text. They
come with `pip install "docxchunk[test-comparators]"`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import docxchunk
from docxchunk.model.ports import Tokenizer

Span = tuple[int, int]
_ITEM = re.compile(r"<table\b.*?</table>|[^\n]+", re.DOTALL)
_HEADING = re.compile(r"#{1,9} ")


@lru_cache(maxsize=1 << 16)
def tokens(text: str) -> int:
    return _tokenizer().count(text)


@lru_cache
def _tokenizer() -> Tokenizer:
    return docxchunk.tokenizer()


def langchain(text: str, most: int) -> Iterator[Span]:
    """LangChain's RecursiveCharacterTextSplitter, with its default separators."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=most, chunk_overlap=0, length_function=tokens, add_start_index=True
    )
    for document in splitter.create_documents([text]):
        start = document.metadata["start_index"]
        yield start, start + len(document.page_content)


def langchain_markdown(text: str, most: int) -> Iterator[Span]:
    """LangChain's splitter with its Markdown separators: headings first."""
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.MARKDOWN,
        chunk_size=most,
        chunk_overlap=0,
        length_function=tokens,
        add_start_index=True,
    )
    for document in splitter.create_documents([text]):
        start = document.metadata["start_index"]
        yield start, start + len(document.page_content)


def chonkie(text: str, most: int) -> Iterator[Span]:
    """Chonkie's RecursiveChunker with its default rules; text without separators is cut between
    characters.
    """
    from chonkie import RecursiveChunker
    from chonkie.tokenizer import CharacterTokenizer

    class Counting(CharacterTokenizer):
        def count_tokens(self, text: str) -> int:
            return tokens(text)

    for chunk in RecursiveChunker(tokenizer=Counting(), chunk_size=most)(text):
        yield chunk.start_index, chunk.end_index


def docling(text: str, most: int) -> Iterator[Span]:
    """Docling's HybridChunker, on a document of headings and paragraphs; a table is one paragraph,
    as its own form of tables would be another text.

    Headings, which it keeps beside a chunk, belong to the range of the chunk after them.
    """
    chunker, document, ends = _hybrid(most), *_docling_document(text)
    done = 0
    for chunk in chunker.chunk(document):
        refs = [item.self_ref for item in chunk.meta.doc_items]
        end = ends[refs[-1]]
        # a part of a long paragraph
        at = text.find(chunk.text, done, end) if len(refs) == 1 else -1
        stop = at + len(chunk.text) if at >= 0 else end
        if stop > done:
            yield done, stop
            done = stop


def _docling_document(text: str) -> tuple[object, dict[str, int]]:
    """Return the document, and the end of each item in the text."""
    from docling_core.types.doc.document import DoclingDocument
    from docling_core.types.doc.labels import DocItemLabel

    document = DoclingDocument(name="text")
    ends: dict[str, int] = {}
    for match in _ITEM.finditer(text):
        heading = _HEADING.match(match[0])
        if not match[0].strip():
            continue
        if heading:
            item = document.add_heading(
                match[0][heading.end() :], level=min(heading.end() - 1, 100)
            )
        else:
            item = document.add_text(DocItemLabel.PARAGRAPH, match[0])
        ends[item.self_ref] = match.end()
    return document, ends


def _hybrid(most: int) -> Any:
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.base import BaseTokenizer

    class Counting(BaseTokenizer):
        def count_tokens(self, text: str) -> int:
            return tokens(text)

        def get_max_tokens(self) -> int:
            return most

        def get_tokenizer(self) -> object:
            return tokens

    return HybridChunker(tokenizer=Counting())
