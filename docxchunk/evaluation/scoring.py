"""Compute all measures of one question, by name."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.evaluation import metrics
from docxchunk.evaluation.answers import holds_answer
from docxchunk.evaluation.passages import Passage
from docxchunk.evaluation.questions import Question
from docxchunk.evaluation.spans import Span, holds

KS: Final = tuple(range(1, 21))  # Hits@2, 4, 6, 8 of MultiHop-RAG, 5 and 20 of PIC, DCG@1 to 20 of LumberChunker and LGMGC
EVIDENCE_KS: Final = (1, 3, 5, 10)  # "Is semantic chunking worth the computational cost?"
_DEEPEST: Final = max(KS)


class Asked(NamedTuple):
    question: Question
    touching: Sequence[int]  # passages that overlap the gold
    passages: Sequence[Passage]
    hit_share: float = metrics.HIT_SHARE


def measured(asked: Asked, order: Sequence[int], budgets: Sequence[int], sentences: Sequence[Span]) -> dict[str, float]:
    """Return measure -> value. `sentences` are those of the corpus, for the evidence measures."""
    question, touching, passages, _ = asked
    ranking = [passages[i] for i in _within(order, passages, max(budgets))]
    recalls = [metrics.budgeted_recall(ranking, question.gold, budget) for budget in budgets]
    row = {f"recall@{budget}": recall for budget, recall in zip(budgets, recalls, strict=True)}
    row["area"] = metrics.area(budgets, recalls)
    row |= {f"together@{budget}": metrics.together(ranking, question.gold, budget) for budget in budgets}
    row["P_omega"] = metrics.precision_omega([passages[i] for i in touching], question.gold)
    return row | _by_count(ranking[:_DEEPEST], question) | _by_evidence(ranking, question, sentences) | _by_rank(asked, order)


def _within(order: Sequence[int], passages: Sequence[Passage], budget: int) -> Iterator[int]:
    """Yield passages by rank until the budget is spent, but at least as many as any measure needs."""
    for rank, number in enumerate(order):
        if budget <= 0 and rank >= _DEEPEST:
            return
        budget -= len(passages[number].text)
        yield number


def _by_count(first: Sequence[Passage], question: Question) -> dict[str, float]:
    """Return the measures of the first k passages."""
    whole = metrics.whole_at(first, question.gold)
    answered = next((k for k, passage in enumerate(first, 1) if holds_answer(passage.text, question.answers)), math.inf) if question.answers else math.nan
    overlaps = [*metrics.overlaps_of(first, question.gold)] or [metrics.overlap_of((), question.gold)]
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


def _by_evidence(ranking: Sequence[Passage], question: Question, sentences: Sequence[Span]) -> dict[str, float]:
    """Return precision, recall and F1 of documents and of sentences."""
    wanted = {*_touched(sentences, question.gold)}
    row: dict[str, float] = {}
    for k in EVIDENCE_KS:
        first = ranking[:k]
        documents = metrics.matched([*dict.fromkeys(passage.source for passage in first)], question.documents)
        evidence = metrics.matched([number for passage in first for span in passage.spans for number in _inside(sentences, span)], wanted)
        for name, found in (("document", documents), ("evidence", evidence)):
            row |= {f"{name} P@{k}": found.precision, f"{name} R@{k}": found.recall, f"{name} F1@{k}": found.f1}
    return row


def _by_rank(asked: Asked, order: Sequence[int]) -> dict[str, float]:
    """Return the measures by rank of hits; DCG by the rank of the one relevant passage."""
    question, touching, passages, share = asked
    hits = frozenset(number for number in touching if metrics.is_hit(passages[number], question.gold, share))
    relevant = [number in hits for number in order[:_MOST_RANKS]]
    best = _relevant(asked)
    rank = 1 + order.index(best) if best is not None else None
    facts = [{i for i, span in enumerate(question.gold) if holds(passages[n].spans, span)} for n in order[:_MOST_RANKS]]
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


def _relevant(asked: Asked) -> int | None:
    """Return the passage with the most gold text; for gold located by ROUGE-L, the one with the highest ROUGE-L recall (as in LGMGC)."""
    question, touching, passages, _ = asked
    if question.evidence:
        near = [number for number, passage in enumerate(passages) if passage.source in question.documents]
        best = metrics.best_by_rouge([passages[number] for number in near], " ".join(question.evidence))
        return near[best] if best is not None else None
    best = metrics.best_by_overlap([passages[number] for number in touching], question.gold)
    return touching[best] if best is not None else None


# -- sentences of the evidence


def _inside(sentences: Sequence[Span], span: Span) -> Iterator[int]:
    """Yield the sentences that are completely inside a span."""
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
