"""Everything that docxchunk raises on purpose.

    DocxchunkError
    ├── UsageError                 what was asked for makes no sense: a setting, a name, a clash of outputs (exit code 2)
    ├── MissingExtraError          the back end is not installed; the message says how to get it
    ├── OutputError                a result cannot be written: full disk, no permission, a symlink in the way
    └── InputError                 this input cannot be read; the others can
        ├── MissingFileError       no such file, or no permission to read it
        ├── NotWordError           a file of another kind: `kind` says which
        │   ├── EmptyFileError     no bytes at all
        │   ├── EncryptedError     protected by a password
        │   ├── LegacyWordError    the binary .doc of Word 97-2003
        │   └── LockFileError      Word's owner file (`~$name.docx`)
        ├── DamagedError           a Word file that is too broken to read
        ├── LimitError             larger, deeper or denser than a limit allows: `limit` names it
        └── SidecarError           a parsed folder or a .blocks.jsonl that does not hold what it must

Every message is one sentence for a person: what it is, and what to do.
"""

from __future__ import annotations


class DocxchunkError(Exception):
    """The root of the tree."""


class UsageError(DocxchunkError, ValueError):
    """What was asked for makes no sense."""


class MissingExtraError(DocxchunkError, ImportError):
    """An optional back end is not installed."""


class OutputError(DocxchunkError):
    """A result cannot be written."""


class InputError(DocxchunkError):
    """This input cannot be read."""


class MissingFileError(InputError):
    """No such file, or no permission to read it."""


class NotWordError(InputError):
    """A file of another kind than WordprocessingML."""


class EmptyFileError(NotWordError):
    """A file of no bytes."""


class EncryptedError(NotWordError):
    """A file protected by a password ([MS-OFFCRYPTO] 2.3)."""


class LegacyWordError(NotWordError):
    """The binary format of Word 97-2003 ([MS-DOC])."""


class LockFileError(NotWordError):
    """The owner file that Word keeps beside an open document."""


class DamagedError(InputError):
    """A Word file too broken to read."""


class LimitError(InputError):
    """Larger, deeper or denser than a limit allows."""


class SidecarError(InputError):
    """A parsed folder or a .blocks.jsonl that does not hold what it must."""
