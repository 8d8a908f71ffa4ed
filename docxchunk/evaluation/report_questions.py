"""Describe the questions in a report: their number, their documents, those left out and those that failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from docxchunk.evaluation.display import FailedQuestion, FoundInstead, ReportTable, percent
from docxchunk.evaluation.passages import Passage
from docxchunk.evaluation.questions import Benchmark, LeftOut, Question
from docxchunk.evaluation.runs import Results, RunScores
from docxchunk.formats.markdown import markdown

_MOST_LISTED: Final = 200
_MOST_FAILED: Final = 50
_SHOWN: Final = 300  # characters of a text


def about_of(found: Benchmark) -> tuple[tuple[str, str], ...]:
    """Return the facts on documents and questions."""
    documents = f"{len(found.sources):,}, {sum(len(source.text) for source in found.sources):,} characters"
    clusters = len({question.cluster for question in found.questions})
    near = sum(bool(question.evidence) for question in found.questions)
    return (
        ("documents", f"{documents}{f'; {found.note}' if found.note else ''}"),
        ("questions", f"{len(found.questions):,} on {clusters:,} independent documents"),
        ("left out", f"{len(found.left_out):,}, whose answers were not found in a document"),
        ("located by ROUGE-L", f"{near:,}, whose answers do not occur verbatim"),
    )


def left_out_of(left_out: Sequence[LeftOut], title: str = "Left out") -> ReportTable:
    """Return a table of the questions that were not asked, at most 200."""
    rows = tuple(map(tuple, left_out[:_MOST_LISTED]))
    more = len(left_out) - len(rows)
    note = "Questions of the data set that were not asked, and why." + (f" There are {more:,} more." if more else "")
    return ReportTable(title, note, ("question", "document", "why"), rows)


class FailedQuestions(NamedTuple):
    """The failed questions to show, and the number of all."""

    shown: tuple[FailedQuestion, ...]
    in_all: int


def failed_of(results: Results, baseline: str, measure: str) -> FailedQuestions:
    """Return the questions with zero recall for the baseline, by the first retriever and path; first those with the best recall for others."""
    retriever, path = next(iter(results.plan.retrievers)), results.plan.paths[0]
    names = [baseline, *(name for name in results.plan.chunkers if name != baseline)]
    cells = [results.cell(name, path, retriever) for name in names]
    numbers = [number for number, score in enumerate(cells[0].scores.get(measure, ())) if score == 0 and cells[0].first]
    numbers.sort(key=lambda number: -max((cell.scores[measure][number] for cell in cells[1:]), default=0))
    return FailedQuestions(tuple(_failed(results.benchmark, number, cells, measure) for number in numbers[:_MOST_FAILED]), len(numbers))


def _failed(found: Benchmark, number: int, cells: Sequence[RunScores], measure: str) -> FailedQuestion:
    question = found.questions[number]
    document, wanted = _wanted(found, question)
    instead = [FoundInstead(cell.chunker, f"{percent(float(cell.scores[measure][number]))} %", *_place(found, cell.first[number])) for cell in cells]
    return FailedQuestion(question.text, document, wanted, tuple(instead))


def _wanted(found: Benchmark, question: Question) -> tuple[str, str]:
    """Return document and text of the first gold span."""
    start, end = question.gold[0]
    source = next(source for source in reversed(found.sources) if source.offset <= start)
    return source.name, _excerpt(source.text[start - source.offset : end - source.offset])


def _place(found: Benchmark, passage: Passage) -> tuple[str, str]:
    """Return document and heading path of a passage, and an excerpt."""
    return ", ".join(filter(None, (found.sources[passage.source].name, passage.path))), _excerpt(passage.text)


def _excerpt(text: str) -> str:
    """Return the beginning of a text, rendered as Markdown."""
    short = "\n".join(filter(None, markdown(text).splitlines()))
    return short if len(short) <= _SHOWN else short[:_SHOWN].rstrip() + " …"
