"""Records of chunks to bytes. A format is one function; `registry.py` names them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import BinaryIO

from docxchunk.markup.records.fields import Record

Format = Callable[[Iterable[Record], BinaryIO], None]
"""Writes the records of chunks, nested (`chunk_record`) or flat (`flat_record`), as they come; the file is open and stays so."""
