"""Packages from fuzz data: raw bytes, and ZIP files in which any field may be wrong."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from docx_builder import PIXEL, docx, zipped
from fuzz import laws
from fuzz.source import Source

from docxchunk.chunking import ChunkLimits
from docxchunk.model.options import Limits, ParseOptions

_SIZE = ChunkLimits(64, 10)
_LIMITS = Limits(part=1 << 22, total=1 << 23)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def check_bytes(data: bytes) -> None:
    laws.read_or_refuse(data, ParseOptions(limits=_LIMITS), _SIZE)


def bytes_of(source: Source) -> bytes:
    return source.rest()


def seeds() -> Iterator[bytes]:
    """Yield small documents with uncompressed parts, so that bytes of XML can be changed."""
    lists = (
        '<numbering><list id="1"><level text="%1."/></list></numbering><footnotes><footnote '
        'id="2"><p>n</p></footnote></footnotes>'
    )
    text = (
        f'{lists}<p style="Heading1" num="1:0">One</p><p>two<fn id="2"/><pic '
        'src="a.png"/></p><tbl><tr><tc><p>c</p></tc></tr></tbl>'
    )
    whole = docx(text, {"media/a.png": PIXEL})
    yield whole
    yield docx("<p>one</p>", strict=True)
    yield stored(
        {
            "word/document.xml": "<document "
            f'xmlns="{_W}"><body><p><r><t>one</t></r></p></body></document>'.encode()
        }
    )
    yield stored(
        {
            "word/document.xml": '<?xml version="1.0" encoding="UTF-16"?><w:document '
            f'xmlns:w="{_W}"><w:body/></w:document>'.encode("utf-16")
        }
    )
    yield whole[: len(whole) // 2]


def stored(files: dict[str, bytes]) -> bytes:
    return b"".join(
        _local(entry, len(data), zlib.crc32(data)) + data
        for entry, data in ((_Entry(name), data) for name, data in files.items())
    )


# -- content in a separate part
# ---------------------------------------------------------------------------------------

_IMPORTED = ("a.html", "a.mht", "a.docx", "a.txt")


def imported(source: Source) -> bytes:
    """Return a document that refers twice to a part in one of the formats of w:altChunk, with any
    content.
    """
    name = source.pick(_IMPORTED)
    return docx(
        f'<p>a</p><altChunk r:id="{name}"/><altChunk r:id="{name}"/>',
        {f"chunks/{name}": source.rest()},
    )


def imported_seeds() -> Iterator[bytes]:
    page = (
        b'<meta charset="utf-8"><h1>One</h1><ol start=3><li>x</ol><table title="t"><tr><td '
        b'rowspan=2>a<td>b</table><a href="https://a.example/">&#1;</a>'
    )
    mail = (
        b"MIME-Version: 1.0\r\nContent-Type: multipart/related; "
        b'boundary="a"\r\n\r\n--a\r\nContent-Type: '
        b"text/html; charset=utf-8\r\n\r\n" + page + b"\r\n--a--"
    )
    for kind, content in enumerate((page, mail, docx("<p>one</p>"), b"one\ntwo")):
        yield bytes([kind]) + content


# -- wrong fields
# -----------------------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    name: str
    flags: int = 0
    method: int = 0
    extra: bytes = b""


def archive(source: Source) -> bytes:
    """Return a ZIP file with parts of any name, type and content, whose headers and directory may
    not agree.
    """
    local, central = b"", b""
    entries = 0
    for _ in range(1 + source.number(7)):
        name, data = _part(source)
        method = source.pick((8, 0, 8, 0, 99, 12))
        packed = _deflated(data) if method == 8 else data
        packed = packed[: len(packed) - source.number(20)] if source.chance(16) else packed
        entry = _Entry(
            name,
            source.pick((0, 0, 0, 8, 0x800, 1)),
            method,
            source.take(12) if source.chance(16) else b"",
        )
        size, crc = _or_wrong(source, len(data)), _or_wrong(source, zlib.crc32(data))
        start = _or_wrong(source, len(local))
        local += (
            _local(entry, size, crc, 0 if entry.flags == 8 else _or_wrong(source, len(packed)))
            + packed
        )
        local += b"PK\x07\x08" + bytes(12) if entry.flags == 8 else b""
        central += _central(entry, size, crc, _or_wrong(source, len(packed)), start)
        entries += 1
    if source.chance(8):
        return local
    end = struct.pack(
        "<4s4H2LH",
        b"PK\x05\x06",
        0,
        0,
        entries,
        entries,
        _or_wrong(source, len(central)),
        _or_wrong(source, len(local)),
        0,
    )
    sixtyfour = (
        struct.pack(
            "<4sQ2H2L4Q",
            b"PK\x06\x06",
            44,
            45,
            45,
            0,
            0,
            entries,
            entries,
            len(central),
            len(local),
        )
        if source.chance(8)
        else b""
    )
    return source.take(8) + local + central + sixtyfour + end + source.take(8)


def _or_wrong(source: Source, number: int) -> int:
    return (
        source.pick((0, 1, 0xFFFFFFFF, 1 << 31, max(number - 1, 0), number + 1)) & 0xFFFFFFFF
        if source.chance(24)
        else number
    )


def _local(entry: _Entry, size: int, crc: int, packed: int | None = None) -> bytes:
    name = entry.name.encode("utf-8", "surrogatepass")
    kept = size if packed is None else packed
    return (
        struct.pack(
            "<4s5H3L2H",
            b"PK\x03\x04",
            20,
            entry.flags,
            entry.method,
            0,
            33,
            crc,
            kept,
            size,
            len(name),
            len(entry.extra),
        )
        + name
        + entry.extra
    )


def _central(entry: _Entry, size: int, crc: int, packed: int, start: int) -> bytes:
    name = entry.name.encode("utf-8", "surrogatepass")
    numbers = (
        20,
        20,
        entry.flags,
        entry.method,
        0,
        33,
        crc,
        packed,
        size,
        len(name),
        len(entry.extra),
        0,
        0,
        0,
        0,
        start,
    )
    return struct.pack("<4s6H3L5H2L", b"PK\x01\x02", *numbers) + name + entry.extra


def _deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


_NAMES = (
    *(
        "word/document.xml",
        "[Content_Types].xml",
        "_rels/.rels",
        "word/_rels/document.xml.rels",
        "word/styles.xml",
        "word/numbering.xml",
        "WORD/Document.XML",
    ),
    *(
        "word/media/a.png",
        "word/footnotes.xml",
        "word\\document.xml",
        "/word/document.xml",
        "word/document2.xml",
        "../x",
        "xl/workbook.xml",
        "",
        "a/",
        "[Content_Types].xml/",
    ),
)


def _part(source: Source) -> tuple[str, bytes]:
    name = source.pick(_NAMES)
    match source.number(5):
        case 0:
            data = _usual(name, source)
        case 1:
            data = (
                "<Relationships "
                f'xmlns="{_PACKAGE}relationships">{"".join(_relationship(source) for _ in source.some(5))}</Relationships>'
            ).encode()
        case 2:
            data = _document(source)
        case 3:
            data = source.take(200)
        case 4:
            data = source.pick(
                (
                    b"\0" * 70_000,
                    b"<a>" * 300,
                    b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
                    b"",
                    PIXEL,
                    zipped({"a": b"b"}),
                )
            )
        case _:
            data = _usual(name, source)
            at = source.number(max(len(data) - 1, 0))
            data = data[:at] + source.take(4) + data[at + source.number(3) :]
    return name, data


def _usual(name: str, source: Source) -> bytes:
    if name.startswith("[C"):
        kind = source.pick(
            (
                _MAIN,
                _MAIN.replace("document.main", "template.main"),
                "application/vnd.ms-excel",
                "",
                _MAIN.upper(),
            )
        )
        part = source.pick(("/word/document.xml", "word/Document.xml", "/xl/workbook.xml"))
        return (
            f'<Types xmlns="{_PACKAGE}content-types"><Override PartName="{part}" '
            f'ContentType="{kind}"/><Default Extension="png"/></Types>'
        ).encode()
    if name == "_rels/.rels":
        main = f'<Relationship Id="a" Type="{_OFFICE}officeDocument" Target="word/document.xml"/>'
        return f'<Relationships xmlns="{_PACKAGE}relationships">{main}</Relationships>'.encode()
    return _document(source)


def _relationship(source: Source) -> str:
    kind = source.pick(
        (
            "officeDocument",
            "styles",
            "numbering",
            "image",
            "footnotes",
            "header",
            "aFChunk",
            "core-properties",
            "",
        )
    )
    target = source.pick(
        (
            *(name for name in _NAMES if "\\" not in name),
            "NULL",
            "#x",
            "http://example.org/",
            "//host/x",
            "%2e%2e/x",
            "file:///etc/passwd",
            "c:\\x",
        )
    )
    identifier, mode = (
        source.pick(("a", "b", "", "a.png")),
        source.pick(("Internal", "External", "")),
    )
    return (
        f'<Relationship Id="{identifier}" Type="{_OFFICE}{kind}" Target="{target}" '
        f'TargetMode="{mode}"/>'
    )


_ROOTS = ("document", "styles", "numbering", "footnotes", "hdr")
_TEXTS = (
    "<w:p><w:r><w:t>one</w:t></w:r></w:p>",
    "<w:p",
    "</w:p>",
    "&nbsp;",
    "&#0;",
    "\x01",
    "<?pi?>",
    "<!-- -- -->",
    "<w:footnote w:id='2'/>",
    "<w:style/>",
    "<w:tbl><w:tr/></w:tbl>",
    "]]>",
    "<x:y/>",
)


def _document(source: Source) -> bytes:
    root = source.pick(_ROOTS)
    inside = "".join(source.pick(_TEXTS) for _ in source.some(6))
    text = (
        f"<w:{root} "
        f'xmlns:w="{source.pick((_W, "http://purl.oclc.org/ooxml/wordprocessingml/main", "x"))}"><w:body>{inside}</w:body></w:{root}>'
    )
    encoding = source.pick(("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"))
    declared = source.pick(
        (
            "",
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<?xml version="1.0" encoding="latin1"?>',
            "\ufeff",
            "<!DOCTYPE x>",
            '<?xml version="1.1"?>',
            " ",
        )
    )
    return (declared + text).encode(encoding)
