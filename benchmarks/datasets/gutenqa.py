"""Load GutenQA (LumberChunker): books in passages, and questions with the words that the answer must contain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.datasets.files import in_files, plain, read_csv, read_lines
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.options import ParseOptions

_BOOK, _CHUNK, _QUESTION, _ANSWER, _WORDS = "Book Name", "Chunk", "Question", "Answer", "Chunk Must Contain"


def load(path: Path, _: ParseOptions) -> Benchmark:
    """Load a folder with `gutenqa_chunks` and `questions`, each as .jsonl or .csv with the published columns (`datasets` writes both formats).

    The text of a book is its passages, joined by line breaks. Gold is the words that the answer must contain.
    """
    books: dict[str, list[str]] = {}
    for row in _rows(path, "gutenqa_chunks"):
        books.setdefault(str(row[_BOOK]), []).append(str(row[_CHUNK]))
    documents = [plain(name, "\n".join(passages)) for name, passages in books.items()]
    questions = [row for row in _rows(path, "questions") if row[_BOOK] in books]
    return benchmark(
        "gutenqa", documents, [UnplacedQuestion(str(row[_QUESTION]), str(row[_BOOK]), (str(row[_WORDS]),), (str(row[_ANSWER]),)) for row in questions]
    )


def _rows(path: Path, name: str) -> Sequence[Mapping[str, object]]:
    file = in_files(path, f"{name}.*")[0]
    return read_csv(file) if file.suffix == ".csv" else read_lines(file)
