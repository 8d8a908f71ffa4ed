"""XML namespaces in Clark notation, to be prefixed to local names: `W + "p"`.

These are the Transitional namespaces (ECMA-376 Part 4). Strict parts (Part 1) are rewritten to them
before parsing; see `xml.parse`.
"""

from __future__ import annotations

from typing import Final

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
WP: Final = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
PIC: Final = "{http://schemas.openxmlformats.org/drawingml/2006/picture}"
C: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
DSP: Final = "{http://schemas.microsoft.com/office/drawing/2008/diagram}"
LC: Final = "{http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V: Final = "{urn:schemas-microsoft-com:vml}"
O: Final = "{urn:schemas-microsoft-com:office:office}"  # noqa: E741 - the usual prefix
W10: Final = "{urn:schemas-microsoft-com:office:word}"
WPS: Final = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
WPG: Final = "{http://schemas.microsoft.com/office/word/2010/wordprocessingGroup}"
WPC: Final = "{http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas}"
WP14: Final = "{http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing}"
W14: Final = "{http://schemas.microsoft.com/office/word/2010/wordml}"
W15: Final = "{http://schemas.microsoft.com/office/word/2012/wordml}"
W16CEX: Final = "{http://schemas.microsoft.com/office/word/2018/wordml/cex}"
W16CID: Final = "{http://schemas.microsoft.com/office/word/2016/wordml/cid}"
W16SE: Final = "{http://schemas.microsoft.com/office/word/2015/wordml/symex}"
C14: Final = "{http://schemas.microsoft.com/office/drawing/2007/8/2/chart}"
CX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
A14: Final = "{http://schemas.microsoft.com/office/drawing/2010/main}"
ASVG: Final = "{http://schemas.microsoft.com/office/drawing/2016/SVG/main}"
CT: Final = "{http://schemas.openxmlformats.org/package/2006/content-types}"
PR: Final = "{http://schemas.openxmlformats.org/package/2006/relationships}"
CP: Final = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
DC: Final = "{http://purl.org/dc/elements/1.1/}"
DCTERMS: Final = "{http://purl.org/dc/terms/}"
EP: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/extended-properties}"
SL: Final = "{http://schemas.openxmlformats.org/schemaLibrary/2006/main}"
XML: Final = "{http://www.w3.org/XML/1998/namespace}"
XHTML: Final = "{http://www.w3.org/1999/xhtml}"
PKG: Final = "{http://schemas.microsoft.com/office/2006/xmlPackage}"

ON: Final = frozenset({"1", "true", "on"})  # values of ST_OnOff that mean true (17.17.4)


def local_name(tag: str) -> str:
    """Return a tag without its namespace. Malformed tags of damaged parts are accepted."""
    return tag.rpartition("}")[2]
