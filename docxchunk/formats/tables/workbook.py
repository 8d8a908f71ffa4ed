"""Write sheets as an Excel workbook with XlsxWriter, the index first. The same tables give the same
bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import BinaryIO, Final

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from docxchunk.formats.tables import ExportSheet, index

_LONGEST: Final = 32_767  # characters of a cell, Excel's limit
_NAME: Final = 31  # characters of a sheet name, Excel's limit
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_CREATED: Final = datetime(1980, 1, 1)  # noqa: DTZ001 - a fixed date, so that the same tables give the same bytes


def write(sheets: Sequence[ExportSheet], file: BinaryIO) -> None:
    """Write the workbook. All values are strings, also those that look like formulas; a cell is
    truncated at 32,767 characters, Excel's limit.
    """
    names = [_name(number, sheet) for number, sheet in enumerate(sheets, 1)]
    first = index(sheets)
    linked = first._replace(
        rows=[[name, *row[1:]] for name, row in zip(names, first.rows, strict=True)]
    )
    book = xlsxwriter.Workbook(file, {"in_memory": True})
    book.set_properties({"created": _CREATED})
    bold = book.add_format({"bold": True})
    for name, sheet in zip(("Tables", *names), (linked, *sheets), strict=True):
        page = book.add_worksheet(name)
        page.freeze_panes(1, 0)
        for number, row in enumerate((sheet.columns, *sheet.rows)):
            _write_row(page, number, row, None if number else bold)
    book.close()


def _write_row(page: Worksheet, number: int, texts: Sequence[str], style: object) -> None:
    for column, text in enumerate(texts):
        page.write_string(number, column, text[:_LONGEST], style)


def _name(number: int, sheet: ExportSheet) -> str:
    """Return a unique sheet name such as `3 Costs by year`."""
    title = _FORBIDDEN.sub(" ", sheet.about[4] or sheet.about[3].rpartition(" > ")[2])
    return f"{number} {' '.join(title.split())}"[:_NAME].rstrip(" '")
