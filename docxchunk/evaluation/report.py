"""Build a report of results (tables, charts, verdict, questions that failed), and the lines of
scores.jsonl.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from docxchunk.evaluation.answers import MEASURES
from docxchunk.evaluation.chunkers import TOLERANCE
from docxchunk.evaluation.passages import Passage
from docxchunk.evaluation.questions import Benchmark, LeftOut, Question
from docxchunk.evaluation.rendering import (
    NOTHING,
    Curve,
    Differences,
    EvaluationReport,
    FailedQuestion,
    FoundInstead,
    LineChart,
    ReportTable,
    percent,
    said,
    shown,
)
from docxchunk.evaluation.retrievers import Fused
from docxchunk.evaluation.runs import KS, Cuts, Path, Plan, Results, RunScores
from docxchunk.evaluation.statistics import (
    Estimate,
    Interval,
    Vector,
    VerdictBasis,
    estimate,
    mean_interval,
    paired_difference,
    points,
    sentences,
    verdict,
)
from docxchunk.formats.markdown import markdown
from docxchunk.markup.records.fields import Record, line

_MAIN: Final = ("R@5", "P@5", "IoU@5", "full@5", "P_omega", "MRR@10", "MAP@10", "DCG@5")
_COMPARED: Final = ("F1", *(name for name in MEASURES if name != "F1"))

PATH_WORDS: Final = {
    Path.NONE: "text alone",
    Path.HEADINGS: "heading path before the text",
    Path.TITLE: "title and heading path before the text",
    Path.EMBED: "embedding header indexed with the text",
}


def report_of(
    results: Results, baseline: str, facts: Sequence[tuple[str, str]] = ()
) -> EvaluationReport:
    """Return the report of a run. Differences are paired by question, to `baseline`."""
    found = results.benchmark
    asked, differences = _asked(results, baseline)
    failed = failed_of(results, baseline, primary_of(results))
    about = (
        *about_of(found),
        *facts,
        ("hit, for MRR and MAP", _hit(results.plan.hit_share)),
        ("memory", _peak()),
    )
    blocks = [
        (retriever, path) for retriever in results.plan.retrievers for path in results.plan.paths
    ]
    tables = [
        _sizes(results),
        *_primary(results, baseline),
        *(_quality(results, *block) for block in blocks),
    ]
    if results.plan.reader and any(question.answers for question in found.questions):
        tables += [_answers(results, baseline, *block) for block in blocks]
    return EvaluationReport(
        title=f"Evaluation: {found.name}",
        verdict=verdict(asked, baseline, differences),
        headline=sentences(asked, baseline, differences),
        measure=asked.measure,
        failed=failed.shown,
        failed_in_all=failed.in_all,
        facts=about,
        tables=tuple(table for table in (*tables, _by_placing(results)) if table.rows),
        charts=tuple(_chart(results, *block) for block in blocks),
        differences=tuple(_forest(results, baseline, *block) for block in blocks),
        details=tuple(
            table
            for table in (
                _pairs(results),
                *(table for block in blocks for table in _measures(results, *block)),
                left_out_of(found.left_out),
            )
            if table.rows
        ),
    )


def _hit(share: float) -> str:
    return (
        f"a chunk that contains {share * 100:.0f} % of a passage of the answer, or of "
        f"which {share * 100:.0f} % is in one"
        if share
        else "a chunk that overlaps a passage of the answer"
    )


def _asked(results: Results, baseline: str) -> tuple[VerdictBasis, dict[str, Estimate]]:
    """Return the basis of the verdict, the primary measure with the first path, and the differences
    in it.
    """
    measure, path = primary_of(results), results.plan.paths[0]
    retriever = (
        _with_mean(results.plan)[-1]
        if len(_single(results.plan)) > 1
        else next(iter(results.plan.retrievers))
    )
    base = _vector(results, baseline, path, retriever, measure)
    others = [name for name in results.plan.chunkers if name != baseline]
    differences = {
        name: estimate(base - _vector(results, name, path, retriever, measure), results.clusters)
        for name in others
    }
    what = (
        f"{said(measure)} characters ({_MEAN_SAID if retriever == _MEAN else retriever}, "
        f"{PATH_WORDS[path]})"
    )
    return VerdictBasis(what, len(results.clusters), len({*results.clusters})), differences


def _by_placing(results: Results) -> ReportTable:
    """Return the primary measure, separately for answers found verbatim and those located by
    ROUGE-L; no rows without the latter.
    """
    near = np.array(
        [bool(question.evidence) for question in results.benchmark.questions], dtype=bool
    )
    columns = [
        (retriever, path, kept)
        for path in results.plan.paths
        for retriever in results.plan.retrievers
        for kept in (~near, near)
    ]
    header = (
        "chunker",
        *(
            f"{retriever}, path {path}, {'ROUGE-L' if kept is near else 'verbatim'}"
            for retriever, path, kept in columns
        ),
    )
    rows = tuple(
        (
            name,
            *(
                percent(
                    _mean_of(results.cell(name, path, retriever).scores[primary_of(results)][kept])
                )
                for retriever, path, kept in columns
            ),
        )
        for name in results.plan.chunkers
    )
    note = (
        f"In percent: answers that occur verbatim ({(~near).sum():,}), and answers located by "
        f"ROUGE-L ({near.sum():,})."
    )
    return ReportTable(
        f"{said(primary_of(results))}: verbatim answers, and those located by ROUGE-L",
        note,
        header,
        rows if near.any() else (),
    )


def _mean_of(values: Vector) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _pairs(results: Results) -> ReportTable:
    """Return the pairwise differences of all chunkers in the primary measure."""
    measure, columns = (
        primary_of(results),
        [
            (retriever, path)
            for path in results.plan.paths
            for retriever in _with_mean(results.plan)
        ],
    )
    rows = tuple(
        (
            f"{left} - {right}",
            *(
                points(_difference(results, left, right, path, retriever, measure).interval())
                for retriever, path in columns
            ),
        )
        for left, right in combinations(results.plan.chunkers, 2)
    )
    note = (
        "Differences in points, with 95 % intervals; of twenty pairs without any difference, "
        "one interval may exclude 0 by chance."
    )
    return ReportTable(
        f"{said(measure)}: all pairs",
        note,
        ("pair", *(f"{retriever}, path {path}" for retriever, path in columns)),
        rows,
    )


def _difference(  # noqa: PLR0913, PLR0917
    results: Results, left: str, right: str, path: Path, retriever: str, measure: str
) -> Estimate:
    return estimate(
        _vector(results, left, path, retriever, measure)
        - _vector(results, right, path, retriever, measure),
        results.clusters,
    )


def _sizes(results: Results) -> ReportTable:
    target = results.plan.equal_sizes
    note = (
        (f"Each chunker was tuned to a mean of {target} tokens.")
        if target
        else "Each chunker was given the same size."
    )
    note += (
        " Cut: the share of passages of answers that no chunk contains whole, and of "
        "tables in several chunks."
        " Introduced: of the tables after a caption or other paragraph, the share whose "
        "first row is in one chunk with the last sentence of it."
        " ROUGE: how often ROUGE-L recall of the evidence selects the same chunk as its position."
        " Models: texts computed, and tokens, for all sizes tried."
    )
    header = (
        "chunker",
        "requested",
        "chunks",
        "mean tokens",
        "largest",
        "cut %",
        "tables cut %",
        "introduced %",
        "ROUGE %",
        "seconds",
        "models",
    )
    return ReportTable(
        "Chunks", note, header, tuple(_size_row(cuts, target) for cuts in results.cuts)
    )


def _size_row(cuts: Cuts, target: int | None) -> tuple[str, ...]:
    off = target is not None and abs(cuts.mean_tokens - target) > TOLERANCE * target
    return (
        cuts.chunker,
        f"{cuts.max_tokens:,}",
        f"{cuts.chunks:,}",
        f"{cuts.mean_tokens:.0f}" + (" (not equal)" if off else ""),
        f"{cuts.largest:,}",
        percent(cuts.cut_rate),
        percent(cuts.tables_cut),
        percent(cuts.introduced),
        percent(cuts.rouge_agreement),
        f"{cuts.seconds:.2f}",
        f"{cuts.spent.computed:,} / {cuts.spent.tokens:,}" if cuts.spent.asked else NOTHING,
    )


def primary_of(results: Results) -> str:
    """Return the name of the primary measure: recall in 4,000 characters, or in the largest smaller
    budget.
    """
    return f"recall@{results.plan.primary}"


def _primary(results: Results, baseline: str) -> Iterator[ReportTable]:
    """Yield the primary measure of each chunker and path; then the effect of each path."""
    measure, clusters = primary_of(results), results.clusters
    retrievers, paths = _with_mean(results.plan), results.plan.paths
    columns = [(retriever, path) for path in paths for retriever in retrievers]
    header = ("chunker", *(f"{retriever}, path {path}" for retriever, path in columns))
    note = (
        f"In percent; in brackets the difference to {baseline} with the same path, in points, "
        "and its 95 % interval (paired, documents as clusters)."
    )
    rows = tuple(
        (
            name,
            *(
                _compared(
                    _vector(results, name, path, r, measure),
                    _vector(results, baseline, path, r, measure),
                    clusters,
                    name == baseline,
                )
                for r, path in columns
            ),
        )
        for name in results.plan.chunkers
    )
    yield ReportTable(f"{said(measure)}: by chunker", note, header, rows)
    others = [path for path in paths if path is not Path.NONE]
    if Path.NONE in paths and others:
        wanted = [(retriever, path) for path in others for retriever in retrievers]
        rows = tuple(
            (
                name,
                *(
                    points(
                        paired_difference(
                            _vector(results, name, p, r, measure),
                            _vector(results, name, Path.NONE, r, measure),
                            clusters,
                        )
                    )
                    for r, p in wanted
                ),
            )
            for name in results.plan.chunkers
        )
        yield ReportTable(
            f"{said(measure)}: the effect of the path",
            "The same chunks with the path in the indexed text, minus without; the "
            "path's characters are charged to the budget.",
            ("chunker", *(f"{retriever}, path {path}" for retriever, path in wanted)),
            rows,
        )


_MEAN: Final = "mean"
_MEAN_SAID: Final = "mean of the retrievers"


def _with_mean(plan: Plan) -> list[str]:
    return [*plan.retrievers, _MEAN] if len(_single(plan)) > 1 else [*plan.retrievers]


def _single(plan: Plan) -> list[str]:
    """Return the retrievers that do not combine others."""
    return [name for name, retriever in plan.retrievers.items() if not isinstance(retriever, Fused)]


def _vector(results: Results, chunker: str, path: Path, retriever: str, measure: str) -> Vector:
    """Return a measure for every question, of a retriever or as the mean over retrievers."""
    names = _single(results.plan) if retriever == _MEAN else [retriever]
    return np.asarray(
        np.mean([results.cell(chunker, path, name).scores[measure] for name in names], axis=0)
    )


def _compared(values: Vector, base: Vector, clusters: Sequence[str], is_base: bool) -> str:  # noqa: FBT001
    share = percent(float(values.mean()))
    return share if is_base else f"{share} ({points(paired_difference(values, base, clusters))})"


def _quality(results: Results, retriever: str, path: Path) -> ReportTable:
    budgets = results.plan.budgets
    names = [
        *(f"recall@{budget}" for budget in budgets),
        "area",
        f"together@{primary_of(results).rpartition('@')[2]}",
        *_MAIN,
    ]
    header = ("chunker", *map(said, names), "seconds", "model tokens")
    rows = tuple(
        (
            cell.chunker,
            *(percent(_mean(cell, name)) for name in names),
            f"{cell.seconds:.2f}",
            f"{cell.spent.tokens:,}" if cell.spent.asked else NOTHING,
        )
        for cell in _cells(results, retriever, path)
    )
    note = (
        "In percent. Recall, area: the share of the answers' characters within the budget. "
        "Together: all of an answer in one chunk within the budget."
    )
    return ReportTable(f"{retriever}, {PATH_WORDS[path]}", note, header, rows)


def _answers(results: Results, baseline: str, retriever: str, path: Path) -> ReportTable:
    known = np.array([bool(question.answers) for question in results.benchmark.questions])
    clusters = [cluster for cluster, there in zip(results.clusters, known, strict=True) if there]
    base = results.cell(baseline, path, retriever)
    first, *others = _COMPARED
    rows = tuple(
        (
            cell.chunker,
            _compared(
                cell.scores[first][known],
                base.scores[first][known],
                clusters,
                cell.chunker == baseline,
            ),
            *(percent(float(cell.scores[name][known].mean())) for name in others),
            f"{cell.read.computed:,} / {cell.read.tokens:,}",
        )
        for cell in _cells(results, retriever, path)
    )
    note = (
        f"In percent, over the questions with reference answers ({known.sum():,}); "
        "differences of F1 as above. BLEU is of each answer, not smoothed; the last"
        " column has prompts, and tokens that the model read and wrote."
    )
    return ReportTable(
        f"Answers from {results.plan.primary:,} characters: {retriever}, {PATH_WORDS[path]}",
        note,
        ("chunker", *_COMPARED, "model"),
        rows,
    )


def _measures(results: Results, retriever: str, path: Path) -> tuple[ReportTable, ReportTable]:
    cells, title = _cells(results, retriever, path), f"{retriever}, {PATH_WORDS[path]}"
    return all_measures(cells, results.clusters, title), by_rank(cells, title)


def _chart(results: Results, retriever: str, path: Path) -> LineChart:
    curves = tuple(
        Curve(
            cell.chunker,
            tuple(
                (budget, _mean(cell, f"recall@{budget}")) for budget in sorted(results.plan.budgets)
            ),
        )
        for cell in _cells(results, retriever, path)
    )
    return LineChart(f"{retriever}, {PATH_WORDS[path]}", curves)


def _forest(results: Results, baseline: str, retriever: str, path: Path) -> Differences:
    measure = primary_of(results)
    base = _vector(results, baseline, path, retriever, measure)
    names = [name for name in results.plan.chunkers if name != baseline]
    rows = tuple(
        (
            name,
            paired_difference(
                _vector(results, name, path, retriever, measure), base, results.clusters
            ),
        )
        for name in names
    )
    return Differences(
        f"{said(measure)} minus that of {baseline}: {retriever}, {PATH_WORDS[path]}", rows
    )


def _cells(results: Results, retriever: str, path: Path) -> list[RunScores]:
    return [results.cell(name, path, retriever) for name in results.plan.chunkers]


def _mean(cell: RunScores, name: str) -> float:
    return float(np.mean(cell.scores[name]))


def _peak() -> str:
    """Return the peak memory of this process as text."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return "not known on this system"
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20:,.0f} MiB at most"


# -- all measures

_RANKED: Final = re.compile(r".*[^0-9]@\d{1,2}")
_SHOWN_KS: Final = (1, 3, 5, 10, 20)


def all_measures(cells: Sequence[RunScores], clusters: Sequence[str], title: str) -> ReportTable:
    """Return a table with a row for each measure and the interval of each mean."""
    names = [
        name
        for name in _known_measures(cells)
        if not _RANKED.fullmatch(name) or int(name.rpartition("@")[2]) in _SHOWN_KS
    ]
    rows = tuple(
        (said(name), *(shown(_interval(cell, name, clusters)) for cell in cells)) for name in names
    )
    note = (
        "In percent, with 95 % intervals of each mean. F1 of the mean precision and mean "
        "recall can be computed from their rows."
    )
    return ReportTable(
        f"All measures: {title}", note, ("measure", *(cell.chunker for cell in cells)), rows
    )


def by_rank(cells: Sequence[RunScores], title: str) -> ReportTable:
    """Return a table of means at every number of chunks that the papers use."""
    measures = [
        name
        for name in ("R", "hit", "answer", "relevant", "DCG")
        if f"{name}@1" in _known_measures(cells)
    ]
    rows = tuple(
        (
            f"{cell.chunker}: {name}",
            *(percent(float(np.nanmean(cell.scores[f"{name}@{k}"]))) for k in KS),
        )
        for name in measures
        for cell in cells
    )
    note = (
        "In percent, by the number of chunks. R: recall; hit: a chunk contains a passage "
        "of the answer whole; answer: a chunk contains an answer"
        " verbatim (Hits@k); relevant, DCG: by the rank of the chunk with most of the answer."
    )
    return ReportTable(f"By rank: {title}", note, ("measure", *map(str, KS)), rows)


def _known_measures(cells: Sequence[RunScores]) -> list[str]:
    """Return the measures with a value for at least one question."""
    return [
        name
        for name in (cells[0].scores if cells else ())
        if not all(np.isnan(cell.scores[name]).all() for cell in cells)
    ]


def _interval(cell: RunScores, name: str, clusters: Sequence[str]) -> Interval:
    values = cell.scores[name]
    known = ~np.isnan(values)
    return mean_interval(
        values[known], [cluster for cluster, there in zip(clusters, known, strict=True) if there]
    )


# -- questions

_MOST_LISTED: Final = 200
_MOST_FAILED: Final = 50
_SHOWN: Final = 300  # characters of a text


def about_of(found: Benchmark) -> tuple[tuple[str, str], ...]:
    """Return the facts on documents and questions."""
    documents = (
        f"{len(found.sources):,}, {sum(len(source.text) for source in found.sources):,} characters"
    )
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
    note = ("Questions of the data set that were not asked, and why.") + (
        f" There are {more:,} more." if more else ""
    )
    return ReportTable(title, note, ("question", "document", "why"), rows)


class FailedQuestions(NamedTuple):
    """The failed questions to show, and the number of all."""

    shown: tuple[FailedQuestion, ...]
    in_all: int


def failed_of(results: Results, baseline: str, measure: str) -> FailedQuestions:
    """Return the questions with zero recall for the baseline, by the first retriever and path;
    first those with the best recall for others.
    """
    retriever, path = next(iter(results.plan.retrievers)), results.plan.paths[0]
    names = [baseline, *(name for name in results.plan.chunkers if name != baseline)]
    cells = [results.cell(name, path, retriever) for name in names]
    numbers = [
        number
        for number, score in enumerate(cells[0].scores.get(measure, ()))
        if score == 0 and cells[0].first
    ]
    numbers.sort(
        key=lambda number: -max((cell.scores[measure][number] for cell in cells[1:]), default=0)
    )
    return FailedQuestions(
        tuple(
            _failed(results.benchmark, number, cells, measure) for number in numbers[:_MOST_FAILED]
        ),
        len(numbers),
    )


def _failed(
    found: Benchmark, number: int, cells: Sequence[RunScores], measure: str
) -> FailedQuestion:
    question = found.questions[number]
    document, wanted = _wanted(found, question)
    instead = [
        FoundInstead(
            cell.chunker,
            f"{percent(float(cell.scores[measure][number]))} %",
            *_place(found, cell.first[number]),
        )
        for cell in cells
    ]
    return FailedQuestion(question.text, document, wanted, tuple(instead))


def _wanted(found: Benchmark, question: Question) -> tuple[str, str]:
    """Return document and text of the first gold span."""
    start, end = question.gold[0]
    source = next(source for source in reversed(found.sources) if source.offset <= start)
    return source.name, _excerpt(source.text[start - source.offset : end - source.offset])


def _place(found: Benchmark, passage: Passage) -> tuple[str, str]:
    """Return document and heading path of a passage, and an excerpt."""
    return ", ".join(filter(None, (found.sources[passage.source].name, passage.path))), _excerpt(
        passage.text
    )


def _excerpt(text: str) -> str:
    """Return the beginning of a text, rendered as Markdown."""
    short = "\n".join(filter(None, markdown(text).splitlines()))
    return short if len(short) <= _SHOWN else short[:_SHOWN].rstrip() + " …"


# -- scores.jsonl

_BY_RANK: Final = ("R@5", "full@5", "MRR@10", "DCG@5")
_DIGITS: Final = 6


def question_scores(
    results: Results, about: Mapping[str, str | int] | None = None
) -> Iterator[bytes]:
    """Yield the lines. Each begins with `about`, followed by recall and "together" (the answer in
    one chunk) for each budget, the main measures by rank, and the scores of the reader's answer.
    """
    budgets = [
        f"{measure}@{budget}"
        for measure in ("recall", "together")
        for budget in results.plan.budgets
    ]
    for cell in results.cells:
        columns = [
            (name, cell.scores[name])
            for name in (*budgets, *_BY_RANK, *MEASURES)
            if name in cell.scores
        ]
        for number, question in enumerate(results.benchmark.questions):
            placed = "rouge" if question.evidence else "text"
            asked: Record = {
                **(about or {}),
                "question": question.text,
                "id": question.id or None,
                "cluster": question.cluster,
                "placed": placed,
            }
            found: Record = {
                "chunker": cell.chunker,
                "path": cell.path.value,
                "retriever": cell.retriever,
            }
            yield line(
                asked | found | {name: _rounded(float(column[number])) for name, column in columns}
            )


def _rounded(score: float) -> float | None:
    return None if math.isnan(score) else round(score, _DIGITS)
