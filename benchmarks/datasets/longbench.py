"""Load LongBench: records of a long text, a question and answers. Gold is the first verbatim occurrence of an answer."""

from __future__ import annotations

from pathlib import Path

from benchmarks.datasets.files import in_files, plain, read_lines, texts, unique
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.options import ParseOptions


def load(path: Path, _: ParseOptions) -> Benchmark:
    """Load the records of a `*.jsonl` file, or of all in a folder (`context`, `input`, `answers`, `_id`). A record without an answer in its text is left out.

    Equal texts are one document. The first occurrence of a short answer may be unrelated to the question: interpret the scores with care.
    """
    names: dict[str, str] = {}
    asked: list[UnplacedQuestion] = []
    rows = [row for file in in_files(path, "*.jsonl") for row in read_lines(file)]
    for row, name in zip(rows, unique(str(row["_id"]) for row in rows), strict=True):
        context = str(row["context"])
        document = names.setdefault(context, name)
        answers = tuple(texts(row["answers"]))
        found = next((answer for answer in answers if answer.strip() and answer in context), None)
        asked.append(UnplacedQuestion(str(row["input"]), document, (found,) if found else (), answers, id=name))
    return benchmark("longbench", [plain(name, context) for context, name in names.items()], asked)
