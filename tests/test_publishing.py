"""Published evaluation reports match their hashes. (tests/test_docs.py checks the generated sections of the evaluation page.)"""

from __future__ import annotations

import hashlib
import re

import pytest
from make_fixtures import DOCUMENTS
from pages import README
from publishing import publish
from suite_pages import SUITES, overview, page_of

from docxchunk.evaluation.suites import read_suite

REPORT = (DOCUMENTS.parent / "reports" / "suite.md").read_text("utf-8")


@pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.stem)
def test_page_matches_the_hash_in_the_suite_folder(suite):
    beside, page = suite.with_suffix(".sha256"), page_of(suite)
    assert beside.is_file() == page.is_file()
    if not page.is_file():
        pytest.skip("not published")
    said = {name: digest for digest, name in (line.split("  ") for line in beside.read_text("utf-8").splitlines())}
    assert said.keys() == {"scores.jsonl", "report.md"}
    assert said["report.md"] == hashlib.sha256(page.read_bytes()).hexdigest()
    assert f"- SHA-256 of scores.jsonl: {said['scores.jsonl']}\n" in page.read_text("utf-8")


@pytest.mark.parametrize("suite", [suite for suite in SUITES if page_of(suite).is_file()], ids=lambda path: path.stem)
def test_page_shows_what_the_suite_asks_for(suite):
    asked, page = read_suite(suite), page_of(suite).read_text("utf-8")
    tables = {heading: _first_cells(table) for heading, table in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", page, re.MULTILINE)}
    assert page.startswith(f"# {asked.title}\n")
    assert tables["Sets"] == tuple(each.name for each in asked.sets)
    assert {cells for heading, cells in tables.items() if heading.startswith("Summary")} == {asked.names}
    for size in asked.sizes:
        for retriever in asked.retrievers:
            assert all(f"{size} tokens, {retriever}: recall in {budget:,} characters" in tables for budget in asked.budgets)
    paired = {cell for heading, cells in tables.items() if heading.startswith("Pairs") for cell in cells}
    assert paired == {f"{left} - {right}" for left, right in asked.pairs}


def _first_cells(table):
    return tuple(line.split(" | ")[0].removeprefix("| ") for line in table.splitlines() if line.startswith("| "))[1:]


def test_publishing(tmp_path):
    (tmp_path / "report.md").write_text(REPORT, "utf-8")
    (tmp_path / "scores.jsonl").write_text("{}\n")
    suite = tmp_path / SUITES[0].name
    publish(suite, tmp_path, tmp_path)
    assert page_of(suite, tmp_path).read_text("utf-8") == REPORT
    assert suite.with_suffix(".sha256").read_text().splitlines() == [
        f"{hashlib.sha256(text.encode()).hexdigest()}  {name}" for text, name in (("{}\n", "scores.jsonl"), (REPORT, "report.md"))
    ]
    first, *parts = overview(tmp_path)
    assert first.startswith("### Animals\n\nBy recall in 60 characters")
    assert "suite: animals.toml" not in first
    assert [part.partition("\n")[0] for part in parts] == [
        "#### Summary, bm25: mean of the sets",
        "#### Summary, letters: mean of the sets",
        "#### Summary, mean: mean of the sets",
        "#### Where R finds less",
        f"[All tables](evaluation/{suite.stem}.md) of `suites/{suite.name}`, set by set.",
        *(f"`suites/{each.name}` is not published yet." for each in SUITES[1:]),
    ]


def test_figures_of_the_readme_are_those_of_the_suite():
    page = page_of(next(suite for suite in SUITES if suite.stem == "bm25")).read_text("utf-8")
    (more,) = re.findall(r"200 tokens .*?: P finds more than R \(\+([\d.]+) (\[.*?\])\)", page)
    (same,) = re.findall(r"400 tokens .*?: P and R cannot be told apart .*? \(\+([\d.]+) (\[.*?\])\)", page)
    (less,) = re.findall(r"^\| tables \| R \| 400 \| bm25 \| 1,000 \| -([\d.]+) (\[.*?\]) \|", page, re.MULTILINE)
    said = " ".join(README.read_text("utf-8").split())
    assert f"finds {more[0]} points more of the answers than a recursive splitter with chunks of 200 tokens ({more[1]})" in said
    assert f"with 400 tokens the difference of {same[0]} points ({same[1]}) may be chance" in said
    assert "On look-ups in tables, with chunks of 400 tokens" in said
    assert f"only 1,000 characters read, it finds {less[0]} points less ({less[1]})" in said
    both = page_of(next(suite for suite in SUITES if suite.stem == "minilm")).read_text("utf-8")
    assert len(re.findall(r"(?:200|400) tokens \(mean, mean of the sets\): P and R cannot be told apart", both)) == 2
    assert "With BM25 and a small embedding model averaged, the two cannot be told apart." in said
