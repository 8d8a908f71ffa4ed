"""Settings accept an enumeration member or its value, and refuse anything else."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from http import HTTPStatus
from typing import get_args, get_type_hints

import pytest
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.chunking import ChunkLimits, P
from docxchunk.chunking.stages.seed import AnchorRule
from docxchunk.errors import UsageError
from docxchunk.model.fields import OneOf, check_fields, either, nearest
from docxchunk.model.options import Headings, Limits, ParseOptions
from docxchunk.registry import ENTRIES, PluginKind, load

STRATEGIES = [
    made
    for name in ENTRIES[PluginKind.STRATEGY]
    if isinstance(made := load(PluginKind.STRATEGY, name), type)
]
OWNERS = [
    ParseOptions,
    Limits,
    ChunkLimits,
    AnchorRule,
    ModelChoice,
    *(made for made in STRATEGIES if fields(made)),
]
FIELDS = [
    (owner, field.name, get_type_hints(owner)[field.name])
    for owner in OWNERS
    for field in fields(owner)
]
WRONG = {bool: ("yes", 1), int: ("3", True, 3.0), float: ("0.5", True), str: (7, b"a")}


def words(kind):
    return [
        (owner, name, hint)
        for owner, name, hint in FIELDS
        if isinstance(hint, type) and issubclass(hint, kind)
    ]


def named(cases):
    return [pytest.param(*case, id=f"{case[0].__name__}.{case[1]}") for case in cases]


@pytest.mark.parametrize(("owner", "name", "kind"), named(words(StrEnum)))
def test_string_becomes_the_member(owner, name, kind):
    others = {"query": "text"} if name == "pi" else {}
    for member in kind:
        assert getattr(owner(**{name: member.value}, **others), name) is member
        assert owner(**{name: member.value}, **others) == owner(**{name: member}, **others)


@pytest.mark.parametrize("owner", [ParseOptions, P])
def test_type_checkers_accept_the_values_of_the_enumeration(owner, monkeypatch):
    annotated = []
    monkeypatch.setattr(
        OneOf, "__class_getitem__", lambda kinds: annotated.append(kinds) or kinds[0]
    )
    hints = get_type_hints(owner)
    assert [enumeration for enumeration, _ in annotated] == [
        kind for kind in hints.values() if isinstance(kind, type) and issubclass(kind, StrEnum)
    ]
    for enumeration, literal in annotated:
        assert get_args(literal) == tuple(member.value for member in enumeration)


@pytest.mark.parametrize(("owner", "name", "kind"), named(words(StrEnum)))
@pytest.mark.parametrize("value", ["bogus", "", None, 1, {}])
def test_unknown_string_is_refused_with_the_valid_ones(owner, name, kind, value):
    with pytest.raises(UsageError, match=f"^{name} is .*; it must be ") as caught:
        owner(**{name: value})
    assert all(member.value in str(caught.value) for member in kind)


@pytest.mark.parametrize(
    ("owner", "name", "kind"), named([case for case in FIELDS if case[2] in WRONG])
)
def test_values_of_wrong_type_are_refused(owner, name, kind):
    for value in (*WRONG[kind], None, float("nan"), {}, [1] * 100):
        with pytest.raises(UsageError, match=f"^{name} is "):
            owner(**{name: value})


def test_numbers_of_other_types_are_converted():
    limits = ChunkLimits(max_tokens=HTTPStatus.OK)
    assert (type(limits.max_tokens), limits.max_tokens) == (int, 200)
    owner, name, _ = next(case for case in FIELDS if case[2] is float)
    assert type(getattr(owner(**{name: Fraction(1, 2)}), name)) is float


@pytest.mark.parametrize(
    ("value", "shown"), [("x" * 58, f"'{'x' * 58}'"), ("x" * 59, "a str"), ([1] * 100, "a list")]
)
def test_a_long_value_is_shown_by_its_type(value, shown):
    with pytest.raises(UsageError, match=f"^comments is {shown}; it must be True or False[.]$"):
        ParseOptions(comments=value)


@dataclass
class Loose:
    either: int | None = None
    number: float = 1.0

    def __post_init__(self):
        check_fields(self)


def test_a_field_of_several_types_is_not_checked():
    assert (Loose("x").either, Loose(None, 2).number) == ("x", 2.0)
    with pytest.raises(UsageError, match="number is 'x'"):
        Loose(None, "x")


@pytest.mark.parametrize("limits", [None, {}, "big", 5])
def test_limits_must_be_a_limits_object(limits):
    with pytest.raises(UsageError, match=r"limits is .* class Limits"):
        ParseOptions(limits=limits)


def test_limits_are_not_negative():
    with pytest.raises(UsageError, match="depth is -1"):
        Limits(depth=-1)


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4))
def test_all_alternatives_are_named(alternatives):
    assert either(alternatives).replace(" or ", ", ").split(", ") == alternatives


@pytest.mark.parametrize(
    ("words", "text"), [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_alternatives_as_text(words, text):
    assert either(words) == text


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("recursve", "Recursive"),
        ("SENTENCES", "sentence"),
        ("TEXTSPLITTER", "Recursive"),  # of another program
        ("sentence", "sentence"),  # its own name goes before that of another program
        ("zzz", ""),
        ("", ""),
    ],
)
def test_the_name_that_a_word_is_meant_for(word, name):
    others = {"textsplitter": "Recursive", "sentence": "Recursive"}
    assert nearest(word, ["Recursive", "sentence"], others) == name


TRACKED = '<p>a<ins><r t=" new"/></ins><del><r t=" old"/></del></p>'


@pytest.mark.parametrize("options", ["final", {"track_changes": "final"}, 0, ParseOptions])
def test_parse_requires_parse_options(options):
    with pytest.raises(UsageError, match=r"options is .* class ParseOptions"):
        api.parse(docx("<p>text</p>"), options=options)


def test_chunk_checks_models_and_settings():
    with pytest.raises(UsageError, match=r"models is .* class Models"):
        api.chunk(docx("<p>text</p>"), models=None)
    with pytest.raises(UsageError, match="settings is 'a=b'"):
        api.chunk(docx("<p>text</p>"), settings="a=b")


def test_write_requires_a_document(tmp_path):
    with pytest.raises(UsageError, match=r"document is .* class Document"):
        api.write("report.docx", tmp_path)
    assert not list(tmp_path.iterdir())


def test_guess_headings_is_deprecated_and_checked():
    with pytest.warns(DeprecationWarning, match="headings=Headings.GUESS"):
        assert ParseOptions(guess_headings=True) == ParseOptions(headings=Headings.GUESS)
    with pytest.raises(UsageError, match="guess_headings is 'yes'"):
        ParseOptions(guess_headings="yes")
