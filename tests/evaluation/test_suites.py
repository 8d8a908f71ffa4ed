"""Suites: several sets and sizes from one file, and the mean over sets."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from evaluation.makers import ASKED, animals
from evaluation.test_report import plan
from make_fixtures import DOCUMENTS

from benchmarks.datasets import LOADERS
from benchmarks.evaluate import Set, Suite, measure, published, read_suite
from benchmarks.suite_report import figures, suite_report
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.evaluation.rendering import markdown
from docxchunk.evaluation.statistics import estimate, pooled

pytestmark = pytest.mark.skipif(
    find_spec("bm25s") is None, reason="the extra eval is not installed"
)

SUITES = sorted((DOCUMENTS.parents[1] / "benchmarks" / "suites").glob("*.toml"))
GOLDEN = DOCUMENTS.parent / "reports"

SETS = (
    Set("animals", "questions", "questions", pooled=True),
    Set("fewer", "questions", "questions", pooled=True),
    Set("apart", "tatqa", "tatqa", pooled=False),
)
SUITE = Suite(
    "Animals",
    ("R", "blind"),
    (32,),
    SETS,
    "R",
    ("bm25", "letters"),
    (20, 60),
    (("blind", "sentences"),),
    {"sentences": "a:b"},
)


@pytest.fixture(scope="module")
def found():
    plans = {32: plan()}
    first, second = animals(), animals(without("dogs.txt"))
    return [
        measure(each, benchmark, plans, lambda _: None)
        for each, benchmark in zip(SETS, (first, second, first), strict=True)
    ]


def without(other):
    return [asked for asked in ASKED if asked.document != other]


def test_the_report_matches_its_golden_file(found, matches):
    matches(GOLDEN / "suite.md", markdown(suite_report(SUITE, found, [("suite", "animals.toml")])))


def test_the_figures_match_their_golden_file(found, matches):
    matches(GOLDEN / "suite.csv", figures(SUITE, found))


def test_the_mean_gives_each_pooled_set_the_same_weight(found):
    row = next(
        line
        for line in figures(SUITE, found).splitlines()
        if line.startswith("mean of the sets,32,bm25,60,sentences,")
    )
    both = [
        (
            each.at(32).scores["sentences", "bm25", "recall@60"],
            each.at(32).scores["R", "bm25", "recall@60"],
            each.clusters,
        )
        for each in found[:2]
    ]
    interval = pooled([estimate(mine - base, clusters) for mine, base, clusters in both]).interval()
    share = sum(mine.mean() for mine, _, _ in both) / 2
    assert row.split(",")[5:] == [
        f"{share * 100:.1f}",
        "R",
        *(f"{value * 100:.1f}" for value in interval),
    ]


def test_scores_have_their_set_and_size(found):
    lines = [json.loads(line) for each in found for line in each.at(32).lines.splitlines()]
    assert {(line["set"], line["size"]) for line in lines} == {(each.name, 32) for each in SETS}
    assert {line["placed"] for line in lines} == {"text"}


def test_published_tables_are_current_where_the_hash_is_the_same(tmp_path):
    suite = tmp_path / "a.toml"
    assert published(suite, "0a1b").startswith("there is no a.sha256 beside")
    (tmp_path / "a.sha256").write_text("0a1b  scores.jsonl\n2c3d  a.md\n")
    assert published(suite, "0a1b") == "the published tables are current: the scores are the same"
    assert published(suite, "2c3d").startswith("the published tables are not current")


@pytest.mark.parametrize("path", SUITES, ids=lambda path: path.stem)
def test_the_suites_of_the_repository_can_be_read(path):
    suite = read_suite(path)
    assert {each.loader for each in suite.sets} <= LOADERS.keys()
    assert suite.budgets == (1000, 2000, 4000)
    text = path.read_text("utf-8")
    assert all(f"--dataset {each.data}=" in text for each in suite.sets)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title = ", "is not TOML"),
        ('title = "x"', "'strategies' is missing"),
        (
            'title="x"\nstrategies=["P"]\nsizes=[8]\n[[sets]]\nname="a"\nloader="tables"',
            r"sizes\[0\] is 8, out of range",
        ),
        (
            'title="x"\nstrategies=["P"]\nsizes=[80]\nbaseline="R"\n[[sets]]\nname="a"\nloader="tables"',
            "'R' is compared, but it is none",
        ),
        (
            'title="x"\nstrategies=["P"]\nsizes=[80]\nsize=1\n[[sets]]\nname="a"\nloader="tables"',
            "'size' is an unknown key",
        ),
    ],
)
def test_invalid_suites_are_errors(text, sentence, tmp_path):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(UsageError, match=sentence):
        read_suite(tmp_path / "s.toml")


def test_a_missing_suite_is_an_error(tmp_path):
    with pytest.raises(MissingFileError):
        read_suite(tmp_path / "none.toml")
