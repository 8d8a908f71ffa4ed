"""Derive file names from the name of a document, and show names and texts."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import PurePath
from typing import Final

_LONGEST: Final = 255  # bytes that file systems allow
_STEM: Final = 200  # with suffixes such as ".equations.json"
_UNFIT: Final = re.compile("[\x00\ud800-\udfff]")
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# Python represents the byte b of an undecodable file name by the surrogate U+DC00 + b (PEP 383)
_BYTE: Final = 0xDC00


def name_of(path: PurePath) -> str:
    r"""Return the name of a file. What is no text becomes an escape: an undecodable byte `\xff`,
    whatever the locale.
    """
    try:
        return text_name(os.fsencode(path.name).decode("utf-8", "backslashreplace"))
    except UnicodeEncodeError:
        return text_name(path.name)


def text_name(name: str) -> str:
    """Return a name with escapes for NUL and lone surrogates, which neither files nor JSON can
    have.
    """
    return _UNFIT.sub(_escaped, name)


def printable(text: str) -> str:
    r"""Return the text with escapes such as `\x1b` for control characters (ISO/IEC 6429),
    bidirectional controls (UAX #9, section 2) and lone surrogates.

    Tabs and line feeds stay.
    """
    return _CONTROL.sub(_escaped, text)


def one_line(text: str) -> str:
    r"""Return printable text with `\n` for line feeds: the name of a file may contain them, and
    would look like several messages.
    """
    return printable(text).replace("\n", r"\n")


def _escaped(character: re.Match[str]) -> str:
    r"""Return the escape of a character: `\x1b`, `\u202e`."""
    code = ord(character[0])
    code -= _BYTE if _BYTE < code < _BYTE + 0x100 else 0
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def file_name(name: str, suffix: int = 0) -> str:
    """Return the name as the system takes it. If it is too long with a suffix of that many bytes,
    it is cut and ends with its hash: names stay different.
    """
    data = text_name(name).encode()
    if len(data) + suffix > _LONGEST:
        digest = hashlib.md5(data, usedforsecurity=False).hexdigest()[:8]
        data = f"{_cut(data, _LONGEST - suffix - 9)}~{digest}".encode()
    return os.fsdecode(data)


def stem_of(name: str) -> str:
    """Return the common stem of the files in a parsed folder: "report" for report.docx. A very long
    name is cut.
    """
    return _cut(text_name(PurePath(name).stem).encode(), _STEM)


def _cut(data: bytes, size: int) -> str:
    return data[:size].decode("utf-8", "ignore")
