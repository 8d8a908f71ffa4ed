"""Writes fixtures/documents/*.docx from fixtures/sources/*.txt, and fixtures/comparison/*.docx from
fixtures/comparison.toml: `python tests/make_fixtures.py`.

A source has `name: value` lines, a line `--`, and then the document in the notation of
compact_xml.py:

    title: what stands in the document's properties
    chunks: the most tokens of a chunk in the golden file
    views: final original all             of tracked changes, each with a golden file of its own
        (final)

The same sources give the same parts, names and dates; only the deflated bytes depend on the zlib at
hand.
"""

from __future__ import annotations

import io
import struct
import tomllib
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from compact_xml import NAMESPACES
from docx_builder import PIXEL, docx, zipped
from fixture_text import SOURCES, TABLES, contract
from lxml import etree

DOCUMENTS = SOURCES.parent / "documents"
_W, _W14, _MC = (f"{{{NAMESPACES[prefix]}}}" for prefix in ("w", "w14", "mc"))
_CORE = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    "<cp:coreProperties "
    'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:dcterms="http://purl.org/dc/terms/" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
    "<dc:title>{title}</dc:title><dc:creator>The docxchunk authors</dc:creator>"
    '<dcterms:created xsi:type="dcterms:W3CDTF">2024-05-06T07:08:09Z</dcterms:created>'
    "<dcterms:modified "
    'xsi:type="dcterms:W3CDTF">2024-05-06T07:08:09Z</dcterms:modified></cp:coreProperties>'
)
_CORE_TYPE = (
    '<Override PartName="/docProps/core.xml" '
    'ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
)
_CORE_LINK = (
    '<Relationship Id="core" '
    'Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" '
    'Target="docProps/core.xml"/>'
    "</Relationships>"
)


class Source(NamedTuple):
    name: str
    title: str
    max_tokens: int
    views: tuple[str, ...]
    content: str  # in the notation of compact_xml.py


def sources() -> list[Source]:
    read = [
        _source(path)
        for path in sorted(SOURCES.glob("*.txt"))
        if path.name != "contract-clauses.txt"
    ]
    return [
        *read,
        Source("contract", "Agreement on the ice rink at Mill Lane", 2000, ("final",), contract()),
    ]


def _source(path: Path) -> Source:
    head, _, content = path.read_text("utf-8").partition("\n--\n")
    said = dict(line.split(": ", 1) for line in head.splitlines())
    for name, table in TABLES.items():
        content = content.replace(name, table)
    return Source(
        path.stem,
        said["title"],
        int(said["chunks"]),
        tuple(said.get("views", "final").split()),
        content,
    )


def package(source: Source) -> bytes:
    """Return the .docx of a source."""
    files = unzipped(
        docx(
            source.content,
            {"media/sources.png": bar_chart()} if "sources.png" in source.content else None,
        )
    )
    files["word/document.xml"] = _with_paragraph_ids(files["word/document.xml"])
    if "word/numbering.xml" in files:
        files["word/numbering.xml"] = _in_order(files["word/numbering.xml"])
    files["[Content_Types].xml"] = files["[Content_Types].xml"].replace(
        b"</Types>", _CORE_TYPE.encode()
    )
    files["_rels/.rels"] = files["_rels/.rels"].replace(b"</Relationships>", _CORE_LINK.encode())
    files["docProps/core.xml"] = _CORE.format(title=escape(source.title)).encode()
    return zipped(files)


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _with_paragraph_ids(part: bytes) -> bytes:
    """Add a paragraph id (w14:paraId) to each paragraph, as Word does."""
    root = etree.fromstring(part)
    root.set(f"{_MC}Ignorable", "w14")
    for number, paragraph in enumerate(root.iter(f"{_W}p"), 1):
        paragraph.set(f"{_W14}paraId", f"{0x10000000 + number:08X}")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _in_order(part: bytes) -> bytes:
    """Put all abstract lists before the lists, as Word requires (17.9.16)."""
    root = etree.fromstring(part)
    root[:] = sorted(root, key=lambda child: child.tag != f"{_W}abstractNum")
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


_QUARTERS = ((64, 65), (70, 16), (116, 10), (102, 31))  # m³ of rainwater and of mains water


def bar_chart() -> bytes:
    """Return a PNG of four pairs of bars in four colours, uncompressed so that its bytes are the
    same everywhere.
    """
    width, height, scale = 240, 130, 1
    rows = [[0] * width for _ in range(height)]
    for quarter, values in enumerate(_QUARTERS):
        for which, value in enumerate(values):
            left = 24 + quarter * 54 + which * 18
            for y in range(height - 6 - value * scale, height - 6):
                rows[y][left : left + 16] = [which + 1] * 16
    rows[height - 6] = [3] * width
    packed = b"".join(
        b"\0"
        + bytes(a << 6 | b << 4 | c << 2 | d for a, b, c, d in zip(*[iter(row)] * 4, strict=True))
        for row in rows
    )
    stored = (
        b"\x78\x01\x01"
        + struct.pack("<HH", len(packed), len(packed) ^ 0xFFFF)
        + packed
        + struct.pack(">I", zlib.adler32(packed))
    )
    palette = bytes.fromhex("ffffff 1f3864 9dc3e6 7f7f7f")
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 2, 3, 0, 0, 0)),
        (b"PLTE", palette),
        (b"IDAT", stored),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*each) for each in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def comparison() -> dict[Path, bytes]:
    """Return the small documents of fixtures/comparison.toml by their paths."""
    folder = SOURCES.parent
    checks = tomllib.loads((folder / "comparison.toml").read_text("utf-8"))["check"]
    return {
        folder / f"{check['document']}.docx": docx(
            check["source"], {"media/a.png": PIXEL} | check.get("parts", {})
        )
        for check in checks
        if "source" in check
    }


def main() -> None:
    made = {DOCUMENTS / f"{source.name}.docx": package(source) for source in sources()}
    for path, data in (made | comparison()).items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main()
