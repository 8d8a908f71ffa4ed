"""Write a sheet as CSV (RFC 4180) in UTF-8. The first line has the column names."""

from __future__ import annotations

import csv
from io import TextIOWrapper
from typing import BinaryIO

from docxchunk.formats.tables import ExportSheet


def write(sheet: ExportSheet, file: BinaryIO) -> None:
    text = TextIOWrapper(file, "utf-8", newline="", write_through=True)
    csv.writer(text).writerows((sheet.columns, *sheet.rows))
    text.detach()
