"""A whole run on three small texts, and its report."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from xml.dom import minidom

import numpy as np
import pytest
from lab.evaluation.makers import ANIMALS, ASKED, animals, count
from make_fixtures import DOCUMENTS

from docxchunk import tokenizer
from docxchunk.lab.evaluation import plans, runs
from docxchunk.lab.evaluation.chunkers import named, of_function
from docxchunk.lab.evaluation.questions import UnplacedQuestion
from docxchunk.lab.evaluation.rendering import (
    html,
    markdown,
)
from docxchunk.lab.evaluation.report import report_of
from docxchunk.lab.evaluation.retrievers import Fused, bm25, dense
from docxchunk.lab.evaluation.statistics import estimate
from docxchunk.model.ports import Costs

pytestmark = pytest.mark.skipif(
    find_spec("numpy") is None, reason="the extra eval is not installed"
)

COUNT = tokenizer(count)
GOLDEN = DOCUMENTS.parent / "reports"


class Letters:
    name = fingerprint = "letters"

    costs = Costs()

    def embed(self, texts):
        self.costs += Costs(asked=len(texts), computed=len(texts))
        rows = np.array(
            [
                [text.lower().count(letter) + 1e-3 for letter in "abcdefghijklmnopqrstuvwxyz"]
                for text in texts
            ],
            dtype=np.float32,
        )
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def sentences(text, most):
    start = 0
    for end in [i + 1 for i, character in enumerate(text) if character in ".\n"]:
        yield start, end
        start = end


def plan(**others):
    model = Letters()
    letters = dense(model, count)
    chunkers = {
        "R": named("R", COUNT),
        "blind": named("blind", COUNT),
        "sentences": of_function(sentences, COUNT),
    }
    return plans.Plan(
        chunkers,
        {"bm25": bm25, "letters": letters, "rrf": Fused((bm25, letters))},
        max_tokens=32,
        budgets=(20, 60),
        models=(model,),
        **others,
    )


@pytest.fixture(scope="module")
def results():
    return runs.run(animals(), plan(paths=(plans.Prefix.NONE, plans.Prefix.TITLE)))


def test_the_report_matches_its_golden_file(results, matches):
    report = report_of(results, [("half", "all")])
    text = "\n".join(
        line for line in markdown(report).splitlines() if not line.startswith("- memory")
    )
    for cell in (*results.cells, *results.cuts):
        text = text.replace(f"| {cell.seconds:.2f} |", "| ... |")
    matches(GOLDEN / "animals.md", text + "\n")


def test_the_page_is_well_formed_and_fetches_nothing(results):
    page = html(report_of(results))
    minidom.parseString(page.replace("<!doctype html>\n", "").replace('<meta charset="utf-8">', ""))  # noqa: S318 - it is our own
    assert "http" not in page
    assert page.count("<figure>") == 12
    assert all(f">{name}</text>" in page for name in ("R", "blind", "sentences"))


def test_the_page_begins_with_the_verdict(results):
    report = report_of(results)
    page = html(report)
    assert report.verdict.startswith("Recall in 60 characters (rrf, text alone): R 40.4 %, blind ")
    assert report.verdict.endswith(" ".join(report.headline))
    assert page.partition("<h1>")[2].partition("</h1>")[0] == report.headline[0]
    assert "<p>" not in page.partition("<h1>")[0]


def test_scores_of_the_questions_are_lines_of_json(results):
    lines = [json.loads(text) for text in runs.question_scores(results, {"set": "s"})]
    number = len(results.benchmark.questions)
    assert len(lines) == len(results.cells) * number
    for place, cell in enumerate(results.cells):
        for i, row in enumerate(lines[place * number : (place + 1) * number]):
            question = results.benchmark.questions[i]
            assert next(iter(row)) == "set"
            assert (row["question"], row["id"], row["placed"]) == (question.text, None, "text")
            assert (row["chunker"], row["path"], row["retriever"]) == cell[:3]
            for name in ("recall@20", "recall@60", "together@60", "MRR@10", "DCG@5"):
                assert row[name] == pytest.approx(float(cell.scores[name][i]), abs=1e-6)
            assert row["read"] == cell.until_complete[i]
    question = results.benchmark.questions[0]._replace(id="q1", evidence=("x",))
    others = results.benchmark.questions[1:]
    never = results.cells[0]._replace(until_complete=np.full(number, np.inf))
    asked = replace(results.benchmark, questions=(question, *others))
    first = json.loads(
        next(runs.question_scores(replace(results, benchmark=asked, cells=(never,))))
    )
    assert (next(iter(first)), first["id"], first["placed"]) == ("question", "q1", "rouge")
    assert first["read"] is None


def test_names_are_escaped():
    found = runs.run(
        animals(), plans.Plan({"<b>|&": named("R", COUNT)}, {"bm25": bm25}, max_tokens=32)
    )
    report = report_of(found)
    assert "<b>" not in html(report).replace("<body>", "")
    assert "\\|" in markdown(report)


def test_differences_are_paired_by_question(results):
    left, right = (
        results.cell(name, plans.Prefix.NONE, "bm25").scores["recall@60"]
        for name in ("sentences", "R")
    )
    found = estimate(left - right, results.clusters).interval()
    assert (
        f"({found.mean * 100:+.1f} [{found.low * 100:+.1f}, {found.high * 100:+.1f}])"
    ) in markdown(report_of(results))


def test_halves_partition_the_documents():
    everywhere = (("cats.txt", "hunt"), ("dogs.txt", "herd"), ("owls.txt", "mice"))
    found = animals((*ASKED, UnplacedQuestion("What of all?", "cats.txt", everywhere)))
    halves = [runs.half_of(found, half) for half in (runs.Half.DEV, runs.Half.TEST)]
    assert sorted(source.name for half in halves for source in half.sources) == sorted(ANIMALS)
    asked = [question.text for half in halves for question in half.questions]
    assert sorted(asked) == sorted(question.text for question in ASKED)  # not that of both halves
    for half in halves:
        for question in half.questions:
            number = next(iter(question.documents))
            assert half.sources[number].name == question.cluster
    assert runs.half_of(found, runs.Half.ALL) == found


def test_one_document_has_no_interval():
    found = animals()
    one = runs.half_of(
        found,
        runs.Half.DEV if len(runs.half_of(found, runs.Half.DEV).sources) == 1 else runs.Half.TEST,
    )
    text = markdown(report_of(runs.run(one, plan())))
    assert "nan" not in text


def test_a_chunker_without_chunks_fails_all_questions():
    chunkers = {"none": of_function(lambda *_: [], COUNT), "R": named("R", COUNT)}
    found = [
        runs.run(animals(), plans.Plan(each, {"bm25": bm25}, max_tokens=32))
        for each in (chunkers, dict(reversed(chunkers.items())))
    ]
    assert (found[0].cuts[0].chunks, found[0].cuts[0].largest) == (0, 0)
    report, reverse = map(report_of, found)
    assert (report.failed_in_all, reverse.failed_in_all) == (5, 0)
    assert [each.chunker for each in report.failed[0].found] == ["R"]
    assert report.failed[0].question in html(report)
    assert report.headline == (
        "none finds 100.0 points less than R (95 % interval: 100.0 to 100.0).",
    )
