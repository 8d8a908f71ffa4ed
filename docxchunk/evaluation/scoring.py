"""All measures of one question, by name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from docxchunk.evaluation import metrics
from docxchunk.evaluation.answers import holds_answer
from docxchunk.evaluation.passages import Passage, Source
from docxchunk.evaluation.questions import Question
from docxchunk.evaluation.spans import Span, holds

KS: Final = (1, 3, 5, 10)
_DEEPEST: Final = 11  # ranks that MultiHop-RAG reads


class Asked(NamedTuple):
    question: Question
    touching: Sequence[int]  # passages that show some of the gold
    passages: Sequence[Passage]


def measured(asked: Asked, order: Sequence[int], budgets: Sequence[int], sentences: Sequence[Span]) -> dict[str, float]:
    """Each measure's value, `sentences` being those of the corpus, for the measures of evidence."""
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
    answered = float(any(holds_answer(passage.text, question.answers) for passage in first)) if question.answers else float("nan")
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


def _by_rank(asked: Asked, order: Sequence[int]) -> dict[str, float]:
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


def sentences_of(sources: Sequence[Source]) -> list[Span]:
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
