"""Published figures and reports match their hashes, and the charts match the figures.
(tests/test_docs.py checks the tables on the page on evaluation.)
"""

from __future__ import annotations

import hashlib
import re

import pytest
from pages import README, rows

from benchmarks.publish import SUITES, Figures, chart, chart_of, overview, publish

PUBLISHED = [suite for suite in SUITES if suite.with_suffix(".csv").is_file()]


def hashes(text):
    return {name: digest for digest, name in (line.split("  ") for line in text.splitlines())}


@pytest.mark.parametrize("suite", PUBLISHED, ids=lambda path: path.stem)
def test_figures_and_report_match_their_hashes(suite):
    published, report = (
        hashes(suite.with_suffix(".sha256").read_text("utf-8")),
        suite.with_suffix(".md").read_bytes(),
    )
    assert published.keys() == {"scores.jsonl", "report.md", "figures.csv"}
    assert published["report.md"] == hashlib.sha256(report).hexdigest()
    assert (
        published["figures.csv"]
        == hashlib.sha256(suite.with_suffix(".csv").read_bytes()).hexdigest()
    )
    assert f"- SHA-256 of scores.jsonl: {published['scores.jsonl']}\n" in report.decode()


@pytest.mark.parametrize("suite", PUBLISHED, ids=lambda path: path.stem)
def test_figures_are_what_the_suite_asks_for(suite):
    figures = Figures(suite)
    asked = figures.suite
    cells = {tuple(row.values())[:5] for row in figures.rows}
    assert cells == {
        (name, f"{size}", retriever, f"{budget}", chunker)
        for name in (
            *(each.name for each in asked.sets),
            *(["mean of the sets"] if len(asked.sets) > 1 else []),
        )
        for size in asked.sizes
        for retriever in (*asked.retrievers, *(["mean"] if len(asked.retrievers) > 1 else []))
        for budget in asked.budgets
        for chunker in asked.names
    }
    compared = {frozenset((row["chunker"], row["than"])) for row in figures.rows if row["than"]}
    assert compared == {
        frozenset(pair)
        for pair in (
            *asked.pairs,
            *((asked.baseline, name) for name in asked.names if name != asked.baseline),
        )
    }


@pytest.mark.parametrize("suite", PUBLISHED, ids=lambda path: path.stem)
def test_report_says_the_same_as_the_figures(suite):
    """The summary tables of the report have the figures of the mean."""
    figures, report = Figures(suite), suite.with_suffix(".md").read_text("utf-8")
    shown = {
        (row["retriever"], row["chunker"], row["recall"])
        for row in figures.rows
        if row["set"] == figures.sets[-1]
    }
    for retriever, table in re.findall(
        r"^## Summary, (\S+): .*\n((?:(?!## ).*\n)*)", report, re.MULTILINE
    ):
        for chunker, *cells in rows(table)[1:]:
            assert {(retriever, chunker, cell.split(" ")[0]) for cell in cells} <= shown


@pytest.mark.parametrize("suite", PUBLISHED, ids=lambda path: path.stem)
def test_chart_is_current(suite, matches):
    matches(chart_of(suite), chart(suite))


def test_publishing(tmp_path):
    contents = {"scores.jsonl": "{}\n", "report.md": "# Animals\n", "figures.csv": "set\n"}
    for name, text in contents.items():
        (tmp_path / name).write_text(text, "utf-8")
    suite = tmp_path / "animals.toml"
    publish(suite, tmp_path)
    assert suite.with_suffix(".md").read_text("utf-8") == "# Animals\n"
    assert suite.with_suffix(".csv").read_text("utf-8") == "set\n"
    assert hashes(suite.with_suffix(".sha256").read_text("utf-8")) == {
        name: hashlib.sha256(text.encode()).hexdigest() for name, text in contents.items()
    }


def test_losses_are_shown():
    """The page has every cell whose interval is below 0, and the largest losses of each suite."""
    page = "\n".join(overview())
    for suite in PUBLISHED:
        gains = Figures(suite).gains
        for gain in (
            *(gain for gain in gains if gain.high < 0),
            min(gains, key=lambda gain: gain.mean),
        ):
            assert (
                f"| {gain.set} | `{gain.other}` | {gain.tokens}, {gain.retriever}, "
                f"{gain.characters:,} | {gain} |"
            ) in page


def test_figures_of_the_readme_are_those_of_the_suite():
    bm25 = Figures(next(suite for suite in SUITES if suite.stem == "bm25"))
    of_r = {gain[:4]: gain for gain in bm25.gains if gain.other == "R"}
    more, same = (of_r["mean of the sets", tokens, "bm25", 4000] for tokens in (200, 400))
    less = of_r["tables", 400, "bm25", 1000]
    said = " ".join(README.read_text("utf-8").split())
    assert more.settled
    assert (
        f"finds {more.mean:.1f} points more of the answers than a recursive splitter with "
        f"chunks of 200 tokens ([{more.low:+.1f}, {more.high:+.1f}])"
    ) in said
    assert not same.settled
    assert (
        f"with 400 tokens the difference of {same.mean:.1f} points ([{same.low:+.1f}, "
        f"{same.high:+.1f}]) may be chance"
    ) in said
    assert "On look-ups in tables, with chunks of 400 tokens" in said
    assert (
        f"only 1,000 characters read, it finds {-less.mean:.1f} points less "
        f"([{less.low:+.1f}, {less.high:+.1f}])"
    ) in said
    both = Figures(next(suite for suite in SUITES if suite.stem == "minilm"))
    assert not any(
        gain.settled
        for tokens in (200, 400)
        for gain in both.of_the_mean(tokens)
        if gain.other == "R"
    )
    assert "With BM25 and a small embedding model averaged, the two cannot be told apart." in said
