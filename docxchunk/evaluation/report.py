"""Build a report of results: tables, charts and verdict, to be rendered by `markdown` and `html`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from docxchunk.evaluation.display import NOTHING, Curve, Differences, EvaluationReport, LineChart, ReportTable, percent, said
from docxchunk.evaluation.reading import MEASURES
from docxchunk.evaluation.report_measures import all_measures, by_rank
from docxchunk.evaluation.report_questions import about_of, failed_of, left_out_of
from docxchunk.evaluation.retrievers import Fused
from docxchunk.evaluation.runs import Cuts, Path, Plan, Results, RunScores
from docxchunk.evaluation.sizes import TOLERANCE
from docxchunk.evaluation.statistics import Estimate, Vector, estimate, paired_difference
from docxchunk.evaluation.verdict import VerdictBasis, points, sentences, verdict

_MAIN: Final = ("R@5", "P@5", "IoU@5", "full@5", "P_omega", "MRR@10", "MAP@10", "DCG@5")
_COMPARED: Final = ("F1", *(name for name in MEASURES if name != "F1"))

PATH_WORDS: Final = {Path.NONE: "text alone", Path.HEADINGS: "heading path before the text", Path.TITLE: "title and heading path before the text"}


def report_of(results: Results, baseline: str, facts: Sequence[tuple[str, str]] = ()) -> EvaluationReport:
    """Return the report of a run. Differences are paired by question, to `baseline`."""
    found = results.benchmark
    asked, differences = _asked(results, baseline)
    failed = failed_of(results, baseline, primary_of(results))
    about = (*about_of(found), *facts, ("hit, for MRR and MAP", _hit(results.plan.hit_share)), ("memory", _peak()))
    blocks = [(retriever, path) for retriever in results.plan.retrievers for path in results.plan.paths]
    tables = [_sizes(results), *_primary(results, baseline), *(_quality(results, *block) for block in blocks)]
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
            for table in (_pairs(results), *(table for block in blocks for table in _measures(results, *block)), left_out_of(found.left_out))
            if table.rows
        ),
    )


def _hit(share: float) -> str:
    return (
        f"a chunk that contains {share * 100:.0f} % of a passage of the answer, or of which {share * 100:.0f} % is in one"
        if share
        else "a chunk that overlaps a passage of the answer"
    )


def _asked(results: Results, baseline: str) -> tuple[VerdictBasis, dict[str, Estimate]]:
    """Return the basis of the verdict, the primary measure with the first path, and the differences in it."""
    measure, path = primary_of(results), results.plan.paths[0]
    retriever = _with_mean(results.plan)[-1] if len(_single(results.plan)) > 1 else next(iter(results.plan.retrievers))
    base = _vector(results, baseline, path, retriever, measure)
    others = [name for name in results.plan.chunkers if name != baseline]
    differences = {name: estimate(base - _vector(results, name, path, retriever, measure), results.clusters) for name in others}
    what = f"{said(measure)} characters ({_MEAN_SAID if retriever == _MEAN else retriever}, {PATH_WORDS[path]})"
    return VerdictBasis(what, len(results.clusters), len({*results.clusters})), differences


def _by_placing(results: Results) -> ReportTable:
    """Return the primary measure, separately for answers found verbatim and those located by ROUGE-L; no rows without the latter."""
    near = np.array([bool(question.evidence) for question in results.benchmark.questions], dtype=bool)
    columns = [(retriever, path, kept) for path in results.plan.paths for retriever in results.plan.retrievers for kept in (~near, near)]
    header = ("chunker", *(f"{retriever}, path {path}, {'ROUGE-L' if kept is near else 'verbatim'}" for retriever, path, kept in columns))
    rows = tuple(
        (name, *(percent(_mean_of(results.cell(name, path, retriever).scores[primary_of(results)][kept])) for retriever, path, kept in columns))
        for name in results.plan.chunkers
    )
    note = f"In percent: answers that occur verbatim ({(~near).sum():,}), and answers located by ROUGE-L ({near.sum():,})."
    return ReportTable(f"{said(primary_of(results))}: verbatim answers, and those located by ROUGE-L", note, header, rows if near.any() else ())


def _mean_of(values: Vector) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _pairs(results: Results) -> ReportTable:
    """Return the pairwise differences of all chunkers in the primary measure."""
    measure, columns = primary_of(results), [(retriever, path) for path in results.plan.paths for retriever in _with_mean(results.plan)]
    rows = tuple(
        (f"{left} - {right}", *(points(_difference(results, left, right, path, retriever, measure).interval()) for retriever, path in columns))
        for left, right in combinations(results.plan.chunkers, 2)
    )
    note = "Differences in points, with 95 % intervals; of twenty pairs without any difference, one interval may exclude 0 by chance."
    return ReportTable(f"{said(measure)}: all pairs", note, ("pair", *(f"{retriever}, path {path}" for retriever, path in columns)), rows)


def _difference(results: Results, left: str, right: str, path: Path, retriever: str, measure: str) -> Estimate:  # noqa: PLR0913, PLR0917
    return estimate(_vector(results, left, path, retriever, measure) - _vector(results, right, path, retriever, measure), results.clusters)


def _sizes(results: Results) -> ReportTable:
    target = results.plan.equal_sizes
    note = f"Each chunker was tuned to a mean of {target} tokens." if target else "Each chunker was given the same size."
    note += (
        " Cut: the share of passages of answers that no chunk contains whole, and of tables in several chunks."
        " Introduced: of the tables after a caption or other paragraph, the share whose first row is in one chunk with the last sentence of it."
        " ROUGE: how often ROUGE-L recall of the evidence selects the same chunk as its position."
        " Models: texts computed, and tokens, for all sizes tried."
    )
    header = ("chunker", "requested", "chunks", "mean tokens", "largest", "cut %", "tables cut %", "introduced %", "ROUGE %", "seconds", "models")
    return ReportTable("Chunks", note, header, tuple(_size_row(cuts, target) for cuts in results.cuts))


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
    """Return the name of the primary measure: recall in 4,000 characters, or in the largest smaller budget."""
    return f"recall@{results.plan.primary}"


def _primary(results: Results, baseline: str) -> Iterator[ReportTable]:
    """Yield the primary measure of each chunker and path; then the effect of each path."""
    measure, clusters = primary_of(results), results.clusters
    retrievers, paths = _with_mean(results.plan), results.plan.paths
    columns = [(retriever, path) for path in paths for retriever in retrievers]
    header = ("chunker", *(f"{retriever}, path {path}" for retriever, path in columns))
    note = f"In percent; in brackets the difference to {baseline} with the same path, in points, and its 95 % interval (paired, documents as clusters)."
    rows = tuple(
        (
            name,
            *(
                _compared(_vector(results, name, path, r, measure), _vector(results, baseline, path, r, measure), clusters, name == baseline)
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
                *(points(paired_difference(_vector(results, name, p, r, measure), _vector(results, name, Path.NONE, r, measure), clusters)) for r, p in wanted),
            )
            for name in results.plan.chunkers
        )
        yield ReportTable(
            f"{said(measure)}: the effect of the path",
            "The same chunks with the path in the indexed text, minus without; the path's characters are charged to the budget.",
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
    return np.asarray(np.mean([results.cell(chunker, path, name).scores[measure] for name in names], axis=0))


def _compared(values: Vector, base: Vector, clusters: Sequence[str], is_base: bool) -> str:  # noqa: FBT001
    share = percent(float(values.mean()))
    return share if is_base else f"{share} ({points(paired_difference(values, base, clusters))})"


def _quality(results: Results, retriever: str, path: Path) -> ReportTable:
    budgets = results.plan.budgets
    names = [*(f"recall@{budget}" for budget in budgets), "area", f"together@{primary_of(results).rpartition('@')[2]}", *_MAIN]
    header = ("chunker", *map(said, names), "seconds", "model tokens")
    rows = tuple(
        (cell.chunker, *(percent(_mean(cell, name)) for name in names), f"{cell.seconds:.2f}", f"{cell.spent.tokens:,}" if cell.spent.asked else NOTHING)
        for cell in _cells(results, retriever, path)
    )
    note = "In percent. Recall, area: the share of the answers' characters within the budget. Together: all of an answer in one chunk within the budget."
    return ReportTable(f"{retriever}, {PATH_WORDS[path]}", note, header, rows)


def _answers(results: Results, baseline: str, retriever: str, path: Path) -> ReportTable:
    known = np.array([bool(question.answers) for question in results.benchmark.questions])
    clusters = [cluster for cluster, there in zip(results.clusters, known, strict=True) if there]
    base = results.cell(baseline, path, retriever)
    first, *others = _COMPARED
    rows = tuple(
        (
            cell.chunker,
            _compared(cell.scores[first][known], base.scores[first][known], clusters, cell.chunker == baseline),
            *(percent(float(cell.scores[name][known].mean())) for name in others),
            f"{cell.read.computed:,} / {cell.read.tokens:,}",
        )
        for cell in _cells(results, retriever, path)
    )
    note = (
        f"In percent, over the questions with reference answers ({known.sum():,}); differences of F1 as above. BLEU is of each answer, not smoothed; the last"
        " column has prompts, and tokens that the model read and wrote."
    )
    return ReportTable(f"Answers from {results.plan.primary:,} characters: {retriever}, {PATH_WORDS[path]}", note, ("chunker", *_COMPARED, "model"), rows)


def _measures(results: Results, retriever: str, path: Path) -> tuple[ReportTable, ReportTable]:
    cells, title = _cells(results, retriever, path), f"{retriever}, {PATH_WORDS[path]}"
    return all_measures(cells, results.clusters, title), by_rank(cells, title)


def _chart(results: Results, retriever: str, path: Path) -> LineChart:
    curves = tuple(
        Curve(cell.chunker, tuple((budget, _mean(cell, f"recall@{budget}")) for budget in sorted(results.plan.budgets)))
        for cell in _cells(results, retriever, path)
    )
    return LineChart(f"{retriever}, {PATH_WORDS[path]}", curves)


def _forest(results: Results, baseline: str, retriever: str, path: Path) -> Differences:
    measure = primary_of(results)
    base = _vector(results, baseline, path, retriever, measure)
    names = [name for name in results.plan.chunkers if name != baseline]
    rows = tuple((name, paired_difference(_vector(results, name, path, retriever, measure), base, results.clusters)) for name in names)
    return Differences(f"{said(measure)} minus that of {baseline}: {retriever}, {PATH_WORDS[path]}", rows)


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
