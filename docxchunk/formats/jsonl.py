"""Write JSON lines (https://jsonlines.org)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from docxchunk.markup.records.fields import Record, line


def write(records: Iterable[Record], file: BinaryIO) -> None:
    file.writelines(map(line, records))
