"""Settings accept an enumeration member or its value, and refuse anything else."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from fractions import Fraction
from http import HTTPStatus
from typing import get_args, get_type_hints

import pytest
from docx_builder import docx

from docxchunk import api
from docxchunk.backends.loading import ModelChoice
from docxchunk.chunking import ChunkLimits, P
from docxchunk.errors import UsageError
from docxchunk.model.fields import OneOf
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
def test_unknown_string_is_refused_with_the_valid_ones(owner, name, kind):
    for value in ("bogus", "", None, 1, {}):
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


@pytest.mark.parametrize("options", ["final", {"track_changes": "final"}, 0, ParseOptions])
def test_parse_requires_parse_options(options):
    with pytest.raises(UsageError, match=r"options is .* class ParseOptions"):
        api.parse(docx("<p>text</p>"), options=options)


def test_chunk_checks_models_and_settings():
    with pytest.raises(UsageError, match=r"models is .* class Models"):
        api.chunk(docx("<p>text</p>"), models=None)
    with pytest.raises(UsageError, match="settings is 'a=b'"):
        api.chunk(docx("<p>text</p>"), settings="a=b")


def test_guess_headings_is_deprecated_and_checked():
    with pytest.warns(DeprecationWarning, match="headings=Headings.GUESS"):
        assert ParseOptions(guess_headings=True) == ParseOptions(headings=Headings.GUESS)
    with pytest.raises(UsageError, match="guess_headings is 'yes'"):
        ParseOptions(guess_headings="yes")


def test_limits_are_not_negative():
    with pytest.raises(UsageError, match="depth is -1"):
        Limits(depth=-1)
