"""Unreadable files and parser options, in all adapters."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cli.helpers import REPORT
from docx_builder import docx

from docxchunk import Collection, api
from docxchunk.adapters import OnError, Parent, ReadingPolicy, read_all, results
from docxchunk.errors import InputError


@pytest.fixture
def reports(tmp_path):
    for name, data in (("a.docx", REPORT), ("bad.docx", b""), ("c.docx", REPORT)):
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_the_error_names_the_file(reports):
    with pytest.raises(InputError, match=r"bad\.docx: The file is empty") as caught:
        list(read_all(reports))
    assert caught.value.path == str(reports / "bad.docx")


def test_skipping_a_file_logs_a_warning_that_names_it(reports, caplog):
    found = [source.path.name for source in read_all(reports, ReadingPolicy(on_error=OnError.SKIP))]
    assert found == ["a.docx", "c.docx"]
    assert [str(reports / "bad.docx") in message for message in caplog.messages] == [True]


QUESTION = "more text in column b"


@pytest.mark.parametrize("parent", [Parent.CHUNK, Parent.SECTION])
@pytest.mark.parametrize("budget", [5, 20, 60, 5000])
def test_parents_are_returned_within_a_budget(reports, parent, budget):
    pytest.importorskip("numpy", reason="numpy is not installed")
    collection = Collection.at(reports / "a.docx", cache=False)
    found = results(collection, QUESTION, 10, parent, budget)
    count = api.tokenizer().count
    assert sum(count(each.text) for each in found) <= budget
    headings = {"One", "Two"}
    lines = [line for each in found for line in each.text.splitlines()]
    texts = [line for line in lines if line not in headings]
    assert len(set(texts)) == len(texts)
    if budget == 5000:
        units = results(collection, QUESTION, 10, Parent.NONE, budget)
        assert len(found) < len(units)
        for unit in units:
            last_line = unit.text.splitlines()[-1]
            assert any(last_line in each.text for each in found)


_CLAUSE_4 = (
    "4. Term and termination\n4.1 Notice\nEither party may end it by notice.\n"
    "4.2 Effect\nEverything ends."
)
CONTRACT = docx(
    "<p style='Heading1'>1. Scope</p><p>1.1 The work is a bridge.</p>"
    "<p style='Heading1'>4. Term and termination</p><p style='Heading2'>4.1 Notice</p>"
    "<p>Either party may end it by notice.</p><p style='Heading2'>4.2 Effect</p>"
    "<p>Everything ends.</p><p style='Heading1'>6. Law</p><p>6.1 The law of Norway.</p>"
)


@pytest.mark.parametrize(
    ("parent", "budget", "text", "citation"),
    [
        (
            Parent.CHUNK,
            500,
            f"1. Scope\n1.1 The work is a bridge.\n{_CLAUSE_4}\n6. Law\n6.1 The law of Norway.",
            "1. Scope > 1.1 through 6. Law > 6.1, about p. 1, ¶ 2-3, 5, 7, 9",
        ),
        (
            Parent.CHUNK,
            37,
            _CLAUSE_4,
            "4. Term and termination through 4.2 Effect, about p. 1, ¶ 3, 5, 7",
        ),
        (
            Parent.SECTION,
            500,
            "4. Term and termination\n4.1 Notice\nEither party may end it by notice.",
            "4.1 Notice, about p. 1, ¶ 5",
        ),
        (Parent.NONE, 500, "Either party may end it by notice.", "4.1 Notice, about p. 1, ¶ 5"),
    ],
)
def test_the_text_around_a_hit_has_its_headings_and_its_own_citation(
    tmp_path, parent, budget, text, citation
):
    pytest.importorskip("numpy", reason="numpy is not installed")
    (tmp_path / "c.docx").write_bytes(CONTRACT)
    contract = Collection.at(tmp_path / "c.docx", cache=False)
    (found,) = results(contract, "either party notice", 1, parent, budget)
    assert found.text == text
    assert found.metadata["citation"] == f"c.docx, {citation}"
    assert found.metadata["tokens"] == api.tokenizer().count(text)


@pytest.mark.parametrize("parent", [Parent.CHUNK, Parent.SECTION])
@pytest.mark.parametrize("title", ["Term", "Sale through agents"])
def test_a_text_of_units_of_several_clauses_is_cited_from_its_first_to_its_last(
    tmp_path, parent, title
):
    pytest.importorskip("numpy", reason="numpy is not installed")
    clauses = "".join(f"<p>11.{n} {'The notice is given. ' * 8}</p>" for n in range(8, 13))
    rent = "".join(f"<p>12.{n} {'The rent is paid. ' * 8}</p>" for n in range(1, 4))
    sections = f"<p style='Heading1'>11. {title}</p>{clauses}<p style='Heading1'>12. Rent</p>{rent}"
    (tmp_path / "lease.docx").write_bytes(docx(sections))
    collection = Collection.at(tmp_path / "lease.docx", cache=False)
    around = collection.around(collection.search("notice", 1)[0])
    assert [" through 11." in each.citation for each in around].count(True) > 1
    (found,) = results(collection, "notice", 1, parent, 5000)
    last = "11.12" if parent is Parent.SECTION else "12. Rent > 12.3"
    assert found.metadata["citation"].startswith(
        f"lease.docx, 11. {title} > 11.8 through {last}, about p. 1, ¶ 2"
    )


EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]["optional-dependencies"]
PACKAGES = {
    "langchain": "langchain_core",
    "llamaindex": "llama_index",
    "haystack": "haystack",
    "lightrag": "lightrag",
}


@pytest.mark.parametrize(("adapter", "package"), PACKAGES.items())
def test_a_missing_framework_is_named(adapter, package):
    assert adapter in EXTRAS
    code = f"import sys; sys.modules['{package}'] = None; import docxchunk.adapters.{adapter}"
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, encoding="utf-8"
    ).stderr
    assert said.splitlines()[-1].endswith(f'pip install "docxchunk[{adapter}]"')
    assert "MissingExtraError" in said.splitlines()[-1]
