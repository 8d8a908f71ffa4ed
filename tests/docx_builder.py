"""Word files for tests: `docx("<p style='Heading1'>One</p><p>Hello <ins>new</ins> world</p>")` are the bytes of a .docx.

The notation is that of compact_xml.py. Other parts stand beside the body under names of their own: <styles>, <numbering>, <settings>,
<footnotes>, <endnotes>, <comments>, <header>, <footer>, and <title>, the title in the core properties.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from compact_xml import NAMESPACES, OFFICE, Writer, parse
from lxml import etree

_W = "{%s}" % NAMESPACES["w"]
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.%s+xml"
_ROOTS = {"header": "hdr", "footer": "ftr"} | {name: name for name in ("styles", "numbering", "settings", "footnotes", "endnotes", "comments")}
_KINDS = {"media": "image", "charts": "chart", "diagrams": "diagramData", "embeddings": "oleObject", "chunks": "aFChunk"}
_SEPARATORS = "".join(f'<{{0}} type="{kind}" id="{i}"><p><r><{kind}/></r></p></{{0}}>' for i, kind in ((-1, "separator"), (0, "continuationSeparator")))
_STRICT = ((f"{OFFICE}", "http://purl.oclc.org/ooxml/officeDocument"), (NAMESPACES["w"], "http://purl.oclc.org/ooxml/wordprocessingml/main")) + tuple(
    (NAMESPACES[k], NAMESPACES[k].replace("http://schemas.openxmlformats.org", "http://purl.oclc.org/ooxml").replace("/2006", "")) for k in ("a", "wp", "pic", "c", "dgm")
)

STYLES = (
    '<docDefaults><rPrDefault><rPr><sz val="22"/></rPr></rPrDefault></docDefaults><style id="Normal" name="Normal" default="1"/>'
    + "".join(f'<style id="Heading{i}" name="heading {i}" based="Normal" outline="{i - 1}"/>' for i in range(1, 10))
    + "".join(f'<style id="{n.title().replace(" ", "")}" name="{n}" based="Normal"/>' for n in ("Title", "caption", "toc 1", "toc 2", "toc 3", "List Paragraph", "footnote text"))
)
PIXEL = bytes.fromhex(  # the smallest picture: a PNG of one grey pixel
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c636800000082008177cd72b60000000049454e44ae426082"
)


def docx(content: str, parts: Mapping[str, bytes | str] | None = None, *, main: str = "word/document.xml", strict: bool = False, template: bool = False) -> bytes:
    """A package. `parts` are files below word/ ("media/a.png", "charts/c.xml"), related to the body by their last names; text is compact XML."""
    beside, body = _sorted(content)
    parts = dict(parts or {})
    writer = Writer()
    files: dict[str, bytes] = {}
    related: dict[str, tuple[str, str]] = {}  # id -> kind and target
    for name, inside in beside.items():
        if name == "title":
            files["docProps/core.xml"] = _core(inside)
            continue
        notes = _SEPARATORS.format(name[:-1]) if name in ("footnotes", "endnotes") else ""
        files[f"word/{name}.xml"] = _xml(writer.tree(_ROOTS[name], notes + inside))
        related[name] = (name, f"{name}.xml")
    for name, data in parts.items():
        files[f"word/{name}"] = data if isinstance(data, bytes) else _xml(writer.tree("source", data)[0])
        related[name.rpartition("/")[2]] = (_KINDS[name.partition("/")[0]], name)
    references = "".join(f'<{n}Reference type="default" r:id="{n}"/>' for n in ("header", "footer") if n in beside)
    section = f"<sectPr>{references}</sectPr>" if references else ""
    document = {main: _xml(writer.tree("document", f"<body>{body}{section}</body>"))}
    names = [main, *files]
    relationships = {
        "_rels/.rels": _relationships({"main": ("officeDocument", main)} | ({"core": ("core", "docProps/core.xml")} if "docProps/core.xml" in files else {}), {}),
        f"word/_rels/{main.rpartition('/')[2]}.rels": _relationships(related, writer.links),
    }
    files = {"[Content_Types].xml": _types(names, main, template=template)} | relationships | document | files
    return _zip({name: _strict(data) if strict and name.endswith((".xml", ".rels")) else data for name, data in files.items()})


def _sorted(content: str) -> tuple[dict[str, str], str]:
    """The inside of the parts that stand beside the body, and the body."""
    beside, body = {"styles": STYLES}, []
    source = parse(content)
    for child in source:
        name = child.tag.removeprefix(_W) if isinstance(child.tag, str) else ""
        text = etree.tostring(child, encoding="unicode", with_tail=name not in (*_ROOTS, "title"))
        if name in _ROOTS or name == "title":
            beside[name] = text[text.index(">") + 1 : text.rindex("</")] if len(child) or child.text else ""
        else:
            body.append(text)
    return beside, "".join(body)


def _xml(root: etree._Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _types(names: list[str], main: str, *, template: bool) -> bytes:
    kinds = {main: "template.main" if template else "document.main"} | {f"word/{name}.xml": name for name in _ROOTS}
    overrides = "".join(f'<Override PartName="/{name}" ContentType="{_TYPE % kinds[name]}"/>' for name in names if name in kinds)
    defaults = {"rels": "application/vnd.openxmlformats-package.relationships+xml", "xml": "application/xml", "png": "image/png"}
    extensions = "".join(f'<Default Extension="{k}" ContentType="{v}"/>' for k, v in defaults.items())
    core = '<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>' if "docProps/core.xml" in names else ""
    return f'<Types xmlns="{_PACKAGE}/content-types">{extensions}{overrides}{core}</Types>'.encode()


def _relationships(inside: Mapping[str, tuple[str, str]], outside: Mapping[str, str]) -> bytes:
    kinds = {"core": f"{_PACKAGE}/relationships/metadata/core-properties"}
    here = "".join(f'<Relationship Id="{i}" Type="{kinds.get(kind, f"{OFFICE}/relationships/{kind}")}" Target="{target}"/>' for i, (kind, target) in inside.items())
    there = "".join(f'<Relationship Id="{i}" Type="{OFFICE}/relationships/hyperlink" Target="{target}" TargetMode="External"/>' for i, target in outside.items())
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{here}{there}</Relationships>'.encode()


def _core(title: str) -> bytes:
    return f'<c:coreProperties xmlns:c="{_PACKAGE}/metadata/core-properties" xmlns:d="http://purl.org/dc/elements/1.1/"><d:title>{title}</d:title></c:coreProperties>'.encode()


def _strict(data: bytes) -> bytes:
    for loose, strict in _STRICT:
        data = data.replace(loose.encode(), strict.encode())
    return data


def _zip(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in files.items():
            package.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()
