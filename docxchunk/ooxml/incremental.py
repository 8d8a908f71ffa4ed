"""Read a part while it is being parsed, without keeping its whole tree.

A tree takes eight times the memory of its XML, and traversing it after it has left the CPU caches
takes as long as parsing it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from lxml import etree

from docxchunk.model.options import Limits
from docxchunk.ooxml.shared_properties import share_properties
from docxchunk.ooxml.xml import marking_parser

_PIECE: Final = 1 << 16  # bytes parsed before each yield
_KEPT_BLANKS = re.compile(rb"""<(?:[^\s<>:/]+:)?t\s[^>]*xml:space\s*=\s*["']preserve""")
_SPACE: Final = b"xml:space"
_MARK: Final = b"<?docxchunk?>"


class BrokenOffError(Exception):
    """The part is not well-formed. Discard what was read of it, and read it with
    `Package.document`, which repairs it.
    """


class PartialElement(NamedTuple):
    """A partially parsed element.

    - `whole`: the number of children that are complete. The caller may delete them after reading
      them.
    - `ended`: whether the element itself is complete.
    """

    element: etree._Element
    whole: int
    ended: bool


class IncrementalPart:
    """A part to parse incrementally. `data` are the bytes from `xml.prepared`.

    - `properties`: the w:pPr and w:rPr that elements refer to; see `shared_properties`.
    """

    def __init__(
        self, data: bytes, properties: Mapping[str, etree._Element] = MappingProxyType({})
    ) -> None:
        self._data = data
        self.properties = properties

    def with_shared_properties(self, limits: Limits) -> IncrementalPart:
        """Return the part with references to its properties."""
        return IncrementalPart(*share_properties(self._data, limits))

    def holds(self, name: bytes) -> bool:
        """Return whether the part has an element with this local name."""
        if name not in self._data:  # much faster than the pattern
            return False
        return any(
            self._data[found.start() - 1 : found.start()] in (b"<", b":")
            for found in re.finditer(rb"%s[\s/>]" % name, self._data)
        )

    def preserves_some_spaces(self) -> bool:
        """Return whether some texts, but not the root, have xml:space="preserve"."""
        first = self._data.find(_SPACE)
        if first < 0 or 0 <= first < self._data.find(b"body"):
            return False
        return _KEPT_BLANKS.search(self._data, self._data.rfind(b"<", 0, first)) is not None

    def partial_child(self, tag: str, ahead: bytes) -> Iterator[PartialElement]:
        """Yield the first child of the root with that tag repeatedly while it grows, and finally
        when it is complete.

        If the bytes contain `ahead`, it is yielded only when complete. Raise BrokenOffError at any
        time.
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
    found = (cast("etree._Element", element) for _, element in parser.read_events())  # noqa: SLF001 - the name of the type in lxml
    return (element for element in found if element.getparent() is not None)


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
