"""Arrays in a file that are read in parts. Each part is checked before it is used: no more is read
than needed, and damage is noticed.

The file has a head, which says where each array is, the arrays, and a CRC-32 of each block of the
head and the arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import SEEK_END
from math import prod
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple, Protocol
from weakref import finalize
from zlib import crc32

import orjson

from docxchunk.registry import extra_for

with extra_for("The search by words", "", "search"):
    import numpy as np
    from numpy.typing import NDArray

_BLOCK: Final = 1 << 14  # bytes
_ALIGNED: Final = 8  # bytes to a multiple of which each array begins
_SIZE: Final = 4  # bytes of a checksum


class AlteredArrayError(ValueError):
    """A file is not as it was written."""


class Array(Protocol):
    """What an array in memory and one in a file have in common."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def nbytes(self) -> int: ...

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> NDArray[Any]: ...


class Written(NamedTuple):
    """A file of arrays: its size in bytes, and its checksum."""

    size: int
    checksum: int


def write(path: Path, arrays: Mapping[str, Array]) -> Written:
    """Write arrays into a new file."""
    head = orjson.dumps({key: (array[:0].dtype.str, array.shape) for key, array in arrays.items()})
    with path.open("w+b") as file:
        file.write(len(head).to_bytes(_SIZE, "little") + head)
        for array in arrays.values():
            file.write(bytes(-file.tell() % _ALIGNED))
            file.write(np.ascontiguousarray(array[:]).data)
        file.seek(0)
        sums = [crc32(block) for block in iter(lambda: file.read(_BLOCK), b"")]
        table = np.array(sums, dtype="<u4").tobytes()
        file.seek(0, SEEK_END)
        file.write(table)
        return Written(file.tell(), crc32(table))


class ArrayFile(Mapping[str, Array]):
    """The arrays in a file that `write` wrote, by name. Raise OSError or ValueError if the file is
    not as it was written. It may be removed while it is used.
    """

    def __init__(self, path: Path, written: Written) -> None:
        self._made_from = path, written
        size, checksum = written
        # not mapped into memory: much more of the file than is read would count as memory
        self._file, self._lock = path.open("rb", buffering=0), Lock()
        finalize(self, self._file.close)
        blocks = -(-size // (_BLOCK + _SIZE))
        self._end = size - _SIZE * blocks
        table = self._read(self._end, size + 1)
        if len(table) != size - self._end or crc32(table) != checksum:
            raise AlteredArrayError(f"{path} is not as it was written.")
        self._sums: Sequence[int] = np.frombuffer(table, dtype="<u4").tolist()
        self._checked = bytearray(blocks)
        length = int.from_bytes(self.checked(0, _SIZE), "little")
        places = orjson.loads(self.checked(_SIZE, _SIZE + length))
        self._places: dict[str, _ArrayPlace] = {}
        at = _SIZE + length
        for name, (dtype, shape) in places.items():
            at += -at % _ALIGNED
            self._places[name] = at, np.dtype(dtype), tuple(shape)
            at += _StoredArray(self, *self._places[name]).nbytes

    def __getitem__(self, name: str) -> Array:
        return _StoredArray(self, *self._places[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __deepcopy__(self, _: object) -> ArrayFile:
        return self

    def __reduce__(self) -> tuple[type[ArrayFile], tuple[Path, Written]]:
        return ArrayFile, self._made_from

    def _read(self, start: int, end: int) -> bytes:
        with self._lock:
            self._file.seek(start)
            return self._file.read(end - start)

    def checked(self, start: int, end: int) -> bytes:
        """Return a part of the file. Raise AlteredArrayError if it is not as it was written."""
        first, last = start // _BLOCK, -(-end // _BLOCK)
        if all(self._checked[first:last]):
            return self._read(start, end)
        at = first * _BLOCK
        data = self._read(at, min(last * _BLOCK, self._end))
        for block in range(first, last):
            part = data[block * _BLOCK - at : (block + 1) * _BLOCK - at]
            if crc32(part) != self._sums[block]:
                raise AlteredArrayError(f"{self._made_from[0]} is not as it was written.")
            self._checked[block] = 1
        return data[start - at : end - at]


_ArrayPlace = tuple[int, np.dtype[Any], tuple[int, ...]]
"""Where an array begins in its file, its type and its shape."""


class _StoredArray:
    """An array in a file."""

    def __init__(
        self, file: ArrayFile, start: int, dtype: np.dtype[Any], shape: tuple[int, ...]
    ) -> None:
        self._file, self._start, self._dtype, self.shape = file, start, dtype, shape
        self._width = prod(shape[1:], start=dtype.itemsize)

    @property
    def nbytes(self) -> int:
        return len(self) * self._width

    def __len__(self) -> int:
        return self.shape[0]

    def __deepcopy__(self, _: object) -> _StoredArray:
        return self

    def __getitem__(self, part: slice) -> NDArray[Any]:
        start, end, _ = part.indices(len(self))
        length = max(end - start, 0)
        at = self._start + start * self._width
        data = self._file.checked(at, at + length * self._width)
        return np.frombuffer(data, dtype=self._dtype).reshape(length, *self.shape[1:])
