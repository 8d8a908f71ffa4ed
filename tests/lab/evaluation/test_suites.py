"""Suites: several sets and sizes from one file, and the mean over sets."""

from __future__ import annotations

import csv
from importlib.util import find_spec

import pytest
from lab.evaluation.makers import ASKED, animals
from lab.evaluation.test_report import plan
from make_fixtures import DOCUMENTS

import docxchunk
from benchmarks.datasets import LOADERS
from benchmarks.evaluate import measure
from benchmarks.figures import figures, pooled, published
from benchmarks.suite import Primary, Set, Suite, read_suite
from docxchunk.errors import MissingFileError, UsageError
from docxchunk.lab.evaluation.runs import Half
from docxchunk.lab.evaluation.statistics import estimate

pytestmark = pytest.mark.skipif(
    find_spec("numpy") is None, reason="the extra eval is not installed"
)

SUITES = sorted((DOCUMENTS.parents[1] / "benchmarks" / "suites").glob("*.toml"))
GOLDEN = DOCUMENTS.parent / "reports"

SETS = (
    Set("animals", "questions", "questions", pooled=True, held_out=Half.ALL),
    Set("fewer", "questions", "questions", pooled=True),
    Set("apart", "tatqa", "tatqa", pooled=False),
)
SUITE = Suite(
    "Animals",
    ("R", "blind"),
    (32,),
    SETS,
    "R",
    retrievers=("bm25", "letters"),
    budgets=(20, 60),
    pairs=(("blind", "sentences"),),
    chunkers={"sentences": "a:b"},
    primary=Primary("sentences", "R", 32, "none", "bm25"),
)


@pytest.fixture(scope="module")
def found():
    plans = {32: plan(brief=True)}
    first, second = animals(), animals(without("dogs.txt"))
    return [
        measure(each, benchmark, plans, lambda _: None)
        for each, benchmark in zip(SETS, (first, second, first), strict=True)
    ]


def without(other):
    return [asked for asked in ASKED if asked.document != other]


def rows(found):
    return list(csv.DictReader(figures(SUITE, found, "0a1b").splitlines()))


def test_the_figures_match_their_golden_file(found, matches):
    lines = figures(SUITE, found, "0a1b").splitlines(keepends=True)
    assert lines[1].startswith(f",,,,,measured with,docxchunk {docxchunk.__version__} of 20")
    matches(GOLDEN / "suite.csv", "".join((lines[0], *lines[2:])))


def test_the_mean_gives_each_pooled_set_the_same_weight(found):
    row = next(
        row
        for row in rows(found)
        if (row["set"], row["chunker"], row["retriever"], row["measure"], row["than"])
        == ("mean of the sets", "sentences", "bm25", "recall@60", "R")
    )
    both = [
        (
            each.at(32).scores["sentences", "none", "bm25", "recall@60"],
            each.at(32).scores["R", "none", "bm25", "recall@60"],
            each.clusters,
        )
        for each in found[:2]
    ]
    interval = pooled([estimate(mine - base, clusters) for mine, base, clusters in both]).interval()
    share = sum(mine.mean() for mine, _, _ in both) / 2
    assert [row[name] for name in ("value", "difference", "low", "high")] == [
        f"{value * 100:.1f}" for value in (share, *interval)
    ]


def test_published_figures_are_current_where_the_hash_is_the_same(found, tmp_path):
    suite = tmp_path / "a.toml"
    assert published(suite, "0a1b").startswith("there is no a.csv beside")
    (tmp_path / "a.csv").write_text(figures(SUITE, found, "0a1b"))
    assert published(suite, "0a1b") == "the published figures are current: the scores are the same"
    assert published(suite, "2c3d").startswith("the published figures are not current")


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
            r"sizes\[0\] is 8, against the rule minimum 32",
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
