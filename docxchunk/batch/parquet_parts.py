"""Manage the Parquet parts (chunks/*.parquet) of a run over many files: find complete files, delete
stale rows.

Each row holds its source file, a hash of what it was made from, and the number of rows of that
file, so that an interrupted run can be resumed from the rows alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple
from uuid import uuid4

import pyarrow as pa
from pyarrow import parquet
from pyarrow.fs import FileSelector, FileSystem, FileType

from docxchunk.errors import OutputError
from docxchunk.formats.parquet import NESTED

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
