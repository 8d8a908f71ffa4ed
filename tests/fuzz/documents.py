"""Documents from fuzz data, in the notation of compact_xml.py: any element that the reader knows
inside any other; lists; tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from docx_builder import PIXEL, docx
from fuzz import laws
from fuzz.source import NUMBERS, Source

from docxchunk.chunking import ChunkLimits
from docxchunk.model.options import ParseOptions
from docxchunk.ooxml.number_formats import FORMATS
from docxchunk.ooxml.xml import W
from docxchunk.reader.inline import INLINE, RUN
from docxchunk.reader.story import BLOCK

_DEEPEST = 12
_PROPERTIES = frozenset(
    """
    pPr rPr tblPr tblPrEx tblGrid trPr tcPr sdtPr sdtEndPr customXmlPr smartTagPr sectPr
""".split()
)  # have their own content
_LEAVES = frozenset(["t", "delText", "instrText", "delInstrText"])
KNOWN = sorted(
    {tag.removeprefix(W) for tag in (*INLINE, *RUN, *BLOCK) if tag.startswith(W)}
    - _PROPERTIES
    - _LEAVES
)
OTHERS = tuple(
    """
    mc:AlternateContent mc:Choice mc:Fallback m:oMathPara m:oMath w14:conflictIns
    w14:conflictDel junk:x txbxContent footnote endnote comment a:p a:graphic v:shape body
    sdtContent rubyBase rt
""".split()
)
RUN_PROPERTIES = (
    *(
        "",
        "<vanish/>",
        '<vanish val="0"/>',
        '<vertAlign val="superscript"/>',
        '<vertAlign val="subscript"/>',
        "<b/>",
        "<del/>",
        "<ins/>",
        "<moveFrom/>",
    ),
    *(
        '<rStyle val="Sup"/>',
        '<rStyle val="Gone"/>',
        '<rFonts ascii="Symbol"/>',
        '<rFonts hAnsi="Wingdings"/>',
    ),
)
MARKS = (
    *(
        '<fn id="2"/>',
        '<en id="2"/>',
        '<fn id="9"/>',
        '<comment-mark id="2"/>',
        '<footnoteReference id="2" customMarkFollows="1"/>',
    ),
    *(
        '<pic src="a.png" alt="A"/>',
        '<pic src="gone.png"/>',
        '<pic link="http://example.org/a.png"/>',
        '<eq>f(num("a") den("b"))</eq>',
        '<eq>rad(e(r"x"))</eq>',
    ),
    *(
        "<begin/>",
        "<separate/>",
        "<end/>",
        (
            "<r><fldChar "
            'fldCharType="begin"><ffData><checkBox><checked/></checkBox></ffData></fldChar></r>'
        ),
    ),
    *(
        '<r><br type="page"/></r>',
        '<r><sym font="Wingdings" char="F0FE"/></r>',
        '<r><sym char="10FFFF"/></r>',
        '<r><sym char="D800"/></r>',
        '<r><sym char="x"/></r>',
    ),
    *(
        "<r><lastRenderedPageBreak/></r>",
        '<altChunk r:id="a.txt"/>',
        '<altChunk r:id="a.docx"/>',
        '<subDoc r:id="none"/>',
        "<!-- c -->",
    ),
    *(
        '<r><drawing><c:chart r:id="c.xml"/></drawing></r>',
        '<r><drawing><cx:chart r:id="cx.xml"/></drawing></r>',
        '<r><drawing><dgm:relIds r:dm="d.xml"/></drawing></r>',
        '<r><pict><v:textpath string="art"/></pict></r>',
    ),
    *(
        '<r><object><o:OLEObject ProgID="Equation.3"/></object></r>',
        '<r><pict><v:shape alt="x"><v:imagedata r:id="a.png"/></v:shape></pict></r>',
    ),
)
CODES = (
    " TOC \\o ",
    " SEQ Table ",
    ' HYPERLINK "http://example.org" ',
    " MACROBUTTON x y ",
    ' SYMBOL 252 \\f "Wingdings" ',
    " SYMBOL 0x110000 ",
    r" EQ \f(1,\o\ac(○,2)) ",
    r" eq x\s\up8(2) ",
    " PAGE ",
    "",
)
SECTION = (
    '<sectPr><footnotePr><numFmt val="chicago"/><numStart val="2"/></footnotePr><type '
    'val="nextPage"/><headerReference r:id="header"/></sectPr>'
)
_INNER = docx(
    '<numbering><list id="1"><level/></list></numbering><p style="Heading1" '
    'num="1:0">Inner</p><p><pic src="b.png"/></p>',
    {"media/b.png": PIXEL},
)
PARTS: dict[str, bytes | str] = {
    "media/a.png": PIXEL,
    "charts/c.xml": (
        "<c:chartSpace><c:title><a:t>T</a:t></c:title><c:ser><c:tx><c:v>S</c:v></c:tx><c:cat><c:pt "
        'idx="1"><c:v>k</c:v></c:pt></c:cat>'
        '<c:val><c:pt idx="999999"><c:v>4.4000000000000004E+9999</c:v></c:pt><c:pt '
        'idx="x"/></c:val></c:ser></c:chartSpace>'
    ),
    "charts/cx.xml": (
        '<cx:chartSpace><cx:chartData><cx:data id="0"><cx:strDim '
        'type="cat"><cx:lvl><cx:pt idx="999999">k</cx:pt></cx:lvl><cx:lvl><cx:pt idx="1">l</cx:pt>'
        '</cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl><cx:pt '
        'idx="x"/></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:series/></cx:chartSpace>'
    ),
    "diagrams/d.xml": "<dgm:dataModel><dgm:pt><a:t>node</a:t></dgm:pt></dgm:dataModel>",
    "chunks/a.txt": b"one\n\xfftwo\n",
    "chunks/a.docx": _INNER,
}
STYLES = (
    '<style id="Normal" name="Normal" default="1"/><style id="Heading1" name="heading 1" '
    'outline="0"/>'
    '<style id="H2" name="x" based="Heading1" num="1:1"/>'
    '<style id="Loop" name="l" based="Loop2"/><style id="Loop2" name="heading 2" based="Loop"/>'
    '<style id="Caption" name="caption"/><style id="Toc1" name="toc 1"/>'
    '<style id="Gone" type="character"><rPr><vanish/></rPr></style><style id="Sup" '
    'type="character"><rPr><vertAlign val="superscript"/></rPr></style>'
    '<style id="Away"><rPr><vanish/></rPr></style><style id="List" '
    'type="numbering"><pPr><numPr><numId val="1"/></numPr></pPr></style>'
    '<style id="Linked" name="Linked"><pPr><outlineLvl val="1"/></pPr></style>'
)
STYLE_IDS = (
    "Normal",
    "Heading1",
    "H2",
    "Loop",
    "Caption",
    "Toc1",
    "Away",
    "Linked",
    "Heading 3",
    "Title",
    "none",
)


class Written(NamedTuple):
    """A document, the options to parse it, and whether all of its letters must be accounted for."""

    source: str
    options: ParseOptions
    size: ChunkLimits
    counted: bool = False


def check(written: Written) -> None:
    data = docx(written.source, PARTS)
    document = laws.read_or_refuse(data, written.options, written.size)
    if document is not None and written.counted:
        laws.all_accounted_for(document, data)


def show(written: Written) -> str:
    return f"{written.options}\n{written.size}\n{written.source}"


# -- anything inside anything
# -----------------------------------------------------------------------------------------


def body(source: Source) -> Written:
    how, size = laws.options(source), laws.chunk_limits(source)
    notes = "".join(
        f"<{kind}s><{kind} id='2'>{_any(source, 8)}</{kind}></{kind}s>"
        for kind in ("footnote", "endnote", "comment")
        if source.chance(4)
    )
    running = "".join(
        f"<{kind}>{_any(source, 8)}</{kind}>" for kind in ("header", "footer") if source.chance(4)
    )
    lists = (
        '<numbering><list id="1"><level text="%1."/><level format="lowerLetter" '
        'text="(%2)"/></list></numbering>'
    )
    content = _any(source, 0)
    return Written(
        f"<styles>{STYLES}</styles>{lists}{notes}{running}{content}",
        how,
        size,
        counted="altChunk" not in content + notes + running,
    )


def _any(source: Source, depth: int) -> str:
    return "".join(_one(source, depth + 1) for _ in source.some(6) if source.left)


def _one(source: Source, depth: int) -> str:  # noqa: PLR0911 - one way out a kind
    if depth > _DEEPEST:
        return "deep"
    match source.number(7):
        case 0:
            return f"<p>{paragraph_properties(source)}{_any(source, depth)}</p>"
        case 1:
            return f"<r><rPr>{source.pick(RUN_PROPERTIES)}</rPr>{_leaf(source)}{_any(source, depth)}</r>"
        case 2:
            return _leaf(source)
        case 3:
            return source.pick(MARKS)
        case 4:
            return f"<begin/><code>{source.pick(CODES)}</code><separate/>{_any(source, depth)}{source.pick(('<end/>', ''))}"
        case 5:
            return f"<{(name := source.pick(('box', 'vbox')))}>{_any(source, depth)}</{name}>"
        case 6:
            return table(source, depth)
    name = source.pick((*KNOWN, *OTHERS))
    attributes = "".join(
        f" {key}={quoteattr(source.pick(NUMBERS))}"
        for key in "val id char type fldCharType instr".split()
        if source.chance(8)
    )
    requires = f' Requires="{source.pick(("wps", "x", ""))}"' if name == "mc:Choice" else ""
    own = (
        f"<{name}Pr>{source.pick(RUN_PROPERTIES)}</{name}Pr>"
        if name in ("sdt", "tr", "tc", "tbl", "customXml")
        else ""
    )
    return f"<{name}{attributes}{requires}>{own}{_any(source, depth)}</{name}>"


def _leaf(source: Source) -> str:
    name = source.pick(("t", "t", "delText", "instrText", "m:t"))
    return f"<{name}>{_escaped(source.text())}</{name}>"


def paragraph_properties(source: Source) -> str:
    if not source.chance():
        return ""
    style = f"<pStyle val={quoteattr(source.pick(STYLE_IDS))}/>" if source.chance() else ""
    outline = f"<outlineLvl val={quoteattr(source.pick(NUMBERS))}/>" if source.chance(4) else ""
    number = (
        (
            f"<numPr><ilvl val={quoteattr(source.pick(NUMBERS))}/><numId "
            f"val={quoteattr(source.pick(NUMBERS))}/></numPr>"
        )
        if source.chance(4)
        else ""
    )
    mark = f"<rPr>{source.pick(RUN_PROPERTIES)}</rPr>" if source.chance(4) else ""
    return f"<pPr>{style}{outline}{number}{mark}{SECTION if source.chance(8) else ''}</pPr>"


def _escaped(text: str) -> str:
    return (
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
    )


# -- lists
# ------------------------------------------------------------------------------------------------------------


def numbering(source: Source) -> Written:
    """Return numbering definitions of any kind, and paragraphs that use them."""
    how, size = laws.options(source), laws.chunk_limits(source)
    definitions = "".join(_definition(source) for _ in source.some(5))
    styles = "".join(_style(source, number) for number in source.some(6))
    paragraphs = "".join(_numbered(source) for _ in source.some(40))
    return Written(
        f"<styles>{STYLES}{styles}</styles><numbering>{definitions}</numbering>{paragraphs}",
        how,
        size,
        counted=True,
    )


def _definition(source: Source) -> str:
    if source.chance(3):
        levels = "".join(
            "<lvlOverride "
            f"ilvl={_number(source)}>{_said(source, 'startOverride', NUMBERS)}{''.join(_level(source) for _ in source.some(1))}</lvlOverride>"
            for _ in source.some(3)
        )
        return f"<num numId={_number(source)}><abstractNumId val={_number(source)}/>{levels}</num>"
    links = _said(source, "numStyleLink", ("List", "S0", "S1", "none")) + _said(
        source, "styleLink", ("List", "S0", "S1", "none")
    )
    levels = "".join(_level(source) for _ in source.some(10))
    number = f"<num numId={_number(source)}><abstractNumId val={_number(source)}/></num>"
    return f"<abstractNum abstractNumId={_number(source)}>{links}{levels}</abstractNum>{number}"


def _level(source: Source) -> str:
    pattern = quoteattr(
        _escaped(source.text())
        if source.chance(4)
        else "".join(
            source.pick(("%1", ".", "%2", "%3", "%9", "%", "(", "第", "%s")) for _ in source.some(6)
        )
    )
    form = quoteattr(source.pick((*FORMATS, "custom", "junk", "")))
    custom = (
        f" format={quoteattr(source.pick(('001, 002, 003, ...', 'a, ç, ĝ, ...', 'α, β, γ, ...', '', '1')))}"
        if source.chance(4)
        else ""
    )
    more = "".join(
        _said(source, name, NUMBERS) for name in ("start", "lvlRestart", "isLgl")
    ) + _said(source, "suff", ("space", "nothing", "tab", "x"))
    style = _said(source, "pStyle", (*STYLE_IDS, "S0", "S1"))
    font = '<rPr><rFonts ascii="Wingdings"/></rPr>' if source.chance(4) else ""
    return (
        f"<lvl ilvl={_number(source)}>{more}<numFmt val={form}{custom}/><lvlText "
        f"val={pattern}/>{style}{font}</lvl>"
    )


def _style(source: Source, number: int) -> str:
    said = _said(source, "outlineLvl", NUMBERS) + (
        f"<numPr>{_said(source, 'ilvl', NUMBERS)}{_said(source, 'numId', NUMBERS)}</numPr>"
        if source.chance()
        else ""
    )
    kind = source.pick(("paragraph", "numbering", "character"))
    return (
        f'<style id="S{number}" '
        f'type="{kind}">{_said(source, "basedOn", ("S0", "S1", "S2", "Normal"))}<pPr>{said}</pPr></style>'
    )


def _numbered(source: Source) -> str:
    number = (
        f"<numPr>{_said(source, 'ilvl', NUMBERS)}{_said(source, 'numId', NUMBERS)}</numPr>"
        if source.chance()
        else ""
    )
    mark = f"<rPr>{source.pick(RUN_PROPERTIES)}</rPr>" if source.chance(8) else ""
    style = _said(source, "pStyle", (*STYLE_IDS, "S0", "S1", "S2"))
    return f"<p><pPr>{style}{number}{_said(source, 'outlineLvl', NUMBERS)}{mark}</pPr>{source.pick(('x', '', 'word word'))}</p>"


def _number(source: Source) -> str:
    """Return a number, mostly one of the few that definitions and paragraphs share."""
    return quoteattr(source.pick(("1", "0", "2", "3", "1", "0", "2", *NUMBERS)))


def _said(source: Source, name: str, values: tuple[str, ...]) -> str:
    return f"<{name} val={quoteattr(source.pick(values))}/>" if source.chance(3) else ""


# -- tables
# -----------------------------------------------------------------------------------------------------------


def tables(source: Source) -> Written:
    """Return tables with any grid, nested, with text around them."""
    how, size = laws.options(source), laws.chunk_limits(source)
    parts = "".join(
        source.pick(
            ("<p>Between.</p>", '<p style="Heading1">Head</p>', '<p style="Caption">Table 1</p>')
        )
        + table(source, 0)
        for _ in source.some(4)
    )
    notes = '<footnotes><footnote id="2"><p>note</p></footnote></footnotes>'
    return Written(f"{notes}{parts}", how, size, counted=True)


def table(source: Source, depth: int) -> str:
    look = source.pick(
        (
            "",
            '<tblLook val="04A0"/>',
            '<tblLook val="zz"/>',
            '<tblLook firstRow="1"/>',
            '<tblCaption val="Said"/>',
        )
    )
    grid = "".join(f"<gridCol w={quoteattr(source.pick(NUMBERS))}/>" for _ in source.some(4))
    return (
        f"<tbl><tblPr>{look}</tblPr><tblGrid>{grid}</tblGrid>{''.join(_rows(source, depth))}</tbl>"
    )


def _rows(source: Source, depth: int) -> Iterator[str]:
    for _ in source.some(12):
        before = f"<gridBefore val={quoteattr(source.pick(NUMBERS))}/>" if source.chance(8) else ""
        marks = source.pick(
            (
                "",
                "",
                "",
                "<tblHeader/>",
                '<tblHeader val="0"/>',
                "<del/>",
                "<ins/>",
                "<tblHeader/><del/>",
            )
        )
        cells = "".join(_cell(source, depth) for _ in source.some(6))
        yield _wrapped(source, f"<tr><trPr>{before}{marks}</trPr>{cells}</tr>")


def _cell(source: Source, depth: int) -> str:
    span = f"<gridSpan val={quoteattr(source.pick(NUMBERS))}/>" if source.chance(4) else ""
    merge = source.pick(
        (
            "",
            "",
            "",
            '<vMerge val="restart"/>',
            "<vMerge/>",
            '<hMerge val="restart"/>',
            "<hMerge/>",
            "<cellDel/>",
            "<cellIns/>",
        )
    )
    inside = "".join(_in_cell(source, depth) for _ in source.some(3))
    return _wrapped(source, f"<tc><tcPr>{span}{merge}</tcPr>{inside}</tc>")


def _in_cell(source: Source, depth: int) -> str:
    match source.number(7):
        case 0 | 1 | 2 | 3:
            return f"<p>{_escaped(source.text())}</p>"
        case 4:
            return f"<p>a{source.pick(MARKS[:5] + MARKS[8:10])}b</p>"
        case 5 if depth < 4:
            return table(source, depth + 1)
        case 6:
            return '<p num="1:0">n</p><p style="Heading1">in a cell</p>'
    return "<p>x<r><br/></r>y<box><p>boxed</p></box></p>"


def _wrapped(source: Source, inner: str) -> str:
    match source.number(31):
        case 1:
            return f"<sdt><sdtPr/><sdtContent>{inner}</sdtContent></sdt>"
        case 2 | 3 | 4 | 5:
            return (
                f"<{(name := source.pick(('ins', 'del', 'customXml', 'moveTo')))}>{inner}</{name}>"
            )
        case 6:
            choice = f'<mc:Choice Requires="{source.pick(("wps", "x"))}">{inner}</mc:Choice>'
            return f"<mc:AlternateContent>{choice}<mc:Fallback>{inner}</mc:Fallback></mc:AlternateContent>"
        case 7:
            return f"{inner}<p>stray</p>"
    return inner
