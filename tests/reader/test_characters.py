"""Characters, names and joined texts as LaTeX. Whole runs are in fixtures/equations/signs.txt."""

from __future__ import annotations

import string
import unicodedata

import pytest
from case_files import each_row
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.reader.math.characters import (
    DELIMITERS,
    FUNCTIONS,
    NORMAL,
    OPERATORS,
    SYMBOLS,
    MathStyle,
    accent,
    atoms,
    braced,
    function_name,
    is_atom,
    join,
    latex_text,
    limit_name,
)

STYLES = st.builds(
    MathStyle,
    st.sampled_from(
        ["roman", "script", "fraktur", "double-struck", "sans-serif", "monospace", "?"]
    ),
    st.sampled_from(["p", "b", "i", "bi", "?"]),
    st.booleans(),
)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([r"\alpha", "x"], r"\alpha x"),
        ([r"\leq", "2"], r"\leq 2"),
        ([r"\gt", "@"], r"\gt @"),
        ([r"\alpha", r"\beta"], r"\alpha\beta"),
        ([r"\alpha", "+"], r"\alpha+"),
        ([r"\alpha", "", "x"], r"\alpha x"),
        ([r"\mathbf{x}", "y"], r"\mathbf{x}y"),
        (["x", "'"], "x'"),
        (["x'", "'"], "x''"),
        (["x^{2}", "'"], "x^{2}{}'"),
        (["x^{2}", "^{3}"], "x^{2}{}^{3}"),
        ([r"\alpha", "'"], r"\alpha'"),
        (["+", "^{2}"], "+^{2}"),
        (["'"], "'"),
        ([], ""),
    ],
)
def test_join(pieces, expected):
    assert join(pieces) == expected


@pytest.mark.parametrize("text", ["x", "12", r"\alpha", r"\mathbf{v}", r"\}", "+"])
def test_atoms_need_no_braces(text):
    assert is_atom(text)
    assert braced(text) == text


@pytest.mark.parametrize(
    "text", ["", "xy", "x'", "x_{1}", r"\frac{1}{2}", "{x}", r"\alpha x", "2x"]
)
def test_other_texts_need_braces(text):
    assert not is_atom(text)
    assert braced(text) == f"{{{text}}}"


@pytest.mark.parametrize(
    ("text", "function", "limit"),
    [
        (r"\mathrm{sin}", r"\sin", r"\operatorname*{sin}"),
        (r"\sin", r"\sin", None),
        (r"\lim", r"\lim", r"\lim"),
        (r"\lim\ \sup", r"\limsup", r"\limsup"),
        (r"\mathrm{argmax}", r"\operatorname{argmax}", r"\operatorname*{argmax}"),
        (r"\text{rank}", r"\operatorname{rank}", r"\operatorname*{rank}"),
        ("max", r"\max", r"\max"),
        ("{sin}^{-1}", r"\sin^{-1}", None),
        ("f", "f", None),
        ("f(x)", "f(x)", None),
        ("", "", None),
    ],
)
def test_names(text, function, limit):
    assert function_name(text) == function
    assert limit_name(text) == limit


def test_function_names_are_commands_in_upright_type_only():
    for name in FUNCTIONS:
        assert latex_text(name, MathStyle(weight="p")) == f"\\{name}"
        assert latex_text(name) == name


@each_row("reader")
def test_accents(char, text, expected):
    assert accent(char, text) == expected


def test_mathematical_letters_become_latin_letters_in_an_alphabet():
    for code in range(0x1D400, 0x1D800):
        char = chr(code)
        base = unicodedata.normalize("NFKC", char)
        if base != char and base.isascii():
            assert base in latex_text(char)
            assert latex_text(char).isascii()


def test_table_keys_are_single_characters():
    for table in (SYMBOLS, DELIMITERS, OPERATORS):
        assert all(len(char) == 1 for char in table)


@pytest.mark.parametrize("char", string.punctuation)
def test_ascii_signs_in_text_are_escaped(char):
    text = latex_text(f"a{char}b", NORMAL)
    assert text.startswith(r"\text{a")
    assert text.endswith("b}")
    bare = text.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")


def test_stacked_marks_are_limited():
    assert latex_text("x" + "\u0302" * 1000).count("{") == 4


@given(st.text(max_size=20), STYLES)
def test_any_text_is_one_balanced_line(text, style):
    latex = latex_text(text, style)
    assert len(latex.splitlines()) <= 1
    assert not set(latex) & set("<>\x00\ufffe\uffff")
    bare = latex.replace(r"\\", "").replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert all(atom.text for atom in atoms(text, style))


@given(
    st.text(
        st.characters(categories=["Lu", "Ll", "Lo"], exclude_characters="\u0131\u00b5"), max_size=10
    )
)
def test_text_without_mathematics_stays_text(text):
    words = latex_text(text, NORMAL)
    assert words == "" or "{" in words
