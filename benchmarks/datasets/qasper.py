"""Load Qasper: scientific papers, converted to Word files, and questions with the paragraphs that answer them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.datasets.files import DatasetRecord, in_files, read_json, record, records, texts
from benchmarks.datasets.word import HeadingText, ParagraphText, WordItem, clean, document_of
from docxchunk.evaluation.questions import Benchmark, UnplacedQuestion, benchmark
from docxchunk.model.document import Document
from docxchunk.model.options import ParseOptions

_BETWEEN: Final = " ::: "  # separator of section and subsection names
_FLOAT: Final = "FLOAT SELECTED"  # evidence in a figure or table, of which the set has only the caption


def load(path: Path, options: ParseOptions) -> Benchmark:
    """Load the papers of a `qasper-*.json` file, or of all in a folder.

    Gold is the evidence of the first answer with evidence in the text. Questions without any are left out.
    """
    documents: list[Document] = []
    asked: list[UnplacedQuestion] = []
    for file in in_files(path, "qasper-*.json"):
        for name, paper in record(read_json(file)).items():
            found = record(paper)
            documents.append(document_of(f"{name}.docx", clean(str(found["title"])), _items(found), options))
            asked += [_asked(question, f"{name}.docx") for question in records(found["qas"])]
    return benchmark("qasper", documents, asked)


def _items(paper: DatasetRecord) -> Iterator[WordItem]:
    yield HeadingText(1, "Abstract")
    yield ParagraphText(str(paper["abstract"]))
    above: list[str] = []
    for section in records(paper["full_text"]):
        names = str(section.get("section_name") or "").split(_BETWEEN)
        for level, name in enumerate(names, 1):
            if name.strip() and (level == len(names) or above[:level] != names[:level]):
                yield HeadingText(min(level, 9), name)
        above = names
        yield from (ParagraphText(text) for text in texts(section["paragraphs"]) if text.strip())


def _asked(question: DatasetRecord, document: str) -> UnplacedQuestion:
    answers = [record(item["answer"]) for item in records(question["answers"])]
    evidence = [[clean(text) for text in texts(answer["evidence"]) if text.strip() and not text.startswith(_FLOAT)] for answer in answers]
    gold = next((found for found in evidence if found), [])
    said = tuple(text for answer in answers if (text := _said(answer)))
    return UnplacedQuestion(str(question["question"]), document, tuple(gold), said, id=str(question.get("question_id", "")))


def _said(answer: DatasetRecord) -> str:
    """Return the answer as the published script does; "" if the question is marked as unanswerable."""
    spans, free, decided = texts(answer["extractive_spans"]), str(answer["free_form_answer"] or ""), answer.get("yes_no")
    return ", ".join(spans) or free or ("" if decided is None else "Yes" if decided else "No")
