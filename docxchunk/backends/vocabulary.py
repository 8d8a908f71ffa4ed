"""Load the packed byte-pair vocabularies that ship with docxchunk.

A packed file groups the tokens by their first three bytes, so that the tokens that can occur in a short text are found without reading all. The first group
has the tokens of one and two bytes. The layout, with all integers as four bytes, little endian:

- the number of groups and the number of tokens
- for each group, three bytes: the prefix of its tokens (of the first group: zeros)
- for each group and the end: the number of tokens before it, then the same list with the number of bytes of these tokens
- for each token its rank, then for each token one byte: its length
- the bytes of all tokens

`python -m docxchunk.backends.pack_vocabularies` makes the files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from struct import Struct
from typing import NamedTuple

from docxchunk.errors import DocxchunkError

PREFIX = 3  # bytes
FOLDER = Path(__file__).with_name("vocabularies")
_FIELDS = [f"{length}s" for length in range(256)]
_HEADER = Struct("<2I")
_INTEGER = 4  # bytes


class Pinned(NamedTuple):
    """SHA-256 of the public .tiktoken file, as pinned by `tiktoken_ext.openai_public`, and of the packed file."""

    text: str
    packed: str


PINNED: Mapping[str, Pinned] = {
    "o200k_base": Pinned(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", "e4020726c003d6bbbe9c43c4e2a1cf80411735a37e7b75c084d35f04717d46dc"
    ),
    "cl100k_base": Pinned(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", "f9ff89e91feaef51df47636c041d8cf380f7fa596d47754090eb3b2c63686001"
    ),
}


def packed_path(name: str) -> Path:
    return FOLDER / f"{name}.bin"


def load_vocabulary(name: str) -> Vocabulary:
    """Return a vocabulary. Raise DocxchunkError if its file is not the one that was shipped."""
    data = packed_path(name).read_bytes()
    if hashlib.sha256(data).hexdigest() != PINNED[name].packed:
        raise DocxchunkError(f"The vocabulary {name} of this installation is damaged: install docxchunk again.")
    return Vocabulary(data)


class Vocabulary:
    """The tokens and ranks in a packed file."""

    def __init__(self, data: bytes) -> None:
        groups, tokens = _HEADER.unpack_from(data)
        self._data, self._groups = data, groups
        self._prefixes = _HEADER.size
        firsts = self._prefixes + PREFIX * groups
        starts = firsts + _INTEGER * (groups + 1)
        self._ranks = starts + _INTEGER * (groups + 1)
        self._lengths = self._ranks + _INTEGER * tokens
        self._texts = self._lengths + tokens
        self._firsts, self._starts = _integers(data[firsts:starts]), _integers(data[starts : self._ranks])

    def ranks(self) -> dict[bytes, int]:
        """Return the rank of each token."""
        return self._ranks_in([(0, self._groups)])

    def ranks_with(self, prefixes: AbstractSet[bytes]) -> dict[bytes, int]:
        """Return the rank of each token that begins with one of these prefixes of three bytes or has only one or two bytes."""
        numbers = sorted(number for prefix in prefixes if (number := self._number_of.get(prefix)) is not None)
        return self._ranks_in([(0, 1), *((number, number + 1) for number in numbers)])

    @cached_property
    def _number_of(self) -> dict[bytes, int]:
        """Prefix -> number of its group."""
        layout = Struct(_FIELDS[PREFIX] * (self._groups - 1))
        return dict(zip(layout.unpack_from(self._data, self._prefixes + PREFIX), range(1, self._groups), strict=True))

    def _ranks_in(self, ranges: Iterable[tuple[int, int]]) -> dict[bytes, int]:
        """Return the rank of each token in ranges of groups. A single struct call is a third faster than slicing each token."""
        runs = [(self._firsts[start], self._firsts[end], self._starts[start], self._starts[end]) for start, end in ranges]
        lengths = b"".join(self._data[self._lengths + first : self._lengths + last] for first, last, _, _ in runs)
        texts = b"".join(self._data[self._texts + start : self._texts + end] for _, _, start, end in runs)
        ranks = b"".join(self._data[self._ranks + _INTEGER * first : self._ranks + _INTEGER * last] for first, last, _, _ in runs)
        return dict(zip(Struct("".join(map(_FIELDS.__getitem__, lengths))).unpack(texts), _integers(ranks), strict=True))


def _integers(data: bytes) -> tuple[int, ...]:
    return Struct(f"<{len(data) // _INTEGER}I").unpack(data)


def pack(tokens: Iterable[bytes]) -> bytes:
    """Return the packed file for tokens in order of rank."""
    ordered = sorted((token[:PREFIX] if len(token) >= PREFIX else b"", token, rank) for rank, token in enumerate(tokens))
    groups = {b"": [], **{prefix: list(group) for prefix, group in groupby(ordered, lambda entry: entry[0])}}
    firsts = accumulate(map(len, groups.values()), initial=0)
    starts = accumulate((sum(len(token) for _, token, _ in group) for group in groups.values()), initial=0)
    numbers = (list(firsts), list(starts), [rank for _, _, rank in ordered])
    return b"".join(
        (
            _HEADER.pack(len(groups), len(ordered)),
            *(prefix or bytes(PREFIX) for prefix in groups),
            *(Struct(f"<{len(each)}I").pack(*each) for each in numbers),
            bytes(len(token) for _, token, _ in ordered),
            *(token for _, token, _ in ordered),
        )
    )
