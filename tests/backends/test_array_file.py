"""Arrays in a file: what is read is what was written, or damage is noticed."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from damage import damaged, damages
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy", reason="numpy is not installed: no search")

import numpy as np

from docxchunk.backends.array_file import ArrayFile, write

SIZES = st.sampled_from([0, 1, 7, 1 << 14, 50_000])
ARRAYS = st.lists(st.tuples(SIZES, st.sampled_from(["u1", "i4", "i8", "f4"])), max_size=4)


def arrays_of(shapes):
    return {str(n): np.arange(size).astype(dtype) for n, (size, dtype) in enumerate(shapes)}


@given(ARRAYS, st.integers(0, 60_000), st.integers(0, 60_000))
def test_law_a_part_of_an_array_is_read_as_it_was_written(shapes, start, end):
    arrays = {**arrays_of(shapes), "rows": np.ones((3, 5)), "no columns": np.ones((4, 0))}
    with TemporaryDirectory() as place:
        file = ArrayFile(Path(place, "a"), write(Path(place, "a"), arrays))
        copied = deepcopy(file)
        for read in (file, copied):
            assert list(read) == list(arrays)
            for name, array in arrays.items():
                assert read[name].shape == array.shape
                assert read[name].nbytes == array.nbytes
                assert np.array_equal(read[name][start:end], array[start:end])
                assert np.array_equal(read[name][:], array)


@given(ARRAYS, damages)
def test_law_damage_is_noticed(shapes, damage):
    arrays = arrays_of(shapes)
    with TemporaryDirectory() as place:
        path = Path(place, "a")
        written = write(path, arrays)
        before = path.read_bytes()
        with damaged(Path(place), damage):
            is_same = path.read_bytes() == before
            try:
                file = ArrayFile(path, written)
                found = {name: file[name][:] for name in file}
            except ValueError:
                assert not is_same
            else:
                assert all(np.array_equal(found[name], array) for name, array in arrays.items())
