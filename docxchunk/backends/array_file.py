"""Arrays in a file that are read in parts. Each part is checked before it is used: no more is read
than needed, and damage is noticed.

The file has a head, which says where each array is, the arrays, and a CRC-32 of each block of the
head and the arrays.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from io import SEEK_END
from math import prod
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol
from zlib import crc32

import orjson

from docxchunk.registry import extra_for

with extra_for("The search by words", "", "search"):
    import numpy as np
    from numpy.typing import NDArray

_BLOCK: Final = 1 << 14  # bytes
_ALIGNED: Final = 8  # bytes to a multiple of which each array begins
_SIZE: Final = 4  # bytes of a checksum


class DamagedError(ValueError):
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
    head = orjson.dumps({name: (each[:0].dtype.str, each.shape) for name, each in arrays.items()})
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
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        blocks = -(-size // (_BLOCK + _SIZE))
        self._end = size - _SIZE * blocks
        table = self._data[self._end :]
        if len(self._data) != size or crc32(table) != checksum:
            raise DamagedError(f"{path} is not as it was written.")
        self._sums: Sequence[int] = np.frombuffer(table, dtype="<u4").tolist()
        self._checked = bytearray(blocks)
        length = int.from_bytes(self.checked(0, _SIZE), "little")
        places = orjson.loads(self.checked(_SIZE, _SIZE + length))
        self._arrays: dict[str, Array] = {}
        at = _SIZE + length
        for name, (dtype, shape) in places.items():
            at += -at % _ALIGNED
            self._arrays[name] = _StoredArray(self, at, np.dtype(dtype), tuple(shape))
            at += self._arrays[name].nbytes

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __deepcopy__(self, _: object) -> ArrayFile:
        return self

    def __reduce__(self) -> tuple[type[ArrayFile], tuple[Path, Written]]:
        return ArrayFile, self._made_from

    def checked(self, start: int, end: int) -> memoryview:
        """Return a part of the file. Raise DamagedError if it is not as it was written."""
        checked = self._checked
        for block in range(start // _BLOCK, -(-end // _BLOCK)):
            if not checked[block]:
                first = block * _BLOCK
                data = self._data[first : min(first + _BLOCK, self._end)]
                if crc32(data) != self._sums[block]:
                    raise DamagedError(f"{self._made_from[0]} is not as it was written.")
                checked[block] = 1
        return memoryview(self._data)[start:end]


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
