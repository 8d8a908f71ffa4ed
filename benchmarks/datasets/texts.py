"""Load sets of plain texts: CRUD-RAG, GutenQA, LongBench, MultiHop-RAG and chunking_evaluation."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import orjson

from benchmarks.datasets.files import (
    in_files,
    plain,
    read_bytes,
    read_csv,
    read_json,
    read_lines,
    record,
    records,
    texts,
    unique,
)
from docxchunk.errors import InputError
from docxchunk.lab.evaluation.passages import CorpusSpan
from docxchunk.lab.evaluation.questions import Benchmark, UnplacedQuestion, benchmark, read_document
from docxchunk.model.options import ParseOptions

# -- CRUD-RAG: Chinese news, and questions on one to three articles. Gold is the whole articles: the
# set does not mark sentences.

_NEWS: Final = ("news1", "news2", "news3")


def load_crud(path: Path, _: ParseOptions) -> Benchmark:
    """Load `split_merged.json` or its folder: the questions of `questanswer_1doc`, `_2docs` and
    `_3docs`. Equal articles are one document.
    """
    found = record(read_json(path / "split_merged.json" if path.is_dir() else path))
    names: dict[str, str] = {}
    asked: list[UnplacedQuestion] = []
    for kind in sorted(key for key in found if key.startswith("questanswer_")):
        for row in records(found[kind]):
            news = [text for key in _NEWS if (text := str(row.get(key) or "").strip())]
            gold = tuple((names.setdefault(text, f"news {len(names) + 1}"), text) for text in news)
            if not gold:
                raise InputError(f"A question of {kind} has no news.")
            asked.append(
                UnplacedQuestion(
                    str(row["questions"]),
                    gold[0][0],
                    gold,
                    (str(row["answers"]),),
                    cluster=gold[0][0],
                    id=str(row.get("ID", "")),
                )
            )
    return benchmark("crud", [plain(name, text) for text, name in names.items()], asked)


# -- GutenQA (LumberChunker): books in passages, and questions with the words that the answer must
# contain

_BOOK, _CHUNK, _QUESTION, _ANSWER, _WORDS = (
    "Book Name",
    "Chunk",
    "Question",
    "Answer",
    "Chunk Must Contain",
)


def load_gutenqa(path: Path, _: ParseOptions) -> Benchmark:
    """Load a folder with `gutenqa_chunks` and `questions`, each as .jsonl or .csv with the
    published columns (`datasets` writes both formats).

    The text of a book is its passages, joined by line breaks. Gold is the words that the answer
    must contain.
    """
    books: dict[str, list[str]] = {}
    for row in _rows(path, "gutenqa_chunks"):
        books.setdefault(str(row[_BOOK]), []).append(str(row[_CHUNK]))
    documents = [plain(name, "\n".join(passages)) for name, passages in books.items()]
    questions = [row for row in _rows(path, "questions") if row[_BOOK] in books]
    return benchmark(
        "gutenqa",
        documents,
        [
            UnplacedQuestion(
                str(row[_QUESTION]), str(row[_BOOK]), (str(row[_WORDS]),), (str(row[_ANSWER]),)
            )
            for row in questions
        ],
    )


def _rows(path: Path, name: str) -> Sequence[Mapping[str, object]]:
    file = in_files(path, f"{name}.*")[0]
    return read_csv(file) if file.suffix == ".csv" else read_lines(file)


# -- LongBench: records of a long text, a question and answers. Gold is the first verbatim
# occurrence of an answer.


def load_longbench(path: Path, _: ParseOptions) -> Benchmark:
    """Load the records of a `*.jsonl` file, or of all in a folder (`context`, `input`, `answers`,
    `_id`). A record without an answer in its text is left out.

    Equal texts are one document. The first occurrence of a short answer may be unrelated to the
    question: interpret the scores with care.
    """
    names: dict[str, str] = {}
    asked: list[UnplacedQuestion] = []
    rows = [row for file in in_files(path, "*.jsonl") for row in read_lines(file)]
    for row, name in zip(rows, unique(str(row["_id"]) for row in rows), strict=True):
        context = str(row["context"])
        document = names.setdefault(context, name)
        answers = tuple(texts(row["answers"]))
        found = next((answer for answer in answers if answer.strip() and answer in context), None)
        asked.append(
            UnplacedQuestion(
                str(row["input"]), document, (found,) if found else (), answers, id=name
            )
        )
    return benchmark("longbench", [plain(name, context) for context, name in names.items()], asked)


# -- MultiHop-RAG: news, and questions with evidence in several articles


def load_multihop_rag(path: Path, _: ParseOptions) -> Benchmark:
    """Load `corpus.json` and `MultiHopRAG.json` of a folder. Gold is all facts, each in the
    document of its URL.

    Questions without evidence are left out, as in the published code.
    """
    rows = records(read_json(path / "corpus.json"))
    names = unique(str(row["title"]) for row in rows)
    by_address = {str(row["url"]): name for row, name in zip(rows, names, strict=True)}
    documents = [
        plain(name, f"{row['title']}\n\n{row['body']}")
        for row, name in zip(rows, names, strict=True)
    ]
    asked: list[UnplacedQuestion] = []
    for row in records(read_json(path / "MultiHopRAG.json")):
        evidence = records(row["evidence_list"])
        if evidence:
            gold = tuple(
                (by_address.get(str(item["url"]), ""), str(item["fact"])) for item in evidence
            )
            asked.append(
                UnplacedQuestion(
                    str(row["query"]), gold[0][0], gold, (str(row["answer"]),), cluster=gold[0][0]
                )
            )
    return benchmark("multihop_rag", documents, asked)


# -- chunking_evaluation: plain texts, and questions with the character ranges of their excerpts

KEY: Final = r"(?!.* ; )"  # excludes lines of a table key, as in "= Position ; GP ="
# a first-level heading in wikitexts
_ARTICLE: Final = re.compile(rf"^ ?{KEY}= [^=\n]+ = ?$", re.MULTILINE)


def load_chunking_evaluation(path: Path, options: ParseOptions) -> Benchmark:
    """Load the corpora `*.md` of a folder or of its `corpora/`, and the questions on them in
    `questions_df.csv` of the folder.

    Questions on wikitexts are clustered by article, the others by corpus.
    """
    table = _table(path)
    found = {file.stem: file for file in in_files(corpora(path), "*.md")}
    wanted = {row["corpus_id"] for row in table}
    documents = [
        read_document(file, name, options) for name, file in found.items() if name in wanted
    ]
    articles = {
        name: [match.start() for match in _ARTICLE.finditer(read_bytes(file).decode("utf-8"))]
        for name, file in found.items()
    }
    return benchmark(
        "chunking_evaluation",
        documents,
        [_asked(row, articles) for row in table if row["corpus_id"] in found],
    )


def corpora(path: Path) -> Path:
    """Return the folder of the texts."""
    return path / "corpora" if (path / "corpora").is_dir() else path


def asked_on(path: Path, corpus: str) -> Iterator[tuple[str, tuple[CorpusSpan, ...]]]:
    """Yield the questions on one corpus, with the character ranges of their excerpts."""
    return ((row["question"], _excerpts(row)) for row in _table(path) if row["corpus_id"] == corpus)


def _table(path: Path) -> list[dict[str, str]]:
    return read_csv(path / "questions_df.csv")


def _excerpts(row: Mapping[str, str]) -> tuple[CorpusSpan, ...]:
    return tuple(
        (int(str(item["start_index"])), int(str(item["end_index"])))
        for item in records(orjson.loads(row["references"]))
    )


def _asked(row: Mapping[str, str], articles: Mapping[str, list[int]]) -> UnplacedQuestion:
    corpus, gold = row["corpus_id"], _excerpts(row)
    return UnplacedQuestion(
        row["question"],
        corpus,
        gold,
        cluster=f"{corpus}:{bisect_right(articles[corpus], gold[0][0])}" if gold else corpus,
    )
