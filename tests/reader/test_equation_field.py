"""EQ fields: the cases of fixtures/equations/fields.txt, and laws for any code."""

from __future__ import annotations

import re

import pytest
from case_files import sections
from fuzz.laws import latex_holds
from hypothesis import given
from hypothesis import strategies as st

from docxchunk.reader.math.equation_field import shown_by_eq
from docxchunk.reader.text import OPEN

CASES = [
    pytest.param(case.source, case.expected, id=case.title)
    for case in sections("equations/fields.txt")
]


def shown(code: str) -> str:
    """Return what a code shows, as the cases write it."""
    text, is_latex = shown_by_eq(code)
    if not is_latex:
        return text.replace(OPEN, "<")
    latex_holds(text)
    return f"${text}$"


@pytest.mark.parametrize(("code", "expected"), CASES)
def test_case(code, expected):
    assert shown(code) == expected


@pytest.mark.parametrize("depth", [11, 12, 13])
def test_what_is_nested_deeper_than_twelve_structures_is_text(depth):
    latex = shown("EQ " + r"\f(1," * depth + "2" + ")" * depth)
    assert latex.count(r"\frac") == min(depth, 12)


ARGUMENTS = st.recursive(
    st.integers(0, 9).map(lambda digit: f"w{digit}w"),
    lambda inner: st.builds(
        lambda switch, options, arguments: f"{switch}{options}({','.join(arguments)})",
        st.sampled_from([r"\a", r"\b", r"\f", r"\i", r"\l", r"\o", r"\r", r"\s", r"\x"]),
        st.sampled_from(["", r"\to", r"\co2 ", r"\up8", r"\do4", r"\su", r"\ac"]),
        st.lists(inner, min_size=1, max_size=4),
    ),
    max_leaves=12,
)


@given(ARGUMENTS)
def test_every_word_of_the_arguments_is_shown_once(code):
    words = re.compile(r"w\dw")
    assert sorted(words.findall(shown(f"EQ {code}"))) == sorted(words.findall(code))


@given(st.text(st.sampled_from("\\(),;abdfilorsxu p1○"), max_size=60))
def test_any_code_is_read(code):
    shown(f"EQ {code}")


def test_deep_code_is_kept_as_text():
    assert shown("EQ " + r"\f(" * 40 + "w").count("w") == 1
