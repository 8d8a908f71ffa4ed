"""Convert chunks and blocks to dicts of plain JSON values, as `json.loads` returns them, and
back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Final

from docxchunk.markup.records.blocks import block_record, read_block
from docxchunk.markup.records.chunks import chunk_record, read_chunk
from docxchunk.markup.records.fields import Fields, Json, Record
from docxchunk.model.blocks import Block
from docxchunk.model.chunks import Chunk

_CHUNK_KEYS: Final = tuple(field.name for field in fields(Chunk) if field.default is MISSING)
_BLOCK_KEYS: Final = ("blockid", "content")


def chunk_to_dict(chunk: Chunk) -> Record:
    """Return the record of a chunk with lists instead of tuples and strings instead of enumeration
    members.
    """
    return _record(chunk_record(chunk))


def chunk_from_dict(record: Mapping[str, object]) -> Chunk:
    """Return the chunk of a record. Raise SidecarError if a key is missing or a value has the wrong
    type.
    """
    return read_chunk(Fields(record, "The chunk").requiring(_CHUNK_KEYS))


def block_to_dict(block: Block) -> Record:
    """Return the record of a block with lists instead of tuples and strings instead of enumeration
    members.
    """
    return _record(block_record(block))


def block_from_dict(record: Mapping[str, object]) -> Block:
    """Return the block of a record. Raise SidecarError if a key is missing or a value has the wrong
    type.
    """
    return read_block(Fields(record, "The block").requiring(_BLOCK_KEYS))


def _record(values: Mapping[str, Json]) -> Record:
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: Json) -> Json:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return _record(value)
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
