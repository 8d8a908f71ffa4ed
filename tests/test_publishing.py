"""What the documentation says of the evaluation is what the suites found: pages, hashes, and tables between marks."""

from __future__ import annotations

import hashlib

import publishing
import pytest
from pages import PAGES
from publishing import SUITES, filled, page_of, publish

REPORT = "# Cats\n\nA verdict.\n\n## Summary\n\n| a |\n|---|\n| 1 |\n\n## Sets\n\nnone\n"


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.stem)
def test_a_page_is_the_report_whose_hash_stands_beside_the_suite(suite):
    beside, page = suite.with_suffix(".sha256"), page_of(suite)
    assert beside.is_file() == page.is_file()
    if not page.is_file():
        pytest.skip("not published")
    said = {name: digest for digest, name in (line.split("  ") for line in beside.read_text("utf-8").splitlines())}
    assert said.keys() == {"scores.jsonl", "report.md"}
    assert said["report.md"] == hashlib.sha256(page.read_bytes()).hexdigest()
    assert f"- SHA-256 of scores.jsonl: {said['scores.jsonl']}\n" in page.read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_tables_between_marks_are_those_of_the_suites(page):
    text = page.read_text("utf-8")
    assert text == filled(text)


def test_publishing(tmp_path, monkeypatch):
    monkeypatch.setattr(publishing, "DOCS", tmp_path)
    (tmp_path / "report.md").write_text(REPORT)
    (tmp_path / "scores.jsonl").write_text("{}\n")
    publish(tmp_path / "cats.toml", tmp_path)
    assert (tmp_path / "evaluation" / "cats.md").read_text() == REPORT
    assert (tmp_path / "cats.sha256").read_text().splitlines() == [
        f"{hashlib.sha256(text.encode()).hexdigest()}  {name}" for text, name in (("{}\n", "scores.jsonl"), (REPORT, "report.md"))
    ]
    page = "before\n<!-- suite cats: Summary -->\nold\n<!-- end -->\n<!-- suite cats: Cats -->\n<!-- end -->\nafter\n"
    new = "before\n<!-- suite cats: Summary -->\n\n| a |\n|---|\n| 1 |\n\n<!-- end -->\n<!-- suite cats: Cats -->\n\nA verdict.\n\n<!-- end -->\nafter\n"
    assert filled(page) == filled(new) == new
