"""Write JSON: lines (https://jsonlines.org), or an array with an object on each line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import orjson

from docxchunk.markup.records.fields import Record, line


def write_lines(records: Iterable[Record], file: BinaryIO) -> None:
    file.writelines(map(line, records))


def write_array(records: Iterable[Record], file: BinaryIO) -> None:
    file.write(b"[")
    file.writelines(
        (b",\n" if number else b"\n") + orjson.dumps(record)
        for number, record in enumerate(records)
    )
    file.write(b"\n]\n")
