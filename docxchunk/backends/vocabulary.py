"""Load the packed byte-pair vocabularies that ship with docxchunk.

A packed file holds the number of tokens (4 bytes, little endian), one byte for the length of each token, and the bytes of all tokens, both in order of
rank; ranks have no gaps. `python -m docxchunk.backends.pack_vocabularies` makes them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from docxchunk.errors import DocxchunkError

_FIELDS = [f"{length}s" for length in range(256)]
FOLDER = Path(__file__).with_name("vocabularies")


class Pinned(NamedTuple):
    """SHA-256 of the public .tiktoken file, as pinned by `tiktoken_ext.openai_public`, and of the packed file."""

    text: str
    packed: str


PINNED: Mapping[str, Pinned] = {
    "o200k_base": Pinned(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", "ba55b38e477b631966c2496061ecd7d10108501c7c47358222d9dc27c22f9422"
    ),
    "cl100k_base": Pinned(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", "79045c4dbf49c4e3b90893afbcbfd80cf94cf2b99256bd84b19ffcace49d9bd2"
    ),
}


def packed_path(name: str) -> Path:
    return FOLDER / f"{name}.bin"


def load_ranks(name: str) -> dict[bytes, int]:
    """Return token -> rank. Raise DocxchunkError if the file is not the one that was shipped."""
    data = packed_path(name).read_bytes()
    if hashlib.sha256(data).hexdigest() != PINNED[name].packed:
        raise DocxchunkError(f"The vocabulary {name} of this installation is damaged: install docxchunk again.")
    return unpack(data)


def pack(tokens: list[bytes]) -> bytes:
    """Return the packed file for tokens in order of rank."""
    return len(tokens).to_bytes(4, "little") + bytes(map(len, tokens)) + b"".join(tokens)


def unpack(data: bytes) -> dict[bytes, int]:
    """Return token -> rank of a packed file. A single struct call is a third faster than slicing each token."""
    count = int.from_bytes(data[:4], "little")
    layout = Struct("".join(map(_FIELDS.__getitem__, data[4 : 4 + count])))
    return dict(zip(layout.unpack_from(data, 4 + count), range(count), strict=True))
