"""Make the ids of documents, blocks and objects.

Ids of blocks do not depend on position, path on disk or time, so an edit elsewhere in the document
does not change them.
"""

from __future__ import annotations

import hashlib
from typing import Final

from docxchunk.language.patterns import pattern
from docxchunk.model.document import Issue, IssueCode

# quotes are escaped inside the cells of a JSON table
_FLEETING = pattern(r' (?:id|path)=\\?"[^"\\]*\\?"')

_FIT_FOR_TAGS = pattern(r"[^\x00-\x1f\x7f\x85\u2028\u2029\"&<>\\]*")

_FROM_CONTENT: Final = (
    "The document has no name, so its ids are made from its content: they differ from those of "
    "the file read by its path, and change with every edit. Give `parse` the `name` of the file, "
    "or a `doc_id`."
)


def doc_id_of(name: str, mark: str = "") -> str:
    """Return a document id: a hash of the file name and of `mark`, a value that editing keeps (see
    `reader.properties`).
    """
    return "doc-" + _md5(f"{name}\x1f{mark}" if mark else name)


def foreign_id(source: bytes, label: str) -> tuple[str, tuple[Issue, ...]]:
    """Return the id of a file that is no Word package, such as a .doc, and an issue if the file has
    no name. Without a name, the id is a hash of the bytes.
    """
    if label:
        return doc_id_of(label), ()
    identifier, issue = id_of_content(hashlib.sha256(source).hexdigest())
    return identifier, (issue,)


def id_of_content(digest: str) -> tuple[str, Issue]:
    """Return the id of a document without a name: a hash of its content. Also return an issue that
    reports that the id comes from the content.
    """
    return f"doc-{digest[:32]}", Issue(IssueCode.ID_FROM_CONTENT, "", _FROM_CONTENT)


def object_id(kind: str, doc_id: str, ordinal: int) -> str:
    """Return `kind` (tb, eq or im), the document id without "doc-" and a four-digit ordinal, joined
    by hyphens.

    A document id that cannot be written into a tag unchanged is replaced by its hash.
    """
    document = doc_id.removeprefix("doc-") if _FIT_FOR_TAGS.fullmatch(doc_id) else _md5(doc_id)
    return f"{kind}-{document}-{ordinal:04d}"


class BlockIds:
    """Make block ids from heading path and content, both without automatic labels and note
    marks.
    """

    def __init__(self, doc_id: str) -> None:
        self._doc_id = doc_id
        self._seen: dict[str, int] = {}

    def of(self, path: tuple[str, ...], content: str) -> str:
        """Return the id of the next block. Blocks with equal path and content get different ids, by
        their order.
        """
        key = "\x1f".join((self._doc_id, *path, "", stable(content)))
        digest = _md5(key)
        count = self._seen[digest] = self._seen.get(digest, 0) + 1
        return digest if count == 1 else _md5(f"{key}\x1f{count}")


def stable(content: str) -> str:
    """Return the content without object ids and asset paths, which an edit elsewhere may change."""
    return _FLEETING.sub("", content) if "<" in content else content


_EMPTY: Final = hashlib.md5(usedforsecurity=False)


def _md5(text: str) -> str:
    digest = _EMPTY.copy()  # faster than a new one
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
