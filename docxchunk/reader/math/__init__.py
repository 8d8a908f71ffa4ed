r"""Convert an equation to LaTeX (ECMA-376 Part 1, 22.1).

`structures` writes fractions, matrices and so on, `formula` joins them, `characters` writes letters
and signs.

The element tree is read bottom-up without recursion: when an element ends, its content is a list
of items. The content of unknown elements is read in place. No input raises an exception. No text is
lost, even if an argument is in the wrong place. Braces and \left ... \right are always balanced.
The result has no line break, and it has blanks around `<` and `>`, which thus cannot begin a tag.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lxml import etree

from docxchunk.model.options import TrackChanges
from docxchunk.ooxml.symbols import PRIVATE, symbol_of
from docxchunk.ooxml.xml import MC, XML, M, W, local_name
from docxchunk.reader.math.characters import ITALIC, NORMAL, MathStyle, latex_text
from docxchunk.reader.math.formula import (
    ALIGN,
    BREAK,
    VAL,
    FormulaItem,
    Slot,
    Structure,
    TextRun,
    equation,
    flat,
    is_on,
    spaced,
)
from docxchunk.reader.math.structures import ARGUMENTS, STRUCTURES

_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
# of elements below m:oMath; this is about 40 structures, and about the limit of TeX
MAX_DEPTH = 80


class Latex(NamedTuple):
    """An equation in LaTeX, on one line and without `$`."""

    text: str
    broken: bool = False  # nested deeper than MAX_DEPTH: `text` is the plain text, in a \text{}
    # the names of elements that are not part of Office Math, whose text is kept; and of pictures
    # and note marks, which are not kept
    unknown: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()  # the codes of characters that only a font knows: "U+F061"


Symbols = Callable[[etree._Element], Mapping[int, str]]
"""Returns the characters of a run that are in a symbol font, as `Styles.symbols`."""


class _MathReading(NamedTuple):
    """What is read, and what is found on the way."""

    excluded: frozenset[str]  # the tracked changes that are not in the view
    codes: set[etree._Element]  # the leaves of field codes
    symbols: Symbols
    unknown: set[str]  # names of elements
    unreadable: set[str]  # characters


def latex_of(
    omath: etree._Element,
    view: TrackChanges = TrackChanges.FINAL,
    symbols: Symbols = lambda _: {},
) -> Latex:
    r"""Return one m:oMath (22.1.2.77) as LaTeX; an empty text if nothing is visible.

    Several lines become one `aligned` or `gathered`, a number `#(1)` a `\tag`. `view` says which
    tracked changes are read.
    """
    reading = _MathReading(_EXCLUDED[view], _field_codes(omath), symbols, set(), set())
    items = _read(omath, reading)
    if items is None:
        leaves = (leaf for leaf in omath.iter(M + "t", W + "t") if leaf not in reading.codes)
        text = "".join(leaf.text or "" for leaf in leaves)
        latex = spaced(latex_text(" ".join(text.split()), NORMAL))
    else:
        latex = equation(items)
    return Latex(
        latex,
        broken=items is None,
        unknown=tuple(sorted(reading.unknown)),
        unreadable=tuple(sorted(reading.unreadable)),
    )


# --- Runs


def _text(leaf: etree._Element) -> str:
    """Return the text of m:t (22.1.2.116) or w:t. Spaces at the ends are significant only with
    xml:space="preserve".
    """
    text = re.sub(r"[\t\n\r][ \t\n\r]*", " ", leaf.text or "")
    return text if leaf.get(XML + "space") == "preserve" else text.strip(" ")


def _note_private(text: str, reading: _MathReading) -> None:
    reading.unreadable.update(f"U+{ord(letter):04X}" for letter in _PRIVATE.findall(text))


def _leaf(leaf: etree._Element, reading: _MathReading) -> TextRun:
    """Return the text of a leaf. Characters of symbol fonts become Unicode characters. In a
    formula, only characters of the private use area do, because its letters are always in the font
    of formulas.
    """
    text, run = _LEAVES[leaf.tag](leaf), leaf.getparent()
    if _LEAVES[leaf.tag] is _text and run is not None and (symbols := reading.symbols(run)):
        if run.tag == M + "r" and run.find(f"{M}rPr/{M}nor") is None:
            symbols = {code: symbol for code, symbol in symbols.items() if code in PRIVATE}
        text = text.translate(symbols)
    _note_private(text, reading)
    return TextRun(text, ITALIC if leaf.tag == M + "t" else NORMAL)


_LEAVES: Mapping[str, Callable[[etree._Element], str]] = {
    M + "t": _text,
    W + "t": _text,
    W + "delText": _text,
    # a private character, which is written as a square, if the code is not readable
    W + "sym": lambda leaf: symbol_of(leaf) or "\uf8ff",
    W + "br": lambda _: BREAK,
    W + "cr": lambda _: BREAK,
    W + "tab": lambda _: " ",
    W + "noBreakHyphen": lambda _: "-",
}


def _field_codes(omath: etree._Element) -> set[etree._Element]:
    """Return the leaves that hold field codes: those after the begin mark of a field, up to its
    separator or, without one, its end mark (17.16.18).
    """
    codes: set[etree._Element] = set()
    is_code: list[bool] = []  # for each open field: it has no separator yet
    leaves: list[list[etree._Element]] = []  # of each of these
    for element in omath.iter(W + "fldChar", *_LEAVES):
        kind = element.get(W + "fldCharType")
        if element.tag != W + "fldChar":
            if leaves:
                leaves[-1].append(element)
        elif kind == "begin":
            is_code.append(True)
            leaves.append([])
        elif is_code:
            if is_code.pop():
                codes.update(leaves.pop())
            if kind == "separate":
                is_code.append(False)
    return codes


def _run(element: etree._Element, items: Iterable[FormulaItem]) -> list[FormulaItem]:
    """Return the text of m:r (22.1.2.87) in the style of its m:rPr (22.1.2.91). A line break
    (22.1.2.15) or alignment point (22.1.2.3) precedes it.
    """
    text = "".join(item.text for item in items if isinstance(item, TextRun))
    properties = element.find(M + "rPr")
    if properties is None:
        return [TextRun(text, ITALIC)]
    values = {child.tag: child.get(VAL, "") for child in properties}
    normal, literal, aligned = (
        is_on(values.get(M + name, "off")) for name in ("nor", "lit", "aln")
    )
    before = (BREAK if M + "brk" in values else "") + (ALIGN if aligned else "")
    return [
        TextRun(
            before + text,
            MathStyle(values.get(M + "scr", "roman"), values.get(M + "sty", "i"), normal, literal),
        )
    ]


# --- Elements

_EXCLUDED: Mapping[TrackChanges, frozenset[str]] = {  # 17.13.5
    TrackChanges.FINAL: frozenset({W + "del", W + "moveFrom"}),
    TrackChanges.ORIGINAL: frozenset({W + "ins", W + "moveTo"}),
    TrackChanges.ALL: frozenset(),
}
# their content is read in place
_TRANSPARENT = frozenset(
    [M + "oMath", M + "oMathPara", MC + "AlternateContent", MC + "Choice"]
    + [
        W + name
        for name in """
            r ins del moveFrom moveTo sdt sdtContent smartTag customXml hyperlink fldSimple
        """.split()
    ]
)
# properties and marks, without content
_SILENT = frozenset(
    [f"{M}{name}Pr" for name in (*STRUCTURES, "arg", "ctrl", "oMathPara", "r")]
    + [
        W + name
        for name in """
            rPr sdtPr sdtEndPr smartTagPr customXmlPr instrText delInstrText fldChar softHyphen
            proofErr permStart permEnd bookmarkStart bookmarkEnd lastRenderedPageBreak
            commentRangeStart commentRangeEnd commentReference
        """.split()
    ]
    + [
        f"{W}{kind}Range{end}"
        for kind in ("moveFrom", "moveTo", "customXmlIns", "customXmlDel")
        for end in ("Start", "End")
    ]
    + [MC + "Fallback"]
)
# they are reported as unknown
_PICTURED = frozenset(
    W + name for name in ("drawing", "pict", "object", "footnoteReference", "endnoteReference")
)


def _read(root: etree._Element, reading: _MathReading) -> list[FormulaItem] | None:
    """Return the items below the root; None if elements are nested deeper than MAX_DEPTH."""
    stack = [(root, iter(root), list[FormulaItem]())]
    while True:
        element, children, items = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            if not stack:
                return items
            stack[-1][2].extend(_close(element, items, reading))
        elif child not in reading.codes and _has_content(child, reading):
            stack.append((child, iter(child), []))
            if len(stack) > MAX_DEPTH:
                return None


def _has_content(child: etree._Element, reading: _MathReading) -> bool:
    """Return whether to read a child: not one that is excluded, has no text or is a picture, and no
    run with the mark of an excluded change, which may be beside the text that it changes.
    """
    tag = child.tag
    if tag in reading.excluded or tag in _SILENT:
        return False
    if tag in _PICTURED:
        reading.unknown.add(local_name(tag))
        return False
    return tag != M + "r" or not any(part.tag in reading.excluded for part in child)


def _close(
    element: etree._Element, items: list[FormulaItem], reading: _MathReading
) -> list[FormulaItem]:
    """Return the items that an element gives to its parent. `items` are the items of its
    content.
    """
    tag = element.tag
    name = local_name(element.tag)
    if tag in _LEAVES:
        return [_leaf(element, reading)]
    if tag == M + "r":
        return _run(element, items)
    if tag == M + name and name in ARGUMENTS:
        return [Slot(name, items if name == "mr" else list(flat(items)))]
    if tag == M + name and name in STRUCTURES:
        return _structure(element, name, items, reading)
    if tag not in _TRANSPARENT:
        reading.unknown.add(name)
    return items


_SIGNS = ("chr", "begChr", "sepChr", "endChr")  # properties of structures


def _structure(
    element: etree._Element, name: str, items: list[FormulaItem], reading: _MathReading
) -> list[FormulaItem]:
    """Return a structure, followed by its content outside any argument.

    If a tracked change (m:ctrlPr, 22.1.2.23) removes the structure from the view, return only its
    content.
    """
    control = element.find(f"{element.tag}Pr/{M}ctrlPr")
    excluded = reading.excluded
    if control is not None and excluded and next(control.iter(*excluded), None) is not None:
        return list(flat(items))
    writer, names = STRUCTURES[name]
    slots: dict[str, list[Slot]] = {argument: [] for argument in names}
    outside: list[FormulaItem] = []
    for item in items:
        if isinstance(item, Slot) and item.name in slots:
            slots[item.name].append(item)
        else:
            outside.append(item)
    structure = Structure(element, slots)
    _note_private("".join(map(structure.value, _SIGNS)), reading)
    return [writer(structure), *flat(outside)]
