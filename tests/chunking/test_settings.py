"""Settings of strategies: written as text, of other packages, hashed and compared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

import pytest
from case_files import each_row, each_text
from chunking.test_laws import ASKING
from lab.scripted import MODELS

from docxchunk import registry
from docxchunk.chunking import ChunkLimits, P, PStaged, R
from docxchunk.chunking.strategy import (
    UNSET,
    Cost,
    costs_of,
    default_settings,
    different_settings,
    named_strategy,
    of_older_file,
    parse_settings,
    settings_hash,
    settings_of,
)
from docxchunk.errors import MissingModelError, UsageError
from docxchunk.lab.strategies.plain import Counted, Fixed
from docxchunk.model.chunks import TableForm
from docxchunk.model.options import LARGEST_SETTING
from docxchunk.model.ports import NO_MODELS


@pytest.mark.parametrize(
    ("strategy", "text", "value"),
    [
        ("fixed", "by=words", Counted.WORDS),
        ("fixed", "size=7", 7),
        ("fixed", "size=-7", -7),
        ("fixed", f"size={LARGEST_SETTING}", LARGEST_SETTING),
        ("fixed", f"size=-{LARGEST_SETTING}", -LARGEST_SETTING),
        ("P", "table_max=0.5", 0.5),
        ("P", "table_max=1", 1.0),
        *[("P", f"merge_top_level={text}", True) for text in ("true", "TRUE", "yes", "on", "1")],
        *[("P", f"merge_top_level={text}", False) for text in ("false", "No", "off", "0")],
        ("PIC", "query=a=b", "a=b"),
        ("PIC", "query=", ""),
    ],
)
def test_the_default_determines_the_type_of_a_setting(strategy, text, value):
    name = text.partition("=")[0]
    found = parse_settings(strategy, [text])
    assert found == {name: value}
    assert type(found[name]) is type(value)


@each_row("chunking", texts=each_text)
def test_an_invalid_setting_is_refused_with_what_is_valid(strategy, texts, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        parse_settings(strategy, texts)


def test_settings_beside_the_name_come_before_those_in_it():
    assert named_strategy("fixed:by=words,size=7") == Fixed(Counted.WORDS, 7)
    assert named_strategy("fixed:by=words,size=7", {"size": 8}) == Fixed(Counted.WORDS, 8)
    assert named_strategy("fixed", {"by": "words"}) == Fixed(Counted.WORDS)
    assert named_strategy("fixed:") == Fixed()
    with pytest.raises(UsageError, match=r"The strategy fixed has no setting 'sise'\. Did you"):
        named_strategy("fixed", {"sise": 8})
    with pytest.raises(UsageError, match="size is 'x'"):
        named_strategy("fixed", {"size": "x"})


@dataclass(frozen=True)
class Other:
    """A strategy of another package, without the optional properties."""

    name: ClassVar[str] = "other"
    models: ClassVar[tuple[str, ...]] = ("embedder", "scorer")

    size: int = 5
    marks: str = field(default_factory=lambda: ".!?")

    def stages(self, limits, assembler):
        raise NotImplementedError


def other_of(size=5):
    return Other(size)


class Plain:
    """A strategy of another package that is no dataclass."""

    name = "plain"
    models = ()

    def __init__(self, size=5):
        self.size = size


def registered(monkeypatch, target):
    entry = registry.PluginEntry(f"{__name__}:{target}", "Other.")
    monkeypatch.setattr(registry, "ENTRIES", {registry.PluginKind.STRATEGY: {"other": entry}})


def test_a_strategy_of_another_package(monkeypatch):
    registered(monkeypatch, "Other")
    assert default_settings("other") == [("size", 5), ("marks", ".!?")]
    assert parse_settings("other", ["marks=;", "size=6"]) == {"marks": ";", "size": 6}
    assert named_strategy("other:marks=;") == Other(5, ";")
    assert costs_of(Other()) == (Cost("embedder", 1), Cost("scorer", 1))
    with pytest.raises(UsageError, match="size is 'x'"):
        named_strategy("other", {"size": "x"})


def test_a_function_that_makes_a_strategy(monkeypatch):
    registered(monkeypatch, "other_of")
    assert default_settings("other") == []
    assert named_strategy("other", {"size": 6}) == Other(6)
    with pytest.raises(
        UsageError, match=r"The strategy other does not accept these settings: .*zzz"
    ):
        named_strategy("other", {"zzz": 1})
    with pytest.raises(UsageError, match="has no setting 'size'; it has none"):
        named_strategy("other:size=6")


def test_a_strategy_that_is_no_dataclass(monkeypatch):
    registered(monkeypatch, "Plain")
    assert named_strategy("other", {"size": 6}).size == 6
    assert costs_of(named_strategy("other")) == ()


@pytest.mark.parametrize("strategy", [*ASKING, P()])
def test_a_value_of_another_type_is_refused_when_a_strategy_is_made(strategy):
    for setting in fields(strategy):
        with pytest.raises(UsageError, match=f"^{setting.name} is "):
            replace(strategy, **{setting.name: object()})


def test_the_settings_that_affect_the_chunks():
    """The fingerprints of models are among them. Newer options are left out if they have their
    defaults.
    """
    limits = ChunkLimits(300, 20, contextualize=True)
    older = {"max_tokens": 300, "overlap": 20, "contextualize": True, "drop_toc": False}
    assert settings_of(R(), limits, NO_MODELS) == {"strategy": "R", **older}
    newer = replace(limits, tables=TableForm.TEXT, reserve=8)
    assert settings_of(R(), newer, NO_MODELS) == {
        "strategy": "R",
        **older,
        "tables": "text",
        "reserve": 8,
    }
    assert settings_of(Other(), limits, MODELS) == {
        "strategy": "other",
        **older,
        "size": 5,
        "marks": ".!?",
        "embedder": MODELS.embedder.fingerprint,
        "scorer": MODELS.scorer.fingerprint,
    }
    with pytest.raises(MissingModelError, match="needs an embedding model"):
        settings_of(Other(), limits, NO_MODELS)


def test_the_hash_does_not_depend_on_the_order_of_settings():
    assert settings_hash(R(), {"a": 1, "b": "x"}) == settings_hash(R(), {"b": "x", "a": 1})
    assert settings_hash(R(), {"a": 1}) != settings_hash(R(), {"a": 2})
    assert re.fullmatch("[0-9a-f]{16}", settings_hash(R(), {}))


@pytest.mark.parametrize(
    ("old", "new", "different"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": (2, 3)}),
        ({"a": 1}, {}, {"a": (1, UNSET)}),
        ({}, {"a": 1}, {"a": (UNSET, 1)}),
        ({}, {"reserve": 0, "tables": "json"}, {}),
        ({"reserve": 8}, {}, {"reserve": (8, 0)}),
        ({}, {"reserve": 8}, {"reserve": (0, 8)}),
    ],
)
def test_settings_are_compared_with_the_defaults_of_newer_options(old, new, different):
    assert different_settings(old, new) == different


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        ("P:sizes=seed,small_tail=0.2", {}, PStaged(small_tail=0.2)),
        ("P", {"sizes": "seed", "anchors": "furthest"}, PStaged(anchors="furthest")),
        ("P:sizes=balanced,target_ideal=0.5", {}, P(target_ideal=0.5)),
    ],
)
def test_sizes_of_0_2_select_p_staged(text, settings, expected):
    assert named_strategy(text, settings) == expected


@pytest.mark.parametrize("text", ["P:sizes=other", "P:sizes=seed,sizes=seed", "R:sizes=seed"])
def test_other_sizes_are_no_setting(text):
    with pytest.raises(UsageError, match="has no setting 'sizes'"):
        named_strategy(text)


@pytest.mark.parametrize(("sizes", "name"), [("seed", "P-staged"), ("balanced", "P")])
def test_in_files_of_0_2_a_share_of_0_is_the_default(sizes, name):
    settings = {"sizes": sizes, "overlap": 0, "table_max": 0.0, "target_ideal": 0.5}
    kept = {"sizes": sizes, "overlap": 0, "target_ideal": 0.5}
    assert of_older_file("P", settings) == (name, kept)
    assert of_older_file("R", {"overlap": 0}) == ("R", {"overlap": 0})
