"""What a suite found, as tables: each set, and the mean over sets, in which every set weighs alike and clusters belong to their sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from docxchunk.evaluation.display import Report, Table, percent, said
from docxchunk.evaluation.questions import Benchmark
from docxchunk.evaluation.report_questions import left_out_of
from docxchunk.evaluation.runs import PRIMARY
from docxchunk.evaluation.sizes import TOLERANCE
from docxchunk.evaluation.statistics import Estimate, estimate, pooled
from docxchunk.evaluation.suites import MEAN, Measured, Suite
from docxchunk.evaluation.verdict import Asked, points, verdict

_IN_THE_MEAN: Final = "mean of the sets"


def suite_report(suite: Suite, found: Sequence[tuple[Benchmark, Sequence[Measured]]], facts: Sequence[tuple[str, str]]) -> Report:
    """A table for each size, retriever and budget; the pairs that are named; then how the chunks came out."""
    cells = [cell for _, each in found for cell in each]
    ways = [(size, retriever) for size in suite.sizes for retriever in _retrievers(suite)]
    tables = [_compared(suite, [cell for cell in cells if cell.size == size], retriever, budget) for size, retriever in ways for budget in suite.budgets]
    return Report(
        title=suite.title,
        verdict="\n\n".join(_verdicts(suite, cells)),
        facts=tuple(facts),
        tables=(_sets(found), *tables, *_pairs(suite, cells)),
        charts=(),
        differences=(),
        details=(*(_chunks(suite, cells, size) for size in suite.sizes), *(table for each, _ in found if (table := left_out_of(each)).rows)),
    )


def _retrievers(suite: Suite) -> tuple[str, ...]:
    return (*suite.retrievers, MEAN) if len(suite.retrievers) > 1 else suite.retrievers


def _sets(found: Sequence[tuple[Benchmark, Sequence[Measured]]]) -> Table:
    header = ("set", "documents", "characters", "questions", "independent documents", "left out", "placed by ROUGE-L", "in the mean", "what its documents are")
    rows = tuple(
        (
            cells[0].set.name,
            f"{len(each.sources):,}",
            f"{sum(len(source.text) for source in each.sources):,}",
            f"{len(each.questions):,}",
            f"{len({question.cluster for question in each.questions}):,}",
            f"{len(each.left_out):,}",
            f"{sum(bool(question.evidence) for question in each.questions):,}",
            "yes" if cells[0].set.pooled else "no",
            each.note,
        )
        for each, cells in found
    )
    return Table("Sets", "What was asked, and how much of it is independent: questions on one document are not.", header, rows)


def _compared(suite: Suite, cells: Sequence[Measured], retriever: str, budget: int) -> Table:
    measure = f"recall@{budget}"
    header = ("chunker", *(cell.set.name for cell in cells), *([_IN_THE_MEAN] if _pooled(cells) else []))
    rows = tuple(tuple(_row(suite, name, cells, retriever, measure)) for name in suite.names)
    note = f"In percent; in brackets the difference to {suite.baseline}, in points, with its 95 % interval."
    return Table(f"{cells[0].size} tokens, {retriever}: {said(measure)} characters", note, header, rows)


def _row(suite: Suite, name: str, cells: Sequence[Measured], retriever: str, measure: str) -> Iterator[str]:
    yield name
    for cell in cells:
        share = percent(_share([cell], name, retriever, measure))
        yield share if name == suite.baseline else f"{share} ({_points([cell], name, suite.baseline, retriever, measure)})"
    if kept := _pooled(cells):
        share = percent(_share(kept, name, retriever, measure))
        yield share if name == suite.baseline else f"{share} ({_points(kept, name, suite.baseline, retriever, measure)})"


def _pooled(cells: Sequence[Measured]) -> list[Measured]:
    """Those that count in the mean; none where that would be of one set."""
    kept = [cell for cell in cells if cell.set.pooled]
    return kept if len(kept) > 1 else []


def _share(cells: Sequence[Measured], name: str, retriever: str, measure: str) -> float:
    return sum(float(cell.scores[name, retriever, measure].mean()) for cell in cells) / len(cells)


def difference(cells: Sequence[Measured], left: str, right: str, retriever: str, measure: str) -> Estimate:
    """Left - right, every set weighing alike."""
    return pooled([estimate(cell.scores[left, retriever, measure] - cell.scores[right, retriever, measure], cell.clusters) for cell in cells])


def _points(cells: Sequence[Measured], left: str, right: str, retriever: str, measure: str) -> str:
    return points(difference(cells, left, right, retriever, measure).interval())


def _pairs(suite: Suite, cells: Sequence[Measured]) -> Iterator[Table]:
    if not suite.pairs:
        return
    for retriever in _retrievers(suite):
        columns = [(size, budget) for size in suite.sizes for budget in suite.budgets]
        rows = tuple(_pair_row(pair, kept, retriever, columns, cells) for pair in suite.pairs for kept in _groups(cells))
        header = ("pair", "set", *(f"{size} tokens, {budget:,}" for size, budget in columns))
        yield Table(f"Pairs, {retriever}", "Differences of recall, in points, with 95 % intervals, by size of chunks and characters.", header, rows)


def _groups(cells: Sequence[Measured]) -> list[tuple[str, list[str]]]:
    """The sets by name, and those of the mean together."""
    names = list(dict.fromkeys(cell.set.name for cell in cells))
    mean = [name for name in names if any(cell.set.name == name and cell.set.pooled for cell in cells)]
    return [*((name, [name]) for name in names), *([(_IN_THE_MEAN, mean)] if len(mean) > 1 else [])]


def _pair_row(
    pair: tuple[str, str], group: tuple[str, list[str]], retriever: str, columns: Sequence[tuple[int, int]], cells: Sequence[Measured]
) -> tuple[str, ...]:
    name, members = group
    found = (
        _points([cell for cell in cells if cell.size == size and cell.set.name in members], *pair, retriever, f"recall@{budget}") for size, budget in columns
    )
    return (f"{pair[0]} - {pair[1]}", name, *found)


def _verdicts(suite: Suite, cells: Sequence[Measured]) -> Iterator[str]:
    """By recall in 4,000 characters, or in the largest budget under that, in the mean of the sets."""
    budget = max((budget for budget in suite.budgets if budget <= PRIMARY), default=min(suite.budgets))
    retriever, measure = _retrievers(suite)[-1], f"recall@{budget}"
    for size in suite.sizes:
        at_size = [cell for cell in cells if cell.size == size]
        kept = _pooled(at_size) or at_size[:1]
        differences = {name: difference(kept, suite.baseline, name, retriever, measure) for name in suite.names if name != suite.baseline}
        what = f"{said(measure)} characters, chunks of {size} tokens ({retriever}, {_IN_THE_MEAN if len(kept) > 1 else kept[0].set.name})"
        yield verdict(Asked(what, sum(len(cell.clusters) for cell in kept), sum(len({*cell.clusters}) for cell in kept)), suite.baseline, differences)


def _chunks(suite: Suite, cells: Sequence[Measured], size: int) -> Table:
    kept = [cell for cell in cells if cell.size == size]
    rows = tuple(
        (name, *(f"{cuts.mean_tokens:.0f}{_off(cuts.mean_tokens, size)} of {cuts.max_tokens:,}" for cell in kept for cuts in cell.cuts if cuts.chunker == name))
        for name in suite.names
    )
    note = "Tokens in the mean, of the limit that was asked for to have them; marked where they could not be made equal."
    return Table(f"Chunks of {size} tokens", note, ("chunker", *(cell.set.name for cell in kept)), rows)


def _off(mean: float, size: int) -> str:
    return " (not equal)" if abs(mean - size) > TOLERANCE * size else ""
