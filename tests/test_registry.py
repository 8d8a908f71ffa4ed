"""Names of strategies, tokenizers, embedders and formats."""

from __future__ import annotations

import re
from importlib import metadata

import pytest
from case_files import each_row

from docxchunk import registry
from docxchunk.errors import MissingExtraError, UsageError
from docxchunk.registry import ENTRIES, PluginEntry, PluginKind, entries, extra_for, find, load


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, group in ENTRIES.items() for name in group]
)
def test_every_built_in_name_can_be_loaded(kind, name):
    assert entries(kind)[name].summary.endswith(".")
    try:
        assert callable(load(kind, name))
    except MissingExtraError as error:
        pytest.skip(str(error))


@each_row("tests", kind=PluginKind)
def test_unknown_name_suggests_the_one_that_is_meant(kind, name, meant):
    with pytest.raises(UsageError, match=f"named '{name}'. Did you mean {re.escape(meant)}[?] "):
        find(kind, name)


def test_missing_extra_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(
        registry,
        "ENTRIES",
        {PluginKind.FORMAT: {"odd": PluginEntry("docxchunk.formats:write_lines", "Odd.", "odd")}},
    )
    monkeypatch.setattr(registry, "import_module", lambda name: __import__("no_such_package"))
    with pytest.raises(
        MissingExtraError,
        match=r"The format 'odd' needs the package no_such_package: pip install \"docxchunk\[odd\]\"",
    ):
        load(PluginKind.FORMAT, "odd")

    def fail(_):
        raise ModuleNotFoundError  # without the name of a module

    monkeypatch.setattr(registry, "import_module", fail)
    with pytest.raises(MissingExtraError, match=r"^The format 'odd' .*\[odd\]"):
        load(PluginKind.FORMAT, "odd")


@pytest.mark.parametrize(
    ("module", "package", "needed"),
    [
        *(("odd", "", "odd"), ("odd.inner", "", "odd"), ("odd.inner", "odd-core", "odd-core")),
        (None, "odd-core", "odd-core"),  # an error without the name of a module
    ],
)
def test_an_import_that_fails_names_the_package_and_its_extra(module, package, needed):
    sentence = f'The thing needs the package {needed}: pip install "docxchunk[x]"'
    with (
        pytest.raises(MissingExtraError, match=re.escape(sentence)),
        extra_for("The thing", package, "x"),
    ):
        raise ModuleNotFoundError(name=module)
    with pytest.raises(ModuleNotFoundError), extra_for("The thing", package, "x"):
        raise ModuleNotFoundError(name="docxchunk.gone")  # a fault of docxchunk


def test_other_packages_add_names_but_cannot_replace_built_in_ones(monkeypatch):
    points = [
        metadata.EntryPoint("P", "other:P", PluginKind.STRATEGY),
        metadata.EntryPoint("Z", "other.z:Z", PluginKind.STRATEGY),
    ]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points)
    found = entries(PluginKind.STRATEGY)
    assert found["P"] == ENTRIES[PluginKind.STRATEGY]["P"]
    assert found["Z"] == PluginEntry("other.z:Z", "From the package other.")
    with pytest.raises(ModuleNotFoundError):
        load(PluginKind.STRATEGY, "Z")  # the missing module is the plug-in itself
