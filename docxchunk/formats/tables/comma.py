"""Write a sheet as CSV (RFC 4180) in UTF-8. The first line has the column names.

A spreadsheet program runs cells that begin with certain characters as formulas, which can send
other cells to a server. As OWASP advises (https://owasp.org/www-community/attacks/CSV_Injection),
an apostrophe is put before them, and fields with other separators than the comma are quoted, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import BinaryIO, Final

from docxchunk.formats.tables import ExportSheet

# the last four are full-width = + - @
_FORMULA: Final = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
# or only signs: a blank
_NUMBER: Final = re.compile(
    r"[+-]\s*(?:[$€£¥]\s*)?[.,]?\d[\d.,'’\s]*(?:[eE][+-]?\d+)?\s*[%‰$€£¥]?"
    r"|[+-]+\s*"
)
_QUOTED: Final = re.compile('[",;\t\r\n]')


def write(sheet: ExportSheet, file: BinaryIO, *, exact: bool = False) -> None:
    """Write the sheet; with `exact`, cells are not changed. Numbers such as -5, and dashes for "no
    value", are never changed.
    """
    shown: Callable[[str], str] = str if exact else _without_formula
    file.writelines(
        _line([shown(text) for text in row]).encode() for row in (sheet.columns, *sheet.rows)
    )


def _without_formula(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _line(texts: Sequence[str]) -> str:
    """Return the fields as a line. A line of one empty field is quoted: it would be blank."""
    line = ",".join(
        '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text for text in texts
    )
    return (line or '""') + "\r\n"
