"""Write chunk records to files. A format is a function, registered by name in `registry.py`. Here
are those of JSON: lines (https://jsonlines.org), or an array with an object on each line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import BinaryIO

import orjson

from docxchunk.records import Record, line

Format = Callable[[Iterable[Record], BinaryIO], None]
"""Write chunk records, nested (`CHUNK.record`) or flat (`flat_record`), as a stream. The open file
is not closed.
"""


def write_lines(records: Iterable[Record], file: BinaryIO) -> None:
    """Write a record on each line."""
    file.writelines(map(line, records))


def write_array(records: Iterable[Record], file: BinaryIO) -> None:
    """Write one array, with a record on each line."""
    file.write(b"[")
    file.writelines(
        (b",\n" if number else b"\n") + orjson.dumps(record)
        for number, record in enumerate(records)
    )
    file.write(b"\n]\n")
