"""Names and what they stand for."""

from __future__ import annotations

from importlib import metadata

import pytest

from docxchunk import registry
from docxchunk.errors import MissingExtraError, UsageError
from docxchunk.registry import ENTRIES, Entry, Kind, entries, find, load


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, group in ENTRIES.items() for name in group])
def test_every_name_of_ours_can_be_loaded(kind, name):
    assert entries(kind)[name].summary.endswith(".")
    try:
        assert callable(load(kind, name))
    except MissingExtraError as error:
        pytest.skip(str(error))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UsageError, match="no strategy named 'Q'; there are P, R"):
        find(Kind.STRATEGY, "Q")


def test_a_missing_extra_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(registry, "ENTRIES", {Kind.FORMAT: {"odd": Entry("docxchunk.formats.jsonl:write", "Odd.", "odd")}})
    monkeypatch.setattr(registry, "import_module", lambda name: __import__("no_such_package"))
    with pytest.raises(MissingExtraError, match=r"The format 'odd' needs the package no_such_package: pip install \"docxchunk\[odd\]\""):
        load(Kind.FORMAT, "odd")


def test_other_packages_add_names_but_do_not_take_ours(monkeypatch):
    points = [metadata.EntryPoint("P", "other:P", Kind.STRATEGY), metadata.EntryPoint("Z", "other.z:Z", Kind.STRATEGY)]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points)
    found = entries(Kind.STRATEGY)
    assert found["P"] == ENTRIES[Kind.STRATEGY]["P"]
    assert found["Z"] == Entry("other.z:Z", "From the package other.")
    with pytest.raises(ModuleNotFoundError):
        load(Kind.STRATEGY, "Z")  # a package that is not there is its own fault
