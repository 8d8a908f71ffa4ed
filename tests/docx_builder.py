"""Word files from compact XML: `docx("<p style='Heading1'>One</p><p>Hello <ins>new</ins> world</p>")` are the bytes of a .docx.

Names without a prefix are WordprocessingML, and so are the attributes of such elements. Text stands where a person would put it:

    <p>text</p>  <tc>text</tc>  <r>text</r>  <del>text</del>      the runs, w:t, w:delText and paragraphs are put around it
    <p style="Heading1" num="1:0" outline="2" id="0000000A" mark="del">      properties: style, numId:ilvl, level, paraId, tracked mark
    <r b="1" i="1" vanish="1" vert="superscript" style="Emphasis">
    <tr header="1" before="1" mark="del"><tc span="2" merge="restart">       merge: restart or continue
    <field code="SEQ Table">1</field>   <begin/><code>TOC</code><separate/>...<end/>
    <fn id="2"/> <en id="2"/> <note-ref id="0"/>                  marks of a footnote, an endnote, a comment
    <eq>f(num("a") den("b"))</eq>                                 an equation in the notation of omml.py
    <box>...</box> <vbox>...</vbox> <pic src="a.png" alt=""/>     text boxes (DrawingML, VML), a picture of `parts`
    <hyperlink href="https://example.org/">...</hyperlink>

Other parts stand beside the body: <styles>, <numbering>, <settings>, <footnotes>, <endnotes>, <comments>, <header>, <footer>, <title>.

    <style id="H1" name="heading 1" based="Normal" outline="0" num="1:0"/>
    <list id="1"><level format="decimal" text="%1."/><level format="lowerLetter" text="(%2)"/></list>
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from lxml import etree
from omml import omath

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
NAMESPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": f"{OFFICE}/relationships",
    "m": f"{OFFICE}/math",
    "a": f"{DRAWING}/main",
    "wp": f"{DRAWING}/wordprocessingDrawing",
    "pic": f"{DRAWING}/picture",
    "c": f"{DRAWING}/chart",
    "dgm": f"{DRAWING}/diagram",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "wpg": "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
    "junk": "urn:example:junk",
}
_W, _M, _W14, _R = ("{%s}" % NAMESPACES[prefix] for prefix in ("w", "m", "w14", "r"))
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"

_GRAPHIC = '<a:graphic><a:graphicData uri="{uri}">{inside}</a:graphicData></a:graphic>'
_SIZE = '<wp:extent cx="1800000" cy="900000"/><wp:docPr id="{id}" name="{name}" descr="{alt}"/>'
_PICTURE = (
    '<pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="{name}"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip {how}/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>'
    '<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1800000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>'
)
_SHAPE = (
    '<wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="1800000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></wps:spPr>'
    "<wps:txbx><txbxContent><slot/></txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>"
)
MACROS = {  # {attribute} and <slot/>, the children, are filled in
    "begin": '<r><fldChar fldCharType="begin"/></r>',
    "separate": '<r><fldChar fldCharType="separate"/></r>',
    "end": '<r><fldChar fldCharType="end"/></r>',
    "code": "<r><instrText><slot/></instrText></r>",
    "field": "<begin/><r><instrText> {code} </instrText></r><separate/><slot/><end/>",
    "fn": '<r><rPr><vertAlign val="superscript"/></rPr><footnoteReference id="{id}"/></r>',
    "en": '<r><rPr><vertAlign val="superscript"/></rPr><endnoteReference id="{id}"/></r>',
    "note-ref": '<r><commentReference id="{id}"/></r>',
    "pic": "<r><drawing><wp:inline>" + _SIZE + _GRAPHIC.format(uri=NAMESPACES["pic"], inside=_PICTURE) + "</wp:inline></drawing></r>",
    "box": "<r><drawing><wp:inline>" + _SIZE + _GRAPHIC.format(uri=NAMESPACES["wps"], inside=_SHAPE) + "</wp:inline></drawing></r>",
    "vbox": '<r><pict><v:shape type="#_x0000_t202" style="width:150pt;height:50pt"><v:textbox><txbxContent><slot/></txbxContent></v:textbox></v:shape></pict></r>',
    "list": '<abstractNum abstractNumId="{id}"><multiLevelType val="multilevel"/><slot/></abstractNum><num numId="{id}"><abstractNumId val="{id}"/></num>',
    "level": '<lvl ilvl="{ilvl}"><start val="{start}"/><numFmt val="{format}"/><lvlText val="{text}"/></lvl>',
}
_DEFAULTS = {"id": "1", "name": "", "alt": "", "code": "", "start": "1", "format": "decimal", "text": "%1.", "how": ""}
_PROPERTIES = {  # element -> shorthand attribute -> what stands in its property element, in the order of the schema
    "p": {"style": '<pStyle val="{}"/>', "num": '<numPr><ilvl val="{1}"/><numId val="{0}"/></numPr>', "outline": '<outlineLvl val="{}"/>', "mark": "<rPr><{} {{}}/></rPr>"},
    "r": {"style": '<rStyle val="{}"/>', "b": '<b val="{}"/>', "i": '<i val="{}"/>', "vanish": '<vanish val="{}"/>', "vert": '<vertAlign val="{}"/>'},
    "tc": {"span": '<gridSpan val="{}"/>', "merge": '<vMerge val="{}"/>'},
    "tr": {"before": '<gridBefore val="{}"/>', "header": '<tblHeader val="{}"/>', "mark": "<{} {{}}/>"},
    "style": {
        "name": '<name val="{}"/>',
        "based": '<basedOn val="{}"/>',
        "num": '<pPr><numPr><ilvl val="{1}"/><numId val="{0}"/></numPr></pPr>',
        "outline": '<pPr><outlineLvl val="{}"/></pPr>',
    },
}
_TRACKED = 'id="90" author="A" date="2024-01-01T00:00:00Z"'
_BLOCK, _INLINE, _RUN, _MATH, _RAW = "block", "inline", "run", "math", "raw"
_MODES = {"p": _INLINE, "r": _RUN, "rt": _INLINE, "rubyBase": _INLINE, **dict.fromkeys(("body", "tc", "txbxContent", "footnote", "endnote", "comment", "hdr", "ftr"), _BLOCK), **dict.fromkeys(("t", "delText", "instrText", "delInstrText", "title"), _RAW)}
_AROUND = {_BLOCK: ("p", "r", "t"), _INLINE: ("r", "t"), _RUN: ("t",), _MATH: ("m:r", "m:t")}
_PARTS = {"styles": "styles", "numbering": "numbering", "settings": "settings", "footnotes": "footnotes", "endnotes": "endnotes", "comments": "comments", "header": "hdr", "footer": "ftr"}
_KINDS = {"media": "image", "charts": "chart", "diagrams": "diagramData", "embeddings": "oleObject", "chunks": "aFChunk"}
_SEPARATORS = '<{0} type="separator" id="-1"><p><r><separator/></r></p></{0}><{0} type="continuationSeparator" id="0"><p><r><continuationSeparator/></r></p></{0}>'

STYLES = (
    '<styles><docDefaults><rPrDefault><rPr><sz val="22"/></rPr></rPrDefault></docDefaults><style id="Normal" name="Normal" default="1"/>'
    + "".join(f'<style id="Heading{i}" name="heading {i}" based="Normal" outline="{i - 1}"/>' for i in range(1, 10))
    + "".join(f'<style id="{n.replace(" ", "")}" name="{n}" based="Normal"/>' for n in ("Title", "caption", "toc 1", "toc 2", "List Paragraph", "footnote text"))
    + "</styles>"
)


class _Writer:
    """Compact XML to WordprocessingML; collects the targets of links on the way."""

    def __init__(self) -> None:
        self.links: dict[str, str] = {}  # relationship id -> address

    def tree(self, tag: str, source: str, mode: str = _RAW) -> etree._Element:
        root = etree.Element(_qualified(tag), nsmap={k: v for k, v in NAMESPACES.items() if k != "junk"})
        self.fill(root, _parsed(source), mode)
        return root

    def fill(self, parent: etree._Element, source: etree._Element, mode: str, *, deleted: bool = False) -> None:
        self.text(parent, source.text, mode, deleted=deleted)
        for number, child in enumerate(source):
            if isinstance(child.tag, str):
                self.element(parent, child, mode, number, deleted=deleted)
            else:
                parent.append(etree.fromstring(f"<x>{etree.tostring(child, with_tail=False).decode()}</x>")[0])
            self.text(parent, child.tail, mode, deleted=deleted)

    def text(self, parent: etree._Element, text: str | None, mode: str, *, deleted: bool) -> None:
        if not text or (not text.strip() and "\n" in text) or (mode == _BLOCK and not text.strip()):
            return
        for name in _AROUND.get(mode, ()):
            parent = etree.SubElement(parent, _qualified("delText" if name == "t" and deleted else name))
        said = re.sub(r"\s*\n\s*", " ", text)
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + said
        else:
            parent.text = said
        if text != text.strip() and parent.tag in (_W + "t", _W + "delText", _W + "instrText", _M + "t"):
            parent.set(_SPACE, "preserve")

    def element(self, parent: etree._Element, source: etree._Element, mode: str, number: int, *, deleted: bool) -> None:
        name = source.tag.removeprefix(_W)
        if name == "eq":
            parent.append(omath(source.text or ""))
        elif name in MACROS:
            self.fill(parent, _macro(name, source, number), mode, deleted=deleted)
        else:
            inner = _MATH if source.tag.startswith(_M) else _RAW if source.tag == _M + "t" else _MODES.get(name, mode)
            self.fill(self.plain(parent, source, name), source, _RAW if source.tag == _M + "t" else inner, deleted=deleted or name == "del")

    def plain(self, parent: etree._Element, source: etree._Element, name: str) -> etree._Element:
        made = etree.SubElement(parent, source.tag)
        short = _PROPERTIES.get(name, {})
        for key, value in source.items():
            if name == "hyperlink" and key == "href":
                made.set(_R + "id", self.link(value))
            elif name == "p" and key == "id":
                made.set(_W14 + "paraId", value)
            elif name == "style" and key == "id":
                made.set(_W + "styleId", value)
            elif key not in short:
                owner = next((n for n in (_W, _M, _W14) if source.tag.startswith(n) and not key.startswith("{")), "")
                made.set(owner + key, value)
        if name == "style":
            made.attrib.setdefault(_W + "type", "paragraph") if hasattr(made.attrib, "setdefault") else made.set(_W + "type", made.get(_W + "type", "paragraph"))
        said = [template.format(*source.get(key, "").split(":")).replace("{}", _TRACKED) for key, template in short.items() if key in source.attrib]
        if said:
            self.fill(made if name == "style" else etree.SubElement(made, _W + name + "Pr"), _parsed("".join(said).replace("</pPr><pPr>", "")), _RAW)
        return made

    def link(self, address: str) -> str:
        return next((k for k, v in self.links.items() if v == address), None) or self.links.setdefault(f"link{len(self.links) + 1}", address)


def _qualified(name: str) -> str:
    prefix, _, local = name.rpartition(":")
    return f"{{{NAMESPACES[prefix or 'w']}}}{local}"


def _parsed(source: str) -> etree._Element:
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
    return etree.fromstring(f'<source xmlns="{NAMESPACES["w"]}" {declared}>{source}</source>')


def _macro(name: str, source: etree._Element, number: int) -> etree._Element:
    values = {**_DEFAULTS, "ilvl": str(number), **source.attrib}
    values["how"] = f'r:link="{values["link"]}"' if "link" in values else f'r:embed="{values.get("src", "")}"'
    made = _parsed(MACROS[name].format_map({k: quoteattr(v)[1:-1] for k, v in values.items() if k != "how"} | {"how": values["how"]}))
    for slot in made.iter(_W + "slot"):
        holder = slot.getparent()
        at = holder.index(slot)
        holder.text = (holder.text or "") + (source.text or "") if at == 0 else holder.text
        if at:
            holder[at - 1].tail = source.text
        holder[at : at + 1] = list(source)
    return made
