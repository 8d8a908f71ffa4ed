"""The published figures are what the suites ask for, and the charts and the README show them.
(tests/test_docs.py checks the tables on the page on evaluation.)
"""

from __future__ import annotations

import re

import pytest
from pages import README

from benchmarks import comparison, tokenizers
from benchmarks.figures import HELD_OUT, MEAN
from benchmarks.publish import SUITES, Figures, Line, charts
from docxchunk.lab.evaluation.statistics import points

PUBLISHED = [suite for suite in SUITES if suite.with_suffix(".csv").is_file()]


@pytest.fixture(params=PUBLISHED, ids=lambda path: path.stem)
def figures(request):
    return Figures(request.param)


def test_figures_are_what_the_suite_asks_for(figures):
    asked = figures.suite
    groups = [*figures.sets, *[MEAN] * (len(figures.sets) > 1), *[HELD_OUT] * bool(asked.primary)]
    cells = {tuple(row.values())[:6] for row in figures.rows if "@" in row["measure"]}
    of_halves = {cell for cell in cells if cell[0].endswith(f", {HELD_OUT}")}
    assert {cell[0] for cell in of_halves} <= {f"{name}, {HELD_OUT}" for name in figures.sets}
    assert cells - of_halves == {
        (name, f"{size}", path, retriever, chunker, f"recall@{budget}")
        for name in groups
        for size in asked.sizes
        for path in asked.paths
        for retriever in asked.retrievers
        for chunker in asked.names
        for budget in asked.budgets
    }
    compared = {frozenset((row["chunker"], row["than"])) for row in figures.rows if row["than"]}
    assert compared == {
        frozenset(pair)
        for pair in (
            *asked.pairs,
            *((asked.baseline, name) for name in asked.names if name != asked.baseline),
            *((f"path {asked.paths[0]}", name) for name in asked.names if asked.paths[1:]),
        )
    }


def test_the_mean_is_that_of_the_sets(figures):
    """Within the rounding of the published values."""
    for line in figures.lines():
        measure = f"recall@{figures.suite.budgets[0]}"
        pooled = [each.name for each in figures.suite.sets if each.pooled]
        each = [float(figures.value(name, line, measure)) for name in pooled]
        mean = float(figures.value(figures.mean, line, measure))
        assert mean == pytest.approx(sum(each) / len(each), abs=0.11)


def test_figures_say_what_they_were_measured_with(figures):
    assert re.match(r"docxchunk \d\S* of \d{4}-\d\d-\d\d", figures.measured_with)


def test_losses_are_those_whose_interval_is_below_zero(figures):
    losses, total = figures.losses("P")
    bounds = [
        float(row["high"] or "nan") if row["chunker"] == "P" else -float(row["low"] or "nan")
        for row in figures.rows
        for pair in [{row["chunker"], row["than"]}]
        if "P" in pair and len(pair & figures.of_equal_size) == len(pair)
    ]
    assert total == len(bounds)
    assert len(losses) == sum(bound < 0 for bound in bounds)


CHARTS = {**charts(), **comparison.charts()}


@pytest.mark.parametrize("file", CHARTS, ids=lambda path: path.stem)
def test_chart_is_current(file, matches):
    matches(file, CHARTS[file])


def test_figures_of_the_readme_are_those_of_the_suites():
    cuts, models, search = (
        Figures(next(suite for suite in SUITES if suite.stem == name))
        for name in ("cuts", "models", "search")
    )
    said = " ".join(README.read_text("utf-8").split())
    pieces = ("pieces", "pieces of MarkItDown")
    lines = [Line(125, "title", "bm25", chunker) for chunker in ("units", *pieces)]
    found = [search.value("look-ups", line, "recall@1000") for line in lines]
    assert (
        "finds {} % of the answers in the first 1,000 characters that are read. Pieces of Markdown "
        "with their headings, of 125 tokens on average, find {} % with our Markdown and {} % with "
        "MarkItDown's."
    ).format(*found) in said
    assert all(search.gain("look-ups", line, "units", 1000).settled for line in lines[1:])
    assert not any(
        search.gain(name, line, "units", budget).settled
        for name in ("telco", "statutes")
        for line in lines[1:]
        for budget in search.suite.budgets
    )
    primary = cuts.suite.primary
    line = Line(primary.size, primary.path, primary.retriever, primary.chunker)
    gain = cuts.gain(HELD_OUT, line, primary.than)
    assert not gain.settled
    assert f"the difference is {_bracketed(gain)}" in said
    gain = models.gain("TAT-QA", Line(200, "embed", "minilm", "P"), "path headings")
    assert gain.settled
    assert f"finds {_bracketed(gain)} more" in said


def test_figures_of_the_readme_are_those_of_the_comparison():
    figures = comparison.Figures()
    readme = " ".join(README.read_text("utf-8").split())
    time = {
        name: figures.number("reading", name, "seconds") for name in figures.programs("reading")
    }
    assert (
        f"docxchunk keeps {comparison.percent(figures.kept('docxchunk'))} of the words in "
        f"{time['docxchunk']:.2f} s of CPU time"
    ) in readme
    assert (
        f"three readers in Rust take {time['office-oxide']:.2f} to {time['anydoc']:.2f} s, "
        f"MarkItDown {time['MarkItDown']:.1f} s, Docling {time['docling']:.1f} s"
    ) in readme
    counts = comparison.counts(figures)
    total = sum(bool(check.source) for check in comparison.checks())
    with_options = {name: sum(each) for name, each in counts.items()}
    assert (
        f"Of {total} features that other projects test or discuss, docxchunk reads "
        f"{counts['docxchunk'][0]} by default and {with_options['docxchunk']} with options, "
        f"office-oxide {counts['office-oxide'][0]}, anydoc {counts['anydoc'][0]}, Docling "
        f"{counts['docling'][0]} and {with_options['docling']}, MarkItDown "
        f"{counts['MarkItDown'][0]} and {with_options['MarkItDown']}."
    ) in readme


def _bracketed(gain):
    mean, _, interval = points(gain).partition(" ")
    return f"{'0.0' if mean == '-0.0' else mean.removeprefix('+')} points ({interval})"


def test_each_program_was_measured_with_each_tokenizer():
    figures = tokenizers.Figures()
    rows = figures.rows()
    own = {(name, size) for name in tokenizers.STRATEGIES for size in tokenizers.SIZES}
    assert {*rows} - own == {(name, tokenizers.SIZE) for name in tokenizers.OTHERS}
    assert own < {*rows}
    ratios = [figures.ratio(kind, *each) for kind in tokenizers.KINDS for each in rows]
    assert min(ratios) > 0
