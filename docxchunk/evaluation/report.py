"""Results as tables for people: what is shown, in which order; how it is written is the business of `markdown` and `html`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from docxchunk.evaluation.reading import MEASURES
from docxchunk.evaluation.retrievers import Fused
from docxchunk.evaluation.runs import Cell, Cuts, Path, Plan, Results, Vector
from docxchunk.evaluation.sizes import TOLERANCE
from docxchunk.evaluation.statistics import Interval, mean_interval, paired_difference

_MAIN: Final = ("R@5", "P@5", "IoU@5", "full@5", "P_omega", "MRR@10", "MAP@10", "DCG@5")
_COMPARED: Final = ("F1", *(name for name in MEASURES if name != "F1"))
_PERCENT: Final = 100
_NOTHING: Final = "–"

PATH_WORDS: Final = {Path.NONE: "text alone", Path.HEADINGS: "heading path before the text", Path.TITLE: "title and heading path before the text"}


class Table(NamedTuple):
    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Curve(NamedTuple):
    """Points of a line: budget, recall."""

    name: str
    points: tuple[tuple[int, float], ...]


class Chart(NamedTuple):
    title: str
    curves: tuple[Curve, ...]


class Differences(NamedTuple):
    """Each chunker against the baseline, in points."""

    title: str
    rows: tuple[tuple[str, Interval], ...]


class Report(NamedTuple):
    title: str
    facts: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    differences: tuple[Differences, ...]
    details: tuple[Table, ...]


def report_of(results: Results, baseline: str, facts: Sequence[tuple[str, str]] = ()) -> Report:
    """All that a run has to tell. Differences are to `baseline`, question by question."""
    found = results.benchmark
    asked = f"{len(found.questions):,} in {len({*results.clusters}):,} clusters"
    about = (
        ("documents", f"{len(found.sources):,}, {sum(len(source.text) for source in found.sources):,} characters"),
        ("questions", f"{asked}; of all the data, {found.dropped:,} left out, their places being unknown"),
        *facts,
        ("memory", _peak()),
    )
    blocks = [(retriever, path) for retriever in results.plan.retrievers for path in results.plan.paths]
    tables = [_sizes(results), *_primary(results, baseline), *(_quality(results, *block) for block in blocks)]
    if results.plan.reader and any(question.answers for question in found.questions):
        tables += [_answers(results, baseline, *block) for block in blocks]
    return Report(
        title=f"Evaluation: {found.name}",
        facts=about,
        tables=tuple(table for table in tables if table.rows),
        charts=tuple(_chart(results, *block) for block in blocks),
        differences=tuple(_forest(results, baseline, *block) for block in blocks),
        details=tuple(_everything(results, *block) for block in blocks),
    )


def _sizes(results: Results) -> Table:
    target = results.plan.equal_sizes
    note = f"Each chunker was asked for the size that gives a mean of {target} tokens." if target else "Each chunker was asked for the same size."
    note += (
        " Cut: the share of answers' places that no chunk holds whole, and of tables that stand in several chunks."
        " Introduced: the share of tables, of those after a caption or other paragraph, whose first row is in one chunk with the last sentence of that."
        " ROUGE: how often ROUGE-L recall of the evidence names the same chunk as its place does."
        " Models: texts computed, and tokens, for all sizes that were tried."
    )
    header = ("chunker", "asked for", "chunks", "mean tokens", "largest", "cut %", "tables cut %", "introduced %", "ROUGE %", "seconds", "models")
    return Table("Chunks", note, header, tuple(_size_row(cuts, target) for cuts in results.cuts))


def _size_row(cuts: Cuts, target: int | None) -> tuple[str, ...]:
    off = target is not None and abs(cuts.mean_tokens - target) > TOLERANCE * target
    return (
        cuts.chunker,
        f"{cuts.max_tokens:,}",
        f"{cuts.chunks:,}",
        f"{cuts.mean_tokens:.0f}" + (" (not equal)" if off else ""),
        f"{cuts.largest:,}",
        _percent(cuts.cut_rate),
        _percent(cuts.tables_cut),
        _percent(cuts.introduced),
        _percent(cuts.rouge_agreement),
        f"{cuts.seconds:.2f}",
        f"{cuts.spent.computed:,} / {cuts.spent.tokens:,}" if cuts.spent.asked else _NOTHING,
    )


def primary_of(results: Results) -> str:
    """The name of the measure that decides: recall in 4,000 characters, or in the largest budget under that."""
    return f"recall@{results.plan.primary}"


def _primary(results: Results, baseline: str) -> Iterator[Table]:
    """The cuts under each line before the text; then what that line does for each of the cuts."""
    measure, clusters = primary_of(results), results.clusters
    retrievers, paths = _with_mean(results.plan), results.plan.paths
    columns = [(retriever, path) for path in paths for retriever in retrievers]
    header = ("chunker", *(f"{retriever}, path {path}" for retriever, path in columns))
    note = (
        f"In percent; in brackets the difference to {baseline} with the same path, in points, and its 95 % interval (paired bootstrap, clusters drawn whole)."
    )
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
    yield Table(f"{_said(measure)}: the cuts", note, header, rows)
    others = [path for path in paths if path is not Path.NONE]
    if Path.NONE in paths and others:
        wanted = [(retriever, path) for path in others for retriever in retrievers]
        rows = tuple(
            (
                name,
                *(
                    _points(paired_difference(_vector(results, name, p, r, measure), _vector(results, name, Path.NONE, r, measure), clusters))
                    for r, p in wanted
                ),
            )
            for name in results.plan.chunkers
        )
        yield Table(
            f"{_said(measure)}: the line before the text",
            "The same chunks with the path in the indexed text, minus without; the path's characters are charged to the budget.",
            ("chunker", *(f"{retriever}, path {path}" for retriever, path in wanted)),
            rows,
        )


_MEAN: Final = "mean"


def _with_mean(plan: Plan) -> list[str]:
    return [*plan.retrievers, _MEAN] if len(_single(plan)) > 1 else [*plan.retrievers]


def _single(plan: Plan) -> list[str]:
    """The retrievers that are not made of the others."""
    return [name for name, retriever in plan.retrievers.items() if not isinstance(retriever, Fused)]


def _vector(results: Results, chunker: str, path: Path, retriever: str, measure: str) -> Vector:
    """A measure for every question; the mean over retrievers where that is asked for."""
    names = _single(results.plan) if retriever == _MEAN else [retriever]
    return np.asarray(np.mean([results.cell(chunker, path, name).scores[measure] for name in names], axis=0))


def _compared(values: Vector, base: Vector, clusters: Sequence[str], is_base: bool) -> str:  # noqa: FBT001
    share = _percent(float(values.mean()))
    return share if is_base else f"{share} ({_points(paired_difference(values, base, clusters))})"


def _quality(results: Results, retriever: str, path: Path) -> Table:
    budgets = results.plan.budgets
    names = [*(f"recall@{budget}" for budget in budgets), "area", f"together@{primary_of(results).rpartition('@')[2]}", *_MAIN]
    header = ("chunker", *map(_said, names), "seconds", "model tokens")
    rows = tuple(
        (cell.chunker, *(_percent(_mean(cell, name)) for name in names), f"{cell.seconds:.2f}", f"{cell.spent.tokens:,}" if cell.spent.asked else _NOTHING)
        for cell in _cells(results, retriever, path)
    )
    note = (
        "In percent. Recall, area: the share of the answers' characters in the first so many characters. Together: all of an answer in one chunk within them."
    )
    return Table(f"{retriever}, {PATH_WORDS[path]}", note, header, rows)


def _answers(results: Results, baseline: str, retriever: str, path: Path) -> Table:
    known = np.array([bool(question.answers) for question in results.benchmark.questions])
    clusters = [cluster for cluster, there in zip(results.clusters, known, strict=True) if there]
    base = results.cell(baseline, path, retriever)
    first, *others = _COMPARED
    rows = tuple(
        (
            cell.chunker,
            _compared(cell.scores[first][known], base.scores[first][known], clusters, cell.chunker == baseline),
            *(_percent(float(cell.scores[name][known].mean())) for name in others),
            f"{cell.read.computed:,} / {cell.read.tokens:,}",
        )
        for cell in _cells(results, retriever, path)
    )
    note = (
        f"In percent, over the questions whose answers are known ({known.sum():,}); differences of F1 as above. BLEU is of each answer, not smoothed; the last"
        " column has prompts, and tokens that the model read and wrote."
    )
    return Table(f"Answers from {results.plan.primary:,} characters: {retriever}, {PATH_WORDS[path]}", note, ("chunker", *_COMPARED, "model"), rows)


def _everything(results: Results, retriever: str, path: Path) -> Table:
    """All measures, a row each, with the interval of each mean."""
    cells = _cells(results, retriever, path)
    names = [name for name in (cells[0].scores if cells else ()) if not all(np.isnan(cell.scores[name]).all() for cell in cells)]
    rows = tuple((_said(name), *(_shown(_interval(cell, name, results.clusters)) for cell in cells)) for name in names)
    note = "In percent, with 95 % intervals of each mean. F1 of the mean precision and mean recall can be computed from their rows."
    return Table(f"All measures: {retriever}, {PATH_WORDS[path]}", note, ("measure", *(cell.chunker for cell in cells)), rows)


def _interval(cell: Cell, name: str, clusters: Sequence[str]) -> Interval:
    values = cell.scores[name]
    known = ~np.isnan(values)
    return mean_interval(values[known], [cluster for cluster, there in zip(clusters, known, strict=True) if there])


def _chart(results: Results, retriever: str, path: Path) -> Chart:
    curves = tuple(
        Curve(cell.chunker, tuple((budget, _mean(cell, f"recall@{budget}")) for budget in sorted(results.plan.budgets)))
        for cell in _cells(results, retriever, path)
    )
    return Chart(f"{retriever}, {PATH_WORDS[path]}", curves)


def _forest(results: Results, baseline: str, retriever: str, path: Path) -> Differences:
    measure = primary_of(results)
    base = _vector(results, baseline, path, retriever, measure)
    names = [name for name in results.plan.chunkers if name != baseline]
    rows = tuple((name, paired_difference(_vector(results, name, path, retriever, measure), base, results.clusters)) for name in names)
    return Differences(f"{_said(measure)} minus that of {baseline}: {retriever}, {PATH_WORDS[path]}", rows)


def _cells(results: Results, retriever: str, path: Path) -> list[Cell]:
    return [results.cell(name, path, retriever) for name in results.plan.chunkers]


def _mean(cell: Cell, name: str) -> float:
    return float(np.mean(cell.scores[name]))


def _said(measure: str) -> str:
    """Recall@4000 is of characters; all others are of ranks."""
    name, at, number = measure.partition("@")
    return f"{name} in {int(number):,}" if at and name in ("recall", "together") else measure


def _percent(share: float) -> str:
    return _NOTHING if math.isnan(share) else f"{share * _PERCENT:.1f}"


def _points(found: Interval) -> str:
    if math.isnan(found.low):
        return f"{found.mean * _PERCENT:+.1f}"
    return f"{found.mean * _PERCENT:+.1f} [{found.low * _PERCENT:+.1f}, {found.high * _PERCENT:+.1f}]"


def _shown(found: Interval) -> str:
    if math.isnan(found.low):
        return _percent(found.mean)
    return f"{_percent(found.mean)} [{_percent(found.low)}, {_percent(found.high)}]"


def _peak() -> str:
    """The most memory that this process has held so far."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return "not known on this system"
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20:,.0f} MiB at most"
