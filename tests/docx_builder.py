"""Word files for tests: `docx("<p style='Heading1'>One</p><p>Hello <ins>new</ins> world</p>")` are
the bytes of a .docx.

The notation is that of compact_xml.py. Other parts stand beside the body under names of their own:
<styles>, <numbering>, <settings>, <footnotes>, <endnotes>, <comments>, <header>, <footer>.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from functools import cache
from xml.sax.saxutils import quoteattr

from compact_xml import NAMESPACES, OFFICE, Writer, parse
from lxml import etree

_W = "{{{}}}".format(NAMESPACES["w"])
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.%s+xml"
_ROOTS = {"header": "hdr", "footer": "ftr"} | {
    name: name
    for name in "styles numbering settings footnotes endnotes comments commentsExtended".split()
}
_WITH_TEXT = ("footnotes", "endnotes", "comments", "header", "footer")
_KINDS = {
    "media": "image",
    "charts": "chart",
    "diagrams": "diagramData",
    "embeddings": "oleObject",
    "chunks": "aFChunk",
    "headers": "header",
    "customXml": "customXml",
}
_SEPARATORS = "".join(
    f'<{{0}} type="{kind}" id="{i}"><p><r><{kind}/></r></p></{{0}}>'
    for i, kind in ((-1, "separator"), (0, "continuationSeparator"))
)
_STRICT = {OFFICE: "http://purl.oclc.org/ooxml/officeDocument"} | {
    NAMESPACES[prefix]: NAMESPACES[prefix]
    .replace("http://schemas.openxmlformats.org", "http://purl.oclc.org/ooxml")
    .replace("/2006", "")
    for prefix in "w a wp pic c dgm".split()
}
_PLAIN_STYLES = ("Title", "caption", "toc 1", "toc 2", "toc 3", "List Paragraph", "footnote text")

STYLES = (
    '<docDefaults><rPrDefault><rPr><sz val="22"/></rPr></rPrDefault></docDefaults><style '
    'id="Normal" name="Normal" default="1"/>'
    + "".join(
        f'<style id="Heading{i}" name="heading {i}" based="Normal" outline="{i - 1}"/>'
        for i in range(1, 10)
    )
    + "".join(
        f'<style id="{name.title().replace(" ", "")}" name="{name}" based="Normal"/>'
        for name in _PLAIN_STYLES
    )
)
PIXEL = bytes.fromhex(  # the smallest picture: a PNG of one grey pixel
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c636800000082008177cd72b60000000049454e44ae426082"
)


_EXTENDED = (
    "<Properties "
    'xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Pages>{}</Pages></Properties>'
)

Parts = Mapping[str, bytes | str]


def docx(  # noqa: PLR0913 - one for each variant of a file
    content: str,
    parts: Parts | None = None,
    *,
    main: str = "word/document.xml",
    strict: bool = False,
    template: bool = False,
    pages: int = 0,
) -> bytes:
    """Return a package, in which Word counted `pages` pages.

    `parts` maps paths below word/ ("media/a.png", "charts/c.xml") to bytes or compact XML; their
    base names are relationship ids.
    """
    beside, body = _sorted(content)
    writer = Writer()
    files: dict[str, bytes] = {}
    inside: dict[str, tuple[str, str]] = {}  # id -> kind and target
    for name, source in beside.items():
        notes = _SEPARATORS.format(name[:-1]) if name in ("footnotes", "endnotes") else ""
        files[f"word/{name}.xml"] = (
            _xml(writer.tree(_ROOTS[name], notes + source))
            if name in _WITH_TEXT
            else _without_text(name, source)
        )
        inside[name] = (name, f"{name}.xml")
    embedded: dict[str, tuple[str, str]] = {}
    for name, data in (parts or {}).items():
        files[f"word/{name}"] = (
            data if isinstance(data, bytes) else _xml(writer.tree("source", data)[0])
        )
        embedded[name.rpartition("/")[2]] = (_KINDS[name.partition("/")[0]], name)
    document = {main: _xml(writer.tree("document", f"<body>{body}{_section(beside)}</body>"))}
    relationships = {
        f"word/_rels/{name}.xml.rels": _relationships(embedded, writer.links)
        for name in _WITH_TEXT
        if name in beside
    }
    relationships[f"word/_rels/{main.rpartition('/')[2]}.rels"] = _relationships(
        inside | embedded, writer.links
    )
    counted = {"docProps/app.xml": _EXTENDED.format(pages).encode()} if pages else {}
    properties = {"app": ("extended-properties", "docProps/app.xml")} if pages else {}
    relationships["_rels/.rels"] = _relationships(
        {"main": ("officeDocument", main)} | properties, {}
    )
    files = (
        {"[Content_Types].xml": _types(document | files, main, template=template)}
        | relationships
        | document
        | files
        | counted
    )
    return zipped(
        {
            name: _strict(data) if strict and name.endswith((".xml", ".rels")) else data
            for name, data in files.items()
        }
    )


@cache
def _without_text(name: str, source: str) -> bytes:
    """Return a part without links. The styles of most documents are the same."""
    return _xml(Writer().tree(_ROOTS[name], source))


def _section(beside: Mapping[str, str]) -> str:
    references = "".join(
        f'<{n}Reference type="default" r:id="{n}"/>' for n in ("header", "footer") if n in beside
    )
    return f"<sectPr>{references}</sectPr>" if references else ""


def _sorted(content: str) -> tuple[dict[str, str], str]:
    """Return the contents of the other parts, and the body."""
    beside, body = {"styles": STYLES}, []
    for child in parse(content):
        name = child.tag.removeprefix(_W) if isinstance(child.tag, str) else ""
        text = etree.tostring(child, encoding="unicode", with_tail=name not in _ROOTS)
        if name in _ROOTS:
            beside[name] = (
                text[text.index(">") + 1 : text.rindex("</")] if len(child) or child.text else ""
            )
        else:
            body.append(text)
    return beside, "".join(body)


def _xml(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _types(names: Iterable[str], main: str, *, template: bool) -> bytes:
    kinds = {main: "template.main" if template else "document.main"} | {
        f"word/{name}.xml": name for name in _ROOTS
    }
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{_TYPE % kinds[name]}"/>'
        for name in names
        if name in kinds
    )
    defaults = {
        "rels": "application/vnd.openxmlformats-package.relationships+xml",
        "xml": "application/xml",
        "png": "image/png",
    }
    extensions = "".join(
        f'<Default Extension="{k}" ContentType="{v}"/>' for k, v in defaults.items()
    )
    return f'<Types xmlns="{_PACKAGE}/content-types">{extensions}{overrides}</Types>'.encode()


def _relationships(inside: Mapping[str, tuple[str, str]], outside: Mapping[str, str]) -> bytes:
    start = f'Type="{OFFICE}/relationships'
    said = [f'Id="{i}" {start}/{kind}" Target="{target}"' for i, (kind, target) in inside.items()]
    said += [
        f'Id="{i}" {start}/hyperlink" Target={quoteattr(target)} TargetMode="External"'
        for i, target in outside.items()
    ]
    return (
        "<Relationships "
        f'xmlns="{_PACKAGE}/relationships">{"".join(f"<Relationship {each}/>" for each in said)}</Relationships>'
    ).encode()


def _strict(data: bytes) -> bytes:
    for loose, strict in _STRICT.items():
        data = data.replace(loose.encode(), strict.encode())
    return data


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file of these files in this order, with fixed timestamps."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for name, data in files.items():
            package.writestr(
                zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9
            )
    return buffer.getvalue()
