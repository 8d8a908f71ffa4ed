"""A plain text or Markdown file to a Document without structure: one block."""

from __future__ import annotations

import codecs
import hashlib
from pathlib import PurePath

from docxchunk.errors import EmptyFileError, NotWordError
from docxchunk.model.blocks import Block
from docxchunk.model.document import Document, Report
from docxchunk.reader.identity import BlockIds, doc_id_of

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_plain_text(source: bytes, name: str, doc_id: str | None = None) -> Document:
    """The text of a file in UTF-8, or in UTF-16 with its mark. Raises EmptyFileError, or NotWordError where it is no text."""
    text = _decoded(source).replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text.strip():
        raise EmptyFileError("The file is empty.")
    identifier = doc_id or doc_id_of(name)
    block = Block(BlockIds(identifier).of((), text), text)
    return Document(
        name=name,
        format="md" if PurePath(name).suffix.lower() in (".md", ".markdown") else "txt",
        doc_id=identifier,
        title="",
        blocks=(block,),
        report=Report(emitted=sum(not character.isspace() for character in text)),
        source_sha256=hashlib.sha256(source).hexdigest(),
        structured=False,
    )


def _decoded(source: bytes) -> str:
    try:
        text = source.decode("utf-16" if source.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError:
        raise NotWordError("The file is no text in UTF-8: save it in that encoding first.", "unknown") from None
    if "\0" in text:
        raise NotWordError("The file is no text: it holds bytes that no text has.", "unknown")
    return text
