"""Equations from fuzz data: structures of Office Math with any arguments, properties and tracked
changes in any order.
"""

from __future__ import annotations

from typing import NamedTuple

from fuzz import laws
from fuzz.source import NUMBERS, Source
from lxml import etree

from docxchunk.model.options import TrackChanges
from docxchunk.ooxml.xml import MC, XML, M, W
from docxchunk.reader.math import latex_of
from docxchunk.reader.math.structures import ARGUMENTS, STRUCTURES

_DEEPEST = 60
_SIGNS = (
    "xy2579αΣ<>&#{}\\^_~$%'′″ "
    "\u00a0\u2003²₁½é其，°\u0302\u0338\u20d7𝐯ℝ∑→()[]|⟦☃\u2028\u200b\ue000\ufffd∫⏞⏟←⇒∮"
)
_WORDS = (
    "x",
    "sin",
    "lim sup",
    "a+b",
    "",
    " ",
    "(1)",
    "x#(1)",
    "&=",
    "x#1",
    "-->",
    "\\frac",
    "}{",
    "if x",
    "12.5",
)
_PROPERTIES = tuple(
    """
    chr pos begChr sepChr endChr type degHide subHide supHide limLoc maxDist opEmu diff show
    zeroWid zeroAsc zeroDesc vertJc hideTop hideBot hideLeft hideRight strikeH strikeBLTR
    strikeTLBR transp noBreak
""".split()
)
_VALUES = (
    *NUMBERS,
    *_SIGNS,
    "top",
    "bot",
    "noBar",
    "lin",
    "skw",
    "bar",
    "undOvr",
    "subSup",
    "left",
    "right",
    "",
)
_STYLES = (
    ("sty", "p"),
    ("sty", "b"),
    ("sty", "bi"),
    ("scr", "fraktur"),
    ("scr", "double-struck"),
    ("scr", "x"),
    ("nor", ""),
    ("lit", ""),
    ("aln", ""),
    ("brk", ""),
)
_AROUND = tuple(
    W + name for name in "ins del moveTo sdt r drawing footnoteReference junk br sym t tab".split()
)
_OTHERS = (
    *_AROUND,
    MC + "AlternateContent",
    MC + "Choice",
    MC + "Fallback",
    M + "oMath",
    M + "oMathPara",
    M + "foo",
)
_NAMES = sorted(STRUCTURES)
_ARGUMENTS = sorted(ARGUMENTS)


class Formula(NamedTuple):
    root: etree._Element
    view: TrackChanges

    @property
    def roots(self) -> list[etree._Element]:
        """The formula and those inside it."""
        return [self.root, *self.root.iter(M + "oMath")]


def build(source: Source) -> Formula:
    root = etree.Element(
        M + source.pick(("oMath", "oMathPara")), nsmap={"m": M[1:-1], "w": W[1:-1]}
    )
    view = source.pick(list(TrackChanges))
    _fill(root, source, 0)
    return Formula(root, view)


def show(formula: Formula) -> str:
    return f"{formula.view}\n{etree.tostring(formula.root, encoding='unicode')}"


def check(formula: Formula) -> None:
    for root in formula.roots:
        laws.latex_holds(latex_of(root, formula.view).text)


def _fill(parent: etree._Element, source: Source, depth: int) -> None:
    for _ in source.some(5):
        if not source.left or depth > _DEEPEST:
            return
        match source.number(3):
            case 0:
                _run(parent, source)
            case 1 | 2:
                _structure(parent, source, depth)
            case _:
                other = etree.SubElement(
                    parent, source.pick((*_OTHERS, *(M + name for name in _ARGUMENTS)))
                )
                other.set(W + "char", source.pick("F0B7 D800 0 FFFE zz 3C".split()))
                _fill(other, source, depth + 1)


def _run(parent: etree._Element, source: Source) -> None:
    run = etree.SubElement(parent, M + "r")
    properties = etree.SubElement(run, M + "rPr")
    for _ in source.some(3):
        name, value = source.pick(_STYLES)
        etree.SubElement(properties, M + name).set(
            M + "val", value if source.chance() else source.pick(_VALUES)
        )
    leaf = etree.SubElement(run, M + "t" if source.number(7) else source.pick(_AROUND))
    leaf.text = (
        source.pick(_WORDS)
        if source.chance()
        else "".join(source.pick(_SIGNS) for _ in source.some(6))
    )
    if source.chance():
        leaf.set(XML + "space", "preserve")


def _structure(parent: etree._Element, source: Source, depth: int) -> None:
    name = source.pick(_NAMES)
    element = etree.SubElement(parent, M + name)
    properties = etree.SubElement(element, f"{M}{name}Pr")
    for _ in source.some(4):
        etree.SubElement(properties, M + source.pick(_PROPERTIES)).set(
            M + "val", source.pick(_VALUES)
        )
    if source.chance(8):
        etree.SubElement(etree.SubElement(properties, M + "ctrlPr"), source.pick(_AROUND))
    if source.chance(8):
        columns = etree.SubElement(
            etree.SubElement(
                etree.SubElement(etree.SubElement(properties, M + "mcs"), M + "mc"), M + "mcPr"
            ),
            M + "count",
        )
        columns.set(M + "val", source.pick(NUMBERS))
    for argument in STRUCTURES[name][1]:
        for _ in range(source.pick((1, 1, 1, 0, 2))):
            made = etree.SubElement(
                element, M + (argument if source.number(15) else source.pick(_ARGUMENTS))
            )
            if argument == "mr":
                for _ in source.some(4):
                    _fill(etree.SubElement(made, M + "e"), source, depth + 1)
            else:
                _fill(made, source, depth + 1)
    if source.chance(16):
        _fill(element, source, depth + 1)
