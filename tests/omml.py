r"""Office Math in a notation that fits on a line.

f(num("a") den("b"))              elements; "..." is a run (m:r/m:t)
d{begChr="[" endChr=""}(e("x"))   properties (m:dPr/m:begChr m:val="["); `rad{degHide}` has no value
p"sin" b"v" nor"if" script"L"     runs of a style: m:sty, m:nor, m:scr, m:lit; joined with `+`:
`b+script"L"` w:ins("x")                        an element of WordprocessingML r(w:begin)
a mark of a field (w:fldChar): begin, separate, end r"raw"                            m:t alone,
without its run "a\u2003b"                        any character by its number
"""

from __future__ import annotations

import re

from lxml import etree

from docxchunk.ooxml.xml import XML, M, W

_TOKEN = re.compile(
    r'\s*(?:(?P<style>[a-z+-]*)"(?P<text>[^"]*)"|(?P<name>(?:w:)?[A-Za-z]+)'
    r"|(?P<sign>[(){}=]))"
)
_FIELD_MARKS = frozenset(W + name for name in ("begin", "separate", "end"))
_STYLES = {
    "p": "sty",
    "b": "sty",
    "i": "sty",
    "bi": "sty",
    "nor": "nor",
    "lit": "lit",
    "aln": "aln",
    "brk": "brk",
}


def omath(source: str) -> etree._Element:
    """Return the m:oMath element of the notation above."""
    root = etree.Element(M + "oMath", nsmap={"m": M[1:-1], "w": W[1:-1]})
    tokens = [match for match in _TOKEN.finditer(source) if match[0].strip()]
    if "".join(match[0] for match in tokens).split() != source.split():
        raise ValueError(source)
    _children(root, tokens[::-1])
    return root


def _children(parent: etree._Element, tokens: list[re.Match[str]]) -> None:
    while tokens and tokens[-1]["sign"] != ")":
        token = tokens.pop()
        if token["name"] is None:
            _run(parent, token["style"], token["text"])
            continue
        element = etree.SubElement(
            parent, W + token["name"][2:] if token["name"].startswith("w:") else M + token["name"]
        )
        if element.tag in _FIELD_MARKS:
            element.set(W + "fldCharType", token["name"][2:])
            element.tag = W + "fldChar"
        if tokens and tokens[-1]["sign"] == "{":
            _properties(element, tokens)
        if tokens and tokens[-1]["sign"] == "(":
            tokens.pop()
            _children(element, tokens)
            tokens.pop()


def _properties(element: etree._Element, tokens: list[re.Match[str]]) -> None:
    holder = etree.SubElement(element, element.tag + "Pr")
    tokens.pop()
    while tokens[-1]["sign"] != "}":
        name = tokens.pop()["name"]
        found = etree.SubElement(holder, W + name[2:] if name.startswith("w:") else M + name)
        if name == "ctrl":
            found.tag = M + "ctrlPr"
        if tokens[-1]["sign"] == "=":
            tokens.pop()
            found.set(M + "val", tokens.pop()["text"])
    tokens.pop()


def _run(parent: etree._Element, style: str, text: str) -> None:
    if style == "r":
        etree.SubElement(parent, M + "t").text = text
        return
    text = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)
    run = etree.SubElement(parent, M + "r")
    if style:
        properties = etree.SubElement(run, M + "rPr")
        for word in style.split("+"):
            found = etree.SubElement(properties, M + _STYLES.get(word, "scr"))
            if _STYLES.get(word, "scr") in ("scr", "sty"):
                found.set(M + "val", word)
    leaf = etree.SubElement(run, M + "t")
    leaf.set(XML + "space", "preserve")
    leaf.text = text
