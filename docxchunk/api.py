"""Parse, chunk, write, read: the only module that sees every station."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import IO, Protocol, runtime_checkable

from docxchunk.errors import EmptyFileError, LimitError, MissingFileError
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions

StrPath = str | PathLike[str]


@runtime_checkable
class Saveable(Protocol):
    """A `docx.Document` of python-docx."""

    def save(self, path_or_stream: IO[bytes]) -> None: ...


Source = StrPath | bytes | bytearray | memoryview | IO[bytes] | Saveable


def parse(source: Source, *, options: ParseOptions | None = None, doc_id: str | None = None, name: str | None = None) -> Document:
    """The document in a Word file: a path, bytes, a file object or a `docx.Document`.

    `name` is what the document is called where the source does not say ("document.docx"); `doc_id` is made of the name unless given.
    Raises InputError, or one of its kin, where the file cannot be read.
    """
    from docxchunk.reader.document import read_document

    data, found = _bytes_of(source)
    if not data:
        raise EmptyFileError("The file is empty.")
    try:
        return read_document(data, name or found, options or ParseOptions(), doc_id)
    except RecursionError:
        raise LimitError("Tables or other elements are nested too deep to be read.", "depth") from None


def _bytes_of(source: Source) -> tuple[bytes, str]:
    """The bytes of a source, and what it is called."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "document.docx"
    if isinstance(source, (str, PathLike)):
        path = Path(source)
        try:
            return path.read_bytes(), path.name
        except OSError as error:
            raise MissingFileError(f"The file cannot be read ({error.strerror or error}).") from error
    if isinstance(source, Saveable):
        from io import BytesIO

        buffer = BytesIO()
        source.save(buffer)
        return buffer.getvalue(), "document.docx"
    return source.read(), Path(str(getattr(source, "name", "document.docx"))).name
