"""The tables and charts of a report.

A column of a table of scores is a retriever with a path (what is put before the text of a chunk); a
row is a chunker.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, compress
from typing import Final, TypeVar

import numpy as np

from docxchunk.lab.evaluation.chunkers import TOLERANCE
from docxchunk.lab.evaluation.plans import Prefix
from docxchunk.lab.evaluation.questions import LeftOut
from docxchunk.lab.evaluation.rendering import (
    NOTHING,
    Curves,
    Forest,
    ReportTable,
    curves,
    forest,
    measure_title,
    percent,
    percent_range,
)
from docxchunk.lab.evaluation.retrievers import Fused
from docxchunk.lab.evaluation.runs import Results, RunScores
from docxchunk.lab.evaluation.scores import MEASURES
from docxchunk.lab.evaluation.statistics import (
    Estimate,
    Vector,
    estimate,
    points,
)

Column = tuple[str, Prefix]  # retriever, path
_Row = TypeVar("_Row")

PATH_WORDS: Final = {
    Prefix.NONE: "text alone",
    Prefix.HEADINGS: "heading path before the text",
    Prefix.TITLE: "title and heading path before the text",
    Prefix.EMBED: "embedding header indexed with the text",
}

_RANKED: Final = re.compile(r".*[^0-9]@\d{1,2}")
_SHOWN_KS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 20)  # those of the papers
_MOST_LISTED: Final = 200


class ComparedRun:
    """The results of a run, with the first chunker as the baseline."""

    def __init__(self, results: Results) -> None:
        self.results, self.plan = results, results.plan
        self.benchmark, self.clusters = results.benchmark, results.clusters
        self.measure = f"recall@{self.plan.primary}"
        self.title = measure_title(self.measure)
        self.names = [*self.plan.chunkers]
        self.baseline, *self.others = self.names
        self.columns = [
            (retriever, path) for path in self.plan.paths for retriever in self.plan.retrievers
        ]

    @property
    def first_column(self) -> Column:
        """The column of the verdict: the first path, with the retriever that combines the others.
        If none does, the first retriever.
        """
        names = self.plan.retrievers
        combined = (name for name in names if isinstance(names[name], Fused))
        return next(combined, next(iter(names))), self.plan.paths[0]

    def values(self, name: str, column: Column) -> Vector:
        """Return the primary measure of a chunker for every question."""
        return self.cell(name, column).scores[self.measure]

    def difference(self, left: str, right: str, column: Column) -> Estimate:
        return estimate(self.values(left, column) - self.values(right, column), self.clusters)

    def compared(self, values: Vector, base: Vector, clusters: Sequence[str], name: str) -> str:
        """Return the mean in percent, with its difference to the mean of the baseline."""
        share = percent(float(values.mean()))
        if name == self.baseline:
            return share
        return f"{share} ({points(estimate(values - base, clusters).interval())})"

    def cell(self, name: str, column: Column) -> RunScores:
        return self.results.cell(name, column[1], column[0])

    def cells(self, column: Column) -> list[RunScores]:
        return [self.cell(name, column) for name in self.names]

    def primary(self) -> ReportTable:
        return _grid(
            f"{self.title}: by chunker",
            f"In percent; in brackets the difference to {self.baseline} with the same path, in "
            "points, and its 95 % interval (paired, documents as clusters).",
            "chunker",
            ((name, name) for name in self.names),
            self.columns,
            lambda name, column: self.compared(
                self.values(name, column), self.values(self.baseline, column), self.clusters, name
            ),
        )

    def path_effects(self) -> ReportTable:
        """Return the effect of each path. The table has no rows if nothing was measured without a
        path.
        """
        with_path = [column for column in self.columns if column[1] is not Prefix.NONE]
        names = self.names if with_path and Prefix.NONE in self.plan.paths else []

        def effect(name: str, column: Column) -> str:
            bare = self.values(name, (column[0], Prefix.NONE))
            return points(estimate(self.values(name, column) - bare, self.clusters).interval())

        return _grid(
            f"{self.title}: the effect of the path",
            "The same chunks with the path in the indexed text, minus without; the "
            "path's characters are charged to the budget.",
            "chunker",
            ((name, name) for name in names),
            with_path,
            effect,
        )

    def pairs(self) -> ReportTable:
        """Return the differences of all pairs of chunkers."""
        return _grid(
            f"{self.title}: all pairs",
            "Differences in points, with 95 % intervals; of twenty pairs without any difference, "
            "one interval may exclude 0 by chance.",
            "pair",
            [(" - ".join(pair), pair) for pair in combinations(self.names, 2)],
            self.columns,
            lambda pair, column: points(self.difference(*pair, column).interval()),
        )

    def quality(self, column: Column) -> ReportTable:
        measures = [
            *(f"recall@{budget}" for budget in self.plan.budgets),
            "area",
            f"together@{self.plan.primary}",
            *("R@5", "P@5", "IoU@5", "full@5", "P_omega", "MRR@10", "MAP@10", "DCG@5"),
        ]
        return ReportTable(
            block_title(column),
            "In percent. Recall, area: the share of the answers' characters within the budget. "
            "Together: all of an answer in one chunk within the budget. Read: the characters of "
            "ranked text until 95 % of the answer is read, the median.",
            ("chunker", *map(measure_title, measures), "read", "seconds", "model tokens"),
            tuple(
                (
                    cell.chunker,
                    *(percent(float(np.mean(cell.scores[measure]))) for measure in measures),
                    characters(float(np.median(cell.until_complete))),
                    f"{cell.seconds:.2f}",
                    f"{cell.costs.tokens:,}" if cell.costs.asked else NOTHING,
                )
                for cell in self.cells(column)
            ),
        )

    def answers(self, column: Column) -> ReportTable:
        """Return the scores of the reader's answers; no rows without reference answers."""
        has_answers = np.array([bool(question.answers) for question in self.benchmark.questions])
        clusters = [*compress(self.clusters, has_answers)]
        base = self.cell(self.baseline, column)
        other_measures = [measure for measure in MEASURES if measure != "F1"]
        return ReportTable(
            f"Answers from {self.plan.primary:,} characters: {block_title(column)}",
            f"In percent, over the questions with reference answers ({has_answers.sum():,}); "
            "differences of F1 as above. BLEU is of each answer, not smoothed; the last"
            " column has prompts, and tokens that the model read and wrote.",
            ("chunker", "F1", *other_measures, "model"),
            tuple(
                (
                    cell.chunker,
                    self.compared(
                        cell.scores["F1"][has_answers],
                        base.scores["F1"][has_answers],
                        clusters,
                        cell.chunker,
                    ),
                    *(
                        percent(float(cell.scores[measure][has_answers].mean()))
                        for measure in other_measures
                    ),
                    f"{cell.reading.computed:,} / {cell.reading.tokens:,}",
                )
                for cell in (self.cells(column) if has_answers.any() else ())
            ),
        )

    def all_measures(self, column: Column) -> ReportTable:
        """Return a table with a row for each measure and the interval of each mean."""
        cells = self.cells(column)

        def mean(cell: RunScores, measure: str) -> str:
            has_value = ~np.isnan(cell.scores[measure])
            clusters = [*compress(self.clusters, has_value)]
            return percent_range(estimate(cell.scores[measure][has_value], clusters).interval())

        return ReportTable(
            f"All measures: {block_title(column)}",
            "In percent, with 95 % intervals of each mean; @ is the number of chunks. F1 of the "
            "mean precision and mean recall can be computed from their rows. R: recall; hit: a "
            "chunk contains a passage of the answer whole; answer: a chunk contains an answer "
            "verbatim (Hits@k); relevant, DCG: by the rank of the chunk with most of the answer.",
            ("measure", *self.names),
            tuple(
                (measure_title(measure), *(mean(cell, measure) for cell in cells))
                for measure in _known_measures(cells[0])
                if not _RANKED.fullmatch(measure) or int(measure.rpartition("@")[2]) in _SHOWN_KS
            ),
        )

    def plots(self, column: Column) -> tuple[Curves, Forest]:
        """Return recall over budget, and the differences to the baseline."""
        title, budgets = block_title(column), sorted(self.plan.budgets)
        recalls = {
            cell.chunker: [(n, float(np.mean(cell.scores[f"recall@{n}"]))) for n in budgets]
            for cell in self.cells(column)
        }
        differences = {
            name: self.difference(name, self.baseline, column).interval() for name in self.others
        }
        return (
            curves(title, recalls),
            forest(f"{self.title} minus that of {self.baseline}: {title}", differences),
        )

    def sizes(self) -> ReportTable:
        target = self.plan.equal_sizes
        how = (
            f"Each chunker was tuned to a mean of {target} tokens."
            if target
            else "Each chunker was given the same size."
        )
        return ReportTable(
            "Chunks",
            how + " Cut: the share of passages of answers that no chunk contains whole, and of "
            "tables in several chunks. With answers: the mean size of the chunks that have the "
            "most of a passage of an answer."
            " Introduced: of the tables after a caption or other paragraph, the share whose "
            "first row is in one chunk with the last sentence of that paragraph."
            " ROUGE: how often ROUGE-L recall of the evidence selects the same chunk as its"
            " position. Models: texts computed, and tokens, for all sizes tried.",
            (
                *("chunker", "requested", "chunks", "mean tokens", "with answers", "largest"),
                "cut %",
                *("tables cut %", "introduced %", "ROUGE %", "seconds", "models"),
            ),
            tuple(
                (
                    cuts.chunker,
                    f"{cuts.max_tokens:,}",
                    f"{cuts.chunks:,}",
                    mean_size(cuts.mean_tokens, target),
                    f"{cuts.answer_tokens:.0f}",
                    f"{cuts.largest:,}",
                    percent(cuts.cut_rate),
                    percent(cuts.tables_cut),
                    percent(cuts.introduced),
                    percent(cuts.rouge_agreement),
                    f"{cuts.seconds:.2f}",
                    f"{cuts.costs.computed:,} / {cuts.costs.tokens:,}"
                    if cuts.costs.asked
                    else NOTHING,
                )
                for cuts in self.results.cuts
            ),
        )


def left_out_of(left_out: Sequence[LeftOut]) -> ReportTable:
    """Return a table of the questions that were not asked, at most 200."""
    more = len(left_out) - _MOST_LISTED
    return ReportTable(
        "Left out",
        "Questions of the data set that were not asked, and why."
        + (f" There are {more:,} more." if more > 0 else ""),
        ("question", "document", "why"),
        tuple(map(tuple, left_out[:_MOST_LISTED])),
    )


def _grid(  # noqa: PLR0913, PLR0917
    title: str,
    note: str,
    corner: str,
    rows: Iterable[tuple[str, _Row]],
    columns: Sequence[Column],
    value: Callable[[_Row, Column], str],
) -> ReportTable:
    """Return a table with a value for each row and column. A row is a name and the key for
    `value`.
    """
    return ReportTable(
        title,
        note,
        (corner, *(f"{retriever}, path {path}" for retriever, path in columns)),
        tuple((name, *(value(row, column) for column in columns)) for name, row in rows),
    )


def block_title(column: Column) -> str:
    return f"{column[0]}, {PATH_WORDS[column[1]]}"


def characters(number: float) -> str:
    """Return a number of characters; "never" for infinity."""
    return f"{number:,.0f}" if math.isfinite(number) else "never"


def mean_size(mean: float, target: int | None) -> str:
    """Return a mean number of tokens, marked if the other chunkers have another one."""
    return f"{mean:.0f}" + (" (not equal)" if is_off(mean, target) else "")


def is_off(mean: float, target: int | None) -> bool:
    """Return whether a mean size is not the one that was asked for."""
    return target is not None and abs(mean - target) > TOLERANCE * target


def _known_measures(cell: RunScores) -> list[str]:
    """Return the measures with a value for at least one question; all chunkers have the same."""
    return [measure for measure, values in cell.scores.items() if not np.isnan(values).all()]
