"""docxchunk eval"""

from __future__ import annotations

import hashlib
import json
import sys
from importlib.util import find_spec

import pytest
from backends.language_models.chat_server import completion, serving
from case_files import each_row
from cli.helpers import REPORT, docxchunk, run
from docx_builder import docx

from benchmarks.evaluate import command as published

pytestmark = pytest.mark.skipif(
    find_spec("numpy") is None, reason="the extra eval is not installed"
)

CHUNKER = """
def cut(text, most):
    return [(start, min(start + most, len(text))) for start in range(0, len(text), most)]

class Embedder:
    name = fingerprint = "mine"
    def embed(self, texts):
        import numpy as np
        rows = np.array([[text.lower().count(letter) + 1e-3 for letter in "etaoin"] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

none = 3

def pipeline(path, most):
    import docxchunk
    if path.suffix == ".docx":
        text = " ".join(block.content for block in docxchunk.parse(path).blocks)
    else:
        text = path.read_text()
    return text, cut(text, most)

def silent(path, most):
    return "", []
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    (tmp_path / "report.docx").write_bytes(REPORT)
    (tmp_path / "notes.txt").write_text(
        "The pump stands in the cellar. It was bought in May.\n\nThe roof is of slate."
    )
    (tmp_path / "mine.py").write_text(CHUNKER)
    records = [
        {
            "question": "Where does the pump stand?",
            "document": "notes.txt",
            "gold": [{"text": "The pump stands in the cellar."}],
        },
        {
            "question": "What of the text?",
            "document": "report.docx",
            "gold": [{"text": "More text"}],
        },
    ]
    (tmp_path / "questions.jsonl").write_text(
        "".join(f"{json.dumps(record)}\n" for record in records)
    )
    return tmp_path


def evaluate(folder, *arguments, **environment):
    return docxchunk(
        "eval", "--questions", folder / "questions.jsonl", *arguments, cwd=folder, **environment
    )


def test_the_report_goes_to_standard_output(folder):
    said = evaluate(folder)
    assert said.code == 0
    assert said.out.startswith("# Evaluation: questions\n")
    assert [line.split("|")[1].strip() for line in said.out.splitlines() if line.startswith("| ")][
        1:4
    ] == ["P", "R", "blind"]
    assert said.out.count("## ") == 5
    assert "1 of 6: P cuts\n2 of 6: P, bm25, path none\n" in said.err
    assert "Large budget: 4,000 characters are " in " ".join(said.out.split())
    assert "Large budget: " in said.err


def test_questions_that_are_left_out_are_named(folder):
    with (folder / "questions.jsonl").open("a") as file:
        record = {"question": "Why?", "document": "notes.txt", "gold": [{"text": "Because."}]}
        file.write(json.dumps(record) + "\n")
    (folder / "out").mkdir()
    said = evaluate(folder, "--out", "out")
    named = "Left out: 1 question: 'Why?' ('Because.' is not in notes.txt)."
    assert named in said.err
    assert named in (folder / "out" / "report.md").read_text()


def test_units_and_pipelines(folder):
    said = evaluate(
        folder, "-s", "units,units:R", "--pipeline", "other=mine:pipeline",
        "--path", "embed", "--equal-sizes", "40", "--out", "out",
    )  # fmt: skip
    assert said.code == 0, said.err
    lines = (folder / "out" / "scores.jsonl").read_bytes().splitlines()
    scores = [json.loads(line) for line in lines]
    assert {row["chunker"] for row in scores} == {"units", "units:R", "other"}
    assert all(row["recall@1000"] == 1 and row["read"] is not None for row in scores)


def test_a_pipeline_that_reads_nothing_finds_nothing(folder):
    said = evaluate(folder, "-s", "P", "--pipeline", "other=mine:silent", "-o", "a/b")
    assert said.code == 0, said.err
    assert "| other | 400 | 0 | 0 |" in (folder / "a" / "b" / "report.md").read_text()


def test_output_files_with_all_options(folder):
    said = evaluate(
        folder, "--strategies", "P,P:anchors=furthest,table_max=1,P-flat",
        "--chunker", "mine=mine:cut", "--retriever", "bm25,mine:Embedder,rrf",
        "--budget", "50,100", "--equal-sizes", "40", "--path", "none,headings,title,embed", "--out", "out",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert said.out.split() == ["out/report.md", "out/report.html", "out/scores.jsonl"]
    report = (folder / "out" / "report.md").read_text()
    assert "recall in 100: the effect of the path" in report
    assert all(
        f"| {name} |" in report
        for name in ("P", "P:anchors=furthest,table_max=1", "P-flat", "mine")
    )
    assert (folder / "out" / "report.html").read_text().startswith("<!doctype html>")
    scores = [
        json.loads(line) for line in (folder / "out" / "scores.jsonl").read_bytes().splitlines()
    ]
    asked = (folder / "questions.jsonl").read_bytes().count(b"\n")
    assert len(scores) == asked * 4 * 3 * 4  # chunkers, retrievers, paths
    mean = (
        sum(
            row["recall@100"]
            for row in scores
            if (row["chunker"], row["path"], row["retriever"]) == ("mine", "none", "bm25")
        )
        / asked
    )
    assert f"| mine | {mean * 100:.1f} " in report


def test_a_strategy_with_an_embedder(folder):
    said = evaluate(folder, "-s", "V", "--embedder", "hashing", "--retriever", "hashing", "--quiet")
    assert said.code == 0, said.err
    assert "| V |" in said.out


@pytest.mark.skipif(
    not all(map(find_spec, ("openai", "sacrebleu"))),
    reason="the extras api and eval are not both installed",
)
def test_a_reader_answers_from_the_retrieved_text(folder, tmp_path):
    """It is right if the text it reads contains the answer: with a budget of 60 characters, but not
    with 10.
    """
    record = {
        "question": "Where does the pump stand?",
        "document": "notes.txt",
        "gold": [{"text": "The pump stands in the cellar."}],
        "answers": ["in the cellar"],
    }
    with (folder / "questions.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")

    def script(asked, _):
        prompt = asked["messages"][-1]["content"]
        return completion("In the cellar." if "in the cellar" in prompt else "May.")

    with serving(script) as served:
        shares = {}
        for budget in (60, 10):
            said = evaluate(
                folder,
                "--strategies",
                "P,R",
                "--reader",
                served.url,
                "--budget",
                budget,
                "--quiet",
                DOCXCHUNK_CACHE=str(tmp_path / "cache"),
            )
            assert said.code == 0, said.err
            assert "- reader: m\n" in said.out
            assert "over the questions with reference answers (1)" in said.out
            rows = said.out[
                said.out.index(f"## Answers from {budget} characters: bm25") :
            ].splitlines()
            shares[budget] = [
                [cell.strip() for cell in row.strip("|").split("|")][1:3]
                for row in rows
                if row.startswith(("| P |", "| R |"))
            ][:2]
        assert shares == {
            60: [["100.0", "100.0"], ["100.0 (+0.0)", "100.0"]],
            10: [["0.0", "0.0"], ["0.0 (+0.0)", "0.0"]],
        }
        prompts = [asked["messages"][-1]["content"] for asked in served.requests]
    # the other questions have no expected answer
    assert all("Question: Where does the pump stand?" in prompt for prompt in prompts)
    assert len(prompts) == len({*prompts})  # answers are cached


def test_a_reader_needs_questions_with_answers(folder):
    said = evaluate(folder, "--reader", "http://127.0.0.1:9")
    assert said.code == 2
    assert "no question has an expected answer" in " ".join(said.err.split())


SUITE = """
title = "Mine"
strategies = ["P", "R"]
sizes = [40, 60]
budgets = [50, 100]
[chunkers]
mine = "mine:cut"
[[sets]]
name = "first"
loader = "questions"
[[sets]]
name = "second"
loader = "questions"
data = "others"
"""


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_suite(folder, jobs):
    """A suite measures all sets and sizes, in one process or two. The hash of its scores can be
    published.
    """
    (folder / "suite.toml").write_text(SUITE)
    arguments = (
        "--suite",
        "suite.toml",
        "--dataset",
        f"questions={folder}",
        "--dataset",
        f"others={folder}",
        "-o",
        "out",
        "-j",
        jobs,
    )
    said = run(published, *arguments, cwd=folder)
    assert said.code == 0, said.err
    scores = (folder / "out" / "scores.jsonl").read_bytes()
    assert len(scores.splitlines()) == 2 * 2 * 2 * 3  # questions, sets, sizes, chunkers
    figures = (folder / "out" / "figures.csv").read_text().splitlines()
    # sizes, budgets, chunkers
    assert sum(line.startswith("mean of the sets,") for line in figures) == 2 * 2 * 3
    assert f",,,,,scores,{hashlib.sha256(scores).hexdigest()},,,," in figures
    assert "there is no suite.csv beside the suite" in said.err
    (folder / "out" / "figures.csv").rename(folder / "suite.csv")
    assert "the published figures are current" in run(published, *arguments, cwd=folder).err


def test_a_suite_with_a_part_of_its_data(folder):
    (folder / "suite.toml").write_text(SUITE)
    said = run(published, "--suite", "suite.toml", "--dataset", f"others={folder}", cwd=folder)
    assert said.code == 0, said.err
    assert "questions: left out; --dataset questions=PATH is missing" in said.err
    assert "of 2 sets, 1 were measured" in said.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "The suite reads others, questions: give the path of each"),
        (["--dataset", "none=x"], "the suite has no such set"),
        (
            ["--dataset", "others=.", "--strategy", "P"],
            "--strategy cannot be used with --suite",
        ),
    ],
)
def test_usage_of_suites(folder, arguments, sentence):
    (folder / "suite.toml").write_text(SUITE)
    said = run(published, "--suite", "suite.toml", *arguments, cwd=folder)
    assert said.code == 2
    assert sentence in " ".join(said.err.split())


def test_options_of_the_parser(folder):
    """Deleted text is found only if the document is parsed as the original."""
    (folder / "report.docx").write_bytes(docx("<p><commentRangeStart "
                                              "id='0'/><r>Body.</r><commentRangeEnd "
                                              "id='0'/><r><commentReference id='0'/></r></p>"
        "<p><ins id='1' author='a'><r>Inserted words.</r></ins><del id='2' "
        "author='a'><r><delText>Deleted words.</delText></r></del></p>"))  # fmt: skip
    record = {
        "question": "What was deleted?",
        "document": "report.docx",
        "gold": [{"text": "Deleted words."}],
    }
    (folder / "questions.jsonl").write_text(json.dumps(record))
    without = evaluate(folder)
    assert without.code == 2
    assert "Of the first, 'Deleted words.' is not in report.docx." in " ".join(without.err.split())
    assert evaluate(folder, "--track-changes", "original").code == 0


@pytest.mark.parametrize(
    ("share", "fact"),
    [
        ("0", "a chunk that overlaps a passage of the answer"),
        ("1", "a chunk that contains 100 % of a passage of the answer"),
    ],
)
def test_the_report_defines_a_hit(folder, share, fact):
    said = evaluate(folder, "--hit-share", share)
    assert said.code == 0, said.err
    assert f"- hit, for MRR and MAP: {fact}" in said.out


@each_row("cli", arguments=str.split)
def test_usage(folder, arguments, sentence):
    said = evaluate(folder, *arguments)
    assert said.code == 2
    assert sentence in " ".join(said.err.split())
    assert said.out == ""


def test_missing_questions_and_sets_are_wrong_usage(folder):
    assert docxchunk("eval").code == run(published).code == 2
    assert "NAME=PATH" in run(published, "--dataset", "tatqa").err
    assert "there are" in run(published, "--dataset", "none=x").err
    assert docxchunk("eval", "--questions", folder / "none.jsonl").code == 1


@pytest.mark.parametrize(("half", "code"), [("dev", 2), ("test", 0)])
def test_a_half_without_questions_is_an_error(folder, half, code):
    """The hash of its name puts notes.txt into the half test."""
    (folder / "questions.jsonl").write_text(
        json.dumps({"question": "?", "document": "notes.txt", "gold": [{"text": "pump"}]}) + "\n"
    )
    assert evaluate(folder, "--half", half).code == code
    sets = f'[[sets]]\nname = "mine"\nloader = "questions"\nhalf = "{half}"\n'
    (folder / "half.toml").write_text(f'title = "Half"\nstrategies = ["R"]\nsizes = [60]\n{sets}')
    said = run(published, "--suite", "half.toml", "--dataset", f"questions={folder}", cwd=folder)
    assert (said.code, "mine,,,,,documents,1,,,," in said.out) == (code, code == 0)


def test_the_page_is_not_begun_without_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    questions = ("eval", "--questions", "nowhere.jsonl")
    said = docxchunk(*questions, "-o", "out", cwd=tmp_path)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("Error: The page of docxchunk eval needs the package jinja2: ")
    said = docxchunk(*questions, cwd=tmp_path)
    assert (said.code, "nowhere.jsonl" in said.err, "jinja2" in said.err) == (1, True, False)
