"""Take the properties of paragraphs and runs out of a part before it is parsed.

Up to 70 % of the elements of a part are in w:pPr (ECMA-376 Part 1, 17.3.1.26) and w:rPr
(17.3.2.28), and most paragraphs and runs have the same properties as others. So that each distinct
one is parsed and read once, a paragraph or run gets a reference to it instead. The ids of editing
sessions (w:rsidR and others, 17.3.1.26) are left out there too. Whatever looks unusual stays in its
place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from lxml import etree

from docxchunk.errors import LimitError
from docxchunk.model.options import Limits
from docxchunk.ooxml import xml
from docxchunk.ooxml.names import W

REFERENCE: Final = "docxchunk.properties"
"""The attribute of a w:p or w:r that stands for its w:pPr or w:rPr."""

# bytes searched at a time; properties across the end of a segment stay in their places
_SEGMENT: Final = 1 << 18
# distinct properties of paragraphs, and of runs; later ones stay in their places
_MOST: Final = 4096
_ROOT: Final = re.compile(
    rb'<w:document\s(?:[^<>]*\s)?xmlns:w="%s"[^<>]*>' % re.escape(W[1:-1].encode())
)
_START: Final = re.compile(
    rb'<w:([pr])(?: w:rsid\w+="\w*")*+((?: w14:\w+="\w*")*+)(?: w:rsid\w+="\w*")*+><w:\1Pr>'
)
_ONLY_TAGS: Final = re.compile(rb"(?:\s*+<[^<>!?]*+>)*+\s*+")
_NOT_SHARED: Final = re.compile(  # what is read where it is, and another meaning of the prefix
    rb"[<:](?:p|r|t|delText|instrText|delInstrText|fldChar|lastRenderedPageBreak"
    rb"|txbxContent|sectPr)[\s/>]|xmlns:w="
)


class SharedProperties(NamedTuple):
    """A part with references, and the w:pPr and w:rPr by their references."""

    data: bytes
    elements: Mapping[str, etree._Element]


def share_properties(data: bytes, limits: Limits) -> SharedProperties:
    """Return the part with references; the same part without elements if it is unusual or
    ill-formed.
    """
    root = _ROOT.search(data)
    if root is None or REFERENCE.encode() in data:
        return SharedProperties(data, {})
    found = _Found()
    shared = bytearray()
    for at in range(0, len(data), _SEGMENT):
        shared += _with_references(data[at : at + _SEGMENT], found)
    if b"<![CDATA[" in shared or shared.find(b"xmlns:w=", root.end()) >= 0:
        return SharedProperties(data, {})
    try:
        parsed = xml.parse(
            lambda: [data[: root.end()], *found.properties, b"</w:document>"], limits
        )
    except (xml.IllFormedError, LimitError):
        return SharedProperties(data, {})
    return SharedProperties(
        bytes(shared), {str(index): element for index, element in enumerate(parsed)}
    )


class _Kind(NamedTuple):
    """The properties of paragraphs or of runs."""

    start: bytes  # of the paragraph or run
    opening: bytes
    closing: bytes
    # by the XML between opening and closing; b"" for properties that are not shared
    references: dict[bytes, bytes]


class _Found:
    """The distinct properties found so far. `properties` has the XML of those that are shared, in
    the order of their references.
    """

    def __init__(self) -> None:
        self.properties: list[bytes] = []
        self.kinds = {
            b"p": _Kind(b"<w:p", b"><w:pPr>", b"</w:pPr>", {}),
            b"r": _Kind(b"<w:r", b"><w:rPr>", b"</w:rPr>", {}),
        }

    def add(self, kind: _Kind, inside: bytes) -> bytes:
        """Return the reference to properties that are not in `kind.references`; b"" if they are not
        shared.
        """
        known = kind.references
        if len(known) == _MOST:
            return b""
        known[inside] = b""
        if _ONLY_TAGS.fullmatch(inside) and not _NOT_SHARED.search(inside):
            known[inside] = b' %s="%d">' % (REFERENCE.encode(), len(self.properties))
            self.properties.append(kind.opening[1:] + inside + kind.closing)
        return known[inside]


def _with_references(segment: bytes, found: _Found) -> bytes:
    """Return a segment of the part with references. Properties inside of others (17.13.5.29,
    17.13.5.31) stay where they are.
    """
    parts = iter(_START.split(segment))
    pieces = [next(parts)]
    for letter, attributes, text in zip(parts, parts, parts, strict=True):
        start, opening, closing, references = kind = found.kinds[letter]
        inside, closed, rest = text.partition(closing)
        reference = references.get(inside) if closed else b""
        if reference is None:
            reference = found.add(kind, inside)
        pieces += (
            (start, attributes, reference, rest)
            if reference
            else (start, attributes, opening, text)
        )
    return b"".join(pieces)
