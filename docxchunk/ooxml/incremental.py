"""A part that is read while it is parsed, so that its tree never stands whole.

A tree takes eight times the room of its XML, and to go through it once it has left the caches costs as much as to parse it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from lxml import etree

from docxchunk.ooxml.xml import pull_parser

_PIECE: Final = 1 << 16  # bytes between two looks at the tree
_KEPT_BLANKS = re.compile(rb"""<(?:\w+:)?t\s[^>]*xml:space\s*=\s*["']preserve""")
_SPACE: Final = b"xml:space"


class BrokenOffError(Exception):
    """The part is not well-formed: forget what was read of it, and have it repaired."""


class Grown(NamedTuple):
    """An element as far as it is parsed. Whoever has read the first `whole` children may delete them."""

    element: etree._Element
    whole: int  # so many of its children are complete
    ended: bool  # and so is the element


class GrowingPart:
    """The bytes of a part, as `xml.prepared` has made them fit to be parsed."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def holds(self, name: bytes) -> bool:
        """Does an element of this local name stand anywhere?"""
        if name not in self._data:  # many times faster than the pattern
            return False
        return any(self._data[found.start() - 1 : found.start()] in (b"<", b":") for found in re.finditer(rb"%s[\s/>]" % name, self._data))

    def tells_blanks_apart(self) -> bool:
        """Does a text say by xml:space that its blanks count, and the root not that all do?"""
        first = self._data.find(_SPACE)
        if first < 0 or 0 <= first < self._data.find(b"body"):
            return False
        return _KEPT_BLANKS.search(self._data, self._data.rfind(b"<", 0, first)) is not None

    def grow(self, tag: str, ahead: bytes) -> Iterator[Grown]:
        """The first child of the root with that tag, again and again until it has ended; only then where the bytes mention `ahead`.

        BrokenOffError, at any time.
        """
        at_once = ahead in self._data
        parser = pull_parser(tag)
        element = None
        try:
            for start in range(0, len(self._data), _PIECE):
                parser.feed(self._data[start : start + _PIECE])
                element = _child_of_root(parser) if element is None else element
                if element is not None and len(element) > 1 and not at_once:
                    yield Grown(element, len(element) - 1, ended=False)
            parser.close()
        except etree.XMLSyntaxError:
            raise BrokenOffError from None
        if element is None or any(sibling.tag == tag for sibling in element.itersiblings()):
            raise BrokenOffError  # a file that was put together badly may have several
        yield Grown(element, len(element), ended=True)


def _child_of_root(parser: etree.XMLPullParser) -> etree._Element | None:
    started = (cast("etree._Element", element) for _, element in parser.read_events())  # noqa: SLF001 - lxml's name of the type
    return next((element for element in started if [*element.iterancestors()] == [element.getroottree().getroot()]), None)
