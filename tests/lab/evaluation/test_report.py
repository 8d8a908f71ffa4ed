"""A whole run on three small texts, and its report."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from itertools import pairwise
from xml.dom import minidom

import numpy as np
import pytest
from docx_builder import docx
from hypothesis import given
from hypothesis import strategies as st
from lab.evaluation.makers import ANIMALS, ASKED, animals, count, text_document
from make_fixtures import DOCUMENTS

import docxchunk
from docxchunk import tokenizer
from docxchunk.lab.evaluation import metrics, plans, runs
from docxchunk.lab.evaluation.chunkers import named, of_function
from docxchunk.lab.evaluation.questions import UnplacedQuestion, benchmark
from docxchunk.lab.evaluation.rendering import (
    curves,
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
    assert report.verdict == f"By {report.measure}: {' '.join(report.headline)}"
    assert page.partition("<h1>")[2].partition("</h1>")[0] == report.headline[0]
    assert "<p>" not in page.partition("<h1>")[0]


def test_failed_questions_are_listed_with_what_was_found_instead(results):
    report = report_of(results)
    scores = results.cell("R", plans.Prefix.NONE, "bm25").scores[f"recall@{results.plan.primary}"]
    assert report.failed_in_all == len(report.failed) == (scores == 0).sum() > 0
    failed = report.failed[0]
    assert [found.chunker for found in failed.found] == ["R", "blind", "sentences"]
    number = [question.text for question in results.benchmark.questions].index(failed.question)
    first = results.cell("R", plans.Prefix.NONE, "bm25").first[number]
    assert (failed.found[0].recall, failed.found[0].text) == (
        "0.0 %",
        "\n".join(filter(None, first.text.splitlines()))[:300],
    )
    page = html(report)
    assert "Questions that R failed" in page
    assert escape(failed.question) in page


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_curves_are_distinguishable(ends):
    """No two labels overlap, and no two of up to seven curves share colour, shape or dashes."""
    found = curves("x", {f"c{i}": ((1000, end / 2), (4000, end)) for i, end in enumerate(ends)})
    heights = sorted(line.y + 4 for line in found.lines)
    assert all(upper - lower >= 14 - 1e-9 for lower, upper in pairwise(heights))
    assert len({(line.kind, line.dashes) for line in found.lines}) == len(ends)
    assert heights[-1] <= found.height
    assert all(
        0 <= x <= 360 and 0 <= y <= found.height for line in found.lines for x, y in line.marks
    )


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


def test_scores_are_those_of_the_measures(results):
    """Recompute one cell with BM25 and the metric functions."""
    found = animals()
    passages = [
        p
        for number, source in enumerate(found.sources)
        for p in results.plan.chunkers["sentences"](number, source, 32)
    ]
    cell = results.cell("sentences", plans.Prefix.NONE, "bm25")
    for i, (question, scores) in enumerate(
        zip(found.questions, bm25(passages, [q.text for q in found.questions]), strict=True)
    ):
        ranking = [passages[n] for n in np.argsort(-scores, kind="stable")]
        assert cell.scores["recall@60"][i] == metrics.budgeted_recall(ranking, question.gold, 60)
        assert (
            cell.scores["R@3"][i] == [*metrics.overlaps_of(ranking[:3], question.gold)][-1].recall
        )
        assert cell.scores["together@60"][i] == metrics.together(ranking, question.gold, 60)
        relevant = [metrics.is_hit(p, question.gold) for p in ranking]
        assert cell.scores["MRR@10"][i] == metrics.reciprocal_rank(relevant)
        assert cell.scores["MAP@10"][i] == metrics.average_precision(relevant, sum(relevant))
        best = metrics.best_by_overlap(ranking, question.gold)
        assert cell.scores["DCG@5"][i] == metrics.gain(best + 1, 5)
        document = {found.sources[p.source].name for p in ranking[:1]} == {
            found.sources[next(iter(question.documents))].name
        }
        assert cell.scores["document F1@1"][i] == float(document)
        assert np.isnan(cell.scores["answer@1"][i]) == (not question.answers)


def test_a_share_of_the_answer_makes_a_hit():
    """With chunks of seven characters, the first and last chunk of an answer contain only a part of
    it.
    """
    pieces = of_function(
        lambda text, _: [(start, min(start + 7, len(text))) for start in range(0, len(text), 7)],
        COUNT,
    )
    touched, whole = (
        runs.run(animals(), plans.Plan({"pieces": pieces}, {"bm25": bm25}, hit_share=share))
        .cells[0]
        .scores["MAP@10"]
        for share in (0.0, 1.0)
    )
    assert (touched != whole).any()


def test_differences_are_paired_by_question(results):
    left, right = (
        results.cell(name, plans.Prefix.NONE, "bm25").scores["recall@60"]
        for name in ("sentences", "R")
    )
    found = estimate(left - right, results.clusters).interval()
    assert (
        f"({found.mean * 100:+.1f} [{found.low * 100:+.1f}, {found.high * 100:+.1f}])"
    ) in markdown(report_of(results))


def test_costs_are_those_of_the_run_and_not_of_what_was_before():
    planned = plan(paths=(plans.Prefix.NONE, plans.Prefix.TITLE))
    (embedder,) = planned.models
    embedder.embed(["before"])
    before = embedder.costs
    found = runs.run(animals(), planned)
    parts = [part.costs for part in (*found.cuts, *found.cells)]
    assert sum(parts, before) == embedder.costs


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
    assert runs.half_of(found, runs.Half.ALL) is found


def test_one_document_has_no_interval():
    found = animals()
    one = runs.half_of(
        found,
        runs.Half.DEV if len(runs.half_of(found, runs.Half.DEV).sources) == 1 else runs.Half.TEST,
    )
    text = markdown(report_of(runs.run(one, plan())))
    assert "nan" not in text


def test_the_chunks_of_a_chunker_are_counted_and_those_with_answers():
    text = "one two three four five six seven eight"
    asked = [UnplacedQuestion("?", "a.txt", (gold,)) for gold in ("one two", "three four five")]
    chunkers = {"two": of_function(lambda *_: [(0, 13), (13, 39)], COUNT)}
    plan = plans.Plan(chunkers, {"bm25": bm25}, max_tokens=9)
    (cuts,) = runs.run(benchmark("one", [text_document("a.txt", text)], asked), plan).cuts
    assert (cuts.max_tokens, cuts.chunks, cuts.mean_tokens, cuts.largest) == (9, 2, 4, 5)
    assert (cuts.cut_rate, cuts.answer_tokens, cuts.rouge_agreement) == (0.5, 4, 1)
    assert np.isnan([cuts.tables_cut, cuts.introduced]).all()
    nowhere = [UnplacedQuestion("?", "a.txt", ("seven eight",))]
    chunkers = {"one": of_function(lambda *_: [(0, 13)], COUNT)}
    plan = plans.Plan(chunkers, {"bm25": bm25}, brief=True)
    (cuts,) = runs.run(benchmark("one", [text_document("a.txt", text)], nowhere), plan).cuts
    assert cuts.cut_rate == 1
    assert np.isnan([cuts.answer_tokens, cuts.rouge_agreement]).all()


def test_cut_tables_are_counted():
    document = docxchunk.parse(DOCUMENTS / "sample-report.docx")
    found = benchmark(
        "report", [document], [UnplacedQuestion("rain?", document.name, ("rainwater",))]
    )
    count = tokenizer()
    wide, narrow = (
        runs.run(found, plans.Plan({"P": named("P", count)}, {"bm25": bm25}, max_tokens=size))
        .cuts[0]
        .tables_cut
        for size in (2000, 100)
    )
    assert wide == 0
    assert narrow == 1


BEFORE = docx(
    "<p>A pump was bought. The following table lists its "
    "parts:</p><tbl><tr><tc>Part</tc></tr><tr><tc>Valve</tc></tr></tbl>"
    "<tbl><tr><tc>Place</tc></tr></tbl><p "
    "style='Heading1'>Roof</p><tbl><tr><tc>Slate</tc></tr></tbl>"
    "<p>Table 2. Tiles</p><tbl><tr><tc>Tile</tc></tr><tr><tc>Red</tc></tr></tbl>"
)


@pytest.mark.parametrize(
    ("cut", "share"),
    [
        (lambda text: [(0, len(text))], 1),
        (lambda text: split(text, "["), 0),
        (lambda text: split(text, "Tiles"), 0.5),
    ],
)
def test_tables_with_their_introductions_are_counted(cut, share):
    found = benchmark(
        "parts",
        [docxchunk.parse(BEFORE, name="a.docx")],
        [UnplacedQuestion("valve?", "a.docx", ("Valve",))],
    )
    chunker = of_function(lambda text, _: cut(text), COUNT)
    assert runs.run(found, plans.Plan({"cut": chunker}, {"bm25": bm25})).cuts[0].introduced == share


def split(text, word):
    """Return the ranges of a text that is cut after the first letter of each occurrence of the
    word.
    """
    places = [0, *(match.start() + 1 for match in re.finditer(re.escape(word), text)), len(text)]
    return [*pairwise(places)]


def test_all_chunkers_but_units_are_tuned_to_the_same_mean_size():
    text = text_document("a.txt", "One two three four. " * 200)
    asked = UnplacedQuestion("What is three?", "a.txt", ("One two three four.",))
    chunkers = {name: named(name, COUNT) for name in ("units", "R")}
    plan = plans.Plan(chunkers, {"bm25": bm25}, equal_sizes=40)
    found = runs.run(benchmark("one", [text], [asked]), plan)
    assert found.cuts[0].max_tokens == 40
    assert found.cuts[1].mean_tokens == pytest.approx(40, rel=0.05)


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
    assert report.headline == ("none finds less than R (-100.0 [-100.0, -100.0]).",)
