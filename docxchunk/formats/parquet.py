"""Write Apache Parquet (https://parquet.apache.org/docs/file-format/) with pyarrow: a column for
each field, the same schema for every document. `Parts` manages the files of a run on a cluster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import BinaryIO, Final, NamedTuple
from uuid import uuid4

import orjson
import pyarrow as pa
from pyarrow import parquet
from pyarrow.fs import FileSelector, FileSystem, FileType

from docxchunk.errors import OutputError
from docxchunk.markup.records import Record
from docxchunk.markup.records.chunks import CHUNK, UNIT
from docxchunk.markup.records.flat import CITATION_KEYS, EMBED_TEXT, flat_keys
from docxchunk.markup.records.layout import Either, Flag, Kind, Layout, Number, Several, Whole

_GROUP = 4096  # rows of a row group
_CUSTOM = "doc_custom_"
_SCALARS = {Whole: pa.int64(), Number: pa.float64(), Flag: pa.bool_()}


def _column(kind: Kind) -> pa.DataType:
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

    Custom document properties, whose names and types vary, are one column `doc_custom`: a map of
    strings.
    """
    groups = _groups(map(_with_custom_map, records))
    first = next(groups, [])
    schema = pa.schema(list(_columns(first[0] if first else {}).items()))
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


_SOURCE, _MADE_FROM, _ROWS, _TOKENS = "source", "made_from", "source_chunks", "tokens"
CHUNKS: Final = pa.schema(
    [*NESTED.items(), (_SOURCE, pa.string()), (_MADE_FROM, pa.string()), (_ROWS, pa.int64())]
)


class PartKey(NamedTuple):
    """The label of an input, and a hash of its bytes and of all settings of its chunks."""

    source: str
    made_from: str


class ChunkCounts(NamedTuple):
    chunks: int
    tokens: int


class Parts:
    """The Parquet parts in a folder. Raises OutputError if it contains other entries, except those
    in `others`.
    """

    def __init__(self, address: str, *others: str) -> None:
        self._system, root = FileSystem.from_uri(address)
        self._folder = f"{root}/chunks"
        entries = self._system.get_file_info(FileSelector(root, allow_not_found=True))
        if any(entry.base_name not in ("chunks", *others) for entry in entries) or any(
            not _is_part(path) for path in self._files()
        ):
            raise OutputError(
                f"{address} contains files that docxchunk did not write: choose another folder."
            )

    def whole(self) -> dict[PartKey, ChunkCounts]:
        """Return the counts of the chunks of each file, if each of its chunks is present, and only
        once.
        """
        sizes: defaultdict[PartKey, list[tuple[int, int]]] = defaultdict(list)
        for path in self._files():
            table = self._read(path, [_SOURCE, _MADE_FROM, _ROWS, _TOKENS])
            for row in table.to_pylist() if table else ():
                sizes[PartKey(row[_SOURCE], row[_MADE_FROM])].append((row[_ROWS], row[_TOKENS]))
        return {
            key: ChunkCounts(len(rows), sum(tokens for _, tokens in rows))
            for key, rows in sizes.items()
            if len(rows) == rows[0][0]
        }

    def keep(self, wanted: Callable[[PartKey], bool]) -> None:
        """Delete all rows whose key is not wanted, and incomplete parts. A part is rewritten before
        the old one is deleted.
        """
        for path in self._files():
            keys = self._read(path, [_SOURCE, _MADE_FROM])
            mask = (
                [wanted(PartKey(row[_SOURCE], row[_MADE_FROM])) for row in keys.to_pylist()]
                if keys
                else []
            )
            if all(mask) and mask:
                continue
            table = self._read(path, None) if any(mask) else None
            if table:
                with self._system.open_output_stream(
                    f"{self._folder}/{uuid4().hex}.parquet"
                ) as file:
                    parquet.write_table(table.filter(pa.array(mask)), file)
            self._system.delete_file(path)

    def _files(self) -> Iterator[str]:
        entries = self._system.get_file_info(FileSelector(self._folder, allow_not_found=True))
        return (
            entry.path
            for entry in sorted(entries, key=lambda entry: entry.path)
            if entry.type == FileType.File
        )

    def _read(self, path: str, columns: list[str] | None) -> pa.Table | None:
        """Return the columns of a part; None if it is incomplete. Raise OutputError if docxchunk
        did not write it.
        """
        with self._system.open_input_file(path) as file:
            try:
                part = parquet.ParquetFile(file)
            except pa.ArrowInvalid:
                return None
            if not {_SOURCE, _MADE_FROM, _ROWS} <= set(part.schema_arrow.names):
                raise OutputError(
                    f"{path} does not say what its chunks were made from: choose another folder."
                )
            return part.read(columns)


def _is_part(path: str) -> bool:
    return path.endswith(".parquet")
