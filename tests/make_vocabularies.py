"""python tests/make_vocabularies.py [FOLDER]: pack the vocabularies that docxchunk ships.

The .tiktoken files (MIT) are in the wheel of llama-index-core, in `_static/tiktoken_cache`; their
names are the SHA-1 of tiktoken's download address. FOLDER is that folder; by default that of the
installed package. Each file is checked against the SHA-256 that tiktoken pins.
"""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import accumulate, groupby
from pathlib import Path
from struct import Struct

from docxchunk.backends.byte_pairs import HEADER, PINNED, PREFIX, packed_path
from docxchunk.errors import DocxchunkError, MissingFileError

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
_CONTINUATION = bytes(range(0x80, 0xC0))  # bytes of a character in UTF-8 after its first one


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else installed_cache()
    for name in PINNED:
        data = pack(tokens_of(name, folder))
        packed_path(name).write_bytes(data)
        print(f"{name}: {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")  # noqa: T201 - a script


def tokens_of(name: str, folder: Path) -> list[bytes]:
    """Return the tokens of a .tiktoken file in order of rank. Raise DocxchunkError if its SHA-256
    differs.
    """
    text = (
        folder / hashlib.sha1(ADDRESS.format(name=name).encode(), usedforsecurity=False).hexdigest()
    ).read_bytes()
    if hashlib.sha256(text).hexdigest() != PINNED[name].text:
        raise DocxchunkError(f"{name} is not the vocabulary that tiktoken pins.")
    pairs = [line.split() for line in text.splitlines()]
    if [int(rank) for _, rank in pairs] != list(range(len(pairs))):
        raise DocxchunkError(f"The ranks of {name} have holes.")
    return [base64.b64decode(token) for token, _ in pairs]


def pack(tokens: Sequence[bytes]) -> bytes:
    """Return the packed file for tokens in order of rank."""
    ordered = sorted(
        (token[:PREFIX] if len(token) >= PREFIX else b"", token, rank)
        for rank, token in enumerate(tokens)
    )
    groups = {
        b"": [],
        **{prefix: list(group) for prefix, group in groupby(ordered, lambda entry: entry[0])},
    }
    firsts = accumulate(map(len, groups.values()), initial=0)
    starts = accumulate(
        (sum(len(token) for _, token, _ in group) for group in groups.values()), initial=0
    )
    numbers = (list(firsts), list(starts), [rank for _, _, rank in ordered])
    return b"".join(
        (
            HEADER.pack(len(groups), len(ordered)),
            *(prefix or bytes(PREFIX) for prefix in groups),
            *(Struct(f"<{len(each)}I").pack(*each) for each in numbers),
            bytes(len(token) for _, token, _ in ordered),
            bytes(len(token.translate(None, _CONTINUATION)) for token in tokens),
            *(token for _, token, _ in ordered),
        )
    )


def installed_cache() -> Path:
    found = find_spec("llama_index.core")
    if found is None or found.origin is None:
        raise MissingFileError(
            "llama-index-core is not installed: pip install --no-deps "
            "llama-index-core, or give the folder of its tiktoken_cache."
        )
    return Path(found.origin).parent / "_static" / "tiktoken_cache"


if __name__ == "__main__":
    main(sys.argv[1:])
