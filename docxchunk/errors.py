"""The exceptions of docxchunk.

    DocxchunkError
    ├── UsageError               invalid arguments: a setting, a name, conflicting outputs
    │   │                        (exit code 2)
    │   └── UnknownNameError     a document has no section or clause of that name (exit code 1)
    ├── MissingExtraError        an optional package is not installed
    ├── ModelError               a model failed: no answer, no log-probabilities, too small a
    │   │                        context window
    │   └── MissingModelError    a strategy needs a model and none was given
    ├── OutputError              a result cannot be written, for example because a symbolic link
    │   │                        or another file is in the way
    │   └── StorageError         no result can be written: full or read-only disk, no permission
    │                            for the folder; a batch run stops
    └── InputError               an input cannot be read; a batch run continues with the others
        ├── MissingFileError     no such file, or no permission to read it
        ├── NotWordError         a file of another type; `kind` names it
        │   ├── EmptyFileError   a file without bytes
        │   ├── EncryptedError   protected by a password
        │   ├── ConvertibleError LibreOffice can convert it: an .odt, or one of these
        │   │   ├── LegacyWordError  the binary .doc of Word 97-2003
        │   │   └── RtfError     Rich Text Format
        │   ├── LockFileError    Word's owner file (`~$name.docx`)
        │   ├── PdfError         a PDF
        │   └── HtmlError        a web page
        ├── DamagedError         a Word file that is too damaged to read
        │   └── TruncatedError   a Word file that is cut off
        ├── UnsafeError          an XML part declares entities, as attacks do
        ├── LimitError           a limit is exceeded; `limit` names it
        └── SidecarError         a parsed folder or .blocks.jsonl with invalid contents

Every message is one sentence that says what is wrong and what to do. `path` is the file or folder
concerned; "" if unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike, fsdecode


class DocxchunkError(Exception):
    """The base class of all exceptions of docxchunk. `path` is the file or folder concerned; "" if
    unknown.
    """

    path: str = ""


@contextmanager
def about(path: str | PathLike[str]) -> Iterator[None]:
    """Set `path` on errors raised in the block, unless they have one."""
    try:
        yield
    except DocxchunkError as error:
        error.path = error.path or fsdecode(path)
        raise


class UsageError(DocxchunkError, ValueError):
    """Invalid arguments: a setting, a name, or conflicting outputs."""


class UnknownNameError(UsageError):
    """A document has no section or clause of that name."""


class MissingExtraError(DocxchunkError, ImportError):  # type: ignore[misc]  # ImportError.path may be None
    """An optional package is not installed. The message says how to install it."""


class ModelError(DocxchunkError):
    """A model, or its server, failed or gave an unusable answer."""


class MissingModelError(ModelError):
    """A strategy needs a model and none was given."""


class OutputError(DocxchunkError):
    """A result cannot be written."""


class StorageError(OutputError):
    """No result can be written: the disk is full or read-only, or the folder is not writable."""


class InputError(DocxchunkError):
    """An input that cannot be read."""


class MissingFileError(InputError):
    """No such file, or no permission to read it.

    `hint` returns the end of the message. It is called each time the message is shown, and never
    before: it may list a folder, and most of these errors are caught.
    """

    def __init__(
        self, message: str = "", path: str = "", hint: Callable[[], str] | None = None
    ) -> None:
        super().__init__(message)
        self.path = path
        self._hint = hint

    def __str__(self) -> str:
        return super().__str__() + (self._hint() if self._hint else "")


class NotWordError(InputError):
    """A file that is not a Word document; `kind` names its type: "pdf", "xlsx", "unknown"."""

    kind = "unknown"

    def __init__(self, message: str = "", kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind or type(self).kind


class EmptyFileError(NotWordError):
    """A file without bytes."""

    kind = "empty"


class EncryptedError(NotWordError):
    """A file protected by a password ([MS-OFFCRYPTO] 2.3)."""

    kind = "encrypted"


class ConvertibleError(NotWordError):
    """A file that LibreOffice converts (`ParseOptions.convert`): .doc, .rtf, or .odt (ISO/IEC
    26300), of kind "odt".
    """


class LegacyWordError(ConvertibleError):
    """The binary format of Word 97-2003 ([MS-DOC])."""

    kind = "doc"


class LockFileError(NotWordError):
    """The owner file that Word keeps beside an open document."""

    kind = "lock"


class RtfError(ConvertibleError):
    """Rich Text Format, sometimes with the extension of a Word file."""

    kind = "rtf"


class PdfError(NotWordError):
    """The Portable Document Format (ISO 32000)."""

    kind = "pdf"


class HtmlError(NotWordError):
    """A web page, often an error page that a server sent in place of the file."""

    kind = "html"


class DamagedError(InputError):
    """A Word file that is too damaged to read."""


class TruncatedError(DamagedError):
    """A Word file that is cut off, and whose main part cannot be read."""


class UnsafeError(InputError):
    """An XML part has a DOCTYPE, which ECMA-376 Part 2, 6.2.5 forbids because it can declare
    entities.
    """


class LimitError(InputError):
    """A limit is exceeded. `limit` is its name, a field of `Limits`."""

    def __init__(self, message: str = "", limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


class SidecarError(InputError):
    """A parsed folder or .blocks.jsonl with invalid contents."""
