"""Read a part while it is being parsed, without keeping its whole tree.

A tree takes eight times the memory of its XML, and traversing it after it has left the CPU caches
takes as long as parsing it.

The properties of paragraphs, runs and cells are taken out of the part before it is parsed. Up to
70 % of its elements are in w:pPr (ECMA-376 Part 1, 17.3.1.26), w:rPr (17.3.2.28) and w:tcPr
(17.4.69), and most paragraphs, runs and cells have the same properties as others. So that each
distinct one is parsed and read once, a reference to it takes its place. The ids of editing sessions
(w:rsidR and others, 17.3.1.26) are left out there too. Whatever looks unusual stays in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from lxml import etree

from docxchunk.errors import LimitError
from docxchunk.model.options import Limits
from docxchunk.ooxml import xml
from docxchunk.ooxml.xml import W, marking_parser

_PIECE: Final = 1 << 16  # bytes parsed before each yield
_KEPT_BLANKS = re.compile(rb"""<(?:[^\s<>:/]+:)?t\s[^<>]*xml:space\s*=\s*["']preserve""")
_SPACE: Final = b"xml:space"
_MARK: Final = b"<?docxchunk?>"


class BrokenOffError(Exception):
    """The part is not well-formed. Discard what was read, and read the part with
    `Package.document`, which repairs it.
    """


class PartialElement(NamedTuple):
    """A partially parsed element.

    - `complete`: the number of complete children, which may be deleted once they are read.
    - `ended`: whether the element itself is complete.
    """

    element: etree._Element
    complete: int
    ended: bool


class IncrementalPart:
    """A part to parse incrementally. `data` are the bytes from `xml.prepared`.

    - `properties`: the w:pPr, w:rPr and w:tcPr that elements refer to; see `share_properties`.
    """

    def __init__(
        self, data: bytes, properties: Mapping[str, etree._Element] = MappingProxyType({})
    ) -> None:
        self._data = data
        self.properties = properties

    def with_shared_properties(self, limits: Limits) -> IncrementalPart:
        """Return the part with references to its properties."""
        return IncrementalPart(*share_properties(self._data, limits))

    def has_any(self, texts: Iterable[bytes]) -> bool:
        """Return whether one of some texts occurs in the XML."""
        return any(text in self._data for text in texts)

    def holds(self, name: bytes) -> bool:
        """Return whether the part has an element with this local name."""
        if name not in self._data:  # much faster than the pattern
            return False
        return any(
            self._data[match.start() - 1 : match.start()] in (b"<", b":")
            for match in re.finditer(rb"%s[\s/>]" % name, self._data)
        )

    def preserves_some_spaces(self) -> bool:
        """Return whether some texts, but not the root, have xml:space="preserve"."""
        first = self._data.find(_SPACE)
        if first < self._data.find(b"body"):  # also if there is none
            return False
        return _KEPT_BLANKS.search(self._data, self._data.rfind(b"<", 0, first)) is not None

    def partial_child(self, tag: str, ahead: bytes) -> Iterator[PartialElement]:
        """Yield the first child of the root with that tag, several times while it is parsed, and
        finally when it is complete.

        If the bytes contain `ahead`, yield it only when it is complete. Each step may raise
        BrokenOffError.
        """
        at_once = ahead in self._data
        parser = marking_parser()
        element = None
        try:
            for piece in self._pieces_with_mark(tag):
                parser.feed(piece)
                for mark in _marks(parser):
                    if element is not None or (element := _marked_child(mark, tag)) is None:
                        # another processing instruction, which has to be removed
                        raise BrokenOffError
                if element is not None and len(element) > 1 and not at_once:
                    yield PartialElement(element, len(element) - 1, ended=False)
            parser.close()
        except etree.XMLSyntaxError:
            raise BrokenOffError from None
        if element is None or any(sibling.tag == tag for sibling in element.itersiblings()):
            raise BrokenOffError  # a malformed file may have several
        yield PartialElement(element, len(element), ended=True)

    def _pieces_with_mark(self, tag: str) -> Iterator[bytes]:
        """Yield the bytes, with a processing instruction after the first start tag with that name.

        The parser reports it, which gives access to the tree. Reports of start tags would cost a
        call for each element of the part.
        """
        start = re.search(
            rb"<(?:[^\s<>:/]+:)?%s(?:\s[^<>]*)?(?<!/)>" % etree.QName(tag).localname.encode(),
            self._data,
        )
        if start is None:
            raise BrokenOffError
        yield self._data[: start.end()]
        yield _MARK
        for at in range(start.end(), len(self._data), _PIECE):
            yield self._data[at : at + _PIECE]


def _marks(parser: etree.XMLPullParser) -> Iterator[etree._Element]:
    """Yield the processing instructions parsed since the last call, except those outside of the
    root.
    """
    instructions = (cast("etree._Element", element) for _, element in parser.read_events())  # noqa: SLF001 - the name of the type in lxml
    return (element for element in instructions if element.getparent() is not None)


def _marked_child(mark: etree._Element, tag: str) -> etree._Element | None:
    """Remove the processing instruction. Return its parent, or None if the parent is not a child of
    the root with that tag.
    """
    parent = mark.getparent()
    if (
        parent is None
        or parent.tag != tag
        or parent.getparent() is not parent.getroottree().getroot()
    ):
        return None
    parent.remove(mark)
    return parent


REFERENCE: Final = "docxchunk.properties"
"""The attribute of a w:p, w:r or w:tc that stands for its w:pPr, w:rPr or w:tcPr."""

# bytes searched at a time; properties across the end of a segment stay in their places
_SEGMENT: Final = 1 << 18
# distinct properties of paragraphs, of runs, and of cells; later ones stay in their places
_MAX_DISTINCT: Final = 4096
_ROOT: Final = re.compile(
    rb'<w:document\s(?>(?:[^<>]*\s)?xmlns:w="%s")[^<>]*+>' % re.escape(W[1:-1].encode())
)
_START: Final = re.compile(
    rb'<w:([pr]|tc)(?: w:rsid\w+="\w*")*+((?: w14:\w+="\w*")*+)(?: w:rsid\w+="\w*")*+><w:\1Pr>'
)
_PREFIX: Final = b"xmlns:w="  # after the root, it gives the prefix another meaning
_ONLY_TAGS: Final = re.compile(rb"(?:\s*+<[^<>!?]*+>)*+\s*+")
_NOT_SHARED: Final = re.compile(  # what is read where it is
    rb"[<:](?:p|r|t|delText|instrText|delInstrText|fldChar|lastRenderedPageBreak"
    rb"|txbxContent|sectPr|pPrChange|rPrChange|tcPrChange|numberingChange|ins|del|moveFrom|moveTo"
    rb"|cellIns|cellDel|cellMerge)[\s/>]"
)


class PartWithReferences(NamedTuple):
    """A part in which references replace properties, and the w:pPr, w:rPr and w:tcPr by their
    references.
    """

    data: bytes
    elements: Mapping[str, etree._Element]


def share_properties(data: bytes, limits: Limits) -> PartWithReferences:
    """Return the part with references instead of shared properties. If the part is unusual or
    ill-formed, it is returned unchanged, and no properties are shared.
    """
    root = _ROOT.search(data)
    if root is None or REFERENCE.encode() in data:
        return PartWithReferences(data, {})
    distinct = _Distinct()
    shared = bytearray()
    for at in range(0, len(data), _SEGMENT):
        shared += _with_references(data[at : at + _SEGMENT], distinct)
    if b"<![CDATA[" in shared or shared.find(_PREFIX, root.end()) >= 0:
        return PartWithReferences(data, {})
    try:
        document = b"".join((data[: root.end()], *distinct.properties, b"</w:document>"))
        parsed = xml.parse(lambda: [document], limits)
    except (xml.IllFormedError, LimitError):
        return PartWithReferences(data, {})
    return PartWithReferences(
        bytes(shared), {str(index): element for index, element in enumerate(parsed)}
    )


class _PropertyKind(NamedTuple):
    """One kind of properties: those of paragraphs, of runs or of cells."""

    start: bytes  # of the paragraph, run or cell
    opening: bytes
    closing: bytes
    # by the XML between opening and closing; b"" for properties that are not shared
    references: dict[bytes, bytes]


class _Distinct:
    """The distinct properties found so far. `properties` has the XML of those that are shared, in
    the order of their references.
    """

    def __init__(self) -> None:
        self.properties: list[bytes] = []
        self.kinds = {
            b"p": _PropertyKind(b"<w:p", b"><w:pPr>", b"</w:pPr>", {}),
            b"r": _PropertyKind(b"<w:r", b"><w:rPr>", b"</w:rPr>", {}),
            b"tc": _PropertyKind(b"<w:tc", b"><w:tcPr>", b"</w:tcPr>", {}),
        }

    def add(self, kind: _PropertyKind, inside: bytes) -> bytes:
        """Add properties that are new, and return the reference to them; b"" if they are not
        shared.
        """
        references = kind.references
        if len(references) == _MAX_DISTINCT:
            return b""
        references[inside] = b""
        if (
            _ONLY_TAGS.fullmatch(inside)
            and not _NOT_SHARED.search(inside)
            and _PREFIX not in inside
        ):
            references[inside] = b' %s="%d">' % (REFERENCE.encode(), len(self.properties))
            self.properties.append(kind.opening[1:] + inside + kind.closing)
        return references[inside]


def _with_references(segment: bytes, distinct: _Distinct) -> bytes:
    """Return a segment of the part with references. Properties inside of others (17.13.5.29,
    17.13.5.31) stay where they are.
    """
    parts = iter(_START.split(segment))
    pieces = [next(parts)]
    for name, attributes, text in zip(parts, parts, parts, strict=True):
        start, opening, closing, references = kind = distinct.kinds[name]
        inside, closed, after = text.partition(closing)
        reference = references.get(inside) if closed else b""
        if reference is None:
            reference = distinct.add(kind, inside)
        pieces += (
            (start, attributes, reference, after)
            if reference
            else (start, attributes, opening, text)
        )
    return b"".join(pieces)
