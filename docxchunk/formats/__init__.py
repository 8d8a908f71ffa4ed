"""Write chunk records to files. A format is a function, registered by name in `registry.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import BinaryIO

from docxchunk.markup.records.fields import Record

Format = Callable[[Iterable[Record], BinaryIO], None]
"""Write chunk records, nested (`CHUNK.record`) or flat (`flat_record`), as a stream. The open file
is not closed.
"""
