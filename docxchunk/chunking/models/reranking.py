"""Rerank retrieved texts by the perplexity of the query given each text (PPLRerank: Meta-Chunking, 5.2.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from docxchunk.chunking.boundaries import rounded
from docxchunk.chunking.models.checks import CheckedScorer
from docxchunk.chunking.models.prompts import Wording
from docxchunk.model.ports import Losses, Scorer

_ASKING: Final = Wording("\nBased on the above content, generate a question:", "\n根据以上内容，生成一个问题：")


def rank(query: str, texts: Sequence[str], scorer: Scorer) -> list[int]:
    """Return the indices of the texts in the order of the loss of the query after each text, lowest first. Ties keep their order.

    Raise ModelError if a loss is not a finite number.
    """
    asking = _ASKING.for_text(query)
    questions = [Losses(query, (len(query),), before=text + asking) for text in texts]
    losses = [rounded(answer[0]) for answer in CheckedScorer(scorer, "PPLRerank").score(questions)] if query else [0.0] * len(texts)
    return sorted(range(len(texts)), key=losses.__getitem__)


def fused(*orders: Sequence[int], k: int = 60) -> list[int]:
    """Combine several rankings of the same indices by reciprocal rank fusion. Ties keep the order of the first ranking."""
    scores: dict[int, float] = defaultdict(float)
    for order in orders:
        for place, number in enumerate(order, 1):
            scores[number] += 1 / (k + place)
    return sorted(scores, key=lambda number: -round(scores[number], 12))
