"""LongBench: a long text, a question and answers a record. Where the answer stands is not said: gold is where one first stands word for word."""

from __future__ import annotations

from pathlib import Path

from docxchunk.evaluation.datasets.files import in_files, plain, read_lines, texts, unique
from docxchunk.evaluation.questions import Asked, Benchmark, benchmark
from docxchunk.model.options import ParseOptions


def load(path: Path, _: ParseOptions) -> Benchmark:
    """The records of `*.jsonl`, a file or all of a folder (`context`, `input`, `answers`, `_id`). One whose text holds none of its answers is dropped.

    Equal texts are one document. An answer of a word may first stand where it answers nothing: read the numbers with that in mind.
    """
    names: dict[str, str] = {}
    asked: list[Asked] = []
    rows = [row for file in in_files(path, "*.jsonl") for row in read_lines(file)]
    for row, name in zip(rows, unique(str(row["_id"]) for row in rows), strict=True):
        context = str(row["context"])
        document = names.setdefault(context, name)
        answers = tuple(texts(row["answers"]))
        found = next((answer for answer in answers if answer.strip() and answer in context), None)
        asked.append(Asked(str(row["input"]), document, (found,) if found else (), answers, id=name))
    return benchmark("longbench", [plain(name, context) for context, name in names.items()], asked)
