"""Parse untrusted XML: no DTD, entities or network access, limited depth and size. Comments and
processing instructions are removed. Name its elements, and read the values of their attributes.

Parts are UTF-8 or UTF-16 without a DTD (ECMA-376 Part 2, 6.2.5). Namespaces of Strict parts (Part
1) are replaced by the Transitional ones (Part 4). Attribute values that differ between the two
(`start` for `left`, `50%` for `2500`) concern only layout and are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from lxml import etree

from docxchunk.errors import LimitError, UnsafeError
from docxchunk.language.patterns import pattern
from docxchunk.model.options import Limits

# namespaces in Clark notation, to be prefixed to local names: `W + "p"`
W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
WP: Final = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
PIC: Final = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
C: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
C15: Final = "{http://schemas.microsoft.com/office/drawing/2012/chart}"
DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V: Final = "{urn:schemas-microsoft-com:vml}"
O: Final = "{urn:schemas-microsoft-com:office:office}"  # noqa: E741 - the usual prefix
W14: Final = "{http://schemas.microsoft.com/office/word/2010/wordml}"
W15: Final = "{http://schemas.microsoft.com/office/word/2012/wordml}"
CX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
CT: Final = "{http://schemas.openxmlformats.org/package/2006/content-types}"
PR: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}"
CP: Final = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
DC: Final = "{http://purl.org/dc/elements/1.1/}"
DCTERMS: Final = "{http://purl.org/dc/terms/}"
DS: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/customXml}"
EP: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/extended-properties}"
XML: Final = "{http://www.w3.org/XML/1998/namespace}"

_LARGEST: Final = 3276  # half points; a larger size is an error of the file
ON: Final = frozenset({"1", "true", "on"})  # values of ST_OnOff that mean true (17.17.4)


def is_on(element: etree._Element | None, name: str = W + "val") -> bool:
    """Return the value of a toggle property (17.7.3): off if absent, on if present without a
    value. `name` is that of the attribute with the value.
    """
    return element is not None and element.get(name, "1") in ON


def around(element: etree._Element) -> etree._Element:
    """Return the parent of an element; the element itself if it is a root."""
    parent = element.getparent()
    return element if parent is None else parent


def value(element: etree._Element, path: str) -> str | None:
    """Return `w:val` of the element at a path; None if either is missing."""
    child = element.find(path)
    return None if child is None else child.get(W + "val")


def children_of(element: etree._Element | None) -> dict[str, etree._Element]:
    """Return the children of an element by name; of several with a name, the last one."""
    return {} if element is None else {child.tag: child for child in element}


def value_of(children: Mapping[str, etree._Element], name: str) -> str | None:
    """Return `w:val` of the child with this local name; None if either is missing."""
    child = children.get(W + name)
    return None if child is None else child.get(W + "val")


def whole_number(text: str | None) -> int | None:
    """Return a measurement as an integer; None if it is missing or implausible."""
    try:
        number = int(float(text or ""))
    except (ValueError, OverflowError):
        return None
    return number if abs(number) <= _LARGEST * 10 else None


_DIGITS: Final = re.compile(r"\s*\+?([0-9]{1,9})\s*")


def natural_number(text: str | None) -> int | None:
    """Return a number of up to nine digits; None if it is missing or anything else."""
    digits = _DIGITS.fullmatch(text or "")
    return int(digits[1]) if digits else None


def local_name(tag: str) -> str:
    """Return a tag without its namespace. Malformed tags of damaged parts are accepted."""
    return tag.rpartition("}")[2]


_TEXTS: Final = (W + "t", W + "delText", M + "t", W + "instrText", W + "delInstrText")


def letters(element: etree._Element) -> int:
    """Return the number of text characters below an element."""
    if not len(element):
        return len(element.text or "") if element.tag in _TEXTS else 0
    # a fast test; most elements have no text
    if not etree.tostring(element, encoding="unicode", method="text", with_tail=False):
        return 0
    return sum(len(text.text) for text in element.iter(*_TEXTS) if text.text)


# Namespace prefixes of the supported extensions; a Choice that requires any other (ink, 3D models,
# emoji) is skipped. Files may use other prefixes, but in practice all writers use those of the
# specification.
_UNDERSTOOD: Final = frozenset(
    "wps wpg wpc wp14 w14 w15 w16 w16cex w16cid a14 v cx cx1 cx2 cx4 c14".split()
)


def chosen_branch(alternate: etree._Element) -> etree._Element | None:
    """Return the first mc:Choice whose required namespaces are all supported, else mc:Fallback,
    else None.
    """
    for choice in alternate.iterchildren(MC + "Choice"):
        if _UNDERSTOOD.issuperset(choice.get("Requires", "").split()):
            return choice
    return alternate.find(MC + "Fallback")


_PROLOG: Final = rb"(?s:(?:\xef\xbb\xbf)?(?:\s++|<\?.*?\?>|<!--.*?-->)*+)"
_ROOT: Final = re.compile(_PROLOG + rb"(<[^!?>][^>]*>)")
_STRICT_ROOT: Final = re.compile(_PROLOG + rb"<[^!?>][^>]*purl\.oclc\.org/ooxml/")
_DOCTYPE: Final = re.compile(_PROLOG + rb"<!DOCTYPE")
_STRICT: Final = re.compile(rb"(?<=[\"'])http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_RENAMED: Final = {
    b"customProperties": b"custom-properties",
    b"extendedProperties": b"extended-properties",
}
_UTF16: Final = (
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_DECLARATION: Final = pattern(r"\A\ufeff?\s*<\?xml\b.*?\?>", re.DOTALL)
_CONTROLS: Final = bytes(byte for byte in range(32) if byte not in b"\t\n\r")
_BARE_AMPERSAND: Final = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)")
_SMALLEST: Final = 4  # bytes of the shortest element, <a/>
_CAREFUL: Final = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
    "collect_ids": False,
}
_LIBXML_DEPTH: Final = 256  # default limit of libxml2

Pieces = Callable[[], Iterable[bytes]]  # starts over on each call


class IllFormedError(Exception):
    """XML is not well-formed. `reason` is the message of the parser, `line` is counted from 1 (0:
    unknown). Not raised outside of `ooxml`.
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class _HugeError(IllFormedError):
    """A built-in limit of libxml2 is exceeded: a text over 10 MB, or over 256 levels."""


def parse(pieces: Pieces, limits: Limits) -> etree._Element:
    """Parse a part while it is being inflated and return its root. Raise IllFormedError,
    UnsafeError or LimitError.
    """
    try:
        root = _fed(pieces, _parser(), limits)
    except _HugeError as error:
        if "depth" in error.reason and limits.depth <= _LIBXML_DEPTH:
            raise _too_deep(limits) from None
        return _shallow(_fed(pieces, _parser(huge_tree=True), limits), limits)
    return root if limits.depth >= _LIBXML_DEPTH else _shallow(root, limits)


def salvage(data: bytes, limits: Limits) -> etree._Element | None:
    """Return the root of an ill-formed part as far as it can be read; None if nothing can.

    Control characters are removed, unknown entities are kept as text, and open elements are closed.
    """
    cleaned = b"".join(_prepared([data])).translate(None, _CONTROLS)
    try:
        root = _fed(
            lambda: [_BARE_AMPERSAND.sub(b"&amp;", cleaned)],
            _parser(huge_tree=True, recover=True),
            limits,
        )
    except IllFormedError:
        return None
    return _shallow(root, limits)


def marking_parser() -> etree.XMLPullParser:
    """Return a parser with the restrictions of `parse` that keeps and reports processing
    instructions.
    """
    return etree.XMLPullParser(("pi",), **{**_CAREFUL, "remove_pis": False})  # type: ignore[arg-type]  # mypy cannot check `**` of a dict with mixed values


def prepared(pieces: Pieces, limits: Limits) -> bytes | None:
    """Return a part in UTF-8 and Transitional namespaces for `marking_parser`; None if that parser
    cannot enforce `limits.depth`.

    Raise UnsafeError or LimitError.
    """
    return b"".join(_prepared(_counted(pieces, limits))) if limits.depth >= _LIBXML_DEPTH else None


def declared_root(head: bytes) -> bytes:
    """Return the start tag of the root element, with its namespaces, from the first bytes of a
    part; b"" if there is none.
    """
    try:
        head = next(_prepared([head]), b"")
    except UnsafeError:
        return b""
    tag = _ROOT.match(head)
    return tag[1] if tag else b""


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
    """Return the first error that the parser logged. It names an unknown entity, which the
    exception does not.
    """
    first = next(iter(parser.feed_error_log), None)
    reason, line = (error.msg, error.lineno or 0) if first is None else (first.message, first.line)
    return (_HugeError if "huge" in reason.lower() else IllFormedError)(reason, line)


def _counted(pieces: Pieces, limits: Limits) -> Iterator[bytes]:
    """Yield the pieces. Raise LimitError for too many elements, which are counted once there are
    enough bytes to exceed the limit.
    """
    size, counted = 0, False
    for piece in pieces():
        size += len(piece)
        if size > _SMALLEST * limits.elements and not counted:
            counted = True
            if sum(piece.count(b"<") - piece.count(b"</") for piece in pieces()) > limits.elements:
                message = (
                    f"A part has over {limits.elements:,} XML elements; raise the limit "
                    "`elements` if you trust the file."
                )
                raise LimitError(message, "elements")
        yield piece


def _prepared(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the pieces in UTF-8 and Transitional namespaces. UTF-16 and Strict parts are joined
    first. Raise UnsafeError at a DOCTYPE.
    """
    remaining = iter(pieces)
    head = next(remaining, b"")
    encoding = next((encoding for mark, encoding in _UTF16 if head.startswith(mark)), None)
    if encoding:
        text = b"".join(chain([head], remaining)).decode(encoding, "replace")
        head = _DECLARATION.sub("", text).lstrip("\ufeff").encode()
    if _DOCTYPE.match(head):
        raise _doctype()
    if _STRICT_ROOT.match(head):
        yield _STRICT.sub(_transitional, b"".join(chain([head], remaining)))
        return
    yield head
    yield from remaining


def _transitional(strict: re.Match[bytes]) -> bytes:
    """Replace http://purl.oclc.org/ooxml/drawingml/chart by
    http://schemas.openxmlformats.org/drawingml/2006/chart.
    """
    family, name = strict.groups()
    return b"http://schemas.openxmlformats.org/%s/2006/%s" % (family, _RENAMED.get(name, name))


def _shallow(root: etree._Element, limits: Limits) -> etree._Element:
    """Return the root. Raise LimitError if elements are nested too deep."""
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > limits.depth:
            raise _too_deep(limits)
    return root


def _too_deep(limits: Limits) -> LimitError:
    return LimitError(
        f"XML elements are nested over {limits.depth} deep; raise the limit "
        "`depth` if you trust the file.",
        "depth",
    )


def _doctype() -> UnsafeError:
    return UnsafeError(
        "A part declares XML entities (a DOCTYPE), which no Word file does; ask "
        "for a copy saved by a word processor."
    )
