"""Office Math to LaTeX: the cases of fixtures/equations, laws of the result, and two independent
parsers of LaTeX.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from case_files import each_row, sections
from examples import some
from fuzz import formulas
from fuzz.laws import latex_holds
from fuzz.source import Source
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree
from omml import omath

from docxchunk.model.options import TrackChanges
from docxchunk.ooxml.xml import MC, M, W
from docxchunk.reader.math import MAX_DEPTH, latex_of
from docxchunk.reader.math.characters import (
    ACCENTS,
    ITALIC,
    NORMAL,
    OTHER_ACCENTS,
    SYMBOLS,
    latex_text,
)

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
    latex_holds(latex.text)


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


@each_row("reader")
def test_invalid_symbol_codes_are_squares(code):
    root = omath("r(w:sym)")
    next(root.iter(W + "sym")).set(W + "char", code)
    assert (latex_of(root).text, latex_of(root).unreadable) == (r"\square", ("U+F8FF",))


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
    assert latex_of(omath(source)) == ("x", False, (), ())


@pytest.mark.slow
def test_long_equations_take_linear_time():
    root = omath("")
    for _ in range(20_000):
        root.extend(omath('f(num("a") den("b")) "+#"'))
    assert latex_of(root).text.startswith(r"\frac{a}{b}+\#\frac{a}{b}")


# --- Laws ---

FORMULAS = st.builds(
    lambda seed, size: formulas.build(Source(random.Random(seed).randbytes(size))),  # noqa: S311 - for a test
    st.integers(0, 2**32),
    st.integers(0, 400),
)
ANY_FORMULA = settings(deadline=None, suppress_health_check=list(HealthCheck))


def latex_texts(formula):
    return [latex_of(root, formula.view).text for root in formula.roots]


@settings(ANY_FORMULA, max_examples=some(300))
@given(FORMULAS)
def test_any_equation_is_well_formed(formula):
    formulas.check(formula)
    assert latex_texts(formula) == latex_texts(formula)


# properties that hide an argument, alternatives, and elements of Word that contain no text
NO_TEXT = {
    *(M + name for name in ("degHide", "subHide", "supHide", "show")),
    *(MC + name for name in ("AlternateContent", "Choice", "Fallback")),
    *(W + name for name in ("drawing", "footnoteReference", "br", "sym", "t", "tab")),
}


@settings(ANY_FORMULA, max_examples=some(200))
@given(FORMULAS)
def test_nothing_typed_is_lost(formula):
    for element in [each for each in formula.root.iter() if each.tag in NO_TEXT]:
        element.getparent().remove(element)
    texts = (leaf.text or "" for leaf in formula.root.iter(M + "t"))
    typed = Counter(char for text in texts for char in text if char in "2579其")
    assert typed <= Counter(latex_of(formula.root, TrackChanges.ALL).text)


@settings(ANY_FORMULA, max_examples=some(200))
@given(FORMULAS)
def test_any_equation_is_read_by_pylatexenc(formula):
    latexwalker = pytest.importorskip("pylatexenc.latexwalker")
    for text in latex_texts(formula):
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
    assert katex_faults([text for formula in many for text in latex_texts(formula)]) == []


@pytest.mark.parametrize(
    ("space", "expected"), [("", r"x\text{if}y"), ('xml:space="preserve"', r"x\text{ if }y")]
)
def test_blanks_at_the_ends_count_if_they_are_preserved(space, expected):
    root = omath('"x" "y"')
    run = f'<m:r xmlns:m="{M[1:-1]}"><m:rPr><m:nor/></m:rPr><m:t {space}> if </m:t></m:r>'
    root.insert(1, etree.fromstring(run))
    assert latex_of(root).text == expected
