"""Each chunker with each retriever and each line before the text: scores for every question, and what they cost."""

from __future__ import annotations

import hashlib
import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docxchunk.evaluation import metrics
from docxchunk.evaluation.chunkers import Chunker
from docxchunk.evaluation.passages import Passage, Places, Source, with_path
from docxchunk.evaluation.questions import Benchmark, Question
from docxchunk.evaluation.retrievers import Retriever, ranked
from docxchunk.evaluation.sizes import Sized, cut_all, tuned
from docxchunk.evaluation.spans import Span, holds

BUDGETS: Final = (1000, 2000, 4000, 8000)
PRIMARY: Final = 4000  # characters
KS: Final = (1, 3, 5, 10)
_DEEPEST: Final = 11  # ranks that MultiHop-RAG reads
_ROUGE_SAMPLE: Final = 50

Vector = NDArray[np.float64]


class Path(StrEnum):
    """What stands before the text of a passage, indexed and charged."""

    NONE = "none"
    HEADINGS = "headings"
    TITLE = "title"  # the document's title, and the headings


class Half(StrEnum):
    """Settings are chosen on the documents of one half, and reported on the other."""

    ALL = "all"
    DEV = "dev"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: chunkers and retrievers by name. With `equal_sizes`, each chunker is asked for what gives that mean size, else for `max_tokens`."""

    chunkers: Mapping[str, Chunker]
    retrievers: Mapping[str, Retriever]
    max_tokens: int = 400
    equal_sizes: int | None = None
    budgets: tuple[int, ...] = BUDGETS
    paths: tuple[Path, ...] = (Path.NONE,)
    models: tuple[object, ...] = ()  # that chunkers and retrievers ask: their costs are told beside the scores


class Spent(NamedTuple):
    """What models were asked so far: texts and prompts, those that no cache answered, and tokens read and written."""

    asked: int = 0
    computed: int = 0
    tokens: int = 0

    def since(self, before: Spent) -> Spent:
        return Spent(*(now - then for now, then in zip(self, before, strict=True)))


def spent(models: Iterable[object]) -> Spent:
    """Over all models that keep count of their costs; the others count nothing."""
    bills = [model.costs for model in models if hasattr(model, "costs")]
    return Spent(*(sum(int(getattr(bill, field)) for bill in bills) for field in Spent._fields))


class Cuts(NamedTuple):
    """How the chunks of one chunker came out, before anything is searched."""

    chunker: str
    max_tokens: int  # that was asked for
    chunks: int
    mean_tokens: float
    largest: int
    cut_rate: float  # share of gold spans that no chunk holds whole
    rouge_agreement: float  # share of questions where ROUGE and overlap name the same chunk
    seconds: float = 0.0  # of this process, for the size that was taken
    spent: Spent = Spent()  # for all sizes that were tried


class Cell(NamedTuple):
    """Scores by measure, one for each question, in order."""

    chunker: str
    path: Path
    retriever: str
    scores: Mapping[str, Vector]
    seconds: float
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True)
class Results:
    benchmark: Benchmark
    plan: Plan
    cuts: tuple[Cuts, ...]
    cells: tuple[Cell, ...]

    @property
    def clusters(self) -> list[str]:
        return [question.cluster for question in self.benchmark.questions]

    def cell(self, chunker: str, path: Path, retriever: str) -> Cell:
        return next(cell for cell in self.cells if cell[:3] == (chunker, path, retriever))


def half_of(found: Benchmark, half: Half) -> Benchmark:
    """The documents of one half, by a hash of their names, and the questions on them."""
    if half is Half.ALL:
        return found
    kept = [number for number, source in enumerate(found.sources) if _half(source.name) is half]
    numbers = {old: new for new, old in enumerate(kept)}
    questions = tuple(
        question._replace(documents=frozenset(numbers[number] for number in question.documents))
        for question in found.questions
        if question.documents <= numbers.keys()
    )
    return replace(found, sources=tuple(found.sources[number] for number in kept), questions=questions)


def _half(name: str) -> Half:
    return Half.DEV if hashlib.blake2b(name.encode("utf-8", "surrogatepass")).digest()[0] % 2 else Half.TEST


def run(found: Benchmark, plan: Plan, tell: Callable[[str], None] = lambda _: None) -> Results:
    """All that the plan asks for. `tell` is told what is being done."""
    cuts: list[Cuts] = []
    cells: list[Cell] = []
    sentences = _sentences(found.sources)
    for name, chunker in plan.chunkers.items():
        tell(f"{name}: cutting")
        sized, seconds, costs = _cut(chunker, found.sources, plan)
        places = Places(sized.passages)
        relevant = [places.touching(question.gold) for question in found.questions]
        cuts.append(_cuts(name, sized, found, relevant)._replace(seconds=seconds, spent=costs))
        for path in plan.paths:
            passages = [_headed(passage, path, found.sources) for passage in sized.passages]
            for retriever, retrieve in plan.retrievers.items():
                tell(f"{name}: {retriever}, path {path}")
                cells.append(_cell(name, path, retriever, retrieve, passages, relevant, found, plan, sentences))
    return Results(found, plan, tuple(cuts), tuple(cells))


def _cut(chunker: Chunker, sources: Sequence[Source], plan: Plan) -> tuple[Sized, float, Spent]:
    """The chunks, with the seconds of making them once at the size that was settled on, and the costs of all sizes that were tried."""
    before = spent(plan.models)
    asked = tuned(chunker, sources, plan.equal_sizes).max_tokens if plan.equal_sizes else plan.max_tokens
    start = time.process_time()
    sized = cut_all(chunker, sources, asked)
    return sized, time.process_time() - start, spent(plan.models).since(before)


def _headed(passage: Passage, path: Path, sources: Sequence[Source]) -> Passage:
    if path is Path.NONE:
        return passage
    title = sources[passage.source].document.title if path is Path.TITLE else ""
    return with_path(passage, " > ".join(name for name in (title if not passage.path.startswith(title) else "", passage.path) if name))


def _cuts(name: str, sized: Sized, found: Benchmark, relevant: Sequence[Sequence[int]]) -> Cuts:
    passages = sized.passages
    whole = [
        any(holds(passages[i].spans, span) for i in numbers) for question, numbers in zip(found.questions, relevant, strict=True) for span in question.gold
    ]
    return Cuts(
        chunker=name,
        max_tokens=sized.max_tokens,
        chunks=len(passages),
        mean_tokens=sized.mean,
        largest=max((passage.tokens for passage in passages), default=0),
        cut_rate=1 - sum(whole) / max(len(whole), 1),
        rouge_agreement=_agreement(found, passages),
    )


def _agreement(found: Benchmark, passages: Sequence[Passage]) -> float:
    """On a sample of the questions, over the passages of their documents."""
    step = max(1, len(found.questions) // _ROUGE_SAMPLE)
    agreed = []
    for question in found.questions[::step]:
        near = [passage for passage in passages if passage.source in question.documents]
        evidence = " ".join(_text(found.sources, span) for span in question.gold)
        agreed.append(metrics.best_by_rouge(near, evidence) == metrics.best_by_overlap(near, question.gold))
    return sum(agreed) / max(len(agreed), 1)


def _text(sources: Sequence[Source], span: Span) -> str:
    """What stands at a place of the corpus."""
    source = sources[bisect_right(sources, span[0], key=lambda each: each.offset) - 1]
    return source.text[span[0] - source.offset : span[1] - source.offset]


def _cell(  # noqa: PLR0913, PLR0917 - one row of the results
    name: str,
    path: Path,
    retriever: str,
    retrieve: Retriever,
    passages: Sequence[Passage],
    relevant: Sequence[Sequence[int]],
    found: Benchmark,
    plan: Plan,
    sentences: Sequence[Span],
) -> Cell:
    start, before = time.process_time(), spent(plan.models)
    rows: list[dict[str, float]] = []
    scored = retrieve(passages, [question.text for question in found.questions])
    for question, touching, scores in zip(found.questions, relevant, scored, strict=True):
        rows.append(measured(_Asked(question, touching, passages), [int(i) for i in ranked(scores)], plan.budgets, sentences))
    columns = {key: np.array([row[key] for row in rows], dtype=np.float64) for key in rows[0]} if rows else {}
    return Cell(name, path, retriever, columns, time.process_time() - start, spent(plan.models).since(before))


class _Asked(NamedTuple):
    question: Question
    touching: Sequence[int]  # passages that show some of the gold
    passages: Sequence[Passage]


def measured(asked: _Asked, order: Sequence[int], budgets: Sequence[int], sentences: Sequence[Span]) -> dict[str, float]:
    """All measures of one question, by name."""
    question, touching, passages = asked
    ranking = [passages[i] for i in _within(order, passages, max(budgets))]
    recalls = [metrics.budgeted_recall(ranking, question.gold, budget) for budget in budgets]
    row = {f"recall@{budget}": recall for budget, recall in zip(budgets, recalls, strict=True)}
    row["area"] = metrics.area(budgets, recalls)
    row |= {f"together@{budget}": metrics.together(ranking, question.gold, budget) for budget in budgets}
    row["P_omega"] = metrics.precision_omega([passages[i] for i in touching], question.gold)
    for k in KS:
        row |= _at(k, ranking[:k], question, sentences)
    return row | _by_rank(asked, order)


def _within(order: Sequence[int], passages: Sequence[Passage], budget: int) -> Iterator[int]:
    """Passages by rank until the budget is spent, and at least as many as any measure reads."""
    for rank, number in enumerate(order):
        if budget <= 0 and rank >= _DEEPEST:
            return
        budget -= len(passages[number].text)
        yield number


def _at(k: int, first: Sequence[Passage], question: Question, sentences: Sequence[Span]) -> dict[str, float]:
    covered = metrics.overlap_of(first, question.gold)
    documents = metrics.matched([*dict.fromkeys(passage.source for passage in first)], question.documents)
    evidence = metrics.matched(
        [number for passage in first for span in passage.spans for number in _inside(sentences, span)], {*_touched(sentences, question.gold)}
    )
    answered = float(any(metrics.holds_answer(passage.text, question.answers) for passage in first)) if question.answers else float("nan")
    return {
        f"R@{k}": covered.recall,
        f"P@{k}": covered.precision,
        f"IoU@{k}": covered.iou,
        f"full@{k}": metrics.full(first, question.gold),
        f"hit@{k}": float(any(holds(passage.spans, span) for passage in first for span in question.gold)),
        f"answer@{k}": answered,
        f"document P@{k}": documents.precision,
        f"document R@{k}": documents.recall,
        f"document F1@{k}": documents.f1,
        f"evidence P@{k}": evidence.precision,
        f"evidence R@{k}": evidence.recall,
        f"evidence F1@{k}": evidence.f1,
    }


def _by_rank(asked: _Asked, order: Sequence[int]) -> dict[str, float]:
    """Measures of the ranks alone; relevant is what shows some of the gold, for DCG the passage that shows the most."""
    question, touching, passages = asked
    wanted = frozenset(touching)
    first = order[:_DEEPEST]
    relevant = [number in wanted for number in first]
    best = metrics.best_by_overlap([passages[i] for i in touching], question.gold)
    rank = 1 + order.index(touching[best]) if best is not None else None
    facts = [{i for i, span in enumerate(question.gold) if holds(passages[n].spans, span)} for n in first]
    return {
        "MRR@10": metrics.reciprocal_rank(relevant),
        "MAP@10": metrics.average_precision(relevant, len(wanted)),
        "MAP@10 (MultiHop)": metrics.multihop_average_precision(facts, len(question.gold)),
    } | {f"DCG@{k}": metrics.gain(rank, k) for k in KS}


# -- sentences of the evidence

_SENTENCE_END = re.compile(r"""[。！？；…]+["'”’」』）)\]]*|[.!?]+["'”’)\]]*(?=\s)|\n+""")


def _sentences(sources: Sequence[Source]) -> list[Span]:
    """The sentences of a corpus, in order, without the blanks around them."""
    found: list[Span] = []
    for source in sources:
        start = 0
        for end in [*(match.end() for match in _SENTENCE_END.finditer(source.text)), len(source.text)]:
            text = source.text[start:end]
            if text.strip():
                begin = source.offset + start + len(text) - len(text.lstrip())
                found.append((begin, begin + len(text.strip())))
            start = end
    return found


def _inside(sentences: Sequence[Span], span: Span) -> Iterator[int]:
    """The sentences that are whole in a span."""
    for number in range(bisect_left(sentences, (span[0], 0)), len(sentences)):
        if sentences[number][1] > span[1]:
            return
        yield number


def _touched(sentences: Sequence[Span], gold: Sequence[Span]) -> Iterator[int]:
    for start, end in gold:
        number = max(bisect_left(sentences, (start, 0)) - 1, 0)
        while number < len(sentences) and sentences[number][0] < end:
            if sentences[number][1] > start:
                yield number
            number += 1
