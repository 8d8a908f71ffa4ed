"""A whole document as bytes, for a cache: its records without the files of its pictures."""

from __future__ import annotations

import zlib
from typing import Final

import orjson

from docxchunk.model.document import Document, Items
from docxchunk.records import Fields
from docxchunk.records.blocks import BLOCK, DOCUMENT, read_block
from docxchunk.records.objects import NOTE, OBJECTS, REPORT, read_report

_FAST: Final = 1  # the level of the compression


def packed(document: Document) -> bytes:
    """Return a document as bytes."""
    objects = {
        kind: [(key, layout.record(item)) for key, item in getattr(document, kind).items()]
        for kind, layout in OBJECTS.items()
    }
    record = {
        "document": DOCUMENT.record(document),
        "blocks": list(map(BLOCK.record, document.blocks)),
        "notes": list(map(NOTE.record, document.notes)),
        "report": REPORT.record(document),
        **objects,
    }
    return zlib.compress(orjson.dumps(record), _FAST)


def unpacked(data: bytes) -> Document:
    """Return the document that `packed` made bytes of, without the files of its pictures."""
    record = orjson.loads(zlib.decompress(data))

    def fields(value: object) -> Fields:
        return Fields(value, "the cache")

    values = DOCUMENT.fields_in(fields(record["document"]))
    for kind, layout in OBJECTS.items():
        values[kind] = Items({key: layout.value(fields(item)) for key, item in record[kind]})
    return Document(
        **values,
        **read_report(fields(record["report"]))._asdict(),
        blocks=tuple(read_block(fields(block), has_roles=True) for block in record["blocks"]),
        notes=tuple(NOTE.value(fields(note)) for note in record["notes"]),
    )
