"""Write one JSON array with an object on each line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import orjson

from docxchunk.markup.records.fields import Record


def write(records: Iterable[Record], file: BinaryIO) -> None:
    file.write(b"[")
    file.writelines(
        (b",\n" if number else b"\n") + orjson.dumps(record)
        for number, record in enumerate(records)
    )
    file.write(b"\n]\n")
