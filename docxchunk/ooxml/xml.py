"""XML from strangers: no DTD, no entities, no network, bounded depth and size; comments and processing instructions left out.

ECMA-376 Part 2, 6.2.5: parts are UTF-8 or UTF-16 without DTD. Strict parts (Part 1) come out in Transitional names (Part 4), so that
readers know one set of names. Attribute values need no such translation: what Strict spells differently (`start` for `left`, `50%` for
`2500`) concerns only layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

from lxml import etree

from docxchunk.errors import LimitError, UnsafeError
from docxchunk.model.options import Limits

_PROLOG: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_ROOT: Final = re.compile(rb"<[^!?>][^>]*>")
_STRICT_ROOT: Final = re.compile(rb"<[^!?>][^>]*purl\.oclc\.org/ooxml/")
_STRICT: Final = re.compile(rb"(?<=[\"'])http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_RENAMED: Final = {b"customProperties": b"custom-properties", b"extendedProperties": b"extended-properties"}
_UTF16: Final = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))
_DECLARATION: Final = re.compile(r"\A\ufeff?\s*<\?xml\b.*?\?>", re.DOTALL)
_CONTROLS: Final = bytes(byte for byte in range(32) if byte not in b"\t\n\r")
_BARE_AMPERSAND: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
_SMALLEST: Final = 4  # bytes of an element: <a/>
_CAREFUL: Final = {"resolve_entities": False, "no_network": True, "load_dtd": False, "remove_comments": True, "remove_pis": True, "collect_ids": False}
_LIBXML_DEPTH: Final = 256  # beyond this libxml2 stops unless told otherwise

Pieces = Callable[[], Iterable[bytes]]  # from the start each time it is called


class IllFormedError(Exception):
    """Not well-formed XML: the parser's words, and the line from 1 (0: unknown). Never leaves `ooxml`."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class _HugeError(IllFormedError):
    """Only libxml2's own limits forbid it: a text of over 10 MB, or over 256 levels."""


def parse(pieces: Pieces, limits: Limits) -> etree._Element:
    """The root of a well-formed part, fed to the parser as it inflates. IllFormedError, UnsafeError, LimitError."""
    try:
        root = _fed(pieces, _parser(), limits)
    except _HugeError as error:
        if "depth" in error.reason and limits.depth <= _LIBXML_DEPTH:
            raise _too_deep(limits) from None
        return _shallow(_fed(pieces, _parser(huge_tree=True), limits), limits)
    return root if limits.depth >= _LIBXML_DEPTH else _shallow(root, limits)


def salvage(data: bytes, limits: Limits) -> etree._Element | None:
    """The root of an ill-formed part as well as it can be read: control characters and unknown entities defused, open elements closed."""
    cleaned = b"".join(_prepared([data])).translate(None, _CONTROLS)
    try:
        root = _fed(lambda: [_BARE_AMPERSAND.sub(b"&amp;", cleaned)], _parser(huge_tree=True, recover=True), limits)
    except IllFormedError:
        return None
    return _shallow(root, limits)


def pull_parser(tag: str) -> etree.XMLPullParser:
    """A parser as careful, which tells where elements of a name start."""
    return etree.XMLPullParser(("start",), tag=tag, **_CAREFUL)  # type: ignore[arg-type]  # mypy takes each for any parameter


def prepared(pieces: Pieces, limits: Limits) -> bytes | None:
    """A part as `pull_parser` takes it: in UTF-8 and Transitional names; None where that does not keep the limits. UnsafeError, LimitError."""
    return b"".join(_prepared(_counted(pieces, limits))) if limits.depth >= _LIBXML_DEPTH else None


def declared_root(head: bytes) -> bytes:
    """The start tag of the root element in the first bytes of a part, namespaces included; empty if there is none."""
    try:
        head = next(_prepared([head]), b"")
    except UnsafeError:
        return b""
    tag = _ROOT.match(head, _prolog_end(head))
    return tag.group() if tag else b""


def _parser(*, huge_tree: bool = False, recover: bool = False) -> etree.XMLParser:
    return etree.XMLParser(huge_tree=huge_tree, recover=recover, **_CAREFUL)  # type: ignore[arg-type]  # as above


def _fed(pieces: Pieces, parser: etree.XMLParser, limits: Limits) -> etree._Element:
    try:
        for piece in _prepared(_counted(pieces, limits)):
            parser.feed(piece)
        root = parser.close()
    except etree.XMLSyntaxError as error:
        raise _fault(error, parser) from None
    if root is None:
        raise IllFormedError("there is no element")
    if root.getroottree().docinfo.internalDTD is not None:
        raise _doctype()
    return root


def _fault(error: etree.XMLSyntaxError, parser: etree.XMLParser) -> IllFormedError:
    """The first thing that was wrong: an unknown entity is found, but thrown only at the end and without a word about it."""
    first = next(iter(parser.feed_error_log), None)
    reason, line = (error.msg, error.lineno or 0) if first is None else (first.message, first.line)
    return (_HugeError if "huge" in reason.lower() else IllFormedError)(reason, line)


def _counted(pieces: Pieces, limits: Limits) -> Iterator[bytes]:
    """The pieces; LimitError for too many elements, which are counted where there are bytes enough for them, in a pass of their own."""
    size, counted = 0, False
    for piece in pieces():
        size += len(piece)
        if size > _SMALLEST * limits.elements and not counted:
            counted = True
            if sum(each.count(b"<") - each.count(b"</") for each in pieces()) > limits.elements:
                message = f"A part has over {limits.elements:,} XML elements; raise the limit `elements` if you trust the file."
                raise LimitError(message, "elements")
        yield piece


def _prepared(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same pieces as UTF-8 in Transitional names; UnsafeError at a DOCTYPE. Only UTF-16 and Strict parts are put together for it."""
    rest = iter(pieces)
    head = next(rest, b"")
    encoding = next((encoding for mark, encoding in _UTF16 if head.startswith(mark)), None)
    if encoding:
        text = b"".join(chain([head], rest)).decode(encoding, "replace")
        head = _DECLARATION.sub("", text).lstrip("\ufeff").encode()
    start = _prolog_end(head)
    if head.startswith(b"<!DOCTYPE", start):
        raise _doctype()
    if _STRICT_ROOT.match(head, start):
        yield _STRICT.sub(_transitional, b"".join(chain([head], rest)))
        return
    yield head
    yield from rest


def _prolog_end(head: bytes) -> int:
    prolog = _PROLOG.match(head)
    return prolog.end() if prolog else 0


def _transitional(strict: re.Match[bytes]) -> bytes:
    """Turn http://purl.oclc.org/ooxml/drawingml/chart into http://schemas.openxmlformats.org/drawingml/2006/chart."""
    family, name = strict.groups()
    return b"http://schemas.openxmlformats.org/%s/2006/%s" % (family, _RENAMED.get(name, name))


def _shallow(root: etree._Element, limits: Limits) -> etree._Element:
    """The root, if no element stands deeper than allowed."""
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > limits.depth:
            raise _too_deep(limits)
    return root


def _too_deep(limits: Limits) -> LimitError:
    return LimitError(f"XML elements are nested over {limits.depth} deep; raise the limit `depth` if you trust the file.", "depth")


def _doctype() -> UnsafeError:
    return UnsafeError("A part declares XML entities (a DOCTYPE), which no Word file does; ask for a copy saved by a word processor.")
