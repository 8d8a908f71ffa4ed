"""Ids of documents, blocks and objects. They depend on no position, path on disk or time, so an edit elsewhere keeps them."""

from __future__ import annotations

import hashlib
import re

_FLEETING = re.compile(r' (?:id|path)=\\?"[^"\\]*\\?"')  # quotes are escaped inside the cells of a JSON table


def doc_id_of(name: str, mark: str = "") -> str:
    """The id of a document that has no other: made of its file name and of a mark that the document keeps, where it has one (see `reader.origin`)."""
    return "doc-" + _md5(f"{name}\x1f{mark}" if mark else name)


def object_id(kind: str, doc_id: str, ordinal: int) -> str:
    """tb, eq or im, the document, and four digits counted in document order."""
    return f"{kind}-{doc_id.removeprefix('doc-')}-{ordinal:04d}"


class BlockIds:
    """Ids of blocks from what they say: heading path, and content that comes without automatic labels and marks of notes."""

    def __init__(self, doc_id: str) -> None:
        self._doc_id = doc_id
        self._seen: dict[str, int] = {}

    def of(self, path: tuple[str, ...], content: str) -> str:
        key = "\x1f".join((self._doc_id, *path, "", stable(content)))
        digest = _md5(key)
        count = self._seen[digest] = self._seen.get(digest, 0) + 1
        return digest if count == 1 else _md5(f"{key}\x1f{count}")


def stable(content: str) -> str:
    """Content without object ids and asset paths, which another part of the document may change."""
    return _FLEETING.sub("", content) if "<" in content else content


def _md5(text: str) -> str:
    return hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
