"""Let a model answer questions from retrieved passages, and score the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from docxchunk.evaluation.answers import bleu, exact_match, rouge_l, token_f1
from docxchunk.evaluation.passages import Passage
from docxchunk.evaluation.questions import Question
from docxchunk.model.ports import Completer

_TOLD: Final = "Refer to the {} {} and answer the following question with just a few words."
_THOUGHT: Final = "</think>"

MEASURES: Final = ("EM", "F1", "ROUGE-L", "BLEU", "BLEU without penalty", "BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")


def answered(reader: Completer, questions: Sequence[Question], passages: Sequence[Sequence[str]]) -> list[dict[str, float]]:
    """Return the scores of the model's answer to each question from its passages; NaN for questions without reference answers, which are not asked."""
    prompts = [answer_prompt(question.text, texts) for question, texts in zip(questions, passages, strict=True) if question.answers]
    said = iter(reader.complete(prompts) if prompts else ())
    return [scores(next(said), question.answers) if question.answers else dict.fromkeys(MEASURES, float("nan")) for question in questions]


def answer_prompt(question: str, passages: Sequence[str]) -> str:
    """Return the prompt for a question and its passages (the paper of PIC, table 8)."""
    return "\n".join((_TOLD.format("passages", "below"), *passages, _TOLD.format("context", "above"), f"Question: {question}", "The answer is"))


def scores(answer: str, known: Sequence[str]) -> dict[str, float]:
    """Return all scores of one answer, without the model's thinking before it."""
    text = answer.rpartition(_THOUGHT)[2].strip()
    measured = bleu(text, known)
    values = (exact_match(text, known), token_f1(text, known), rouge_l(text, known), measured.score, measured.unpunished, *measured.precisions)
    return dict(zip(MEASURES, values, strict=True))


def read_within(ranking: Iterable[Passage], budget: int) -> list[str]:
    """Return the texts of ranked passages up to `budget` characters; the last one is truncated."""
    return [*_cut(ranking, budget)]


def _cut(ranking: Iterable[Passage], budget: int) -> Iterator[str]:
    for passage in ranking:
        if budget <= 0:
            return
        yield passage.text[:budget]
        budget -= len(passage.text)
