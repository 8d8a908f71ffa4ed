"""Read text files: plain text is one block with all lines, without structure; the headings of
Markdown open blocks.
"""

from __future__ import annotations

import codecs
import hashlib
from dataclasses import replace
from typing import Final

from docxchunk.errors import NotWordError
from docxchunk.markup.tags import escape_text
from docxchunk.model.blocks import Block, Line, Position
from docxchunk.model.document import Document, Report
from docxchunk.reader.block_ids import BlockIds
from docxchunk.reader.markdown import read_markdown

_MARKDOWN: Final = (".md", ".markdown")
SUFFIXES: Final = frozenset({".txt", ".text", ".rst", *_MARKDOWN})
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text_file(source: bytes, name: str, doc_id: str) -> Document:
    """Return the document of a text file: Markdown if its name ends in .md or .markdown, else plain
    text. Raise NotWordError if it is not text.
    """
    if not name.lower().endswith(_MARKDOWN):
        return read_plain_text(source, name, doc_id)
    return replace(
        read_markdown(_decoded(source), name, doc_id),
        source_sha256=hashlib.sha256(source).hexdigest(),
    )


def read_plain_text(source: bytes, name: str, doc_id: str) -> Document:
    """Return the document of a text file in UTF-8, or in the encoding of its byte order mark. Raise
    NotWordError if it is not text.
    """
    return replace(
        text_document(_decoded(source), name, doc_id),
        source_sha256=hashlib.sha256(source).hexdigest(),
    )


def text_document(source: str, name: str, doc_id: str) -> Document:
    """Return a document with all of the text in one block, its lines unchanged."""
    text = "\n".join(source.splitlines())
    content = escape_text(text)
    blocks: tuple[Block, ...] = ()
    if content.strip():
        lines = (Line(),) * (content.count("\n") + 1)
        blocks = (
            Block(
                BlockIds(doc_id).of((), content),
                content,
                lines=lines,
                position=Position(None, None, (0, len(lines) - 1)),
            ),
        )
    return Document(
        name=name,
        format=name.rpartition(".")[2].lower() if "." in name else "txt",
        doc_id=doc_id,
        title="",
        blocks=blocks,
        report=Report(emitted=len(text)),
        source_sha256=hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest(),
        structured=False,
    )


def _decoded(source: bytes) -> str:
    encoding = next((name for mark, name in _MARKS if source.startswith(mark)), "utf-8")
    try:
        text = source.decode(encoding)
    except UnicodeDecodeError:
        raise NotWordError(
            "The file is neither a Word file nor text in UTF-8; save it as .docx or as UTF-8 text."
        ) from None
    if "\0" in text:
        raise NotWordError("The file is neither a Word file nor text: it contains NUL bytes.")
    return text
