"""Write Apache Parquet (https://parquet.apache.org/docs/file-format/) with pyarrow: a column for
each field, the same schema for every document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import BinaryIO

import orjson
import pyarrow as pa
from pyarrow import parquet

from docxchunk.markup.records.fields import Record
from docxchunk.model.document import PROPERTIES

_GROUP = 4096  # rows of a row group
_CUSTOM = "doc_custom_"
_TEXTS, _NUMBERS = pa.list_(pa.string()), pa.list_(pa.int64())


def _struct(**fields: pa.DataType) -> pa.DataType:
    return pa.list_(pa.struct(list(fields.items())))


NESTED: Mapping[str, pa.DataType] = {
    "tokens": pa.int64(),
    "content": pa.string(),
    "chunk_order_index": pa.int64(),
    "heading": pa.string(),
    "parent_headings": _TEXTS,
    "level": pa.int64(),
    "chunk_id": pa.string(),
    "doc_id": pa.string(),
    "headings": _struct(level=pa.int64(), heading=pa.string()),
    "context": pa.string(),
    "blocks": _TEXTS,
    "parts": _struct(
        block=pa.string(),
        start=pa.int64(),
        end=pa.int64(),
        added=pa.string(),
        role=pa.string(),
        shown=pa.string(),
    ),
    "positions": _struct(type=pa.string(), range=_TEXTS, index=_NUMBERS, paragraph=_NUMBERS),
    "pages": _NUMBERS,
    "page_is_estimate": pa.bool_(),
    "tables": _struct(id=pa.string(), rows=_NUMBERS, role=pa.string()),
    "prev": pa.string(),
    "next": pa.string(),
    "label": pa.string(),
    "embed_header": pa.string(),
    "situation": pa.string(),
    "parent": pa.string(),
    "children": _TEXTS,
    "propositions": _TEXTS,
    "relevance": pa.struct(
        [("score", pa.float64()), ("threshold", pa.float64()), ("relevant", pa.bool_())]
    ),
}
FLAT: Mapping[str, pa.DataType] = {
    name: kind if kind in (pa.int64(), pa.bool_()) else pa.string() for name, kind in NESTED.items()
} | {
    **{f"doc_{name}": pa.string() for name in PROPERTIES},
    "doc_custom": pa.map_(pa.string(), pa.string()),
    "source": pa.string(),
    "page": pa.int64(),
    "paragraph": pa.int64(),
    "paraid": pa.string(),
    "citation": pa.string(),
}


def write(records: Iterable[Record], file: BinaryIO) -> None:
    """Write the records in row groups. Flat records (lists as JSON text) have flat columns, with
    those of a citation.

    Custom document properties, whose names and types vary, are one column `doc_custom`: a map of
    strings.
    """
    groups = _groups(map(_with_custom_map, records))
    first = next(groups, [])
    nested = {**NESTED, "source": pa.string(), "citation": pa.string()}
    schema = pa.schema(
        list((FLAT if first and isinstance(first[0]["parts"], str) else nested).items())
    )
    with parquet.ParquetWriter(file, schema) as writer:
        for group in chain([first], groups):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))


def _with_custom_map(record: Record) -> Record:
    custom = {name: value for name, value in record.items() if name.startswith(_CUSTOM)}
    if not custom:
        return record
    texts = {
        name.removeprefix(_CUSTOM): value
        if isinstance(value, str)
        else orjson.dumps(value).decode()
        for name, value in custom.items()
    }
    return {name: value for name, value in record.items() if name not in custom} | {
        "doc_custom": texts
    }


def _groups(records: Iterator[Record]) -> Iterator[list[Record]]:
    while group := list(islice(records, _GROUP)):
        yield group
