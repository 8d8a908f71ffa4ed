"""Random damage of the files in a folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

DAMAGE = {
    "changed": lambda data, at: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :],
    "cut": lambda data, at: data[:at],
    "emptied": lambda _data, _at: b"",
    "overwritten": lambda data, at: data[:at] + bytes(500) + data[at + 500 :],
    "longer": lambda data, at: data + data[:at] + b"x",
}
"""A file after damage, from its bytes and the number of one of them."""
damages = st.tuples(st.integers(0, 1000), st.integers(0, 1 << 20), st.sampled_from(sorted(DAMAGE)))


@contextmanager
def damaged(folder: Path, damage: tuple[int, int, str]) -> Iterator[None]:
    """Damage a file in a folder, and restore the folder in the end."""
    with TemporaryDirectory() as place:
        shutil.copytree(folder, place, dirs_exist_ok=True)
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        number, at, kind = damage
        file = files[number % len(files)]
        data = file.read_bytes()
        file.write_bytes(DAMAGE[kind](data, at % len(data)) if data else b"x")
        try:
            yield
        finally:
            shutil.rmtree(folder)
            shutil.copytree(place, folder)
