"""Load MultiHop-RAG: news, and questions with evidence in several articles."""

from __future__ import annotations

from pathlib import Path

from benchmarks.datasets.files import plain, read_json, records, unique
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.options import ParseOptions


def load(path: Path, _: ParseOptions) -> Benchmark:
    """Load `corpus.json` and `MultiHopRAG.json` of a folder. Gold is all facts, each in the document of its URL.

    Questions without evidence are left out, as in the published code.
    """
    rows = records(read_json(path / "corpus.json"))
    names = unique(str(row["title"]) for row in rows)
    by_address = {str(row["url"]): name for row, name in zip(rows, names, strict=True)}
    documents = [plain(name, f"{row['title']}\n\n{row['body']}") for row, name in zip(rows, names, strict=True)]
    asked: list[UnplacedQuestion] = []
    for row in records(read_json(path / "MultiHopRAG.json")):
        evidence = records(row["evidence_list"])
        if evidence:
            gold = tuple((by_address.get(str(item["url"]), ""), str(item["fact"])) for item in evidence)
            asked.append(UnplacedQuestion(str(row["query"]), gold[0][0], gold, (str(row["answer"]),), cluster=gold[0][0]))
    return benchmark("multihop_rag", documents, asked)
