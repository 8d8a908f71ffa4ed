"""Read the document in a source: a path, bytes, a binary file, or a document of python-docx."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from hashlib import sha256
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Protocol, runtime_checkable

from docxchunk.errors import (
    ConvertibleError,
    EmptyFileError,
    LimitError,
    MissingFileError,
    UsageError,
)
from docxchunk.model.document import Document, Issue, IssueCode
from docxchunk.model.fields import brief, expect
from docxchunk.model.options import Convert, Limits, ParseOptions
from docxchunk.model.wording import name_of, text_name
from docxchunk.sidecar.names import open_at_once

StrPath = str | PathLike[str]
Paths = StrPath | Iterable[StrPath]


@runtime_checkable
class Saveable(Protocol):
    """A `docx.Document` of python-docx."""

    def save(self, path_or_stream: IO[bytes]) -> None: ...


Source = StrPath | bytes | bytearray | memoryview | IO[bytes] | Saveable


class InputKind(StrEnum):
    """How an input path is read."""

    WORD = "word"  # also any other file; the reader identifies it
    PARSED = "parsed"  # a parsed folder or a .blocks.jsonl
    TEXT = "text"


def kind_of(path: Path) -> InputKind:
    """Return how a path is read. For files, only the name decides; see `kind_in`."""
    from docxchunk.reader.text_files import SUFFIXES

    if os.path.isdir(path) or path.suffix == ".jsonl":  # noqa: PTH112 - as in `sidecar.names`
        return InputKind.PARSED
    return InputKind.TEXT if path.suffix.lower() in SUFFIXES else InputKind.WORD


def kind_in(kind: InputKind, data: bytes) -> InputKind:
    """Return how a file of this kind with these bytes is read: a ZIP file with the name of a text
    file is a Word file.
    """
    return InputKind.WORD if kind is InputKind.TEXT and data.startswith(b"PK\x03\x04") else kind


class Naming(NamedTuple):
    """The name and id of a document.

    - `name`: the file name: report.docx.
    - `label`: the text that the id is derived from: the name, or a path relative to an input
      folder.
    - `doc_id`: the id, if given; "" otherwise.
    """

    name: str
    label: str
    doc_id: str = ""


def parse_as(kind: InputKind, data: bytes, naming: Naming, options: ParseOptions) -> Document:
    """Return the document in the bytes of a file. Raise the errors of `parse`."""
    if kind_in(kind, data) is InputKind.TEXT:
        from docxchunk.reader.ids import doc_id_of
        from docxchunk.reader.text_files import read_text_file

        return read_text_file(
            data, naming.name, text_name(naming.doc_id) or doc_id_of(naming.label)
        )
    from docxchunk.reader.document import read_document

    if not data:
        raise EmptyFileError("The file is empty: it has no bytes.")
    try:
        return read_document(data, naming.name, options, text_name(naming.doc_id), naming.label)
    except ConvertibleError as error:
        if options.convert is Convert.NONE:
            raise
        return _converted(data, naming, options, error.kind)
    except RecursionError:
        raise LimitError("Elements are nested too deep to be read.", "depth") from None


def _converted(data: bytes, naming: Naming, options: ParseOptions, kind: str) -> Document:
    """Return the document in a .doc, .rtf or .odt file. Its format, hash and id are those of the
    original file; its positions are those of the converted one.
    """
    from docxchunk.backends.libreoffice import to_docx
    from docxchunk.reader.ids import foreign_id

    docx = to_docx(data, kind, options.limits)
    identifier, issues = (naming.doc_id, ()) if naming.doc_id else foreign_id(data, naming.label)
    document = parse_as(
        InputKind.WORD,
        docx,
        naming._replace(doc_id=identifier),
        replace(options, convert=Convert.NONE),
    )
    converted = Issue(
        IssueCode.CONVERTED,
        "",
        f"LibreOffice converted it from .{kind}: "
        "positions and pages are those of the "
        "converted file.",
    )
    return replace(
        document,
        format=kind,
        source_sha256=sha256(data).hexdigest(),
        options=options,
        issues=(converted, *issues, *document.issues),
    )


def given_path(name: str, path: StrPath) -> Path:
    """Return the path of an argument. Raise UsageError if it is empty, which would mean the current
    folder, or no path.
    """
    text = path if isinstance(path, PathLike) else expect(name, path, str)
    if not text:
        raise UsageError(f"{name} is empty; it must be a path.")
    return Path(text)


def given_paths(paths: Paths) -> list[str]:
    """Return one or several paths as a list. Raise UsageError for anything else."""
    all_paths = (
        [paths]
        if isinstance(paths, (str, PathLike)) or not isinstance(paths, Iterable)
        else list(paths)
    )
    for path in all_paths:
        if not isinstance(path, (str, PathLike)):
            raise UsageError(f"paths is {brief(paths)}; it must be a path or several paths.")
    return [os.fspath(path) for path in all_paths]


def bytes_in(path: Path, limits: Limits) -> bytes:
    """Return the bytes of a file or pipe. Raise LimitError if it is too large, before reading it;
    MissingFileError if it cannot be read.
    """
    try:
        with open_at_once(path) as file:
            limits.admit_file(os.fstat(file.fileno()).st_size)
            data = _first_bytes(file)
            data += file.read(limits.file + 1)  # the size of a pipe is unknown
    except (OSError, ValueError) as error:  # ValueError: the path contains a NUL character
        raise MissingFileError(
            f"The file {str(path)!r} cannot be read ({getattr(error, 'strerror', None) or error}).",
            str(path),
        ) from error
    limits.admit_file(len(data))
    return data


def _first_bytes(file: BinaryIO) -> bytes:
    """Return the first bytes of a pipe, b"" of anything else. Raise OSError if nothing writes to
    the pipe.
    """
    if not stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
        return b""
    try:
        data = os.read(file.fileno(), 1)
    except BlockingIOError:  # who writes to it has not begun
        return b""
    finally:
        os.set_blocking(file.fileno(), True)
    if not data:
        raise OSError(errno.EPIPE, "it is a pipe, and nothing writes to it")
    return data


def bytes_of(source: Source, limits: Limits) -> tuple[bytes, str]:
    """Return the bytes of a source and its file name; "" if it has none."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), ""
    if isinstance(source, (str, PathLike)):
        path = given_path("source", source)
        return bytes_in(path, limits), name_of(path)
    if isinstance(source, Saveable):
        buffer = BytesIO()
        source.save(buffer)
        return buffer.getvalue(), ""
    if not hasattr(source, "read"):
        raise UsageError(
            f"source is of the type {type(source).__name__}; it must be a path, bytes, a "
            "binary file or a docx.Document of python-docx."
        )
    data = source.read(limits.file + 1)
    if not isinstance(data, bytes):
        raise UsageError("The file is open as text; open it in binary mode.")
    limits.admit_file(len(data))
    return data, name_of(Path(path_of(source)))


def path_of(source: Source) -> str:
    """Return the path of a source; "" if unknown. The `name` of a file object may be None or a file
    descriptor.
    """
    path = source if isinstance(source, (str, PathLike)) else getattr(source, "name", "")
    return os.fsdecode(path) if isinstance(path, (str, bytes, PathLike)) else ""
