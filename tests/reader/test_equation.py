"""Office Math to LaTeX: the cases of fixtures/equations, laws of the result, and two independent
parsers of LaTeX.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from case_files import sections
from examples import some
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from omml import omath

from docxchunk.model.options import TrackChanges
from docxchunk.ooxml.xml import M, W
from docxchunk.reader.math.characters import ITALIC, NORMAL, latex_text
from docxchunk.reader.math.equation import MAX_DEPTH, latex_of
from docxchunk.reader.math.structures import STRUCTURES
from docxchunk.reader.math.symbols import ACCENTS, OTHER_ACCENTS, SYMBOLS

CASES = [
    pytest.param(case.source, case.expected, id=f"{name}: {case.title}")
    for name in ("changes", "signs", "structures")
    for case in sections(f"equations/{name}.txt")
]


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_case(source, expected):
    latex = latex_of(omath(source))
    assert latex.text == expected
    assert not latex.broken
    assert_well_formed(latex.text)


# --- Views, paragraphs, faults ---


@pytest.mark.parametrize(
    ("view", "expected"), [("final", "a+c"), ("original", "a-b"), ("all", "a+c-b")]
)
def test_view_of_tracked_changes(view, expected):
    assert latex_of(omath('"a" w:ins("+c") w:del("-b")'), TrackChanges(view)).text == expected


@pytest.mark.parametrize(
    ("view", "expected"), [("final", "x"), ("original", r"\sqrt{x}"), ("all", r"\sqrt{x}")]
)
def test_structure_that_is_a_tracked_change(view, expected):
    root = omath('rad{degHide ctrl}(deg e("x"))')
    etree.SubElement(next(root.iter(M + "ctrlPr")), W + "del")
    assert latex_of(root, TrackChanges(view)).text == expected


def test_line_breaks_of_runs_start_lines():
    assert (
        latex_of(omath('"a=b" r(w:br) "=c"')).text == r"\begin{gathered} a=b \\ =c \end{gathered}"
    )


def test_columns_are_justified():
    root = omath('m{mcs}(mr(e("a") e("b") e("c")))')
    for count, place in (("1", "left"), ("99", "right")):
        column = etree.SubElement(
            etree.SubElement(next(root.iter(M + "mcs")), M + "mc"), M + "mcPr"
        )
        etree.SubElement(column, M + "count").set(M + "val", count)
        etree.SubElement(column, M + "mcJc").set(M + "val", place)
    assert latex_of(root).text == r"\begin{array}{lrr} a & b & c \end{array}"


def test_white_space_that_is_not_preserved():
    root = omath("r(t)")
    next(root.iter(M + "t")).text = "\n   x\n = y  "
    assert latex_of(root).text == "x=y"


def test_wordprocessing_text_and_symbols():
    root = omath('w:r(w:t) "x"')
    next(root.iter(W + "t")).text = "where"
    symbol = etree.SubElement(etree.SubElement(root, M + "r"), W + "sym")
    symbol.set(W + "char", "03B1")
    assert latex_of(root).text == r"\text{where}x\alpha"


@pytest.mark.parametrize("code", ["", "D800", "zz", "123456", "F"])
def test_invalid_symbol_codes_are_ignored(code):
    root = omath("r(w:sym)")
    next(root.iter(W + "sym")).set(W + "char", code)
    assert latex_of(root).text == ""


def test_unknown_elements_are_named_and_their_text_is_kept():
    latex = latex_of(omath('foo("a") w:drawing("b") w:blah("c")'))
    assert (latex.text, latex.unknown) == ("ac", ("blah", "drawing", "foo"))


def test_too_deep_is_plain_text():
    source = "sSup(e(" * MAX_DEPTH + '"x<y"' + "))" * MAX_DEPTH
    latex = latex_of(omath(source))
    assert latex.broken
    assert latex.text == r"\text{x} < \text{y}"


def test_as_deep_as_allowed():
    source = "sSup(e(" * (MAX_DEPTH // 2 - 2) + '"x"' + "))" * (MAX_DEPTH // 2 - 2)
    assert latex_of(omath(source)) == ("x", False, ())


def test_long_equations_take_linear_time():
    root = omath("")
    for _ in range(20_000):
        root.extend(omath('f(num("a") den("b")) "+#"'))
    assert latex_of(root).text.startswith(r"\frac{a}{b}+\#\frac{a}{b}")


# --- Laws ---

SIGNS = (
    "xy2579αΣ<>&#{}\\^_~$%'′″ \u00a0\u2003²₁½é其，°\u0302\u0338\u20d7𝐯ℝ∑→()[]|⟦☃\u2028\u200b\ue000"
)
TEXTS = st.text(
    st.sampled_from(SIGNS)
    | st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=["Cs", "Cc"]),
    max_size=6,
)
VALUES = st.sampled_from(
    [
        "",
        "0",
        "1",
        "on",
        "off",
        "top",
        "bot",
        "p",
        "b",
        "bi",
        "script",
        "fraktur",
        "noBar",
        "lin",
        "skw",
        "undOvr",
        "subSup",
        "left",
        "9",
    ]
) | st.sampled_from([*SIGNS, "⏟", "⏞", "←", "⇒", "∮"])
PROPERTIES = sorted(
    [
        "chr",
        "pos",
        "begChr",
        "sepChr",
        "endChr",
        "type",
        "degHide",
        "subHide",
        "supHide",
        "limLoc",
        "maxDist",
        "opEmu",
        "diff",
        "show",
        "zeroWid",
        "zeroAsc",
        "zeroDesc",
        "vertJc",
        "ctrlPr",
        "hideTop",
        "hideBot",
        "hideLeft",
        "hideRight",
        "strikeH",
        "strikeBLTR",
        "strikeTLBR",
    ],
)


def _element(name, properties, children):
    element = etree.Element(M + name)
    holder = etree.SubElement(element, f"{M}{name}Pr")
    for key, value in properties:
        found = etree.SubElement(holder, M + key)
        if value is not None:
            found.set(M + "val", value)
    element.extend(children)
    return element


def _run(text, properties):
    run = _element("r", properties, [])
    text = "".join(c for c in text if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff"))
    leaf = etree.SubElement(run, M + "t")
    leaf.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    leaf.text = text
    return run


RUNS = st.builds(
    _run,
    TEXTS,
    st.lists(
        st.tuples(st.sampled_from(["sty", "scr", "nor", "lit", "aln", "brk"]), st.none() | VALUES),
        max_size=2,
    ),
)


def _structures(children):
    def build(name):
        arguments = STRUCTURES[name][1]
        slot = st.builds(
            _element,
            st.sampled_from([*arguments, *arguments, *arguments, "e", "sub"]),
            st.just([]),
            st.lists(children, max_size=3),
        )
        row = st.builds(_element, st.just("mr"), st.just([]), st.lists(slot, max_size=3))
        filled = st.lists(row if name == "m" else slot | children, max_size=4)
        properties = st.lists(
            st.tuples(st.sampled_from(PROPERTIES), st.none() | VALUES), max_size=4
        )
        return st.builds(_element, st.just(name), properties, filled)

    return st.sampled_from(sorted(STRUCTURES)).flatmap(build)


FORMULAS = st.lists(
    st.recursive(
        RUNS,
        lambda inner: (
            _structures(inner)
            | st.builds(
                _element,
                st.sampled_from(["e", "foo", "oMath"]),
                st.just([]),
                st.lists(inner, max_size=2),
            )
        ),
        max_leaves=12,
    ),
    max_size=4,
)


def equation(parts):
    return _element("oMath", [], parts)


def assert_well_formed(text):
    """Braces, environments and delimiters are balanced; nothing in the text could end a line or a
    tag.
    """
    assert not re.search(r"<[^ ]|[^ ]>", text)
    assert len(text.splitlines()) <= 1
    bare = re.sub(r"\\\\|\\[^A-Za-z]", " ", text)
    depth = 0
    for brace in re.findall(r"[{}]", bare):
        depth += 1 if brace == "{" else -1
        assert depth >= 0, text
    assert depth == 0, text
    stack: list[str] = []
    for command, name in re.findall(
        r"\\(left|right|middle|begin"
        r"|end)(?![A-Za-z])(?:\{([a-zA-Z]+)\})?",
        bare,
    ):
        if command in ("left", "begin"):
            stack.append(name or "left")
        elif command == "middle":
            assert stack[-1] == "left", text
        else:
            assert stack.pop() == (name or "left"), text
    assert not stack, text


@settings(max_examples=some(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(FORMULAS)
def test_any_equation_is_well_formed(parts):
    root = equation(parts)
    latex = latex_of(root)
    assert not latex.broken
    assert_well_formed(latex.text)
    assert latex_of(root) == latex


@settings(max_examples=some(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(FORMULAS)
def test_nothing_typed_is_lost(parts):
    root = equation(parts)
    for hiding in root.xpath(
        "//*[local-name()='degHide' or local-name()='subHide' or local-name()='supHide']"
    ):
        hiding.getparent().remove(hiding)
    typed = Counter(char for leaf in root.iter(M + "t") for char in leaf.text if char in "2579其")
    assert typed <= Counter(latex_of(root).text)


@settings(max_examples=some(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(FORMULAS)
def test_any_equation_is_read_by_pylatexenc(parts):
    latexwalker = pytest.importorskip("pylatexenc.latexwalker")
    text = latex_of(equation(parts)).text
    nodes, position, length = latexwalker.LatexWalker(
        f"${text} $", tolerant_parsing=False
    ).get_latex_nodes()
    assert (position, length, len(nodes)) == (0, len(text) + 3, 1)


# --- KaTeX ---

JUDGE = """
const katex = require(process.env.KATEX);
const faults = JSON.parse(require("fs").readFileSync(0, "utf8")).map((text) => {
  try { katex.renderToString(text, {strict: false, throwOnError: true, displayMode: true}); return ""; } catch (error) { return error.message; }
});
console.log(JSON.stringify(faults));
"""


def katex_faults(texts):
    """Return [(LaTeX, error of KaTeX)] for those it cannot parse. The variable KATEX names the
    folder of the npm package if it is not in node_modules.
    """
    node, katex = (
        shutil.which("node"),
        os.environ.get("KATEX") or str(Path.cwd() / "node_modules" / "katex"),
    )
    if not node or not Path(katex).exists():
        pytest.skip(
            "KaTeX is asked only where node is installed and KATEX names the folder of "
            "the npm package katex"
        )
    answer = subprocess.run(
        [node, "-e", JUDGE],
        input=json.dumps(texts),
        env={**os.environ, "KATEX": katex},
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        (text, fault) for text, fault in zip(texts, json.loads(answer.stdout), strict=True) if fault
    ]


def test_katex_reads_every_case():
    assert katex_faults([case.values[1] for case in CASES]) == []


def test_katex_knows_every_sign_and_every_accent():
    signs = [latex_text(f"x{sign}y") for sign in SYMBOLS]
    accents = [latex_text(f"x{accent}") for accent in (*ACCENTS, *OTHER_ACCENTS)]
    others = [
        latex_text(chr(code), style) for code in range(0xA1, 0x2C00) for style in (ITALIC, NORMAL)
    ]
    assert katex_faults([*signs, *accents, *others]) == []


@settings(max_examples=some(30), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(FORMULAS, min_size=20, max_size=40))
def test_katex_reads_any_equation(many):
    assert katex_faults([latex_of(equation(parts)).text for parts in many]) == []
