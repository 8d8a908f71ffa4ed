"""Load Word files, search in them and split text for LangChain (extra `langchain`).

from docxchunk.adapters.langchain import DocxLoader
documents = DocxLoader("reports/", max_tokens=512).load()
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any, Unpack

from docxchunk import api
from docxchunk.adapters import TEXTS, ChunkLoader, Parent, results
from docxchunk.content.tags import unescape_text
from docxchunk.errors import UsageError
from docxchunk.model.fields import expect
from docxchunk.model.options import ParseOptions
from docxchunk.reader.text_files import read_plain_text
from docxchunk.registry import extra_for

with extra_for("The adapter for LangChain", "langchain-core", "langchain"):
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_text_splitters import TextSplitter
    from pydantic import Field


class DocxLoader(BaseLoader):
    """Load a file, or all files in a folder, as one Document for each chunk, with the id of the
    chunk, flat metadata, and the path as `source`.

    `page_content`, the text that vector stores embed, is `Chunk.embed_text`: readable tables, with
    title and headings before the text. The metadata has the stored content as `chunk_content`. With
    text="content", that is the `page_content`.

    `options` are those of the parser; the settings are those of `docxchunk.chunk`. If a file cannot
    be read, an InputError names it. With on_error="skip", the logger `docxchunk.adapters` warns,
    and the other files are loaded.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        options: ParseOptions | None = None,
        on_error: str = "raise",
        text: str = TEXTS[0],
        **settings: Unpack[api.ChunkSettings],
    ) -> None:
        if not isinstance(path, (str, PathLike)):
            raise UsageError(f"path is {path!r}; it must be one path.")
        self._path = path
        self._loader = ChunkLoader(options, on_error, text, settings)

    def lazy_load(self) -> Iterator[Document]:
        """Yield the chunks, document by document. Raise the errors of `docxchunk.chunk`."""
        for chunk, text, flat in self._loader.chunks_at(self._path):
            yield Document(id=chunk.chunk_id, page_content=text, metadata=flat)


class DocxRetriever(BaseRetriever):
    """Search a `docxchunk.Collection` by words, and return the best units for a question. A
    Document is a unit (some sentences or a row of a table), with its citation in the metadata.

    With parent="chunk" or "section", a Document is the text around the unit in its chunk or
    section, below its headings. All Documents together have at most `max_tokens` tokens, shared
    about equally, and each has the citation of its text. No unit is returned twice. With `where`,
    only documents with these values are searched: see `docxchunk.Collection.search`.
    """

    collection: Any = Field(description="A docxchunk.Collection.")
    k: int = Field(default=10, ge=1)
    parent: Parent = Parent.NONE
    max_tokens: int = Field(default=2000, ge=1)
    where: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: object,  # noqa: ARG002 - the signature of LangChain
    ) -> list[Document]:
        best_texts = results(
            self.collection, query, self.k, self.parent, self.max_tokens, where=self.where
        )
        return [
            Document(id=best.hit.unit.unit_id, page_content=best.text, metadata=best.metadata)
            for best in best_texts
        ]


class DocxTextSplitter(TextSplitter):
    """Split plain text with strategy R. `chunk_size` and `chunk_overlap` are in tokens of the
    tokenizer.

    The default overlap is 100 tokens, or a quarter of the size if that is less. For Word files use
    `DocxLoader`, which follows the headings.
    """

    def __init__(
        self,
        chunk_size: int = api.DEFAULT_MAX_TOKENS,
        chunk_overlap: int | None = None,
        tokenizer: api.TokenizerChoice = "o200k_base",
    ) -> None:
        self._tokenizer = api.tokenizer(tokenizer)
        overlap = (
            min(api.DEFAULT_OVERLAP, expect("chunk_size", chunk_size, int) // 4)
            if chunk_overlap is None
            else chunk_overlap
        )
        super().__init__(
            chunk_size=chunk_size, chunk_overlap=overlap, length_function=self._tokenizer.count
        )

    def split_text(self, text: str) -> list[str]:
        document = read_plain_text(text.encode("utf-8", "replace"), "text.txt", "doc-text")
        chunks = api.chunk(
            document,
            strategy="R",
            max_tokens=self._chunk_size,
            overlap=self._chunk_overlap,
            tokenizer=self._tokenizer,
        )
        return [unescape_text(chunk.content) for chunk in chunks]
