"""Load Word files and split text for LangChain (extra `langchain`).

from docxchunk.adapters.langchain import DocxLoader
documents = DocxLoader("reports/", max_tokens=512).load()
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Unpack

from docxchunk import api
from docxchunk.adapters.sources import check_settings, chunks_at, policy
from docxchunk.errors import UsageError
from docxchunk.markup.tags import unescape_text
from docxchunk.model.fields import either, expect
from docxchunk.model.options import ParseOptions
from docxchunk.reader.text_files import read_plain_text
from docxchunk.registry import extra_for

with extra_for("The adapter for LangChain", "langchain-core", "langchain"):
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document
    from langchain_text_splitters import TextSplitter

TEXTS = ("content", "embed_text")


class DocxLoader(BaseLoader):
    """Load one Document for each chunk of a file, or of all files in a folder, with the chunk's id,
    flat metadata and the path as `source`.

    `options` are those of the parser; the settings are those of `docxchunk.chunk`. A file that
    cannot be read raises an InputError that names it; with on_error="skip" the logger
    `docxchunk.adapters` warns, and the other files are loaded. `text` selects the `page_content`:
    "content" or "embed_text", which has the document's title and the headings before the content.
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
        if text not in TEXTS:
            raise UsageError(f"text is {text!r}; it must be {either(TEXTS)}.")
        if not isinstance(path, (str, PathLike)):
            raise UsageError(f"path is {path!r}; it must be one path.")
        check_settings(**settings)
        self._path = path
        self._text = text
        self._policy = policy(options, on_error)
        self._settings = settings

    def lazy_load(self) -> Iterator[Document]:
        """Yield the chunks, document by document. Raise the errors of `docxchunk.chunk`."""
        for chunk, flat in chunks_at(self._path, self._policy, self._settings):
            yield Document(
                id=chunk.chunk_id, page_content=getattr(chunk, self._text), metadata=flat
            )


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
