"""Run each chunker with each retriever and path, and compute all measures of every question, and
the costs.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docxchunk.lab.evaluation import metrics
from docxchunk.lab.evaluation.chunkers import Sized, are_units, cut_all, tuned
from docxchunk.lab.evaluation.passages import (
    PassageIndex,
    ShownPassage,
    SourceText,
    holds,
    path_of,
    sentences_of,
    text_at,
    with_header,
    with_path,
)
from docxchunk.lab.evaluation.plans import Plan, Prefix
from docxchunk.lab.evaluation.questions import Benchmark
from docxchunk.lab.evaluation.retrievers import Tell, ranked
from docxchunk.lab.evaluation.scores import (
    MEASURES,
    RankedPassages,
    answered,
    measured,
    read_within,
    recalls,
)
from docxchunk.model.ports import Costs, costs_so_far
from docxchunk.records import Record, line

_ROUGE_SAMPLE: Final = 50


def total_costs(models: Iterable[object]) -> Costs:
    return sum(map(costs_so_far, models), Costs())


class Cuts(NamedTuple):
    """Statistics of the chunks of one chunker."""

    chunker: str
    max_tokens: int  # requested
    chunks: int
    mean_tokens: float
    largest: int
    cut_rate: float  # share of gold spans that no chunk contains whole
    answer_tokens: float  # mean over the gold spans, of the chunk with most of each
    rouge_agreement: float  # share of questions where ROUGE and overlap name the same chunk
    tables_cut: float  # share of tables in more than one chunk; NaN without tables
    # share of introduced tables with introduction and first row in one chunk; NaN without any
    introduced: float
    seconds: float  # CPU time for the chosen size
    costs: Costs  # of models, for all sizes that were tried


class RunScores(NamedTuple):
    """Scores by measure, one for each question, in order."""

    chunker: str
    path: Prefix
    retriever: str
    scores: Mapping[str, NDArray[np.float64]]
    until_complete: NDArray[np.float64]  # characters read until the answer is; infinity if never
    seconds: float  # CPU time for indexing and ranking
    costs: Costs  # of embedding models
    reading: Costs  # of the reader
    first: tuple[ShownPassage, ...]  # the first passage for each question; empty without passages


@dataclass(frozen=True, slots=True)
class Results:
    benchmark: Benchmark
    plan: Plan
    cuts: tuple[Cuts, ...]
    cells: tuple[RunScores, ...]

    @property
    def clusters(self) -> list[str]:
        return [question.cluster for question in self.benchmark.questions]

    def cell(self, chunker: str, path: Prefix, retriever: str) -> RunScores:
        return next(cell for cell in self.cells if cell[:3] == (chunker, path, retriever))


class Half(StrEnum):
    """A half of the documents: settings are chosen on DEV, and reported on TEST."""

    ALL = "all"
    DEV = "dev"
    TEST = "test"


def half_of(benchmark: Benchmark, half: Half) -> Benchmark:
    """Return the documents of one half, with the questions whose documents are all in it."""
    numbers_in_half = [
        number for number, source in enumerate(benchmark.sources) if in_half(source.name, half)
    ]
    numbers = {old: new for new, old in enumerate(numbers_in_half)}
    questions = tuple(
        question._replace(documents=frozenset(numbers[number] for number in question.documents))
        for question in benchmark.questions
        if question.documents <= numbers.keys()
    )
    return replace(
        benchmark,
        sources=tuple(benchmark.sources[number] for number in numbers_in_half),
        questions=questions,
    )


def in_half(name: str, half: Half) -> bool:
    """Return whether a document is in a half, which a hash of its name decides. All documents are
    in `Half.ALL`.
    """
    is_dev = hashlib.blake2b(name.encode("utf-8", "surrogatepass")).digest()[0] % 2 == 1
    return half is Half.ALL or is_dev == (half is Half.DEV)


def run(benchmark: Benchmark, plan: Plan, tell: Tell = lambda _: None) -> Results:
    """Run the plan. `tell` is called with progress messages."""
    return _PlanRun(benchmark, plan, tell).results()


class _PlanRun:
    """A plan with the documents and questions that it is run on."""

    def __init__(self, benchmark: Benchmark, plan: Plan, tell: Tell) -> None:
        self._benchmark, self._plan, self._tell = benchmark, plan, tell
        self._sentences = sentences_of(benchmark.sources)
        self._steps = count(1)

    def results(self) -> Results:
        plan, sources = self._plan, self._benchmark.sources
        cuts: list[Cuts] = []
        cells: list[RunScores] = []
        for name, chunker in plan.chunkers.items():
            self._tell_step(f"{name} cuts")
            before = total_costs(plan.models)
            sized = (
                tuned(chunker, sources, plan.equal_sizes)
                if plan.equal_sizes and not are_units(name)
                else cut_all(chunker, sources, plan.equal_sizes or plan.max_tokens)
            )
            costs = total_costs(plan.models) - before
            index = PassageIndex(sized.passages)
            relevant = [index.touching(question.gold) for question in self._benchmark.questions]
            cuts.append(self._cuts(name, sized, costs, index, relevant))
            for path in plan.paths:
                headed = [_headed(passage, path, sources) for passage in sized.passages]
                for retriever in plan.retrievers:
                    self._tell_step(f"{name}, {retriever}, path {path}")
                    cells.append(self._scores((name, path, retriever), headed, relevant))
        return Results(self._benchmark, plan, tuple(cuts), tuple(cells))

    def _tell_step(self, text: str) -> None:
        plan = self._plan
        steps = len(plan.chunkers) * (1 + len(plan.paths) * len(plan.retrievers))
        self._tell(f"{next(self._steps)} of {steps}: {text}")

    def _cuts(
        self,
        name: str,
        sized: Sized,
        costs: Costs,
        index: PassageIndex,
        relevant: Sequence[Sequence[int]],
    ) -> Cuts:
        """Return the statistics of the passages of one chunker, without any search.

        `relevant` has, for each question, the indices of the passages that overlap the gold.
        """
        benchmark, passages = self._benchmark, sized.passages
        gold_and_passages = [
            (span, [passages[i] for i in numbers])
            for question, numbers in zip(benchmark.questions, relevant, strict=True)
            for span in question.gold
        ]
        is_whole = [
            any(holds(passage.spans, span) for passage in overlapping)
            for span, overlapping in gold_and_passages
        ]
        answer_tokens = [
            overlapping[best].tokens
            for span, overlapping in gold_and_passages
            if (best := metrics.best_by_overlap(overlapping, [span])) is not None
        ]
        tables = [table for source in benchmark.sources for table in source.tables]
        introduced = [
            table
            for source in benchmark.sources
            for table in metrics.introduced(source, self._sentences)
        ]
        return Cuts(
            chunker=name,
            max_tokens=sized.max_tokens,
            chunks=len(passages),
            mean_tokens=sized.mean,
            largest=max((passage.tokens for passage in passages), default=0),
            cut_rate=1 - _mean(is_whole),
            answer_tokens=_mean(answer_tokens),
            rouge_agreement=math.nan if self._plan.brief else _agreement(benchmark, passages),
            tables_cut=_mean([len(index.touching([table])) > 1 for table in tables]),
            introduced=_mean(metrics.kept_together(introduced, passages, index)),
            seconds=sized.seconds,
            costs=costs,
        )

    def _scores(
        self,
        name: tuple[str, Prefix, str],
        passages: Sequence[ShownPassage],
        relevant: Sequence[Sequence[int]],
    ) -> RunScores:
        """Return the scores of all questions for one chunker, path and retriever: `name`.

        `relevant` has, for each question, the indices of the passages that overlap the gold.
        """
        plan, questions = self._plan, self._benchmark.questions
        costs_before = total_costs(plan.models)
        rows: list[dict[str, float]] = []
        until_complete: list[float] = []
        first_passages: list[ShownPassage] = []
        texts_to_read: list[list[str]] = []
        seconds = 0.0
        lengths = np.array([len(passage.text) for passage in passages], dtype=np.int64)
        all_scores = plan.retrievers[name[2]](passages, [question.text for question in questions])
        for question, numbers in zip(questions, relevant, strict=True):
            start = time.process_time()
            order = ranked(next(all_scores))
            seconds += time.process_time() - start
            ranking = RankedPassages(question, passages, order.tolist(), numbers)
            rows.append(
                recalls(ranking, plan.budgets)
                if plan.brief
                else measured(ranking, plan.budgets, self._sentences, plan.hit_share)
            )
            until_complete.append(_until_complete(ranking, order, lengths))
            first_passages += [passages[i] for i in ranking.order[:1]]
            if plan.reader:
                in_order = (passages[i] for i in ranking.order)
                texts_to_read.append(read_within(in_order, plan.primary))
        costs = total_costs(plan.models) - costs_before
        answer_scores, reading_costs = self._read(texts_to_read)
        rows = [row | scores for row, scores in zip(rows, answer_scores, strict=True)]
        return RunScores(
            *name,
            scores={
                measure: np.array([row[measure] for row in rows], dtype=np.float64)
                for measure in (rows[0] if rows else ())
            },
            until_complete=np.array(until_complete),
            seconds=seconds,
            costs=costs,
            reading=reading_costs,
            first=tuple(first_passages),
        )

    def _read(self, texts_to_read: Sequence[Sequence[str]]) -> tuple[list[dict[str, float]], Costs]:
        """Let the reader answer each question from the texts for it. Return the scores of the
        answers, and the costs. Without a reader, there are no scores.
        """
        reader, questions = self._plan.reader, self._benchmark.questions
        if reader is None:
            return [{} for _ in questions], Costs()
        costs_before = total_costs([reader])
        answer_scores = answered(reader, questions, texts_to_read, self._tell)
        return answer_scores, total_costs([reader]) - costs_before


def _until_complete(
    ranking: RankedPassages, order: NDArray[np.int64], lengths: NDArray[np.int64]
) -> float:
    """Return how many characters are read until the gold is shown. `order` has the indices of the
    passages in the order of the ranking, and `lengths` the length of each passage.
    """
    ranks = np.flatnonzero(np.isin(order, ranking.relevant))
    before = np.cumsum(lengths[order])[ranks] - lengths[order[ranks]]
    with_gold = zip(before.tolist(), (ranking.passages[i] for i in order[ranks]), strict=True)
    return metrics.characters_until_complete(with_gold, ranking.question.gold)


def _headed(passage: ShownPassage, path: Prefix, sources: Sequence[SourceText]) -> ShownPassage:
    match path:
        case Prefix.NONE:
            return passage
        case Prefix.HEADINGS:
            return with_path(passage, passage.path)
        case Prefix.TITLE:
            title_and_path = path_of(sources[passage.source], passage.path)
            indexed = with_header(passage).indexed if passage.chunk else passage.indexed
            return replace(with_path(passage, title_and_path), indexed=indexed)
        case Prefix.EMBED:
            return with_header(passage)


def _agreement(benchmark: Benchmark, passages: Sequence[ShownPassage]) -> float:
    """Return how often ROUGE and overlap select the same chunk, for a sample of the questions."""
    step = max(1, len(benchmark.questions) // _ROUGE_SAMPLE)
    agreed = []
    for question in benchmark.questions[::step]:
        near = [passage for passage in passages if passage.source in question.documents]
        evidence = " ".join(text_at(benchmark.sources, span) for span in question.gold)
        agreed.append(
            metrics.best_by_rouge(near, evidence) == metrics.best_by_overlap(near, question.gold)
        )
    return _mean(agreed)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


# -- scores.jsonl


def question_scores(
    results: Results, about: Mapping[str, str | int] | None = None
) -> Iterator[bytes]:
    """Yield a line of JSON for each question and each set of scores. It begins with `about`.

    A line has recall and "together" (the answer in one chunk) for each budget, the main measures by
    rank, and the scores of the reader's answer. `read` is the number of characters until 95 % of
    the answer is read; null means never.
    """
    measures = [
        *(f"recall@{budget}" for budget in results.plan.budgets),
        *(f"together@{budget}" for budget in results.plan.budgets),
        *("R@5", "full@5", "MRR@10", "DCG@5"),
        *MEASURES,
    ]
    for cell in results.cells:
        columns = [(name, cell.scores[name]) for name in measures if name in cell.scores]
        for number, question in enumerate(results.benchmark.questions):
            record: Record = {
                **(about or {}),
                "question": question.text,
                "id": question.id or None,
                "cluster": question.cluster,
                "placed": "rouge" if question.evidence else "text",
                "chunker": cell.chunker,
                "path": cell.path.value,
                "retriever": cell.retriever,
            }
            for name, column in columns:
                score = float(column[number])
                record[name] = None if math.isnan(score) else round(score, 6)
            read = cell.until_complete[number]
            record["read"] = int(read) if math.isfinite(read) else None
            yield line(record)
