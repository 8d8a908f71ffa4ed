"""WordprocessingML on few lines: names without a prefix are w:, and so are the attributes of such
elements.

    <p>text</p>  <tc>text</tc>  <r>text</r>  <del>text</del>      runs, w:t, w:delText and
    paragraphs are put around the text <p style="Heading1" num="1:0" outline="2" id="0000000A"
    mark="del">      style, numId:ilvl, level, w14:paraId, tracked mark <p jc="center" before="240"
    ind="720" keep="1">               alignment, space above, indent, kept with the next <r b="1"
    i="1" caps="1" u="single" color="2E74B5" sz="28" vanish="1" vert="superscript" style="Emphasis">
    <tr header="1" before="1" mark="del"><tc span="2" merge="restart" shade="DDDDDD">       merge:
    restart or continue <field code="SEQ Table">1</field>
    <begin/><code>TOC</code><separate/>...<end/> <fn id="2"/> <en id="2"/> <comment-mark id="0"/>
    marks of a footnote, an endnote, a comment <eq>f(num("a") den("b"))</eq>
    an equation in the notation of omml.py <box>...</box> <vbox>...</vbox>
    text boxes (DrawingML, VML) <pic src="a.png" alt=""/> <pic link="https://..."/>           a
    picture inside, a picture elsewhere <hyperlink href="https://example.org/">...</hyperlink>

In parts beside the body:

    <style id="H1" name="heading 1" based="Normal" outline="0" num="1:0"/>
    <list id="1"><level format="decimal" text="%1."/><level format="lowerLetter"
    text="(%2)"/></list>

A shorthand attribute makes the property element, so an element has one or the other, not both.
"""

from __future__ import annotations

import io
import re
import zipfile
from functools import cache
from xml.sax.saxutils import escape

from lxml import etree
from omml import omath

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
NAMESPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "r": f"{OFFICE}/relationships",
    "m": f"{OFFICE}/math",
    "a": f"{DRAWING}/main",
    "wp": f"{DRAWING}/wordprocessingDrawing",
    "pic": f"{DRAWING}/picture",
    "c": f"{DRAWING}/chart",
    "cx": "http://schemas.microsoft.com/office/drawing/2014/chartex",
    "dgm": f"{DRAWING}/diagram",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "w14": "http://schemas.microsoft.com/office/word/2010/wordml",
    "w15": "http://schemas.microsoft.com/office/word/2012/wordml",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "wpg": "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
    "junk": "urn:example:junk",
}
_W, _M, _W14, _R = (f"{{{NAMESPACES[prefix]}}}" for prefix in ("w", "m", "w14", "r"))
_DECLARED_IN_PLACE = ("cx", "junk", "w15")  # as Word does with those that are rare
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"

_GRAPHIC = (
    '<wp:extent cx="1800000" cy="900000"/><wp:docPr id="{id}" name="{name}" '
    'descr="{alt}"/><a:graphic><a:graphicData uri="%s">%s</a:graphicData></a:graphic>'
)
_FORM = (
    '<a:xfrm><a:off x="0" y="0"/><a:ext cx="1800000" cy="900000"/></a:xfrm><a:prstGeom '
    'prst="rect"><a:avLst/></a:prstGeom>'
)
_PICTURE = (
    '<pic:pic><pic:nvPicPr><pic:cNvPr id="0" '
    'name="{name}"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="{src}" '
    'r:link="{link}"/>'
    f"<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr>{_FORM}</pic:spPr></pic:pic>"
)
_SHAPE = (
    "<wps:wsp><wps:cNvSpPr "
    f'txBox="1"/><wps:spPr>{_FORM}</wps:spPr><wps:txbx><txbxContent><slot/></txbxContent></wps:txbx><wps:bodyPr/></wps:wsp>'
)
_MACROS = {  # {attribute} is filled in, and <slot/> with the children
    "begin": '<r><fldChar fldCharType="begin"/></r>',
    "separate": '<r><fldChar fldCharType="separate"/></r>',
    "end": '<r><fldChar fldCharType="end"/></r>',
    "code": "<r><instrText><slot/></instrText></r>",
    "field": "<begin/><r><instrText> {code} </instrText></r><separate/><slot/><end/>",
    "fn": '<r><rPr><vertAlign val="superscript"/></rPr><footnoteReference id="{id}"/></r>',
    "en": '<r><rPr><vertAlign val="superscript"/></rPr><endnoteReference id="{id}"/></r>',
    "comment-mark": '<r><commentReference id="{id}"/></r>',
    "pic": f"<r><drawing><wp:inline>{_GRAPHIC % (NAMESPACES['pic'], _PICTURE)}</wp:inline></drawing></r>",
    "box": f"<r><drawing><wp:inline>{_GRAPHIC % (NAMESPACES['wps'], _SHAPE)}</wp:inline></drawing></r>",
    "vbox": "<r><pict><v:shape "
    'style="width:150pt;height:50pt"><v:textbox><txbxContent><slot/></txbxContent></v:textbox></v:shape></pict></r>',
    "list": '<abstractNum abstractNumId="{id}"><multiLevelType '
    'val="multilevel"/><slot/></abstractNum><num numId="{id}"><abstractNumId '
    'val="{id}"/></num>',
    "level": '<lvl ilvl="{place}"><start val="{start}"/><numFmt val="{format}"/><lvlText '
    'val="{text}"/></lvl>',
}
_UNSAID = {
    "id": "1",
    "name": "",
    "alt": "",
    "src": "",
    "link": "",
    "start": "1",
    "format": "decimal",
    "text": "%1.",
}
_TRACKED = '<{0} id="90" author="A" date="2024-01-01T00:00:00Z"/>'
# element -> attribute -> the content of its property element, in the order of the schema
_SHORT = {
    "p": {
        "style": '<pStyle val="{0}"/>',
        "keep": '<keepNext val="{0}"/>',
        "num": '<numPr><ilvl val="{1}"/><numId val="{0}"/></numPr>',
        "before": '<spacing before="{0}"/>',
        "ind": '<ind left="{0}"/>',
        "jc": '<jc val="{0}"/>',
        "outline": '<outlineLvl val="{0}"/>',
        "mark": f"<rPr>{_TRACKED}</rPr>",
    },
    "r": {
        "style": '<rStyle val="{0}"/>',
        "b": '<b val="{0}"/>',
        "i": '<i val="{0}"/>',
        "caps": '<caps val="{0}"/>',
        "vanish": '<vanish val="{0}"/>',
        "color": '<color val="{0}"/>',
        "sz": '<sz val="{0}"/>',
        "strike": '<strike val="{0}"/>',
        "dstrike": '<dstrike val="{0}"/>',
        "u": '<u val="{0}"/>',
        "vert": '<vertAlign val="{0}"/>',
    },
    "tr": {
        "before": '<gridBefore val="{0}"/>',
        "header": '<tblHeader val="{0}"/>',
        "mark": _TRACKED,
    },
    "tc": {
        "span": '<gridSpan val="{0}"/>',
        "merge": '<vMerge val="{0}"/>',
        "shade": '<shd val="clear" fill="{0}"/>',
    },
}
_OF_STYLE = {
    "name": '<name val="{0}"/>',
    "based": '<basedOn val="{0}"/>',
    "num": '<pPr><numPr><ilvl val="{1}"/><numId val="{0}"/></numPr></pPr>',
    "outline": '<pPr><outlineLvl val="{0}"/></pPr>',
}
_MODES = {
    **dict.fromkeys(
        tuple("body tc txbxContent footnote endnote comment hdr ftr".split()),
        ("p", "r", "t"),
    ),
    **dict.fromkeys(("p", "rt", "rubyBase"), ("r", "t")),
    "r": ("t",),
    "m:oMath": ("m:r", "m:t"),
    **dict.fromkeys(
        ("t", "delText", "instrText", "delInstrText", "m:t", "{{{}}}t".format(NAMESPACES["a"])), ()
    ),
}


class Writer:
    """Converts compact XML to trees. `links` maps the relationship ids that it assigned to the
    addresses of hyperlinks.
    """

    def __init__(self) -> None:
        self.links: dict[str, str] = {}

    def tree(self, tag: str, content: str) -> etree._Element:
        """Return a root element with this name and the converted content."""
        root = etree.Element(
            _qualified(tag),
            nsmap={k: v for k, v in NAMESPACES.items() if k not in _DECLARED_IN_PLACE},
        )
        self._fill(root, parse(content), _MODES.get(tag, ()))
        return root

    def _fill(
        self,
        parent: etree._Element,
        source: etree._Element,
        around: tuple[str, ...],
        *,
        deleted: bool = False,
    ) -> None:
        _put_text(parent, source.text, around, deleted=deleted)
        for place, child in enumerate(source):
            self._element(parent, child, around, place, deleted=deleted)
            _put_text(parent, child.tail, around, deleted=deleted)

    def _element(
        self,
        parent: etree._Element,
        source: etree._Element,
        around: tuple[str, ...],
        place: int,
        *,
        deleted: bool,
    ) -> None:
        name = (
            "" if not isinstance(source.tag, str) else source.tag.removeprefix(_W).replace(_M, "m:")
        )
        if not name:
            parent.append(
                etree.Comment(source.text)
                if source.tag is etree.Comment
                else etree.ProcessingInstruction("pi", source.text)
            )
        elif name == "eq":
            parent.append(omath(source.text or ""))
        elif name == "slot":
            self._fill(parent, source, around, deleted=deleted)
        elif name in _MACROS:
            self._fill(parent, self._macro(name, source, place), around, deleted=deleted)
        else:
            self._fill(
                self._made(parent, source, name),
                source,
                _MODES.get(name, around),
                deleted=deleted or name == "del",
            )

    def _made(self, parent: etree._Element, source: etree._Element, name: str) -> etree._Element:
        made = etree.SubElement(parent, source.tag)
        short = _OF_STYLE if name == "style" else _SHORT.get(name, {})
        owner = next((n for n in (_W, _M, _W14) if source.tag.startswith(n)), "")
        for key, value in source.items():
            if name == "hyperlink" and key == "href":
                made.set(_R + "id", self._link(value))
            elif name == "p" and key == "id":
                made.set(_W14 + "paraId", value)
            elif key not in short:
                made.set(
                    key
                    if key.startswith("{")
                    else owner + ("styleId" if name == "style" and key == "id" else key),
                    value,
                )
        if name == "style" and "type" not in source.attrib:
            made.set(_W + "type", "paragraph")
        said = "".join(
            template.format(*source.get(key, "").split(":"))
            for key, template in short.items()
            if key in source.attrib
        )
        if said:
            self._fill(
                made if name == "style" else etree.SubElement(made, f"{_W}{name}Pr"),
                _properties(said.replace("</pPr><pPr>", "")),
                (),
            )
        return made

    def _macro(self, name: str, source: etree._Element, place: int) -> etree._Element:
        values = _UNSAID | {"place": str(place)} | dict(source.attrib)
        if values["link"]:
            values["link"] = self._link(values["link"])
        made = parse(
            _MACROS[name].format_map({k: escape(v, {'"': "&quot;"}) for k, v in values.items()})
        )
        for blip in made.iter("{{{}}}blip".format(NAMESPACES["a"])):
            for key in [k for k, v in blip.items() if not v]:
                del blip.attrib[key]
        for slot in made.iter(_W + "slot"):
            slot.text = source.text
            slot.extend(source)
        return made

    def _link(self, address: str) -> str:
        identifier = next(
            (k for k, v in self.links.items() if v == address), f"link{len(self.links) + 1}"
        )
        self.links[identifier] = address
        return identifier


def parse(content: str) -> etree._Element:
    """Return the unconverted compact XML in a root element."""
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
    return etree.fromstring(f'<source xmlns="{NAMESPACES["w"]}" {declared}>{content}</source>')


@cache
def _properties(said: str) -> etree._Element:
    """Return parsed properties, which nobody changes."""
    return parse(said)


def _qualified(name: str) -> str:
    prefix, _, local = name.rpartition(":")
    return f"{{{NAMESPACES[prefix or 'w']}}}{local}"


def _put_text(
    parent: etree._Element, text: str | None, around: tuple[str, ...], *, deleted: bool
) -> None:
    """Append text in the elements it requires. Line breaks of the notation become blanks."""
    if not text or (not text.strip() and (around[:1] == ("p",) or "\n" in text)):
        return
    for name in around:
        parent = etree.SubElement(
            parent, _qualified("delText" if deleted and name == "t" else name)
        )
    said = re.sub(r"\s*\n\s*", " ", text)
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + said
    else:
        parent.text = said
    if (
        said != said.strip()
        and _SPACE not in parent.attrib
        and etree.QName(parent).localname in ("t", "delText", "instrText")
    ):
        parent.set(_SPACE, "preserve")


_TEXT = tuple(
    f"{{{NAMESPACES[prefix]}}}{name}"
    for prefix, name in (
        ("w", "t"),
        ("w", "delText"),
        ("w", "instrText"),
        ("w", "delInstrText"),
        ("m", "t"),
    )
)


def letters_in(data: bytes) -> int:
    """Return the number of characters of text, deleted text, field codes and equations in all parts
    of a Word file.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        roots = [
            etree.fromstring(package.read(name))
            for name in package.namelist()
            if name.startswith("word/") and name.endswith(".xml")
        ]
    return sum(len(element.text or "") for root in roots for element in root.iter(*_TEXT))
