"""Identify files that are not Word documents, by their first bytes or part names, and build the
error for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from docxchunk.errors import (
    ConvertibleError,
    DamagedError,
    EmptyFileError,
    EncryptedError,
    HtmlError,
    InputError,
    LegacyWordError,
    LockFileError,
    NotWordError,
    PdfError,
    RtfError,
    TruncatedError,
)
from docxchunk.ooxml.archive import ZipSource

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # [MS-CFB] 2.2
_SAVE_AS: Final = "open it in Word or LibreOffice and save it as .docx"
_CONVERT: Final = f'{_SAVE_AS}, or have LibreOffice convert it with convert="libreoffice"'
_HTML: Final = re.compile(
    rb"(?:\s++|<\?xml[^>]*+>|<!--.*?-->)*+<(?:!doctype\s+html|html|head"
    rb"|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MAGIC: Final = (
    (b"{\\rtf", RtfError, f"This is a Rich Text file (RTF), not a .docx; {_CONVERT}.", ""),
    (
        b"%PDF",
        PdfError,
        "This is a PDF, not a .docx; convert it first, or use a tool that reads PDF.",
        "",
    ),
    (b"\x1f\x8b", NotWordError, "This is a gzip file, not a .docx; unpack it first.", "gzip"),
    (b"7z\xbc\xaf", NotWordError, "This is a 7-Zip file, not a .docx; unpack it first.", "7z"),
    (b"Rar!", NotWordError, "This is a RAR file, not a .docx; unpack it first.", "rar"),
    (b"\x89PNG", NotWordError, "This is a picture (PNG), not a .docx.", "png"),
    (b"\xff\xd8\xff", NotWordError, "This is a picture (JPEG), not a .docx.", "jpeg"),
    (
        b"MIME-Version:",
        NotWordError,
        f"This is a web archive (MHTML), not a .docx; {_SAVE_AS}.",
        "mhtml",
    ),
    (
        b"version https://git-lfs",
        NotWordError,
        "This is a pointer of Git LFS, not the file; fetch it with `git lfs pull`.",
        "git-lfs",
    ),
)
_STREAMS: Final = (  # names in the directory of an OLE file, UTF-16
    (
        "EncryptedPackage",
        EncryptedError,
        "This file is encrypted with a password; open it in Word and save it without.",
        "",
    ),
    (
        "WordDocument",
        LegacyWordError,
        f"This is a binary Word 97-2003 file (.doc), regardless of its extension; {_CONVERT}.",
        "",
    ),
    ("Workbook", NotWordError, "This is a binary Excel workbook (.xls), not a Word file.", "xls"),
    (
        "PowerPoint Document",
        NotWordError,
        "This is a binary PowerPoint presentation (.ppt), not a Word file.",
        "ppt",
    ),
    ("__substg1.0_", NotWordError, "This is an Outlook message (.msg), not a Word file.", "msg"),
)
_ZIPS: Final = (  # marks in the content type, prefixes of part names
    ("spreadsheetml", "xl/workbook", "an Excel workbook", "xlsx"),
    ("presentationml", "ppt/presentation", "a PowerPoint presentation", "pptx"),
    ("ms-visio", "visio/document", "a Visio drawing", "vsdx"),
    ("ms-excel", "xl/", "an Excel workbook", "xlsx"),
    (
        "oasis.opendocument",
        "meta-inf/manifest.xml",
        "an OpenDocument, EPUB or Java file",
        "opendocument",
    ),
    ("epub+zip", "meta-inf/container.xml", "an EPUB book", "epub"),
)
_WORD_XML: Final = (
    b'progid="Word.Document"',
    b"/office/word/2003/wordml",
    b"/office/2006/xmlPackage",
)
# An OpenDocument text begins with the part `mimetype`, uncompressed (ODF 1.2 Part 3, 3.3). In a
# ZIP file, the name of the first part begins at byte 30.
_ODT: Final = b"mimetypeapplication/vnd.oasis.opendocument.textPK"
_FIRST_NAME: Final = 30
# bytes of Word's owner file, which has the user name twice, each after its length
_LOCK_SIZE: Final = 162
_LOCK_NAME: Final = 54


def check_zip(source: ZipSource) -> None:
    """Raise an error that names the type of a file, unless the file may be a ZIP file, as a Word
    file is, and is no OpenDocument text.
    """
    head = source[:4096]
    if head.startswith(_ODT, _FIRST_NAME):
        raise ConvertibleError(
            f"This is an OpenDocument text (.odt), not a .docx; {_CONVERT}.", "odt"
        )
    if head[:2] == b"PK" or (
        head[:8] != _OLE and source.find(b"PK\x03\x04") >= 0 and source.rfind(b"PK\x05\x06") >= 0
    ):
        return
    raise _refusal_of(source, head)


def foreign_type(content_type: str) -> bool:
    """Return whether a main part with this content type belongs to another application."""
    return any(mark in content_type for mark, _, _, _ in _ZIPS)


def refusal(names: Sequence[str], main_type: str, *, truncated: bool) -> InputError:
    """Return the error for a ZIP file without a Word document, given its part names and the content
    type of its main part.
    """
    lowered = [name.lower() for name in names]
    for mark, start, description, kind in _ZIPS:
        if mark in main_type or any(name.startswith(start) for name in lowered):
            return NotWordError(f"This is {description}, not a Word file.", kind)
    if main_type:
        return NotWordError(
            f"This is an Office file of another kind: its main part is {main_type[:100]}.", "office"
        )
    if truncated:
        return TruncatedError(
            "This Word file is cut off, and its main part is in the missing "
            "piece; ask for another copy of it."
        )
    if any(name.startswith(("word/", "[content_types]", "_rels/")) for name in lowered):
        return DamagedError(
            "The main part of this Word file is missing or unreadable; ask for another copy of it."
        )
    return NotWordError("This is a zip file without a Word document in it; unpack it first.", "zip")


def _refusal_of(source: ZipSource, head: bytes) -> InputError:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.strip(b"\0"):
        return EmptyFileError(
            f"The file {'has only zero bytes' if head else 'is empty'}; ask for another copy of it."
        )
    if head.startswith(_OLE):
        return _ole_refusal(source)
    if len(source) == _LOCK_SIZE and 0 < head[0] < _LOCK_NAME:
        return LockFileError(
            "This is the lock file that Word keeps beside an open document; "
            "take the file without ~$ in its name."
        )
    for magic, error, sentence, kind in _MAGIC:
        if text.startswith(magic):
            return error(sentence, kind)
    return _markup_refusal(text)


def _markup_refusal(text: bytes) -> NotWordError:
    if _HTML.match(text):
        return HtmlError(
            f"This is a web page (HTML), not a .docx; it may be a server's message, or {_SAVE_AS}."
        )
    if any(mark in text for mark in _WORD_XML):
        return NotWordError(f"This is a Word XML file, not a .docx; {_SAVE_AS}.", "xml")
    return NotWordError("This is not a .docx: it is not a ZIP file.")


def _ole_refusal(source: ZipSource) -> NotWordError:
    for stream, error, sentence, kind in _STREAMS:
        if source.find(stream.encode("utf-16-le")) >= 0:
            return error(sentence, kind)
    return NotWordError("This is an OLE file of an unknown kind, not a .docx.", "ole")
