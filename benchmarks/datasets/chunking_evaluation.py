"""Load chunking_evaluation: plain texts, and questions with the character ranges of their excerpts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import orjson

from benchmarks.datasets.files import in_files, read_bytes, read_csv, records
from docxchunk.evaluation.passages import Span
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark, read_document
from docxchunk.model.options import ParseOptions

KEY: Final = r"(?!.* ; )"  # excludes lines of a table key, as in "= Position ; GP ="
_ARTICLE: Final = re.compile(rf"^ ?{KEY}= [^=\n]+ = ?$", re.MULTILINE)  # a first-level heading in wikitexts


def load(path: Path, options: ParseOptions) -> Benchmark:
    """Load the corpora `*.md` of a folder or of its `corpora/`, and the questions on them in `questions_df.csv` of the folder.

    Questions on wikitexts are clustered by article, the others by corpus.
    """
    table = _table(path)
    found = {file.stem: file for file in in_files(corpora(path), "*.md")}
    wanted = {row["corpus_id"] for row in table}
    documents = [read_document(file, name, options) for name, file in found.items() if name in wanted]
    articles = {name: [match.start() for match in _ARTICLE.finditer(read_bytes(file).decode("utf-8"))] for name, file in found.items()}
    return benchmark("chunking_evaluation", documents, [_asked(row, articles) for row in table if row["corpus_id"] in found])


def corpora(path: Path) -> Path:
    """Return the folder of the texts."""
    return path / "corpora" if (path / "corpora").is_dir() else path


def asked_on(path: Path, corpus: str) -> Iterator[tuple[str, tuple[Span, ...]]]:
    """Yield the questions on one corpus, with the character ranges of their excerpts."""
    return ((row["question"], _excerpts(row)) for row in _table(path) if row["corpus_id"] == corpus)


def _table(path: Path) -> list[dict[str, str]]:
    return read_csv(path / "questions_df.csv")


def _excerpts(row: Mapping[str, str]) -> tuple[Span, ...]:
    return tuple((int(str(item["start_index"])), int(str(item["end_index"]))) for item in records(orjson.loads(row["references"])))


def _asked(row: Mapping[str, str], articles: Mapping[str, list[int]]) -> UnplacedQuestion:
    corpus, gold = row["corpus_id"], _excerpts(row)
    return UnplacedQuestion(row["question"], corpus, gold, cluster=f"{corpus}:{bisect_right(articles[corpus], gold[0][0])}" if gold else corpus)
