"""Everything that docxchunk raises on purpose.

    DocxchunkError
    ├── UsageError                 what was asked for makes no sense: a setting, a name, a clash of outputs (exit code 2)
    ├── MissingExtraError          the back end is not installed; the message says how to get it
    ├── ModelError                 a model does not do what was asked: no answer, no log-probabilities, too small a window
    │   └── MissingModelError      a strategy needs a model, and none was given; the message says how to get one
    ├── OutputError                a result cannot be written: a symlink or a file of somebody else in the way
    │   └── StorageError           nor can any other: full disk, read-only disk, no permission for the folder; a run over many files stops
    └── InputError                 this input cannot be read; the others can
        ├── MissingFileError       no such file, or no permission to read it
        ├── NotWordError           a file of another kind: `kind` says which
        │   ├── EmptyFileError     no bytes at all
        │   ├── EncryptedError     protected by a password
        │   ├── LegacyWordError    the binary .doc of Word 97-2003
        │   ├── LockFileError      Word's owner file (`~$name.docx`)
        │   ├── RtfError           Rich Text Format
        │   ├── PdfError           a PDF
        │   └── HtmlError          a web page
        ├── DamagedError           a Word file that is too broken to read
        │   └── TruncatedError     one whose end is missing, and too much with it
        ├── UnsafeError            declares XML entities, as only an attack does
        ├── LimitError             larger, deeper or denser than a limit allows: `limit` names it
        └── SidecarError           a parsed folder or a .blocks.jsonl that does not hold what it must

Every message is one sentence for a person: what it is, and what to do. `path` is the file or folder that it is about; "" where none is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike, fsdecode


class DocxchunkError(Exception):
    """The root of the tree; `path` is the file or folder that it is about, "" where none is known."""

    path: str = ""


@contextmanager
def about(path: str | PathLike[str]) -> Iterator[None]:
    """Errors that come out of the block say that they are about `path`, unless they know better."""
    try:
        yield
    except DocxchunkError as error:
        error.path = error.path or fsdecode(path)
        raise


class UsageError(DocxchunkError, ValueError):
    """What was asked for makes no sense."""


class MissingExtraError(DocxchunkError, ImportError):  # type: ignore[misc]  # where an ImportError knows no path, it has None
    """An optional back end is not installed."""


class ModelError(DocxchunkError):
    """A model, or the server that runs it, does not do what was asked."""


class MissingModelError(ModelError):
    """A strategy needs a model, and none was given."""


class OutputError(DocxchunkError):
    """A result cannot be written."""


class StorageError(OutputError):
    """No result can be written any more: the disk is full or read-only, or the folder must not be written to."""


class InputError(DocxchunkError):
    """An input that cannot be read."""


class MissingFileError(InputError):
    """No such file, or no permission to read it; `path` as it was given, where it is known."""

    def __init__(self, message: str = "", path: str = "") -> None:
        super().__init__(message)
        self.path = path


class NotWordError(InputError):
    """A file of another kind than WordprocessingML; `kind` is a word for it: "pdf", "xlsx", "unknown"."""

    kind = "unknown"

    def __init__(self, message: str = "", kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind or type(self).kind


class EmptyFileError(NotWordError):
    """A file of no bytes."""

    kind = "empty"


class EncryptedError(NotWordError):
    """A file protected by a password ([MS-OFFCRYPTO] 2.3)."""

    kind = "encrypted"


class LegacyWordError(NotWordError):
    """The binary format of Word 97-2003 ([MS-DOC])."""

    kind = "doc"


class LockFileError(NotWordError):
    """The owner file that Word keeps beside an open document."""

    kind = "lock"


class RtfError(NotWordError):
    """Rich Text Format, sometimes saved under a Word name."""

    kind = "rtf"


class PdfError(NotWordError):
    """The Portable Document Format (ISO 32000)."""

    kind = "pdf"


class HtmlError(NotWordError):
    """A web page, often what a server sent in place of the file."""

    kind = "html"


class DamagedError(InputError):
    """A Word file too broken to read."""


class TruncatedError(DamagedError):
    """A Word file whose end is missing, and with it too much to read the rest."""


class UnsafeError(InputError):
    """A part with a DOCTYPE: ECMA-376 Part 2, 6.2.5, forbids it, and it is how entities are smuggled in."""


class LimitError(InputError):
    """Larger, deeper or denser than a limit allows; `limit` is the name of the field of `Limits`."""

    def __init__(self, message: str = "", limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


class SidecarError(InputError):
    """A parsed folder or a .blocks.jsonl that does not hold what it must."""
