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

from docxchunk.model.document import PROPERTIES
from docxchunk.records import Either, Flag, Integer, Layout, Real, Record, Several, ValueKind
from docxchunk.records.chunks import CHUNK, CITATION_KEYS, EMBED_TEXT, UNIT, flat_keys

_GROUP = 4096  # rows of a row group
_OF_DOCUMENT = {"doc_id", *(f"doc_{name}" for name in PROPERTIES)}
_SCALARS = {Integer: pa.int64(), Real: pa.float64(), Flag: pa.bool_()}


def _column(kind: ValueKind) -> pa.DataType:
    match kind:
        case Several():
            return pa.list_(_column(kind.items))
        case Layout():
            return pa.struct([(key.name, _column(key.kind)) for key in kind.keys])
        case Either():
            return pa.struct(list(_all_columns(kind).items()))
    return _SCALARS.get(type(kind), pa.string())


def _all_columns(kind: Either) -> dict[str, pa.DataType]:
    """Return the columns of both layouts. The columns that only the second layout has are before
    the first common column.
    """
    first, second = (
        {key.name: _column(key.kind) for key in layout.keys} for layout in kind.layouts.values()
    )
    only_second = [name for name in second if name not in first]
    common = next(name for name in first if name in second)
    before = list(first)[: list(first).index(common)]
    return {name: (first | second)[name] for name in (*before, *only_second, *first)}


NESTED: Mapping[str, pa.DataType] = {key.name: _column(key.kind) for key in CHUNK.keys}


def _columns(record: Record) -> dict[str, pa.DataType]:
    """Return the columns of an export of chunks or units, nested or flat, by its first record."""
    is_unit = "unit_id" in record
    layout, added = (UNIT, ()) if is_unit else (CHUNK, (EMBED_TEXT,))
    if not isinstance(record.get("parts"), str):
        columns = {key.name: _column(key.kind) for key in (*layout.keys, *added)}
        return {**columns, "source": pa.string(), "citation": pa.string()}
    return {
        **{key.name: _column(key.kind) for key in (*flat_keys(layout), *added)},
        "doc_custom": pa.map_(pa.string(), pa.string()),
        **{key.name: _column(key.kind) for key in CITATION_KEYS},
    }


def write(records: Iterable[Record], file: BinaryIO) -> None:
    """Write the records in row groups. The columns of flat records have scalar values, with lists
    as JSON text, and include the fields of the citation.

    Custom document properties and metadata, whose names and types vary, are one column
    `doc_custom`: a map of strings.
    """
    groups = _groups(map(_with_custom_map, records))
    first = next(groups, [])
    schema = pa.schema(list(_columns(first[0] if first else {}).items()))
    with parquet.ParquetWriter(file, schema) as writer:
        for group in chain([first], groups):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))


def _with_custom_map(record: Record) -> Record:
    custom = {name: value for name, value in record.items() if _is_custom(name)}
    texts = {
        name.removeprefix("doc_").removeprefix("custom_"): value
        if isinstance(value, str)
        else orjson.dumps(value).decode()
        for name, value in custom.items()
    }
    standard = {name: value for name, value in record.items() if name not in custom}
    return {**standard, "doc_custom": texts} if custom else record


def _is_custom(name: str) -> bool:
    """Return whether a field is about the document, and no column of its own."""
    return name.startswith("doc_") and name not in _OF_DOCUMENT


def _groups(records: Iterator[Record]) -> Iterator[list[Record]]:
    while group := list(islice(records, _GROUP)):
        yield group
