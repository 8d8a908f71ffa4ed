"""Write results as JSON lines: one line for each question, chunker, path and retriever."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from docxchunk.evaluation.reading import MEASURES
from docxchunk.evaluation.runs import Results
from docxchunk.markup.records.fields import Record, line

_BY_RANK: Final = ("R@5", "full@5", "MRR@10", "DCG@5")
_DIGITS: Final = 6


def question_scores(results: Results, about: Mapping[str, str | int] | None = None) -> Iterator[bytes]:
    """Yield the lines. Each begins with `about`, followed by recall and "together" (the answer in one chunk) for each budget, the main measures by rank,
    and the scores of the reader's answer.
    """
    budgets = [f"{measure}@{budget}" for measure in ("recall", "together") for budget in results.plan.budgets]
    for cell in results.cells:
        columns = [(name, cell.scores[name]) for name in (*budgets, *_BY_RANK, *MEASURES) if name in cell.scores]
        for number, question in enumerate(results.benchmark.questions):
            placed = "rouge" if question.evidence else "text"
            asked: Record = {**(about or {}), "question": question.text, "id": question.id or None, "cluster": question.cluster, "placed": placed}
            found: Record = {"chunker": cell.chunker, "path": cell.path.value, "retriever": cell.retriever}
            yield line(asked | found | {name: _known(float(column[number])) for name, column in columns})


def _known(score: float) -> float | None:
    return None if math.isnan(score) else round(score, _DIGITS)
