"""Build a report of results: the verdict, warnings, facts, tables, charts, and the questions that
failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from docxchunk.formats.markdown import markdown
from docxchunk.lab.bench.machine import peak_memory
from docxchunk.lab.evaluation.passages import source_at, text_at
from docxchunk.lab.evaluation.questions import Benchmark, LeftOut
from docxchunk.lab.evaluation.rendering import (
    EvaluationReport,
    FailedQuestion,
    FoundInstead,
    percent,
)
from docxchunk.lab.evaluation.runs import Results
from docxchunk.lab.evaluation.statistics import VerdictBasis, sentences, warnings
from docxchunk.lab.evaluation.tables import ComparedRun, block_title, is_off, left_out_of
from docxchunk.model.wording import counted, shortened

_MOST_FAILED: Final = 50
_MAX_EXCERPT: Final = 300  # characters of a text


def report_of(results: Results, facts: Sequence[tuple[str, str]] = ()) -> EvaluationReport:
    """Return the report of a run. Differences are paired by question, to the first chunker."""
    comparison = ComparedRun(results)
    baseline = comparison.baseline
    benchmark, plan = results.benchmark, results.plan
    first = comparison.first_column
    basis = VerdictBasis(
        f"{comparison.title} characters ({block_title(first)})",
        len(benchmark.questions),
        len({*results.clusters}),
    )
    differences = {name: comparison.difference(baseline, name, first) for name in comparison.others}
    blocks = sorted(comparison.columns, key=lambda column: [*plan.retrievers].index(column[0]))
    failed = _failed(comparison)
    headline = sentences(basis, baseline, differences)
    tables = [
        comparison.primary(),
        comparison.sizes(),
        comparison.path_effects(),
        *map(comparison.quality, blocks),
        *(map(comparison.answers, blocks) if plan.reader else ()),
    ]
    details = [
        comparison.pairs(),
        *map(comparison.all_measures, blocks),
        left_out_of(benchmark.left_out),
    ]
    return EvaluationReport(
        title=f"Evaluation: {benchmark.name}",
        verdict=" ".join((_recalls(comparison, basis.measure), *headline)),
        headline=headline,
        measure=basis.measure,
        notes=(*_warnings(comparison), *_left_out_note(benchmark.left_out)),
        failed=tuple(_failed_question(comparison, number) for number in failed[:_MOST_FAILED]),
        failed_in_all=len(failed),
        facts=(
            *_about(benchmark),
            *facts,
            ("hit, for MRR and MAP", _hit(plan.hit_share)),
            ("memory", _peak()),
        ),
        tables=tuple(table for table in tables if table.rows),
        plots=tuple(map(comparison.plots, blocks)),
        details=tuple(table for table in details if table.rows),
    )


def _recalls(comparison: ComparedRun, measure: str) -> str:
    """Return a sentence with the recall of each chunker."""
    column = comparison.first_column
    recalls = (
        f"{name} {percent(float(comparison.values(name, column).mean()))} %"
        for name in comparison.names
    )
    return f"{measure[0].upper()}{measure[1:]}: {', '.join(recalls)}."


def _warnings(comparison: ComparedRun) -> tuple[str, ...]:
    """Return the reasons why differences may not be visible, or come from the sizes of chunks. The
    size of a typical document is the median over the questions.
    """
    questions, sources = comparison.benchmark.questions, comparison.benchmark.sources
    lengths = [
        sum(len(sources[number].text) for number in question.documents) for question in questions
    ]
    best = max(
        float(comparison.values(name, comparison.first_column).mean()) for name in comparison.names
    )
    median = float(np.median(lengths))
    return (
        *warnings(comparison.title, best, comparison.plan.primary, median),
        *_unequal_sizes(comparison),
    )


def _unequal_sizes(comparison: ComparedRun) -> Iterator[str]:
    """Yield a warning if chunkers that should have one mean size do not."""
    target = comparison.plan.equal_sizes
    sizes = [
        f"{cuts.chunker} {cuts.mean_tokens:.0f}"
        for cuts in comparison.results.cuts
        if is_off(cuts.mean_tokens, target)
    ]
    if sizes:
        yield (
            f"Sizes: {target} tokens on average were asked for, and these have others: "
            f"{', '.join(sizes)}. A part of their differences comes from the size."
        )


# -- questions that failed


def _failed(comparison: ComparedRun) -> list[int]:
    """Return the indices of the questions with zero recall for the baseline. Those with the best
    recall for other chunkers are first.
    """
    base, *others = comparison.cells(comparison.first_column)
    return sorted(
        (number for number, score in enumerate(base.scores[comparison.measure]) if score == 0),
        key=lambda number: (
            -max((cell.scores[comparison.measure][number] for cell in others), default=0)
        ),
    )


def _failed_question(comparison: ComparedRun, number: int) -> FailedQuestion:
    question = comparison.benchmark.questions[number]
    sources, gold = comparison.benchmark.sources, question.gold[0]
    return FailedQuestion(
        question.text,
        source_at(sources, gold).name,
        _excerpt(text_at(sources, gold)),
        tuple(
            FoundInstead(
                cell.chunker,
                f"{percent(float(cell.scores[comparison.measure][number]))} %",
                ", ".join(filter(None, (sources[first.source].name, first.path))),
                _excerpt(first.text),
            )
            for cell in comparison.cells(comparison.first_column)
            for first in cell.first[number : number + 1]  # none without chunks
        ),
    )


def _excerpt(text: str) -> str:
    short = "\n".join(filter(None, markdown(text).splitlines()))
    return short if len(short) <= _MAX_EXCERPT else short[:_MAX_EXCERPT].rstrip() + " …"


# -- facts


def _about(benchmark: Benchmark) -> tuple[tuple[str, str], ...]:
    texts, questions = benchmark.sources, benchmark.questions
    documents = f"{len(texts):,}, {sum(len(source.text) for source in texts):,} characters"
    clusters = len({question.cluster for question in questions})
    near = sum(bool(question.evidence) for question in questions)
    return (
        ("documents", documents + (f"; {benchmark.note}" if benchmark.note else "")),
        ("questions", f"{len(questions):,} on {clusters:,} independent documents"),
        ("left out", f"{len(benchmark.left_out):,}, whose answers were not found in a document"),
        ("located by ROUGE-L", f"{near:,}, whose answers do not occur verbatim"),
    )


def _hit(share: float) -> str:
    return (
        f"a chunk that contains {share * 100:.0f} % of a passage of the answer, or has "
        f"{share * 100:.0f} % of its own text in one"
        if share
        else "a chunk that overlaps a passage of the answer"
    )


def _peak() -> str:
    try:
        return f"{peak_memory() / 2**20:,.0f} MiB at most"
    except ModuleNotFoundError:  # Windows
        return "not known on this system"


def _left_out_note(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    if not left_out:
        return ()
    names = "; ".join(f"{shortened(item.question, 60)!r} ({item.why})" for item in left_out[:3])
    more = f"; and {len(left_out) - 3:,} more" if len(left_out) > 3 else ""
    return (f"Left out: {counted(len(left_out), 'question')}: {names}{more}.",)
