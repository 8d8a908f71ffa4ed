"""Run each chunker with each retriever and path: all measures of every question, and costs."""

from __future__ import annotations

import hashlib
import math
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docxchunk.evaluation import metrics
from docxchunk.evaluation.answers import answered, holds_answer, read_within
from docxchunk.evaluation.chunkers import PassageChunker, Sized, are_units, cut_all, tuned
from docxchunk.evaluation.metrics import introduced, kept_together
from docxchunk.evaluation.passages import (
    Passage,
    PassageIndex,
    SourceText,
    Span,
    holds,
    path_of,
    sentences_of,
    text_at,
    with_header,
    with_path,
)
from docxchunk.evaluation.questions import Benchmark, Question
from docxchunk.evaluation.retrievers import Retriever, ranked
from docxchunk.model.ports import Completer, Costs

BUDGETS: Final = (1000, 2000, 4000, 8000)
PRIMARY: Final = 4000  # characters
_ROUGE_SAMPLE: Final = 50


class Path(StrEnum):
    """The text that is put before a passage and indexed with it. It counts against budgets, except
    that of EMBED.
    """

    NONE = "none"
    HEADINGS = "headings"
    TITLE = "title"  # the document's title, and the headings
    # the part of TITLE that the text does not show: indexed only, not shown and not counted
    EMBED = "embed"


class Half(StrEnum):
    """A half of the documents: settings are chosen on DEV, and reported on TEST."""

    ALL = "all"
    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: chunkers and retrievers by name. With `equal_sizes`, each chunker is tuned to
    that mean size in tokens. Otherwise its limit is `max_tokens`.
    """

    chunkers: Mapping[str, PassageChunker]
    retrievers: Mapping[str, Retriever]
    max_tokens: int = 400
    equal_sizes: int | None = None
    budgets: tuple[int, ...] = BUDGETS
    paths: tuple[Path, ...] = (Path.NONE,)
    models: tuple[object, ...] = ()  # of chunkers and retrievers, whose costs are reported
    reader: Completer | None = None  # answers questions from the retrieved passages
    hit_share: float = metrics.HIT_SHARE  # minimum share of a gold span for a hit of MRR and MAP
    brief: bool = False  # only recall within the budgets, and the characters until it is complete

    @property
    def primary(self) -> int:
        """The budget of the primary measure and of the reader: 4,000 characters, or the largest
        smaller one.
        """
        return max(
            (budget for budget in self.budgets if budget <= PRIMARY), default=min(self.budgets)
        )


def total_costs(models: Iterable[object]) -> Costs:
    """Return the sum of the costs of the models that report them."""
    costs = (getattr(model, "costs", None) for model in models)
    return sum((each for each in costs if isinstance(each, Costs)), Costs())


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
    path: Path
    retriever: str
    scores: Mapping[str, NDArray[np.float64]]
    until_complete: NDArray[np.float64]  # characters read until the answer is; infinity if never
    seconds: float  # CPU time for indexing and ranking
    costs: Costs  # of embedding models
    reading: Costs  # of the reader
    first: tuple[Passage, ...]  # the first passage for each question; empty without passages


@dataclass(frozen=True, slots=True)
class Results:
    benchmark: Benchmark
    plan: Plan
    cuts: tuple[Cuts, ...]
    cells: tuple[RunScores, ...]

    @property
    def clusters(self) -> list[str]:
        return [question.cluster for question in self.benchmark.questions]

    def cell(self, chunker: str, path: Path, retriever: str) -> RunScores:
        return next(cell for cell in self.cells if cell[:3] == (chunker, path, retriever))


def half_of(benchmark: Benchmark, half: Half) -> Benchmark:
    """Return the documents of one half, by a hash of their names, with their questions."""
    if half is Half.ALL:
        return benchmark
    kept = [number for number, source in enumerate(benchmark.sources) if in_half(source.name, half)]
    numbers = {old: new for new, old in enumerate(kept)}
    questions = tuple(
        question._replace(documents=frozenset(numbers[number] for number in question.documents))
        for question in benchmark.questions
        if question.documents <= numbers.keys()
    )
    return replace(
        benchmark, sources=tuple(benchmark.sources[number] for number in kept), questions=questions
    )


def in_half(name: str, half: Half) -> bool:
    """Return whether a document of this name is in a half."""
    is_dev = hashlib.blake2b(name.encode("utf-8", "surrogatepass")).digest()[0] % 2 == 1
    return half is Half.ALL or is_dev == (half is Half.DEV)


class _ChunkerPassages(NamedTuple):
    """The passages of one chunker, and for each question the numbers of those that overlap its
    gold.
    """

    chunker: str
    passages: Sequence[Passage]
    relevant: Sequence[Sequence[int]]


def run(benchmark: Benchmark, plan: Plan, tell: Callable[[str], None] = lambda _: None) -> Results:
    """Run the plan. `tell` is called with progress messages."""
    cuts: list[Cuts] = []
    cells: list[RunScores] = []
    sentences = sentences_of(benchmark.sources)
    steps = len(plan.chunkers) * (1 + len(plan.paths) * len(plan.retrievers))
    step = count(1)
    for name, chunker in plan.chunkers.items():
        tell(f"{next(step)} of {steps}: {name} cuts")
        before = total_costs(plan.models)
        sized = (
            tuned(chunker, benchmark.sources, plan.equal_sizes)
            if plan.equal_sizes and not are_units(name)
            else cut_all(chunker, benchmark.sources, plan.equal_sizes or plan.max_tokens)
        )
        costs = total_costs(plan.models) - before
        index = PassageIndex(sized.passages)
        relevant = [index.touching(question.gold) for question in benchmark.questions]
        cuts.append(_cuts(name, sized, costs, benchmark, sentences, index, relevant, plan.brief))
        for path in plan.paths:
            headed = [_headed(passage, path, benchmark.sources) for passage in sized.passages]
            chunks = _ChunkerPassages(name, headed, relevant)
            for retriever in plan.retrievers:
                tell(f"{next(step)} of {steps}: {name}, {retriever}, path {path}")
                cells.append(
                    _cell(chunks, path, retriever, benchmark.questions, plan, sentences, tell)
                )
    return Results(benchmark, plan, tuple(cuts), tuple(cells))


def _headed(passage: Passage, path: Path, sources: Sequence[SourceText]) -> Passage:
    match path:
        case Path.NONE:
            return passage
        case Path.HEADINGS:
            return with_path(passage, passage.path)
        case Path.TITLE:
            return with_path(passage, path_of(sources[passage.source], passage.path))
        case Path.EMBED:
            return with_header(passage)


def _cuts(  # noqa: PLR0913, PLR0917
    name: str,
    sized: Sized,
    costs: Costs,
    benchmark: Benchmark,
    sentences: Sequence[Span],
    index: PassageIndex,
    relevant: Sequence[Sequence[int]],
    brief: bool,  # noqa: FBT001 - as in Plan
) -> Cuts:
    passages = sized.passages
    whole = [
        any(holds(passages[i].spans, span) for i in numbers)
        for question, numbers in zip(benchmark.questions, relevant, strict=True)
        for span in question.gold
    ]
    tables = [table for source in benchmark.sources for table in source.tables]
    after_words = [table for source in benchmark.sources for table in introduced(source, sentences)]
    return Cuts(
        chunker=name,
        max_tokens=sized.max_tokens,
        chunks=len(passages),
        mean_tokens=sized.mean,
        largest=max((passage.tokens for passage in passages), default=0),
        cut_rate=1 - sum(whole) / max(len(whole), 1),
        answer_tokens=_answer_tokens(benchmark, passages, relevant),
        rouge_agreement=math.nan if brief else _agreement(benchmark, passages),
        tables_cut=_share([len(index.touching([table])) > 1 for table in tables]),
        introduced=_share(kept_together(after_words, passages, index)),
        seconds=sized.seconds,
        costs=costs,
    )


def _answer_tokens(
    benchmark: Benchmark, passages: Sequence[Passage], relevant: Sequence[Sequence[int]]
) -> float:
    """Return the mean size of the chunks that hold the most of each gold span."""
    sizes = [
        passages[numbers[best]].tokens
        for question, numbers in zip(benchmark.questions, relevant, strict=True)
        for span in question.gold
        if (best := metrics.best_by_overlap([passages[i] for i in numbers], [span])) is not None
    ]
    return sum(sizes) / len(sizes) if sizes else math.nan


def _share(true: Sequence[bool]) -> float:
    return sum(true) / len(true) if true else math.nan


def _agreement(benchmark: Benchmark, passages: Sequence[Passage]) -> float:
    """Return how often ROUGE and overlap select the same chunk, on a sample of the questions."""
    step = max(1, len(benchmark.questions) // _ROUGE_SAMPLE)
    agreed = []
    for question in benchmark.questions[::step]:
        near = [passage for passage in passages if passage.source in question.documents]
        evidence = " ".join(text_at(benchmark.sources, span) for span in question.gold)
        agreed.append(
            metrics.best_by_rouge(near, evidence) == metrics.best_by_overlap(near, question.gold)
        )
    return sum(agreed) / max(len(agreed), 1)


def _cell(  # noqa: PLR0913, PLR0917
    chunks: _ChunkerPassages,
    path: Path,
    retriever: str,
    questions: Sequence[Question],
    plan: Plan,
    sentences: Sequence[Span],
    tell: Callable[[str], None],
) -> RunScores:
    before = total_costs(plan.models)
    passages = chunks.passages
    lengths = np.array([len(passage.text) for passage in passages], dtype=np.int64)
    rows: list[dict[str, float]] = []
    until_complete: list[float] = []
    texts: list[list[str]] = []
    first: list[Passage] = []
    seconds = 0.0
    scored = plan.retrievers[retriever](passages, [question.text for question in questions])
    for question, touching in zip(questions, chunks.relevant, strict=True):
        start = time.process_time()
        ranking = ranked(next(scored))
        seconds += time.process_time() - start
        order: list[int] = ranking.tolist()
        searched = Searched(question, touching, passages, plan.hit_share)
        rows.append(
            recalls(searched, order, plan.budgets)
            if plan.brief
            else measured(searched, order, plan.budgets, sentences)
        )
        ranks = np.flatnonzero(np.isin(ranking, touching))
        before_each = np.cumsum(lengths[ranking])[ranks] - lengths[ranking[ranks]]
        until_complete.append(
            metrics.characters_until_complete(
                zip(
                    before_each.tolist(),
                    (passages[number] for number in ranking[ranks]),
                    strict=True,
                ),
                question.gold,
            )
        )
        first += [passages[number] for number in order[:1]]
        if plan.reader:
            texts.append(read_within((passages[number] for number in order), plan.primary))
    costs = total_costs(plan.models) - before
    before = total_costs([plan.reader])
    if plan.reader:
        answers = answered(plan.reader, questions, texts, tell)
        rows = [row | scores for row, scores in zip(rows, answers, strict=True)]
    columns = {
        key: np.array([row[key] for row in rows], dtype=np.float64)
        for key in (rows[0] if rows else ())
    }
    return RunScores(
        chunks.chunker,
        path,
        retriever,
        columns,
        np.array(until_complete),
        seconds,
        costs,
        total_costs([plan.reader]) - before,
        tuple(first),
    )


# -- the measures of one question

# Hits@2, 4, 6, 8 of MultiHop-RAG, 5 and 20 of PIC, DCG@1 to 20 of LumberChunker and LGMGC
KS: Final = tuple(range(1, 21))
EVIDENCE_KS: Final = (1, 3, 5, 10)  # "Is semantic chunking worth the computational cost?"
_DEEPEST: Final = max(KS)


class Searched(NamedTuple):
    """A question and the passages that are searched for it."""

    question: Question
    touching: Sequence[int]  # passages that overlap the gold
    passages: Sequence[Passage]
    hit_share: float = metrics.HIT_SHARE


def recalls(searched: Searched, order: Sequence[int], budgets: Sequence[int]) -> dict[str, float]:
    """Return the recall within each budget."""
    ranking = [searched.passages[i] for i in _within(order, searched.passages, max(budgets))]
    return {
        f"recall@{budget}": metrics.budgeted_recall(ranking, searched.question.gold, budget)
        for budget in budgets
    }


def measured(
    searched: Searched, order: Sequence[int], budgets: Sequence[int], sentences: Sequence[Span]
) -> dict[str, float]:
    """Return measure -> value. `sentences` are those of the corpus, for the evidence measures."""
    question, touching, passages, _ = searched
    ranking = [passages[i] for i in _within(order, passages, max(budgets))]
    row = recalls(searched, order, budgets)
    row["area"] = metrics.area(budgets, [*row.values()])
    row |= {
        f"together@{budget}": metrics.together(ranking, question.gold, budget) for budget in budgets
    }
    row["P_omega"] = metrics.precision_omega([passages[i] for i in touching], question.gold)
    return (
        row
        | _by_count(ranking[:_DEEPEST], question)
        | _by_evidence(ranking, question, sentences)
        | _by_rank(searched, order)
    )


def _within(order: Sequence[int], passages: Sequence[Passage], budget: int) -> Iterator[int]:
    """Yield the numbers of passages by rank until the budget is used, and at least as many as the
    measures by rank need.
    """
    for rank, number in enumerate(order):
        if budget <= 0 and rank >= _DEEPEST:
            return
        budget -= len(passages[number].text)
        yield number


def _by_count(first: Sequence[Passage], question: Question) -> dict[str, float]:
    """Return the measures of the first k passages."""
    whole = metrics.whole_at(first, question.gold)
    with_answer = (
        k for k, passage in enumerate(first, 1) if holds_answer(passage.text, question.answers)
    )
    answered = next(with_answer, math.inf) if question.answers else math.nan
    overlaps = [*metrics.overlaps_of(first, question.gold)] or [metrics.Overlap(0.0, 0.0, 0.0)]
    row: dict[str, float] = {}
    for k in KS:
        covered = overlaps[min(k, len(overlaps)) - 1]
        row |= {
            f"R@{k}": covered.recall,
            f"P@{k}": covered.precision,
            f"IoU@{k}": covered.iou,
            f"full@{k}": sum(rank <= k for rank in whole) / max(len(whole), 1),
            f"hit@{k}": float(min(whole, default=math.inf) <= k),
            f"answer@{k}": answered if math.isnan(answered) else float(answered <= k),
        }
    return row


def _by_evidence(
    ranking: Sequence[Passage], question: Question, sentences: Sequence[Span]
) -> dict[str, float]:
    """Return precision, recall and F1 of documents and of sentences."""
    wanted = {number for span in question.gold for number in _touched(sentences, span)}
    row: dict[str, float] = {}
    for k in EVIDENCE_KS:
        first = ranking[:k]
        documents = metrics.matched(
            [*dict.fromkeys(passage.source for passage in first)], question.documents
        )
        evidence = metrics.matched(
            [
                number
                for passage in first
                for span in passage.spans
                for number in _inside(sentences, span)
            ],
            wanted,
        )
        for name, matched in (("document", documents), ("evidence", evidence)):
            row |= {
                f"{name} P@{k}": matched.precision,
                f"{name} R@{k}": matched.recall,
                f"{name} F1@{k}": matched.f1,
            }
    return row


def _by_rank(searched: Searched, order: Sequence[int]) -> dict[str, float]:
    """Return the measures by rank of hits; DCG by the rank of the one relevant passage."""
    question, touching, passages, share = searched
    hits = frozenset(
        number for number in touching if metrics.is_hit(passages[number], question.gold, share)
    )
    relevant = [number in hits for number in order[:_MOST_RANKS]]
    best = _relevant(searched)
    rank = 1 + order.index(best) if best is not None else None
    facts = [
        {i for i, span in enumerate(question.gold) if holds(passages[n].spans, span)}
        for n in order[:_MOST_RANKS]
    ]
    return (
        {
            "MRR@10": metrics.reciprocal_rank(relevant),
            "MAP@10": metrics.average_precision(relevant, len(hits)),
            "MAP@10 (MultiHop)": metrics.multihop_average_precision(facts, len(question.gold)),
        }
        | {f"DCG@{k}": metrics.gain(rank, k) for k in KS}
        | {f"relevant@{k}": float(rank is not None and rank <= k) for k in KS}
    )


_MOST_RANKS: Final = 11  # as in MultiHop-RAG


def _relevant(searched: Searched) -> int | None:
    """Return the number of the passage with the most gold text. For gold that was located by
    ROUGE-L, it is the passage with the highest ROUGE-L recall (as in LGMGC).
    """
    question, numbers, passages, _ = searched
    if question.evidence:
        numbers = [i for i, passage in enumerate(passages) if passage.source in question.documents]
    candidates = [passages[i] for i in numbers]
    best = (
        metrics.best_by_rouge(candidates, " ".join(question.evidence))
        if question.evidence
        else metrics.best_by_overlap(candidates, question.gold)
    )
    return numbers[best] if best is not None else None


# -- sentences of the evidence


def _inside(sentences: Sequence[Span], span: Span) -> range:
    """Return the numbers of the sentences that are completely inside a span."""
    last = bisect_right(sentences, span[1], key=itemgetter(1))
    return range(bisect_left(sentences, span[0], key=itemgetter(0)), last)


def _touched(sentences: Sequence[Span], span: Span) -> range:
    """Return the numbers of the sentences that overlap a span."""
    first = bisect_right(sentences, span[0], key=itemgetter(1))
    return range(first, bisect_left(sentences, span[1], key=itemgetter(0)))
