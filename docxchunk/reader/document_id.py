"""Make the id of a Word file for which the caller gave none.

A file with a name: a hash of the name (relative to the input folder, else the file name) and of a
mark that editing keeps: `dcterms:created` of the core properties (ECMA-376 Part 2, 8.3), else
`w15:docId` of the settings ([MS-DOCX]), else nothing. Bytes without a name: a hash of all parts,
with an issue. The marks alone do not identify a document: Word's "Save As" copies them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from lxml import etree

from docxchunk.model.issues import Issue, IssueCode
from docxchunk.model.options import Limits
from docxchunk.ooxml.names import DCTERMS, W15
from docxchunk.ooxml.package import Package, open_package
from docxchunk.reader.block_ids import doc_id_of

_Root = etree._Element | None

_SECONDS: Final = len("2024-05-06T07:08:09")  # writers differ in fractions and time zone
_FROM_CONTENT: Final = (
    "The document has no name, so its id is a hash of its content and changes with every "
    "edit; pass `name` (a stable file name) or `doc_id` to keep the id."
)


def core_properties(package: Package) -> _Root:
    """Return the root of the core properties (Part 2, 8.3); None if the package has none."""
    part = package.part("core-properties", "")
    return None if part is None else package.xml(part)


def named_id(label: str, core: _Root, settings: Callable[[], _Root]) -> str:
    """Return the id of a document with a name. `settings` is called only if the core properties
    have no creation date.
    """
    return doc_id_of(label, _created(core) or _word_id(settings()))


def nameless_id(package: Package) -> tuple[str, Issue]:
    """Return the id of a document without a name, and an issue: the id changes with the content."""
    digest = hashlib.sha256("\n".join(package.fingerprints()).encode("utf-8", "surrogatepass"))
    digest.update(package.main_bytes())
    return f"doc-{digest.hexdigest()[:32]}", Issue(IssueCode.ID_FROM_CONTENT, "", _FROM_CONTENT)


def foreign_id(source: bytes, label: str) -> tuple[str, tuple[Issue, ...]]:
    """Return the id of a file that is not a Word package, such as a .doc: from its name or, without
    a name, from its bytes, with an issue.
    """
    if label:
        return doc_id_of(label), ()
    return f"doc-{hashlib.sha256(source).hexdigest()[:32]}", (
        Issue(IssueCode.ID_FROM_CONTENT, "", _FROM_CONTENT),
    )


def doc_id_in(source: bytes, label: str, limits: Limits) -> str:
    """Return the id that `read_document` gives to the source under this label. Raise InputError as
    `open_package` does.
    """
    package = open_package(source, limits)
    return named_id(label, core_properties(package), lambda: package.xml_of("settings"))


def _created(core: _Root) -> str:
    return "" if core is None else (core.findtext(DCTERMS + "created") or "").strip()[:_SECONDS]


def _word_id(settings: _Root) -> str:
    found = None if settings is None else settings.find(W15 + "docId")
    return "" if found is None else found.get(W15 + "val", "").upper()
